"""Text that is never markup: addresses are no links, and a label reads as it is written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.app.text import JOINER, described, plain, plain_label

# What remark-gfm makes links of in text, escaped or not (mdast-util-gfm-autolink-literal, 2.0).
ADDRESS = re.compile(r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)", re.IGNORECASE)
MAIL = re.compile(r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)")
# And what Streamlit makes other signs of.
SIGNS = re.compile(r"(^|\s)(<-|->|--|>=|<=|~=)(\s|$)")
PARTS = st.sampled_from(
    ["http://", "HTTPS://", "www.", "WWW.", "evil.example", "me@", "a", " ", "--", "->", "<=", "@", ".", "/"]
)


def shown(text: str) -> str:
    """What is left of the text for those rules: escapes are gone, joiners stay."""
    return re.sub(r"\\(.)", r"\1", text)


@given(st.lists(PARTS).map("".join))
def test_nothing_becomes_a_link_or_another_sign(text: str) -> None:
    for safe in (plain(text), plain_label(text)):
        assert not ADDRESS.search(shown(safe))
        assert not MAIL.search(shown(safe))
        assert not SIGNS.search(shown(safe))
        assert shown(safe).replace(JOINER, "") == text


@pytest.mark.parametrize("text", ["F is 1.2 (1.0–1.4).", "org/model@main", "use --chat or -1", "a, b; c: d"])
def test_what_is_no_address_gets_no_joiner(text: str) -> None:
    assert JOINER not in plain(text)


def test_a_label_is_escaped_where_it_would_be_markup_alone() -> None:
    assert plain_label("F · mini-gpt 1.5 (new)") == "F · mini-gpt 1.5 (new)"
    assert plain_label("**b** [a](b) :red[c] $x$") == ("\\*\\*b\\*\\* \\[a\\](b) \\:red\\[c\\] \\$x\\$")


def test_a_source_and_its_notes_are_sentences() -> None:
    assert described("Appendix D.1", "All are in it.\n") == "Appendix D.1. All are in it."
    assert described("Ours.", "") == "Ours."
    assert described("", "") == ""
