"""Why a sentence gave no template: inside the rules an exception, outside them a record that is counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dropped:
    """A sentence that had the form of a rule but gave no template, and one of a few fixed reasons."""

    reason: str


class Refused(Exception):
    """Raised by a rule's parts; its text is the reason."""
