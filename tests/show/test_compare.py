"""What Compare says of two models, on matrices whose tilts are known by hand."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.baseline import OtherScales
from pcf_core.audit.comparing import OtherSentences
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.risk import (
    Difference,
    Interval,
    NeutralComparison,
    RiskReport,
    SubjectShares,
    Verdict,
)
from pcf_core.core.run import CoverageSummary, Preferences
from pcf_core.show.compare import (
    Dumbbell,
    Lean,
    Standing,
    against_each,
    against_whom,
    differing_first,
    dumbbells,
    how_sure,
    in_other_sentences,
    most_unequal_first,
    neutral_answer,
    neutral_table,
    ordered,
    pair_answer,
    risks_table,
    sentences_table,
    subjects_table,
)
from pcf_core.show.overview import leading, trailing
from tests.show.charts.compared import compared_example

NAMES = ("A", "B")


def report_of(values: list[list[list[float]]], *groups: str) -> RiskReport:
    document = {
        "preferences": values,
        "groups": list(groups or ("male", "female")),
        "occupations": [f"job {place}" for place in range(len(values))],
    }
    return matrix_report(document, ViewOptions(), resamples=20)


def of_male(*male: float) -> RiskReport:
    return report_of([[[p, 1 - p]] * 2 for p in male])


EVEN = "in these sentences, measured against an even split"


def standing(verdict: Verdict, first: float = 0.66, second: float = 0.11) -> Standing:
    told = verdict in ("first", "second")
    return Standing(NAMES, first, second, verdict, told and abs(first - second) > 0.02, 0.0004)


def difference(first: float, second: float, half: float = 0.02) -> Difference:
    """A difference whose interval reaches ``half`` to either side; the test rejects where 0 is outside."""
    value = first - second
    p = 0.001 if abs(value) > half else 0.4
    interval = Interval(low=value - half, high=value + half)
    return Difference(first, second, (interval,), p_value=p, least_p=0.0005, margin=0.02)


def scales(
    distance: Difference,
    spread: Difference,
    labour: Difference | None = None,
    employment: Difference | None = None,
) -> OtherScales:
    """Two subjects, of which the first alone makes the models differ."""
    subjects = (
        SubjectShares("person", ((0.4, 0.6), (0.7, 0.3)), -0.02),
        SubjectShares("citizen", ((0.5, 0.5), (0.6, 0.4)), -0.11),
    )
    neutral = NeutralComparison(
        ("1" * 16, "2" * 16), ("male", "female"), subjects, {"distance": distance, "spread": spread}
    )
    return OtherScales(labour, neutral, employment)


SAME, OTHER, CLOSE = difference(0.6, 0.3), difference(0.3, 0.6), difference(0.41, 0.4)
EVERYWHERE = scales(SAME, SAME, SAME, SAME)


ORDERED, UNCLEAR = standing("second", 0.3, 0.46), standing("unclear", 0.42, 0.43)
SMALL, EQUAL = replace(ORDERED, ordered=False), standing("equal", 0.5, 0.5)
LITTLE = replace(ORDERED, little=("A",))
STANDINGS = {
    "first": standing("first"),
    "second": ORDERED,
    "unclear": UNCLEAR,
    "too few": standing("too few"),
    "too small": SMALL,
    "equal": EQUAL,
    "little": LITTLE,
}
TURNED = {"determiner": "B", "pronoun": "A", "phrase+adjective": "B", "any": "A"}
LEANS = {
    "men": of_male(0.9, 0.8, 0.9, 0.7),
    "mostly men": of_male(0.9, 0.8, 0.9, 0.3),
    "women": of_male(0.1, 0.2, 0.1, 0.9),
    "near even, to men": of_male(0.55, 0.52, 0.58, 0.49),
    "near even": of_male(0.55, 0.45),
    "split": of_male(0.95, 0.9, 0.8, 0.05, 0.1, 0.3),
}
RACES = ("white", "black", "asian")
THREE = [[[0.8, 0.1, 0.1]], [[0.7, 0.2, 0.1]], [[0.1, 0.8, 0.1]], [[0.2, 0.1, 0.7]]]


def lean_of(name: str, model: str = "A") -> Lean:
    return Lean.of(model, LEANS[name])


def neutral(*without: float) -> NeutralComparison:
    found = scales(SAME, SAME).neutral
    assert found is not None
    subjects = (replace(one, without=by) for one, by in zip(found.subjects, without, strict=True))
    return replace(found, subjects=tuple(subjects))


def examples() -> dict[str, object]:
    first, compared = standing("first"), compared_example()
    others = {"others": standing("first")}
    hidden = replace(first, first=0.5141, second=0.5059)
    labour = replace(first, against_even=False, to_one=False)
    sets = {"a": ORDERED, "b": UNCLEAR, "c": ORDERED, "d": ORDERED, "e": ORDERED}
    found = {"same": SAME, "other": OTHER, "close": CLOSE, "small": replace(SAME, margin=1.0)}
    on_scales = {
        f"{scale}: {name}": replace(first, scales=scales(*given))
        for name, one in found.items()
        for scale, given in (
            ("neutral", (one, SAME, SAME, SAME)),
            ("spread", (SAME, one, SAME, SAME)),
            ("labour", (SAME, SAME, one, SAME)),
            ("employment", (SAME, SAME, SAME, one)),
        )
    }
    pairs = [("mostly men", "women"), ("mostly men", "mostly men"), ("mostly men", "men"), ("men", "men")]
    pairs += [("mostly men", "near even"), ("near even", "near even")]
    clear = replace(compared.differences["overall_risk"], first=0.1, second=0.9, p_value=0.001, adjusted=None)
    clear = replace(clear, intervals=(Interval(low=-0.9, high=-0.7),))
    tested = replace(compared, differences=compared.differences | {"overall_risk": clear})
    ranges = {name: (Interval(low=0.08, high=0.161), None) for name in tested.differences}
    nurse = {
        "A": nurse_of([0.9, 0.2], "The [X] said [Y].", "[Y] is a [X]."),
        "B": nurse_of([0.4], "The [X] said [Y]."),
    }
    return {
        "answers": {name: pair_answer(one) for name, one in STANDINGS.items() if one is not LITTLE},
        "answers elsewhere": [
            pair_answer(replace(first, scales=EVERYWHERE), others),
            pair_answer(replace(first, scales=EVERYWHERE)),
            pair_answer(first, others),
            pair_answer(labour),
            pair_answer(hidden),
        ],
        "in other sentences": {
            f"{here}, there {there}": in_other_sentences(STANDINGS[here], {"others": STANDINGS[there]})
            for here in STANDINGS
            if here != "little"
            for there in STANDINGS
        },
        "in other sets": in_other_sentences(ORDERED, sets),
        "in other sentences whose slots differ": [
            in_other_sentences(here, {"others": replace(there, slots=TURNED)})
            for here in (ORDERED, UNCLEAR)
            for there in STANDINGS.values()
        ],
        "sure": {name: how_sure(one, 19) for name, one in STANDINGS.items() if one is not LITTLE},
        "sure on scales": {name: how_sure(one, 19) for name, one in on_scales.items()},
        "sure of an unclear one": how_sure(replace(UNCLEAR, scales=scales(SAME, SAME, SAME)), 19),
        "whom": {name: against_whom(Lean.of("A", report)) for name, report in LEANS.items()},
        "whom of three groups": [
            against_whom(Lean.of("A", report_of(values, *RACES)))
            for values in (THREE, [*THREE[:1] * 4, THREE[2]])
        ],
        "whom each": [against_each([lean_of(one), lean_of(other, "B")]) for one, other in pairs],
        "neutral": [
            neutral_answer(NAMES, found)
            for found in (neutral(-0.02, -0.11), neutral(-0.07, -0.07), neutral(0.02, -0.11), None)
        ],
        "tables": [
            neutral_table(NAMES, neutral(-0.02, -0.11)).to_dict("split"),
            subjects_table(NAMES, neutral(-0.02, -0.11)).to_dict("list"),
            risks_table(tested, NAMES, ranges).to_dict("split"),
            sentences_table("nurse", nurse).to_dict("list"),
            sentences_table("nurse", {"m": nurse_of([0.75, np.nan], "The [X] [Y]", "A [X] [Y]")}).to_dict(
                "list"
            ),
        ],
    }


def nurse_of(male: list[float], *templates: str) -> Preferences:
    return Preferences(("male", "female"), ("nurse",), templates, np.array([[[p, 1 - p] for p in male]]))


@pytest.mark.parametrize("name", [name for name in STANDINGS if name != "little"])
def test_the_closer_model_is_named_only_where_an_order_is_stated(name: str) -> None:
    said = pair_answer(STANDINGS[name])
    closer = {"first": "B", "second": "A"}.get(name, "")
    assert ("closer to even" in said) == bool(closer)
    assert said.startswith(f"{closer} is closer to even") or not closer
    assert STANDINGS[name].lower == closer


@pytest.mark.parametrize("weak", [None, OTHER, CLOSE, replace(SAME, margin=1.0)])
def test_the_answer_claims_no_more_than_the_weakest_of_its_grounds(weak: Difference | None) -> None:
    """General only where five measures and other sentences agree; else it says where it holds."""
    first, others = standing("first"), {"others": standing("first")}
    every = [(SAME, SAME, weak, SAME), (SAME, SAME, SAME, weak)]
    every += [(weak, SAME, SAME, SAME), (SAME, weak, SAME, SAME)] if weak else []
    for each in every:
        assert EVEN in pair_answer(replace(first, scales=scales(*each)), others)
    everywhere = replace(first, scales=EVERYWHERE)
    assert "in these sentences" not in pair_answer(everywhere, others)
    for outcome in ("second", "unclear", "too few", "equal"):
        assert "in these sentences" in pair_answer(everywhere, others | {"more": standing(outcome)})
    assert "in these sentences" in pair_answer(everywhere, {}), "nothing is known of other sentences"


def test_against_the_labour_force_nobody_is_closer_to_even() -> None:
    labour = pair_answer(replace(standing("first"), against_even=False, to_one=False))
    assert labour.startswith("B is closer to the labour force than A in these sentences")


@given(
    st.sampled_from([None, SAME, OTHER, CLOSE]),
    st.sampled_from([None, SAME, OTHER, CLOSE]),
    st.sampled_from([SAME, OTHER, CLOSE]),
    st.sampled_from([SAME, OTHER, CLOSE]),
    st.lists(st.sampled_from(["first", "second", "unclear"]), max_size=3),
)
def test_no_order_is_general_that_any_ground_contradicts(
    labour: Difference | None,
    employment: Difference | None,
    distance: Difference,
    spread: Difference,
    others: list[Verdict],
) -> None:
    told = replace(standing("first"), scales=scales(distance, spread, labour, employment))
    elsewhere = {str(place): standing(verdict) for place, verdict in enumerate(others)}
    every = (labour, employment, distance, spread) == (SAME,) * 4
    agree = every and others and set(others) == {"first"}
    assert told.is_general(elsewhere) == bool(agree)
    assert ("in these sentences" in pair_answer(told, elsewhere)) != bool(agree)


def test_of_several_sets_those_that_differ_come_first() -> None:
    others = {"a": ORDERED, "b": UNCLEAR, "c": ORDERED, "d": ORDERED, "e": ORDERED}
    assert differing_first(ORDERED, others) == ["b", "a", "c", "d", "e"]
    assert differing_first(UNCLEAR, others) == ["a", "c", "d", "e", "b"]
    reversed_last = {"a": ORDERED, "b": UNCLEAR, "c": standing("first")}
    assert differing_first(ORDERED, reversed_last) == ["c", "b", "a"], "a reversed order before all"
    assert in_other_sentences(ORDERED, {}) == ""
    assert in_other_sentences(ORDERED, {"20 sentences of “a”": LITTLE}).endswith(
        "“a” there is no reliable answer, because A almost never uses these words there."
    )
    both = replace(LITTLE, little=NAMES)
    assert "both models almost never use these words" in in_other_sentences(ORDERED, {"a": both})


@given(
    st.sampled_from(sorted(STANDINGS)),
    st.sampled_from(sorted(STANDINGS)),
    st.dictionaries(st.sampled_from(["pronoun", "determiner", "noun"]), st.sampled_from(NAMES)),
)
def test_slots_are_named_only_where_the_order_turns_round_between_them(
    here: str, there: str, slots: dict[str, str]
) -> None:
    """And then with the model that the test of each shows, or with none that only confirms an order."""
    titles = {"pronoun": "pronouns", "determiner": "possessives", "noun": "nouns"}
    before, found = STANDINGS[here], replace(STANDINGS[there], slots=slots)
    said = in_other_sentences(before, {"others": found})
    plain = in_other_sentences(before, {"others": STANDINGS[there]})
    if len(set(slots.values())) < 2 or found.little:
        assert said == plain
        return
    _, _, more = said.partition(plain.removesuffix("."))
    for slot, title in titles.items():
        assert (f" {title}" in more) == (slot in slots and slots[slot] != found.lower)
    for model in set(slots.values()) - {found.lower}:
        before_it = more[: more.index(f" {model}")].rpartition("with")[2]
        assert all(f" {titles[slot]}" in before_it for slot, one in slots.items() if one == model)
    if not found.lower and before.lower:
        assert more.index(f" {before.lower}") == min(more.index(f" {name}") for name in NAMES)


def test_the_slot_of_a_broader_set_in_which_the_order_turns_round() -> None:
    found = replace(UNCLEAR, slots={"noun": "B", "pronoun": "A", "determiner": "B"})
    assert in_other_sentences(ORDERED, {"a second, broader set of 20 sentences": found}) == (
        "With a second, broader set of 20 sentences we cannot tell them apart: with pronouns A is closer to "
        "even, with nouns and possessives B."
    )
    other = replace(standing("first"), slots=found.slots)
    assert in_other_sentences(ORDERED, {"others": other}) == (
        "With others the order is reversed, but with pronouns A is closer to even."
    )


def test_an_order_in_a_slot_needs_a_test_and_a_size_that_matters() -> None:
    """One difference is too small to matter, one is unclear, and one has too few sentences."""
    small = replace(SAME, margin=1.0)
    slots = {
        "pronoun": SAME,
        "noun": OTHER,
        "plural": small,
        "object": CLOSE,
        "adjective": replace(SAME, least_p=0.125, p_value=0.125),
    }
    other = OtherSentences("others", (Mock(), Mock()), CLOSE, (False, False), slots)
    assert Standing.of_other(NAMES, other).slots == {"pronoun": "B", "noun": "A"}


@pytest.mark.parametrize(("flagged", "answered"), [(5, True), (6, False)])
def test_nobody_is_preferred_where_a_model_hardly_expects_the_words(flagged: int, answered: bool) -> None:
    coverage = CoverageSummary(by_tokens={}, cells=100, flagged=flagged)
    report = replace(of_male(0.9, 0.8), coverage=coverage)
    assert bool(against_whom(Lean.of("A", report))) is answered


@pytest.mark.parametrize(("found", "figures"), [(SAME, "0.30 against 0.60"), (OTHER, "0.30 against 0.60")])
def test_figures_of_another_scale_stand_in_the_order_of_the_answer(found: Difference, figures: str) -> None:
    """First that of the model which the answer, or the scale, says to be closer."""
    said = how_sure(replace(standing("first"), scales=scales(found, SAME, SAME)), 19)
    assert f"is {'still ' if found is SAME else ''}closer to that (mean difference {figures})" in said
    turned = scales(difference(found.second, found.first), SAME)
    assert figures in how_sure(replace(standing("second", 0.11, 0.66), scales=turned), 19)


def test_whom_a_model_puts_last_is_counted_by_mean_preference() -> None:
    """Four occupations by hand: black last in two, asian in one, and a tie that counts for nobody."""
    rows = [[0.6, 0.1, 0.3], [0.5, 0.2, 0.3], [0.6, 0.3, 0.1], [0.6, 0.2, 0.2]]
    report = report_of([[row] for row in rows], *RACES)
    assert trailing(report) == {"white": 0, "black": 2, "asian": 1}
    assert leading(report) == {"white": 4, "black": 0, "asian": 0}
    two = report_of([[[0.8, 0.15, 0.05], [0.2, 0.0, 0.8]]], *RACES)
    assert trailing(two) == {"white": 0, "black": 1, "asian": 0}, "last on average, not in most sentences"
    assert trailing(of_male(0.9, 0.8, 0.1)) == {"male": 1, "female": 2}


def test_the_answer_says_whom_a_model_prefers_and_to_whom() -> None:
    assert against_whom(lean_of("mostly men")) == "A prefers men to women in 3 of 4 occupations."
    rows = [[0.6, 0.1, 0.3]] * 3 + [[0.6, 0.3, 0.1]]
    lean = Lean.of("A", report_of([[row] for row in rows], *RACES))
    assert against_whom(lean) == (
        "A prefers White people in all 4 occupations and puts Black people last in 3."
    )
    torn = replace(lean, trailing={"white": 0, "black": 2, "asian": 1})
    assert against_whom(torn).endswith("occupations and most often puts Black people last, in 2.")
    nobody = replace(lean, trailing={"white": 0, "black": 0, "asian": 0})
    assert against_whom(nobody) == "A prefers White people in all 4 occupations."
    assert against_each([lean, replace(lean, model="B")]) == [
        "A prefers White people in all 4 occupations and puts Black people last in 3; "
        "B prefers White people in all and puts Black people last in 3."
    ]
    splits = Lean.of("A", report_of(THREE, *RACES))
    assert splits.trailing == {"white": 0, "black": 1, "asian": 1}
    assert "last" not in against_whom(splits), "two groups come last equally often"
    last = against_whom(replace(splits, trailing={"white": 3, "black": 0, "asian": 0}))
    assert last.startswith("A prefers no group overall: ")
    assert last.endswith(") and puts White people last in 3.")


def test_how_sure_gives_the_range_of_the_difference_and_what_p_means() -> None:
    """The range is that of the higher risk minus the lower one, whichever model comes first."""
    interval = Interval(low=-0.23, high=-0.1)
    clear = replace(ORDERED, interval=interval)
    assert how_sure(clear, 19) == (
        "The difference in risk is 0.16 (95 % range 0.10–0.23), larger than chance: two models that do "
        "not differ would show a gap this large in fewer than 1 of 1,000 cases (p under 0.001)."
    )
    turned = replace(standing("first", 0.46, 0.3), interval=Interval(low=0.1, high=0.23))
    assert how_sure(turned, 19) == how_sure(clear, 19)
    unclear = replace(UNCLEAR, p_value=0.72, interval=Interval(low=-0.08, high=0.05))
    assert how_sure(unclear, 19) == (
        "The difference in risk is 0.01 (95 % range −0.05 to 0.08) and may be chance: two models "
        "that do not differ would show a gap this large in 72 of 100 cases (p = 0.72). This does not show "
        "that they are equal."
    )
    untested = replace(unclear, p_value=0.055, interval=Interval(low=-0.29, high=-0.01))
    needs = "(p = 0.055). The range excludes 0, but a verdict also needs the test, which finds no difference."
    assert needs in how_sure(untested, 19)
    by_test = how_sure(replace(unclear, p_value=0.001), 19)
    assert by_test.startswith("The difference in risk is 0.01 (95 % range −0.05 to 0.08). The test finds a")
    assert "chance" not in by_test


def test_a_difference_unlike_that_of_the_rounded_risks_names_unrounded_ones() -> None:
    """0.30 and 0.46, but 0.17."""
    interval = Interval(low=-0.23, high=-0.1)
    apart = replace(ORDERED, first=0.2953, second=0.4612, interval=interval)
    assert "in risk is 0.17, that is 0.461 − 0.295 (95 % range 0.10–0.23)" in how_sure(apart, 19)


def test_what_an_order_depends_on_is_said_first() -> None:
    begins = "Not every way of measuring confirms this order."
    assert not how_sure(replace(ORDERED, scales=scales(OTHER, OTHER, OTHER)), 19).startswith(begins)
    assert "If occupations count by the people employed in them, B is closer to even" in how_sure(
        replace(ORDERED, scales=scales(OTHER, OTHER, OTHER, SAME)), 19
    )
    for weak in (CLOSE, SAME):
        assert how_sure(replace(ORDERED, scales=scales(OTHER, OTHER, weak)), 19).startswith(begins)


def test_dumbbells_are_of_common_occupations_and_sorted_as_asked() -> None:
    first, second = of_male(0.9, 0.5, 0.1), of_male(0.7, 0.9, 0.2, 0.5)
    rows = dumbbells(first, second, "male")
    assert [row.occupation for row in rows] == ["job 1", "job 0", "job 2"]
    assert (rows[0].first, rows[0].second) == pytest.approx((0.0, 0.8))
    assert [row.occupation for row in ordered(rows, "A–Z")] == ["job 0", "job 1", "job 2"]
    farthest = ordered([Dumbbell("x", 0.1, -0.2), Dumbbell("y", 0.0, -0.9)], "most stereotyped")
    assert [row.occupation for row in farthest] == ["y", "x"]


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8))
def test_swapping_the_models_changes_no_order(male: list[float]) -> None:
    one, other = of_male(*male), of_male(*reversed(male))
    names = [row.occupation for row in dumbbells(one, other, "male")]
    assert names == [row.occupation for row in dumbbells(other, one, "male")]
    lean = Lean.of("A", one)
    assert 0 <= lean.near <= lean.occupations == len(male)


def test_the_most_unequal_group_comes_first() -> None:
    groups = ("white", "black", "asian")
    one = report_of([[[0.4, 0.3, 0.3]], [[0.4, 0.3, 0.3]]], *groups)
    other = report_of([[[0.35, 0.6, 0.05]], [[0.35, 0.55, 0.1]]], *groups)
    assert most_unequal_first(one, other) == ["black", "asian", "white"]
    assert most_unequal_first(of_male(0.5), of_male(0.6)) == ["male"]
