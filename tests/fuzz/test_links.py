"""Links made up: every page opens with whatever stands behind its question mark, and shows no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pcf_core.app.addresses import TAB_OF
from pcf_core.app.choice import choose_shown, select_on_pages
from pcf_core.app.shell import SECTIONS
from pcf_core.app.widgets import choose_one
from pcf_core.core.settings import Settings
from tests.pages.opened import open_app
from tests.widget_keys import calls_with_key

SAMPLE, MANY = 4, 1_000
PAGES = sorted(name for pages in SECTIONS.values() for name, _, _ in pages)
VALUES = [
    "", " ", "mini-gpt", "gender", "../../etc/passwd", "/etc/passwd", "endpoint:x", "masked:mini-gpt",
    "<b>x</b>", "1", "0", "-1", "1e400", "-inf", "nan", "1e308", "9" * 400, "0.5", "true", "None", "[]", "{}",
    "a" * 5_000, "\x00", "\u202e", "\ud7ff", "😀", "%00", "'; DROP TABLE jobs; --", "=1+1", "e\u0301" * 50,
    "deadbeef", "org/name", "usual", "nli:x", "nli:/etc", "hf:org/name", "2024-01-01", "1,2", "١", "l2",
]  # fmt: skip


def bound_keys() -> list[str]:
    """The parameters of links: the keys of widgets that are bound to them."""
    bind = {function.__name__ for function in (choose_one, choose_shown, select_on_pages)}
    keys = {call.key for call in calls_with_key() if call.function in bind or "bind" in call.options}
    return sorted(keys | set(TAB_OF.values()))


KEYS = bound_keys()
LINKS = st.tuples(
    st.sampled_from(PAGES),
    st.dictionaries(
        st.sampled_from(KEYS) | st.text(min_size=1, max_size=5),
        st.sampled_from(VALUES) | st.lists(st.sampled_from(VALUES), min_size=1, max_size=4),
        max_size=6,
    ),
)


def open_links(examples: int) -> None:
    @hypothesis_settings(
        max_examples=examples,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(LINKS)
    def open_one(link: tuple[str, dict[str, str | list[str]]]) -> None:
        page, parameters = link
        open_app(page, **parameters)  # no exception, or it says which

    open_one()


def test_the_parameters_are_found() -> None:
    assert len(KEYS) > 50
    assert {"model", "topic", "fp_model", "cr_view"} <= set(KEYS)


def test_a_sample(own_settings: Settings) -> None:
    open_links(SAMPLE)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_thousand(own_settings: Settings) -> None:
    open_links(MANY)


def test_nothing_is_written(own_settings: Settings) -> None:
    """Who only looks changes nothing but the catalogue, which the app makes under a lock when it opens."""
    open_app("overview", topic="../../x", model="/etc")
    cache = Path(own_settings.cache)
    files = {f"{path.relative_to(cache)}" for path in cache.rglob("*") if path.is_file()}
    locks = {name for name in files if name.startswith("turns/")}
    assert {name.partition(".")[0] for name in files - locks} <= {"catalogue"}
    assert len(locks) <= 1
