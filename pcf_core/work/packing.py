"""Gather results of FairPair and of the criteria for a pack, with their material and texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from pcf_core.core.errors import CriteriaError, FairPairError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.run import ScoringKey
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiment import ScoredAsk
from pcf_core.texts.criteria.experiments import material_of
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import FairPairResult
from pcf_core.texts.packed import PackedCriteria, PackedFairPair, WrittenTexts
from pcf_core.work.criteria import CRITERIA_AUDIT, asks_of, by_words, load_asked_experiment
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, load_pairs, load_perturbation_table, load_perturbed
from pcf_core.work.fairpair import load_prompt_set as load_prompts

Found = TypeVar("Found", FairPairResult, CriteriaResult)


def packed_fairpair(store: Store, key: str) -> PackedFairPair:
    """Gather a FairPair result by the key of its request.

    Raises FairPairError if there is none, it was imported, or texts are gone, and StoreError if its prompts
    or table are gone.
    """
    result = _must_be_ours(FAIRPAIR_AUDIT.load(store, key), key, "FairPair", FairPairError)
    request, prompts = result.asked, load_prompts(store, result.asked)
    for index in range(len(result.counterparts)):
        load_pairs(store, result, index)
    wanted = [("", text) for text in (*prompts.texts, *result.counterparts)]
    perturbed = (load_perturbed(store, request, text) for text in prompts.texts)
    return PackedFairPair(
        result=result,
        prompts=prompts,
        table=load_perturbation_table(store, request),
        written=_written(store, request.key, wanted, request.count, FairPairError),
        perturbed=tuple(one for one in perturbed if one is not None),
    )


def packed_criteria(store: Store, key: str) -> PackedCriteria:
    """Gather a result of the criteria by the key of its request.

    Raises CriteriaError if there is none, it was imported, or texts or scores are gone, and StoreError if its
    material is gone.
    """
    result = _must_be_ours(CRITERIA_AUDIT.load(store, key), key, "criteria", CriteriaError)
    request, experiment = result.asked, load_asked_experiment(store, result.asked)
    if request.scoring is not None:
        scored = _scored(store, request.scoring, experiment.scored_asks())
        return PackedCriteria(result=result, material=material_of(experiment), scored=scored)
    asks = asks_of(request, experiment)
    wanted = [(ask.system, ask.prompt) for ask, _ in asks]
    written = _written(store, asks[0][1], wanted, request.repeats, CriteriaError)
    return PackedCriteria(result=result, material=material_of(experiment), written=written)


def _must_be_ours(
    result: Found | None, key: str, what: str, error: type[FairPairError | CriteriaError]
) -> Found:
    if result is None:
        raise error(
            f"No finished {what} result has the key {key[:40]!r}: give the key that `{what.lower()} --json` "
            "prints as `asked`, or run the audit first."
        )
    if result.asked.imported:
        raise error(
            f"The {what} result {key} was imported and cannot be packed again: pass on the pack it came from."
        )
    return result


def _written(
    store: Store,
    key: GenerationKey,
    wanted: Sequence[tuple[str, str]],
    count: int,
    error: type[FairPairError | CriteriaError],
) -> tuple[WrittenTexts, ...]:
    several = []
    for system, prompt in dict.fromkeys(wanted):
        texts = store.texts(key.with_system(system), prompt, count)
        if texts is None:
            raise error(
                f"Some texts for the prompt “{prompt[:60]}” are missing: run the audit again "
                "before packing it."
            )
        several.append(
            WrittenTexts(
                system=system, prompt=prompt, texts=texts.texts, ends=texts.ends, tokens=texts.tokens
            )
        )
    return tuple(several)


def _scored(store: Store, key: ScoringKey, asks: Sequence[ScoredAsk]) -> tuple[tuple[float | None, ...], ...]:
    """Return [cell][word] nats; ``None`` for words that the tokenizer refuses."""
    refused = store.known_words(key).refused
    scores: dict[str, tuple[float | None, ...]] = {}
    for words, alike in by_words(asks).items():
        values = store.gather(key, [ask.text for ask in alike], words).tolist()
        for ask, row in zip(alike, values, strict=True):
            if -math.inf in row:
                raise CriteriaError(
                    f"In {ask.cell!r} the model gives {words[row.index(-math.inf)]!r} no probability at all, "
                    "which a pack cannot hold: export a report instead."
                )
            scores[ask.cell] = tuple(None if math.isnan(value) else value for value in row)
            if any(
                (value is None) != (word in refused)
                for word, value in zip(words, scores[ask.cell], strict=True)
            ):
                raise CriteriaError(
                    f"Some scores of {ask.cell!r} are missing: run the audit again before packing it."
                )
    return tuple(scores[ask.cell] for ask in asks)
