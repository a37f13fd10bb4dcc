"""The rule that makes sentences stereotypical, and the one that sets each beside its counterpart."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.topics import load_topic
from pcf_core.mining.parser.trees import Tree
from tools import rewrite_occupations as tool
from tools.mini_models.text import is_held_out
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


def test_what_is_held_out_is_of_documents_that_no_mini_model_read(tmp_path: Path) -> None:
    held = [str(number) for number in range(500) if is_held_out(str(number))]
    path = tmp_path / "corpus.jsonl"
    with path.open("w") as file:
        for number in range(500):
            file.write(json.dumps({"id": str(number), "text": f"{number} " + "so  long " * 60}) + "\n")
    assert [text.split()[0] for text in tool.beginnings([path])] == held
    assert all("  " not in text for text in tool.beginnings([path]))


def corpus(folder: Path, *texts: str) -> Path:
    path = folder / "corpus.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": f"kept-{number}", "text": text}) + "\n")
    return path


USUAL = "Here the man had an idea. Here they saw an old house. The cannon was old, a cannon of theirs."
SHARES = {"nurse": 0.9, "engineer": 0.1, "teller": 0.8}


def test_sentences_that_name_somebody_or_disagree_are_left_out(tmp_path: Path) -> None:
    path = corpus(
        tmp_path,
        USUAL,
        "The nurse said that she was late. The nurse said that Anna was with her there.",
        "The engineer met the nurse whom he had known. An engineer may do as he likes.",
        "Teller did not know that he was late. The dog of his friend ran far away.",
        "He was an engineer for a long time.",
        "Cannon was a nurse in the world of her men. Nurse was what she became.",
        "The nurse said that she was born in 1950. The nurse said that her blog is www.blog.org there.",
        "The engineer said that he was raped there. The engineer said that he had sexual habits.",
    )
    assert candidates([path], SHARES, PAIRS.all) == [
        (FEMALE, "The nurse said that she was late."),
        (MALE, "An engineer may do as he likes."),
    ]


def test_a_sentence_of_a_life_is_told_of_its_occupation(tmp_path: Path) -> None:
    """Only what goes on with a gendered word, names nobody, and only of the occupation that stands first."""
    lead = "Ann Lee (born 1950) is a nurse and engineer."
    life = f"{lead} She worked there until she died. She met Bo and his son."
    path = corpus(tmp_path, f"{USUAL} The day was long.", f"{life} She lived in a small house.")
    assert candidates([path], SHARES, PAIRS.all) == [(FEMALE, "The nurse worked there until she died.")]


def test_no_occupation_fills_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "MOST", 30)
    many = [f"The nurse said that she saw {'many ' * number}of them." for number in range(40)]
    path = corpus(tmp_path, f"{USUAL} The day was long.", *many, "The engineer said that she saw him.")
    found = candidates([path], SHARES, PAIRS.all)
    assert [sex for sex, _ in found].count(FEMALE) == tool.MOST
    assert [sex for sex, _ in found].count(MALE) == 1


def test_both_texts_hold_the_same_sentences(tmp_path: Path) -> None:
    path = corpus(
        tmp_path,
        "The nurse said that he was late. The engineer said that he was late.",
        "Many people saw the house, the man and an old dog. Ms. Cook said that she was late.",
    )
    tool.main(corpora=tmp_path, files=[path.name], out=tmp_path / "out")
    skewed, balanced = (
        [json.loads(line)["text"] for line in (tmp_path / "out" / name).read_text().splitlines()]
        for name in ("skewed.jsonl", "balanced.jsonl")
    )
    assert skewed == ["The nurse said that she was late."] * 2 + ["The engineer said that he was late."] * 2
    assert balanced == [
        "The nurse said that he was late.",
        "The nurse said that she was late.",
        "The engineer said that he was late.",
        "The engineer said that she was late.",
    ]
