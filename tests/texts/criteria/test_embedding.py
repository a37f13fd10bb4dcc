from __future__ import annotations

import numpy as np
import pytest

from pcf_core.core.errors import CriteriaError
from pcf_core.texts.criteria.embedding import axis_scores, embedding_report, learned_vectors
from pcf_core.texts.criteria.gender_reading import stop_words, without_gender, words_of
from pcf_core.texts.criteria.records.independence import EmbeddingReport
from tests.texts.criteria.hobbyists import (
    BOYS,
    EVEN,
    FEMALE,
    GIRLS,
    MALE,
    few_names,
    material,
    planted,
    written,
)

NAMES, MATERIAL = few_names(), material()
FEW = planted({"female": GIRLS, "male": BOYS}, NAMES, repeats=20)
MANY = {
    "leaning": written({"female": GIRLS, "male": BOYS}, NAMES, repeats=120),
    "level": written({"female": EVEN, "male": EVEN}, NAMES, repeats=120, seed=1),
}


@pytest.fixture(scope="module")
def found() -> EmbeddingReport:
    return embedding_report(MANY, MATERIAL, seeds=(0, 1, 2))


@pytest.mark.slow
def test_a_planted_lean_is_found_and_pronouns_alone_are_not_one(found: EmbeddingReport) -> None:
    leaning, level = found.of()
    assert leaning.difference.effect is not None
    assert level.difference.effect is not None
    assert leaning.differs
    assert leaning.difference.effect > 0.5
    assert not level.differs
    assert abs(level.difference.effect) < 0.15
    assert all(one.differs for one in found.of("all words"))  # as published: the pronouns score


def test_of_few_texts_the_side_hangs_on_the_seed() -> None:
    (reading,) = embedding_report({"few": FEW}, MATERIAL).of()
    assert not reading.steady
    assert not reading.differs
    effects = [one.effect for one in reading.seeds if one.effect is not None]
    assert min(effects) < 0 < max(effects)


@pytest.mark.slow
def test_models_are_compared_over_their_names(found: EmbeddingReport) -> None:
    gap = next(one for one in found.gaps if one.variant == "without gendered words")
    leaning, level = (one.difference.effect for one in found.of())
    assert leaning is not None
    assert level is not None
    assert gap.difference == pytest.approx(level - leaning)
    assert gap.interval is not None
    assert gap.interval.high < 0
    assert gap.differs
    assert not gap.model_copy(update={"seeds": (*gap.seeds, 0.1)}).differs


def test_a_compound_with_a_gendered_word_scores_nothing_in_the_headline() -> None:
    said = {"female": " with a mother-to-be", "male": " with a father-in-law"}
    with_them = {name: [text + said[NAMES.genders[name]] for text in texts] for name, texts in FEW.items()}
    (reading,) = embedding_report({"one": with_them}, MATERIAL, seeds=(0,)).of()
    listed = (*MATERIAL.gendered, "mother-to-be", "father-in-law")
    whole = MATERIAL.model_copy(update={"gendered": listed})
    (plain,) = embedding_report({"one": with_them}, whole, seeds=(0,)).of()
    assert reading.difference.effect == plain.difference.effect


def test_every_seed_is_shown(found: EmbeddingReport) -> None:
    for reading in found.readings:
        assert [one.seed for one in reading.seeds] == [0, 1, 2]
        effects = [one.effect for one in reading.seeds]
        assert len(set(effects)) == 3
    assert found.library.startswith("gensim")
    assert found.settings["window"] == 10


def test_the_score_of_a_text_written_out() -> None:
    """Second opinion: one seed, every word by itself."""
    found = embedding_report({"one": FEW}, MATERIAL, seeds=(4,))
    left = stop_words() - set(MATERIAL.gendered)
    pooled = [
        [word for word in words_of(without_gender(text, NAMES.genders, ())) if word not in left]
        for name in (*FEMALE, *MALE)
        for text in FEW[name]
    ]
    scores = axis_scores(learned_vectors(pooled, 4))
    means = [
        np.mean([scores[word] for word in text if word in scores and word not in MATERIAL.gendered])
        for text in pooled
    ]
    half = len(pooled) // 2
    (reading,) = found.of()
    assert reading.difference.female == pytest.approx(np.mean(means[:half]))
    assert reading.difference.male == pytest.approx(np.mean(means[half:]))
    assert reading.seeds[0].effect == reading.difference.effect


def test_the_ends_have_no_gendered_word(found: EmbeddingReport) -> None:
    words = [one.word for one in found.words]
    assert words
    assert not set(words) & {"she", "he"}
    assert [one.score for one in found.words] == sorted((one.score for one in found.words), reverse=True)


def test_without_pronouns_there_is_no_axis_and_the_report_says_so() -> None:
    texts = planted({"female": GIRLS, "male": BOYS}, NAMES, repeats=3, pronouns=False)
    found = embedding_report({"one": texts}, MATERIAL)
    assert found.readings == ()
    assert "“she” and “he”" in found.undefined
    assert EmbeddingReport.model_validate_json(found.model_dump_json()) == found


def test_texts_without_a_known_word_are_counted() -> None:
    texts = {**FEW, "Mary": ["Unheard", "", "She"], "John": ["she paints"]}
    (reading,) = embedding_report({"one": texts}, MATERIAL, seeds=(0,)).of()
    assert reading.invalid == (3, 1)
    assert reading.difference.names == (11, 11)


@pytest.mark.parametrize(
    ("models", "seeds", "reason"),
    [
        ({}, (0,), "at least one model"),
        ({"one": FEW}, (), "at least one seed"),
        ({"one": FEW}, (1, 1), "none twice"),
        ({"one": {"Zoe": ["x"]}}, (0,), "Zoe"),
        ({"one": {"Mary": ["paints"]}}, (0,), "no text of a male"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    models: dict[str, dict[str, list[str]]], seeds: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(CriteriaError, match=reason):
        embedding_report(models, MATERIAL, seeds=seeds)
