"""Key figures: what stands under a figure, and its help, read as sentences also without a range."""

from __future__ import annotations

from dataclasses import replace

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.report.key_figures import interval_note, risk_figures


def test_a_range_that_rounds_to_nothing_leaves_no_dot_behind() -> None:
    even = {"preferences": [[[0.5, 0.5], [0.5, 0.5]]], "groups": ["male", "female"], "occupations": ["a"]}
    (figure,) = risk_figures({"m": matrix_report(even, ViewOptions(), resamples=20)})
    assert (figure.value, figure.detail) == ("0", "– prejudice · s.d. 0")


def test_no_range_is_a_sentence() -> None:
    even = {"preferences": [[[0.5, 0.5], [0.5, 0.5]]], "groups": ["male", "female"], "occupations": ["a"]}
    report = replace(matrix_report(even, ViewOptions(), resamples=20), intervals={})
    (figure,) = risk_figures({"m": report})
    assert "is always the same group. There is no range. s.d. is" in figure.help
    assert "for m and n: a sampling plan" in interval_note({"m": report, "n": report}, "both")
