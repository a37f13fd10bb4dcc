"""Sentences of FairPair, from reports that were really made, and on how their texts were written."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from pcf_core.core.generation import Decoding
from pcf_core.show.findings import fairpair
from pcf_core.show.findings.numbers import beside_one, p_value, with_interval
from pcf_core.show.findings.provenance import source_of
from pcf_core.texts.fairpair.dissimilarity import Jaccard
from pcf_core.texts.fairpair.metric import convergence
from pcf_core.texts.fairpair.records import LABEL, FairPairReport, FairPairResult, PromptPairs, Variation
from pcf_core.texts.fairpair.report import beside_others, controlled, fairpair_report
from pcf_core.texts.fairpair.words import WordReport, word_report
from tests.texts.fairpair.planted import identical, planted
from tests.texts.fairpair.results import ERRORS, made_up


def report(pairs: list[PromptPairs], *, sampled: bool = True) -> FairPairReport:
    names = {"model": "mini", "original": "John", "counterpart": "Jane"}
    return fairpair_report(pairs, Jaccard(), **names, resamples=200, sampled=sampled)


def words(
    pairs: list[PromptPairs], exchanged: frozenset[str] = frozenset(), *, sampled: bool = True
) -> WordReport:
    return word_report(pairs, original="John", counterpart="Jane", exchanged=exchanged, sampled=sampled)


@cache
def different() -> FairPairReport:
    return report(planted(40, share=0.9, prompts=4))


@cache
def alike() -> FairPairReport:
    return report(identical(20, prompts=4))


@cache
def shared() -> FairPairReport:
    """Sixty prompts of twelve statements."""
    return report(of_statements(60))


def of_statements(prompts: int) -> list[PromptPairs]:
    return [replace(pair, fact=str(n // 5)) for n, pair in enumerate(identical(6, prompts=prompts))]


def greedy() -> FairPairReport:
    return report(UNSAMPLED, sampled=False)


def others(reading: FairPairReport, mode: str = "whole") -> FairPairReport:
    return beside_others({"jaccard": different(), "jaccard-others": reading}, mode)["jaccard"]  # type: ignore[arg-type]


def constant(original: str, prompt: tuple[str, ...]) -> FairPairReport:
    return report([PromptPairs("x", (original,) * 6, prompt)])


def small() -> FairPairReport:
    means = Variation(between=1.004**0.5, within_original=1.0, within_prompt=1.0)
    return different().model_copy(update={"means": means})


@cache
def result() -> FairPairResult:
    return made_up(planted(10, prompts=3))


UNSAMPLED = [PromptPairs("x", ("a",) * 20, ("b",) * 20), PromptPairs("y", ("c",) * 20, ("c",) * 20)]
EXCHANGED = [PromptPairs("x", ("she walks",) * 40, ("he walks",) * 40)]
LETTERS = ("a", "b", "c", "d", "e", "f")
FLAWLESS = ERRORS.model_copy(update={"returned_texts": 80, "not_returned": {}, "left": {}})
SILENT = {"stop": 0, "length": 10, "refused": 5, "empty": 15}


def reports() -> dict[str, FairPairReport]:
    silent = PromptPairs("silent", ("",) * 10, ("",) * 10)
    wonderful = [
        replace(p, perturbed_prompt=tuple(f"{text} wonderful" for text in p.perturbed_prompt))
        for p in identical(10, prompts=4)
    ]
    return {
        "different": different(),
        "alike": alike(),
        "controlled": controlled([different(), alike()])[0],
        "hardly different": small(),
        "too few": report(identical(2)),
        "one prompt": report(identical(4)),
        "no variation": constant("a", ("a",) * 6),
        "both constant": constant("a", ("b",) * 6),
        "one constant": constant("a", LETTERS),
        "a silent prompt": report([*identical(10, prompts=2), silent]),
        "nothing sampled": greedy(),
        "shared statements": shared(),
        "few statements": report(of_statements(20)),
        "a single statement": report(of_statements(5)),
        "the exchanged words alone": others(alike()),
        "other words too": others(different(), "entity"),
        "more positive": report(wonderful),
    }


def examples() -> dict[str, object]:
    many = result().model_copy(update={"declined": {"original": 3, "prompt": 0}})
    silent = result().model_copy(update={"ends": {"original": SILENT, "prompt": SILENT}})
    still = different().model_copy(
        update={"means": different().means.model_copy(update={"within_original": 0.0, "within_prompt": 0.0})}
    )
    key = result().asked.key.model_copy(update={"decoding": Decoding(temperature=0)})
    of_words = {
        "planted": words(planted(60, share=0.9, prompts=4)),
        "none": words(identical(20, seed=1)),
        "nothing sampled": words(UNSAMPLED, sampled=False),
        **{
            f"exchanged {len(exchanged)}": words(EXCHANGED, frozenset(exchanged))
            for exchanged in ((), ("he",), ("he", "she"))
        },
    }
    return {
        **{
            name: {
                "title": fairpair.fairpair_title({"m": found}),
                "answer": fairpair.fairpair_answer(found),
                "finding": fairpair.fairpair_finding(found),
                "bars": fairpair.bars_finding(found),
                "mean": fairpair.mean_ratio_note(found),
                "prompts": fairpair.prompts_finding(found),
                "prompt": fairpair.prompt_finding(found.prompts[0]),
                "drawn": fairpair.drawn_units(found),
                "sentiment": fairpair.sentiment_finding(found),
                "notes": fairpair.notes(found),
            }
            for name, found in reports().items()
        },
        "convergence": fairpair.convergence_finding(convergence(identical(60), Jaccard())),
        "words": {name: fairpair.words_finding(found) for name, found in of_words.items()},
        "categories": {name: fairpair.categories_finding(found) for name, found in of_words.items()},
        "decoding": [fairpair.decoding_text(one) for one in (Decoding(), Decoding(temperature=0, length=1))],
        "settings": [
            fairpair.settings_finding(result().asked, 1),
            fairpair.settings_finding(result().asked.model_copy(update={"fold_size": 5}), 2),
            fairpair.settings_finding(result().asked.model_copy(update={"key": key}), 1),
        ],
        "errors": [
            fairpair.perturber_finding(errors)
            for errors in (
                ERRORS,
                ERRORS.model_copy(update={"mode": "entity"}),
                FLAWLESS,
                FLAWLESS.model_copy(update={"changed": 0, "changed_texts": 0}),
            )
        ],
        "ends": [fairpair.ends_finding(one) for one in (result(), many)],
        "declined": [fairpair.declined_finding(one) for one in (result(), many)],
        "silence": [fairpair.silence_warning(one) for one in (result(), silent)],
        "temperatures": fairpair.grid_finding(
            "mini", {1.0: different(), 0.0: still, 0.7: different().model_copy(update={"intervals": {}})}
        ),
    }


def test_figures_are_those_of_the_report() -> None:
    found, interval = different(), different().intervals["ratio_of_means"]
    said = fairpair.fairpair_finding(found)
    assert f", is {beside_one(found.means.ratio, interval)}; chance alone would give 1." in said
    assert said.endswith(source_of(LABEL))
    for name in ("between", "within_original", "within_prompt"):
        text = with_interval(getattr(found.means, name), found.intervals[name])
        assert text in fairpair.bars_finding(found)
    row = found.prompts[0]
    assert f"The test gives {p_value(row.p_value)}, after correction {p_value(row.adjusted)}." in (
        fairpair.prompt_finding(row)
    )
    assert f"random labels give {beside_one(alike().chance_ratio)}." in fairpair.mean_ratio_note(alike())


def test_a_difference_is_told_only_beyond_sampling_and_no_difference_is_no_equality() -> None:
    clear = fairpair.fairpair_finding(different())
    assert "differ by 5 % more than chance alone explains (p under 0.001" in clear
    said = fairpair.fairpair_finding(alike())
    assert "We cannot show that texts for Jane and texts for John differ" in said
    assert p_value(alike().p_value) in said
    assert "equal" not in said


@pytest.mark.parametrize(("ratio", "slightly"), [(1.0099, True), (1.0101, False)])
def test_a_sure_difference_of_under_one_per_cent_is_said_to_be_hardly_any(
    ratio: float, slightly: bool
) -> None:
    means = Variation(between=ratio**0.5, within_original=1.0, within_prompt=1.0)
    said = fairpair.fairpair_answer(different().model_copy(update={"means": means}))
    assert (" slightly differently" in said) is slightly


@pytest.mark.parametrize("found", ["no variation", "both constant", "one constant", "nothing sampled"])
def test_where_there_is_no_ratio_or_no_test_none_is_claimed(found: str) -> None:
    one = reports()[found]
    said = " ".join([fairpair.fairpair_finding(one), *map(fairpair.prompt_finding, one.prompts)])
    if found == "nothing sampled":
        assert "more than" not in said
        assert "p =" not in said
    else:
        assert "The ratio of differences is undefined, because" in said
        assert fairpair.mean_ratio_note(one) == ""


def test_f_is_said_with_and_without_the_words_that_are_exchanged() -> None:
    both, too = others(alike()), others(different(), "entity")
    reading = beside_one(alike().means.ratio, alike().intervals["ratio_of_means"])
    assert f"Without the exchanged words the ratio is {reading}." in fairpair.fairpair_finding(both)
    assert "; without the exchanged words, we cannot show a difference." in fairpair.fairpair_answer(both)
    assert ", not only in the exchanged words." in fairpair.fairpair_answer(too)
    assert "exchanged" not in fairpair.fairpair_finding(alike()).partition(source_of(LABEL))[0]


@pytest.mark.parametrize("exchanged", [set(), {"he"}, {"he", "she"}])
def test_phrases_that_the_exchange_may_have_made_are_called_so(exchanged: set[str]) -> None:
    said = fairpair.words_finding(words(EXCHANGED, frozenset(exchanged)))
    assert ("a word that the rewriting itself exchanges" in said) == bool(exchanged)
    assert said.endswith(source_of(LABEL))


def test_of_an_entity_missed_pronouns_are_said_to_be_unknown() -> None:
    said = "Pronouns that were missed are not counted."
    assert fairpair.perturber_finding(ERRORS.model_copy(update={"mode": "entity"})).endswith(said)
    assert said not in fairpair.perturber_finding(ERRORS.model_copy(update={"mode": "whole"}))


@pytest.mark.parametrize(("silent", "warned"), [(14, False), (15, True)])
def test_a_quarter_of_silent_texts_is_warned_of(silent: int, warned: bool) -> None:
    """Of sixty texts."""
    ends = {
        "original": {"stop": 30 - silent, "empty": silent, "refused": 0, "length": 0},
        "prompt": {"stop": 30},
    }
    said = fairpair.silence_warning(result().model_copy(update={"ends": ends}))
    assert bool(said) is warned
    assert said.startswith(f"{silent} of 60 texts") or not warned


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.9, 0.98, "no further apart"),
        (0.98, 1.02, "We cannot show"),
        (1.01, 1.03, "The verdict is based on the test"),
    ],
)
def test_a_range_beside_1_is_never_left_without_a_word(low: float, high: float, words: str) -> None:
    ratio = alike().intervals["ratio_of_means"].model_copy(update={"low": low, "high": high})
    found = alike().model_copy(update={"intervals": {"ratio_of_means": ratio}})
    assert not found.differs
    assert words in fairpair.fairpair_finding(found)
    assert ("We cannot show" in fairpair.fairpair_answer(found)) == (high > 1)


def test_a_title_claims_of_one_model_what_the_test_shows() -> None:
    report = different()
    assert (
        fairpair.fairpair_title({"m": report})
        == f"{report.model} writes differently about {report.counterpart}"
    )
    between = report.means.between
    within = {"within_original": between / 1.004, "within_prompt": between / 1.004}
    slightly = report.model_copy(update={"means": report.means.model_copy(update=within)})
    assert " writes slightly differently about " in fairpair.fairpair_title({"m": slightly})
    unclear = report.model_copy(update={"p_value": 0.4, "adjusted": None})
    for several in ({"m": unclear}, {"m": report, "n": report}):
        assert fairpair.fairpair_title(several) == ""
