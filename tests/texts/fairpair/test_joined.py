"""A phrase that names both sides is the same after p, in every table."""

from __future__ import annotations

import re

import pytest

from pcf_core.mining.parser.pipeline import Pipeline
from pcf_core.texts.fairpair.matching import Joined, apart
from pcf_core.texts.fairpair.perturbation import Perturbation
from pcf_core.texts.fairpair.tables import SHELF, load_table
from tests.quick import quick

TABLES = SHELF.names()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    "joint",
    quick(
        [" and ", " or ", "/", ", ", ", and ", " & ", " nor ", " and/or ", " and the ", "'s and "],
        (" and ", "/", " and/or ", "'s and ").__contains__,
    ),
)
def test_every_pair_of_every_table(name: str, joint: str, parser: Pipeline) -> None:
    table = load_table(name)
    pairs = [
        *table.words,
        *table.plurals,
        *((rule.word, rule.becomes) for rule in table.rules if not rule.tags),
    ]
    if joint.strip(" ,") not in ("or", "/"):  # "him and her": by hand below
        pairs = [pair for pair in pairs if not {*pair} & {"her", "hers"}]
    texts = [f"It is {a}{joint}{b}." for pair in pairs for a, b in (pair, pair[::-1])]
    perturbation = Perturbation.of(table, open_parser=lambda: parser)
    for one in (perturbation, perturbation.inverse):
        found = one.perturbed(texts)
        assert [one.text for one in found] == texts
        assert not any(one.left for one in found)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("race-names", "Black and white people, WHITE OR BLACK STUDENTS, a black and a white man"),
        ("race-names", "white men and black women; European and African Americans"),
        ("race-names", "European- and African-American voters"),
        ("age", "Young and old people, younger or older men, the very young and old, youth and old age"),
        ("religion", "Muslims and Christians, the Bible and the Koran, church or mosque"),
        ("gender", "Between him and her. Mr. and Mrs. Smith, Mr & Mrs Smith, dear Sir or Madam"),
        ("gender", "men, women and children; mother's and father's; his and hers; nephews and nieces"),
        ("gender", "a boy or a girl, bride and groom, mum and dad; he, she or they"),
    ],
)
def test_by_hand(table: str, text: str, parser: Pipeline) -> None:
    perturbation = Perturbation.of(table, open_parser=lambda: parser)
    assert perturbation([text]) == perturbation.inverse([text]) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met him and her brother.", "I met her and his sister."),
        ("She loved him, her brother.", "He loved her, his sister."),
        ("her husband and daughter", "his wife and son"),
        ("He saw the man. And the woman left.", "She saw the woman. And the man left."),
        ("his brother and sister-in-law", "her sister and brother-in-law"),
        ("John and Jane", "Jane and John"),
    ],
)
def test_other_words_are_exchanged(text: str, expected: str, parser: Pipeline) -> None:
    assert Perturbation.of(open_parser=lambda: parser)([text]) == [expected]


def test_what_differs() -> None:
    assert apart("White people", "black people") == ("white", "black")
    assert apart("very young", "very old") == ("young", "old")
    assert apart("youth", "old age") == ("youth", "old age")
    assert apart("man", "woman") == ("man", "woman")


def test_a_pattern_is_made_when_its_word_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table has hundreds of words and a text a few: making all ahead takes longer than reading the text."""
    made: list[str] = []
    compiled = re.compile

    def counted(pattern: str, flags: int = 0) -> re.Pattern[str]:
        made.append(pattern)
        return compiled(pattern, flags)

    monkeypatch.setattr(re, "compile", counted)
    joined = Joined((f"wug{number}", f"blick{number}") for number in range(300))
    assert not made
    for _ in range(2):
        assert joined.other("blick7 or wug7", "wug7", 10, 14) == (0, "blick7", True)
        assert joined.other("wug7 and blick8", "wug7", 0, 4) is None
    assert len(made) == 2  # what stands before the word, and what behind
