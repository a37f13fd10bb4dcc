"""What pages say beside their figures: templates and documents, coverage, words of unequal length."""

from __future__ import annotations

import math

import pytest

from pcf_core.app.probe import token_shares
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.probe import ProbeAnswer
from pcf_core.measure.distribution import share_interval
from pcf_core.show.findings.models import whole_templates_finding
from pcf_core.show.findings.notes import unequal_weights
from pcf_core.show.findings.numbers import people
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.pages.opened import App, open_app, own_store, score_with, usual_run
from tests.quick import quick

DOCUMENTS = "gender-simplewiki-25"


@pytest.mark.slow
def test_documents_are_told_from_whole_templates() -> None:
    store = own_store()
    run = fill(store, "mini-gpt", DOCUMENTS)
    result = load_result(store, run)
    usual, whole = (report(result, run, ViewOptions(unit=unit)) for unit in ("counts-only", "template"))
    interval = whole.interval("overall_risk")
    assert interval is not None
    sentence = whole_templates_finding({"mini-gpt": interval})
    fill(store, "mini-gpt")
    for page in ("overview", "risk"):
        app = open_app(page, model=["mini-gpt"], templates=DOCUMENTS, unit="usual")
        assert sentence in app.captions
        assert f"25 templates{unequal_weights(usual)}" in app.captions
        facts = app.open_foot().table[0].value["value"].str.replace("\\", "")
        assert facts["effective number of templates"] == f"{usual.effective_templates:.1f}"
        assert sentence not in open_app(page, model=["mini-gpt"], templates=DOCUMENTS).captions
    link = {"templates": DOCUMENTS, "unit": "counts-only", "all_runs": "true"}
    overview = open_app("overview", model=["mini-gpt"], **link)
    # two rows, one a unit each: the second, the run on the usual templates, is "all others"
    drawn = "whiskers come from resampling counts only (documents) for mini-gpt; templates for all others."
    assert drawn in overview.captions


@pytest.mark.slow
def test_the_opening_takes_the_chosen_occupation_and_says_how_sure_it_is(full_store: Store) -> None:
    run = fill(full_store, "mini-gpt")
    result = load_result(full_store, run)
    read = report(result, run, ViewOptions())
    index = result.preferences.occupations.index("nurse")
    male = float(read.template_weights[result.preferences.values[index, :, 0] > 0.5].sum())
    group, share = ("male", male) if male >= 0.5 else ("female", 1 - male)
    sure = share_interval(share, read.effective_templates)
    low, high = (f"{100 * end:.0f}" for end in (sure.low, sure.high))
    app = open_app("tilt", model=["mini-gpt"], occupation="nurse")
    sure_of = f"{people(group)} in {100 * share:.0f} % ({low}–{high} %) of the sentences about “nurse”."
    assert f"mini-gpt expects {sure_of}" in app.texts
    assert "sentences about “nurse”" not in open_app("tilt", model=["mini-gpt"]).texts


@pytest.mark.parametrize(
    "page", quick(["overview", "risk", "heat_map", "tilt"], ("overview", "tilt").__contains__)
)
def test_words_that_are_hardly_expected_are_a_warning_at_the_top(page: str) -> None:
    score_with(usual_run("mini-gpt"), lambda prompt, word: 1e-8)
    app = open_app(page, model=["mini-gpt"])
    assert len(app.warning) == 1
    assert "in 2,280 of 2,280 cells" in app.warnings


def test_the_overview_keeps_its_doors_where_nothing_is_chosen_or_scored() -> None:
    app = open_app("overview")
    for state in ("not scored", "nothing chosen"):
        assert "What is measured" in [head.value for head in app.subheader], state
        assert len(app.get("page_link")) == 5, state  # three doors, Try a sentence and Report
        app.multiselect(key="model").set_value([]).run()
    assert "Choose one or more models" in app.infos


def buttons(app: App) -> list[str]:
    return [button.key for button in app.button if button.key and button.key.startswith("take_")]


def test_words_of_unequal_length_and_number_are_said_before_the_picture(shipped: Store) -> None:
    app = open_app("risk", topic="race", model=["mini-gpt"])
    assert "Words of “hispanic” have 4.0 tokens, words of “white” 1.0" in app.warnings
    assert "“black” has 2 words, “white” 1: read the mean of a group's words" in app.warnings
    assert "no words of equal tokens are left" in app.warnings
    assert len(app.warning) == 1
    assert buttons(app) == ["take_aggregation"]
    app.press("take_aggregation")
    assert app.sidebar.selectbox(key="aggregation").value == "the mean of their probabilities"
    assert "has 2 words" not in app.warnings
    assert buttons(app) == []


@pytest.mark.parametrize("model", ["mini-bert", "mini-gpt"])
def test_long_words_that_get_next_to_nothing_are_no_reason_to_warn(shipped: Store, model: str) -> None:
    """By list gender's words have one to four tokens, by mass he and she carry it."""
    app = open_app("risk", topic="gender", templates="gender-wikipedia-100", model=[model])
    assert app.warnings == ""
    assert buttons(app) == []


def test_equal_tokens_are_one_press_away_where_every_group_has_some(shipped: Store) -> None:
    app = open_app("risk", topic="calibration", model=["planted-causal"])
    assert "tokens" in app.warnings
    app.press("take_protocol")
    assert app.sidebar.selectbox(key="protocol").value == "words of equal tokens"
    assert app.get("plotly_chart")


def test_a_sentences_tokens_count_by_what_its_words_get() -> None:
    """By hand: of a's .75 two thirds lie in one token; b has one word; c with no probability says nothing."""
    words = [("x", "a", 0.5, 1), ("y", "a", 0.25, 3), ("z", "b", 0.25, 2)]
    answer = ProbeAnswer.model_validate(
        {
            "words": [
                {"word": word, "group": group, "log_probability": math.log(p), "tokens": tokens}
                for word, group, p, tokens in words
            ],
            "left_out": (),
            "coverage": None,
            "preferences": {"a": 0.75, "b": 0.25},
        }
    )
    shares = token_shares(answer)
    assert shares is not None
    assert shares["a"] == pytest.approx({1: 2 / 3, 3: 1 / 3})
    assert shares["b"] == {2: 1.0}
    assert token_shares(answer.model_copy(update={"preferences": {"a": None, "b": None}})) is None
