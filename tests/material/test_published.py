"""The papers' printed rows."""

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.material.published import published_risks

# rows that do not add up beyond rounding, spec/pcf.md (iii)
KNOWN_SLIPS = {("PCF", 1, "Baichuan"), ("BVF", 1, "Baichuan"), ("BVF", 4, "Llama2")}


def test_rows_add_up_but_for_the_known_slips():
    for row in published_risks():
        if (row.paper, row.table, row.model) not in KNOWN_SLIPS:
            assert row.overall_risk == pytest.approx(row.prejudice_risk + row.caprice_risk, abs=1.5e-4), row


def test_a_row_and_its_source():
    row = next(r for r in published_risks() if (r.paper, r.topic, r.model) == ("PCF", "gender", "BERT"))
    assert (row.overall_risk, row.prejudice_risk, row.caprice_risk) == (0.30491, 0.30183, 0.00309)
    assert row.source == "Liu et al. 2024, Prejudice and Caprice (arXiv 2402.15481v1), Table 1"


def test_rows_of_unknown_scale_may_not_be_drawn():
    hidden = {(row.topic, row.table) for row in published_risks() if row.scale == "unknown"}
    assert hidden == {("religion", 3), ("disability-papers", 3)}


def test_two_groups_read_the_same_on_both_scales():
    for row in published_risks():
        assert (row.scale == "equal") == (row.topic == "gender")


@pytest.mark.parametrize(("old", "new"), [(b"0.87032", b"87"), (b"PCF,1", b"XYZ,1"), (b"paper,", b"papers,")])
def test_a_damaged_file_is_said(old, new, assets, refusal):
    path = assets / "published_risks.csv"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(SettingsError) as caught:
        published_risks()
    assert "published_risks.csv" in refusal(caught.value)
