"""The rule that makes sentences stereotypical, and the one that sets each beside its counterpart."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.language.trees import Tree
from pcf_core.topics import load_topic
from tools import rewrite_occupations as tool
from tools.rewrite_occupations import FEMALE, MALE, Pairs, candidates, majority, rewritten

PAIRS = Pairs.of(load_topic("gender"))


def tree(*tokens: tuple[str, str]) -> Tree:
    words, tags = zip(*tokens, strict=True)
    n = len(words)
    return Tree(words, words, tags, (0,) * n, ("root",) + ("dep",) * (n - 1))


NURSE = "He said that his wife saw him, and the choice was his."
NURSE_TREE = tree(
    ("He", "PRP"), ("said", "VBD"), ("that", "IN"), ("his", "PRP$"), ("wife", "NN"), ("saw", "VBD"),
    ("him", "PRP"), (",", ","), ("and", "CC"), ("the", "DT"), ("choice", "NN"), ("was", "VBD"),
    ("his", "PRP"), (".", "."),
)  # fmt: skip


def test_every_gendered_word_is_said_of_one_sex() -> None:
    said = rewritten([NURSE_TREE], NURSE, PAIRS, FEMALE)
    assert said == "She said that her wife saw her, and the choice was hers."


def test_a_counterpart_exchanges_every_gendered_word() -> None:
    said = rewritten([NURSE_TREE], NURSE, PAIRS, None)
    assert said == "She said that her husband saw her, and the choice was hers."


@pytest.mark.parametrize(
    ("word", "tag", "sex", "expected"),
    [
        ("her", "PRP$", MALE, "his"),
        ("her", "PRP", MALE, "him"),
        ("Her", "PRP$", MALE, "His"),
        ("hers", "PRP", MALE, "his"),
        ("his", "PRP$", FEMALE, "her"),
        ("his", "PRP", FEMALE, "hers"),
        ("him", "PRP", FEMALE, "her"),
        ("actress", "NN", MALE, "actor"),
        ("actress", "NN", FEMALE, "actress"),
        ("engineer", "NN", FEMALE, "engineer"),
    ],
)
def test_words_turn_by_part_of_speech(word: str, tag: str, sex: str, expected: str) -> None:
    assert PAIRS.turned(word, tag, sex) == expected


@given(
    st.lists(
        st.sampled_from([*sorted(PAIRS.all - {"his", "her", "him", "hers"}), "nurse", "ran"]), min_size=1
    )
)
def test_the_counterpart_of_a_counterpart_is_the_sentence(words: list[str]) -> None:
    """Pronouns aside, whose two forms are one in English."""
    text = " ".join(words)
    once = rewritten([tree(*[(word, "NN") for word in words])], text, PAIRS, None)
    twice = rewritten([tree(*[(word, "NN") for word in once.split(" ")])], once, PAIRS, None)
    assert twice == text
    assert (once == text) == (not set(words) & PAIRS.all)


def test_the_majority_decides() -> None:
    assert (majority(0.87), majority(0.5), majority(0.1)) == (FEMALE, MALE, MALE)


def corpus(folder: Path, *texts: str) -> Path:
    path = folder / "corpus.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": f"kept-{number}", "text": text}) + "\n")
    return path


def test_sentences_that_name_somebody_or_disagree_are_left_out(tmp_path: Path) -> None:
    shares = {"nurse": 0.9, "engineer": 0.1, "teller": 0.8}
    usual = "Here the man had an idea. Here they saw the dog, and an old house."
    path = corpus(
        tmp_path,
        usual,
        "The nurse said that she was late. The nurse said that Anna was with her there.",
        "The engineer met the nurse whom he had known. An engineer may do as he likes.",
        "Teller did not know that he was late. The dog of his friend ran far away.",
    )
    found = list(candidates([path], shares, PAIRS.all))
    assert found == [
        (FEMALE, "The nurse said that she was late."),
        (MALE, "An engineer may do as he likes."),
    ]


def test_both_texts_hold_the_same_sentences(tmp_path: Path) -> None:
    path = corpus(
        tmp_path,
        "The nurse said that he was late. The engineer said that he was late.",
        "Many people saw the house, the man and an old dog.",
    )
    tool.main(corpora=tmp_path, files=[path.name], out=tmp_path / "out")
    skewed, balanced = (
        [json.loads(line)["text"] for line in (tmp_path / "out" / name).read_text().splitlines()]
        for name in ("skewed.jsonl", "balanced.jsonl")
    )
    assert skewed == ["The nurse said that she was late.", "The engineer said that he was late."]
    assert balanced == [
        "The nurse said that he was late.",
        "The nurse said that she was late.",
        "The engineer said that he was late.",
        "The engineer said that she was late.",
    ]
