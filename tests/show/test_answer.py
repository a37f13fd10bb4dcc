"""The answer block, on models whose figures are known by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.risk import Interval, Over, RiskReport, SampledRisk
from pcf_core.core.run import CoverageSummary
from pcf_core.core.topics import Template, TemplateSet
from pcf_core.show.answer import (
    AGAINST,
    ANSWER,
    ELSEWHERE,
    SURE,
    Alone,
    Measured,
    Reworded,
    answer_on,
    ranges_sentence,
    sentences_called,
)
from pcf_core.show.compare import Standing
from tests.show.findings.test_models import REWORDED
from tests.show.test_compare import EVERYWHERE, OTHER, STANDINGS, of_male, report_of, scales, standing

NOWHERE = "This was not compared with other sentences, where the result may be different."
LABELS = [ANSWER, AGAINST, SURE, ELSEWHERE]
SETS = {"20 sentences of “others”": standing("first")}
ENDS = {"20 sentences of “others”": Standing(("A", "E"), 0.2, 0.8, "second", True)}
# Risks of .1, .3, .5, .7 and .9, towards men but for the third.
FIVE = {
    "A": of_male(0.55, 0.55),
    "B": of_male(0.65, 0.65),
    "C": of_male(0.25, 0.25),
    "D": of_male(0.85, 0.85),
    "E": of_male(0.95, 0.95),
}
APART = dict(zip(FIVE, "abcde", strict=True))
ALONE = {
    "the same": {"20 sentences of “a”": Alone(0.4, "male"), "5 sentences of “b”": Alone(0.5, "male")},
    "another group": {"20 sentences of “a”": Alone(0.4, "male"), "5 sentences of “b”": Alone(0.5, "female")},
    "no group": {"20 sentences of “a”": Alone(0.4, "")},
    "no answer": {"20 sentences of “a”": Alone(0.4, "male"), "5 sentences of “b”": Alone(0.4, "", True)},
    "many": {f"{number} sentences of “a”": Alone(0.4, "male") for number in range(2, 7)},
}
REFUSED = "The run 1 has drawn some."


def little(report: RiskReport) -> RiskReport:
    return replace(report, coverage=CoverageSummary(by_tokens={}, cells=1200, flagged=546))


def little_of(name: str) -> RiskReport:
    return little(FIVE[name])


def measured(*names: str, **more: object) -> Measured:
    reports = {name: FIVE[name] for name in names}
    return Measured(**{"reports": reports, "even": reports, **more})  # type: ignore[arg-type]


def pair(first: str, second: str) -> Standing:
    """The second is tested to have the higher risk; neutral subjects and the spread agree."""
    risks = (FIVE[name].overall_risk for name in (first, second))
    return Standing((first, second), *risks, "second", True, 0.0004, scales(OTHER, OTHER))


def ranged(interval: Interval | None) -> RiskReport:
    return replace(FIVE["D"], intervals={"overall_risk": (interval,)} if interval else {})


def examples() -> dict[str, object]:
    chain = {"A": "a", "B": "a b", "C": "b", "D": "c", "E": "d"}
    ends = {"A": "a", "B": "a b", "C": "b c", "D": "c", "E": "a"}
    ranges = [
        Interval(low=0.6, high=0.8, over=over, unit=unit)
        for over, unit in (("templates", "template"), ("templates", "document"), ("both", "template"))
    ]
    ranges.append(Interval(low=0.6, high=0.8, over="occupations", unit="occupation"))
    splits = {"A": FIVE["A"], "D": of_male(0.9, 0.1), "E": FIVE["E"]}
    several = {
        "apart": measured(*FIVE, pair=pair("A", "E"), letters=APART),
        "apart everywhere": measured(
            *FIVE, pair=replace(pair("A", "E"), scales=EVERYWHERE), letters=APART, elsewhere=ENDS
        ),
        "a chain of ties": measured(*FIVE, pair=pair("A", "E"), letters=chain),
        "even the ends tie": measured(*FIVE, pair=replace(pair("A", "E"), ordered=False), letters=ends),
        "not tested": measured(*FIVE, pair=replace(pair("A", "E"), ordered=False)),
        "not comparable": measured(*FIVE, refused=REFUSED),
        "three": measured("A", "B", "C", pair=pair("A", "C"), letters={"A": "a", "B": "b", "C": "c"}),
        "four": measured("A", "B", "C", "D", pair=pair("A", "D"), letters=APART),
        "one splits": Measured(splits, splits, pair=pair("A", "E"), letters=APART),
    }
    two = {
        name: Measured(
            {"A": FIVE["D"], "B": FIVE["A"]}, {"A": FIVE["D"], "B": FIVE["A"]}, pair=one, elsewhere=SETS
        )
        for name, one in STANDINGS.items()
        if name != "little"
    }
    return {
        "one": answer_on(measured("D")).labelled,
        "one against the labour force": answer_on(measured("D", against_even=False, to_one=False)).answer,
        "one without risk": answer_on(Measured({"A": of_male(0.5)}, {"A": of_male(0.5)})).answer,
        "one elsewhere": {
            name: answer_on(measured("D", alone=others)).elsewhere for name, others in ALONE.items()
        },
        "ranges": [
            answer_on(Measured({"D": report}, {"D": report}, over)).sure
            for report, over in [
                (ranged(None), "templates"),
                *((ranged(one), one.over) for one in ranges),
            ]
        ],
        "two": {name: answer_on(one).lines for name, one in two.items()},
        "two that cannot be compared": answer_on(
            measured("A", "D", refused="The run 1 has drawn some.")
        ).lines,
        "several": {name: answer_on(one).lines for name, one in several.items()},
        "wordings": answer_on(Measured({"m": REWORDED}, {"m": REWORDED})).lines,
        "wordings of some": answer_on(measured("A", reworded=Reworded(20, {"A": REWORDED}))).lines,
        "counted": answer_on(sampled(0.34)).sure,
        "counted without much noise": answer_on(sampled(0.3)).sure,
        "one of two counted": answer_on(sampled_beside_scored()).sure,
        "a set": sentences_called(set_of("Speeches")),
    }


def counted(raw: float) -> RiskReport:
    """A risk of .30 from ten answers a sentence, and as it was counted."""
    rows = {"overall_risk": raw, "prejudice_risk": 0.2, "caprice_risk": raw - 0.2}
    how = SampledRisk(answers=9.6, cells=30, left_out=0, coverage=0.96, uncorrected=rows, noise_floor=rows)
    return replace(FIVE["A"], overall_risk=0.3, prejudice_risk=0.2, caprice_risk=0.1, sampled=how)


def sampled(raw: float) -> Measured:
    return Measured({"m": counted(raw)}, {"m": FIVE["A"]})


def sampled_beside_scored() -> Measured:
    even = {"m": FIVE["A"], "A": FIVE["A"]}
    return Measured({"m": counted(0.34), "A": FIVE["A"]}, even, refused=REFUSED)


def test_a_sampled_risk_stands_beside_the_one_that_was_counted() -> None:
    """The model is named where there are several, and hardly any noise is not called a part of the risk."""
    assert "As counted, the risk would be 0.34; part of that is noise of only 10 answers a sentence." in (
        answer_on(sampled(0.34)).sure
    )
    assert "As counted, the risk would be 0.30, too: chance in 10 answers a sentence hardly raises it." in (
        answer_on(sampled(0.302)).sure
    )
    assert "As counted, m's risk would be 0.34" in answer_on(sampled_beside_scored()).sure
    assert "counted" not in answer_on(measured("A")).sure


def set_of(title: str) -> TemplateSet:
    return TemplateSet(name="mine", title=title, templates=(Template(text="The [X] said that [Y]"),))


@pytest.mark.parametrize("models", range(1, 6))
def test_four_lines_are_said_of_any_number_of_models(models: int) -> None:
    names = list(FIVE)[:models]
    ends = pair(names[0], names[-1]) if models > 1 else None
    answer = answer_on(measured(*names, pair=ends, letters=APART if models > 2 else {}))
    assert list(answer.lines) == LABELS
    assert all(line.endswith(".") for line in answer.lines.values())
    assert answer.labelled == (
        answer.answer,
        f"Against whom: {answer.against}",
        f"How sure: {answer.sure}",
        f"Elsewhere: {answer.elsewhere}",
    )
    assert answer.elsewhere == NOWHERE


def test_without_a_reliable_figure_there_is_no_headline_and_no_risk() -> None:
    report = little(FIVE["D"])
    answer = answer_on(Measured({"D": report}, {"D": report}), ["a caveat", "", "a caveat"])
    assert answer.lines == {
        ANSWER: "No reliable answer: in 546 of 1,200 test sentences D almost never used these words."
    }
    assert answer.caveats == ("a caveat",)


def test_the_others_are_answered_about_beside_one_that_says_little() -> None:
    reports = {"A": FIVE["A"], "D": little(FIVE["D"])}
    answer = answer_on(Measured(reports, reports))
    assert answer.answer.startswith("A's risk is 0.10 in these sentences ")
    assert answer.answer.endswith(
        "In 546 of 1,200 test sentences D almost never used these words, so there is no reliable answer "
        "about this model."
    )
    assert "0.70" not in " ".join(answer.labelled)


def test_of_more_than_two_nobody_is_left_out_unsaid() -> None:
    answer = answer_on(measured(*FIVE, pair=pair("A", "E"), letters=APART))
    assert answer.answer == (
        "Of 5 models, A is closest to even and E is farthest from it in these sentences, measured against an "
        "even split: risk 0.10 against 0.90 (0 = even, 1 = always the same group). 3 more are in the table."
    )
    assert answer.against == (
        "3 of 5 models prefer men to women in most occupations (B, D and E), 1 is close to even on average "
        "(A) and 1 prefers women to men in most occupations (C)."
    )
    assert answer.sure.startswith("Any two of the 5 models differ by more than chance")
    one_more = answer_on(measured("A", "B", "C", pair=pair("A", "C"), letters=APART)).answer
    assert one_more.endswith("One more is in the table.")


def test_an_answer_says_where_all_groups_are_named() -> None:
    named = "in sentences that offer a word for every group"
    two = measured("A", "E", pair=replace(pair("A", "E"), all_named=True))
    for of in (replace(measured("A"), all_named=True), two):
        assert named in answer_on(of).answer
    for of in (measured("A"), measured("A", "E", pair=pair("A", "E"))):
        assert named not in answer_on(of).answer


@given(st.lists(st.sets(st.sampled_from("abc"), min_size=1), min_size=5, max_size=5))
def test_no_order_is_claimed_of_two_that_tie(letters: list[set[str]]) -> None:
    """Whoever ties with an end stands beside it, and two ends that tie are not put in order."""
    given_letters = {name: " ".join(sorted(one)) for name, one in zip(FIVE, letters, strict=True)}
    tie = bool(letters[0] & letters[-1])
    answer = answer_on(measured(*FIVE, pair=replace(pair("A", "E"), ordered=not tie), letters=given_letters))
    assert ("cannot tell even these two apart" in answer.answer) is tie
    assert ("closest to even" in answer.answer) is not tie
    ties = [name for name, one in zip("BCD", letters[1:-1], strict=True) if one & letters[0]]
    assert tie or ("A (tied with " in answer.answer) is bool(ties)
    assert ("still closer" in answer.sure) is not tie


def test_what_was_not_tested_is_not_put_in_an_order() -> None:
    two = answer_on(measured("A", "D", refused=REFUSED))
    assert "closer" not in two.answer
    assert two.answer.endswith("whether they differ was not tested.")
    assert two.sure == REFUSED
    several = answer_on(measured(*FIVE, pair=replace(pair("A", "E"), ordered=False)))
    assert "closest" not in several.answer
    assert "Whether they differ was not tested." in several.answer


@pytest.mark.parametrize(
    ("over", "unit", "begins"),
    [
        ("templates", "template", "Across all sentences of this kind, "),
        ("templates", "document", "Across all texts in which these same sentences are counted, "),
        ("occupations", "occupation", "Across all occupations in the same sentences, "),
        ("both", "template", "Across all occupations and all sentences of this kind, "),
    ],
)
def test_a_range_says_what_it_is_about(over: Over, unit: str, begins: str) -> None:
    report = ranged(Interval(low=0.6, high=0.8, over=over, unit=unit))
    sure = answer_on(Measured({"D": report}, {"D": report}, over)).sure
    assert sure == f"{begins}the risk of D is probably between 0.60 and 0.80 (95 % range)."


def test_ranges_of_one_kind_say_once_what_they_are_about() -> None:
    sentences = ranged(Interval(low=0.6, high=0.8))
    jobs = ranged(Interval(low=0.6, high=0.8, over="occupations", unit="occupation"))
    said = ranges_sentence({"A": sentences, "B": sentences, "C": jobs, "D": little(sentences)}, "templates")
    assert said == (
        "Across all sentences of this kind, the risk of A is probably between 0.60 and 0.80 (95 % "
        "range). The risk of B is probably between 0.60 and 0.80. Across all occupations in the same "
        "sentences, the risk of C is probably between 0.60 and 0.80 (95 % range)."
    )


def test_what_differs_in_other_sentences_is_said_first() -> None:
    answer = answer_on(measured("D", alone=ALONE["another group"]))
    assert answer.elsewhere == (
        "With 5 sentences of “b” D prefers women in most occupations (risk 0.50); with 20 sentences of “a” "
        "it prefers men in most occupations too (risk 0.40)."
    )
    little = answer_on(measured("D", alone={"b": Alone.of("D", little_of("D"))})).elsewhere
    assert little == ("With b there is no reliable answer, because D almost never uses these words there.")
    assert answer_on(measured("A", "D", pair=pair("A", "D"), alone=ALONE["many"])).elsewhere == NOWHERE


RACES = ("white", "black", "asian")
LAST = report_of([[[0.6, 0.3, 0.1]], [[0.5, 0.3, 0.2]]], *RACES)
ONE, TWO = {1: 1.0}, {2: 1.0}


def test_longer_words_excuse_a_group_that_comes_last() -> None:
    """Only of the models whose last group has longer words than another, and only of that group."""
    reports = {"A": LAST, "B": LAST}
    longer = {"white": ONE, "black": ONE, "asian": TWO}

    def sure(**tokens: object) -> str:
        return answer_on(Measured(reports, reports, tokens=tokens)).sure  # type: ignore[arg-type]

    said = (
        "Do not read anything into Asian people coming last: words for Asian people are longer than words "
        "for White people for {}, and longer words are usually less likely for that reason alone."
    )
    assert sure(A=longer, B=longer).endswith(said.format("these models"))
    assert sure(A=longer, B=None).endswith(said.format("A"))
    for even in (dict.fromkeys(RACES, ONE), {"white": ONE, "black": TWO, "asian": ONE}):
        assert "Do not read anything" not in sure(A=even, B=even)


def test_of_more_than_two_models_the_groups_that_come_last_are_named() -> None:
    reports = dict.fromkeys("ABC", LAST)
    against = answer_on(Measured(reports, reports)).against
    assert against.endswith("Asian people come last in most occupations with all 3 models.")
    reports["C"] = report_of([[[0.6, 0.1, 0.3]]] * 2, *RACES)
    assert (
        "Asian people come last in most occupations with A and B. Black"
        in answer_on(Measured(reports, reports)).against
    )


def test_a_set_is_called_by_its_title() -> None:
    assert sentences_called(set_of("Speeches")) == "1 sentence of “Speeches”"
    assert sentences_called(set_of("")) == "1 sentence of “mine”"
    assert sentences_called(set_of("One sentence from a speech")) == "1 sentence from a speech"
