"""A report as one HTML file: opens without a network, prints, and runs no script but its own two.

The file carries plotly.js once and a Content-Security-Policy that names the hashes of its scripts and its
style, so that text of a model, topic or template can neither run nor load anything, whatever it says.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import plotly.offline
from markupsafe import Markup, escape

from pcf_core.core.settings import settings
from pcf_core.report.panels import shown
from pcf_core.report.records import ReportDocument, ReportTable
from pcf_core.show.findings.numbers import called

FOLDER = "report"  # of the assets
EMPHASIS = re.compile(r"(?<![\w*])\*(\*?)(\S[^*]*?)\*\1(?!\w)")


def html_bytes(document: ReportDocument) -> bytes:
    """Write the whole file, the same bytes for the same document."""
    folder = settings().assets / FOLDER
    plotly_script, script = plotly.offline.get_plotlyjs(), read(folder / "report.js")
    style = read(folder / "plotly.css") + read(folder / "report.css")
    page = environment().from_string(read(folder / "report.html.j2"))
    text = page.render(
        document=document,
        hash=document.request.hash,
        policy=policy([plotly_script, script], style),
        style=style,
        plotly=plotly_script,
        script=script,
    )
    return text.encode()


def policy(scripts: list[str], style: str) -> str:
    """Return the Content-Security-Policy: these scripts and this style by their hashes, no other source."""
    allowed = " ".join(source_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {source_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def source_hash(text: str) -> str:
    """Return a hash source of CSP."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def environment() -> jinja2.Environment:
    """Make the environment of templates whose values are text and never markup, whatever they hold."""
    found = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    found.filters |= {
        "called": called,
        "emphasised": emphasised,
        "is_number": is_number,
        "paragraphs": paragraphs,
        "script_json": script_json,
        "shown": shown,
        "unbroken": unbroken,
    }
    return found


@cache
def read(path: Path) -> str:
    """Read a shipped file with ends of lines as a browser reads them, so that hashes hold."""
    return path.read_text(encoding="utf8")


def emphasised(text: str) -> Markup:
    """Mark up the app's own prose: ``**strong**`` and ``*emphasis*``; all else is text."""
    return Markup(
        EMPHASIS.sub(
            lambda found: f"<strong>{found[2]}</strong>" if found[1] else f"<em>{found[2]}</em>",
            str(escape(unbroken(text))),
        )
    )


def paragraphs(text: str) -> list[str]:
    """Split at empty lines into paragraphs, each as one line."""
    return [" ".join(block.split()) for block in text.strip().split("\n\n")]


def unbroken(text: str) -> str:
    """Prevent a line break between a figure and its per cent sign."""
    return text.replace(" %", "\u00a0%")


def script_json(value: Mapping[str, Any]) -> Markup:
    """Write JSON for a script element: without ``<``, ``>`` or ``&``, no text can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def is_number(table: ReportTable, column: int) -> bool:
    """Tell whether a column holds numbers alone, and at least one."""
    values = [row[column] for row in table.rows if row[column] is not None]
    return bool(values) and all(isinstance(value, int | float) for value in values)
