"""Sentences of Chinese with a wanted word."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.chinese.sentences import MAX_CHARACTERS, TOO_LONG, Sentences, count_characters
from pcf_core.mining.sentences import WITHOUT_WORD

SEARCH = Sentences(("他", "她"))


def split(text: str) -> tuple[list[str], Counter[str]]:
    passed: Counter[str] = Counter()
    found = []
    for offset, sentence in SEARCH(text, passed):
        assert text[offset:].startswith(sentence)
        found.append(sentence)
    return found, passed


def test_a_sentence_ends_behind_its_marks_and_closing_quotes_or_with_the_line() -> None:
    text = "护士说：“她累了！”他走了？！\n  标题 她\n价格是3.5元，她说。"
    assert split(text) == (["护士说：“她累了！”", "他走了？！", "标题 她", "价格是3.5元，她说。"], Counter())


def test_others_are_counted() -> None:
    long = "她" + "很" * MAX_CHARACTERS + "累。"
    assert split(f"下雨了。{long}她来了。\n\n天晴了。") == (
        ["她来了。"],
        Counter({WITHOUT_WORD: 2, TOO_LONG: 1}),
    )


def test_other_words_with_the_same_character_do_not_count() -> None:
    assert split("其他人来了。她们走了。他弹吉他。他们和吉他。") == (
        ["他弹吉他。"],
        Counter({WITHOUT_WORD: 3}),
    )


def test_no_words_find_nothing() -> None:
    assert list(Sentences(())("她来了。", Counter())) == []


def test_the_length_of_a_text_is_its_characters() -> None:
    assert count_characters("护士说 she 她累了，3 次。\n") == 7


@given(st.text("他她说。！”\n a.", max_size=40))
def test_every_character_is_in_one_sentence(text: str) -> None:
    everything = Sentences(("他", "她", "说", "。", "！", "”", "a", "."))
    passed: Counter[str] = Counter()
    found = "".join(sentence for _, sentence in everything(text, passed))
    assert "".join(found.split()) == "".join(text.split())
    assert not passed
    wanted, others = split(text)
    assert len(wanted) + others.total() == sum(1 for _ in everything(text, Counter()))
