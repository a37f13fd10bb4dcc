"""Examples of what hobbies by name and the embedding score show."""

from __future__ import annotations

from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.independence import (
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesReport,
    HobbyWord,
    HobbyWords,
    LabelDifference,
    LabelInformation,
    ScoredWord,
    SeedReading,
)
from pcf_core.texts.criteria.records.quantities import GenderDifference


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
