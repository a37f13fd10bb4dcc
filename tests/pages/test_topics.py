"""The page Topics: seen, written, brought in, taken out, copied, deleted, looked over by the models."""

from __future__ import annotations

import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.app.lists import ANSWERED_BY
from pcf_core.app.topics.draft import CALLED
from pcf_core.app.topics.edit import EXAMPLES
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.evidence import OWN as LISTS
from pcf_core.material.suiting import template_cards
from pcf_core.material.topics import (
    delete_topic,
    list_topics,
    load_topic,
    load_topic_upload,
    make_topic,
    save_topic,
)
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.requests import CHECK
from pcf_core.work.worker import Worker
from tests.pages.opened import App, open_app, own_queue, own_store
from tests.pages.walks import assert_walk
from tests.quick import quick

SHIPPED = [topic.name for topic in list_topics()]


def write_group(app: App, number: int, words: str) -> App:
    return app.field(f"Words of group {number}, one a line").set_value(words).run()


def view(app: App, name: str) -> App:
    return app.segmented_control(key="topic_view").set_value(CALLED[name]).run()


def own_view(name: str) -> App:
    return open_app("topics", topic_shown="own-topic", topic_view=name)


@pytest.mark.parametrize("name", ANSWERED_BY)
def test_a_topic_without_an_answer_links_to_the_one_that_answers(name: str) -> None:
    other, reason = ANSWERED_BY[name]
    app = open_app("topics", topic=name, topic_shown=name)
    assert any(reason in caption.value for caption in app.sidebar.caption)
    assert app.press("answering_topic").sidebar.selectbox(key="topic").value == other
    assert "answering_topic" not in app.button_keys
    assert app.press("answering_topic_shown").selectbox(key="topic_shown").value == other
    form = open_app("run_an_audit", score_topic=name).press("answering_score_topic")
    assert form.selectbox(key="score_topic").value == other


def test_the_sidebar_says_which_topic_has_results(full_store: Store) -> None:
    for topic, mark in (("gender", "2 models"), ("age", "not run yet")):
        captions = [caption.value for caption in open_app("topics", topic=topic).sidebar.caption]
        assert f"Results on this topic: {mark}" in captions


@pytest.mark.parametrize("name", quick(SHIPPED, ("race", "gender-zh").__contains__))
def test_every_shipped_topic_is_shown(name: str) -> None:
    app = open_app("topics", topic_shown=name)
    assert not app.error
    assert len(app.dataframe[0].value) == len(load_topic(name).people)
    assert "delete_topic" not in app.button_keys
    assert "Left out" not in app.said or load_topic(name).left_out


def test_other_pages_and_the_sidebar_offer_an_own_topic(own_topic: Topic) -> None:
    assert "Own" in own_view("see").sidebar.selectbox(key="topic").options
    score = open_app("run_an_audit", topic="own-topic")
    assert not score.error
    assert "Own" in [option for box in score.selectbox for option in box.options]
    delete_topic("own-topic")
    assert "no topic named 'own-topic'" in open_app("risk", topic="own-topic").errors


def test_files_of_words_are_a_topic() -> None:
    app = open_app("topics", topic_view="new")
    files = [("male.txt", b"he\nhis\n", "text/plain"), ("female.txt", b"she\n", "text/plain")]
    app.file_uploader(key="upload_topics").set_value(files).run()
    app.press("keep_topics")
    assert load_topic("male-female").words == ("he", "his", "she")


@pytest.mark.slow
def test_what_is_written_survives_other_pages(own_topic: Topic) -> None:
    app = write_group(own_view("edit"), 1, "king")
    for page in ("models", "topics"):
        app.switch_page(f"pages/{page}.py").run()
    app.selectbox(key="topic_shown").set_value("own-topic").run()
    view(app, "see")
    assert "Changes are not saved." in app.said
    assert "he, his" in list(app.table[0].value["words"])
    view(app, "edit")
    assert app.field("Words of group 1, one a line").value == "king"


@pytest.mark.parametrize(("what", "example"), EXAMPLES.items())
def test_the_examples_of_files_are_read(what: str, example: str) -> None:
    form = what.strip("*").partition("**")[0]
    files = (
        {"male.txt": example, "female.txt": "she"}
        if form == "Text files"
        else {f"own.{'txt' if form == 'Text' else form.lower()}": example}
    )
    topic = load_topic_upload([(name, text.encode()) for name, text in files.items()])
    assert set(topic.words) >= ({"white", "african"} if "list" in what else {"he", "man", "she"})


def test_a_topic_that_a_shipped_one_hides_is_named(own_topic: Topic, own_settings: Settings) -> None:
    path = own_settings.cache / "topics" / "own-topic.toml"
    hidden = path.rename(path.with_name("gender.toml"))
    app = open_app("topics")
    (warning,) = app.warning
    assert f"rename its file {hidden}" in warning.value.replace("\\", "")


def test_a_list_of_ones_own_is_offered_by_the_sidebar_and_forms() -> None:
    assert open_app("topics", topic_view="lists").selectbox(key="list_shown").value == "occupations-bvf"
    LISTS.save(LISTS.read_upload([("my-sports.csv", b"term,weight\n*chess* player,3\nswimmer,0.5\n")]))
    app = open_app("topics", topic_view="lists", list_shown="my-sports")
    assert list(app.dataframe[0].value["weight"]) == [3.0, 0.5]
    assert app.sidebar.selectbox(key="evidence").options[-1] == "my-sports"
    assert "my-sports" in [option for box in open_app("run_an_audit").selectbox for option in box.options]
    risk = open_app("risk", evidence="my-sports")
    assert not risk.error
    assert risk.sidebar.selectbox(key="evidence").value == "my-sports"
    assert "my-sports" not in app.press("delete_list").sidebar.selectbox(key="evidence").options


# ------------------------------------------------------------------------------- preview and check


def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
    """he is 0.2, all else 0.01; Mini GPT knows no ``she`` and takes he and his for one word."""
    gpt = spec.name == "mini-gpt"
    return FakeScorer(
        lambda prompt, word: 0.2 if word == "he" else 0.01,
        key=ScoringKey.of(spec, protocol),
        tokens={"his": 2},
        refused={"she": "unk"} if gpt else {},
        same=[("he", "his")] if gpt else [],
    )


@pytest.fixture
def worker(own_settings: Settings) -> Worker:
    return Worker(own_store(), own_queue(), own_settings, open_fake)


def test_the_chosen_models_look_the_words_over(own_topic: Topic, worker: Worker) -> None:
    app = own_view("check")
    assert "No worker is running" in app.infos
    assert_walk(app, "words of a topic are looked over", ("do", lambda: worker.run(until_idle=True)))
    words, probes = app.dataframe[0].value, app.dataframe[1].value
    refused = words[(words["model"] == "Mini GPT") & (words["word"] == "she")].iloc[0]
    assert (refused["cannot be written"], refused["left out by single-token"]) == ("unk", "unk")
    assert len(words) == 2 * 4
    assert len(probes) == 2 * 10
    app.run()
    assert len(worker.queue.list(kind=CHECK)) == 2


def test_the_check_is_of_what_is_written(own_topic: Topic, worker: Worker) -> None:
    app = open_app("topics", topic_shown="own-topic", topic_view="edit", model=["mini-bert"])
    write_group(app, 1, "king\nkings")
    view(app, "check")
    assert "king = kings" in app.infos
    worker.run(until_idle=True)
    assert set(view(app, "check").dataframe[0].value["word"]) == {"king", "kings", "she", "*b*"}


def test_a_topic_without_usual_lists_begins_with_texts_that_suit_it() -> None:
    words = [Group(name="one", words=("rich",)), Group(name="two", words=("poor",))]
    save_topic(make_topic("money", words, position="predicate"))
    app = open_app("risk", topic="money")
    cards = template_cards()
    assert cards[app.selectbox(key="templates").value].form == "attributive"
    assert app.selectbox(key="evidence").value == "occupations-bvf"
    score = open_app("run_an_audit", score_topic="money")
    assert cards[score.selectbox(key="score_templates").value].form == "attributive"
    assert score.selectbox(key="score_evidence").value == "occupations-bvf"
