"""What all pages draw with: escaped text, refusals, facts, controls, table headers.

Names and sentences may come from a user's file, so they are never markup.
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
# What the page replaces even in escaped text: a web address by its "://" or "www.", an
# e-mail address by its "@", an icon or emoji by its name between colons (":material/home:", ":smile:"), and
# "--", "->" or "<=" between spaces.  A zero-width joiner prevents it.
JOINER = "\u2060"
MADE_OTHER = re.compile(
    r"(?<=:)(?=//|[-+\w][-+/\w]*:)|(?<=www)(?=\.)|(?<=[-.+\w])(?=@[-\w]+\.[-\w])|(?<=(?<!\S)[-<>~])(?=[-=>](?!\S))",
    re.IGNORECASE,
)
# Streamlit cuts words that are wider than a cell and breaks only code, so a hash is written as code.
HASH = re.compile(r"[0-9a-f]{40,}")
NEXT = "chosen_next"  # session key: choices for the next run of the script, by widget key
OVERTAKEN = (
    "was saved elsewhere since you began to change it: save yours under another name, or discard your "
    "changes."
)
TOPIC_DRAFTS = "topic_drafts"  # session key: drafts of topics, by name
Option = TypeVar("Option")


def plain(text: str) -> str:
    """Escape text for Markdown; addresses in it do not become links."""
    return MADE_OTHER.sub(JOINER, text).translate(MARKDOWN)


def plain_titled(text: str) -> str:
    """Escape text, with models and template sets by their titles."""
    return plain(with_titles(text))


def plain_label(text: str) -> str:
    """Escape a one-line label for Markdown and for screen readers, which read it verbatim.

    Signs that are markup only at the start of a line stay bare: "mini-gpt".
    """
    return MADE_OTHER.sub(JOINER, text).translate(WITHIN_A_LINE)


def choose_next(choices: Mapping[str, object]) -> None:
    """Run the script again with other choices, by widget key."""
    point_at(choices)
    st.rerun()


def point_at(choices: Mapping[str, object]) -> None:
    """Make choices, by widget key, for the next run of the script."""
    st.session_state[NEXT] = choices


def adopt_next() -> Mapping[str, object]:
    """Apply and return the choices for this run, before the page's widgets are drawn."""
    choices: Mapping[str, object] = st.session_state.pop(NEXT, {})
    st.session_state.update(choices)
    return choices


@contextmanager
def refusals_said() -> Iterator[None]:
    """Show an error of this block, and go on after it."""
    try:
        yield
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")


def described(source: str, notes: str) -> str:
    """Join a source and notes to sentences."""
    parts = [part for text in (source, notes) if (part := text.strip())]
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def size_text(size: float) -> str:
    """Write bytes in a readable unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def draw_facts(facts: Mapping[str, str]) -> None:
    """Draw a table of names and values, escaped; long hashes wrap."""
    import pandas as pd

    values = [HASH.sub(r"`\g<0>`", plain(value)) for value in facts.values()]
    st.table(pd.DataFrame({"what": list(facts), "value": values}).set_index("what"))


def table_key(name: str, rows: Sequence[str]) -> str:
    """Return a key that changes with a table's rows, as Streamlit keeps row numbers (streamlit#17026)."""
    return f"{name}_{digest(list(rows))}"


def draw_card(heading: str, *lines: str) -> None:
    """Draw a table's row as a card; styles show ``cards_of_…`` on telephones, ``table_of_…`` elsewhere."""
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
    """Draw a row of options, one of which is always chosen; return it.

    Streamlit returns none if the address has ``?key=`` without a value.  ``default``: else the first option.
    ``more``: settings of ``st.segmented_control``; a ``width`` in pixels reserves its place until it is
    drawn.
    """
    first = options[0] if default is None else default
    drawn = st if container is None else container
    chosen = drawn.segmented_control(
        label, options, default=first, required=True, key=key, bind="query-params", **more
    )
    return first if chosen is None else chosen


def controls(name: str, *, low: bool = False) -> DeltaGenerator:
    """Return a row for labelled fields whose height is reserved by styles, by its key.

    ``low``: without menus, which are higher than switches and rows of options.
    """
    key = f"controls_{'low_' * low}{name}"
    return st.container(horizontal=True, vertical_alignment="bottom", key=key)


THREE_DIGITS, FOUR_DECIMALS = "%.3g", "%.4f"


def numeric(label: str | None, meaning: str | None, form: str | None = THREE_DIGITS, **more: Any) -> Any:
    """Return the header of numbers; ``form``: their format, for printf or Streamlit."""
    return st.column_config.NumberColumn(label, format=form, help=meaning, **more)


def textual(label: str | None, meaning: str | None = None, **more: Any) -> Any:
    """Return the header of texts."""
    return st.column_config.TextColumn(label, help=meaning, **more)
