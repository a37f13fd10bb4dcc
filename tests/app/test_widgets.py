"""What all pages draw with: text is never markup, hashes stay whole, one option is always chosen."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

import pcf_core.app
from pcf_core.app.widgets import JOINER, described, plain, plain_label

# What remark-gfm makes links of in text, escaped or not (mdast-util-gfm-autolink-literal, 2.0).
ADDRESS = re.compile(r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)", re.IGNORECASE)
MAIL = re.compile(r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)")
# And what Streamlit makes other signs of.
SIGNS = re.compile(r"(^|\s)(<-|->|--|>=|<=|~=)(\s|$)")
ICONS = re.compile(r":material[/_]\w+:|:streamlit:|:[\w+-]+:")  # and icons and emoji (remark-emoji) of names
PARTS = some.sampled_from(
    [
        *(
            "http://",
            "HTTPS://",
            "www.",
            "WWW.",
            "evil.example",
            "me@",
            "a",
            " ",
            "--",
            "->",
            "<=",
            "@",
            ".",
            "/",
        ),
        *(":", "material/home", "material_home", "streamlit", "smile", "+1"),
    ]
)
HASH = "0123456789abcdef" * 4


def shown(text: str) -> str:
    """What is left of the text for those rules: escapes are gone, joiners stay."""
    return re.sub(r"\\(.)", r"\1", text)


@given(some.lists(PARTS).map("".join))
def test_nothing_becomes_a_link_or_another_sign(text: str) -> None:
    for safe in (plain(text), plain_label(text)):
        assert not ADDRESS.search(shown(safe))
        assert not MAIL.search(shown(safe))
        assert not SIGNS.search(shown(safe))
        assert not ICONS.search(shown(safe))
        assert shown(safe).replace(JOINER, "") == text


@pytest.mark.parametrize("text", ["F is 1.2 (1.0–1.4).", "org/model@main", "use --chat or -1", "a, b; c: d"])
def test_what_is_no_address_gets_no_joiner(text: str) -> None:
    assert JOINER not in plain(text)


@pytest.mark.parametrize("name", [":material/x:", ":material_x:", ":smile:", ":streamlit:", ":+1:"])
def test_a_name_between_colons_is_no_icon(name: str) -> None:
    """Streamlit looks for icons and emoji in the text that is left once escapes are gone."""
    for safe in (plain, plain_label):
        assert shown(safe(f"Topic {name} of mine")) == f"Topic :{JOINER}{name[1:]} of mine"


def test_a_label_is_escaped_where_it_would_be_markup_alone() -> None:
    assert plain_label("F · mini-gpt 1.5 (new)") == "F · mini-gpt 1.5 (new)"
    assert plain_label("**b** [a](b) :red[c] $x$") == ("\\*\\*b\\*\\* \\[a\\](b) \\:red\\[c\\] \\$x\\$")


def test_a_source_and_its_notes_are_sentences() -> None:
    assert described("Appendix D.1", "All are in it.\n") == "Appendix D.1. All are in it."
    assert described("Ours.", "") == "Ours."
    assert described("", "") == ""


def facts(key: str) -> None:
    from pcf_core.app.widgets import draw_facts

    draw_facts({"weights": key, "run": "d942a5b32aefa739", "notes": "*x*", "parser": f"en, hash {key}"})


def test_a_long_hash_is_code_that_wraps_and_text_stays_text() -> None:
    app = AppTest.from_function(facts, args=(HASH,)).run()
    assert not app.exception
    shown = app.table[0].value["value"].to_dict()
    assert shown == {
        "weights": f"`{HASH}`",
        "run": "d942a5b32aefa739",
        "notes": r"\*x\*",
        "parser": f"en, hash `{HASH}`",
    }


def two_controls() -> None:
    import streamlit as st

    from pcf_core.app.widgets import choose_one

    first = choose_one("First", ["a", "b"], key="first")
    second = choose_one("Second", ("c", "d"), key="second", default="d", container=st.sidebar)
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
    files = {
        file.name
        for folder in (Path(pcf_core.app.__file__).parent, Path(pcf_core.__file__).parents[1] / "pages")
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf8")))
        if isinstance(node, ast.keyword) and node.arg == "required"
    }
    assert files == {"widgets.py"}
