"""The log-in in a real browser, with a real OpenID provider on loopback: auditors, viewers, and nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("authlib", reason="a log-in needs requirements-login.txt")
pytest.importorskip("playwright.sync_api")

from playwright.sync_api import Page, expect

from pcf_core.work.queue import Queue
from tests import browser
from tests.browser import CHROMIUM, body_text, browser_page, menu, open_by_menu, running_app, settle
from tests.provider import CLIENT, SECRET, Provider, running_provider

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]

PEOPLE = {
    "ann": {"email": "Ann@example.org", "email_verified": True, "name": "Ann"},
    "bob": {"email": "bob@elsewhere.net", "email_verified": True},
    "eve": {"email": "eve@example.org", "email_verified": False},
}
SECRETS = """
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "a secret of the cookies, long enough"
client_id = "{client}"
client_secret = "{secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider(PEOPLE) as running:
        yield running


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("login") / "cache"


@pytest.fixture(scope="module")
def app(provider: Provider, cache: Path) -> Iterator[str]:
    secrets = cache.parent / "secrets.toml"
    secrets.write_text(SECRETS.format(client=CLIENT, secret=SECRET, issuer=provider.issuer))
    environment = {
        "PCF_CACHE": str(cache),
        "PCF_START_WORKER": "0",
        "PCF_AUDITORS": "*@example.org",
        "STREAMLIT_SECRETS_FILES": str(secrets),
        "NO_PROXY": "127.0.0.1",
    }
    with running_app(environment, cache.parent / "app.log") as address:
        yield address


def log_in(page: Page, app: str, who: str) -> None:
    page.goto(app)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name=who, exact=True).click()
    settle(page, "Overview")


def shown(text: str) -> str:
    """An address as pages show it: with a joiner without width, so that it is no link."""
    return text.replace("@", "\u2060@")


def test_nobody_sees_anything_before_the_log_in(app: str) -> None:
    with browser_page() as (page, errors):
        page.goto(f"{app}/risk")
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        assert body_text(page).split("\n")[0] == "PCF Audit"
        assert menu(page) == []
        assert not errors


def test_an_auditor_queues_and_the_job_keeps_who_asked(app: str, provider: Provider, cache: Path) -> None:
    with browser_page() as (page, errors):
        log_in(page, app, "ann")
        assert {"/authorize", "/chosen", "/token", "/keys"} <= set(provider.seen)
        assert {"Run an audit", "Try a sentence"} <= set(menu(page))
        expect(page.get_by_text(shown("ann@example.org · auditor"))).to_be_visible()
        open_by_menu(page, "Run an audit")
        settle(page, "Run an audit")
        page.goto(f"{app}/run_an_audit?score_precision=bfloat16")  # in which nothing is scored yet
        settle(page, "Run an audit")
        page.get_by_role("button", name="Run the audit", exact=True).click()
        start, waiting = page.get_by_role("button", name="Start", exact=True), page.get_by_text("waiting")
        expect(start.or_(waiting).first).to_be_visible()
        if start.is_visible():  # asked where it takes over ten minutes: with a public model
            start.click()
        expect(waiting.first).to_be_visible()
        jobs = Queue.open(cache / "catalogue.sqlite").list()
        assert {job.submitter for job in jobs} == {"ann@example.org"}
        assert jobs[0].kind == "score"
        assert not errors


@pytest.mark.parametrize(("who", "address"), [("bob", "bob@elsewhere.net"), ("eve", "logged in")])
def test_others_read(app: str, who: str, address: str) -> None:
    """Eve's address would make her an auditor, and nobody has verified it."""
    with browser_page() as (page, errors):
        log_in(page, app, who)
        expect(page.get_by_text(shown(f"{address} · viewer"))).to_be_visible()
        assert not {"Run an audit", "Try a sentence"} & set(menu(page))
        open_by_menu(page, "Risk")
        settle(page, "Risk")
        assert browser.drawn_traces(page) > 0
        assert not errors


def test_logging_out_ends_it(app: str, provider: Provider) -> None:
    with browser_page() as (page, _):
        log_in(page, app, "ann")
        with page.expect_navigation(url=lambda url: url.startswith(app)):  # back from the provider
            page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        assert "/end" in provider.seen
        page.reload()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()


def test_a_token_that_somebody_else_signed_lets_nobody_in(app: str, provider: Provider) -> None:
    provider.forged = True
    try:
        with browser_page() as (page, _):
            page.goto(app)
            page.get_by_role("button", name="Log in").click()
            page.get_by_role("link", name="ann", exact=True).click()
            page.wait_for_url(re.compile(re.escape(app)))
            page.goto(app)
            expect(page.get_by_role("button", name="Log in")).to_be_visible()
    finally:
        provider.forged = False


def test_a_cookie_that_somebody_wrote_lets_nobody_in(app: str) -> None:
    with browser_page() as (page, _):
        page.context.add_cookies(
            [{"name": "_streamlit_user", "value": '{"email": "ann@example.org"}', "url": app}]
        )
        page.goto(app)
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
