"""Sentences with a wanted word: what a plain splitter gives, and how many of the treebanks' ends it finds."""

from __future__ import annotations

import gzip
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pcf_core.core.errors import TopicError
from pcf_core.mining.sentences import (
    GAP,
    MAX_CHARACTERS,
    MAX_WORDS,
    TOO_LONG,
    WITHOUT_WORD,
    Wanted,
    _is_end,
    candidates,
)
from tests.quick import quick

TREEBANK = Path(__file__).resolve().parents[3] / "shared" / "data" / "treebank"
WORDS = 'he she He SHE The the there Mr. U.S. J. I. No. 5 II etc. a.m. end.The 1950.He . .. ... ? ! … " ” ( )'
WORDS += " [12] — İ ſhe é K"
PIECES = (
    *WORDS.split(),
    *(", ", " [3]", " ", "\u00a0", "  ", "\n", "\r\n", "\t"),
    *("word " * 70, " " * 500, "." * 40, "a." * 30, "x" * 90),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda glue: glue.join(pieces))
)


def split(text: str) -> Iterator[tuple[int, str]]:
    """Every sentence: each line on its own, each gap in it looked at."""
    begin = 0
    for line in text.split("\n"):
        ends = [gap.end() for gap in GAP.finditer(line) if _is_end(line, gap)]
        for start, end in zip([0, *ends], [*ends, len(line)], strict=True):
            sentence = line[start:end]
            if sentence.strip():
                yield begin + start + len(sentence) - len(sentence.lstrip()), sentence.strip()
        begin += len(line) + 1


def is_too_long(sentence: str) -> bool:
    return len(sentence) > MAX_CHARACTERS or len(sentence.split()) > MAX_WORDS


@given(TEXTS)
@example(" " * 500 + "SHE")  # white space is no part of a sentence's length
@example("SHE" + " a" * (MAX_WORDS - 1) + "\nHe" + " a" * MAX_WORDS)  # as many words as a sentence may have
@example("SHE " + "a" * (MAX_CHARACTERS - 4) + "\nHe " + "a" * (MAX_CHARACTERS - 2))  # and characters
def test_the_same_as_splitting_everything_first(text: str) -> None:
    wanted = re.compile(r"\b(he|she)\b")
    expected = [
        (offset, sentence)
        for offset, sentence in split(text)
        if wanted.search(sentence.replace("İ", "I").lower())  # else it would become two characters
    ]
    dropped: Counter[str] = Counter()
    assert list(candidates(text, Wanted(["he", "She"]), dropped)) == [
        pair for pair in expected if not is_too_long(pair[1])
    ]
    assert dropped[TOO_LONG] == sum(is_too_long(sentence) for _, sentence in expected)
    assert dropped[WITHOUT_WORD] == sum(1 for _ in split(text)) - len(expected)


@given(TEXTS, st.sampled_from([["he"], ["the", "he"], ["i", "x", "no"], []]))
def test_a_candidate_is_a_slice_and_no_occurrence_is_lost(text: str, words: list[str]) -> None:
    found = list(candidates(text, Wanted(words), dropped := Counter()))
    covered: set[int] = set()
    for offset, sentence in found:
        assert text[offset : offset + len(sentence)] == sentence == sentence.strip()
        assert "\n" not in sentence
        assert not covered & set(range(offset, offset + len(sentence)))
        covered |= set(range(offset, offset + len(sentence)))
    expression = rf"\b({'|'.join(words)})\b" if words else "(?!)"
    lost = [hit.start() for hit in re.finditer(expression, text.lower().replace("i̇", "i"))]
    outside = [place for place in lost if place not in covered]
    assert not outside or dropped[TOO_LONG]
    assert dropped[TOO_LONG] <= len(outside)


@pytest.mark.parametrize(
    "sentences",
    [
        ["He left.", "She stayed!", "Did he?", "He did…"],
        ["Dr. Smith said that he knew Mrs. J. R. Jones of St. Louis.", "She knew her."],
        ["He came in Jan. 1950 at 5 a.m. in the U.S. Navy.", "She came at 6 a.m. He did not."][:1],
        ["She left at 5 p.m.", "He stayed in the U.S.", "The city missed him and he it."],
        ["He is No. 5.", "He said no.", "She said it in vol. IV."],
        ['"He left," she said.', '"Why did he?" she asked.', '"Go," he said.', '"She went."', "He too."],
        ["“He left.”", "She read Henry I.", "He read e.g. Austen, Scott et al. before."],
        ["He works for Apple Inc. in Texas.", "She owns Smith & Co.", "He was born in c. 1950."],
        ["She wrote it.[12]", "He read it. [3]", "He (b. 1950) agreed."],
        ["He waited ...", "She came."],
        ["Она и he ушли.", "Она и she остались."],
        ["It is 3.5 m for him and she knows www.example.com by heart."],
    ],
    ids=lambda sentences: sentences[0],
)
def test_where_sentences_end(sentences: list[str]) -> None:
    found = [sentence for _, sentence in candidates(" ".join(sentences), Wanted(["he", "she"]))]
    assert found == [sentence for sentence in sentences if re.search(r"\b(s?he)\b", sentence.lower())]


def test_lines_are_paragraphs_and_lost_spaces_are_seen() -> None:
    text = "He came\nand she left.The dog stayed.He knew.\n\n"
    assert list(candidates(text, Wanted(["he", "she", "dog"]))) == [
        (0, "He came"),
        (8, "and she left."),
        (21, "The dog stayed."),
        (36, "He knew."),
    ]


def test_words_are_whole_and_in_any_case() -> None:
    text = "The THERAPIST came. A police officer went. There is police. He's o'clock. HE."
    wanted = Wanted(["therapist", "Police Officer", "he"])
    assert [offset for offset, _ in candidates(text, wanted)] == [0, 20, 60, 74]


def test_a_word_finds_what_is_searched_for_one_by_one() -> None:
    """The expression shares beginnings; each word alone finds the same."""
    words = ["a", "art", "artist", "artists", "art dealer", "co-author", "author", "naïve", "d'or"]
    text = ". ".join(["An artist", *words, "artistic", "coauthor", "A d’or", "art  dealer", "NAÏVE x"])
    alone = {pair for word in words for pair in candidates(text, Wanted([word]))}
    assert set(candidates(text, Wanted(words))) == alone


def test_lower_case_has_the_length_of_the_text() -> None:
    letters = "".join(map(chr, range(sys.maxunicode + 1)))
    assert len(letters.replace("İ", "I").lower()) == len(letters)
    assert list(candidates("İ. İ. İ said it. She heard.", Wanted(["she"]))) == [(17, "She heard.")]


@pytest.mark.parametrize("word", ["Mr.", "", " he", "5", "what?", "he ", "a\nb"])
def test_words_that_cannot_be_looked_for(word: str) -> None:
    with pytest.raises(TopicError, match="cannot be searched for in texts: a word must begin with a letter"):
        Wanted(["he", word])


@pytest.mark.parametrize(
    "piece",
    quick(
        ["he ", "he. ", ".", "he" + "." * 999, '"', " ", "[1]", "he\n", "he Mr. ", "he " + " " * 999, "Mr. "],
        ("he. ", "he Mr. ", "he " + " " * 999).__contains__,
    ),
)
def test_time_grows_with_the_length_whatever_is_in_the_text(piece: str) -> None:
    """2 MB in a few seconds; squared growth would take hours."""
    text = piece * (2_000_000 // len(piece)) + " she."
    begun = time.process_time()
    for _ in candidates(text, Wanted(["he", "she"])):
        pass
    assert time.process_time() - begun < 20


def paragraphs(path: Path) -> Iterator[tuple[str, set[int]]]:
    """Raw paragraphs of a treebank, each with the places where its sentences end."""
    text, ends, sentence, glue = "", set[int](), "", ""
    for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
        if line.startswith(("# newpar", "# newdoc")) and text:
            yield text.rstrip(), ends
            text, ends = "", set()
        elif line.startswith("# text = "):
            sentence = line[9:]
        elif not line:
            text += sentence
            ends.add(len(text))
            text += glue
        elif not line.startswith("#"):
            glue = "" if "SpaceAfter=No" in line else " "
    yield text.rstrip(), ends


@pytest.mark.skipif(not TREEBANK.is_dir(), reason="the treebank of ../shared is not here")
@pytest.mark.parametrize(("name", "recall", "precision"), [("gum-dev", 0.97, 0.99), ("ewt-dev", 0.84, 0.98)])
def test_share_of_the_treebanks_sentence_ends(name: str, recall: float, precision: float) -> None:
    """EWT's emails and chats end sentences without marks and begin them small: those are not found."""
    hits = gold = found = 0
    for text, ends in paragraphs(TREEBANK / f"{name}.conllu.gz"):
        places = {offset + len(sentence) for offset, sentence in split(text)}
        hits, gold, found = hits + len(places & ends), gold + len(ends), found + len(places)
    assert gold > 1500
    assert hits / gold > recall
    assert hits / found > precision


@pytest.mark.skipif(not TREEBANK.is_dir(), reason="the treebank of ../shared is not here")
def test_all_words_wanted_gives_all_sentences() -> None:
    text = "\n".join(paragraph for paragraph, _ in paragraphs(TREEBANK / "gum-dev.conllu.gz"))
    wanted = Wanted({word.lower() for word in re.findall(r"[^\W\d_]\w*", text)})
    found = set(candidates(text, wanted))
    assert all(
        pair in found
        for pair in split(text)
        if re.search(r"\b[^\W\d_]", pair[1]) and not is_too_long(pair[1])
    )
