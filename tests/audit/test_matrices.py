"""Answers counted elsewhere (``risk --matrix`` with ``counts``): what comes out, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import CriterionError
from pcf_core.report.documents import report_document

EVEN = [[[5, 5], [6, 4], [4, 6]], [[9, 1], [8, 2], [10, 0]]]


def test_counts_give_corrected_and_raw_risks() -> None:
    """Raw: R = (.4/3 + .8) / 2.  Nothing varies beyond noise, so no caprice is left; 12 of 72 are none."""
    document = {"counts": EVEN, "none": [[2, 2, 2], [2, 2, 2]], "occupations": ["clerk", "cook"]}
    report = report_document(matrix_report(document, ViewOptions(), 50))
    raw = report["uncorrected"]
    assert raw == pytest.approx({"overall_risk": 7 / 15, "prejudice_risk": 0.4, "caprice_risk": 1 / 15})
    assert (report["caprice_risk"], report["overall_risk"]) == pytest.approx((0, report["prejudice_risk"]))
    assert 0.3 < report["prejudice_risk"] <= 0.4
    sampled = report["sampled"]
    assert (sampled["answers"], sampled["cells"], sampled["left_out"]) == (10, 6, 0)
    assert sampled["coverage"] == pytest.approx(60 / 72)
    assert sampled["noise_floor"]["overall_risk"] == pytest.approx(0.246, abs=0.02)
    assert [(one["over"], one["unit"]) for one in report["intervals"]["caprice_risk"]] == [
        ("templates", "template"),
        ("answers", "answer"),
    ]
    assert "Sampled, n = 10" in report["warnings"][0]
    assert "83 % of the answers name" in report["warnings"][1]


def test_what_has_no_answer_is_left_out_and_counted() -> None:
    """A cell without answers is no cell, and an occupation without any is named."""
    counts = [*EVEN, [[0, 0]] * 3]
    counts[0] = [*EVEN[0][:2], [0, 0]]
    report = matrix_report({"counts": counts, "occupations": ["clerk", "cook", "judge"]}, ViewOptions(), 50)
    assert report.sampled is not None
    assert (report.sampled.left_out, report.sampled.cells, report.sampled.coverage) == (4, 5, None)
    assert [item.name for item in report.left_out] == ["judge"]
    assert [row.occupation for row in report.occupations] == ["clerk", "cook"]
    assert report.sampled.uncorrected["overall_risk"] == pytest.approx((0.1 + 0.8) / 2)
    assert "Left out: 4 of 9 test sentences" in "".join(report.warnings)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"counts": [[[1, -1]]]}, "whole numbers of answers from 0 to 1,000,000; got -1"),
        ({"counts": [[[1.5, 1]]]}, "whole numbers of answers from 0 to 1,000,000; got 1.5"),
        ({"counts": [[[1, 10**9]]]}, "got 1e[+]09"),
        ({"counts": [[[1, 2], [1]]]}, "rectangular"),
        ({"counts": np.zeros((2, 3, 2), dtype=int).tolist()}, "two or more answers that name a group"),
        ({"counts": [[[1, 0], [0, 1]]]}, "two or more answers that name a group"),
        ({"counts": EVEN, "none": [[1, 1], [1, 1]]}, r"`none` must have .* \[2, 3\]; got the shape \[2, 2\]"),
        ({"counts": EVEN, "none": [[1, 1, -1]] * 2}, "`none` must be whole numbers"),
        ({"counts": EVEN, "preferences": EVEN}, "`guises` or `counts`"),
        ({"preferences": [[[0.5, 0.5]]], "none": [[1]]}, "`guises` or `counts`"),
    ],
)
def test_counts_that_cannot_be_used_are_refused_in_one_sentence(change: dict[str, Any], says: str) -> None:
    with pytest.raises(CriterionError, match=says) as caught:
        matrix_report(change, ViewOptions())
    assert "\n" not in str(caught.value)
