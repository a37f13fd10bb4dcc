"""FairPair's texts side by side, words that differ marked; they are what a model wrote, and never markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from pcf_core.app.choice import with_asked
from pcf_core.app.page import finding
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.core.errors import StoreError
from pcf_core.show.findings.fairpair import prompt_finding
from pcf_core.show.findings.numbers import count
from pcf_core.texts.fairpair.dissimilarity import Piece, phrase_places, words_apart
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.records import (
    CategoryDifference,
    FairPairReport,
    FairPairResult,
    PromptPairs,
    Side,
    WordDifference,
)
from pcf_core.work.fairpair import load_pairs

PAGE = 10  # pairs at a time
MOST_SHOWN = 5  # texts of a phrase and side
NOTHING = "*no text*"
LINE = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
HOW_TEXTS = """
On the left is what the model wrote behind the prompt, with the names, pronouns and words for people exchanged
afterwards; on the right what it wrote behind the exchanged prompt. Both are about the same person, so a text
of one side can be laid beside any of the other; those with the same number are no closer than others. **Bold
on a shade**: a word that the other text does not have. ⏎ is a new line.
"""


def marked(pieces: Iterable[Piece]) -> str:
    """Return pieces of a text as Markdown that shows them verbatim, the marked ones bold on a shade."""
    return "".join(
        f":orange-background[**{_shown(piece)}**]" if mark else _shown(piece) for piece, mark in pieces
    )


def _shown(piece: str) -> str:
    return plain(re.sub(r"\s", " ", LINE.sub(" ⏎ ", piece)))


def draw_pairs(result: FairPairResult, report: FairPairReport, model: str) -> PromptPairs | None:
    """Draw one prompt: its finding, and its pairs, ten at a time; return them, ``None`` without any."""
    names = [row.prompt for row in report.prompts]
    with st.container(horizontal=True):
        prompt = st.selectbox(
            "Prompt",
            with_asked("fp_prompt", names),
            key="fp_prompt",
            bind="query-params",
            help="Whose texts are shown.",
        )
        pages = [f"{first + 1}-{min(first + PAGE, result.asked.count)}" for first in starts(result)]
        page = st.selectbox(
            "Pairs",
            pages,
            key="fp_pairs",
            bind="query-params",
            help="Ten pairs at a time; the table has all.",
        )
    if prompt not in names:
        st.info(f"{plain(model)} was not asked for this prompt; choose another.", icon=":material/info:")
        return None
    place = names.index(prompt)
    finding(prompt_finding(report.prompts[place]))
    pairs = texts_of(result, place)
    if pairs is None:
        return None
    first = starts(result)[pages.index(page)]
    sides = list(zip(pairs.perturbed_original, pairs.perturbed_prompt, strict=True))
    _draw_heads(result, report, place)
    for number, (original, written) in enumerate(sides[first : first + PAGE], start=first + 1):
        with st.container(border=True):
            left, right = st.columns(2)
            left.caption(f"{number:,} · written for {plain(report.original)}, then exchanged")
            right.caption(f"{number:,} · written for {plain(report.counterpart)}")
            left.markdown(marked(words_apart(original, written)) or NOTHING)
            right.markdown(marked(words_apart(written, original)) or NOTHING)
    return pairs


def starts(result: FairPairResult) -> list[int]:
    """Return where each ten pairs begin."""
    return list(range(0, result.asked.count, PAGE))


def texts_of(result: FairPairResult, place: int) -> PromptPairs | None:
    """Load the texts of a prompt; where they are gone that is said, and the result stays."""
    try:
        return load_pairs(open_store(), result, place)
    except StoreError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


def draw_phrase(result: FairPairResult, row: WordDifference) -> None:
    """Draw the texts behind a phrase, a few of either side."""
    _draw_behind(result, row, lambda text: phrase_places(text, row.words))


def draw_category(result: FairPairResult, row: CategoryDifference) -> None:
    """Draw the texts behind a category, a few of either side, its words marked."""

    def mark(text: str) -> list[Piece]:
        return words_apart(text, " ".join(set(word_tokens(text)) - row.words.keys()))

    _draw_behind(result, row, mark)


def _draw_behind(
    result: FairPairResult,
    row: WordDifference | CategoryDifference,
    mark: Callable[[str], Sequence[Piece]],
) -> None:
    words = result.words
    columns = st.columns(2)
    sides: tuple[tuple[Side, str, Sequence[tuple[int, int]]], ...] = (
        ("original", words.original, row.original_texts),
        ("prompt", words.counterpart, row.prompt_texts),
    )
    for column, (side, name, places) in zip(columns, sides, strict=True):
        with column:
            st.markdown(f"**Texts for {plain(name)}**: {count(len(places), 'text')}")
            for prompt, text in places[:MOST_SHOWN]:
                pairs = texts_of(result, prompt)
                if pairs is None:
                    return
                texts, behind = pairs.perturbed_original, pairs.prompt
                if side == "prompt":
                    texts, behind = pairs.perturbed_prompt, result.counterparts[prompt]
                with st.container(border=True):
                    st.caption(f"{plain(behind)} · pair {text + 1:,}")
                    st.markdown(marked(mark(texts[text])) or NOTHING)
            if len(places) > MOST_SHOWN:
                st.caption(f"{len(places) - MOST_SHOWN:,} more")


def _draw_heads(result: FairPairResult, report: FairPairReport, place: int) -> None:
    """Draw what stands on either side, with its prompt."""
    left, right = st.columns(2)
    left.markdown(
        f"**p(g(x))**: written for {plain(report.original)}, then exchanged  \n"
        f"behind “{plain(report.prompts[place].prompt)}”"
    )
    right.markdown(
        f"**g(p(x))**: written for {plain(report.counterpart)}  \n"
        f"behind “{plain(result.counterparts[place])}”"
    )
