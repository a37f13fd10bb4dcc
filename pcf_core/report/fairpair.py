"""A FairPair result as a JSON document, the shape of ``fairpair --json`` (schema in docs/cli.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pcf_core.core.risk import Interval
from pcf_core.report.documents import finite
from pcf_core.show.findings.fairpair import notes
from pcf_core.texts.fairpair.records import (
    CategoryDifference,
    FairPairReport,
    FairPairResult,
    OthersReading,
    PerturbationErrors,
    PromptDifference,
    PromptPairs,
    WordDifference,
)


def fairpair_document(
    result: FairPairResult,
    reports: Mapping[str, FairPairReport],
    pairs: Sequence[PromptPairs] = (),
    sentences: int = 0,
) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and texts; what does not exist is null.

    ``reports``: those of the result, by dissimilarity, controlled over the models that are read together.
    The curves of convergence are left out, and texts but for the first ``sentences`` of either side behind
    each phrase and category, from the ``pairs`` of all prompts.
    """
    asked = result.asked
    document = {
        "asked": asked.hash,
        "model": asked.key.model,
        "prompts": {"name": asked.prompts.name, "version": asked.prompts.version, "hash": asked.prompts.hash},
        "perturbation": asked.perturbation.model_dump(
            mode="json", include={"table", "hash", "entity", "mode", "reverse", "pipeline", "rules"}
        ),
        "count": asked.count,
        "fold_size": asked.fold_size,
        "encoders": [encoder.model_dump(mode="json") for encoder in asked.encoders],
        "generation": asked.key.model_dump(mode="json"),
        "reports": {name: report_document(report) for name, report in reports.items()},
        "words": {
            "tested": result.words.tested,
            "found": result.words.found,
            "texts": result.words.original_texts,
            "exchanged": result.words.exchanged,
            "sampled": result.words.sampled,
            "strongest": [
                word_document(word) | texts_behind(word, pairs, sentences) for word in result.words.words
            ],
            "lexicon": asked.categories.name if asked.categories else None,
            "categories": [
                category_document(category) | texts_behind(category, pairs, sentences)
                for category in result.words.categories
            ],
        },
        "errors": errors_document(result.errors),
        "ends": result.ends,
        "declined": result.declined,
        "provenance": result.provenance,
        "label": result.label,
    }
    return finite(document)  # type: ignore[no-any-return]


def report_document(report: FairPairReport) -> dict[str, Any]:
    """Describe all prompts of a model under one dissimilarity, then each."""
    return {
        "dissimilarity": report.dissimilarity,
        "original": report.original,
        "counterpart": report.counterpart,
        "between": report.means.between,
        "within_original": report.means.within_original,
        "within_prompt": report.means.within_prompt,
        "ratio_of_means": report.means.ratio,
        "mean_ratio": report.mean_ratio,
        "chance_ratio": report.chance_ratio,
        "energy": report.means.energy,
        "intervals": {name: interval_document(interval) for name, interval in report.intervals.items()},
        "p_value": report.p_value,
        "adjusted": report.controlled_p,
        "least_p": report.least_p,
        "wilcoxon_p": report.wilcoxon_p,
        "permutations": report.permutations,
        "differs": report.differs,
        "sampled": report.sampled,
        "facts": report.facts,
        "without_exchanged": None if report.others is None else others_document(report.others),
        "sentiment": {
            "original": report.sentiment.original,
            "prompt": report.sentiment.prompt,
            "difference": report.sentiment.difference,
            "interval": None
            if report.sentiment.interval is None
            else interval_document(report.sentiment.interval),
        },
        "prompts": [prompt_document(row) for row in report.prompts],
        "undefined": [item.model_dump() for item in report.undefined],
        "notes": list(notes(report)),
    }


def others_document(others: OthersReading) -> dict[str, Any]:
    """Describe F without the words that p exchanges."""
    return {
        "ratio_of_means": others.ratio,
        "interval": None if others.interval is None else interval_document(others.interval),
        "p_value": others.p_value,
        "adjusted": others.controlled_p,
        "differs": others.differs,
    }


def interval_document(interval: Interval) -> dict[str, Any]:
    """Describe an interval; its unit is statements (``fact``), prompts, or texts of one prompt alone."""
    return interval.model_dump(exclude={"over"})


def prompt_document(row: PromptDifference) -> dict[str, Any]:
    """Describe one prompt."""
    return row.model_dump(exclude={"sentiment", "adjusted"}) | {
        "ratio": row.ratio,
        "energy": row.energy,
        "undefined": row.undefined,
        "adjusted": row.controlled_p,
        "differs": row.differs,
        "sentiment_difference": row.sentiment.difference,
    }


def word_document(word: WordDifference) -> dict[str, Any]:
    """Describe one n-gram."""
    return word.model_dump(mode="json", exclude={"original_texts", "prompt_texts"}) | {
        "more_in": word.more_in,
        "differs": word.differs,
    }


def category_document(category: CategoryDifference) -> dict[str, Any]:
    """Describe one category of words."""
    document = category.model_dump(mode="json", exclude={"original_texts", "prompt_texts"})
    return document | {"differs": category.differs}


def texts_behind(
    found: WordDifference | CategoryDifference, pairs: Sequence[PromptPairs], most: int
) -> dict[str, Any]:
    """Return the first texts of either side that have a phrase or a word of a category.

    They are empty if none are wanted.
    """
    if most == 0:
        return {}
    return {
        "original_texts": [pairs[x].perturbed_original[i] for x, i in found.original_texts[:most]],
        "prompt_texts": [pairs[x].perturbed_prompt[i] for x, i in found.prompt_texts[:most]],
    }


def errors_document(errors: PerturbationErrors) -> dict[str, Any]:
    """Describe the perturbation's own errors, with what share they are."""
    return errors.model_dump(mode="json") | {
        "text_error": errors.text_error,
        "word_error": errors.word_error,
        "left_share": errors.left_share,
    }
