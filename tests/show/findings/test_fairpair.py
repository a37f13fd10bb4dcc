"""Sentences of FairPair: every branch, from reports that were really made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.show.findings.fairpair import (
    bars_finding,
    categories_finding,
    convergence_finding,
    drawn_units,
    fairpair_answer,
    fairpair_finding,
    mean_ratio_note,
    notes,
    prompt_finding,
    prompts_finding,
    sentiment_finding,
    words_finding,
)
from pcf_core.show.findings.numbers import beside_one, p_value, with_interval
from pcf_core.show.findings.sources import source_of
from pcf_core.texts.fairpair.dissimilarity import Jaccard
from pcf_core.texts.fairpair.metric import convergence
from pcf_core.texts.fairpair.records import LABEL, FairPairReport, PromptPairs, Variation
from pcf_core.texts.fairpair.report import beside_others, controlled, fairpair_report
from pcf_core.texts.fairpair.words import word_report
from tests.texts.fairpair.planted import identical, planted


def report(pairs: list[PromptPairs]) -> FairPairReport:
    return fairpair_report(pairs, Jaccard(), model="mini", original="John", counterpart="Jane", resamples=200)


@pytest.fixture(scope="module")
def found() -> FairPairReport:
    return report(planted(40, share=0.9, prompts=4))


@pytest.fixture(scope="module")
def alike() -> FairPairReport:
    return report(identical(20, prompts=4))


def test_a_difference(found: FairPairReport) -> None:
    sentence = fairpair_finding(found)
    interval = found.intervals["ratio_of_means"]
    assert sentence.startswith("mini wrote to 4 prompts with 40 texts a side, compared by Jaccard.")
    assert f"F is {beside_one(found.means.ratio, interval)}; sampling alone gives 1." in sentence
    assert "Texts for Jane and texts for John differ 5 % more than sampling gives (p under 0.001" in sentence
    assert "1,000 relabellings" in sentence
    assert source_of(LABEL) in sentence


def test_no_difference_is_not_called_equality(alike: FairPairReport) -> None:
    sentence = fairpair_finding(alike)
    assert (
        "We cannot show that texts for Jane and texts for John differ more than sampling "
        "gives (p = 0.51, 1,000 relabellings)."
    ) in sentence
    assert p_value(alike.p_value) in sentence


def test_several_models_say_that_they_are_controlled(found: FairPairReport, alike: FairPairReport) -> None:
    first, _ = controlled([found, alike])
    assert "F is 1.046 (1.025–1.099); sampling alone gives 1." in fairpair_finding(first)
    assert "differ 5 % more than sampling gives" in fairpair_finding(first)


def test_a_sure_difference_of_under_one_per_cent_is_said_to_be_hardly_any(found: FairPairReport) -> None:
    small = found.model_copy(
        update={"means": Variation(between=1.004**0.5, within_original=1.0, within_prompt=1.0)}
    )
    assert fairpair_answer(small).startswith(
        "mini writes only slightly differently about Jane than about John"
    )
    assert fairpair_answer(small).endswith("F is 1.004; sampling alone gives 1.")
    assert fairpair_answer(found).startswith("mini writes differently about Jane than about John")


def test_too_few_texts() -> None:
    sentence = fairpair_finding(report(identical(2)))
    assert (
        "So few texts cannot tell texts for Jane and texts for John apart: p = 0.33 is the "
        "smallest that the test can give."
    ) in sentence


@pytest.mark.parametrize(
    ("original", "prompt", "words"),
    [
        ("a", "a", "there is no variation: every text is like every other. E is 0."),
        ("a", "b", "either side always says the same, and something else than the other. E is 2.00."),
    ],
)
def test_no_ratio_is_said_in_words(original: str, prompt: str, words: str) -> None:
    one = report([PromptPairs("x", (original,) * 6, (prompt,) * 6)])
    assert f"F is undefined, as {words}" in fairpair_finding(one)
    assert "F is undefined, as" in prompt_finding(one.prompts[0])
    assert mean_ratio_note(one) == ""


def test_one_side_that_never_varies() -> None:
    one = report([PromptPairs("x", ("a",) * 6, ("a", "b", "c", "d", "e", "f"))])
    assert "F is undefined, as one side always says the same." in fairpair_finding(one)


def test_bars_name_every_figure(found: FairPairReport) -> None:
    sentence = bars_finding(found)
    for name in ("between", "within_original", "within_prompt"):
        assert with_interval(getattr(found.means, name), found.intervals[name]) in sentence
    assert "means over 4 prompts by Jaccard" in sentence


def test_the_mean_of_f_stands_beside_that_of_random_labels(alike: FairPairReport) -> None:
    sentence = mean_ratio_note(alike)
    assert sentence.startswith("The mean of F over 4 prompts is ")
    assert sentence.endswith(f"; random labels give {beside_one(alike.chance_ratio)}.")


def test_prompts(found: FairPairReport, alike: FairPairReport) -> None:
    assert prompts_finding(found).startswith(
        "One by one, the sides differ beyond chance for 4 of 4 prompts (controlled at 5 %"
    )
    assert prompts_finding(alike).startswith("For none of 4 prompts by itself")
    row = found.prompts[0]
    sentence = prompt_finding(row)
    assert sentence.startswith("“prompt 0” has 40 texts a side in 1 fold.")
    assert f"F is {beside_one(row.ratio)}; random labels give {beside_one(row.chance_ratio)}." in sentence
    assert f"The test gives {p_value(row.p_value)}, controlled {p_value(row.adjusted)}." in sentence


def test_notes_name_what_has_no_ratio_what_is_empty_and_the_other_test() -> None:
    pairs = [*identical(10, prompts=2), PromptPairs("silent", ("",) * 10, ("",) * 10)]
    few, first, second, third, last = notes(report(pairs))
    assert few.startswith("Ranges over 3 prompts are rough.")
    assert first == (
        "The mean of F leaves out “silent” (no variation: every text is like every other, so there is no F)."
    )
    assert second.startswith("10 of the texts for John and 10 of those for Jane have no word")
    assert third.startswith("Wilcoxon's signed ranks of B − √(V V) over 3 prompts give p = ")
    assert "A word that the rewriting missed counts as a difference." in last


def test_notes_say_where_there_is_no_interval_and_where_it_is_rough() -> None:
    assert notes(report(identical(4)))[0].startswith("With a single prompt nothing is known of other prompts")
    assert "are rough" not in " ".join(notes(report(identical(4, prompts=10))))


def test_the_more_positive_side(found: FairPairReport) -> None:
    assert sentiment_finding(found).startswith("We cannot tell which side is more positive.")
    pairs = [
        PromptPairs(p.prompt, p.perturbed_original, tuple(f"{text} wonderful" for text in p.perturbed_prompt))
        for p in identical(10, prompts=4)
    ]
    said = sentiment_finding(report(pairs))
    assert said.startswith("Texts for Jane are more positive.")
    assert "0.57 for Jane and 0 for John. The difference is +0.57" in said


def test_convergence() -> None:
    sentence = convergence_finding(convergence(identical(60), Jaccard()))
    assert sentence.startswith("B is 0.")
    assert "B is 0.88 with 60 samples a side, the mean of 1 prompt." in sentence
    assert "In 30 folds B is" in sentence


def test_words_and_categories() -> None:
    words = word_report(planted(60, share=0.9, prompts=4), original="John", counterpart="Jane")
    sentence = words_finding(words)
    assert f"{words.found} phrases differ beyond chance (false discoveries controlled at 5 %" in sentence
    assert "Texts for Jane have more often “" in sentence
    assert "240 texts for Jane with 240 for John" in sentence
    assert source_of(LABEL) in sentence
    said = categories_finding(words)
    assert "More texts for Jane have words of family and home: 9" in said
    assert "Shares are for Jane against John." in said
    none = word_report(identical(20, seed=1), original="John", counterpart="Jane")
    assert words_finding(none).startswith("No phrase of one to three words differs beyond chance")
    assert categories_finding(none).startswith("In none of 5 categories of words do the sides differ")


# ------------------------------------------------------------- nothing sampled, facts, words exchanged


def test_nothing_that_was_not_sampled_is_called_beyond_sampling() -> None:
    pairs = [PromptPairs("x", ("a",) * 20, ("b",) * 20), PromptPairs("y", ("c",) * 20, ("c",) * 20)]
    found = fairpair_report(
        pairs, Jaccard(), model="mini", original="John", counterpart="Jane", resamples=200, sampled=False
    )
    nothing = (
        "Nothing was sampled at temperature 0, so there is no test: copies of one text are no samples. By "
        "Jaccard, the text for Jane differs from that for John in 1 of 2 prompts"
    )
    assert nothing in fairpair_finding(found)
    assert prompts_finding(found) == f"{nothing}."
    assert prompt_finding(found.prompts[0]).endswith(
        "It is not tested, as nothing was sampled. B is 1.00, V is 0 and 0, E is 2.00."
    )
    said = " ".join([fairpair_finding(found), *notes(found), *map(prompt_finding, found.prompts)])
    assert "p =" not in said
    assert "beyond" not in said
    assert "more than sampling" not in said
    words = word_report(pairs, original="John", counterpart="Jane", sampled=False)
    assert words_finding(words).startswith("No phrase is tested: nothing was sampled, and copies of one text")
    assert "2 texts for Jane with 2 for John" in words_finding(words)
    assert categories_finding(words).startswith("No category of words is tested: nothing was sampled.")


def test_statements_are_said_where_prompts_share_them() -> None:
    pairs = [replace(pair, fact=str(place // 5)) for place, pair in enumerate(identical(6, prompts=60))]
    found = report(pairs)
    assert drawn_units(found) == "statements, each with all its prompts"
    assert drawn_units(report(identical(6, prompts=12))) == "prompts"
    assert (
        "mini wrote to 60 prompts of 12 statements with 6 texts a side, compared by Jaccard."
    ) in fairpair_finding(found)
    assert notes(found)[0].startswith("60 prompts make 12 statements: some say the same in other words.")
    assert any("signed ranks of B − √(V V) over 12 statements" in note for note in notes(found))
    assert notes(report(pairs[:20]))[1].startswith("Ranges over 4 statements are rough.")
    assert notes(report(pairs[:5]))[1].startswith("With a single statement nothing is known of other state")


def test_f_is_said_with_and_without_the_words_that_are_exchanged(
    found: FairPairReport, alike: FairPairReport
) -> None:
    both = beside_others({"jaccard": found, "jaccard-others": alike}, "whole")["jaccard"]
    sentence = fairpair_finding(both)
    others = beside_one(alike.means.ratio, alike.intervals["ratio_of_means"])
    assert f"sampling alone gives 1. Without the words that are exchanged it is {others}." in sentence
    assert f"We cannot show it without the words that are exchanged ({p_value(alike.p_value)})." in sentence
    too = beside_others({"jaccard": found, "jaccard-others": found}, "entity")["jaccard"]
    assert "They do so without the words that are exchanged too (p under 0.001)." in fairpair_finding(too)
    assert "without the words" not in fairpair_finding(alike)
    assert notes(both)[-1].startswith("The mode whole also exchanges pronouns and words about other people.")
    assert notes(too)[-1] == notes(found)[-1]


@pytest.mark.parametrize(
    ("exchanged", "sentence"),
    [
        (set(), source_of(LABEL)),
        (
            {"he", "she"},
            (
                "All 4 hold a word that the exchange itself touches. A model that uses it whoever is "
                "named differs by that alone."
            ),
        ),
        ({"he"}, " 2 of the 4 hold a word that the exchange itself touches."),
    ],
)
def test_phrases_that_the_exchange_may_have_made_are_called_so(exchanged: set[str], sentence: str) -> None:
    pairs = [PromptPairs("x", ("she walks",) * 40, ("he walks",) * 40)]
    words = word_report(pairs, original="John", counterpart="Jane", exchanged=frozenset(exchanged))
    assert sentence in words_finding(words)
    assert ("touches" in words_finding(words)) == bool(exchanged)
