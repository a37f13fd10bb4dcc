"""What stands on an open page, in lines that goldens of pages record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pandas as pd
from streamlit.testing.v1.element_tree import Block, Node

from pcf_core.core.settings import ROOT, settings

ROWS = 5  # of a table
TIMES = re.compile(  # differ from day to day: how long, when, and the journal's hash of a line with a time
    r"[\d,.]+ (?:s|min|h|ms)\b"
    r"|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|(?<=,)(?!0{64})[0-9a-f]{64}(?=\n|$)"
)


def lines(node: Node) -> Iterator[str]:
    """Yield one line for each element that has a text: its kind, label and value."""
    if text := text_of(node).rstrip():
        yield f"{node.type}: {anywhere(text)}"
    if isinstance(node, Block):
        for child in node.children.values():
            yield from lines(child)


def anywhere(text: str) -> str:
    """Return a text without what differs from day to day and from machine to machine."""
    for folder, name in ((settings().cache.parent, "TMP"), (ROOT, "ROOT")):
        for spelled in (str(folder), str(folder).replace("-", "\\-"), quote(str(folder), safe="")):
            text = text.replace(spelled, name)
    return TIMES.sub("…", text)


def text_of(node: Any) -> str:
    """Return what a person reads of an element: the title of a chart, a link's words and where it leads."""
    if node.type == "plotly_chart":
        layout = json.loads(node.proto.spec)["layout"]
        return str(layout.get("title", {}).get("text", "without a title"))
    if node.type == "page_link":
        return f"{node.proto.label} = {node.proto.page}?{node.proto.query_string}"
    if node.type == "progress":
        return str(node.proto.text)
    label, value = (written(getattr(node, name, None)) for name in ("label", "value"))
    if node.type == "file_uploader":
        value = ", ".join(re.findall(r"name='([^']*)'", value))
    if node.type == "metric" and node.delta:
        value = f"{value}, {node.delta}"
    off = " (disabled)" * (getattr(node, "disabled", False) is True)
    return f"{label}{' = ' if label and value else ''}{value}{off}"


def without_rounding(cell: object) -> object:
    """Return 0 for what the arithmetic of one machine or another leaves of a zero."""
    return 0.0 if isinstance(cell, float) and abs(cell) < 1e-15 else cell


def written(value: object) -> str:
    """Return what an element shows as one text: of a table its columns and its first rows."""
    if isinstance(value, pd.DataFrame):
        table = value.drop(columns=["date", "size"], errors="ignore")
        if "run" in table:  # the newest first, and both may be of one second
            table = table.sort_values("run", ignore_index=True)
        first = table.head(ROWS).map(without_rounding)
        return f"{len(value)} rows\n{first.to_csv(float_format='%.3g')}"
    return "" if value is None else str(value)
