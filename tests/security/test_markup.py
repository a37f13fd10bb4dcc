"""What strangers write is text: in a topic, a template, a model's card, a link; on each page with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pcf_core.app.widgets import plain, plain_label
from pcf_core.core.settings import Settings, settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.templates import load_mined, save_set
from pcf_core.material.topics import make_topic, save_topic
from pcf_core.models.folder import describe
from pcf_core.show.charts.theme import lines
from pcf_core.show.charts.theme import text as chart_text
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.models.conftest import write_model
from tests.pages.opened import open_app

HOSTILE = "<img src=x onerror=alert(1)> **bold** [here](javascript:alert(2)) :red[r] $x$ `c` ![i](http://evil.example/i.png)"
# What Streamlit's Markdown makes of it where a sign stands bare: no sign here may, but behind a backslash.
EVIDENCE = "occupations-bvf"
BARE = re.compile(r"(?<!\\)<img|(?<!\\)\*\*bold|(?<!\\)\[here|(?<!\\):red\[|(?<!\\)!\[i")
TAG = re.compile("<img")
MARKED = ("markdown", "caption", "error", "warning", "info", "success", "header", "subheader", "title")
PAGES = ("topics", "templates")
MORE = (
    "models",
    "overview",
    "risk",
    "heat_map",
    "run_an_audit",
    "try_a_sentence",
    "factors",
    "compare",
    "caprice",
    "tilt",
)


@pytest.fixture
def hostile(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Topic:
    """A topic, a template set and a model at hand whose every free text is markup."""
    groups = [
        Group(name="male", words=("he", HOSTILE.replace("[", "(").replace("]", ")"))),
        Group(name="female", words=("she", "<b>her</b>")),
    ]
    topic = make_topic("hostile", groups, title=HOSTILE, source=HOSTILE, notes=HOSTILE)
    save_topic(topic)
    mined = load_mined("gender-nineteen")
    card = mined.card.model_copy(update={"title": HOSTILE, "notes": HOSTILE, "source": HOSTILE})
    first = mined.templates[0].model_copy(
        update={"text": "The [X] <img src=x onerror=alert(1)> said that [Y]."}
    )
    save_set(
        mined.model_copy(update={"name": "hostile", "card": card, "templates": (first, *mined.templates[1:])})
    )
    models = own_settings.cache.parent / "models"
    folder = write_model(models / "hostile")
    (folder / "README.md").write_text(f"# {HOSTILE}\n\n{HOSTILE}\n")
    monkeypatch.setenv("PCF_MODELS", str(models))
    settings.cache_clear()
    return topic


def said(app: Any) -> Iterator[tuple[str, str]]:
    """Every text of a page that Streamlit reads as Markdown, and what its charts are told."""
    for kind in MARKED:
        for element in getattr(app, kind):
            yield kind, f"{element.value} {getattr(element, 'label', '')}"
    for kind in ("expander", "tabs", "radio", "button", "checkbox", "toggle"):
        for element in app.get(kind):
            yield kind, str(getattr(element, "label", ""))
    for element in app.get("plotly_chart"):
        yield "chart", json.dumps(json.loads(element.proto.spec)) if element.proto.spec else ""


def opened(page: str) -> list[tuple[str, str]]:
    names = {"topic_shown": "hostile", "set": "hostile", "model": "mini-gpt", "evidence": EVIDENCE}
    return list(said(open_app(page, topic="hostile", templates="hostile", **names)))


def bare(texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What would be read as markup; a chart knows tags and no Markdown."""
    return [(kind, text[:300]) for kind, text in texts if (TAG if kind == "chart" else BARE).search(text)]


@pytest.mark.parametrize("page", PAGES)
def test_markup_is_shown_as_it_is_written(page: str, hostile: Topic) -> None:
    texts = opened(page)
    assert any("onerror" in text for _, text in texts)
    assert not bare(texts)


@pytest.mark.slow
@pytest.mark.parametrize("page", MORE)
def test_markup_in_results_is_shown_as_it_is_written(
    page: str, hostile: Topic, own_settings: Settings
) -> None:
    """As above, where there are results to be shown: findings, figures, charts."""
    fill(Store.open(own_settings.cache), "mini-gpt", "hostile", EVIDENCE, "hostile")
    assert not bare(opened(page))


@pytest.mark.parametrize("page", ["fairpair", "criteria", "case_file"])
def test_markup_in_a_link_is_shown_as_it_is_written(page: str, own_settings: Settings) -> None:
    names = (
        "model",
        "topic",
        "templates",
        "evidence",
        "fp_model",
        "fp_prompts",
        "cr_model",
        "cr_view",
        "facts",
    )
    app = open_app(page, **dict.fromkeys((*names, "cf_model", HOSTILE[:80]), HOSTILE))
    assert not bare(list(said(app)))


def test_labels_of_charts_are_no_html() -> None:
    """Plotly draws links, line breaks and styles that it finds in a label."""
    for shown in (chart_text(HOSTILE, 200), lines(HOSTILE, 60)):
        assert "<img" not in shown
        assert "&lt;img" in shown
        assert "%{" not in chart_text("%{customdata}", 60)


def test_escaped_text_has_no_bare_sign() -> None:
    assert not BARE.search(plain(HOSTILE))
    assert not BARE.search(plain_label(HOSTILE))


def test_a_card_is_one_line_of_a_paragraph(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "README.md").write_text("# A\u202eB\n\n" + "word " * 10_000 + "\n")
    spec = describe(folder, "m")
    assert spec.title == "A?B"
    assert len(spec.notes) < 2_100
