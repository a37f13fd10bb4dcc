"""Method: what it says of the criterion is what was asked for."""

from __future__ import annotations

import pytest

from pcf_core.audit import ViewOptions
from pcf_core.records.report import ReportDocument
from pcf_core.report.sections.closing import criterion_text


@pytest.mark.parametrize(
    ("criterion", "says"),
    [
        ("max", "the largest positive one"),
        ("linf", "the largest positive one"),
        ("l1", "the sum of the positive ones"),
        ("l2.5", "k = 2.5"),
    ],
)
def test_the_criterion_is_worded_by_its_option(criterion: str, says: str) -> None:
    text = criterion_text(ViewOptions(criterion=criterion, scale="bvf"))
    assert says in text
    assert "*bvf*" in text
    assert "an even split" in text
    assert "labour" in criterion_text(ViewOptions(reference="labour"))


def test_method_and_provenance_have_one_effective_number(whole: ReportDocument) -> None:
    measured = next(table for _, table in whole.tables if table.name == "measured")
    number = measured.rows[0][measured.columns.index("effective number")]
    assert number == whole.runs[0].facts["effective number of templates"]
