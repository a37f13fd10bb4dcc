"""Public models first, and another precision from its link, in real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pcf_core.app.lists import parameters_of
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.show.names import with_titles
from pcf_core.store.store import Store
from tests.browser import CHROMIUM, body_text, browser_page, drawn_traces, own_cache, running_app, settle
from tests.command_line import run_here
from tools.ship_results import PUBLIC

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
ASKED = ("--topic", "gender-pronouns", "--templates", "gender-heatmap", "--evidence", "few")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A cache of its own over the shipped results, and a list of three occupations of the user's."""
    own = tmp_path / "cache" / "evidence"
    own.mkdir(parents=True)
    (own / "few.toml").write_text(
        'name = "few"\ntitle = "A few"\nsource = "made up"\nterms = ["nurse", "engineer", "clerk"]\n'
    )
    with own_cache(tmp_path) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        yield variables
        settings.cache_clear()


def scored_in_bfloat16() -> RunSpec:
    """What the command line scores with ``--dtype bfloat16``."""
    done = run_here("score", "--model", "mini-gpt-s", *ASKED, "--dtype", "bfloat16", "--json")
    assert done.returncode == 0, done.stderr
    (run,) = [info.run for info in Store.open(settings().cache).runs() if info.run.evidence.name == "few"]
    return run


def test_overview_opens_on_the_public_models_and_a_narrow_run_from_its_link(
    environment: dict[str, str], tmp_path: Path
) -> None:
    run = scored_in_bfloat16()
    link = parameters_of(run)
    assert link["precision"] == ["bfloat16"]
    with running_app(environment, tmp_path / "app.log") as address, browser_page() as (page, errors):
        page.goto(address)
        settle(page, "Overview")
        chosen = page.get_by_test_id("stSidebar").get_by_test_id("stMultiSelect").filter(has_text="Models")
        removes = chosen.get_by_role("button", name="Remove ")
        expect(removes).to_have_count(len(PUBLIC))
        assert [str(one.get_attribute("aria-label")) for one in removes.all()] == [
            f"Remove {with_titles(name)}" for name in PUBLIC
        ]
        assert all(with_titles(name) in body_text(page) for name in PUBLIC)
        page.goto(f"{address}/risk?{urlencode(link, doseq=True)}")
        settle(page, "Risk")
        assert drawn_traces(page) > 0
        assert "Mini GPT Small (bfloat16)" in body_text(page)
        assert "No result yet" not in body_text(page)
        assert errors == []
