"""Everything that follows from FairPair's texts: reports by dissimilarity, their convergence, words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pcf_core.texts.fairpair.categories import Category
from pcf_core.texts.fairpair.dissimilarity import Encode, dissimilarities, exchanged_words
from pcf_core.texts.fairpair.metric import convergence
from pcf_core.texts.fairpair.records import (
    Convergence,
    FairPairAsked,
    FairPairReport,
    PerturbationTable,
    PromptPairs,
    WordReport,
)
from pcf_core.texts.fairpair.report import beside_others, fairpair_report
from pcf_core.texts.fairpair.words import word_report


@dataclass(frozen=True)
class Measured:
    """What follows from the texts of a request; ``reports``, ``convergence``: by dissimilarity."""

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
    """Measure the pairs of texts under each dissimilarity asked for that can be had here.

    Parameters
    ----------
    request
        How texts are compared.
    table
        Which words p exchanges.
    pairs
        Of each prompt its texts.
    encoders
        By model; an embedding distance without its encoder is left out.
    on_measure
        Called with how many measures are done, of how many.
    pause
        Called between blocks of work; what it raises ends it.

    Raises
    ------
    FairPairError
        Pairs that nothing can be measured of.
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
            model=request.key.model,
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
        known=tuple(map(Category.of, own.categories)) if own else None,
        exchanged=exchanged,
        sampled=request.sampled,
        pause=pause,
    )
    return Measured(beside_others(reports, request.perturbation.mode), courses, words)
