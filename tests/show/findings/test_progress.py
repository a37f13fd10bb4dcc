"""The line of a run under way: each stage, and times as words."""

from __future__ import annotations

import pytest

from pcf_core.core.run import Progress
from pcf_core.show.findings.progress import duration, progress_note


@pytest.mark.parametrize(
    ("at", "line"),
    [
        (Progress(stage="loading"), "loading the model"),
        (Progress(stage="loading", seconds_left=12.4), "loading the model · 12 s left"),
        (
            Progress(stage="scoring", done=520, unsaved=376, total=2400, rate=47.2, seconds_left=31.9),
            "896 of 2,400 cells, 376 not yet saved · 47 a second · 32 s left",
        ),
        (Progress(stage="scoring", done=520, total=2400), "520 of 2,400 cells"),
        (
            Progress(stage="writing", done=40, total=2400, rate=10.0, seconds_left=236.0),
            "writing the result, 40 of 2,400 cells · 4 min left",
        ),
        (
            Progress(stage="checking", done=5, total=50, seconds_left=9.0),
            "checking cells, 5 of 50 · 9 s left",
        ),
    ],
)
def test_each_stage_has_its_line(at: Progress, line: str) -> None:
    assert progress_note(at) == line


def test_times_are_told_in_the_unit_that_reads_best() -> None:
    assert [duration(seconds) for seconds in (0.4, 89, 91, 5399, 5401)] == [
        "0 s",
        "89 s",
        "2 min",
        "90 min",
        "1.5 h",
    ]
