"""What a model's name says: ``[family:]model[@revision]``.

``model`` is a listed name, a directory, or a hub id ``org/name``.  ``family:`` answers how a model is to be
read whose configuration leaves it open, and ``@revision`` (a branch, a tag or a commit) pins a hub model.  A
name in a :class:`~pcf_core.records.ModelSpec` keeps what cannot be found out from the model again: resolving
it gives the same model, and a scoring key holds one model read in one way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from pcf_core.errors import ModelError
from pcf_core.records import Family

NAME = re.compile(r"[A-Za-z0-9][\w.\-]{0,95}")
HUB_ID = re.compile(rf"{NAME.pattern}/{NAME.pattern}")
REVISION = re.compile(r"\w[\w.\-]*(/\w[\w.\-]*)*")
LOCAL_FAMILIES = ("masked", "causal", "seq2seq", "permutation")


@dataclass(frozen=True)
class ModelName:
    """A name in its parts: ``family`` is ``None`` and ``revision`` empty where the name says nothing."""

    model: str
    family: Family | None = None
    revision: str = ""

    @property
    def is_hub_id(self) -> bool:
        return HUB_ID.fullmatch(self.model) is not None and ".." not in self.model

    @property
    def pinned(self) -> str:
        """The name without its family."""
        return f"{self.model}@{self.revision}" if self.revision else self.model


def split_name(text: str) -> ModelName:
    """The parts of a name; an ``@`` belongs to a revision only behind a hub id.

    Raises:
        ModelError: a revision of a hub id that cannot be one.
    """
    prefix, colon, rest = text.partition(":")
    family = cast(Family, prefix) if colon and prefix in LOCAL_FAMILIES else None
    model = rest if family else text
    hub_id, at, revision = model.partition("@")
    if not at or not HUB_ID.fullmatch(hub_id):
        return ModelName(model, family)
    if len(revision) > 128 or ".." in revision or not REVISION.fullmatch(revision):
        raise ModelError(
            f"{revision!r} behind {hub_id}@ cannot be a revision: give a branch, a tag or a commit."
        )
    return ModelName(hub_id, family, revision)
