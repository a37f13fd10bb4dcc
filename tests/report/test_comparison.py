"""A comparison as a document and a table: nothing is lost, and the numbers are those of the record."""

from __future__ import annotations

import dataclasses
import json

import pytest

from pcf_core.app.compare.tables import COMPARISON_COLUMNS
from pcf_core.report.comparison import comparison_document, comparison_table, several_table
from pcf_core.show.findings.comparison import difference_text
from tests.show.charts.compared import FIRST, NAMES, SECOND, compared_example, difference


def test_the_document_holds_every_difference_with_its_verdict() -> None:
    document = json.loads(json.dumps(comparison_document(compared_example()), allow_nan=False))
    assert document["first"]["name"] == "mini-<i>bert</i>"
    nurse = document["occupations"][0]["differences"]["overall_risk"]
    assert (nurse["first"], nurse["second"], nurse["verdict"]) == (0.9, 0.3, "first")
    assert nurse["adjusted_p_value"] == 0.007
    assert [one["over"] for one in nurse["intervals"]] == ["templates", "occupations", "both"]
    assert document["permutations"] == {"count": 999, "exact": False, "least_p": 0.001}
    assert (document["templates"], document["effective_templates"]) == (2, 2.0)


def test_the_table_has_a_row_per_quantity_and_occupation_after_the_totals() -> None:
    table = comparison_table(compared_example(), "templates")
    assert len(table) == 3 * (1 + len(NAMES))
    assert (table["occupation"][:3] == "").all()
    risks = table[(table.quantity == "overall_risk") & (table.occupation != "")]
    assert risks["occupation"].tolist() == list(NAMES)
    assert risks["first: mini-<i>bert</i>"].tolist() == list(FIRST)
    assert risks["second: mini-gpt"].tolist() == list(SECOND)
    assert ((table["low"] <= table["difference"]) & (table["difference"] <= table["high"])).all()


def test_the_table_has_the_interval_of_the_sentence_and_says_what_it_is_over() -> None:
    example = compared_example()
    pilot = example.occupations[0]
    alone = {
        name: dataclasses.replace(found, intervals=found.intervals[:1])
        for name, found in pilot.differences.items()
    }
    example = dataclasses.replace(example, occupations=(dataclasses.replace(pilot, differences=alone),))
    for over in ("templates", "occupations", "both"):
        table = comparison_table(example, over)
        wanted = example.differences["overall_risk"].interval(over)
        assert wanted is not None
        assert (table["low"][0], table["high"][0], table["over"][0]) == (wanted.low, wanted.high, over)
        said = difference_text(example.differences["overall_risk"], over).replace("−", "-")
        low, high = map(float, said.partition("(")[2].strip(")").split(" to "))
        assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=0.005)
        assert table["over"][3] == "templates"  # an occupation has no other
        several = several_table([example], over)
        assert several["over"].tolist() == [over] * 3


def test_a_difference_too_small_to_matter_is_marked_as_no_order_in_document_and_table() -> None:
    """Its verdict alone reads as an order: ``first``."""
    example = compared_example()
    small = dataclasses.replace(difference(0.9, 0.2, clear=True), margin=0.9)
    large = dataclasses.replace(small, margin=0.02)
    differences = {**example.differences, "overall_risk": small, "prejudice_risk": large}
    example = dataclasses.replace(example, differences=differences)
    told = comparison_document(example)["differences"]
    assert [told[name]["verdict"] for name in differences] == ["first", "first", "unclear"]
    assert [told[name]["ordered"] for name in differences] == [False, True, False]
    table = comparison_table(example, "templates")
    assert table["ordered"][:3].tolist() == [False, True, False]
    assert {"negligible", "ordered"} <= set(COMPARISON_COLUMNS)
