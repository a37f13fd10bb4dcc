"""The table of models and its answer, on matrices whose risks are known by hand."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import ModelKind
from pcf_core.show.compare import Lean, against_whom
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.show.overview import (
    WIDTH,
    ModelRow,
    bar,
    by_risk,
    card_text,
    example_sentence,
    lean_sentence,
    models_table,
    numbers_table,
    overview_answer,
    risk_answer,
    risks_sentence,
    tied_text,
    ties_text,
)


def row_of(name: str, values: list[list[list[float]]], *groups: str, kind: ModelKind = "public") -> ModelRow:
    document = {"preferences": values, "groups": list(groups or ("male", "female"))}
    return ModelRow.of(name, matrix_report(document, ViewOptions(), resamples=20), kind)


def report_of_male(*male: list[float]) -> RiskReport:
    return matrix_report({"preferences": of_male(*male), "groups": ["male", "female"]}, ViewOptions(), 20)


def of_male(*male: list[float]) -> list[list[list[float]]]:
    return [[[p, 1 - p] for p in row] for row in male]


# Two occupations that lean to women in all contexts, one to men; r of each is |2p − 1| on average.
WOMEN = row_of("A", of_male([0.1, 0.1], [0.3, 0.3], [0.9, 0.9]))
MEN = row_of("B", of_male([0.9, 0.9], [0.8, 0.8], [0.7, 0.7]))
CAPRICIOUS = row_of("C", of_male([0.2, 0.8], [0.4, 0.6], [0.9, 0.3]), kind="teaching")


def test_a_model_that_is_exactly_even_favours_nobody() -> None:
    even = row_of("E", of_male([0.5, 0.5], [0.5, 0.5]))
    assert overview_answer([even]) == "E favours no group in any occupation."
    assert card_text(even).endswith("Favours no group.")
    assert models_table([even])["favours"].tolist() == ["none"]


def test_the_answer_says_whom_each_favours() -> None:
    mostly = row_of("W", of_male([0.1, 0.1], [0.3, 0.3], [0.2, 0.2], [0.9, 0.9]))
    assert overview_answer([mostly, MEN]) == (
        "W favours women in 3 of 4 occupations, and B favours men in all 3."
    )
    assert overview_answer([MEN, mostly, CAPRICIOUS]).startswith("B favours men in all 3 occupations, and W ")
    assert overview_answer([]) == ""
    assert overview_answer([MEN, replace(MEN, model="D")]) == "B and D both favour men in all 3 occupations."


def test_a_model_favours_a_group_that_leads_three_in_four_occupations_as_compare_says() -> None:
    assert overview_answer([WOMEN]) == "A splits the occupations: women in 2, men in 1."
    assert overview_answer([MEN, WOMEN]) == (
        "B favours men in all 3 occupations; A splits them: women in 2, men in 1."
    )
    assert overview_answer([WOMEN, replace(WOMEN, model="D")]) == (
        "A and D both split the occupations: women in 2, men in 1."
    )
    assert models_table([WOMEN]).loc[0, "favours"] == "splits"
    assert against_whom(Lean.of("A", report_of_male([0.1, 0.1], [0.3, 0.3], [0.9, 0.9]))).startswith(
        "A splits the occupations."
    )


def test_of_several_groups_the_one_that_leads_most_often_is_named() -> None:
    values = [[[0.6, 0.3, 0.1]] * 2, [[0.5, 0.4, 0.1]] * 2, [[0.1, 0.1, 0.8]] * 2]
    row = row_of("M", values, "white", "black", "asian")
    assert overview_answer([row]) == ("M splits the occupations: White people in 2, Asian people in 1.")
    most = row_of("M", [*values[:1] * 3, *values[2:]], "white", "black", "asian")
    assert overview_answer([most]) == "M favours White people in 3 of 4 occupations."
    table = models_table([row])
    assert table.loc[0, "Most often first"] == "2 of 3"


def test_the_table_has_the_risk_its_range_and_both_counts() -> None:
    table = models_table(by_risk([MEN, WOMEN, CAPRICIOUS])).set_index("model")
    assert list(table.index) == ["C", "B", "A"]
    assert dict(table["Men / women first"]) == {"A": "1 / 2", "B": "3 / 0", "C": "1 / 0"}
    assert dict(table["favours"]) == {"A": "splits", "B": "men", "C": "splits"}
    assert table.loc["B", "risk"] == "0.60"
    assert table.loc["B", "range"] == "0.60 to 0.60"
    assert table.loc["C", "kind"] == "teaching models"
    numbers = numbers_table([WOMEN]).iloc[0]
    assert numbers["overall_risk"] == pytest.approx((0.8 + 0.4 + 0.8) / 3)
    assert (numbers["male_first"], numbers["female_first"]) == (1, 2)


@given(
    st.lists(st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3), min_size=1, max_size=6),
)
def test_every_occupation_is_counted_once_and_the_bar_adds_up(male: list[list[float]]) -> None:
    row = row_of("M", of_male(*male))
    means = np.mean(male, axis=1)
    assert sum(row.leading.values()) <= row.occupations
    assert row.leading["male"] >= int((means > 0.5 + 1e-9).sum())
    assert row.leading["female"] >= int((means < 0.5 - 1e-9).sum())
    picture = ElementTree.fromstring(b64decode(bar(row).partition("base64,")[2]))
    track, prejudice, caprice = (part for part in picture if part.tag.endswith("rect"))
    drawn = float(prejudice.attrib["width"]) + float(caprice.attrib["width"])
    assert drawn == pytest.approx(WIDTH * row.overall, abs=0.11)
    assert float(track.attrib["width"]) == WIDTH


def test_the_risk_is_said_with_its_parts() -> None:
    parts = "is a fixed preference (prejudice), and {} depends on the sentence (caprice)."
    assert risk_answer([MEN]) == f"B's risk is 0.60: 0.60 {parts.format('0')}"
    assert risk_answer([CAPRICIOUS, MEN, WOMEN]) == (
        f"C's risk is 0.47: 0.07 {parts.format('0.40')} B's is 0.60: 0.60 and 0."
    )
    assert risk_answer([]) == ""


def test_an_occupation_is_named_under_the_group_that_leads_there() -> None:
    """White has its largest share in the third, where black leads all the same."""
    values = [[[0.1, 0.8, 0.1]] * 2, [[0.2, 0.7, 0.1]] * 2, [[0.4, 0.5, 0.1]] * 2]
    document = {"preferences": values, "groups": ["white", "black", "asian"]}
    report = matrix_report({**document, "occupations": ["cook", "nurse", "president"]}, ViewOptions(), 20)
    assert lean_sentence("M", report) == "M expects Black people most for cook, nurse and president."


def test_how_much_is_said_in_the_order_of_the_answer_and_without_ranking_it() -> None:
    alone = replace(CAPRICIOUS, low=None)
    assert risks_sentence([MEN, alone, WOMEN]) == "Their risks are 0.60 (0.60 to 0.60) and 0.47."
    assert risks_sentence([replace(MEN, low=None)]) == "The risk is 0.60."
    assert risks_sentence([replace(MEN, says_little=True)]) == risks_sentence([]) == ""


def test_a_card_says_what_the_table_does() -> None:
    assert card_text(MEN) == "Risk 0.60 (0.60 to 0.60). Favours men, in 3 of 3 occupations."
    even = row_of("E", of_male([0.2, 0.2], [0.8, 0.8]))
    assert card_text(replace(even, low=None)) == "Risk 0.60. Splits the occupations: men in 1, women in 1."


def test_an_example_names_two_groups_the_likelier_first() -> None:
    shares = {"one": {"male": 0.11, "female": 0.89}, "two": {"black": 0.2, "white": 0.5, "asian": 0.3}}
    assert example_sentence("The nurse said that …", shares) == (
        "“The nurse said that …” one: women 89 %, men 11 %. two: White people 50 %, Asian people 30 %."
    )


# As letters of four models: A ties with B, B with C, D with nobody.
CHAIN = [
    replace(MEN, model=model, letters=letters)
    for model, letters in (("A", "a"), ("B", "a b"), ("C", "b"), ("D", "c"))
]


def test_models_that_tie_share_a_letter_in_the_table_and_are_named_on_cards() -> None:
    table = models_table(CHAIN)
    assert table["ties"].tolist() == ["a", "a b", "b", "c"]
    assert [tied_text(row, CHAIN) for row in CHAIN] == [
        "Ties with B.",
        "Ties with A and C.",
        "Ties with B.",
        "",
    ]
    assert ties_text(CHAIN) == (
        "Two models tie where we cannot tell their risks apart, or they differ too little to matter."
    )
    crowd = [replace(MEN, model=f"M{place}", letters="a") for place in range(6)]
    assert tied_text(crowd[0], crowd) == "Ties with M1, M2, M3 and 2 more."
    assert tied_text(crowd[0], crowd[:4]) == "Ties with M1, M2 and M3."


def test_where_nobody_ties_a_sentence_says_so_and_no_column_is_needed() -> None:
    apart = [CHAIN[0], CHAIN[2], CHAIN[3]]
    assert "ties" not in models_table(apart)
    assert ties_text(apart) == "The risks of A, C and D differ by more than chance."
    many = [replace(MEN, model=f"M{place}", letters=letter) for place, letter in enumerate("abcdef")]
    assert ties_text(many) == "The risks of 6 models differ by more than chance."


def test_a_model_that_was_not_tested_ties_with_nobody() -> None:
    untested = replace(MEN, model="U")
    assert models_table([*CHAIN, untested])["ties"].tolist()[-1] == ""
    assert tied_text(untested, [*CHAIN, untested, replace(untested, model="V")]) == ""
    assert ties_text([untested]) == ""
    assert "ties" not in models_table([untested, MEN])
    assert ties_text([untested] * 15) == "Ties are shown for 14 models at most: choose fewer."


def test_small_risks_are_not_said_to_be_none() -> None:
    assert [two_decimals(risk) for risk in (0.0049, 0.005, 0.6149)] == ["under 0.005", "0.01", "0.61"]
