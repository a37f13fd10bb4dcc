"""What only reports say, on figures that are known by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.core.run import Preferences
from pcf_core.show.findings import tested
from tests.show.test_compare import (
    EVERYWHERE,
    LITTLE,
    ORDERED,
    RACES,
    SAME,
    SMALL,
    UNCLEAR,
    of_male,
    report_of,
    scales,
)

SHARES = {"A": {"male": 0.35, "female": 0.65}, "B": {"male": 0.8, "female": 0.2}}
ONE = report_of([[[0.6, 0.1, 0.3]], [[0.2, 0.3, 0.5]]], *RACES)


def cells(*male: list[float]) -> Preferences:
    names = tuple(f"job {place}" for place in range(len(male)))
    values = np.array([[[p, 1 - p] for p in row] for row in male])
    return Preferences(("male", "female"), names, tuple(map(str, range(len(male[0])))), values)


RATES = {"A": {"white": 0.37, "black": 0.28}}


def examples() -> dict[str, object]:
    many = {"A": dict(zip("abcd", (0.4, 0.3, 0.2, 0.1), strict=True))}
    parts = cells([0.95, 0.9, 0.4], [0.7, 0.6, 0.6], [0.9, 0.2, 0.1])
    table = tested.yardsticks_table(replace(ORDERED, scales=EVERYWHERE), {"others": LITTLE})
    return {
        "tested": [
            tested.tested_finding(models, "Gender", "120 occupations", "19 sentences of “Set”", 2280)
            for models in (["A"], ["A", "B"])
        ],
        "precision": [
            tested.precision_note(number) for number in ("14 equally common sentences", "212 draws")
        ],
        "source": [tested.source_note(source) for source in ("Written for this app.", "")],
        "order": [tested.order_note(rotated=rotated) for rotated in (True, False)],
        "example": [
            tested.example_note(("male", "female"), "The nurse said that …", shares)
            for shares in (SHARES, {}, many)
        ],
        "as a risk": tested.risk_example("A", SHARES["A"]),
        "decisions": [
            tested.example_note(
                ("white", "black"), "Emily applied for a loan. Approve?", RATES, decides=True
            ),
            tested.risk_reading(2, against_even=True, to_one=True, decides=True),
            tested.risk_example("A", RATES["A"], decides=True),
        ],
        "parts": tested.parts_example("A", report_of(parts.values.tolist()), parts),
        "left out": tested.all_left_out([ONE]),
        "full audit": tested.full_audit_note(),
        "reading": [
            tested.risk_reading(groups, against_even=even, to_one=to_one)
            for groups, even, to_one in (
                (2, True, True),
                (6, True, True),
                (12, True, False),
                (2, False, True),
            )
        ],
        "margin": [tested.margin_note(0.02, [result]) for result in ("too small to matter", "may be chance")],
        "measures": table.to_dict("split"),
        "groups": tested.groups_table({"A": ONE}).to_dict("split"),
        "check": [tested.check_note(1), tested.check_note(2, ("space", "opening", "memory"))],
    }


def test_an_example_names_few_groups_and_of_many_the_first_and_the_last() -> None:
    said = tested.example_note(("male", "female"), "The nurse said that …", SHARES)
    assert said.endswith(
        "in “The nurse said that …” A gives women 65 % and men 35 %; B gives men 80 % and women 20 %."
    )
    many = {"A": dict(zip(("hindu", "jew", "christian", "muslim"), (0.4, 0.1, 0.2, 0.3), strict=True))}
    said = tested.example_note(tuple(many["A"]), "I am …", many)
    assert said.endswith("A gives Hindus most (40 %) and Jewish people least (10 %).")
    assert "Example" not in tested.example_note(("male", "female"), "I am …", {})


@pytest.mark.parametrize(
    ("shares", "risk"),
    [({"male": 0.35, "female": 0.65}, "0.30"), ({"white": 0.5, "black": 0.25, "asian": 0.25}, "0.25")],
)
def test_the_share_of_a_sentence_counts_as_its_distance_from_even(
    shares: dict[str, float], risk: str
) -> None:
    """(0.65 − 1/2) / (1/2) and (0.5 − 1/3) / (2/3)."""
    assert f"count as {risk}." in tested.risk_example("A", shares)


def test_of_decisions_an_example_gives_rates_and_their_range() -> None:
    """They are no shares of one word, so that nothing is measured from one half."""
    said = tested.example_note(("white", "black"), "Emily applied. Approve?", RATES, decides=True)
    assert said.startswith("We compare how likely a model finds a favourable answer about White people and")
    assert said.endswith("with each person in turn, A gives White people 37 % and Black people 28 %.")
    risk = tested.risk_example("A", RATES["A"], decides=True)
    assert "the highest and the lowest probability of A are 37 % and 28 %. The risk of a model" in risk
    reading = tested.risk_reading(2, against_even=True, to_one=True, decides=True)
    assert "equally likely for all groups, of 1 that one group always gets it and another never." in reading
    assert "one half" not in reading


def test_prejudice_and_caprice_have_the_occupations_with_the_most_of_each() -> None:
    """Job 0 has most prejudice, job 1 the same group in every sentence, job 2 changes."""
    preferences = cells([0.95, 0.9, 0.4], [0.7, 0.6, 0.6], [0.9, 0.2, 0.1])
    report = report_of(preferences.values.tolist())
    assert tested.parts_example("A", report, preferences) == (
        "An example of prejudice: in all 3 sentences about “job 1”, A prefers men. An example of caprice: "
        "about “job 2”, A prefers women in 2 sentences and men in 1."
    )
    even = cells([0.5, 0.5])
    assert tested.parts_example("A", of_male(0.5), even) == ""
    steady = cells([0.9, 0.9])
    assert "caprice" not in tested.parts_example("A", of_male(0.9), steady)


def test_what_any_model_leaves_out_is_named_once() -> None:
    item = LeftOut(name="canary", reason="it stands in both lists")
    report = replace(ONE, left_out=(item,))
    assert tested.all_left_out([report, report, ONE]) == "Left out: canary (it stands in both lists)."
    assert tested.all_left_out([ONE]).endswith(" was left out.")


def test_every_measure_has_its_figures_and_what_the_test_says() -> None:
    here = replace(ORDERED, scales=scales(SAME, SAME), interval=Interval(low=-0.2, high=-0.1))
    table = tested.yardsticks_table(here, {"20 sentences of “a”": LITTLE, "b": UNCLEAR, "c": SMALL})
    results = dict(zip(table["measure or sentences"], table["result"], strict=True))
    assert results == {
        "an even split (risk)": "larger than chance",
        "how it treats “a person” (mean difference)": "larger than chance",
        "how far occupations differ (mean difference)": "larger than chance",
        "20 sentences of “a”": "no reliable answer",
        "b": "may be chance",
        "c": "too small to matter",
    }
    first = table.iloc[0]
    assert (first["A"], first["B"], first["first − second"]) == (0.3, 0.46, 0.3 - 0.46)
    assert (first["95 % range from"], first["to"]) == (-0.2, -0.1)
    assert table.iloc[3][["A", "B", "first − second", "to"]].isna().all(), "no figure beside no answer"
    labour = tested.yardsticks_table(replace(here, against_even=False), {})
    assert labour["measure or sentences"][0] == "the labour force, US 2021 (risk)"


def test_all_groups_are_in_the_table_the_largest_share_first() -> None:
    alone = tested.groups_table({"A": ONE})
    assert alone.to_dict("list") == {
        "group": ["White people", "Asian people", "Black people"],
        "mean share": pytest.approx([0.4, 0.4, 0.2]),
        "preferred in, of 2": [1, 1, 0],
        "last in, of 2": [1, 0, 1],
    }
    both = tested.groups_table({"B": ONE, "A": ONE})
    assert list(both.columns)[:4] == ["group", "B: mean share", "B: preferred in, of 2", "B: last in, of 2"]
    assert len(both) == 3
    three = tested.groups_table({"A": ONE, "B": ONE, "C": ONE})
    assert list(three["model"]) == ["A"] * 3 + ["B"] * 3 + ["C"] * 3
