"""Reports that the tests of this room read: a whole one of two runs, made once, and a small hostile one."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.settings import settings
from pcf_core.report.records import (
    KeyFigure,
    ReportDocument,
    ReportFigure,
    ReportPart,
    ReportRequest,
    ReportSection,
    ReportTable,
    RunFacts,
)
from pcf_core.report.whole import write_report
from pcf_core.store.store import Store
from tests.command_line import ROOT

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<!--]]>{{7*7}}{%x%}&lt;javascript:alert(1) ⟨“"
)


@pytest.fixture(scope="session")
def schemas() -> dict[str, Any]:
    """Those of docs/report.md, and that of a report."""
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf8")
    named = dict(re.findall(r"```json schema=(\w+)\n(.*?)```", text, re.DOTALL))
    named["report"] = (ROOT / "docs" / "report.schema.json").read_text(encoding="utf8")
    return {name: json.loads(schema) for name, schema in named.items()}


@pytest.fixture(scope="session")
def whole(filled_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> ReportDocument:
    """Every section that two runs have, of models with the fake's probabilities."""
    cache = tmp_path_factory.mktemp("report") / "cache"
    shutil.copytree(filled_cache, cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PCF_CACHE", str(cache))
        patch.setenv("PCF_SHIPPED_RESULTS", "0")
        settings.cache_clear()
        store = Store.open(cache)
        keys = sorted(info.run.key for info in store.runs())
        document = write_report(store, ReportRequest(runs=tuple(keys)))
    settings.cache_clear()
    return document


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The shipped results under a cache of its own."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", "1")
    settings.cache_clear()
    yield Store.open(settings().cache, settings().results)
    settings.cache_clear()


@pytest.fixture
def ours(tmp_path: Path) -> Store:
    """An empty store, into which packs are imported."""
    return Store.open(tmp_path / "ours")


@pytest.fixture
def hostile() -> ReportDocument:
    """A document whose every text tries to be markup or a script, with two figures."""
    figures = [
        ReportFigure(
            name=f"figure-{place}",
            alt=HOSTILE,
            plotly={
                "data": [{"type": "bar", "x": [HOSTILE, "b"], "y": [1, 2], "name": "<b>" + HOSTILE}],
                "layout": {"title": {"text": "plain"}},
            },
            height=240,
        )
        for place in range(2)
    ]
    parts = tuple(
        ReportPart(
            title=HOSTILE,
            prose=(HOSTILE,),
            findings=(HOSTILE,),
            numbers=(KeyFigure(HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
            figure=figure,
            how=HOSTILE,
            tables=(
                ReportTable(
                    name=f"table{place}",
                    title=HOSTILE,
                    columns=(HOSTILE, "n"),
                    rows=((HOSTILE, 1.5), ("=1+1", None)),
                ),
            ),
            notes=(HOSTILE,),
        )
        for place, figure in enumerate(figures)
    )
    facts = RunFacts(
        label=HOSTILE,
        run="0" * 16,
        scoring_hash="1" * 16,
        scoring={"model": HOSTILE, "family": "causal"},
        hashes={f"topic {HOSTILE}": "2" * 16},
    )
    return ReportDocument(
        request=ReportRequest(runs=("0" * 16,)),
        title=HOSTILE,
        subtitle=HOSTILE,
        question=HOSTILE,
        headline=(HOSTILE,),
        sections=(
            ReportSection(name="risk", title=HOSTILE, question=HOSTILE, parts=parts, commands=(HOSTILE,)),
        ),
        runs=(facts,),
        versions={"pcf_core": HOSTILE},
    )
