from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray
from pcf_core.texts.criteria.embedding import axis_scores, embedding_report, learned_vectors, why_no_axis
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
def report() -> EmbeddingReport:
    return embedding_report(MANY, MATERIAL, seeds=(0, 1, 2))


@pytest.mark.slow
def test_a_planted_lean_is_found_and_pronouns_alone_are_not_one(report: EmbeddingReport) -> None:
    leaning, level = report.of()
    assert leaning.differs
    assert leaning.difference.effect > 0.5
    assert not level.differs
    assert abs(level.difference.effect) < 0.15
    assert all(one.differs for one in report.of("all words"))  # as published: the pronouns score


def test_of_few_texts_the_side_hangs_on_the_seed() -> None:
    (reading,) = embedding_report({"few": FEW}, MATERIAL).of()
    assert not reading.steady
    assert not reading.differs
    effects = [one.effect for one in reading.seeds if one.effect is not None]
    assert min(effects) < 0 < max(effects)


@pytest.mark.slow
def test_models_are_compared_over_their_names(report: EmbeddingReport) -> None:
    gap = next(one for one in report.gaps if one.variant == "without gendered words")
    leaning, level = (one.difference.effect for one in report.of())
    assert gap.difference == pytest.approx(level - leaning)
    assert gap.interval.high < 0
    assert gap.differs
    assert not gap.model_copy(update={"seeds": (*gap.seeds, 0.1)}).differs


def test_a_compound_with_a_gendered_word_scores_nothing_in_the_headline() -> None:
    endings = {"female": " with a mother-to-be", "male": " with a father-in-law"}
    with_them = {name: [text + endings[NAMES.genders[name]] for text in texts] for name, texts in FEW.items()}
    (reading,) = embedding_report({"one": with_them}, MATERIAL, seeds=(0,)).of()
    listed = (*MATERIAL.gendered, "mother-to-be", "father-in-law")
    whole = MATERIAL.model_copy(update={"gendered": listed})
    (plain,) = embedding_report({"one": with_them}, whole, seeds=(0,)).of()
    assert reading.difference.effect == plain.difference.effect


def test_every_seed_is_shown(report: EmbeddingReport) -> None:
    for reading in report.readings:
        assert [one.seed for one in reading.seeds] == [0, 1, 2]
        effects = [one.effect for one in reading.seeds]
        assert len(set(effects)) == 3
    assert report.library.startswith("gensim")
    assert report.settings["window"] == 10


def test_the_score_of_a_text_written_out() -> None:
    """Second opinion: one seed, every word by itself."""
    report = embedding_report({"one": FEW}, MATERIAL, seeds=(4,))
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
    (reading,) = report.of()
    assert reading.difference.female == pytest.approx(np.mean(means[:half]))
    assert reading.difference.male == pytest.approx(np.mean(means[half:]))
    assert reading.seeds[0].effect == reading.difference.effect


def test_the_ends_have_no_gendered_word(report: EmbeddingReport) -> None:
    words = [one.word for one in report.words]
    assert words
    assert not set(words) & {"she", "he"}
    assert [one.score for one in report.words] == sorted((one.score for one in report.words), reverse=True)


def test_without_pronouns_there_is_no_axis_and_the_report_says_so() -> None:
    texts = planted({"female": GIRLS, "male": BOYS}, NAMES, repeats=3, pronouns=False)
    report = embedding_report({"one": texts}, MATERIAL)
    assert report.readings == ()
    assert "“she” and “he”" in report.undefined


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
        ({"one": FEW}, (1, 1), "seeds must be different"),
        ({"one": {"Zoe": ["x"]}}, (0,), "Zoe"),
        ({"one": {"Mary": ["paints"]}}, (0,), "no text for a male"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    models: dict[str, dict[str, list[str]]], seeds: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(CriteriaError, match=reason):
        embedding_report(models, MATERIAL, seeds=seeds)


EXAMPLE = {"she": np.array([2.0, 1.0]), "he": np.array([0.0, 1.0]), "chess": np.array([4.0, 7.0])}
places = arrays(np.float64, (4, 3), elements=st.floats(-10, 10).map(lambda value: round(value, 3)))


def test_the_worked_example() -> None:
    """With the midpoint of the authors' script, (h − s) / 2, "he" would not be the opposite of "she"."""
    assert axis_scores(EXAMPLE) == {"she": 1, "he": -1, "chess": 3}


@given(places)
def test_exchanging_the_ends_turns_every_sign(vectors: FloatArray) -> None:
    words = dict(zip(("she", "he", "a", "b"), vectors, strict=True))
    if why_no_axis(words):
        return
    scores = axis_scores(words)
    turned = axis_scores({**words, "she": words["he"], "he": words["she"]})
    half = np.linalg.norm(words["she"] - words["he"]) / 2
    assert scores["she"] == pytest.approx(half, abs=1e-9)
    assert scores["he"] == pytest.approx(-half, abs=1e-9)
    assert [turned["a"], turned["b"]] == pytest.approx([-scores["a"], -scores["b"]], abs=1e-7)


@given(places)
def test_scores_are_differences_of_distances(vectors: FloatArray) -> None:
    """Second opinion: (‖v − h‖² − ‖v − s‖²) / (2 ‖s − h‖) is the same projection."""
    words = dict(zip(("she", "he", "a", "b"), vectors, strict=True))
    apart = float(np.linalg.norm(words["she"] - words["he"]))
    if apart < 0.01:
        return
    for word, score in axis_scores(words).items():
        to_he, to_she = (((words[word] - words[end]) ** 2).sum() for end in ("he", "she"))
        assert score == pytest.approx((to_he - to_she) / (2 * apart), abs=1e-6)


def texts(count: int = 2500) -> list[list[str]]:
    generator = np.random.default_rng(0)
    return [
        [*generator.permutation([end, *own]).tolist(), "likes", f"w{generator.integers(30)}"]
        for end, own in (("she", ("paint", "ballet")), ("he", ("robots", "engines")))
        for _ in range(count)
    ]


@pytest.mark.slow
def test_the_same_seed_learns_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from tests.texts.criteria.test_embedding import texts\n"
        "from pcf_core.texts.criteria.embedding import learned_vectors\n"
        "report = learned_vectors(texts(50), 0)\n"
        "print(hashlib.sha256(b''.join(v.tobytes() for v in report.values())).hexdigest())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    one, other = learned_vectors(texts(50), 0), learned_vectors(texts(50), 1)
    assert not np.allclose(one["she"], other["she"])


def test_words_beside_she_lean_to_she() -> None:
    scores = axis_scores(learned_vectors(texts(), 0))
    assert min(scores["paint"], scores["ballet"]) > max(scores["robots"], scores["engines"])


def test_without_an_end_there_is_no_axis() -> None:
    assert "“he”" in why_no_axis({"she": np.ones(2)})
    assert "same vector" in why_no_axis({"she": np.ones(2), "he": np.ones(2)})
    assert learned_vectors([["once"]], 0) == {}
    with pytest.raises(CriteriaError, match="cannot be calculated"):
        axis_scores({})
