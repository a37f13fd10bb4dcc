"""Links: where addresses lead, what of them is used, and what pages of one session leave each other."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from pcf_core.app.addresses import OLD, OLD_VIEWS, TAB_OF, TABS, Choice, Place
from pcf_core.app.choice import draw_choice
from pcf_core.app.links import ALIKE, NEAR, is_endless
from pcf_core.app.shell import SECTIONS
from pcf_core.audit.options import ViewOptions
from pcf_core.core.settings import ROOT
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.fuzz.test_links import bound_keys
from tests.pages.opened import App, open_address, open_app
from tests.quick import quick
from tests.widget_keys import calls_with_key

NUMBERS = {
    "criteria": ("cr_seed", "cr_repeats", "cr_length", "cr_many", "cr_temperature", "cr_top_p"),
    "fairpair": ("fp_seed", "fp_each", "fp_length", "fp_top_p", "fp_count", "fp_fold"),
}


@pytest.mark.parametrize("text", quick(["1e400", "-1e400", "nan", "inf"], ("1e400", "nan").__contains__))
@pytest.mark.parametrize("page", NUMBERS)
def test_no_number_without_an_end_reaches_a_widget(page: str, text: str) -> None:
    usual = open_app(page)
    app = open_app(page, **dict.fromkeys(NUMBERS[page], text))
    for key in NUMBERS[page]:
        assert app.session_state[key] == usual.session_state[key]
        assert key not in app.query_params
    assert ("not a finite number" in app.warnings) == (text != "nan")
    assert not app.error
    app.number_input(key=NUMBERS[page][0]).set_value(7).run()
    assert app.session_state[NUMBERS[page][0]] == 7


def test_text_in_a_link_is_never_markup() -> None:
    app = open_app("criteria", **{"<b>x</b>": "1e400"})
    assert "<b>" not in app.warning[0].value.replace("\\<", "")


def test_a_bad_link_names_the_part_that_is_wrong(full_store: Store) -> None:
    """The rest of the link is used, and the sentence stays while the page is open."""
    app = open_app("risk", weights="employment", criterion="l7", modell="mini-t5")
    assert app.session_state["weights"] == "employment"
    for _ in range(2):
        assert set(app.link_warnings) == {
            f"The link has {part} The rest of the link is used."
            for part in (
                "criterion = l7: allowed are the largest, large ones weigh more, the sum.",
                "modell = mini-t5: there is no such parameter; did you mean model?",
            )
        }
        app.run()
    app.follow("method")
    assert not app.warning


def test_what_a_link_says_is_repeated_in_one_short_line(full_store: Store) -> None:
    """Line breaks would make headings and code of it."""
    app = open_app("risk", criterion="x\n===\n", weights="a" * 5_000, **{"seed\n\n    x": "1" + "0" * 400})
    sentences = [warning.value for warning in app.warning if "The link" in warning.value]
    assert len(sentences) == 3
    for sentence in sentences:
        assert "\n" not in sentence
        assert len(sentence) < 400
    assert any("= x ===: " in sentence for sentence in sentences)
    assert any(f"= {'a' * 79}…: " in sentence for sentence in sentences)


def test_a_good_link_is_not_spoken_of(full_store: Store) -> None:
    app = open_app(
        "risk",
        model=["mini-gpt"],
        risk_view="occupations",
        utm_source="mail",
        criterion="max",
        references="false",
    )
    assert not app.link_warnings


def test_no_page_has_a_choice_that_is_taken_for_a_misspelt_one() -> None:
    shared = list(Choice((), "", "", "", ViewOptions()).parameters)
    alike = {
        key for key in bound_keys() if key not in shared and get_close_matches(key, shared, 1, cutoff=NEAR)
    }
    assert alike == ALIKE


def test_a_link_between_pages_sets_what_it_names_and_the_menu_nothing(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt"], criterion="l2", risk_view="corrected")
    app.query_params.update({"model": ["mini-bert"], "criterion": "max", "reference": "labour"})
    app.switch_page("pages/tilt.py").run()
    assert app.multiselect(key="model").value == ["mini-bert"]
    assert [app.selectbox(key=key).value for key in ("criterion", "reference")] == [
        "the largest",
        "the labour force's shares",
    ]
    app.switch_page("pages/risk.py").run()
    assert app.multiselect(key="model").value == ["mini-bert"]
    assert app.segmented_control(key="risk_view").value == "corrected"


def test_a_click_before_the_sidebar_is_drawn_loses_no_choice(full_store: Store) -> None:
    """The browser then carries nothing over into the new address."""
    app = open_app("risk", model=["mini-gpt"], criterion="l2")
    app.follow("tilt")
    assert app.multiselect(key="model").value == ["mini-gpt"]
    assert app.selectbox(key="criterion").value == "large ones weigh more"
    assert app.query_params["criterion"] == "large ones weigh more"


@pytest.mark.parametrize("asked_from", ["the mended address", "the mixed address"])
def test_a_link_loses_no_model_when_its_first_run_is_ended(
    full_store: Store, monkeypatch: pytest.MonkeyPatch, asked_from: str
) -> None:
    """A click, or a change of the settings, may start the next run while the sidebar is being drawn."""
    app = open_app("risk", model=["mini-gpt"])
    mixed, runs = "model=mini-gpt&model=mini-gpt&model=mini-bert", []

    def ended_once() -> None:
        runs.append(st.query_params.get_all("model"))
        if len(runs) == 1:
            context = get_script_run_ctx()
            assert context is not None
            if asked_from == "the mixed address":
                context.query_string = mixed
            st.rerun()
        draw_choice()

    monkeypatch.setattr("pcf_core.app.shell.draw_choice", ended_once)
    app.query_params["model"] = ["mini-gpt", "mini-gpt", "mini-bert"]
    app.switch_page("pages/tilt.py").run()
    assert runs == [["mini-gpt", "mini-bert"]] * 2
    assert app.multiselect(key="model").value == ["mini-gpt", "mini-bert"]


def test_a_way_back_is_told_again_when_its_first_run_is_ended(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it would have told the browser is lost with it."""
    app = open_app("risk", model=["mini-gpt"])
    mixed = ["mini-gpt", "mini-bert"]
    app.follow("tilt", model=mixed)
    assert app.query_params["model"] == "mini-bert"
    app.query_params.clear()
    app.query_params["model"] = mixed  # as the browser still has it when it asks for the next run
    app.run()
    assert app.multiselect(key="model").value == ["mini-bert"]
    assert app.query_params["model"] == "mini-bert"


@pytest.mark.slow
def test_an_address_chosen_by_hand_means_what_it_says(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the browser once made the same address of an old one and a link's."""
    both = ["mini-gpt", "mini-bert"]

    def back() -> list[str]:
        """What is chosen after the browser's way back to the address of both, from another page."""
        app.follow("method", model=["mini-t5"])
        reset = ScriptRunContext.reset
        with monkeypatch.context() as patch:
            patch.setattr(
                ScriptRunContext,
                "reset",
                lambda self, **given: reset(self, **{**given, "is_history_navigation": True}),
            )
            app.follow("tilt", model=both)
        chosen: list[str] = app.multiselect(key="model").value
        return chosen

    app = open_app("risk", model=["mini-gpt"])
    app.follow("tilt", model=both)
    assert app.multiselect(key="model").value == ["mini-bert"]
    assert back() == ["mini-bert"]
    app.query_params["model"] = both  # by the browser, as soon as the field says so
    app.multiselect(key="model").set_value(both).run()
    assert back() == both


@pytest.mark.parametrize(
    ("text", "endless"),
    [("1e400", True), ("-Infinity", True), ("1e300", False), ("nan", False), ("x", False)],
)
def test_what_is_endless(text: str, endless: bool) -> None:
    assert is_endless(text) is endless


@pytest.mark.parametrize(("page", "prefix"), [("risk", ""), ("run_an_audit", "score_")])
def test_another_topic_brings_its_templates_and_occupations(page: str, prefix: str) -> None:
    app = open_app(page)
    for topic, templates, evidence in (
        ("race", "race-relative", "occupations-bvf"),
        ("gender-zh", "gender-zh-reporting", "occupations-zh"),
    ):
        app.selectbox(key=f"{prefix}topic").set_value(topic).run()
        assert app.selectbox(key=f"{prefix}templates").value == templates
        assert app.selectbox(key=f"{prefix}evidence").value == evidence
        app.selectbox(key=f"{prefix}templates").set_value("gender-heatmap").run()
        assert app.selectbox(key=f"{prefix}templates").value == "gender-heatmap"
    assert not app.warning


def test_a_link_that_names_templates_is_followed() -> None:
    app = open_app("risk", topic="race", templates="gender-heatmap")
    assert app.selectbox(key="templates").value == "gender-heatmap"
    assert app.selectbox(key="evidence").value == "occupations-bvf"


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
    board = {"board"}  # the first page of a read-only app with results of others, and of no other
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES) | board
    assert not (set(OLD) - {"overview"}) & set(PAGES)


def test_every_tab_belongs_to_a_page_and_no_two_pages_share_a_parameter() -> None:
    assert set(TAB_OF) == set(TABS) <= set(PAGES)
    assert len(set(TAB_OF.values())) == len(TAB_OF)
    for target in (*OLD.values(), *OLD_VIEWS.values()):
        assert target.tab in TABS.get(target.page, ("",))


@pytest.mark.parametrize("old", quick(OLD, ("factors", "fairpair", "knowledge", "score").__contains__))
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


SHARING = ("tilt", "compare", "heat_map")  # have parameters in common besides the shared choice
MODELS = itertools.cycle([["mini-gpt"], ["mini-bert"], ["mini-bert", "mini-gpt"]])
# An auditor types a name; somebody who may only read chooses among those used before. Both are text, and a
# session is of one or the other.
TWO_FORMS = {"cr_labeller"}
NO_WIDGETS = {"container", "OwnPanel"}  # the key names a style, and a group of widgets


def walk(pages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a page and the next one, from the first page on, so that every page leads to every other."""
    for index, one in enumerate(pages):
        for other in pages[index + 1 :]:
            yield from ((one, other), (other, one))
        yield from itertools.pairwise(pages[index : index + 2])


def change_models(app: App) -> None:
    app.multiselect(key="model").set_value(next(MODELS)).run()


def own_parameters(app: App) -> set[str]:
    """What the address can say of this page alone."""
    params = app.session_state._state._state.query_params
    return {name for name, at in params._bindings_by_param.items() if at.script_hash == app._page_hash}


@pytest.mark.parametrize(
    "pages",
    [SHARING, pytest.param(tuple(PAGES), marks=[pytest.mark.slow, pytest.mark.timeout(900)])],
    ids=len,
)
def test_no_page_is_broken_by_what_another_left(full_store: Store, pages: Sequence[str]) -> None:
    """The models are changed on each page before the next one is opened."""
    steps = list(walk(pages))
    assert set(steps) == set(itertools.permutations(pages, 2))
    app = open_app(pages[0])
    for one, other in steps:
        change_models(app)
        app.go_to(other)
        assert app.title, f"{one} to {other}"


@pytest.mark.parametrize("topic", quick(["gender", "race"], "race".__eq__))
def test_pages_share_a_choice_and_keep_their_defaults(full_store: Store, topic: str) -> None:
    """What somebody chose on one page is chosen on the next; what a page shows unasked is not."""
    for model in ("mini-bert", "mini-gpt"):
        fill(full_store, model, topic_name="race")
    chosen = {"model": ["mini-bert", "mini-gpt"], "topic": topic, "templates": fill_templates(topic)}
    usual = {page: shown(open_app(page, **chosen)) for page in SHARING}
    assert usual["heat_map"]["occupation"] is not None
    assert usual["tilt"]["occupation"] is None
    app = open_app(SHARING[0], **chosen)
    for page in (*SHARING, *reversed(SHARING), *SHARING):
        app.go_to(page)
        assert shown(app) == usual[page]
        assert not {"occupation", "group"} & set(app.query_params)
    app.selectbox(key="occupation").set_value("nurse").run()
    for page in SHARING:
        app.go_to(page)
        assert shown(app)["occupation"] == "nurse"
        assert app.query_params["occupation"] == "nurse"
    app.go_to("tilt")
    app.selectbox(key="occupation").set_value(None).run()
    app.go_to("heat_map")
    assert shown(app) == usual["heat_map"]


def fill_templates(topic: str) -> str:
    return {"gender": "gender-nineteen", "race": "race-relative"}[topic]


def shown(app: App) -> dict[str, str | None]:
    """What the fields show that several pages have."""
    return {field.key: field.value for field in app.selectbox if field.key in ("occupation", "group")}


@pytest.mark.slow
def test_no_other_pages_share_a_parameter(full_store: Store) -> None:
    pages_of = defaultdict(set)
    for page in PAGES:
        for name in own_parameters(open_app(page)):
            pages_of[name].add(page)
    assert {"occupation", "risk_view"} <= set(pages_of)
    assert set[str]().union(*(pages for pages in pages_of.values() if len(pages) > 1)) <= set(SHARING)


def test_a_session_key_belongs_to_one_widget() -> None:
    """Each key that the source names is given to a widget in one line of it."""
    lines = defaultdict(set)
    for call in calls_with_key():
        if call.function not in NO_WIDGETS:
            lines[call.key].add(call.line)
    assert {"occupation", "model", "cr_labeller", "compare_first", "topic_shown"} <= set(lines)
    assert {key: sorted(at) for key, at in lines.items() if len(at) > 1 and key not in TWO_FORMS} == {}
