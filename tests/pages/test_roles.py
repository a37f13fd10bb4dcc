"""The log-in page, and what a viewer sees: no dead control on any page.

The log-in itself is run with a provider in tests/journeys/test_login.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.secrets import secrets_singleton

from pcf_core.app.shell import FOR_AUDITORS, SECTIONS
from tests.pages.opened import App, open_app, own_queue, set_environment

# ------------------------------------------------------------------------------------- the log-in page

AUTH = """
[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "{secret}"
{keys}
"""
ONE = 'client_id = "pcf"\nclient_secret = "x"\nserver_metadata_url = "http://localhost:1/none"\n'


@pytest.fixture
def secrets(tmp_path: Path) -> Iterator[Path]:
    """Where Streamlit looks for its secrets: a file of the test's."""
    path, before = tmp_path / "secrets.toml", st.get_option("secrets.files")
    st.config.set_option("secrets.files", [str(path)])
    secrets_singleton._reset()
    yield path
    st.config.set_option("secrets.files", before)
    secrets_singleton._reset()


@pytest.mark.parametrize(
    ("keys", "labels"),
    [
        (ONE, ["Log in"]),
        (f"[auth.work]\n{ONE}[auth.club]\n{ONE}", ["Log in with work", "Log in with club"]),
    ],
)
def test_who_has_not_logged_in_sees_the_offer_and_nothing_else(
    secrets: Path, keys: str, labels: list[str]
) -> None:
    secrets.write_text(AUTH.format(secret="s" * 32, keys=keys))
    app = App().run()
    assert [button.label for button in app.button] == labels
    assert app.titles == ["PCF Audit"]
    assert len(app.markdown) == 1
    assert not app.sidebar.children
    assert not app.get("plotly_chart")


def test_secrets_that_cannot_be_read_let_nobody_in(secrets: Path) -> None:
    """Streamlit takes them for none, which would let everybody in."""
    secrets.write_text("[auth\n")
    app = App().run()
    assert app.errors == (
        "The file secrets.toml with the log-in cannot be read: the operator has to write it as TOML."
    )
    assert not app.title


def test_a_log_in_that_cannot_work_is_one_sentence(secrets: Path) -> None:
    secrets.write_text('[auth]\nclient_id = "pcf"\n')
    app = App().run()
    app.press("login_default")
    assert re.search("has to (give redirect_uri|install)", app.errors)


def test_other_secrets_are_no_log_in(secrets: Path) -> None:
    secrets.write_text('[something]\nelse = "x"\n')
    assert App().run().title[0].value == "Overview"


# ------------------------------------------------------------------------------------- viewers

PAGES = [name for pages in SECTIONS.values() for name, *_ in pages if name not in FOR_AUDITORS]
WRITING_KEYS = re.compile(
    r"score_missing|score_button|score_knowledge|check_words|fairpair_button|criteria_button|embedding_button"
    r"|mine_button|save_\w+|keep_\w+|delete_\w+|import_\w+|duplicate_\w+|cancel_\d+|retry_\d+|again\w*|upload\w*"
)


@pytest.mark.parametrize("shipped", ["0", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.parametrize("page", PAGES)
def test_a_viewer_finds_no_control_that_writes(
    monkeypatch: pytest.MonkeyPatch, page: str, shipped: str
) -> None:
    """On an empty cache, which offers to fill it, and over shipped results."""
    monkeypatch.setenv("PCF_SHIPPED_RESULTS", shipped)
    set_environment(monkeypatch, READ_ONLY="1")
    queue = own_queue()
    app = open_app(page)
    assert app.title, app.texts
    writing = [widget.key for widget in app.button if WRITING_KEYS.fullmatch(widget.key or "")]
    assert writing == []
    assert not app.get("file_uploader")
    links = [link.proto.page for link in app.get("page_link")]
    assert not {*FOR_AUDITORS} & {link.rstrip("/").rpartition("/")[2] for link in links}
    for group in app.get("button_group"):
        assert not {"edit", "mine", "new", "check"} & set(getattr(group, "options", ()))
    assert queue.list() == ()


@pytest.mark.parametrize("page", ["risk", "overview", "knowledge", "fairpair", "criteria"])
def test_a_viewer_is_told_why_nothing_can_be_asked_for(monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    set_environment(monkeypatch, AUDITORS="ann@example.org")
    app = open_app(page)
    assert any("PCF_AUDITORS" in info.value.replace("\\", "") for info in app.info)


@pytest.mark.parametrize("page", FOR_AUDITORS)
def test_a_link_to_a_page_of_auditors_says_why_it_is_empty(
    monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    app = open_app(page)
    assert app.titles == [page.replace("_", " ").capitalize()]
    assert ["PCF_READ_ONLY" in info.value.replace("\\", "") for info in app.info] == [True]
    assert not app.main.get("button")
