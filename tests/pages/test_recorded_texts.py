"""The texts of every page and tab in their order, with nothing scored and with two scored models."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from pcf_core.app.addresses import TAB_OF, TABS
from pcf_core.app.shell import SECTIONS
from pcf_core.core.settings import Settings
from pcf_core.store.store import Store
from tests.goldens.recorded import assert_recorded
from tests.pages.opened import open_app

ROWS = 5  # of a table
VIEWS = [(page, tab) for pages in SECTIONS.values() for page, *_ in pages for tab in TABS.get(page, ("",))]
TIMES = re.compile(r"[\d,.]+ (?:s|min|h|ms)\b|\d{4}-\d\d-\d\d(?: \d\d:\d\d)?")  # differ from day to day


def lines(node: Node, depth: int = 0) -> Iterator[str]:
    """Yield one line for each element that has a text: its kind, label and value."""
    if isinstance(node, Block):
        for child in node.children.values():
            yield from lines(child, depth)
        return
    label, value = (written(getattr(node, name, None)) for name in ("label", "value"))
    if label or value:
        yield TIMES.sub("…", f"{node.type}: {label}{' = ' if label and value else ''}{value}".rstrip())


def written(value: object) -> str:
    """Return what an element shows as one text: of a table its columns and its first rows."""
    if isinstance(value, pd.DataFrame):
        table = value.drop(columns=["date", "size"], errors="ignore")
        if "run" in table:  # the newest first, and both may be of one second
            table = table.sort_values("run", ignore_index=True)
        return f"{len(value)} rows\n{table.head(ROWS).to_csv(float_format='%.3g')}"
    return "" if value is None else str(value)


def assert_page_recorded(app: AppTest, name: str) -> None:
    assert_recorded(
        f"pages/{name}",
        {part: list(lines(app._tree[index])) for index, part in enumerate(("main", "sidebar"))},
    )


def opened(page: str, tab: str) -> AppTest:
    return open_app(page, model=["mini-bert", "mini-gpt"], **({TAB_OF[page]: tab} if tab else {}))


@pytest.mark.slow
@pytest.mark.parametrize(("page", "tab"), VIEWS)
def test_a_page_with_nothing_scored(own_settings: Settings, page: str, tab: str) -> None:
    assert_page_recorded(opened(page, tab), f"empty/{page}{'_' * bool(tab)}{tab}".replace(" ", "_").lower())


@pytest.mark.slow
@pytest.mark.parametrize(("page", "tab"), VIEWS)
def test_a_page_of_two_scored_models(full_store: Store, page: str, tab: str) -> None:
    assert_page_recorded(opened(page, tab), f"scored/{page}{'_' * bool(tab)}{tab}".replace(" ", "_").lower())
