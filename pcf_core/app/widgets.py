"""What all pages draw with: text, refusals, tables of facts, a control that keeps its value, a row of them.

Names and sentences may come from a user's file and are never markup.

Headers of tables in words: the column of a number or a text, with what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.core.errors import AuditError
from pcf_core.core.records import digest
from pcf_core.show.names import with_titles

MARKDOWN = str.maketrans({character: "\\" + character for character in "\\`*_{}[]()#+-.!|~<>$:&"})
WITHIN_A_LINE = str.maketrans({character: "\\" + character for character in "\\`*_[]|~<>$:&"})
# What the page makes a link, or another sign, even of escaped text: a web address by its "://" or "www.", an
# e-mail address by its "@", an icon or emoji by its name between colons (":material/home:", ":smile:"), and
# "--", "->" or "<=" between spaces.  A joiner without width keeps it as it is.
JOINER = "\u2060"
MADE_OTHER = re.compile(
    r"(?<=:)(?=//|[-+\w][-+/\w]*:)|(?<=www)(?=\.)|(?<=[-.+\w])(?=@[-\w]+\.[-\w])|(?<=(?<!\S)[-<>~])(?=[-=>](?!\S))",
    re.IGNORECASE,
)
# Streamlit cuts a word that is wider than a cell of its tables, and breaks only code: a hash is told whole.
HASH = re.compile(r"[0-9a-f]{40,}")
TOPIC_DRAFTS = "topic_drafts"  # of the session: topics that somebody writes, by name
Option = TypeVar("Option")


def plain(text: str) -> str:
    """Escape text for Markdown; an address in it is no link."""
    return MADE_OTHER.sub(JOINER, text).translate(MARKDOWN)


def plain_titled(text: str) -> str:
    """Escape names or a sentence as :func:`plain`, with models and template sets by their titles."""
    return plain(with_titles(text))


def plain_label(text: str) -> str:
    r"""Escape as :func:`plain`, for a label of one line that screen readers also read without Markdown.

    Signs that mean something only where a line begins stay bare, so that "mini-gpt" is no "mini\-gpt".
    """
    return MADE_OTHER.sub(JOINER, text).translate(WITHIN_A_LINE)


@contextmanager
def refusals_said() -> Iterator[None]:
    """Show a refusal inside this block as an error, and go on after the block."""
    try:
        yield
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")


def described(source: str, notes: str) -> str:
    """Join a source and the notes on it to sentences, whether or not the source ends with a full stop."""
    parts = [part for text in (source, notes) if (part := text.strip())]
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def size_text(size: float) -> str:
    """Write bytes in the unit that reads best."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def draw_facts(facts: Mapping[str, str]) -> None:
    """Draw rows of names and values; a value is never markup, and a long hash wraps."""
    import pandas as pd

    values = [HASH.sub(r"`\g<0>`", plain(value)) for value in facts.values()]
    st.table(pd.DataFrame({"what": list(facts), "value": values}).set_index("what"))


def table_key(name: str, rows: Sequence[str]) -> str:
    """Return the key of a table in which rows or cells can be selected, for what is in its rows.

    Streamlit stores a selection by row number under the key, also when other rows have come there
    (streamlit#17026). A table of other rows therefore has another key, and begins with nothing selected.
    """
    return f"{name}_{digest(list(rows))}"


def draw_card(heading: str, *lines: str) -> None:
    """Draw a row of a table as a card, which a telephone has in its place: a heading, and lines under it.

    :mod:`pcf_core.app.styles` shows the containers ``table_of_…`` on a wide page, ``cards_of_…`` on a narrow.
    """
    with st.container(border=True):
        st.markdown("  \n".join([f"**{plain(heading)}**", *map(plain, filter(None, lines))]))


def choose_one(
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    default: Option | None = None,
    container: DeltaGenerator | None = None,
    **more: Any,
) -> Option:
    """Draw a row of options, one of which is always chosen, and which is in the address.

    Where an address names it without a value (``?key=``), Streamlit's control has none, required or not.

    ``options``: one at least.  ``key``: of the session, and in the address.  ``default``: chosen at first,
    else the first.  ``container``: where it is drawn, else here.  ``more``: further settings of
    ``st.segmented_control``; a ``width`` in pixels, that of its words, keeps its place in a row until it is
    drawn.
    """
    first = options[0] if default is None else default
    drawn = st if container is None else container
    chosen = drawn.segmented_control(
        label, options, default=first, required=True, key=key, bind="query-params", **more
    )
    return first if chosen is None else chosen


def controls(name: str, *, low: bool = False) -> DeltaGenerator:
    """Return a row for fields with their labels, whose height is kept until they are drawn.

    ``name``: of the row, one on a page; ``low``: it has no list, which is higher than a row of options and a
    switch.  :mod:`pcf_core.app.styles` knows such rows by their key.
    """
    key = f"controls_{'low_' * low}{name}"
    return st.container(horizontal=True, vertical_alignment="bottom", key=key)


THREE_DIGITS, FOUR_DECIMALS = "%.3g", "%.4f"


def numeric(label: str | None, meaning: str | None, form: str | None = THREE_DIGITS, **more: Any) -> Any:
    """Return the header of numbers; ``form``: how they are written, as printf or Streamlit says it."""
    return st.column_config.NumberColumn(label, format=form, help=meaning, **more)


def textual(label: str | None, meaning: str | None = None, **more: Any) -> Any:
    """Return the header of texts."""
    return st.column_config.TextColumn(label, help=meaning, **more)
