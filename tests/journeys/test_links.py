"""Every kind of link in real Chromium, followed in a session that has chosen something else: links win."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.show.names import with_titles
from tests.browser import (
    CHROMIUM,
    PATIENCE,
    body_text,
    browser_page,
    open_by_menu,
    own_cache,
    running_app,
    settle,
)
from tools.ship_results import PUBLIC

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"), pytest.mark.slow]
ELSE = "model=mini-gpt&topic=race&templates=race-relative&criterion=l2&risk_view=occupations"
WHAT_ELSE = (["mini-gpt"], "race", "race-relative")
USUAL_TITLE = "Gender · 100 sentence beginnings from Wikipedia"
WHAT_IS_USUAL = ([*PUBLIC], "gender", "gender-wikipedia-100")
ASKED_ELSE = "score_model=mini-gpt-s&score_topic=race&score_templates=race-relative"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("links")
    with own_cache(folder) as environment, running_app(environment, folder / "app.log") as address:
        yield address


@pytest.fixture
def page(app: str) -> Iterator[Page]:
    with browser_page() as (page, errors):
        yield page
        # Going back in a hurry leaves a page before its icon is fetched, which the server then no longer has.
        assert [error for error in errors if "/media/" not in error] == []


def expect_names(page: Page, names: list[str], part: str = "stSidebar") -> None:
    """The field *Models* holds these."""
    field = page.get_by_test_id(part).get_by_test_id("stMultiSelect").filter(has_text="Models")
    chosen = field.get_by_role("button", name="Remove ")
    expect(chosen).to_have_count(len(names))
    assert [str(one.get_attribute("aria-label")) for one in chosen.all()] == [
        f"Remove {with_titles(name)}" for name in names
    ]


def expect_value(page: Page, label: str, value: str, part: str = "stSidebar") -> None:
    """A field of one name holds this, which it shows by its title."""
    load = load_topic if label == "Topic" else load_templates
    field = page.get_by_test_id(part).get_by_role("combobox", name=label, exact=True)
    expect(field).to_have_value(load(value).title)


def expect_choice(page: Page, models: list[str], topic: str, templates: str) -> None:
    """The sidebar shows this choice, and the address, opened anew, says the same."""
    expect_value(page, "Topic", topic)
    expect_value(page, "Sentences", templates)
    expect_names(page, models)
    expected = {"model": models, "topic": [topic]}
    usual = {"model": [*PUBLIC], "topic": ["gender"]}

    def says(address: str) -> bool:
        parameters = usual | parse_qs(urlsplit(address).query)
        return {name: parameters[name] for name in expected} == expected

    page.wait_for_url(says)  # the server mends what the browser made of two addresses a moment later


def arrive(page: Page, link: str, title: str) -> None:
    follow(page, page.get_by_test_id("stMain").get_by_role("link", name=link, exact=True).first, title)


def follow(page: Page, link: Locator, title: str) -> None:
    """Click once, when nothing moves any more: a click that is lost then is a fault of the app.

    A link in a box that is still unfolding may have moved on between the press and the release of the button.
    """
    before = urlsplit(page.url).path
    link.wait_for()
    rest(page)
    link.click()
    page.wait_for_url(lambda url: urlsplit(url).path != before, timeout=PATIENCE)
    settle(page, title)


def go(page: Page, title: str) -> None:
    """By the menu."""
    open_by_menu(page, title)
    settle(page, title)


def rest(page: Page) -> None:
    """Wait until nothing is drawn and the address has stayed the same for two seconds."""
    page.wait_for_function(
        """() => {
            const app = document.querySelector('[data-testid="stApp"]');
            const drawn = app?.dataset.testScriptState === 'notRunning';
            const now = Date.now();
            if (!drawn || window.lastAddress !== location.href) {
                window.lastAddress = location.href;
                window.restsSince = now;
            }
            return now - window.restsSince > 2000;
        }""",
        polling=100,
        timeout=PATIENCE,
    )


def step_back(page: Page) -> None:
    """Go back as a person would: from a page that is drawn, to one whose address has come to rest."""
    rest(page)
    page.go_back()
    rest(page)


def choose_model(page: Page, name: str) -> None:
    """Choose whose details the page Models shows; what is left of the page before is cleared a moment later.

    Where the browser is slow, that closes a list which was opened at once: nobody but a program is as quick.
    """
    title = with_titles(name)
    for _ in range(3):
        page.get_by_test_id("stMain").get_by_role("combobox", name="Model", exact=True).click()
        with suppress(TimeoutError):
            page.get_by_role("option", name=title, exact=True).click(timeout=10_000)
            break
    expect(page.get_by_role("link", name=f"Run an audit of {title}", exact=True).first).to_be_visible()


def test_a_run_of_a_model_and_the_way_back(app: str, page: Page) -> None:
    page.goto(f"{app}/risk?{ELSE}")
    settle(page, "Risk")
    go(page, "Models")
    run = page.get_by_test_id("stExpander").filter(has_text=USUAL_TITLE)
    run.get_by_text(USUAL_TITLE).first.click()
    follow(page, run.get_by_role("link", name="Open its risk"), "Risk")
    expect_choice(page, [PUBLIC[0]], "gender", "gender-wikipedia-100")
    assert "Mini GPT" not in body_text(page).split("Published")[0]
    assert parse_qs(urlsplit(page.url).query)["criterion"] == ["large ones weigh more"], (
        "what the link does not name stays"
    )
    expect(page.get_by_role("radio", name="occupations")).to_be_checked()
    for _ in range(4):  # the browser keeps what it made of both addresses, and what was mended of it
        step_back(page)
        if urlsplit(page.url).path != "/risk":
            break
        settle(page, "Risk")
        expect_choice(page, [PUBLIC[0]], "gender", "gender-wikipedia-100")
    settle(page, "Models")
    expect_choice(page, ["mini-gpt"], "race", "race-relative")
    page.go_forward()
    settle(page, "Risk")
    expect_choice(page, [PUBLIC[0]], "gender", "gender-wikipedia-100")


@pytest.mark.parametrize("slower", [1, 8])
def test_one_step_back_leads_to_the_page_as_it_was_left(app: str, page: Page, slower: int) -> None:
    """Also where the address says something of the page itself, and in a slow browser.

    There Streamlit corrects the address of the next page before it leaves this one.
    """
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(f"{app}/risk?{ELSE}")
    settle(page, "Risk")
    go(page, "Models")
    choose_model(page, "mini-gpt")
    rest(page)
    assert parse_qs(urlsplit(page.url).query)["model_details"] == ["mini-gpt"]
    run = page.get_by_test_id("stExpander").filter(has_text=USUAL_TITLE)
    run.get_by_text(USUAL_TITLE).first.click()
    follow(page, run.get_by_role("link", name="Open its risk"), "Risk")
    expect_choice(page, ["mini-gpt"], "gender", "gender-wikipedia-100")
    step_back(page)
    settle(page, "Models")
    expect_choice(page, ["mini-gpt"], "race", "race-relative")
    step_back(page)
    settle(page, "Risk")
    expect_choice(page, ["mini-gpt"], "race", "race-relative")


def test_the_calibration(app: str, page: Page) -> None:
    page.goto(f"{app}/method?method_tab=About&{ELSE}")
    settle(page, "Method")
    arrive(page, "Open the calibration on the page Risk", "Risk")
    expect_choice(page, ["planted-causal", "planted-masked"], "calibration", "calibration")
    page.reload()
    settle(page, "Risk")
    expect_choice(page, ["planted-causal", "planted-masked"], "calibration", "calibration")


def test_a_finished_run_of_the_queue(app: str, page: Page) -> None:
    page.goto(
        f"{app}/run_an_audit?model=mini-gpt&topic=race&score_model=mini-bert&score_topic=religion&score_templates=race-relative"
        "&score_precision=bfloat16"
    )
    settle(page, "Run an audit")
    page.get_by_role("button", name="Run the audit", exact=True).click()
    done = page.get_by_test_id("stMain").get_by_role("link", name="Risk", exact=True).first
    done.wait_for(timeout=5 * PATIENCE)  # a worker starts, loads the model and scores it
    arrive(page, "Risk", "Risk")
    expect_choice(page, ["mini-bert"], "religion", "race-relative")
    assert "Mini GPT" not in body_text(page)


def test_links_to_a_form(app: str, page: Page) -> None:
    page.goto(f"{app}/run_an_audit?{ASKED_ELSE}")
    settle(page, "Run an audit")
    expect_names(page, ["mini-gpt-s"], "stMain")
    go(page, "Models")
    choose_model(page, "mini-bert")
    arrive(page, "Run an audit of Mini BERT", "Run an audit")
    expect_names(page, ["mini-bert"], "stMain")
    expect_value(page, "Topic", "gender", "stMain")
    go(page, "Topics")
    page.get_by_test_id("stMain").get_by_role("link", name="Run with this topic").click()
    settle(page, "Run an audit")
    expect_value(page, "Topic", "gender", "stMain")
    expect_value(page, "Sentences", "gender-wikipedia-100", "stMain")


def test_a_ready_comparison(app: str, page: Page) -> None:
    page.goto(f"{app}/compare?model=mini-t5&compare_view=as+in+the+papers")
    settle(page, "Compare")
    go(page, "Overview")
    page.get_by_role("button", name="Size", exact=True).click()
    settle(page, "Compare")
    expect_choice(page, ["mini-gpt-s", "mini-gpt", "mini-gpt-l"], "gender", "gender-wikipedia-100")
    expect(page.get_by_role("radio", name="along an axis")).to_be_checked()
    expect(page.get_by_role("radio", name="size", exact=True)).to_be_checked()


def test_the_menu_changes_no_choice(app: str, page: Page) -> None:
    page.goto(f"{app}/risk?{ELSE}")
    settle(page, "Risk")
    for title in ("Tilt", "Models", "Risk"):
        go(page, title)
        expect_choice(page, ["mini-gpt"], "race", "race-relative")
    expect(page.get_by_role("radio", name="occupations")).to_be_checked()


def test_a_form_is_as_it_was_after_a_reload_and_the_way_back(app: str, page: Page) -> None:
    page.goto(f"{app}/run_an_audit?{ASKED_ELSE}")
    settle(page, "Run an audit")
    page.reload()
    settle(page, "Run an audit")
    for back in (page.go_back, lambda: go(page, "Run an audit")):
        go(page, "Risk")
        expect(page).not_to_have_url(re.compile("score_topic"))
        back()
        expect(page).to_have_url(re.compile("score_topic=race"))
        settle(page, "Run an audit")
        expect_value(page, "Topic", "race", "stMain")
        expect_value(page, "Sentences", "race-relative", "stMain")
        expect_names(page, ["mini-gpt-s"], "stMain")


def test_an_address_typed_into_the_same_tab(app: str, page: Page) -> None:
    page.goto(f"{app}/risk?{ELSE}")
    settle(page, "Risk")
    page.goto(f"{app}/risk?model=mini-bert")
    settle(page, "Risk")
    expect_choice(page, ["mini-bert"], "gender", "gender-wikipedia-100")


@pytest.mark.parametrize("query", ["", f"?{ELSE}"])
def test_every_name_in_the_menu_is_an_address(app: str, page: Page, query: str) -> None:
    page.goto(f"{app}/overview{query}")
    settle(page, "Overview")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect_choice(page, *(WHAT_ELSE if query else WHAT_IS_USUAL))
    assert urlsplit(page.url).path == "/"


@pytest.mark.parametrize(
    ("old", "path", "title", "tab"),
    [
        ("tails?part=prejudice", "/caprice", "Caprice", ""),
        ("knowledge?knowledge_score=quadratic", "/why", "Why?", "Knowledge"),
    ],
)
def test_an_old_address_leads_on_and_the_way_back_leaves_it(
    app: str, page: Page, old: str, path: str, title: str, tab: str
) -> None:
    page.goto(f"{app}/risk?{ELSE}")
    settle(page, "Risk")
    page.goto(f"{app}/{old}&{ELSE}")
    page.wait_for_url(lambda url: urlsplit(url).path == path)
    settle(page, title)
    expect_choice(page, *WHAT_ELSE)
    name, _, value = old.partition("?")[2].partition("=")
    assert parse_qs(urlsplit(page.url).query)[name] == [value]
    if tab:
        expect(page.get_by_role("radio", name=tab, exact=True)).to_be_checked()
    for _ in range(4):  # the old address itself is a step, and what the browser mended of it
        step_back(page)
        if urlsplit(page.url).path == "/risk":
            break
        settle(page, title)
    settle(page, "Risk")
    expect_choice(page, *WHAT_ELSE)
