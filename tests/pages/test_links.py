"""Links: what of them is used, what is left out in a sentence, and the choice that pages share."""

from __future__ import annotations

from difflib import get_close_matches

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from pcf_core.app.addresses import Choice
from pcf_core.app.choice import draw_choice
from pcf_core.app.links import ALIKE, NEAR, is_endless
from pcf_core.audit.options import PageOptions, ViewOptions, from_link
from pcf_core.store.store import Store
from tests.fuzz.test_links import bound_keys
from tests.pages.opened import open_app
from tests.quick import quick

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
    assert ("no finite number" in app.warnings) == (text != "nan")
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
            f"The link has {part} The rest of it is used."
            for part in (
                "criterion = l7: allowed is the largest, large ones weigh more, the sum.",
                "modell = mini-t5: no choice is called so; is model meant?",
            )
        }
        app.run()
    app.query_params.clear()
    app.switch_page("pages/method.py").run()
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
    app.query_params.clear()
    app.switch_page("pages/tilt.py").run()
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
    app.query_params.clear()
    app.query_params["model"] = mixed
    app.switch_page("pages/tilt.py").run()
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
        app.query_params.clear()
        app.query_params["model"] = ["mini-t5"]
        app.switch_page("pages/method.py").run()
        reset = ScriptRunContext.reset
        with monkeypatch.context() as patch:
            patch.setattr(
                ScriptRunContext,
                "reset",
                lambda self, **given: reset(self, **{**given, "is_history_navigation": True}),
            )
            app.query_params.clear()
            app.query_params["model"] = both
            app.switch_page("pages/tilt.py").run()
        chosen: list[str] = app.multiselect(key="model").value
        return chosen

    app = open_app("risk", model=["mini-gpt"])
    app.query_params.clear()
    app.query_params["model"] = both
    app.switch_page("pages/tilt.py").run()
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


def test_links_to_other_pages_have_all_of_the_choice() -> None:
    options = ViewOptions(
        criterion="l1", scale="bvf", reference="labour", aggregation="mean", unit="counts-only-mentions"
    )
    link = Choice(("mini-gpt", "mini-bert"), "race", "mine", "few", options, over="both").parameters
    assert (link["model"], link["topic"]) == (["mini-gpt", "mini-bert"], "race")
    assert (link["templates"], link["evidence"]) == ("mine", "few")
    assert from_link(PageOptions, link) == PageOptions(**options.model_dump(), over="both")
