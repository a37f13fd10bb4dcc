"""The measurement on labelled sentences: what the readers said, and what counts as right and found."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.recall import (
    Label,
    Pair,
    accepted_judged,
    accepted_labels,
    kappa,
    kind_of,
    labels_of,
    pairs_of,
    place_of,
    precision_table,
    read,
    same_person,
    sample_table,
    sentences_in,
    verdict,
    written,
)
from benchmarks.recall_sample import Drawn, marked, sheet
from tests.mining.hand import tree

TEXT = "Smith said that she would end his career"
DRAWN = Drawn("gum", "d", 3, "Smith ended his career")
ENDED = tree(
    "Smith Smith NNP 2 nsubj; ended end VBD 0 root; his his PRP$ 4 nmod:poss; career career NN 2 obj"
)


def label(word: int, *answers: int | None) -> Label:
    return Label("gum", "d", 3, word, (answers[0], answers[1]))


class Hand:
    """A parser that knows one sentence."""

    def trees(self, texts: object) -> list[list[object]]:
        return [[ENDED] for _ in texts]  # type: ignore[attr-defined]


def test_the_sheet_marks_every_word_of_the_topics() -> None:
    assert [TEXT[start:end] for start, end in marked(TEXT)] == ["she", "his"]
    assert sheet([Drawn("gum", "d", 1, TEXT)]) == ("1. Smith said that [1:she] would end [2:his] career\n")


@pytest.mark.parametrize(
    ("answer", "word", "place"),
    [("Smith", 16, 0), ("smith", 16, 0), ("", 16, None), ("Jones", 16, -1), ("she", 30, 16)],
)
def test_an_answer_is_found_in_the_sentence(answer: str, word: int, place: int | None) -> None:
    assert place_of(TEXT, answer, word) == place


def test_of_several_such_words_the_nearest_before_is_meant() -> None:
    assert place_of("He said he knew that he won", "he", 21) == 8
    assert place_of("After he left, he won", "he", 6) == 15


def test_labels_are_kept_without_text(tmp_path: Path) -> None:
    answers = [{"1": {"1": "Smith"}}, {"1": {"1": ""}}]
    labels = list(labels_of([DRAWN], answers))
    assert labels == [label(12, 0, None)]
    written(labels, tmp_path / "labels.csv")
    assert read(tmp_path / "labels.csv") == labels
    assert "Smith" not in (tmp_path / "labels.csv").read_text()
    with pytest.raises(SystemExit, match="Sentence 1, word 1"):
        list(labels_of([DRAWN], [{"1": {}}, {}]))


def test_a_marked_subject_stands_for_the_one_that_was_named_for_it() -> None:
    """He said he knew that he won: the readers name the first, the rule took the second."""
    labels = {8: label(8, 0, 0), 21: label(21, 0, None)}
    pair = Pair("clause", 21, (8,), whole=True)
    assert same_person(labels, 0, pair)
    assert not same_person(labels, 1, pair)
    assert verdict(labels, pair) is None
    assert verdict({21: label(21, 0, 0)}, Pair("clause", 21, (5,), whole=True)) is False


def test_recall_is_of_words_that_both_readers_gave_a_subject() -> None:
    table, judged = sample_table([DRAWN], [label(12, 0, 0)], Hand())  # type: ignore[arg-type]
    assert table["kinds"] == {"possessive": {"words": 1, "pairs": 1, "templates": 1}}
    assert table["sentences"] == {"all": 1, "with a pair": 1, "found": 1, "found by default": 1}
    assert judged == {"possessive": [True]}
    other, wrong = sample_table([DRAWN], [label(12, None, None)], Hand())  # type: ignore[arg-type]
    assert other["kinds"] == {}
    assert wrong == {"possessive": [False]}


def test_only_of_a_subject_the_readers_were_asked_for_no_later_he() -> None:
    """On his return he resigned: *his* means the later *he*; of "When he fell he resigned" no later one."""
    his = tree(
        "On on IN 3 case; his his PRP$ 3 nmod:poss; return return NN 5 obl; he he PRP 5 nsubj;"
        "resigned resign VBD 0 root"
    )
    assert [(one.word, one.subjects) for one in pairs_of("On his return he resigned", [his])] == [(3, (14,))]
    he = tree(
        "When when WRB 3 advmod; he he PRP 3 nsubj; fell fall VBD 5 advcl; he he PRP 5 nsubj;"
        "resigned resign VBD 0 root"
    )
    found = [(one.construction, one.word) for one in pairs_of("When he fell he resigned", [he])]
    assert found == [("main", 13)]


def test_accepted_pairs_are_right_where_both_readers_name_the_subject_or_a_part_of_its_name() -> None:
    texts = sentences_in("7. John Smith ended [1:his] career\n")
    assert texts == {"7": "John Smith ended his career"}
    row = {"number": "7", "construction": "possessive", "corpus": "c", "document": "d", "sentence": "0",
           "subject": "0", "word": "17"}  # fmt: skip
    (one,) = accepted_labels([row], texts, [{"7": {"1": "Smith"}}, {"7": {"1": "John"}}])
    assert one.answers == (0, 0)
    (none,) = accepted_labels([row], texts, [{"7": {"1": ""}}, {"7": {"1": ""}}])
    assert accepted_judged([one, none]) == {"possessive": [True, False]}
    with pytest.raises(SystemExit, match="Sentence 7"):
        list(accepted_labels([row], texts, [{}, {}]))


def test_a_pair_of_a_pronoun_cannot_be_told_where_a_reader_named_another_word() -> None:
    one = Label("c", "d", 0, 30, (0, 0), "clause", 10, pronoun=True)
    two = Label("c", "d", 0, 30, (10, None), "clause", 10)
    assert accepted_judged([one, two]) == {"clause": [None, None]}
    rows = precision_table({"clause": [True, False]}, {"clause": [None, True]})
    assert rows["clause"] == {
        "recall sample": [1, 2], "accepted": [1, 1], "lower": 0.207, "cannot be told": 1,
    }  # fmt: skip


def test_the_readers_agreement_is_cohens_kappa() -> None:
    """Both yes 2, both no 1, one each 1 of 4: (3/4 − 1/2) ÷ (1 − 1/2)."""
    labels = [label(1, 0, 0), label(2, 0, 0), label(3, None, None), label(4, 0, None)]
    assert kappa(labels) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("word", "kind"), [("She", "subject"), ("her", "possessive"), ("woman", "noun or adjective")]
)
def test_words_have_a_kind(word: str, kind: str) -> None:
    assert kind_of(word) == kind
