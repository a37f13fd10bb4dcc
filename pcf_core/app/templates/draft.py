"""The set that the page is about, with edits that are not saved yet.

Per set the session keeps a stack of its states, so that each edit can be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from uuid import uuid4

import streamlit as st

from pcf_core.app.lists import mined_set, set_token
from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedSet, MinedTemplate, TemplateSet

DRAFTS = "template_drafts"
NEXT = "template_next"
MOST_STEPS = 50
CALLED = {  # the views of the page, by their names in the code and in older addresses
    "list": "All sets",
    "see": "Sentences",
    "new": "Add a set",
    "mine": "Extract from text",
    "edit": "Edit",
    "preview": "Preview",
    "compare": "Compare",
}


@dataclass(frozen=True)
class Shown:
    """A set as it stands, and how many of its heaviest templates are kept.

    ``token`` stands for the set's content in the keys of caches, ``begun`` for that of the saved set when the
    edits of it began.
    """

    mined: MinedSet
    token: str
    top: int | None = None
    begun: str = ""

    @property
    def name(self) -> str:
        """The name of the set."""
        return self.mined.name

    @cached_property
    def counts(self) -> list[float]:
        """[template] counts of the whole set, heaviest first."""
        return [template.count for template in self.mined.templates]

    @property
    def chosen(self) -> tuple[MinedTemplate, ...]:
        """The templates that the cut keeps, heaviest first."""
        return self.mined.templates[: self.top]

    @cached_property
    def chosen_set(self) -> TemplateSet:
        """The same as a run would have them."""
        return self.mined.model_copy(update={"templates": self.chosen}).templates_only

    @property
    def identity(self) -> str:
        """A text that differs between any two of these."""
        return f"{self.token}-{self.top}"


def _steps(name: str) -> list[Shown]:
    drafts: dict[str, list[Shown]] = st.session_state.setdefault(DRAFTS, {})
    return drafts.setdefault(name, [])


def opened(name: str) -> Shown:
    """Load the set as it was last edited, else as it is saved."""
    saved = mined_set(name)
    steps = _steps(name)
    return steps[-1] if steps else Shown(saved, token := set_token(name), begun=token)


def edits(name: str) -> int:
    """Count the changes that are not saved; of very many only the last can be undone."""
    return len(_steps(name))


def edit(name: str, change: Callable[[MinedSet], MinedSet]) -> None:
    """Apply a change to the set as it stands."""
    steps, before = _steps(name), opened(name)
    steps.append(Shown(change(before.mined), uuid4().hex, begun=before.begun))
    del steps[:-MOST_STEPS]


def check_not_overtaken(name: str) -> None:
    """Refuse to save over what somebody else has saved since the edits began."""
    steps = _steps(name)
    if steps and steps[-1].begun != set_token(name):
        raise TemplateError(
            f"The set {name} was saved elsewhere since you began to change it: save yours under another "
            "name, or discard your changes."
        )


def point_at(name: str, view: str) -> None:
    """Let the page show another set and view when it is drawn next."""
    st.session_state[NEXT] = {"set": name, "set_view": CALLED[view]}


def adopt_pointed() -> None:
    """Take over what :func:`point_at` said, before the page's widgets are drawn."""
    for key, value in st.session_state.pop(NEXT, {}).items():
        st.session_state[key] = value


def undo(name: str) -> None:
    """Take the last change back."""
    _steps(name).pop()


def discard(name: str) -> None:
    """Forget all changes of a set."""
    _steps(name).clear()
