"""A report of stories about twelve professions, made by hand."""

from __future__ import annotations

from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.independence import (
    AmplificationLine,
    AnecdotesReport,
    ProfessionGender,
    SharedValue,
)
from pcf_core.texts.criteria.records.quantities import (
    Entropies,
    LargestInformation,
    MutualInformation,
    Normaliser,
    NullInformation,
)

FOUR: tuple[Normaliser, ...] = ("arithmetic", "joint", "minimum", "geometric")


def information_example(*, scored: bool = False) -> MutualInformation:
    """Normalised values 0.2, counted 0.22, chance 0.02 up to 0.03, at most 0.5."""
    intervals = {name: Interval(low=0.15, high=0.25, unit="text") for name in FOUR}
    null = NullInformation(
        exchanged="text",
        permutations=1999,
        mean=0.02,
        high=0.03,
        means=dict.fromkeys(FOUR, 0.02),
        highs=dict.fromkeys(FOUR, 0.03),
        p_value=0.0005,
    )
    return MutualInformation(
        n=3 if scored else 360,
        rows=12,
        columns=2,
        entropies=Entropies(rows=2.48, columns=0.69, information=0.3),
        normalised=dict.fromkeys(FOUR, 0.22),
        corrected=None if scored else 0.28,
        corrected_normalised={} if scored else dict.fromkeys(FOUR, 0.2),
        null=None if scored else null,
        largest=LargestInformation(information=0.69, normalised=dict.fromkeys(FOUR, 0.5), exact=not scored),
        intervals={} if scored else intervals,
        category_intervals=intervals,
    )


def anecdotes_example(*, scored: bool = False, line: bool = True) -> AnecdotesReport:
    """A nurse more one-sided than the world, a <b>pilot turned round, a clerk not told from it."""
    rows = (("nurse", 0.88, 1.0, 0.001), ("<b>pilot", 0.09, 0.8, 0.001), ("clerk", 0.84, 0.8, 0.9))
    professions = tuple(
        ProfessionGender(
            profession=name,
            world=world,
            women=share if scored else 30 * share,
            men=1 - share if scored else 30 - 30 * share,
            interval=None if scored else Interval(low=share - 0.1, high=min(1.0, share + 0.1), unit="text"),
            p_value=None if scored else p,
            adjusted=None if scored else p,
        )
        for name, world, share, p in rows
    )
    fitted = AmplificationLine(
        slope=1.2,
        intercept=-0.1,
        interval=Interval(over="occupations", low=1.1, high=1.3, unit="profession"),
        p_of_one=0.001,
        r_squared=0.9,
        x=(0.0, 1.0),
        mean=(-0.1, 1.1),
        low=(-0.2, 1.0),
        high=(0.0, 1.2),
    )
    return AnecdotesReport(
        answering="scored" if scored else "written",
        n=3 if scored else 100,
        unclear={} if scored else {"no gendered word": 10},
        mixed=0 if scored else 4,
        professions=professions,
        clear_only=information_example(scored=scored),
        stereotype_rate=SharedValue(value=0.9, interval=Interval(low=0.87, high=0.93, unit="profession")),
        exaggeration=SharedValue(value=0.05, interval=Interval(low=0.03, high=0.07, unit="profession")),
        line=fitted if line else None,
        no_line="" if line else "3 professions, fewer than 10",
    )
