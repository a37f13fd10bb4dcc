"""Sentences about what a model knows, on reports made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from pcf_core.core.knowledge import Fact, FactKnowledge, KnowledgeReport, KnowledgeSet
from pcf_core.core.risk import Interval
from pcf_core.show.findings.knowledge import confidence_finding, knowledge_finding, set_finding


def interval(low: float, high: float, over: str = "templates") -> Interval:
    return Interval(over=over, low=low, high=high)  # type: ignore[arg-type]


def fact(subject: str, mean: float, gap: float) -> FactKnowledge:
    return FactKnowledge(
        subject=subject,
        right=("a",),
        wrong=("b",),
        weight=0.5,
        probabilities=np.array([mean]),
        mean_probability=mean,
        knowledge=mean**0.5,
        mean_score=mean**0.5 - gap,
        confidence_gap=gap,
        chance=0.5**0.5,
        elsewhere=0.5,
        interval=interval(0.1, 0.9),
    )


def reported(
    gain: tuple[float, float] | None = (0.05, 0.35),
    elsewhere: float | None = 0.5,
    gap: float = 0.1,
) -> KnowledgeReport:
    intervals: Mapping[str, tuple[Interval, ...]] = {
        "knowledge": (interval(0.6, 0.8),),
        "confidence_gap": (interval(0.05, 0.2),),
    }
    if gain is not None:
        intervals = {**intervals, "gain": (interval(0.1, 0.3), interval(*gain, over="both"))}
    return KnowledgeReport(
        name="sky",
        title="The sky",
        score="sqrt",
        templates=("t", "u"),
        knowledge=0.7,
        mean_score=0.7 - gap,
        confidence_gap=gap,
        chance=0.5**0.5,
        elsewhere=elsewhere,
        facts=(fact("Sun", 0.81, gap / 2), fact("Mars", 0.25, 3 * gap / 2)),
        intervals=intervals,
    )


def test_what_is_known_beside_guessing_and_other_subjects() -> None:
    assert knowledge_finding("mini", reported()) == (
        "For 1 of 2 facts, mini gives the right answers more than all wrong ones together. "
        "Its knowledge (score: square root) is 0.70 (0.60–0.80); guessing gives 0.71. The same "
        "answers get 0.50 with other subjects. Naming the right subject adds 0.20 "
        "(0.05–0.35), over facts and templates."
    )


def test_what_chance_may_have_done_is_not_called_knowledge() -> None:
    said = knowledge_finding("mini", reported(gain=(-0.01, 0.4)))
    assert "We cannot tell whether it knows more than which answers are frequent." in said


def test_a_subject_that_misleads_is_told() -> None:
    said = knowledge_finding("mini", reported(gain=(-0.3, -0.1), elsewhere=0.9))
    assert "Naming the right subject takes away 0.20 (0.10–0.30), over facts and templates." in said


def test_without_other_subjects_nothing_is_said_of_them() -> None:
    assert knowledge_finding("mini", reported(gain=None, elsewhere=None)).endswith("guessing gives 0.71.")


@pytest.mark.parametrize("single", ["template", "fact"])
def test_of_one_template_or_fact_nothing_is_said_of_others(single: str) -> None:
    report = replace(
        reported(gain=None, gap=0.0),
        templates=("t",) if single == "template" else ("t", "u"),
        intervals={"knowledge": (), "confidence_gap": ()},
    )
    said = knowledge_finding("mini", report)
    assert "Its knowledge (score: square root) is 0.70; guessing gives 0.71." in said
    assert said.endswith(f"One {single} cannot tell whether the right subject adds to that.")
    gap = "There is one template, and so no other sentence: the confidence gap cannot be told."
    assert (confidence_finding(report) == gap) == (single == "template")


@pytest.mark.parametrize("gap", [0.1, 0.0])
def test_the_gap_names_the_fact_that_it_is_widest_for_and_is_no_caprice(gap: float) -> None:
    said = confidence_finding(reported(gap=gap))
    assert "caprice" not in said
    if gap:
        assert said == (
            "The confidence gap is 0.10 (0.05–0.20): other sentences take 14 % of the knowledge "
            "away. They take most for “Mars” (knowledge 0.50, gap 0.15)."
        )
    else:
        assert "is 0" in said


def test_a_set_is_told_by_what_it_asks() -> None:
    facts = (
        Fact(subject="Sun", right=("star",), wrong=("moon",)),
        Fact(subject="Io", right=("moon",), wrong=("star",)),
    )
    asked = KnowledgeSet(name="sky", title="The sky", templates=("[X] is a [Y]",), facts=facts)
    assert set_finding(asked) == (
        "“The sky” asks for 2 facts in 1 template, with 2 answers in all. A model has to read 2 prompts."
    )
