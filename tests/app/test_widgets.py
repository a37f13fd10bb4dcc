"""A control of which one option is always chosen, whatever the address says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import pcf_core.app


def two_controls() -> None:
    import streamlit as st

    from pcf_core.app.widgets import choose_one

    first = choose_one("First", ["a", "b"], key="first")
    second = choose_one("Second", ("c", "d"), key="second", default="d", place=st.sidebar)
    st.text(f"{first} {second}")


@pytest.mark.parametrize(
    ("address", "shown"),
    [({}, "a d"), ({"first": "", "second": ""}, "a d"), ({"first": "b", "second": "none"}, "b d")],
)
def test_an_address_without_a_value_leaves_the_usual_one(address: dict[str, str], shown: str) -> None:
    app = AppTest.from_function(two_controls)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert app.text[0].value == shown
    assert app.sidebar.segmented_control


def test_no_other_file_requires_a_choice_of_streamlits_own_control() -> None:
    found = {
        file.name
        for folder in (Path(pcf_core.app.__file__).parent, Path(pcf_core.__file__).parents[1] / "pages")
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf8")))
        if isinstance(node, ast.keyword) and node.arg == "required"
    }
    assert found == {"widgets.py"}
