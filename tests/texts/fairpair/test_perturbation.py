"""Texts about one group become texts about the other: by hand, and as properties."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pcf_core.core.errors import PerturbationError
from pcf_core.material.suiting import with_article
from pcf_core.mining.parser.pipeline import Pipeline
from pcf_core.texts.fairpair.matching import Joined, apart, capitalised, given_names, is_surname
from pcf_core.texts.fairpair.perturbation import Parser, Perturbation, calmed
from pcf_core.texts.fairpair.records import Mode, PerturbationTable
from pcf_core.texts.fairpair.tables import SHELF, load_table
from tests.quick import quick

ROOT = Path(__file__).resolve().parents[3]
TABLES = {name: load_table(name) for name in SHELF.names()}
NO_WORDS = st.text(" \n\t.;:!?()[]“”…—§€0\u00a0\u200b🙂", max_size=12)


def no_parser() -> Parser:
    raise AssertionError("this text needs no parts of speech")


def perturb(parser: Pipeline, text: str, table: str = "gender") -> str:
    [found] = Perturbation.of(table, open_parser=lambda: parser)([text])
    return found


# ------------------------------------------------------------------------------------- whole texts, by hand

BOTH_WAYS = [
    # the acceptance cases of the protocol
    ("he gave her his book", "she gave him her book"),
    ("it is his", "it is hers"),
    ("she saw him with her dog", "he saw her with his dog"),
    ("John is a computer scientist.", "Jane is a computer scientist."),
    ("John met his wife.", "Jane met her husband."),
    # pronouns in other places
    ("The book is his, and he likes it.", "The book is hers, and she likes it."),
    ("He hurt himself.", "She hurt herself."),
    ("I went with him to his house.", "I went with her to her house."),
    ("It was for his and her mother.", "It was for his and her father."),
    ("His car was sold.", "Her car was sold."),
    # contractions, quotes, slashes, Markdown
    ("he's late, he'd gone, he’ll come", "she's late, she'd gone, she’ll come"),
    ("“He left,” she said.", "“She left,” he said."),
    # what names both sides stays
    ("if he/she wants, s/he may bring his / her book", "if he/she wants, s/he may bring his / her book"),
    ("He or she, his or hers, HIS/HER", "He or she, his or hers, HIS/HER"),
    ("Ladies and gentlemen, men and women", "Ladies and gentlemen, men and women"),
    ("his brother and sister-in-law", "her sister and brother-in-law"),
    # sentences in large letters
    ("HE GAVE HER HIS BOOK", "SHE GAVE HIM HER BOOK"),
    ("John left. HIS BOOK IS HERS! IT IS HIS.", "Jane left. HER BOOK IS HIS! IT IS HERS."),
    # her before an adjective or a participle is no possessive
    ("I called him beautiful", "I called her beautiful"),
    ("saw him running", "saw her running"),
    ("He did his best on his own.", "She did her best on her own."),
    # addresses, and phrases that name nobody
    ("see http://his.com, www.he.org and him@her.org", "see http://his.com, www.he.org and him@her.org"),
    ("Lady Luck, a maid of honor, oh man", "Lady Luck, a maid of honor, oh man"),
    ("_he_ and *the king*", "_she_ and *the queen*"),
    # possessives and plurals
    ("John's dog, the boys' room", "Jane's dog, the girls' room"),
    ("a gentlemen's club, the men's coats", "a ladies' club, the women's coats"),
    ("Our fathers, husbands and sons", "Our mothers, wives and daughters"),
    # titles
    ("Mr. Smith met Mr Jones.", "Ms. Smith met Ms Jones."),
    ("Sir John, thank you, sir.", "Dame Jane, thank you, madam."),
    # hyphens
    ("a half-brother, an ex-husband", "a half-sister, an ex-wife"),
    ("Mother-in-law and MOTHER-IN-LAW", "Father-in-law and FATHER-IN-LAW"),
    ("a man-made lake, a king-size bed", "a man-made lake, a king-size bed"),
    # case and articles
    ("HE IS A KING, AN HEIR.", "SHE IS A QUEEN, AN HEIRESS."),
    ("A waiter came", "A waitress came"),
    ("an uncle, a man, an actor", "an aunt, a woman, an actress"),
    # what is part of a name stays
    ("Stephen King and Elton John", "Stephen King and Elton John"),
    ("Dr. King, B. King, Mr. Prince", "Dr. King, B. King, Ms. Prince"),
    ("King Charles", "Queen Sarah"),
    # but not behind a word that is a given name, too
    ("Will John come? May John rest.", "Will Jane come? May Jane rest."),
    ("In May John left Mark John's house.", "In May Jane left Mark Jane's house."),
    ("Georgia Man Arrested", "Georgia Woman Arrested"),
    ("Hannah Man, Hannah Policeman", "Hannah Man, Hannah Policewoman"),
    # a title is written with a capital
    ("I miss John. We will miss Dr. Smith.", "I miss Jane. We will miss Dr. Smith."),
    ("They will miss him, mister.", "They will miss her, mister."),
    # parts of words
    ("the theme, human, history, others, sheet", "the theme, human, history, others, sheet"),
]


@pytest.mark.parametrize(("male", "female"), BOTH_WAYS)
def test_whole_texts_both_ways(parser: Pipeline, male: str, female: str) -> None:
    assert perturb(parser, male) == female
    assert perturb(parser, female) == male


@pytest.mark.parametrize(
    ("text", "expected", "back"),
    [
        ("Mrs. Jones and Miss Smith", "Mr. Jones and Mr Smith", "Ms. Jones and Ms Smith"),
        ("James' dog", "Mary's dog", "James's dog"),
        ("Yes, ma'am.", "Yes, sir.", "Yes, madam."),
        ("Mum called.", "Dad called.", "Mom called."),
    ],
)
def test_what_shares_a_counterpart_does_not_come_back(
    parser: Pipeline, text: str, expected: str, back: str
) -> None:
    assert perturb(parser, text) == expected
    assert perturb(parser, expected) == back


ONE_WAY = [  # table, mode, prompt, text, expected
    # other tables
    ("race-names", "whole", "", "Greg is a black man in a white shirt.",
     "Jamal is a white man in a white shirt."),
    ("race-names", "whole", "", "Emily is an African American.", "Lakisha is a European American."),
    ("race-names", "whole", "", "He saw her with his dog.", "He saw her with his dog."),
    ("race-names", "whole", "", "Kenya is a country, Ebony a magazine.",
     "Kenya is a country, Ebony a magazine."),
    ("religion", "whole", "", "Peter, a Christian, saw the church.", "Ahmed, a Muslim, saw the mosque."),
    ("religion", "whole", "", "An imam read THE BIBLE.", "A pastor read THE QURAN."),
    ("religion", "whole", "", "Merry Christmas. Mary Church", "Merry Eid. Fatima Mosque"),
    ("religion", "entity", "", "Peter is a Christian and his friend Mary is a Christian. He left.",
     "Ahmed is a Muslim and his friend Mary is a Christian. He left."),
    ("age", "whole", "", "Tyler is a young man of ten years.", "Walter is an old man of ten years."),
    ("age", "whole", "", "An elderly couple in an old house.", "A youthful couple in an old house."),
    # a noun that is also a verb changes as a noun
    ("gender", "whole", "", "He hosts a show.", "She hosts a show."),
    ("gender", "whole", "", "The host of the show smiled.", "The hostess of the show smiled."),
    ("gender", "whole", "", "They will miss him.", "They will miss her."),
    # what looks joined to its counterpart and is not
    ("gender", "whole", "", "I met him and her brother.", "I met her and his sister."),
    ("gender", "whole", "", "She loved him, her brother.", "He loved her, his sister."),
    ("gender", "whole", "", "her husband and daughter", "his wife and son"),
    ("gender", "whole", "", "He saw the man. And the woman left.", "She saw the woman. And the man left."),
    ("gender", "whole", "", "John and Jane", "Jane and John"),
    # a prompt is read and not given back
    ("gender", "whole", "He saw her", " book.", " book."),
    ("gender", "whole", "He saw her", " and left him.", " and left her."),
    ("gender", "whole", "John met", "his wife", "her husband"),
    ("gender", "entity", "John is a nurse.", " He likes his job.", " She likes her job."),
    ("gender", "entity", "John met Bob. Bob is old.", " He likes it.", " He likes it."),
    # a text cannot change what stands before it, though "a old man" is none that a person would write
    ("age", "whole", "Tyler is a", " young man", " old man"),
    # an apposition is no rival, and a list is no apposition
    ("gender", "entity", "John is a nurse.", "John, a waiter, said he loves his job.",
     "Jane, a waitress, said she loves her job."),
    ("gender", "entity", "John is a nurse.", "John, an old waiter, said he loves his job.",
     "Jane, an old waitress, said she loves her job."),
    ("gender", "entity", "John is a nurse.", "John, the waiter, said he loves his job.",
     "Jane, the waitress, said she loves her job."),
    ("gender", "entity", "John is a nurse.", "John, a doctor, said he loves his job.",
     "Jane, a doctor, said she loves her job."),
    ("gender", "entity", "", "John, a nurse, and a waiter left.", "Jane, a nurse, and a waiter left."),
]  # fmt: skip


@pytest.mark.parametrize(("table", "mode", "prompt", "text", "expected"), ONE_WAY)
def test_texts_one_way(
    parser: Pipeline, table: str, mode: Mode, prompt: str, text: str, expected: str
) -> None:
    assert Perturbation.of(table, mode=mode, open_parser=lambda: parser)([text], prompt) == [expected]


def test_names_can_be_chosen() -> None:
    perturbation = Perturbation.of(entity=("Paul", "Mary"), open_parser=no_parser)
    # James and Mary are a pair of the table, as are Paul and Emily: the entity's names go first.
    assert perturbation(["Paul, Mary, James and John"]) == ["Mary, Paul, James and Jane"]
    with pytest.raises(PerturbationError, match="capital"):
        Perturbation.of(entity=("paul", "Mary"))


def test_a_text_without_doubtful_words_needs_no_parser() -> None:
    perturbation = Perturbation.of(open_parser=no_parser)
    assert perturbation(["John is a king.", "", "He left."]) == ["Jane is a queen.", "", "She left."]
    with pytest.raises(AssertionError, match="parts of speech"):
        perturbation(["It is his."])


@pytest.mark.parametrize("mode", ["whole", "entity"])
@pytest.mark.parametrize(
    ("prompt", "text", "expected"),
    [
        ("John is a", " man who works", " woman who works"),
        ("John works as an", " actor", " actress"),
        ("John is AN", "  heir.", "  heiress."),
        ("John is", " a waiter", " a waitress"),
    ],
)
def test_the_article_may_stand_in_the_prompt(
    parser: Pipeline, mode: str, prompt: str, text: str, expected: str
) -> None:
    perturbation = Perturbation.of(mode=mode, open_parser=lambda: parser)
    assert perturbation([prompt]) == [prompt.replace("John", "Jane")]
    assert perturbation([text], prompt) == [expected]
    assert perturbation.inverse([expected], prompt.replace("John", "Jane")) == [text]


def test_a_text_without_letters_and_one_with_half_a_character(parser: Pipeline) -> None:
    assert perturb(parser, "… 12 !") == "… 12 !"
    assert perturb(parser, "\ud83d  his\n\ncar \u00a0 was her's \udc00").startswith(
        "\ud83d  her\n\ncar \u00a0 was "
    )


def test_left_words_are_those_of_the_source_side_that_stand_as_they_were(parser: Pipeline) -> None:
    perturbation = Perturbation.of(open_parser=lambda: parser)
    text = "The lord and the dude met Elton John, mAn and a ballerina."
    [found] = perturbation.perturbed([text])
    assert sorted(found.left) == ["dude", "john", "lord", "man"]
    [found] = perturbation.inverse.perturbed([text])
    assert found.left == ("ballerina",)


def test_of_an_entity_the_name_alone_can_be_left(parser: Pipeline) -> None:
    """His father is a policeman, rightly still: who is meant by a word that stays is not known."""
    perturbation = Perturbation.of(mode="entity", open_parser=lambda: parser)
    text = "John met Elton John. Bob gave him his book. His father was a policeman, the dude."
    [found] = perturbation.perturbed([text], "John is a nurse.")
    assert found.left == ("john",)


def test_no_page_is_given_spacy() -> None:
    code = (
        "import sys\n"
        "from pcf_core.texts.fairpair.perturbation import Perturbation\n"
        "assert Perturbation.of()(['He left.']) == ['She left.']\n"
        "print('spacy' in sys.modules, 'torch' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert answer.stdout.strip() == "False False"


# ------------------------------------------------------------------------------------------------- entities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John met his brother. He said he was late.", "Jane met her brother. She said she was late."),
        ("John saw his sister.", "Jane saw her sister."),
        ("Bob saw John. He waved.", "Bob saw Jane. He waved."),
        ("John told Bob to help him.", "Jane told Bob to help her."),
        ("John hurt himself.", "Jane hurt herself."),
        ("John is a waiter. The waiter likes his job.", "Jane is a waitress. The waitress likes her job."),
        ("Mr. John Smith, an actor, left.", "Ms. Jane Smith, an actress, left."),
        ("His boss, Mr. Smith, trusts him.", "Her boss, Mr. Smith, trusts her."),
        ("Mary said that she knew John.", "Mary said that she knew Jane."),
        ("James likes John's wife.", "James likes Jane's wife."),
        ("JOHN LOST HIS KEYS. HE IS A WAITER.", "JANE LOST HER KEYS. SHE IS A WAITRESS."),
    ],
)
def test_only_what_means_the_entity_changes(parser: Pipeline, text: str, expected: str) -> None:
    perturbation = Perturbation.of(mode="entity", open_parser=lambda: parser)
    assert perturbation([text]) == [expected]
    assert perturbation.inverse([expected]) == [text]


# ----------------------------------------------------------------------------------------------- properties


def one_to_one(table: PerturbationTable) -> list[tuple[str, str, bool]]:
    """Both directions of pairs that stand in no rule and no title, and whether they are proper names."""
    special = {rule.word.casefold() for rule in table.rules} | {
        rule.becomes.casefold() for rule in table.rules
    }
    special |= {word.casefold() for pair in table.titles for word in pair}
    pairs = [(*pair, True) for pair in table.names]
    pairs += [(*pair, False) for pair in (*table.words, *table.plurals)]
    plain = [pair for pair in pairs if not special & {pair[0].casefold(), pair[1].casefold()}]
    return plain + [(second, first, proper) for first, second, proper in plain]


@st.composite
def listed_words(draw: st.DrawFn) -> tuple[str, str, str]:
    """A table, words of it with semicolons between, and what they become, put together here."""
    table = TABLES[draw(st.sampled_from(sorted(TABLES)))]
    before, behind = [], []
    for word, other, proper in draw(st.lists(st.sampled_from(one_to_one(table)), min_size=1, max_size=6)):
        forms = [str, str.upper, capitalised] if not proper else [str, str.upper]
        form = draw(st.sampled_from(forms))
        tail = (
            draw(st.sampled_from(["", ".", "!", " left"]))
            if word.endswith("s") or other.endswith("s")
            else (draw(st.sampled_from(["", "'s", "’s", "'d", "-", "."])))
        )
        article = draw(st.booleans()) and not proper
        pieces = (with_article(word), with_article(other)) if article else (word, other)
        starts = [piece[: len(piece) - len(end)] for piece, end in zip(pieces, (word, other), strict=True)]
        before.append(starts[0] + form(word) + tail)
        behind.append(starts[1] + form(other) + tail)
    return table.name, "; ".join(before), "; ".join(behind)


@given(listed_words())
def test_pairs_are_exchanged_and_come_back(case: tuple[str, str, str]) -> None:
    name, text, expected = case
    perturbation = Perturbation.of(name, open_parser=no_parser)
    assert perturbation([text]) == [expected]
    assert perturbation([expected]) == [text]


@given(st.lists(st.tuples(NO_WORDS, st.sampled_from(one_to_one(TABLES["gender"]))), max_size=5), NO_WORDS)
def test_what_stands_between_is_untouched(pieces: list[tuple[str, tuple[str, str, bool]]], last: str) -> None:
    """Whatever marks and white space: byte by byte."""
    assume(
        all(
            gap and not gap.isspace() and not gap.endswith("0") and not gap.startswith("0")
            for gap, _ in pieces
        )
    )
    assume(not last.startswith("0"))
    text = "".join(gap + word for gap, (word, _, _) in pieces) + last
    expected = "".join(gap + other for gap, (_, other, _) in pieces) + last
    assert Perturbation.of(open_parser=no_parser)([text]) == [expected]


@given(st.text(max_size=60), st.sampled_from(["whole", "entity"]))
def test_any_text_is_only_changed_where_it_says(parser: Pipeline, text: str, mode: str) -> None:
    perturbation = Perturbation.of(mode=mode, open_parser=lambda: parser)
    text = f"{text} he {text} John's {text}"
    [found] = perturbation.perturbed([text])
    rest, end = found.text, 0
    for change in found.changes:
        same = text[end : change.start]
        assert rest.startswith(same + change.new)
        rest, end = rest[len(same) + len(change.new) :], change.end
    assert rest == text[end:]


# Sentences in large letters become small ones of the same length.


NAMES = frozenset({"john", "mary"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HE LOST HIS KEYS.", "he lost his keys."),
        ("JOHN AND I SAW MARY'S DOG!", "John and I saw Mary's dog!"),
        ("John left. IT IS HIS. Hers too", "John left. it is his. Hers too"),
        ("NASA. IBM in the USA", "NASA. IBM in the USA"),
        ("İT IS ẞ", "İt is ß"),
        ("", ""),
    ],
)
def test_by_hand(text: str, expected: str) -> None:
    assert calmed(text, NAMES) == expected


@given(st.text(max_size=60))
def test_every_character_keeps_its_place(text: str) -> None:
    calm = calmed(text, NAMES)
    assert len(calm) == len(text)
    assert all(new in (old, old.lower()) for old, new in zip(text, calm, strict=True))
    assert calmed(calm, NAMES) == calm


# What is taken for a surname: the word before it decides.


@pytest.mark.parametrize(
    ("text", "is_name", "is_also_surname", "expected"),
    [
        ("Elton John", True, False, True),
        ("Stephen King", False, True, True),
        ("Stephen Policeman", False, False, False),
        ("elton John", True, False, False),
        ("Elton john", True, False, False),
        ("B. King", False, True, True),
        ("J. R. King", False, True, True),
        ("Mr. B. King", False, True, True),
        ("Ann B. John", True, False, True),
        ("A. John", True, False, False),
        ("A. Bob B. John", True, False, False),
        ("Vitamin C. John", True, False, False),
        ("It was I. John", True, False, False),
        ("B King", False, True, False),
        ("Dr. King", False, False, True),
        ("Dr. John", True, False, False),
        ("Will John", True, False, False),
        ("Merry King", False, True, False),
        ("Elton\nJohn", True, False, False),
        ("John", True, False, False),
    ],
)
def test_by_hand_of_surnames(text: str, is_name: bool, is_also_surname: bool, expected: bool) -> None:
    begin = max(text.rfind(" "), text.rfind("\n")) + 1
    assert is_surname(text, begin, is_name, is_also_surname) == expected


@pytest.mark.parametrize("word", ["will", "may", "merry", "mark", "drew", "rich", "ever", "art", "dallas"])
def test_a_word_that_is_a_name_too_is_no_given_name_for_sure(word: str) -> None:
    assert word not in given_names()


def test_first_names_of_the_tables_are_given_names_for_sure() -> None:
    """Else the way back would take another word for a surname: George Thomas, Carol Thomas."""
    assert {name.lower() for pair in load_table("gender").names for name in pair} <= given_names()


# A phrase that names both sides is the same after p, in every table.


TABLES_JOINED = SHELF.names()


@pytest.mark.parametrize("name", TABLES_JOINED)
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
def test_by_hand_of_joined(table: str, text: str, parser: Pipeline) -> None:
    perturbation = Perturbation.of(table, open_parser=lambda: parser)
    assert perturbation([text]) == perturbation.inverse([text]) == [text]


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
