"""Who looks at a page, and what they may change: the only place that decides this for pages.

Pages call whatever changes the store through :func:`write` or :func:`recorded`, which refuse viewers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAuthError, StreamlitMissingAuthlibError

from pcf_core.app.request_cache import look_again, once_a_run
from pcf_core.app.widgets import plain
from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import settings
from pcf_core.store.journal import Did, Journal
from pcf_core.work.people import Person, check_may_ask, role_of, why_only_reading

ASKED = ParamSpec("ASKED")
Answer = TypeVar("Answer")
DEFAULT = "default"  # Streamlit's name of the provider configured in [auth] itself
LIBRARY = "requirements-login.txt"


@once_a_run
def _has_login() -> bool:
    """Return whether the operator has configured a log-in: ``[auth]`` in Streamlit's secrets."""
    if "is_logged_in" in st.user:
        return True
    unread = [path for path in map(Path, st.get_option("secrets.files")) if path.exists()]
    if unread and not st.secrets.load_if_toml_exists():
        raise SettingsError(
            f"The file {unread[0].name} with the log-in cannot be read: the operator has to write it as TOML."
        )
    return False


def is_inside() -> bool:
    """Return whether this person has logged in, or need not."""
    return not _has_login() or bool(st.user.is_logged_in)


def person() -> Person:
    """Return who looks at this page; an address counts only if the provider has verified it."""
    if not _has_login():
        return Person()
    address, verified = st.user.get("email"), st.user.get("email_verified", True)
    vouched = st.user.is_logged_in and isinstance(address, str) and str(verified).casefold() == "true"
    return Person(address=str(address).strip() if vouched else "")


def may_audit() -> bool:
    """Return whether this person may change what is stored, or queue jobs."""
    return role_of(person(), settings()) == "auditor"


def write(change: Callable[ASKED, Answer], *given: ASKED.args, **options: ASKED.kwargs) -> Answer:
    """Call a function that changes something stored; refuse viewers."""
    check_may_ask(person(), settings())
    try:
        return change(*given, **options)
    finally:
        look_again()


def recorded(
    did: Did,
    what: str,
    name: str,
    change: Callable[ASKED, Answer],
    *given: ASKED.args,
    **options: ASKED.kwargs,
) -> Answer:
    """Call a function that changes something stored, and record it in the journal; refuse viewers."""
    journal = Journal(settings().cache)
    check_may_ask(person(), settings())
    journal.check_writable()
    answer = write(change, *given, **options)
    journal.add(person().signature, did, what, name)
    return answer


def draw_why_not() -> None:
    """Draw why a viewer does not get a control."""
    st.info(plain(why_only_reading(person(), settings())), icon=":material/lock:")


def login_page() -> None:
    """If a log-in is required, offer nothing else and end the script."""
    if is_inside():
        return
    st.title("PCF Audit")
    st.markdown("How much does a language model discriminate? Log in to see the results.")
    for name in _providers():
        label = "Log in" if name == DEFAULT else f"Log in with {plain(name)}"
        if st.button(label, key=f"login_{name}", type="primary", icon=":material/login:"):
            _log_in(name)
    st.stop()


def _providers() -> list[str]:
    auth: Mapping[str, object] = st.secrets["auth"]
    named = [name for name, keys in auth.items() if isinstance(keys, Mapping) and "client_id" in keys]
    return [*([DEFAULT] if "client_id" in auth else []), *(name for name in named if name != DEFAULT)]


def _log_in(name: str) -> None:
    try:
        st.login(None if name == DEFAULT else name)
    except StreamlitMissingAuthlibError:
        raise SettingsError(
            f"Nobody can log in: the operator has to install what {LIBRARY} names, then start the app again."
        ) from None
    except StreamlitAuthError:
        raise SettingsError(
            "Nobody can log in: in the section [auth] of .streamlit/secrets.toml the operator has to give "
            "redirect_uri and cookie_secret, and client_id, client_secret and server_metadata_url."
        ) from None


def draw_who() -> None:
    """Draw who is logged in, in which role, and the log-out button."""
    if not _has_login():
        return
    who = person()
    with st.sidebar:
        st.caption(f"{plain(who.name) or 'logged in'} · {role_of(who, settings())}")
        st.button("Log out", key="log_out", icon=":material/logout:", on_click=st.logout)
