"""Example records of audits of texts for charts and findings, made by hand."""

from __future__ import annotations

from functools import lru_cache

from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.independence import (
    AmplificationLine,
    AnecdotesReport,
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    HobbyWord,
    HobbyWords,
    LabelDifference,
    LabelInformation,
    ProfessionGender,
    ScoredWord,
    SeedReading,
    SharedValue,
)
from pcf_core.texts.criteria.records.quantities import (
    Entropies,
    GenderDifference,
    LargestInformation,
    MutualInformation,
    Normaliser,
    NullInformation,
)
from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.tasks import Tasks
from pcf_core.texts.fairpair.records import FairPairResult, PromptPairs
from tests.texts.criteria.planted import table_6
from tests.texts.fairpair.planted import identical, planted
from tests.texts.fairpair.results import made_up


@lru_cache(maxsize=1)
def different() -> FairPairResult:
    return made_up(planted(20, share=0.9, prompts=3))


@lru_cache(maxsize=1)
def alike() -> FairPairResult:
    return made_up(identical(20, prompts=3))


@lru_cache(maxsize=1)
def constant() -> FairPairResult:
    """Greedy texts: each side says always the same."""
    return made_up([PromptPairs("x", ("a",) * 6, ("b",) * 6)])


@lru_cache(maxsize=1)
def answered() -> AnswersReport:
    return Tasks.load(pronouns=("he", "she")).report(table_6(25))


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


def difference(effect: float | None, p_value: float = 0.001) -> GenderDifference:
    interval = None if effect is None else Interval(low=effect - 0.2, high=effect + 0.2, unit="name")
    return GenderDifference(
        female=0.3,
        male=0.3 - (effect or 0.0) / 10,
        interval=interval,
        effect=effect,
        effect_interval=interval,
        undefined="" if effect is not None else "all texts of a gender have one and the same value",
        p_value=p_value,
        adjusted=p_value,
        texts_p_value=p_value / 10,
        names=(107, 107),
        texts=(2140, 2138),
    )


def hobbies_example() -> HobbiesReport:
    """Technology leans to men's names, art to women's, science to neither."""
    effects = {"technology": (-0.6, 0.001), "science": (0.02, 0.8), "art": (0.5, 0.002)}
    labels = tuple(
        LabelDifference(name=name, title=name.title(), difference=difference(effect, p))
        for name, (effect, p) in effects.items()
    )
    words = tuple(
        HobbyWord(word=word, uses=uses, texts=uses, difference=gap, p_value=p, adjusted=p)
        for word, uses, gap, p in (
            ("robots", (10, 90), -0.04, 0.001),
            ("painting", (80, 20), 0.03, 0.002),
            ("<b>music</b>", (40, 38), 0.001, 0.7),
        )
    )
    return HobbiesReport(
        answering="written",
        n=4278,
        names=(107, 107),
        invalid=(0, 2),
        labeller="lexicon 1",
        labeller_label="our word lists",
        level=0.95,
        labels=labels,
        information=LabelInformation(
            labels=tuple(effects),
            counts=((100, 900), (500, 490), (900, 300)),
            unclear=(640, 448),
            measure=None,
            undefined="only one category has any text",
        ),
        words=HobbyWords(tested=3, found=2, least_texts=10, words=words),
    )


def hobby_words_example() -> HobbyWords:
    words = hobbies_example().words
    assert words is not None
    return words


def reading(
    model: str, effects: tuple[float, ...], p_value: float, headline: bool = True
) -> EmbeddingReading:
    return EmbeddingReading(
        model=model,
        variant="without gendered words" if headline else "all words",
        difference=difference(sum(effects) / len(effects), p_value),
        seeds=tuple(
            SeedReading(seed=seed, effect=effect, p_value=p_value) for seed, effect in enumerate(effects)
        ),
        invalid=(0, 0),
    )


def embedding_example() -> EmbeddingReport:
    """One model leans to "she", of another the seeds do not agree."""
    return EmbeddingReport(
        models=("one", "two"),
        library="gensim 4.4.0",
        settings={"window": 10},
        seeds=(0, 1),
        texts=8556,
        vocabulary=900,
        level=0.95,
        readings=(
            reading("one", (0.6, 0.64), 0.001),
            reading("two", (-0.1, 0.3), 0.01),
            reading("one", (1.4, 1.5), 0.001, headline=False),
            reading("two", (0.9, 1.0), 0.001, headline=False),
        ),
        gaps=(
            EmbeddingGap(
                first="one",
                second="two",
                variant="without gendered words",
                difference=-0.52,
                interval=Interval(low=-0.7, high=-0.3, unit="name"),
                seeds=(-0.7, -0.34),
            ),
        ),
        words=(
            ScoredWord(word="painting", score=1.2, texts=80),
            ScoredWord(word="robots", score=-1, texts=90),
        ),
    )
