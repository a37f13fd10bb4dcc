"""Method: what it says of the criterion is what was asked for."""

from __future__ import annotations

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.report.records import ReportDocument, ReportRequest
from pcf_core.report.sections.closing import criterion_text, reading_text
from pcf_core.report.whole import write_report
from pcf_core.store.store import Store


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


def test_weights_and_aggregation_stand_in_the_method_its_table_and_the_provenance(full_store: Store) -> None:
    """The mean of a group's words gives another R than their sum: whoever reads R has to know which it is."""
    (key, *_) = (info.run.key for info in full_store.runs())
    chosen = {"occupation_weights": "employment", "template_weighting": "equal", "aggregation": "mean"}
    document = write_report(full_store, ReportRequest(runs=(key,), sections=("method",), options=chosen))
    (table,) = (table for _, table in document.tables if table.name == "measured")
    shown = dict(zip(table.columns, table.rows[0], strict=True))
    assert shown["weights"] == "occupations: employment; templates: all alike"
    assert shown["a group's words"] == "the mean of their probabilities"
    facts = document.runs[0].facts
    assert facts["weights of occupations"] == "employment"
    assert facts["weights of templates"] == "all alike"
    assert facts["a group's words"] == "the mean of their probabilities"
    provenance = next(table for _, table in document.tables if table.name.startswith("provenance"))
    assert set(facts.items()) - {("run", key)} <= set(provenance.rows)
    prose = " ".join(document.sections[0].parts[0].prose)
    assert "of occupations employment, of contexts all alike. A group gets of its words the mean" in prose
    assert "summed" not in prose


def test_a_file_of_weights_is_no_markup() -> None:
    assert "*a*" not in reading_text(ViewOptions(occupation_weights="*a*.csv"))
