"""The page Run an audit: its form begins with the sidebar's selection and lists what fits first."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.app.lists import fitting_first, heaviest_of, template_sets, usual_lists
from pcf_core.app.queue import BY_HAND, progress_text
from pcf_core.app.titles import set_titles
from pcf_core.core.errors import StoreError
from pcf_core.core.run import Progress
from pcf_core.core.settings import Settings, settings
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.topics import list_topics, load_topic
from pcf_core.models.scoring.base import open_scorer
from pcf_core.work.requests import submit_words
from pcf_core.work.scoring import score_asked
from tests.models.fake_servers import point_at, serving_texts
from tests.pages.opened import App, open_app, own_queue, own_store, set_environment

FORM = ("score_model", "score_topic", "score_templates", "score_evidence")
CHOSEN: dict[str, Any] = {
    "model": ["mini-gpt"],
    "topic": "religion",
    "templates": "people-wikipedia",
    "evidence": "occupations-bvf",
}


def form(app: App) -> list[Any]:
    return [app.session_state[key] for key in FORM]


def test_the_form_begins_with_the_selection_of_the_sidebar() -> None:
    app = open_app("run_an_audit", **CHOSEN)
    assert form(app) == list(CHOSEN.values())
    assert not set(FORM) & set(app.query_params)


def test_a_link_to_the_form_goes_before_the_selection() -> None:
    app = open_app("run_an_audit", **CHOSEN, score_topic="race", score_model=["mini-bert"])
    assert form(app) == [["mini-bert"], "race", "race-relative", "occupations-bvf"]


def test_what_the_form_cannot_score_is_left_out() -> None:
    """A model without weights here, a topic of finished runs alone, a set that is gone."""
    app = open_app("run_an_audit", model=["org/other", "mini-gpt"], topic="pets@1234abcd", templates="gone")
    assert form(app) == [["mini-gpt"], "gender", "gender-wikipedia-100", "occupations-bvf"]


def test_what_the_form_cannot_run_is_named() -> None:
    app = open_app("run_an_audit", model=["org/other", "mini-gpt"], topic="pets@1234abcd", templates="gone")
    assert "not available for a new run: org/other, pets@1234abcd and gone." in app.captions
    assert "not available" not in open_app("run_an_audit", **CHOSEN).captions


def test_the_form_survives_leaving_the_page() -> None:
    """Also where something else is chosen in the sidebar meanwhile."""
    app = open_app("run_an_audit", **CHOSEN)
    app.multiselect(key="score_model").set_value(["mini-bert"]).run()
    app.selectbox(key="score_topic").set_value("gender").run()
    app.selectbox(key="score_templates").set_value("gender-fiction").run()
    app.toggle(key="score_heaviest").set_value(True).run()
    chosen = [["mini-bert"], "gender", "gender-fiction", "occupations-bvf"]
    assert form(app) == chosen
    app.go_to("topics").selectbox(key="topic").set_value("age").run()
    app.go_to("run_an_audit")
    assert form(app) == chosen
    assert app.toggle(key="score_heaviest").value


def test_occupations_are_typed_where_they_are_chosen() -> None:
    app = open_app("run_an_audit", model=["mini-gpt"])
    app.text_area(key="typed_upload_evidence_0").set_value("astronaut\nnurse").run()
    assert "It has 2 entries" in app.texts
    assert app.press("keep_evidence").selectbox(key="score_evidence").value == "my-list"
    assert form(app)[1:3] == ["gender", "gender-nineteen"]


def test_a_topic_and_sentences_are_typed_where_they_are_chosen() -> None:
    """The new topic takes the sentences that it usually has; those typed then stay with it."""
    app = open_app("run_an_audit", model=["mini-gpt"])
    app.text_area(key="typed_upload_topics_0").set_value("he, man, king\nshe, woman, queen").run()
    topic = app.press("keep_topics").selectbox(key="score_topic").value
    assert topic == "my-topic"
    app.text_area(key="new_set_lines").set_value("The [X] said that [Y]").run()
    app.text_input(key="new_set_name").set_value("one-sentence").run()
    app.press("save_new_set")
    assert form(app)[1:3] == [topic, "one-sentence"]
    assert not app.error


def test_a_new_topic_keeps_the_sentences_that_suit_it() -> None:
    app = open_app("run_an_audit", model=["mini-gpt"])
    app.selectbox(key="score_templates").set_value("gender-fiction").run()
    app.selectbox(key="score_topic").set_value("gender-pronouns").run()
    assert form(app)[1:3] == ["gender-pronouns", "gender-fiction"]
    assert "does not suit" not in app.captions


def test_a_new_topic_says_which_sentences_do_not_suit_it_and_offers_them() -> None:
    """What nobody chose, the usual set of the old topic, is replaced without a word."""
    app = open_app("run_an_audit", model=["mini-gpt"])
    app.selectbox(key="score_templates").set_value("gender-fiction").run()
    app.selectbox(key="score_topic").set_value("religion").run()
    titles, usual = set_titles(), usual_lists(load_topic("religion")).templates
    assert form(app)[1:3] == ["religion", usual]
    said = f"{titles('gender-fiction')} does not suit Religion, so {titles(usual)} is selected."
    assert said in app.captions.replace("*", "")
    assert titles("gender-fiction") in app.selectbox(key="score_templates").options
    app.selectbox(key="score_topic").set_value("age").run()
    assert "does not suit" not in app.captions


def test_a_long_request_asks_first_and_offers_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.app.run.costs.LONG_SECONDS", 0.0)
    app = open_app("run_an_audit", score_model=["mini-gpt"], score_templates="gender-fiction")
    app.press("score_button")
    queue = own_queue()
    assert not queue.list(10)
    cells = len(template_sets()["gender-fiction"].templates) * 120
    assert f"{cells:,} test sentences, roughly " in app.texts
    short = app.button(key="start_short")
    assert short.label.startswith("First 20 sentences: ")
    app.press("start_none")
    assert not {"start_long", "start_short"} & app.button_keys
    app.press("score_button").press("start_short")
    assert [job.total for job in queue.list(10)] == [20 * 120]
    app.press("score_button").press("start_long")
    assert [job.total for job in queue.list(10)] == [cells, 20 * 120]
    assert "start_long" not in app.button_keys


def test_a_question_is_about_one_request_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set with no more sentences has no shorter way; a quick request is queued at once."""
    monkeypatch.setattr("pcf_core.app.run.costs.LONG_SECONDS", 0.0)
    app = open_app("run_an_audit", score_model=["mini-gpt"], score_templates="gender-nineteen")
    app.press("score_button")
    assert {"start_long"} == {"start_long", "start_short"} & app.button_keys
    app.multiselect(key="score_model").set_value(["mini-bert"]).run()
    assert "start_long" not in app.button_keys
    monkeypatch.setattr("pcf_core.app.run.costs.LONG_SECONDS", 600.0)
    app.press("score_button")
    assert [job.payload["model"] for job in own_queue().list(10)] == ["mini-bert"]


def test_a_page_of_results_asks_before_a_long_request_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.app.run.costs.LONG_SECONDS", 0.0)
    app = open_app("risk", model=["mini-gpt"]).press("score_missing")
    assert not own_queue().list(10)
    assert "2,280 test sentences, roughly " in app.texts
    app.press("start_long")
    assert [job.total for job in own_queue().list(10)] == [2280]


@pytest.mark.parametrize("topic", [topic.name for topic in list_topics()])
def test_sets_that_suit_the_topic_come_first_and_none_is_left_out(topic: str) -> None:
    listed = fitting_first(load_topic(topic))
    suiting = suiting_sets(load_topic(topic), template_cards())
    assert tuple(listed[: len(suiting)]) == suiting
    assert sorted(listed) == sorted(template_sets())


def test_the_lists_of_both_forms_begin_with_what_suits() -> None:
    app = open_app("run_an_audit", topic="religion")
    for key in ("templates", "score_templates"):
        suiting = list(map(set_titles(), suiting_sets(load_topic("religion"), template_cards())))
        assert app.selectbox(key=key).options[: len(suiting)] == suiting


@pytest.mark.parametrize(("viewers", "started"), [(False, 1), (True, 0)])
def test_a_worker_gets_ready_for_who_may_ask_once_a_session(
    monkeypatch: pytest.MonkeyPatch, viewers: bool, started: int
) -> None:
    """Where none can be started the page says nothing of it."""
    given_settings: list[Settings] = []

    def ensure_worker(given: Settings) -> bool:
        given_settings.append(given)
        raise StoreError("The cache cannot be written.")

    monkeypatch.setattr("pcf_core.app.queue.ensure_worker", ensure_worker)
    monkeypatch.setenv("PCF_START_WORKER", "1")
    monkeypatch.setenv("PCF_READ_ONLY", "1" if viewers else "0")
    settings.cache_clear()
    app = open_app("run_an_audit", **CHOSEN)
    app.run()
    assert len(given_settings) == started
    assert not app.error


def test_the_heaviest_are_the_largest_counts_and_know_their_share() -> None:
    whole, few = template_sets()["people-wikipedia"], heaviest_of("people-wikipedia", 20)
    counts = sorted(whole.counts, reverse=True)
    assert sorted(few.counts, reverse=True) == counts[:20]
    assert few.kept == pytest.approx(whole.kept * sum(counts[:20]) / sum(counts))
    assert len(heaviest_of("gender-nineteen", 40).templates) == 19


def test_a_waiting_job_says_what_goes_first() -> None:
    """A typed sentence goes ahead of all runs, and a run that is under way is not interrupted."""
    app = open_app("run_an_audit", score_model=["mini-gpt", "mini-t5"], score_templates="gender-nineteen")
    app.press("score_button")
    queue = own_queue()
    second, first = queue.list(10, kind="score")
    left = "0 of 2,280 test sentences"
    assert progress_text(first) == f"No worker is running: {BY_HAND} · {left}"
    assert progress_text(second) == f"Waiting for another request (**Mini GPT** · Gender) · {left}"
    submit_words(queue, "mini-gpt", load_topic("gender"), "The nurse said that [Y]")
    assert progress_text(first) == f"Waiting for another request (a typed sentence) · {left}"
    assert progress_text(second) == f"Waiting for another request (a typed sentence and 1 more) · {left}"
    queue.claim("somebody")
    assert progress_text(second) == f"Waiting for another request (a typed sentence and 1 more) · {left}"
    queue.claim("somebody")
    assert "and 1 more" in progress_text(second)


def test_a_job_says_that_its_model_starts_and_how_long_that_took_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also while a worker is being started for it, which is nothing to wait for."""
    open_app("run_an_audit", score_model=["mini-gpt"], score_templates="gender-nineteen").press(
        "score_button"
    )
    queue = own_queue()
    (job,) = queue.list(10, kind="score")
    set_environment(monkeypatch, START_WORKER="1")
    assert progress_text(job).startswith(
        "Starting the model (about 10 seconds, minutes if it is large) · 0 of"
    )
    queue.claim("somebody")
    queue.note(job.id, Progress(stage="loading", seconds_left=42.0).model_dump())
    assert progress_text(queue.get(job.id)) == "Starting the model (about 42 s)"


def test_a_typed_name_and_enter_take_one_model() -> None:
    """Streamlit's "Select 5 matches" would stand first in the list."""
    app = open_app("run_an_audit")
    fields = [app.multiselect(key="score_model"), app.sidebar.multiselect(key="model")]
    assert [field.proto.select_all for field in fields] == [0, 0]


def test_an_endpoint_is_sampled_and_its_result_opened(
    small_topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """30 test sentences with 4 answers each: the costs, the job, its result on Risk with the raw figures."""
    with serving_texts() as server:
        point_at(server, monkeypatch)
        server.says = lambda prompt, seed: f" {seed}" if "random" in prompt else (" she", " he")[seed % 2]
        lists = {"topic": "first", "templates": "ten", "evidence": "few"}
        chosen = {f"score_{name}": value for name, value in lists.items()}
        app = open_app("run_an_audit", **chosen, score_model=["endpoint:tiny"], score_samples="4")
        assert "30 test sentences" in app.texts
        assert "120 texts, 672 tokens read, at most 960 written" in app.texts
        app.press("score_button")
        (job,) = own_queue().list(10)
        assert (job.total, job.payload["model"]) == (30, "endpoint:tiny (sampled, n = 4)")
        store = own_store()
        done = score_asked(store.load_run(job.payload["run"]), store, open_scorer)
        assert store.is_finished(done.run)
    app = open_app("risk", **lists, model=[done.run.scoring.name])
    assert "endpoint:tiny (sampled, n = 4)" in app.texts
