"""The answers of Overview, Tilt and Heat map, on matrices whose risks are known by hand."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import CoverageSummary, ModelKind, Preferences
from pcf_core.show import overview
from pcf_core.show.compare import Lean, against_whom
from pcf_core.show.findings.decisions import favours_finding
from pcf_core.show.overview import ModelRow
from tests.show.findings.test_decisions import EVEN as EVEN_RATES
from tests.show.findings.test_decisions import FAR
from tests.show.findings.test_decisions import report_of as decided


def report_of(values: list[list[list[float]]], *groups: str, names: tuple[str, ...] = ()) -> RiskReport:
    document = {
        "preferences": values,
        "groups": list(groups or ("male", "female")),
        "occupations": list(names or (f"job {place}" for place in range(len(values)))),
    }
    return matrix_report(document, ViewOptions(), resamples=20)


def of_male(*male: list[float]) -> list[list[list[float]]]:
    return [[[p, 1 - p] for p in row] for row in male]


def row_of(name: str, *male: list[float], kind: ModelKind = "public") -> ModelRow:
    return ModelRow.of(name, report_of(of_male(*male)), kind)


def preferences(*male: list[float]) -> Preferences:
    names = tuple(f"job {place}" for place in range(len(male))), tuple(f"[X] {p} [Y]" for p in male[0])
    return Preferences(("male", "female"), *names, np.array(of_male(*male)))


# Two occupations that lean to women in all contexts, one to men; r of each is |2p − 1| on average.
WOMEN = row_of("A", [0.1, 0.1], [0.3, 0.3], [0.9, 0.9])
MEN = row_of("B", [0.9, 0.9], [0.8, 0.8], [0.7, 0.7])
MOSTLY = row_of("W", [0.1, 0.1], [0.3, 0.3], [0.2, 0.2], [0.9, 0.9])
CAPRICIOUS = row_of("C", [0.2, 0.8], [0.4, 0.6], [0.9, 0.3], kind="teaching")
EVEN = row_of("E", [0.5, 0.5], [0.5, 0.5])
RACES = [[[0.6, 0.3, 0.1]] * 2, [[0.5, 0.4, 0.1]] * 2, [[0.1, 0.1, 0.8]] * 2]
THREE = ModelRow.of("M", report_of(RACES, "white", "black", "asian"))
# As letters of four models: A ties with B, B with C, D with nobody.
CHAIN = [
    replace(MEN, model=model, letters=letters)
    for model, letters in (("A", "a"), ("B", "a b"), ("C", "b"), ("D", "c"))
]
APART = [CHAIN[0], CHAIN[2], CHAIN[3]]
CROWD = [replace(MEN, model=f"M{place}", letters="a") for place in range(6)]
UNTESTED = replace(MEN, model="U")
UNSURE = replace(MEN, says_little=True)
CHANCE = replace(MEN, beyond_chance=False)
RARE = preferences([0.9, 0.8], [0.9, 0.1])  # in the second, one sentence of small weight is otherwise


def little(flagged: int) -> RiskReport:
    coverage = CoverageSummary(by_tokens={}, cells=100, flagged=flagged)
    return replace(report_of(of_male([0.9, 0.9], [0.8, 0.8])), coverage=coverage)


def black_leads() -> RiskReport:
    """White has its largest share in the third, where black leads all the same."""
    values = [[[0.1, 0.8, 0.1]] * 2, [[0.2, 0.7, 0.1]] * 2, [[0.4, 0.5, 0.1]] * 2]
    return report_of(values, "white", "black", "asian", names=("cook", "nurse", "president"))


def examples() -> dict[str, object]:
    rows = {
        "women and men": [MOSTLY, MEN],
        "three models": [MEN, MOSTLY, CAPRICIOUS],
        "alike": [MEN, replace(MEN, model="D")],
        "one splits": [MEN, WOMEN],
        "both split": [WOMEN, replace(WOMEN, model="D")],
        "split": [WOMEN],
        "even": [EVEN],
        "three groups": [THREE],
        "no range": [replace(CAPRICIOUS, low=None)],
        "unsure": [UNSURE],
        "chance": [CHANCE],
        "chance in one": [MEN, replace(CHANCE, model="D")],
        "none": [],
    }
    shares = {"one": {"male": 0.11, "female": 0.89}, "two": {"black": 0.2, "white": 0.5, "asian": 0.3}}
    reports = {
        name: report_of(of_male(*([p, p] for p in male)))
        for name, male in (("A", (0.9, 0.4)), ("B", (0.6, 0.2)), ("C", (0.9, 0.9)))
    }
    ties = {
        "chain": CHAIN,
        "apart": APART,
        "six apart": [replace(MEN, model=f"M{n}", letters=letter) for n, letter in enumerate("abcdef")],
        "untested": [UNTESTED],
        "too many": [UNTESTED] * 15,
    }
    some = preferences([0.9, 0.8], [0.9, 0.1], [0.2, 0.3])
    cells = [
        (some, [1, 1]),
        (some, [1, 0]),
        (RARE, [99, 1]),
        (RARE, [94, 6]),
        (preferences([0.9, 0.1]), [1, 1]),
    ]
    return {
        "answers": {name: overview.overview_answer(several) for name, several in rows.items()},
        "risk answers": {name: overview.risk_answer(several) for name, several in rows.items()},
        "cards": {name: [overview.card_text(row) for row in several] for name, several in rows.items()},
        "leans": [
            overview.lean_sentence("M", report)
            for report in (black_leads(), report_of(of_male([0.1], [0.9])), report_of(of_male([0.5])))
        ],
        "legend": overview.bar_legend(),
        "board": [overview.board_finding(*numbers) for numbers in ((1, 1, 1, 1), (2_400, 200, 12, 0))],
        "whom": [overview.whom_preferred(row) for row in (MEN, WOMEN, CHANCE)],
        "not chosen": [overview.not_chosen_text(more) for more in (0, 1, 6)],
        "ties": {name: overview.ties_text(several) for name, several in ties.items()},
        "ties of each": [overview.tied_text(row, CHAIN) for row in CHAIN],
        "ties of a crowd": overview.tied_text(CROWD[0], CROWD),
        "example": overview.example_sentence("The nurse said that …", shares),
        "copies": [overview.copies_text(of) for of in ({"A": "Q4_1", "B": ""}, {"B": ""})],
        "adapters": [overview.adapters_text(of) for of in ({"A": "B", "B": ""}, {"A": "B", "C": "B"}, {})],
        "without_chat": [overview.without_chat_text(of) for of in (["A"], ["A", "B"], [])],
        "tables": {
            name: overview.models_table(several).drop(columns="bar").to_dict("list")
            for name, several in rows.items()
            if several
        },
        "figures": overview.figures_table([MEN, WOMEN]).to_dict("list"),
        "table of ties": overview.models_table(CHAIN)["ties"].tolist(),
        "farthest": [
            overview.farthest_answer(found)
            for found in (reports, {"even": report_of(of_male([0.5, 0.5]))}, {"A": little(6)})
        ],
        "heat maps": [overview.heat_map_answer("A", found, weights) for found, weights in cells],
    }


def test_whom_a_model_favours_leads_three_in_four_occupations_as_compare_says() -> None:
    assert (MOSTLY.favoured, WOMEN.favoured, MEN.favoured, EVEN.favoured) == ("female", "", "male", "")
    assert EVEN.undecided
    report = report_of(of_male([0.1, 0.1], [0.3, 0.3], [0.9, 0.9]))
    assert against_whom(Lean.of("A", report)).startswith(
        "A prefers no group overall: women in 2 occupations ("
    )
    assert overview.overview_answer([WOMEN]).startswith("A prefers no group overall")
    assert overview.overview_answer([MEN]) == "B prefers men in all 3 occupations."


@given(st.lists(st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3), min_size=1, max_size=6))
def test_every_occupation_is_counted_once_and_the_bar_adds_up(male: list[list[float]]) -> None:
    row = row_of("M", *male)
    means = np.mean(male, axis=1)
    assert sum(row.leading.values()) <= row.occupations
    assert row.leading["male"] >= int((means > 0.5 + 1e-9).sum())
    assert row.leading["female"] >= int((means < 0.5 - 1e-9).sum())
    picture = ElementTree.fromstring(b64decode(overview.bar(row).partition("base64,")[2]))
    track, prejudice, caprice = (part for part in picture if part.tag.endswith("rect"))
    drawn = float(prejudice.attrib["width"]) + float(caprice.attrib["width"])
    assert drawn == pytest.approx(overview.WIDTH * row.overall, abs=0.11)
    assert float(track.attrib["width"]) == overview.WIDTH


def test_risks_are_sorted_in_the_table_and_in_full_in_its_data() -> None:
    assert [row.model for row in overview.by_risk([MEN, WOMEN, CAPRICIOUS])] == ["C", "B", "A"]
    numbers = overview.numbers_table([WOMEN]).iloc[0]
    assert numbers["overall_risk"] == pytest.approx((0.8 + 0.4 + 0.8) / 3)
    assert (numbers["male_first"], numbers["female_first"]) == (1, 2)


def test_the_answer_of_two_models_has_25_words_also_where_figures_take_two() -> None:
    row = replace(CAPRICIOUS, prejudice=0.001)
    answer = overview.risk_answer([row, row])
    assert answer.count("under 0.005") == 2
    assert len(answer.split()) <= 25


def test_an_occupation_is_named_under_the_group_that_leads_there() -> None:
    said = overview.lean_sentence("M", black_leads())
    assert said == "M prefers Black people most clearly in these occupations: cook, nurse and president."


def test_few_occupations_with_another_group_are_exceptions() -> None:
    one = [[[0.7, 0.2, 0.1]]] * 5 + [[[0.2, 0.7, 0.1]]]
    names = ("cook", "nurse", "president", "baker", "teller", "counsel")
    report = report_of([row * 2 for row in one], "white", "black", "asian", names=names)
    assert overview.lean_sentence("M", report).endswith(
        ": cook, nurse and president. The exception is counsel, where it prefers Black people."
    )
    two = [*(row * 2 for row in one[:4]), [[0.1, 0.2, 0.7]] * 2, one[5] * 2]
    said = overview.lean_sentence("M", report_of(two, "white", "black", "asian", names=names))
    assert said.endswith(
        "The exceptions are counsel, where it prefers Black people; teller, where it prefers Asian people."
    )


@pytest.mark.parametrize(("flagged", "answered"), [(5, True), (6, False)])
def test_nothing_is_answered_where_the_words_are_hardly_expected(flagged: int, answered: bool) -> None:
    rows = [ModelRow.of("A", little(flagged))]
    said = (overview.overview_answer(rows), overview.risk_answer(rows))
    said += (overview.lean_sentence("A", little(flagged)), overview.farthest_answer({"A": little(flagged)}))
    assert all(bool(sentence) is answered for sentence in said)


def test_no_figure_stands_in_a_table_where_it_is_not_reliable() -> None:
    """It is last, has an empty bar and says why; the data have every number, marked."""
    rows = overview.by_risk([UNSURE, WOMEN])
    assert rows == [WOMEN, UNSURE]
    shown = overview.models_table(rows).iloc[1]
    assert shown["favours"] == "no reliable answer"
    assert (shown["risk"], shown["range"], shown["Men / women first"]) == ("", "", "")
    assert b"rect" in b64decode(shown["bar"].partition("base64,")[2])
    assert shown["bar"] != overview.bar(MEN)
    assert overview.card_text(UNSURE) == "No reliable answer."
    assert list(overview.numbers_table(rows)["reliable"]) == [True, False]


def test_models_that_were_not_chosen_are_counted() -> None:
    assert overview.not_chosen_text(0) == ""
    assert overview.not_chosen_text(6).startswith("6 models in this table were not chosen, ")


def test_a_model_that_was_not_tested_ties_with_nobody() -> None:
    letters = {row.model: row.letters for row in (*CHAIN, UNTESTED, replace(UNTESTED, model="V"))}
    assert overview.tied_with(CHAIN[1].model, letters) == ["A", "C"]
    assert overview.tied_with(UNTESTED.model, letters) == []
    assert "ties" not in overview.models_table([UNTESTED, MEN])
    assert "ties" not in overview.models_table(APART)


def test_a_letter_that_no_other_model_has_is_blank() -> None:
    """D's c is of no tie; where a row has two letters, only the shared one is shown."""
    assert overview.models_table(CHAIN)["ties"].tolist() == ["a", "a b", "b", ""]
    lone = [replace(CHAIN[0], letters="a x"), *CHAIN[1:]]
    assert overview.models_table(lone)["ties"].tolist() == ["a", "a b", "b", ""]


def test_a_kind_is_short_enough_for_its_column() -> None:
    kinds = [replace(MEN, kind=kind) for kind in ("public", "teaching")]
    assert overview.models_table(kinds)["kind"].tolist() == ["public", "teaching"]


@pytest.mark.parametrize(("weights", "same"), [([95, 5], "all 2"), ([94, 6], "1 of 2")])
def test_a_sentence_decides_where_more_than_one_in_twenty_is_otherwise(weights: list[int], same: str) -> None:
    assert f"In {same} occupations A prefers the same group" in overview.heat_map_answer("A", RARE, weights)


def test_a_table_of_decisions_claims_no_more_than_the_answer() -> None:
    """24 of 24 matters are no preference where other people or sentences could turn the order round."""
    far, chance = (decided(rates) for rates in (FAR, EVEN_RATES))
    assert overview.whom_preferred(ModelRow.of("M", far)) == "White people"
    assert far.decisions is not None
    assert "M favours White people" in favours_finding({"M": far.decisions})
    for report in (chance, replace(chance, occupations=far.occupations)):
        assert overview.whom_preferred(ModelRow.of("M", report)) == "no group beyond chance"
        row = ModelRow.of("M", report)
        assert "With other people or sentences the order could turn round." in overview.overview_answer([row])
        assert "turn round" not in overview.overview_answer([ModelRow.of("M", far)])
        both = overview.overview_answer([row, ModelRow.of("N", far)])
        assert "With other people or sentences the order could turn round for M." in both
        assert overview.figures_table([ModelRow.of("M", report)])["prefers"].tolist() == [
            "no group beyond chance"
        ]
