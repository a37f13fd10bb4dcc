"""The page Run an audit: its form begins with the sidebar's selection and lists what fits first."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pcf_core.app.lists import fitting_first, heaviest_of, template_sets
from pcf_core.core.settings import Settings
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.topics import list_topics, load_topic
from pcf_core.work.queue import Queue
from pcf_core.work.requests import ScoreRequest
from tests.pages.opened import open_app

FORM = ("score_model", "score_topic", "score_templates", "score_evidence")
CHOSEN: dict[str, Any] = {
    "model": ["mini-gpt"],
    "topic": "religion",
    "templates": "people-wikipedia",
    "evidence": "occupations-bvf",
}


def form(app: AppTest) -> list[Any]:
    return [app.session_state[key] for key in FORM]


def test_the_form_begins_with_the_selection_of_the_sidebar(own_settings: Settings) -> None:
    app = open_app("run_an_audit", **CHOSEN)
    assert form(app) == list(CHOSEN.values())
    assert not set(FORM) & set(app.query_params)


def test_a_link_to_the_form_goes_before_the_selection(own_settings: Settings) -> None:
    app = open_app("run_an_audit", **CHOSEN, score_topic="race", score_model=["mini-bert"])
    assert form(app) == [["mini-bert"], "race", "race-relative", "occupations-bvf"]


def test_the_form_follows_the_selection_until_somebody_chooses_here(own_settings: Settings) -> None:
    app = open_app("run_an_audit", model=["mini-gpt"], topic="gender", templates="gender-nineteen")
    app.sidebar.selectbox(key="topic").set_value("race").run()
    assert form(app) == [["mini-gpt"], "race", "race-relative", "occupations-bvf"]
    app.selectbox(key="score_templates").set_value("people-fiction").run()
    app.sidebar.selectbox(key="topic").set_value("gender").run()
    assert form(app) == [["mini-gpt"], "race", "people-fiction", "occupations-bvf"]
    assert not app.exception


def test_what_the_form_cannot_score_is_left_out(own_settings: Settings) -> None:
    """A model without weights here, a topic of finished runs alone, a set that is gone."""
    app = open_app("run_an_audit", model=["org/other", "mini-gpt"], topic="pets@1234abcd", templates="gone")
    assert form(app) == [["mini-gpt"], "gender", "gender-wikipedia-100", "occupations-bvf"]


@pytest.mark.parametrize("topic", [topic.name for topic in list_topics()])
def test_sets_that_suit_the_topic_come_first_and_none_is_left_out(own_settings: Settings, topic: str) -> None:
    listed = fitting_first(load_topic(topic))
    suiting = suiting_sets(load_topic(topic), template_cards())
    assert tuple(listed[: len(suiting)]) == suiting
    assert sorted(listed) == sorted(template_sets())


def test_the_lists_of_both_forms_begin_with_what_suits(own_settings: Settings) -> None:
    app = open_app("run_an_audit", topic="religion")
    for key in ("templates", "score_templates"):
        options = app.selectbox(key=key).options
        assert options[: options.index("gender-fiction")] == list(
            suiting_sets(load_topic("religion"), template_cards())
        )


def test_the_heaviest_templates_alone_are_scored(own_settings: Settings) -> None:
    app = open_app("run_an_audit", **CHOSEN, score_heaviest="true")
    (cells,) = (metric.value for metric in app.metric if metric.label == "To score")
    assert cells == "2,400"
    app.button(key="score_button").click().run()
    (job,) = Queue.open(own_settings.catalogue).list(10, kind="score")
    templates = ScoreRequest.model_validate(job.payload)
    assert job.total == 2_400
    assert templates.templates == "people-wikipedia-20"


def test_the_heaviest_are_the_largest_counts_and_know_their_share(own_settings: Settings) -> None:
    whole, few = template_sets()["people-wikipedia"], heaviest_of("people-wikipedia", 20)
    counts = sorted(whole.counts, reverse=True)
    assert sorted(few.counts, reverse=True) == counts[:20]
    assert few.kept == pytest.approx(whole.kept * sum(counts[:20]) / sum(counts))
    assert len(heaviest_of("gender-nineteen", 40).templates) == 19


def test_a_set_with_no_more_templates_is_scored_as_it_is(own_settings: Settings) -> None:
    app = open_app(
        "run_an_audit", model=["mini-gpt"], templates="gender-nineteen", topic="gender", score_heaviest="true"
    )
    app.button(key="score_button").click().run()
    (job,) = Queue.open(own_settings.catalogue).list(10, kind="score")
    assert ScoreRequest.model_validate(job.payload).templates == "gender-nineteen"
