"""Pictures of answers: what stands in the cells, what is filled, and what is said where there is no rate."""

from __future__ import annotations

import plotly.graph_objects as go

from pcf_core.show.charts.criteria import (
    NO_PRONOUN,
    NOT_SHOWN,
    SHOWN,
    confusion_tiles,
    gap_dots,
    rate_dots,
    role_names,
    unit_errors,
)
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.quantities import RATE_WORDS, RATES
from pcf_core.texts.criteria.tasks import Tasks
from tests.show.charts.answered import answered
from tests.texts.criteria.gaps import gap_of
from tests.texts.criteria.planted import written


def by_name(figure: go.Figure) -> dict[str, go.Scatter]:
    return {trace.name: trace for trace in figure.data}


def said_undefined(figure: go.Figure) -> list[str]:
    return [note.y for note in figure.layout.annotations if note.text == "undefined"]


def test_tiles_show_counts_and_shares_of_a_row() -> None:
    he = by_name(confusion_tiles(answered()))["he"]
    assert [list(row) for row in he.text] == [["0", "150"], ["50", "100"]]
    assert [list(row) for row in he.z] == [[0, 1], [50 / 150, 100 / 150]]
    assert set(by_name(confusion_tiles(answered()))) == {"he", "she", NO_PRONOUN}


def test_rates_that_are_undefined_say_so() -> None:
    figure = rate_dots(answered())
    she = by_name(figure)["she"]
    assert list(she.x) == [0, 1, 0.5]
    assert list(she.y) == ["FNR she", "FPR she", "PPV she"]
    assert said_undefined(figure) == ["NPV she"]


def test_a_rate_is_said_in_words_above_its_rows() -> None:
    for figure, first in ((rate_dots(answered()), "he"), (gap_dots(answered()), "he − she")):
        headings = [note for note in figure.layout.annotations if note.text.startswith("<b>")]
        assert [note.text for note in headings] == [f"<b>{RATE_WORDS[name]}</b>" for name in RATES]
        axis = figure.layout.yaxis
        rows = list(axis.categoryarray)
        assert {axis.labelalias[note.y].strip() for note in headings} == {""}
        assert {axis.labelalias[rows[rows.index(note.y) + 1]] for note in headings} == {first}


def test_the_line_of_no_pronoun_runs_through_the_rows_of_its_rate() -> None:
    tasks = Tasks.load()
    report = tasks.scored_report(
        {name: (-1.0, -2.0 - (cell.pronoun == "she")) for name, cell in tasks.cells.items()}
    )
    assert report.baseline is not None
    figure = rate_dots(report)
    rows = list(figure.layout.yaxis.categoryarray)
    for line, rate in zip(figure.layout.shapes, report.baseline.rates, strict=True):
        inside = [key for place, key in enumerate(rows) if line.y0 < place < line.y1]
        assert inside == [f"{rate.name} {each.pronoun}" for each in report.every]


def test_gaps_are_filled_where_the_pronoun_matters() -> None:
    """The model errs for he alone, where the nurse is right: FPR is 0 for both."""
    questions = Questions.load(pronouns=("he", "she"))
    report = questions.report(
        written(questions, lambda cell: cell.truth * (0.5 if cell.pronoun == "he" else 1.0), 2)
    )
    figure = gap_dots(report)
    fnr = gap_of(report, "FNR")
    assert fnr is not None
    assert by_name(figure)[SHOWN].y[0] == "FNR he she"
    assert by_name(figure)[SHOWN].x[0] == fnr.value
    assert list(by_name(figure)[NOT_SHOWN].x) == [0, 0]
    assert {shape.x0 for shape in figure.layout.shapes} == {-0.2, 0, 0.2}
    keys = list(figure.layout.yaxis.categoryarray)
    crossed = {
        keys[place]
        for line in figure.layout.shapes
        for place in range(len(keys))
        if line.y0 < place < line.y1
    }
    assert crossed == set(keys) - set(RATES), "every row, and no heading"


def test_gaps_of_six_tasks_are_open() -> None:
    figure = gap_dots(answered())
    assert list(by_name(figure)[NOT_SHOWN].x) == [100 / 150, -1, 0.5]
    assert SHOWN not in by_name(figure)
    assert said_undefined(figure) == ["NPV he she"]


def test_errors_by_task_are_table_6() -> None:
    (tiles,) = unit_errors(answered()).data
    named = dict(zip([row[0] for row in tiles.customdata], [list(row) for row in tiles.z], strict=True))
    assert list(tiles.x) == ["he", "she", NO_PRONOUN]
    assert named["operation (doctor)"] == [0, 1, 0]
    assert named["heart-rate (nurse)"] == [1, 0, 0]


def test_many_questions_are_cut_to_those_that_differ_most() -> None:
    questions = Questions.load()
    report = questions.report(written(questions, lambda cell: cell.pronoun == "she" and cell.unit == 5, 1))
    (tiles,) = unit_errors(report).data
    assert len(tiles.z) == 20
    assert {row[0].split("<br>")[0].split(" ")[0] for row in tiles.customdata[:2]} == {"latitude-zero"}
    assert role_names(report) == ("nurse", "doctor")


def test_pictures_of_nothing() -> None:
    empty = Tasks.load().report({})
    for draw in (confusion_tiles, rate_dots, gap_dots, unit_errors):
        assert draw(empty).layout.height > 0
