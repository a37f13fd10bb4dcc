"""Write the table of settings in docs/operating.md from the class that reads them.  Run as a module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic_core import PydanticUndefined

from pcf_core.core.settings import ROOT, Settings

PLACE = ROOT / "docs" / "operating.md"
BEGIN, END = "<!-- settings -->\n", "<!-- end of settings -->\n"


def settings_table() -> str:
    """Return a row per setting: its variable, meaning and default."""
    rows = [
        f"| `PCF_{name.upper()}` | {field.description} | {default_text(field.get_default())} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(["| setting | meaning | default |", "|---|---|---|", *rows, ""])


def default_text(value: Any) -> str:
    """Format a default; folders relative to the checkout."""
    if value in (None, "", ()) or value is PydanticUndefined:
        return "none"
    if isinstance(value, Path):
        return f"`{value.relative_to(ROOT)}/` here"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def with_table(text: str) -> str:
    """Put the table between its two marks in a document."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{settings_table()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PLACE.write_text(with_table(PLACE.read_text(encoding="utf8")), encoding="utf8")
