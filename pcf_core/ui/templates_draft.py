"""Edits that are not saved yet: per set a stack of its states in the session, so that each can be undone."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pcf_core.records import MinedSet

DRAFTS = "template_drafts"
MOST_STEPS = 50


def _steps(name: str) -> list[MinedSet]:
    drafts: dict[str, list[MinedSet]] = st.session_state.setdefault(DRAFTS, {})
    return drafts.setdefault(name, [])


def opened(saved: MinedSet) -> MinedSet:
    """The set as it was last edited, else as it is saved."""
    steps = _steps(saved.name)
    return steps[-1] if steps else saved


def edits(name: str) -> int:
    """How many changes are not saved; of very many only the last can be undone."""
    return len(_steps(name))


def edit(saved: MinedSet, change: Callable[[MinedSet], MinedSet]) -> None:
    """Apply a change to the set as it stands.

    Raises:
        TemplateError: the change is refused; nothing is changed then.
    """
    steps = _steps(saved.name)
    steps.append(change(opened(saved)))
    del steps[:-MOST_STEPS]


def undo(name: str) -> None:
    """Take the last change back."""
    _steps(name).pop()


def discard(name: str) -> None:
    """Forget all changes of a set."""
    _steps(name).clear()
