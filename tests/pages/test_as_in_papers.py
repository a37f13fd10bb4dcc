"""As in the papers: every link opens what it says, on shipped results, and ours is what the pages show."""

from __future__ import annotations

from itertools import product

import pytest

from pcf_core.app.addresses import TABS, choice_of
from pcf_core.app.data import asked_run, finished
from pcf_core.app.lists import set_names, topics
from pcf_core.app.method.as_in_papers import (
    TITLES,
    WORKED_OUT,
    address_of,
    criteria_asked,
    fairpair_asked,
    papers_answer,
)
from pcf_core.core.records import digest
from pcf_core.material.published import PAPERS, PrintedLink, printed_items
from pcf_core.models.presets import preset_of
from tests.fuzz.test_links import PAGES, bound_keys
from tests.pages.opened import open_app, set_environment
from tests.quick import quick

LINKS = [(item, link) for item in printed_items() for link in item.link]
DISTINCT = {digest([link.page, link.tab, dict(link.parameters)]): link for _, link in LINKS}
FIRST = {link.tab or link.page: name for name, link in reversed(DISTINCT.items())}  # of each page or tab


@pytest.fixture
def as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, SHIPPED_RESULTS="1")


def test_every_link_leads_to_a_page_and_says_what_its_widgets_take() -> None:
    keys = {*bound_keys(), "set_view", "topic_view"}  # these two are named to the widget by own.draw_views
    for item, link in LINKS:
        assert link.page in PAGES, item.title
        assert link.tab in TABS.get(link.page, ("",)), item.title
        assert set(link.parameters) <= keys, item.title


@pytest.mark.usefixtures("as_it_comes")
def test_the_results_of_every_link_are_shipped() -> None:
    for item, link in LINKS:
        said = link.parameters
        if "model" in said:
            choice = choice_of(said)
            for model, precision in choice.asked:
                assert finished(asked_run(choice, model, precision)), f"{item.title}: {model}"
        if "fp_model" in said:
            assert fairpair_asked(link), item.title
        if "cr_model" in said:
            assert criteria_asked(link), item.title
        assert said.get("topic_shown", "gender") in topics(), item.title
        assert said.get("set", "gender-nineteen") in set_names(), item.title
        if item.ours == "change":
            preset = preset_of(choice_of(said).models)
            claims = [f"Figure {pair.claim.figure}" for pair in preset.pair if pair.claim] if preset else []
            assert item.number in claims, item.title


def test_all_that_the_file_calls_ours_can_be_worked_out() -> None:
    assert {item.ours for item in printed_items()} - {""} == set(WORKED_OUT)


@pytest.mark.usefixtures("as_it_comes")
def test_a_link_sets_every_choice_of_the_sidebar() -> None:
    for _, link in LINKS:
        if "model" in link.parameters:
            said = address_of(link)
            assert choice_of(said) == choice_of(link.parameters)
            assert choice_of(link.parameters).parameters.items() <= said.items()


@pytest.mark.usefixtures("as_it_comes")
@pytest.mark.parametrize("name", quick(DISTINCT, set(FIRST.values()).__contains__))
def test_a_link_opens_what_it_says(name: str) -> None:
    """The page reads every part of it, and offers nothing to be scored, written or asked."""
    link: PrintedLink = DISTINCT[name]
    said = {**address_of(link), **({f"{tab_key(link)}": link.tab} if link.tab else {})}
    app = open_app(link.page, **{"topic": "gender", **said})
    assert not app.link_warnings
    assert not app.error
    offers = {"score_missing", "fairpair_button", "criteria_button"}
    assert not offers & app.button_keys
    for key, value in link.parameters.items():
        held = app.session_state[key]
        assert (held if isinstance(held, list) else str(held).replace("True", "true")) == value, key


def tab_key(link: PrintedLink) -> str:
    return {"why": "why_tab", "written_text": "text_tab", "method": "method_tab"}[link.page]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("as_it_comes")
@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_of_a_paper_is_drawn_with_ours_beside_it(paper: str) -> None:
    app = open_app("method", method_tab="As in the papers", papers_paper=TITLES[paper])
    said = app.texts
    for item in printed_items():
        if item.paper == paper:
            assert f"**{item.number}.**" in said
    assert not app.info, "all results are here"
    assert not app.error


@pytest.mark.usefixtures("as_it_comes")
def test_the_tab_begins_with_one_answer() -> None:
    """Of a paper of drawings alone, which nothing of ours stands beside; and what the others say."""
    app = open_app("method", method_tab="As in the papers", papers_paper=TITLES["PVF"])
    items = [item for item in printed_items() if item.paper == "PVF"]
    answer = f"Results of ours stand beside none of the {len(items)} figures and tables in “Note on PVF”."
    assert f"##### {answer}" in app.texts
    assert all(f"**{item.number}.**" in app.texts for item in items)
    for paper, made, printed in product(PAPERS, (0, 1, 26), (26, 1)):
        assert len(papers_answer(paper, made, printed).split()) <= 25
    assert papers_answer("BVF", 2, 2) == (
        "Results of ours stand beside all of the 2 figures and tables in “Bias and Volatility”."
    )
