"""All prompts of a model together: means, intervals over prompts, and tests.

A mean of the prompts' F is above 1 by chance where few texts make V noisy (1.09 where most texts have the
same sentiment, with 20 texts a side); the F of random labels stands beside it.  The ratio of means is not:
read that first.

Two tests ask whether u and z differ over all prompts.  Relabelling the texts within the folds of every prompt
is exact; a verdict rests on it.  Wilcoxon's signed ranks of B − √(V_gp V_pg) over prompts, the protocol's
other test, is shown beside it: without any difference B − √(V_gp V_pg) is E / 2 + (√V_gp − √V_pg)² / 2, whose
mean is above 0, and with many prompts it rejects too often (tests/fairpair/test_report.py measures it).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcf_core.errors import FairPairError
from pcf_core.fairpair.dissimilarity import Dissimilarity, Sentiment
from pcf_core.fairpair.metric import fold_matrices, folds_for, variation_of
from pcf_core.fairpair.tokens import word_tokens
from pcf_core.records import FloatArray, Interval, LeftOut
from pcf_core.records.fairpair import FairPairReport, PromptDifference, PromptPairs, SignedReading, Variation
from pcf_core.stats import holm
from pcf_core.stats.prompts import mean_interval, ratio_of_means_interval, signed_ranks
from pcf_core.stats.relabelling import FEWEST, Relabelled, relabelled, share_at_least

REASONS = {
    "no variation": "no variation: every text is like every other, so there is no F",
    "one side constant": "one side never varies, so there is no F",
    "both sides constant": "neither side varies, so there is no F, but the two differ",
}


def permutations_for(prompts: int) -> int:
    """So many that Holm's control over the prompts can still reject: the least p is then at most 0.01."""
    return max(FEWEST, 100 * prompts)


def fairpair_report(
    pairs: Sequence[PromptPairs],
    dissimilarity: Dissimilarity,
    *,
    model: str,
    original: str,
    counterpart: str,
    fold_size: int | None = None,
    permutations: int | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    sentiment: Sentiment | None = None,
) -> FairPairReport:
    """Measure a model's prompts under one dissimilarity.

    Args:
        pairs: of each prompt its texts; at least one prompt, each named once.
        dissimilarity: Φ.
        model, original, counterpart: names of the model and of the entities of x and p(x).
        fold_size: m, texts a side and fold, :data:`~pcf_core.fairpair.metric.FOLD` as in the paper; ``None``
            for all in one, which tells most.
        permutations: of the tests, at least 1,000; ``None`` for :func:`permutations_for`.
        resamples, level: of the intervals over prompts.
        seed: the same seed gives the same p-values and intervals.
        sentiment: of the signed reading; VADER's where ``None``.

    Raises:
        FairPairError: no prompt, the same one twice, fewer than two texts, or sides of different length.
        CriterionError: permutations, resamples or a level that are not allowed.
    """
    names = [pair.prompt for pair in pairs]
    if not names:
        raise FairPairError("FairPair needs at least one prompt; there is none.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FairPairError(f"Each prompt may stand once; “{twice}” stands twice.")
    count = permutations_for(len(pairs)) if permutations is None else permutations
    scorer = Sentiment() if sentiment is None else sentiment
    rows, tests = [], []
    for place, pair in enumerate(pairs):
        row, test = _prompt(pair, dissimilarity, fold_size, count, (seed, place), scorer, level)
        rows.append(row)
        tests.append(test)
    prompts = tuple(
        row.model_copy(update={"adjusted": p})
        for row, p in zip(rows, holm([row.p_value for row in rows]), strict=True)
    )
    values = np.array([(row.between, row.within_original, row.within_prompt) for row in prompts])
    between, within_original, within_prompt = (float(value) for value in values.mean(axis=0))
    ratios = np.array([row.ratio for row in prompts if row.ratio is not None])
    chances = [row.chance_ratio for row in prompts if row.ratio is not None and row.chance_ratio is not None]
    return FairPairReport(
        model=model,
        dissimilarity=dissimilarity.name,
        original=original,
        counterpart=counterpart,
        prompts=prompts,
        means=Variation(between=between, within_original=within_original, within_prompt=within_prompt),
        mean_ratio=float(ratios.mean()) if ratios.size else None,
        chance_ratio=float(np.mean(chances)) if chances else None,
        intervals=_intervals(values, ratios, resamples, level, seed),
        p_value=share_at_least(
            float(np.mean([test.observed for test in tests])), np.mean([test.dealt for test in tests], axis=0)
        ),
        least_p=max(1 / (count + 1), float(np.prod([test.least_p for test in tests]))),
        wilcoxon_p=signed_ranks(values[:, 0] - np.sqrt(values[:, 1] * values[:, 2])),
        permutations=count,
        sentiment=_over_prompts(prompts, resamples, level, seed),
        undefined=tuple(
            LeftOut(name=row.prompt, reason=REASONS[row.undefined]) for row in prompts if row.undefined
        ),
    )


def _prompt(
    pair: PromptPairs,
    dissimilarity: Dissimilarity,
    fold_size: int | None,
    permutations: int,
    seed: tuple[int, int],
    scorer: Sentiment,
    level: float,
) -> tuple[PromptDifference, Relabelled]:
    """What is found for one prompt, and E under random labels."""
    original, prompt = pair.perturbed_original, pair.perturbed_prompt
    try:
        folds = fold_matrices(original, prompt, dissimilarity, folds_for(len(original), fold_size))
    except FairPairError as refusal:
        raise FairPairError(f"Prompt “{pair.prompt}”: {refusal}") from refusal
    test = relabelled(folds, permutations, seed)
    found = PromptDifference(
        **variation_of(folds).model_dump(),
        prompt=pair.prompt,
        category=pair.category,
        samples=len(original),
        folds=len(folds),
        empty_original=sum(not word_tokens(text) for text in original),
        empty_prompt=sum(not word_tokens(text) for text in prompt),
        p_value=test.p_value,
        least_p=test.least_p,
        chance_ratio=test.chance_ratio,
        sentiment=_over_texts(scorer.scores(original), scorer.scores(prompt), level),
    )
    return found, test


def _intervals(
    values: FloatArray, ratios: FloatArray, resamples: int, level: float, seed: int
) -> dict[str, Interval]:
    """Over prompts, from [prompt, (B, V_pg, V_gp)] and the F that are defined."""
    between, original, prompt = values.T
    means = {
        "between": between,
        "within_original": original,
        "within_prompt": prompt,
        "mean_ratio": ratios,
        "energy": 2 * between - original - prompt,
    }
    found = {
        name: mean_interval(each, resamples=resamples, level=level, seed=seed) for name, each in means.items()
    }
    found["ratio_of_means"] = ratio_of_means_interval(
        between, original, prompt, resamples=resamples, level=level, seed=seed
    )
    return {name: interval for name, interval in found.items() if interval is not None}


def _over_texts(original: FloatArray, prompt: FloatArray, level: float) -> SignedReading:
    """Welch's interval of the difference of two means (1947, doi:10.1093/biomet/34.1-2.28)."""
    from scipy.stats import ttest_ind

    interval = None
    if max(np.ptp(original), np.ptp(prompt)) > 0:
        bounds = ttest_ind(prompt, original, equal_var=False).confidence_interval(level)
        interval = Interval(level=level, low=float(bounds.low), high=float(bounds.high), unit="text")
    return SignedReading(original=float(original.mean()), prompt=float(prompt.mean()), interval=interval)


def _over_prompts(
    prompts: Sequence[PromptDifference], resamples: int, level: float, seed: int
) -> SignedReading:
    """Means over prompts; with a single one, its own reading."""
    if len(prompts) == 1:
        return prompts[0].sentiment
    original, prompt = np.array([(row.sentiment.original, row.sentiment.prompt) for row in prompts]).T
    interval = mean_interval(prompt - original, resamples=resamples, level=level, seed=seed)
    return SignedReading(original=float(original.mean()), prompt=float(prompt.mean()), interval=interval)


def controlled(reports: Sequence[FairPairReport]) -> tuple[FairPairReport, ...]:
    """Reports that are read together: p-values of prompts controlled over all prompts of all of them, those
    of whole reports over reports (Holm 1979, valid however they hang together).  One stays as it is.
    """
    if len(reports) < 2:
        return tuple(reports)
    of_prompts = iter(holm([row.p_value for report in reports for row in report.prompts]))
    adjusted = holm([report.p_value for report in reports])
    return tuple(
        report.model_copy(
            update={
                "adjusted": p,
                "prompts": tuple(
                    row.model_copy(update={"adjusted": next(of_prompts)}) for row in report.prompts
                ),
            }
        )
        for report, p in zip(reports, adjusted, strict=True)
    )
