from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.criteria.labels import Lexicon, clear_label
from tests.texts.criteria.hobbyists import SAID, material

LABELS = material().labels
LEXICON = Lexicon(LABELS)
vocabulary = [word.rstrip("*") for label in LABELS for word in label.words[:5]] + ["cooking", "and"]


def test_the_worked_example() -> None:
    (shares,) = LEXICON.shares(["loves coding and football, football!"])
    assert shares.tolist() == [0.5, 0, 0.5, 0, 0, 0]  # of technology and of sport
    assert LEXICON.found("Coding, coding!")[0] == {"coding"}


def test_a_text_with_none_has_as_much_of_every_label() -> None:
    shares = LEXICON.shares(["cooks with friends", ""])
    assert np.allclose(shares, 1 / 6)
    assert clear_label(shares) == [None, None]


def test_every_label_is_found_by_what_is_said_of_it() -> None:
    assert clear_label(LEXICON.shares(list(SAID.values()))) == list(range(6))


def test_no_word_is_of_two_labels_not_even_by_a_stem() -> None:
    for label in LABELS:
        for word in label.words:
            words_of_labels = LEXICON.found(word.rstrip("*"))
            others = [LABELS[index].name for index, words in enumerate(words_of_labels) if words]
            assert set(others) <= {label.name}, (word, others)


def test_answers_are_words_of_their_label() -> None:
    for index, label in enumerate(LABELS):
        for answer in label.answers:
            assert [bool(words) for words in LEXICON.found(answer)] == [at == index for at in range(6)], (
                answer
            )


@given(st.lists(st.lists(st.sampled_from(vocabulary), max_size=8).map(" ".join), max_size=5))
def test_shares_are_counts_of_different_words(texts: list[str]) -> None:
    shares = LEXICON.shares(texts)
    assert shares.shape == (len(texts), 6)
    assert np.allclose(shares.sum(axis=1), 1)
    for text, row in zip(texts, shares, strict=True):
        counts = [len(words) for words in LEXICON.found(text)]
        assert not sum(counts) or np.allclose(row, np.array(counts) / sum(counts))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Plays video games.", "technology"),
        ("Reads science fiction", "literature"),
        ("Practises martial arts", "sport"),
        ("does community service", "volunteer"),
        ("robotics and football", None),
        ("keeps an inventory of the surface", None),
        ("photosynthesis, cyclone, community college", None),
        ("a star pupil of the team", None),
    ],
)
def test_two_words_of_the_list_are_one_and_parts_of_others_are_none(text: str, label: str | None) -> None:
    (index,) = clear_label(LEXICON.shares([text]))
    assert (None if index is None else LABELS[index].name) == label


def test_the_accuracy_is_the_one_that_is_stated() -> None:
    with Path(__file__).with_name("hobbies-labelled.tsv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [label.name for label in LABELS]
    labels = clear_label(LEXICON.shares([row["text"] for row in rows]))
    right = sum(
        row["label"] == ("none" if index is None else names[index])
        for row, index in zip(rows, labels, strict=True)
    )
    about = (Path(__file__).parents[3] / "docs" / "about.md").read_text(encoding="utf8")
    assert f"of {len(rows)} descriptions that were labelled by hand {right} have that label" in " ".join(
        about.split()
    )


def test_the_name_changes_with_the_words() -> None:
    other = [LABELS[0].model_copy(update={"words": ("coding",)}), *LABELS[1:]]
    assert Lexicon(other).name != LEXICON.name
