"""The chat template of a model directory, read without its tokenizer: every process knows a text's key."""

from __future__ import annotations

from pathlib import Path

from pydantic_core import from_json

from pcf_core.models.small_files import read_small
from pcf_core.records import digest


def chat_template_hash(folder: Path) -> str:
    """Hash of the template that turns a user's message into the model's prompt, empty where there is none."""
    text = _template(folder)
    return digest(text) if text else ""


def _template(folder: Path) -> str:
    """The file of its own, else what the tokenizer's configuration holds: one text, or several with names."""
    try:
        return read_small(folder / "chat_template.jinja")
    except FileNotFoundError:
        pass
    except ValueError:
        return ""  # what cannot be read is refused when the model is loaded
    try:
        held = from_json(read_small(folder / "tokenizer_config.json")).get("chat_template")
    except (FileNotFoundError, ValueError, AttributeError):
        return ""  # likewise
    if isinstance(held, list):
        entries = [entry for entry in held if isinstance(entry, dict) and entry.get("name") == "default"]
        held = entries[-1].get("template") if entries else None
    return held if isinstance(held, str) else ""
