"""How to read the pictures of the tab Summary."""

from __future__ import annotations

from pcf_core.app.texts.summary import HOW_SHARED
from pcf_core.show.charts.case_file import shared_scatter
from pcf_core.texts.case_file import SharedOccupations
from tests.show.charts.examples import shared


def test_the_side_of_words_for_women_is_that_of_the_axis() -> None:
    rows = (shared("nurse", 0.9, 0.5), shared("pilot", -0.9, 0.5))
    figure = shared_scatter(SharedOccupations(rows=rows), "female", "male")
    at = {
        str(text): place
        for trace in figure.data
        for text, place in zip(trace.hovertext or trace.customdata or trace.text, trace.x, strict=True)
    }
    (nurse,) = (place for text, place in at.items() if "nurse" in text)
    (pilot,) = (place for text, place in at.items() if "pilot" in text)
    assert nurse < 0 < pilot
    assert figure.layout.xaxis.title.text.startswith("← words for women")
    assert "To the left the model prefers words for women" in " ".join(HOW_SHARED.split())
