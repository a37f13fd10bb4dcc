"""What a number comes from: whole, and never markup."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

HASH = "0123456789abcdef" * 4


def draw(key: str) -> None:
    from pcf_core.app.facts import draw_facts

    draw_facts({"weights": key, "run": "d942a5b32aefa739", "notes": "*x*", "parser": f"en, hash {key}"})


def test_a_long_hash_is_code_that_wraps_and_text_stays_text() -> None:
    app = AppTest.from_function(draw, args=(HASH,)).run()
    assert not app.exception
    shown = app.table[0].value["value"].to_dict()
    assert shown == {
        "weights": f"`{HASH}`",
        "run": "d942a5b32aefa739",
        "notes": r"\*x\*",
        "parser": f"en, hash `{HASH}`",
    }
