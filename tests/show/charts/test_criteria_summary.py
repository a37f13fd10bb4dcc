"""Each quantity of each criterion is a row with its whole name."""

from __future__ import annotations

from pcf_core.show.charts.criteria import criteria_dots
from pcf_core.texts.criteria.summary import readings_of
from tests.show.charts.anecdotal import anecdotes_example
from tests.show.charts.answered import answered
from tests.show.charts.hobbies import hobbies_example


def test_no_name_is_cut() -> None:
    readings = readings_of([anecdotes_example(), hobbies_example(), answered()])
    names = criteria_dots({"one": readings}).layout.yaxis.ticktext
    said = " ".join(names).replace("<br>", " ")
    assert "link of profession and gender (NMI)" in said
    assert "link of label and gender (NMI)" in said
    assert "…" not in said
