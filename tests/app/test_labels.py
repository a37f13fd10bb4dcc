"""What is written on buttons and links: a verb that everybody knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pcf_core.core.settings import ROOT

DRAWN_AS_BUTTONS = {"button", "form_submit_button", "download_button", "page_link", "link_button", "popover"}
HOUSE_WORDS = {"keep", "ask", "mine", "see", "unite", "cut", "score", "fetch", "drop"}


def labels(file: Path) -> Iterator[str]:
    """Yield what is written on each button and link of a file, names left out."""
    for call in ast.walk(ast.parse(file.read_text("utf8"))):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        if call.func.attr not in DRAWN_AS_BUTTONS:
            continue
        named = [keyword.value for keyword in call.keywords if keyword.arg == "label"]
        first = [] if call.func.attr == "page_link" else call.args[:1]  # of a link: where it leads
        for label in (*named, *first):
            texts = [part.value for part in ast.walk(label) if isinstance(part, ast.Constant)]
            yield " ".join(text for text in texts if isinstance(text, str))


def test_buttons_and_links_have_standard_verbs() -> None:
    files = [*(ROOT / "pages").glob("*.py"), *(ROOT / "pcf_core" / "app").rglob("*.py")]
    written = {label for file in files for label in labels(file)}
    assert "Run the audit" in written
    assert not {
        label for label in written if label.lower().split() and label.lower().split()[0] in HOUSE_WORDS
    }
