"""The chat template of a model directory, read without its tokenizer: every process knows a text's key."""

from __future__ import annotations

import json
from pathlib import Path

from pcf_core.records import digest


def chat_template_hash(folder: Path) -> str:
    """Hash of the template that turns a user's message into the model's prompt, empty where there is none."""
    text = _template(folder)
    return digest(text) if text else ""


def _template(folder: Path) -> str:
    """The file of its own, else what the tokenizer's configuration holds: one text, or several with names."""
    try:
        return (folder / "chat_template.jinja").read_text(encoding="utf8")
    except FileNotFoundError:
        pass
    try:
        held = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf8")).get("chat_template")
    except (FileNotFoundError, ValueError, AttributeError):
        return ""  # what cannot be read is refused when the model is loaded
    if isinstance(held, list):
        named = {entry.get("name"): entry.get("template") for entry in held if isinstance(entry, dict)}
        held = named.get("default")
    return held if isinstance(held, str) else ""
