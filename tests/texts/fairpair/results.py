"""Results of FairPair runs over texts that nobody wrote, really measured."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.texts.fairpair.dissimilarity import dissimilarities, exchanged_words
from pcf_core.texts.fairpair.metric import convergence
from pcf_core.texts.fairpair.records import (
    FairPairAsked,
    FairPairResult,
    PerturbationAsked,
    PerturbationErrors,
    Prompt,
    PromptPairs,
    PromptsAsked,
    PromptSet,
)
from pcf_core.texts.fairpair.report import beside_others, fairpair_report
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.fairpair.words import word_report

NAMES = ("John", "Jane")
EXCHANGED = exchanged_words(load_table("gender"), NAMES)
ERRORS = PerturbationErrors(
    table="gender",
    mode="whole",
    texts=80,
    changed_texts=40,
    changed=50,
    returned_texts=76,
    not_returned={"one way": 2, "part of speech": 1},
    left={"sailor": 3},
    left_texts=3,
)


def prompt_set(pairs: Sequence[PromptPairs]) -> PromptSet:
    """The prompts of these pairs, as a set."""
    prompts = tuple(Prompt(text=pair.prompt, category=pair.category, fact=pair.prompt) for pair in pairs)
    return PromptSet(name="own", title="Own", version="1", names=NAMES, prompts=prompts)


def asked_for(
    pairs: Sequence[PromptPairs],
    model: str = "mini-gpt",
    decoding: Decoding | None = None,
    prompts: PromptSet | None = None,
) -> FairPairAsked:
    """What was asked for, of a model that is no more than a name."""
    key = GenerationKey(
        model=model,
        identity="0" * 64,
        tokenizer="1" * 64,
        family="causal",
        rules="1",
        decoding=decoding or Decoding(),
    )
    return FairPairAsked(
        key=key,
        prompts=PromptsAsked.of(prompts or prompt_set(pairs)),
        perturbation=PerturbationAsked.of(load_table("gender"), NAMES, "whole", "en-mini"),
        count=len(pairs[0].perturbed_original),
    )


def made_up(
    pairs: Sequence[PromptPairs],
    asked: FairPairAsked | None = None,
    errors: PerturbationErrors = ERRORS,
) -> FairPairResult:
    """What is found in these pairs, really measured."""
    asked = asked or asked_for(pairs)
    known = dissimilarities(exchanged=EXCHANGED)
    measures = {name: known[name] for name in asked.dissimilarities}
    sampled = asked.sampled
    names = {"original": NAMES[0], "counterpart": NAMES[1]}
    texts = sum(len(pair.perturbed_original) for pair in pairs)
    return FairPairResult(
        asked=asked,
        counterparts=tuple(pair.prompt.replace(*NAMES) for pair in pairs),
        reports=beside_others(
            {
                name: fairpair_report(
                    pairs, measure, model=asked.key.model, resamples=200, sampled=sampled, **names
                )
                for name, measure in measures.items()
            },
            asked.perturbation.mode,
        ),
        convergence={name: convergence(pairs, measure) for name, measure in measures.items()},
        words=word_report(pairs, exchanged=EXCHANGED, sampled=sampled, **names),
        errors=errors,
        ends={
            "original": {"stop": texts - 1, "length": 0, "refused": 1, "empty": 0},
            "prompt": {"stop": texts // 2, "length": texts - texts // 2, "refused": 0, "empty": 0},
        },
        provenance={"pcf_audit": "0", "pipeline": "en-mini"},
    )
