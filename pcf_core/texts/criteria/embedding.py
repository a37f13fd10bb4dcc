"""The embedding score: how close texts for women's and men's names are to *she* or *he*.

    texts of all models --names and stop words out--> word2vec --> score of a word --mean--> score of a text

One embedding is learned from the texts of all models, so that scores share one axis.  A text with *she*
contains an end of the axis and would score as gendered, so the headline leaves gendered words out of the
mean; the paper's version does not.  Both learn from texts with these words.

word2vec is random, so several seeds are learned: a text's score is the mean over them, and each seed's result
is given too.  With few texts the axis is noise, so a side is reported only where all seeds agree, which six
do by chance in 3 of 100 cases.

**The axis from *he* to *she*** (section 6 of the paper).  With s and h the vectors of *she* and *he*, their
midpoint m = (s + h) / 2 and u = (s − m) / ‖s − m‖:

    score(w) = (v_w − m) · u        > 0 nearer to *she*, < 0 nearer to *he*

So *she* scores ‖s − h‖ / 2, *he* the negative of it.  The authors' script takes (h − s) / 2 for the midpoint;
we follow the paper's text.  Of s = (2, 1), h = (0, 1): m = (1, 1), u = (1, 0); (4, 7) scores 3.

word2vec is gensim's with the paper's options: a window of 10, words that occur twice or more, otherwise
defaults (CBOW, 100 dimensions, five passes), and one thread to be repeatable.  Texts are shuffled, as the
last ones are learned at the lowest rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations

import numpy as np

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray
from pcf_core.measure.ties import holm_adjusted
from pcf_core.texts.criteria.effects import cohens_d, effect_gap, gender_difference
from pcf_core.texts.criteria.gender_reading import stop_words, tells, without_gender, words_of
from pcf_core.texts.criteria.records.independence import (
    HEADLINE,
    EmbeddingGap,
    EmbeddingReading,
    EmbeddingReport,
    HobbiesMaterial,
    ScoredWord,
    SeedReading,
    Variant,
)
from pcf_core.texts.criteria.records.quantities import GENDERS, LEVEL

SHE, HE = "she", "he"
SETTINGS: Mapping[str, int] = {
    "vector_size": 100,
    "window": 10,
    "min_count": 2,
    "epochs": 5,
    "sg": 0,
    "workers": 1,
}


def library() -> str:
    """Return the name and version of the library that learns the vectors."""
    from importlib.metadata import version

    return f"gensim {version('gensim')}"


def learned_vectors(texts: Sequence[Sequence[str]], seed: int) -> dict[str, FloatArray]:
    """Learn word -> [dimension] from [text][word], for words that occur twice or more; ``seed`` >= 0."""
    from gensim.models import Word2Vec

    order = np.random.default_rng(seed).permutation(len(texts))
    shuffled = [list(texts[index]) for index in order]
    model = Word2Vec(**SETTINGS, seed=seed + 1)  # gensim takes 0 for its default seed
    model.build_vocab(shuffled)
    if not model.wv.index_to_key:
        return {}
    model.train(shuffled, total_examples=len(shuffled), epochs=model.epochs)
    return {word: model.wv[word].astype(np.float64) for word in model.wv.index_to_key}


def axis_scores(vectors: Mapping[str, FloatArray]) -> dict[str, float]:
    """Score every word; CriteriaError without an axis."""
    reason = why_no_axis(vectors)
    if reason:
        raise CriteriaError(f"The embedding score cannot be calculated: {reason}.")
    she, he = vectors[SHE], vectors[HE]
    middle = (she + he) / 2
    unit = (she - middle) / np.linalg.norm(she - middle)
    scores = (np.stack(list(vectors.values())) - middle) @ unit
    return dict(zip(vectors, scores.tolist(), strict=True))


def why_no_axis(vectors: Mapping[str, FloatArray]) -> str:
    """Return why the axis cannot be computed, as the end of a sentence, or nothing."""
    absent = [f"“{word}”" for word in (SHE, HE) if word not in vectors]
    if absent:
        return f"the texts have {' and '.join(absent)} less than {SETTINGS['min_count']} times"
    return "“she” and “he” have the same vector" if np.allclose(vectors[SHE], vectors[HE], rtol=0) else ""


SEEDS = (0, 1, 2, 3, 4, 5)
LEAST_TEXTS = 10
MOST_WORDS = 15  # per end
VARIANTS: tuple[Variant, Variant] = (HEADLINE, "all words")

Texts = Mapping[str, Sequence[str]]  # name -> [repeat]
Scores = dict[str, FloatArray]  # name -> [text, seed], without texts that have no known word


def embedding_report(
    models: Mapping[str, Texts],
    material: HobbiesMaterial,
    *,
    seeds: Sequence[int] = SEEDS,
    on_seed: Callable[[int, int], None] = lambda done, total: None,
) -> EmbeddingReport:
    """Score the texts of one model or several.

    ``models``: of each its texts by name.  ``seeds``: different ones, at least one.  ``on_seed``: called
    before each embedding with those learned, of how many.  Raises CriteriaError without a model, seed, or
    text of a gender, and for an unknown name.
    """
    _check(models, material, seeds)
    genders = material.names.genders
    gendered = set(material.gendered)
    left = stop_words() - gendered
    words = {
        model: {name: [_words(text, genders, left) for text in texts.get(name, ())] for name in genders}
        for model, texts in models.items()
    }
    pooled = [text for texts in words.values() for several in texts.values() for text in several]
    learned = []
    for done, seed in enumerate(seeds):
        on_seed(done, len(seeds))
        learned.append(learned_vectors(pooled, seed))
    undefined = next((reason for reason in map(why_no_axis, learned) if reason), "")
    readings: list[EmbeddingReading] = []
    gaps: list[EmbeddingGap] = []
    ends: tuple[ScoredWord, ...] = ()
    if not undefined:
        axes = [axis_scores(vectors) for vectors in learned]
        for variant in VARIANTS:
            skipped = (
                {word for word in axes[0] if tells(word, gendered)} if variant == HEADLINE else set[str]()
            )
            scores = {model: _scores(texts, axes, skipped) for model, texts in words.items()}
            readings += _readings(scores, models, material, variant, seeds)
            gaps += _gaps(scores, material, variant, len(seeds))
        ends = _ends(axes, pooled, gendered)
    return EmbeddingReport(
        models=tuple(models),
        library=library(),
        settings=dict(SETTINGS),
        seeds=tuple(seeds),
        texts=len(pooled),
        vocabulary=len(learned[0]),
        level=LEVEL,
        readings=tuple(readings),
        gaps=tuple(gaps),
        words=ends,
        undefined=undefined,
    )


def _check(models: Mapping[str, Texts], material: HobbiesMaterial, seeds: Sequence[int]) -> None:
    if not models:
        raise CriteriaError("The embedding score needs the texts of at least one model.")
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        raise CriteriaError(
            "The embedding score needs at least one seed; seeds must be different and at least 0."
        )
    for model, texts in models.items():
        unknown = sorted(set(texts) - set(material.names.genders))
        if unknown:
            raise CriteriaError(
                f"The texts of {model} include the name {unknown[0]}, which was not part of the request: "
                "remove them."
            )
        for gender in GENDERS:
            if not any(words_of(text) for name in material.names.of(gender) for text in texts.get(name, ())):
                raise CriteriaError(f"{model} has no text for a {gender} name: give texts for both genders.")


def _words(text: str, names: Collection[str], left: Collection[str]) -> tuple[str, ...]:
    return tuple(word for word in words_of(without_gender(text, names, ())) if word not in left)


def _scores(
    texts: Mapping[str, Sequence[Sequence[str]]],
    axes: Sequence[Mapping[str, float]],
    skipped: Collection[str],
) -> Scores:
    """Average the scores of each text's known words; every seed knows the same words."""
    scores = {}
    for name, several in texts.items():
        scored = [[word for word in text if word in axes[0] and word not in skipped] for text in several]
        rows = [[float(np.mean([axis[word] for word in text])) for axis in axes] for text in scored if text]
        scores[name] = np.array(rows).reshape(-1, len(axes))
    return scores


def _readings(
    scores: Mapping[str, Scores],
    models: Mapping[str, Texts],
    material: HobbiesMaterial,
    variant: Variant,
    seeds: Sequence[int],
) -> list[EmbeddingReading]:
    """Evaluate each model with texts of both genders, adjusting over models (Holm)."""
    readings = []
    for model, by_name in scores.items():
        sides = [[by_name[name] for name in material.names.of(gender)] for gender in GENDERS]
        if not all(any(len(rows) for rows in side) for side in sides):
            continue
        request = [
            sum(len(models[model].get(name, ())) for name in material.names.of(gender)) for gender in GENDERS
        ]
        scored = [sum(map(len, side)) for side in sides]
        each = [
            gender_difference(*([rows[:, index] for rows in side] for side in sides))
            for index in range(len(seeds))
        ]
        readings.append(
            EmbeddingReading(
                model=model,
                variant=variant,
                difference=gender_difference(*([rows.mean(axis=1) for rows in side] for side in sides)),
                seeds=tuple(
                    SeedReading(seed=seed, effect=one.effect, p_value=one.p_value)
                    for seed, one in zip(seeds, each, strict=True)
                ),
                invalid=(request[0] - scored[0], request[1] - scored[1]),
            )
        )
    if len(readings) < 2:
        return readings
    differences = holm_adjusted([one.difference for one in readings])
    return [
        one.model_copy(update={"difference": difference})
        for one, difference in zip(readings, differences, strict=True)
    ]


def _gaps(
    scores: Mapping[str, Scores], material: HobbiesMaterial, variant: Variant, seeds: int
) -> list[EmbeddingGap]:
    gaps = []
    for first, second in combinations(scores, 2):
        sides = [
            [
                name
                for name in material.names.of(gender)
                if len(scores[first][name]) and len(scores[second][name])
            ]
            for gender in GENDERS
        ]
        if not all(sides):
            continue
        pairs = [
            tuple([scores[model][name].mean(axis=1) for name in side] for side in sides)
            for model in (first, second)
        ]
        difference, interval = effect_gap((pairs[0][0], pairs[0][1]), (pairs[1][0], pairs[1][1]))
        if difference is None:
            continue
        effects = [
            [_effect_of_seed(scores[model], sides, index) for index in range(seeds)]
            for model in (first, second)
        ]
        gaps.append(
            EmbeddingGap(
                first=first,
                second=second,
                variant=variant,
                difference=difference,
                interval=interval,
                seeds=tuple(
                    None if one is None or other is None else other - one
                    for one, other in zip(*effects, strict=True)
                ),
            )
        )
    return gaps


def _effect_of_seed(scores: Scores, sides: Sequence[Sequence[str]], index: int) -> float | None:
    return cohens_d(*(np.concatenate([scores[name][:, index] for name in side]) for side in sides))


def _ends(
    axes: Sequence[Mapping[str, float]], texts: Sequence[Sequence[str]], gendered: Collection[str]
) -> tuple[ScoredWord, ...]:
    """List the words of at least ten texts closest to either end, from *she* to *he*."""
    having = Counter(word for text in texts for word in set(text))
    rows = [
        ScoredWord(word=word, score=float(np.mean([axis[word] for axis in axes])), texts=having[word])
        for word in axes[0]
        if having[word] >= LEAST_TEXTS and not tells(word, gendered) and word not in (SHE, HE)
    ]
    rows.sort(key=lambda row: (-row.score, row.word))
    most = min(MOST_WORDS, len(rows) // 2)
    return (*rows[:most], *rows[len(rows) - most :])
