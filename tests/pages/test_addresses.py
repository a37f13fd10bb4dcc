"""Addresses: the menu's pages, their tabs, and where those of earlier versions lead."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.app.addresses import OLD, OLD_VIEWS, TAB_OF, TABS, Place, leads_to
from pcf_core.app.shell import SECTIONS
from pcf_core.core.settings import ROOT
from tests.pages.opened import App, open_address, open_app

MOST_PAGES = 15
SHARED: dict[str, Any] = {"model": ["mini-gpt"], "topic": "race", "criterion": "l2", "precision": ["float32"]}
CALLED = {"criterion": "large ones weigh more"}  # as addresses have it now
PAGES = {name: title for pages in SECTIONS.values() for name, title, _ in pages}
OWN: dict[str, tuple[str, Any]] = {  # a choice of each old page that its widgets have with nothing scored
    "knowledge": ("knowledge_score", "quadratic"),
    "score": ("score_topic", "religion"),
    "probe": ("sentence", "The nurse sighed that [Y]"),
    "case_file": ("cf_model", "mini-bert"),
    "fairpair": ("fp_table", "religion"),
    "criteria": ("cr_answering", "scored words"),
    "how_it_works": ("how_part", "three groups"),
}


def expect_place(app: App, target: Place) -> None:
    assert app.titles == [PAGES[target.page]]
    if target.tab:
        control = app.segmented_control(key=TAB_OF[target.page])
        assert (control.value, tuple(control.options)) == (target.tab, TABS[target.page])


def test_the_menu_has_at_most_fifteen_pages_each_with_a_file() -> None:
    assert len(PAGES) <= MOST_PAGES
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES)
    assert not (set(OLD) - {"overview"}) & set(PAGES)


def test_every_tab_belongs_to_a_page_and_no_two_pages_share_a_parameter() -> None:
    assert set(TAB_OF) == set(TABS) <= set(PAGES)
    assert len(set(TAB_OF.values())) == len(TAB_OF)
    for target in (*OLD.values(), *OLD_VIEWS.values()):
        assert target.tab in TABS.get(target.page, ("",))


@pytest.mark.parametrize("old", OLD)
def test_an_old_address_opens_the_new_place_with_the_same_choices(old: str) -> None:
    name, value = OWN.get(old, ("weights", "employment"))
    app = open_address(old, **SHARED, **{name: value})
    expect_place(app, OLD[old])
    for key, held in (SHARED | CALLED).items():
        assert app.session_state[key] == held
        assert app.query_params[key] == (held[0] if isinstance(held, list) else held)
    assert str(app.session_state[name]) == value
    assert not app.link_warnings


@pytest.mark.parametrize(("view", "target"), OLD_VIEWS.items())
def test_a_view_that_is_a_tab_now_is_opened_as_one(view: tuple[str, str, str], target: Place) -> None:
    old, name, value = view
    app = open_address(old, **SHARED, **{name: value})
    expect_place(app, target)
    assert name not in app.query_params
    assert app.session_state["criterion"] == CALLED["criterion"]


def test_what_an_old_address_says_is_kept_whole() -> None:
    parameters = {"model": ["a", "b"], "utm": ["x"], "factors_view": ["labour statistics"]}
    assert leads_to("factors", parameters) == ("why", {**parameters, "why_tab": "Factors"})
    assert leads_to("tails", {"model": ["a", "b"]}) == ("caprice", {"model": ["a", "b"]})


def test_a_change_of_tab_loses_no_choice() -> None:
    app = open_app("written_text", **SHARED, text_tab="FairPair", fp_model=["mini-gpt"], fp_count="7")
    app.number_input(key="fp_seed").set_value(3).run()
    tab = TAB_OF["written_text"]
    for name in ("Criteria", "Summary", "FairPair"):
        app.segmented_control(key=tab).set_value(name).run()
        assert ("fp_count" in app.query_params) == (name == "FairPair")
        assert app.session_state["criterion"] == CALLED["criterion"]
    assert [app.number_input(key=key).value for key in ("fp_count", "fp_seed")] == [7, 3]


def test_the_open_tab_alone_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tab that cannot be drawn harms no other."""

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("pcf_core.app.fairpair.tab.draw_request", fail)
    assert open_app("written_text", text_tab="Criteria").multiselect(key="cr_model")
