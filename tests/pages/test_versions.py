"""Results of topics that have been changed or deleted stay open on the pages."""

from __future__ import annotations

import pytest

from pcf_core.app.lists import parameters_of
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.core.topics import Group
from pcf_core.material.own_topics import delete_topic, save_topic
from pcf_core.material.topics import make_topic
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run
from tests.conftest import fill
from tests.pages.opened import open_app, texts

PETS = make_topic(
    "pets",
    [Group(name="cats", words=("cat",)), Group(name="dogs", words=("dog",))],
    evidence="sports",
    templates="gender-nineteen",
)
MORE = PETS.model_copy(update={"groups": (Group(name="cats", words=("cat", "kitten")), PETS.groups[1])})
VERSION = f"pets@{PETS.hash[:8]}"


@pytest.fixture
def run(own_settings: Settings) -> RunSpec:
    """A finished run of a topic of the user's own, the newest of the queue."""
    save_topic(PETS)
    store = Store.open(own_settings.cache)
    found = fill(store, "mini-gpt", "gender-nineteen", "sports", "pets")
    queue = Queue.open(settings().catalogue)
    job = submit_run(store, queue, found, 0)
    assert queue.claim("me:1:1") is not None
    queue.finish(job.id, {}, "me:1:1")
    return found


def links(page: str) -> str:
    """The query strings of the page's links to Risk."""
    app = open_app(page, model=["mini-gpt"])
    found = [element.proto for element in app.main if element.type == "page_link"]
    return "\n".join(proto.query_string for proto in found if proto.page.endswith("risk"))


def risk_of(topic: str) -> str:
    return texts(open_app("risk", model=["mini-gpt"], topic=topic, templates="gender-nineteen"))


def test_a_changed_topic_has_no_results_and_the_old_ones_have_their_own_name(run: RunSpec) -> None:
    before = risk_of("pets")
    assert "0 of 1" not in before
    assert VERSION not in open_app("risk", model=["mini-gpt"]).selectbox(key="topic").options
    save_topic(MORE, replace=True)
    assert risk_of(VERSION) == before
    app = open_app("risk", model=["mini-gpt"], topic="pets", templates="gender-nineteen")
    assert VERSION in app.selectbox(key="topic").options
    assert "Not scored yet" in "\n".join(
        element.value for element in [*app.info, *app.warning, *app.markdown]
    )
    app.selectbox(key="topic").set_value(VERSION).run()
    assert app.selectbox(key="evidence").value == "sports"
    assert texts(app) == before


def test_results_of_a_deleted_topic_stay(run: RunSpec) -> None:
    before = risk_of("pets")
    delete_topic("pets")
    assert risk_of(VERSION) == before
    app = open_app("risk", model=["mini-gpt"], topic="pets")
    assert "There is no topic named 'pets'" in app.error[0].value.replace("\\", "")


def test_links_name_what_the_run_was_scored_with(run: RunSpec) -> None:
    assert parameters_of(run)["topic"] == "pets"
    assert "topic=pets&" in links("run_an_audit")
    save_topic(MORE, replace=True)
    assert parameters_of(run)["topic"] == VERSION
    assert f"topic={VERSION.replace('@', '%40')}&" in links("run_an_audit")
