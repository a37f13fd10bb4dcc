"""All prompts of a model together: means, intervals over facts, and tests.

The mean of the prompts' F exceeds 1 by chance where few texts make V noisy, so the F of random labels is
given too; the ratio of means does not, so read it first.

The verdict rests on relabelling texts within folds, which is exact.  Wilcoxon's signed ranks of B − √(V_gp
V_pg) over facts, the protocol's other test, rejects too often with many prompts: without any difference the
statistic is E / 2 + (√V_gp − √V_pg)² / 2, whose mean is above 0.

At temperature 0 a side is copies of one text, so B and E are given without a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import Interval
from pcf_core.measure.ties import holm_adjusted
from pcf_core.texts.fairpair.dissimilarity import (
    Dissimilarity,
    Encode,
    Sentiment,
    dissimilarities,
    exchanged_words,
)
from pcf_core.texts.fairpair.intervals import (
    FEWEST_PERMUTATIONS,
    mean_interval,
    ratio_of_means_interval,
    relabelled,
    share_at_least,
    signed_ranks,
)
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.metric import convergence, fold_matrices, folds_for, variation_of
from pcf_core.texts.fairpair.records import (
    JACCARD,
    OTHERS,
    QUANTITIES,
    Convergence,
    FairPairAsked,
    FairPairReport,
    Mode,
    OthersReading,
    PerturbationTable,
    PromptDifference,
    PromptPairs,
    SignedReading,
    Variation,
    WordReport,
)
from pcf_core.texts.fairpair.words import word_report

MOST_PERMUTATIONS = 20_000  # unless Holm's correction over the prompts needs more

REASONS = {
    "no variation": "no variation: every text is like every other, so there is no F",
    "one side constant": "one side never varies, so there is no F",
    "both sides constant": "neither side varies, so there is no F, but the two differ",
}


def permutations_for(prompts: int) -> int:
    """Return a number of permutations with which Holm's correction over the prompts can still reject.

    The smallest adjusted p is under 0.05, and up to 200 prompts under 0.01.
    """
    return max(FEWEST_PERMUTATIONS, min(100 * prompts, MOST_PERMUTATIONS), 20 * prompts)


def fairpair_report(
    pairs: Sequence[PromptPairs],
    dissimilarity: Dissimilarity,
    *,
    model: str,
    original: str,
    counterpart: str,
    fold_size: int | None = None,
    resamples: int = 2000,
    seed: int = 0,
    sampled: bool = True,
    pause: Callable[[], None] = lambda: None,
) -> FairPairReport:
    """Measure a model's prompts under one dissimilarity.

    ``pairs``: at least one prompt, each once, or FairPairError.  ``original``, ``counterpart``: the entities
    of x and p(x).  ``fold_size``: texts per side and fold (the paper's is
    :data:`~pcf_core.texts.fairpair.metric.FOLD`); ``None`` for a single fold, which has the most power.
    ``resamples``: of the intervals.  ``sampled``: false for copies of one text, which are not tested.
    ``pause``: called between blocks of work; an exception from it ends the work.
    """
    names = [pair.prompt for pair in pairs]
    if not names:
        raise FairPairError("FairPair needs at least one prompt, but there is none.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FairPairError(f"Each prompt may appear only once, but “{twice}” appears twice.")
    count = permutations_for(len(pairs))
    rows = []
    observed, dealt, least_p = 0.0, np.zeros(count), 1.0
    for index, pair in enumerate(pairs):
        pause()
        row, folds = _prompt(pair, dissimilarity, fold_size, sampled)
        if sampled:
            test = relabelled(folds, count, (seed, index), pause)
            observed, dealt, least_p = observed + test.observed, dealt + test.dealt, least_p * test.least_p
            tested = {name: getattr(test, name) for name in ("p_value", "least_p", "chance_ratio")}
            row = row.model_copy(update=tested)
        rows.append(row)
    prompts = holm_adjusted(rows)
    facts = [row.fact or row.prompt for row in prompts]
    values = np.array([(row.between, row.within_original, row.within_prompt) for row in prompts])
    between, within_original, within_prompt = (float(value) for value in values.mean(axis=0))
    ratios = [row.ratio for row in prompts]
    defined = [ratio for ratio in ratios if ratio is not None]
    chances = [row.chance_ratio for row in prompts if row.ratio is not None and row.chance_ratio is not None]
    return FairPairReport(
        model=model,
        dissimilarity=dissimilarity.name,
        original=original,
        counterpart=counterpart,
        prompts=prompts,
        means=Variation(between=between, within_original=within_original, within_prompt=within_prompt),
        mean_ratio=float(np.mean(defined)) if defined else None,
        chance_ratio=float(np.mean(chances)) if chances else None,
        intervals=_intervals(values, ratios, facts, resamples, seed),
        p_value=share_at_least(observed / len(pairs), dealt / len(pairs)) if sampled else None,
        least_p=max(1 / (count + 1), least_p) if sampled else None,
        wilcoxon_p=signed_ranks(values[:, 0] - np.sqrt(values[:, 1] * values[:, 2]), facts)
        if sampled
        else None,
        permutations=count if sampled else 0,
        sentiment=_over_prompts(prompts, facts, resamples, seed),
        undefined=tuple(
            LeftOut(name=row.prompt, reason=REASONS[row.undefined]) for row in prompts if row.undefined
        ),
    )


def _prompt(
    pair: PromptPairs, dissimilarity: Dissimilarity, fold_size: int | None, sampled: bool
) -> tuple[PromptDifference, tuple[FloatArray, ...]]:
    """Return the result for one prompt before its test, and the Φ of its folds."""
    original, prompt = pair.perturbed_original, pair.perturbed_prompt
    try:
        folds = fold_matrices(original, prompt, dissimilarity, folds_for(len(original), fold_size))
    except FairPairError as refusal:
        raise FairPairError(f"Prompt “{pair.prompt}”: {refusal}") from refusal
    difference = PromptDifference(
        **variation_of(folds).model_dump(),
        prompt=pair.prompt,
        category=pair.category,
        fact=pair.fact,
        samples=len(original),
        folds=len(folds),
        empty_original=sum(not word_tokens(text) for text in original),
        empty_prompt=sum(not word_tokens(text) for text in prompt),
        p_value=None,
        least_p=None,
        chance_ratio=None,
        sentiment=_over_texts(Sentiment().scores(original), Sentiment().scores(prompt), sampled),
    )
    return difference, folds


def _intervals(
    values: FloatArray, ratios: Sequence[float | None], facts: Sequence[str], resamples: int, seed: int
) -> dict[str, Interval]:
    """Return intervals over facts, from [prompt, (B, V_pg, V_gp)] and [prompt] F."""
    over_facts = partial(mean_interval, resamples=resamples, seed=seed)
    between, original, prompt = values.T
    intervals = {
        name: over_facts(each, facts, possible=(0.0, 1.0))
        for name, each in zip(QUANTITIES, values.T, strict=False)  # B and both V come first
    }
    intervals["energy"] = over_facts(2 * between - original - prompt, facts, possible=(-2.0, 2.0))
    defined = [(ratio, fact) for ratio, fact in zip(ratios, facts, strict=True) if ratio is not None]
    if defined:
        some, theirs = zip(*defined, strict=True)
        intervals["mean_ratio"] = over_facts(np.array(some), theirs, possible=(0.0, np.inf))
    intervals["ratio_of_means"] = ratio_of_means_interval(
        between, original, prompt, facts, resamples=resamples, seed=seed
    )
    return {name: interval for name in QUANTITIES if (interval := intervals.get(name)) is not None}


def _over_texts(original: FloatArray, prompt: FloatArray, sampled: bool) -> SignedReading:
    """Return Welch's interval of the difference of two means (1947, doi:10.1093/biomet/34.1-2.28)."""
    from scipy.stats import ttest_ind

    interval = None
    if sampled and max(np.ptp(original), np.ptp(prompt)) > 0:
        bounds = ttest_ind(prompt, original, equal_var=False).confidence_interval()
        interval = Interval(low=float(bounds.low), high=float(bounds.high), unit="text")
    return SignedReading(original=float(original.mean()), prompt=float(prompt.mean()), interval=interval)


def _over_prompts(
    prompts: Sequence[PromptDifference], facts: Sequence[str], resamples: int, seed: int
) -> SignedReading:
    if len(prompts) == 1:
        return prompts[0].sentiment
    original, prompt = np.array([(row.sentiment.original, row.sentiment.prompt) for row in prompts]).T
    interval = mean_interval(prompt - original, facts, possible=(-2.0, 2.0), resamples=resamples, seed=seed)
    return SignedReading(original=float(original.mean()), prompt=float(prompt.mean()), interval=interval)


def beside_others(reports: Mapping[str, FairPairReport], mode: Mode) -> dict[str, FairPairReport]:
    """Add the result without exchanged words to the Jaccard report, and ``mode`` to every report."""
    named = {name: report.model_copy(update={"mode": mode}) for name, report in reports.items()}
    if JACCARD in named and OTHERS in named:
        others = named[OTHERS]
        reading = OthersReading(
            ratio=others.means.ratio,
            interval=others.intervals.get("ratio_of_means"),
            p_value=others.p_value,
        )
        named[JACCARD] = named[JACCARD].model_copy(update={"others": reading})
    return named


def controlled(reports: Sequence[FairPairReport]) -> tuple[FairPairReport, ...]:
    """Adjust the p-values of reports that are read together (Holm 1979, valid under any dependence).

    Those of prompts are adjusted over all prompts of all reports, those of reports over reports.
    """
    if len(reports) < 2:
        return tuple(reports)
    of_prompts = iter(holm_adjusted([row for report in reports for row in report.prompts]))
    of_reports = iter(holm_adjusted(reports))
    of_others = iter(holm_adjusted([report.others for report in reports if report.others is not None]))
    return tuple(
        next(of_reports).model_copy(
            update={
                "prompts": tuple(next(of_prompts) for _ in report.prompts),
                "others": None if report.others is None else next(of_others),
            }
        )
        for report in reports
    )


# Everything that follows from the texts of a request.


@dataclass(frozen=True)
class Measured:
    """The measures of a request, by dissimilarity."""

    reports: dict[str, FairPairReport]
    convergence: dict[str, Convergence]
    words: WordReport


def measured(
    request: FairPairAsked,
    table: PerturbationTable,
    pairs: Sequence[PromptPairs],
    encoders: Mapping[str, Encode] | None = None,
    on_measure: Callable[[int, int], None] = lambda done, total: None,
    pause: Callable[[], None] = lambda: None,
) -> Measured:
    """Measure the pairs of texts under each dissimilarity of the request that is available here.

    ``encoders``: by model; embedding distances without their encoder are left out.  ``on_measure``: called
    with (done, all).  ``pause``: called between blocks of work; an exception from it ends the work.
    """
    exchanged = exchanged_words(table, request.perturbation.entity)
    measures = dissimilarities(encoders, exchanged)
    chosen = [name for name in request.dissimilarities if name in measures]
    original, counterpart = request.prompts.names
    reports, courses = {}, {}
    for index, name in enumerate(chosen):
        on_measure(index, len(chosen) + 1)
        reports[name] = fairpair_report(
            pairs,
            measures[name],
            model=request.key.name,
            original=original,
            counterpart=counterpart,
            fold_size=request.fold_size,
            sampled=request.sampled,
            pause=pause,
        )
        courses[name] = convergence(pairs, measures[name], fold_size=request.fold_size, pause=pause)
    on_measure(len(chosen), len(chosen) + 1)
    pause()
    own = request.categories
    words = word_report(
        pairs,
        original=original,
        counterpart=counterpart,
        lexicon=own.categories if own else None,
        exchanged=exchanged,
        sampled=request.sampled,
        pause=pause,
    )
    return Measured(beside_others(reports, request.perturbation.mode), courses, words)
