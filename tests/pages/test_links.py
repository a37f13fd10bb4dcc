"""Links with numbers that have no end: left out in a sentence, on every page, before a widget sees them."""

from __future__ import annotations

import pytest

from pcf_core.settings import Settings
from pcf_core.ui.links import is_endless
from tests.pages.opened import open_app

NUMBERS = {
    "criteria": ("cr_seed", "cr_repeats", "cr_length", "cr_many", "cr_temperature", "cr_top_p"),
    "fairpair": ("fp_seed", "fp_each", "fp_length", "fp_top_p", "fp_count", "fp_fold"),
}


@pytest.mark.parametrize("text", ["1e400", "-1e400", "nan", "inf"])
@pytest.mark.parametrize("page", NUMBERS)
def test_no_number_without_an_end_reaches_a_widget(own_settings: Settings, page: str, text: str) -> None:
    usual = open_app(page)
    app = open_app(page, **dict.fromkeys(NUMBERS[page], text))
    for key in NUMBERS[page]:
        assert app.session_state[key] == usual.session_state[key]
        assert key not in app.query_params
    said = " ".join(warning.value for warning in app.warning)
    assert ("no finite number" in said) == (text != "nan")
    assert not app.error
    app.number_input(key=NUMBERS[page][0]).set_value(7).run()
    assert app.session_state[NUMBERS[page][0]] == 7
    assert not app.exception


def test_text_in_a_link_is_never_markup(own_settings: Settings) -> None:
    app = open_app("criteria", **{"<b>x</b>": "1e400"})
    assert "<b>" not in app.warning[0].value.replace("\\<", "")


@pytest.mark.parametrize(
    ("text", "endless"),
    [("1e400", True), ("-Infinity", True), ("1e300", False), ("nan", False), ("x", False)],
)
def test_what_is_endless(text: str, endless: bool) -> None:
    assert is_endless(text) is endless
