"""One answer on the same results, word for word: on pages, in reports, on model cards, in a terminal."""

from __future__ import annotations

import json
import re

import pytest

from pcf_core.core.settings import settings
from pcf_core.report.files import plain
from pcf_core.report.records import ReportDocument
from pcf_core.report.written import html_bytes, model_card, read_report
from pcf_core.show.answer import AGAINST, ANSWER, ELSEWHERE, SURE
from pcf_core.show.names import with_titles
from pcf_core.store.store import Store
from tests.command_line import run_here
from tests.conftest import fill
from tests.pages.opened import App, open_app

PUBLIC = ("665cb6140bf73b5e", "bc5cc65a748b9da5")  # shipped, on gender
USUAL = {"topic": "gender", "templates": "gender-wikipedia-100"}
ALL = [ANSWER, AGAINST, SURE, ELSEWHERE]


def written(store: Store, keys: tuple[str, ...], sections: str) -> ReportDocument:
    """The report of runs as the command line makes it, with a date and with all other sentences."""
    out = settings().cache / f"{sections}.json"
    options = ["--format", "json", "--sections", sections, "--date", "2026-11-29", "--out", str(out)]
    done = run_here("export", *keys, *options)
    assert done.returncode == 0, done.stderr
    return read_report(out.read_bytes())


def lines_of(app: App) -> dict[str, str]:
    """The four lines of a page, by their labels."""
    first = next(text for text in app.texts.splitlines() if text.startswith("##### ")).removeprefix("##### ")
    labelled = re.findall(r"^\*\*([^*]+):\*\* (.*?) *$", app.texts, re.MULTILINE)
    return {ANSWER: first, **{label: line for label, line in labelled if label in ALL}}


def assert_said_everywhere(store: Store, keys: tuple[str, ...], app: App, *terminal: str) -> None:
    lines = lines_of(app)
    assert list(lines) == ALL
    labelled = [lines[ANSWER], *(f"{label}: {lines[label]}" for label in ALL[1:])]
    for sections in ("short", "all"):
        document = written(store, keys, sections)
        assert list(document.headline) == labelled, sections
        card, html = model_card(document), html_bytes(document).decode()
        assert all(plain(line) in card for line in labelled)
        assert "Made on 29 November 2026" in card
        assert "Made on 29 November 2026" in html
    shown = run_here(*terminal, *keys, terminal=True).stdout.splitlines()
    assert shown[: len(labelled)] == labelled


@pytest.mark.parametrize("page", ["overview", "compare"])
def test_two_models_are_answered_about_in_the_same_words_everywhere(shipped: Store, page: str) -> None:
    models = [shipped.load_run(key).scoring.name for key in PUBLIC]
    app = open_app(page, model=models, **USUAL)
    assert_said_everywhere(shipped, PUBLIC, app, "compare")
    presented = open_app(page, present="1", model=models, **USUAL)
    assert lines_of(presented) == lines_of(app)


def test_one_model_is_answered_about_in_the_same_words_everywhere(shipped: Store) -> None:
    model = shipped.load_run(PUBLIC[0]).scoring.name
    assert_said_everywhere(shipped, PUBLIC[:1], open_app("overview", model=[model], **USUAL), "risk")


def test_more_than_two_models_are_answered_about_in_the_same_words(full_store: Store) -> None:
    models = ["mini-bert", "mini-gpt", "mini-gpt-s"]
    keys = tuple(fill(full_store, model).key for model in models)
    app = open_app("overview", model=models)
    lines = lines_of(app)
    assert list(lines) == ALL
    assert "Of 3 models" in lines[ANSWER]
    assert written(full_store, keys, "short").headline[0] == lines[ANSWER]
    for model in models:
        assert with_titles(model) in " ".join(lines.values())


@pytest.mark.parametrize("page", ["overview", "compare"])
@pytest.mark.parametrize("sections", ["short", "all"])
def test_every_caveat_of_a_page_stands_in_the_report(shipped: Store, page: str, sections: str) -> None:
    """What is drawn small beside the answer, and what warns above it."""
    app = open_app(page, **USUAL)
    (caveats,) = [
        caption.value.replace("\\", "").split("  \n")
        for caption in app.caption
        if "ranges come from" in caption.value
    ]
    assert any("compressed" in caveat.lower() for caveat in caveats)
    document = written(shipped, PUBLIC, sections)
    report = {note for section in document.sections for part in section.parts for note in part.notes}
    page_only = {caveat for caveat in caveats if "in the sidebar" in caveat}
    if sections == "short":  # it has no range of a difference in caprice
        page_only |= {caveat for caveat in caveats if "difference in caprice" in caveat}
    assert {caveat.replace("\u00a0", " ") for caveat in caveats if caveat not in page_only} <= report
    for warning in app.warning:
        assert any(note in warning.value.replace("\\", "") for note in report)


def test_a_report_names_the_sentences_that_it_was_held_against_and_holds(shipped: Store) -> None:
    document = written(shipped, PUBLIC, "short")
    others = [shipped.load_run(key) for key in document.request.elsewhere]
    assert {run.scoring.name for run in others} == {shipped.load_run(key).scoring.name for key in PUBLIC}
    assert "gender-wide-wikipedia-20" in {run.templates.name for run in others}
    file = settings().cache / "short.json"
    done = run_here("verify", str(file), "--json")
    assert json.loads(done.stdout)["holds"], done.stdout
    forged = json.loads(file.read_text())
    forged["headline"][3] = "Elsewhere: With other sentences their order is the same."
    file.write_text(json.dumps(forged))
    assert json.loads(run_here("verify", str(file), "--json").stdout)["different"] == 1


def test_a_report_is_refused_where_those_sentences_are_not_here(shipped: Store) -> None:
    file = settings().cache / "short.json"
    written(shipped, PUBLIC, "short")
    changed = json.loads(file.read_text())
    changed["request"]["elsewhere"] = ["f" * 16]
    file.write_text(json.dumps(changed))
    problem = json.loads(run_here("verify", str(file), "--json").stdout)["problem"]
    assert problem == (
        f"This report also compares its models in other sentences, by the run {'f' * 16}, which is not in "
        "the cache: score or import it, or write the report without it (--elsewhere none)."
    )
