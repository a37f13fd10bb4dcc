"""The split bars: lengths, whiskers, and what is not ours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.risk import RiskReport
from pcf_core.show.charts import marks
from pcf_core.show.charts.risk import LeanBar, RiskBar, lean_bars, occupation_bars, risk_bars, risk_dots

RUN = RiskBar("mini-<b>bert", "run", 0.48, 0.04, 0.52, 0.50, 0.54)
UNMEASURED = RiskBar("mini-gpt", "run", 0.3, 0.1, 0.4)
REFERENCE = RiskBar("randomly stereotyped", "reference", 0.0, 1.0, 1.0, source="closed form")
PUBLISHED = RiskBar("T5", "published", 0.8691, 0.0012, 0.8703, source="BVF Table 1")


def test_prejudice_and_caprice_stack_to_the_overall_risk() -> None:
    figure = risk_bars([RUN, UNMEASURED, REFERENCE])
    prejudice, caprice, _, whisker = figure.data
    assert figure.layout.barmode == "stack"
    np.testing.assert_allclose(np.add(prejudice.x, caprice.x), [0.52, 0.4, 1.0])
    assert list(prejudice.y) == list(caprice.y) == ["0", "1", "2"]
    assert prejudice.marker.pattern.shape != caprice.marker.pattern.shape
    assert list(whisker.x) == [0.52]
    np.testing.assert_allclose([whisker.error_x.array[0], whisker.error_x.arrayminus[0]], [0.02, 0.02])


def test_a_whisker_on_a_bar_has_a_pale_rim_and_stands_in_the_legend_once() -> None:
    """A grey line is lost on a grey bar, and no colour stands out from the bar and from both pages."""
    *_, rim, whisker = risk_bars([RUN, UNMEASURED]).data
    assert rim.x == whisker.x
    assert rim.y == whisker.y
    assert rim.error_x.array == whisker.error_x.array
    assert rim.error_x.arrayminus == whisker.error_x.arrayminus
    assert rim.error_x.thickness > whisker.error_x.thickness
    assert rim.marker.line.width > whisker.marker.line.width
    assert rim.error_x.color == rim.marker.color == marks.RIM != whisker.error_x.color
    assert rim.showlegend is False
    assert rim.hoverinfo == "skip"
    assert "overall risk" in whisker.customdata[0]


def test_a_neutral_subject_without_an_interval_has_no_whisker_in_its_rim() -> None:
    *_, rim, diamond = lean_bars([LeanBar("m", 0.1, 0.2, neutral=0.15)]).data
    assert rim.error_x.array is None
    assert rim.x == diamond.x == (0.15,)


def test_reference_models_are_muted() -> None:
    opacity = risk_bars([RUN, REFERENCE]).data[0].marker.opacity
    assert opacity[0] == 1
    assert opacity[1] < 0.5


def test_published_values_are_hollow_diamonds_with_their_source() -> None:
    published = risk_bars([RUN, PUBLISHED]).data[-1]
    assert published.name == "published"
    assert published.marker.symbol == "diamond-open"
    assert list(published.x) == [0.8703]
    assert published.error_x.array is None
    assert "BVF Table 1" in published.customdata[0]
    assert "published" in published.customdata[0]
    assert "overall risk 0.87<br>prejudice 0.87<br>caprice under 0.005" in published.customdata[0]


def test_the_hover_says_what_was_drawn_again_for_the_interval() -> None:
    rows = [replace(RUN, drawn="documents and occupations"), RUN]
    told, untold = risk_dots(rows, {}).data[0].customdata
    assert "0.52 (0.50–0.54)<br>range from resampling documents and occupations" in told
    assert "resampling" not in untold


def test_names_are_escaped_wherever_they_stand() -> None:
    figure = risk_bars([RUN])
    assert figure.layout.yaxis.labelalias == {"0": "mini-&lt;b&gt;bert"}
    assert (
        figure.data[0].customdata[0].startswith("<b>mini-&lt;b&gt;bert</b><br>overall risk 0.52 (0.50–0.54)")
    )


def test_equal_labels_keep_places_of_their_own() -> None:
    figure = risk_bars([RUN, RUN])
    assert list(figure.data[0].y) == ["0", "1"]


def test_many_published_values_share_a_line_per_source() -> None:
    rows = [RUN, *[replace(PUBLISHED, label=f"model {i}", source=f"Table {i % 2}") for i in range(24)]]
    figure = risk_bars(rows)
    published = figure.data[-1]
    assert set(published.y) == {"1", "2"}
    assert figure.layout.yaxis.labelalias == {"0": "mini-&lt;b&gt;bert", "1": "Table 0", "2": "Table 1"}
    assert published.customdata[5].startswith("<b>model 5</b>")


def test_published_values_alone_and_nothing_at_all_can_be_drawn() -> None:
    assert [trace.name for trace in risk_bars([PUBLISHED]).data] == ["published"]
    assert len(risk_bars([]).data) == 0


def test_top_occupations_fall_by_overall_risk(report: RiskReport) -> None:
    figure = occupation_bars(report, top=3)
    assert list(figure.layout.yaxis.labelalias.values()) == ["engineer", "nurse", "captain"]
    prejudice, caprice, _, whisker = figure.data
    np.testing.assert_allclose(prejudice.x, [0.95, 0.9, 0.8])
    np.testing.assert_allclose(caprice.x, [0, 0, 0])
    np.testing.assert_allclose(whisker.error_x.array, [0.02] * 3)


def test_occupations_without_an_interval_have_no_whisker(report: RiskReport) -> None:
    bare = replace(report, occupations=tuple(replace(row, intervals={}) for row in report.occupations))
    assert len(occupation_bars(bare).data) == 2


@pytest.mark.parametrize(("row", "symbol"), [(RUN, "circle"), (PUBLISHED, "diamond-open")])
def test_dots_stand_at_the_overall_risk(row: RiskBar, symbol: str) -> None:
    (dots,) = risk_dots([row], {}).data
    assert list(dots.x) == [row.overall]
    assert dots.marker.symbol == symbol


def test_dots_stand_against_the_reference_lines() -> None:
    lines = {"0 fair": 0.0, "½ random": 0.5, "1 stereotyped": 1.0}
    figure = risk_dots([RUN, UNMEASURED, REFERENCE, PUBLISHED], lines)
    assert [shape.x0 for shape in figure.layout.shapes] == [0, 0.5, 1]
    assert [note.text for note in figure.layout.annotations] == [
        "0<br>fair",
        "½<br>random",
        "1<br>stereotyped",
    ]
    runs = figure.data[0]
    assert list(runs.error_x.array) == [pytest.approx(0.02), None]
    assert figure.layout.xaxis.range[1] > 1
    assert {note.xanchor for note in figure.layout.annotations} == {"center"}
    other = risk_dots([RUN], {"4 stereotyped": 4.0})
    assert other.layout.xaxis.range[1] > 4


def test_labels_of_two_lines_fit_into_their_rows_in_letters_that_can_be_read() -> None:
    for count, letters in ((2, 11), (16, 11), (18, 10), (20, 9), (40, 9)):
        figure = risk_dots([replace(RUN, label="mini-bert · gender-fiction-25")] * count, {})
        assert figure.layout.yaxis.tickfont.size == letters
        label = figure.layout.yaxis.labelalias["0"]
        assert label == f"mini-bert ·{' ' if count == 40 else '<br>'}gender-fiction-25"  # two would meet
        lines = 1 + label.count("<br>")
        assert lines * 1.3 * letters < (figure.layout.height - 110) / count  # pixels a row


def test_risks_times_1000_keep_the_deviation_as_it_is() -> None:
    row = replace(RUN, deviation=0.21, corrected=0.47)
    figure = risk_bars([row], thousand=True)
    prejudice, caprice, _, whisker = figure.data
    np.testing.assert_allclose([prejudice.x[0], caprice.x[0], whisker.x[0]], [480, 40, 520])
    np.testing.assert_allclose(whisker.error_x.array, [20])
    assert "× 1,000" in figure.layout.xaxis.title.text
    assert prejudice.customdata[0].endswith(
        "overall risk 520 (500–540)<br>prejudice 480, corrected 470<br>caprice 40.0"
        "<br>s.d. of the stereotype 0.21"
    )


def test_bars_of_occupations_tell_the_deviation_and_the_corrected_prejudice(report: RiskReport) -> None:
    rows = tuple(replace(row, corrected_prejudice_risk=0.01) for row in report.occupations)
    hover = occupation_bars(replace(report, occupations=rows)).data[0].customdata[0]
    assert "corrected 0.01<" in hover
    assert "s.d. of the stereotype 0.10" in hover
