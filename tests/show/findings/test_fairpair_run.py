"""Sentences on how texts were written and what the perturbation did wrong: every branch."""

from __future__ import annotations

import pytest

from pcf_core.core.generation import Decoding
from pcf_core.show.findings.fairpair_run import (
    declined_finding,
    decoding_text,
    ends_finding,
    grid_finding,
    perturber_finding,
    settings_finding,
    silence_warning,
)
from pcf_core.texts.fairpair.records import FairPairResult
from tests.texts.fairpair.planted import planted
from tests.texts.fairpair.results import ERRORS, made_up


@pytest.fixture(scope="module")
def found() -> FairPairResult:
    return made_up(planted(10, prompts=3))


def test_how_tokens_are_drawn() -> None:
    assert decoding_text(Decoding()) == "temperature 1, top-p 0.9, at most 40 new tokens, seed 0"
    assert decoding_text(Decoding(temperature=0, length=1)) == (
        "temperature 0 (always the likeliest token), at most 1 new token, seed 0"
    )


def test_models_are_compared_at_equal_settings_alone(found: FairPairResult) -> None:
    assert settings_finding(found.asked, 1).startswith("The model wrote 10 texts for each side of a prompt.")
    folded = found.asked.model_copy(update={"fold_size": 5})
    sentence = settings_finding(folded, 2)
    assert sentence.startswith(
        "Both models wrote 10 texts for each side of a prompt, compared in folds of 5."
    )
    assert "temperature 1, top-p 0.9" in sentence
    assert "V depends on them" in sentence


def test_the_perturbations_own_errors() -> None:
    sentence = perturber_finding(ERRORS)
    assert (
        "The rewriting exchanged 50 words in 40 of 80 texts. Exchanged back, 4 (5 %) are not what they were."
    ) in sentence
    assert (
        "Causes: a counterpart leads back to another word (2); a part of speech was read differently (1)."
    ) in sentence
    assert "It left 3 words of those that it exchanges (6 % of those left and exchanged)." in sentence
    assert "“sailor” (3)" in sentence


def test_of_an_entity_missed_pronouns_are_said_to_be_unknown() -> None:
    said = "Pronouns that were missed are not counted."
    assert perturber_finding(ERRORS.model_copy(update={"mode": "entity"})).endswith(said)
    assert said not in perturber_finding(ERRORS.model_copy(update={"mode": "whole"}))


def test_no_error_and_nothing_to_exchange() -> None:
    flawless = ERRORS.model_copy(update={"returned_texts": 80, "not_returned": {}, "left": {}})
    assert perturber_finding(flawless).endswith("Exchanged back, 0 (0 %) are not what they were.")
    silent = flawless.model_copy(update={"changed": 0, "changed_texts": 0})
    assert "found nothing to exchange in 80 texts" in perturber_finding(silent)


def test_refused_and_empty_texts_are_counted(found: FairPairResult) -> None:
    sentence = ends_finding(found)
    assert (
        "Of 30 texts for John, 1 were refused and 0 are empty. Of 30 texts for Jane, 0 were "
        "refused and 0 are empty."
    ) in sentence
    assert sentence.endswith("25 % of all texts stop at the length limit.")


def test_texts_that_decline_are_said(found: FairPairResult) -> None:
    assert declined_finding(found) == ""
    many = found.model_copy(update={"declined": {"original": 3, "prompt": 0}})
    assert declined_finding(many).startswith("3 texts for John and 0 for Jane decline (")
    assert ends_finding(many).endswith("part of the difference.")


def test_much_silence_is_warned_of(found: FairPairResult) -> None:
    assert silence_warning(found) == ""
    silent = {"stop": 0, "length": 10, "refused": 5, "empty": 15}
    sentence = silence_warning(found.model_copy(update={"ends": {"original": silent, "prompt": silent}}))
    assert sentence.startswith("40 of 60 texts were refused or are empty")


def test_f_by_temperature(found: FairPairResult) -> None:
    report = found.reports["jaccard"]
    greedy = made_up(planted(2, prompts=1)).reports["jaccard"]
    still = greedy.model_copy(
        update={"means": greedy.means.model_copy(update={"within_original": 0.0, "within_prompt": 0.0})}
    )
    sentence = grid_finding("mini", {1.0: report, 0.0: still})
    assert sentence.startswith("By temperature, F of mini is undefined at 0 and 1.04 (0.94–1.14) at 1.")
    assert sentence.endswith(
        "By temperature, F of mini is undefined at 0 and 1.04 (0.94–1.14) at 1. Sampling alone gives 1."
    )
    single = report.model_copy(update={"intervals": {}})
    ratio = grid_finding("mini", {0.7: single, 1.0: report}).partition("F is ")[2].partition(" at 0.7")[0]
    assert ratio.endswith("")


def test_greedy_texts_are_not_said_to_be_written_with_a_token(found: FairPairResult) -> None:
    key = found.asked.key.model_copy(update={"decoding": Decoding(temperature=0)})
    asked = found.asked.model_copy(update={"key": key})
    said = settings_finding(asked, 1)
    assert "temperature 0 (always the likeliest token), at most 40 new tokens, seed 0." in said
    assert "top-p" not in said
