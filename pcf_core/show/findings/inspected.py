"""What has to be said of texts that came in a log of Inspect."""

from __future__ import annotations

from pcf_core.core.generation import INSPECTED, GenerationKey


def inspected_note(key: GenerationKey) -> str:
    """Say that a model's texts came in a log of Inspect; nothing of those that were written here."""
    if not key.inspected:
        return ""
    model, _, day = key.model.removeprefix(INSPECTED).rpartition("@")
    return f"The texts of {model} came in a log of Inspect of {day}; nobody here has asked that model."
