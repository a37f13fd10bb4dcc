"""Results of topics and sets that have been changed or deleted stay open on the pages, as they were."""

from __future__ import annotations

import pytest

from pcf_core.app.lists import parameters_of
from pcf_core.core.run import RunSpec, version_name
from pcf_core.core.topics import Group
from pcf_core.material.templates import load_mined, load_templates, save_set
from pcf_core.material.topics import delete_topic, make_topic, save_topic
from pcf_core.store.store import Store
from pcf_core.work.requests import submit_run
from tests.conftest import fill
from tests.pages.opened import open_app, own_queue, own_store

PETS = make_topic(
    "pets",
    [Group(name="cats", words=("cat",)), Group(name="dogs", words=("dog",))],
    evidence="sports",
    templates="gender-nineteen",
)
MORE = PETS.model_copy(update={"groups": (Group(name="cats", words=("cat", "kitten")), PETS.groups[1])})
VERSION = f"pets@{PETS.hash[:8]}"


@pytest.fixture
def run() -> RunSpec:
    """A finished run of a topic of the user's own, the newest of the queue."""
    save_topic(PETS)
    store = own_store()
    found = fill(store, "mini-gpt", "gender-nineteen", "sports", "pets")
    queue = own_queue()
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
    return open_app("risk", model=["mini-gpt"], topic=topic, templates="gender-nineteen").texts


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
    assert app.texts == before


def test_results_of_a_deleted_topic_stay(run: RunSpec) -> None:
    before = risk_of("pets")
    delete_topic("pets")
    assert risk_of(VERSION) == before
    app = open_app("risk", model=["mini-gpt"], topic="pets")
    assert "There is no topic named 'pets'" in app.errors


def test_links_name_what_the_run_was_scored_with(run: RunSpec) -> None:
    assert parameters_of(run)["topic"] == "pets"
    assert "topic=pets&" in links("run_an_audit")
    save_topic(MORE, replace=True)
    assert parameters_of(run)["topic"] == VERSION
    assert f"topic={VERSION.replace('@', '%40')}&" in links("run_an_audit")


def own_set(name: str, power: int) -> None:
    """Save the nineteen templates as a set of one's own, with counts that grow as a power."""
    shipped = load_mined("gender-nineteen")
    counted = tuple(
        template.model_copy(update={"count": (1.0 + at) ** power, "documents": 0})
        for at, template in enumerate(shipped.templates)
    )
    save_set(shipped.model_copy(update={"name": name, "templates": counted}), replace=True)


def test_the_same_sentences_with_other_counts_are_another_set_and_say_so(full_store: Store) -> None:
    """The result with the shipped counts stays, here and under its key, and both say which is which."""
    usual = open_app("risk", model=["mini-gpt"]).texts
    own_set("mine", 1)
    key = next(info.run.key for info in full_store.runs() if info.run.scoring.model == "mini-gpt")
    note = (
        f"The run {key} stands for the counts of gender-nineteen, not those of mine. The figures here use "
        f"yours; `risk {key} --templates mine` gives the same."
    )
    mine = open_app("risk", model=["mini-gpt"], templates="mine")
    assert mine.texts != usual
    assert note in mine.captions
    assert f"python -m pcf_core risk {key} --templates mine" in "\n".join(
        block.value for block in mine.open_foot().code
    )
    form = open_app("run_an_audit", score_model=["mini-gpt"], score_templates="mine")
    assert f"It keeps them; `risk {key} --templates mine` reads it with yours." in form.captions
    submit_run(
        own_store(),
        own_queue(),
        full_store.load_run(key).model_copy(update={"templates": load_templates("mine")}),
        0,
    )
    again = open_app("risk", model=["mini-gpt"])
    assert again.texts == usual
    assert "stands for the counts" not in again.captions
    report = open_app("report", model=["mini-gpt"], templates="mine")
    warned = report.warnings
    assert "A report gives the figures of its run keys, so these are not the figures on the pages." in warned
    assert not open_app("report", model=["mini-gpt"]).warning


def test_a_link_to_a_result_has_the_counts_of_its_key_after_its_set_was_counted_again() -> None:
    own_set("mine", 1)
    store = own_store()
    run = fill(store, "mini-gpt", "mine")
    before = open_app("risk", **parameters_of(run)).texts
    assert parameters_of(run)["templates"] == "mine"
    own_set("mine", 4)
    stored = parameters_of(store.load_run(run.key))
    assert str(stored["templates"]).startswith("mine@")
    assert stored["templates"] != version_name(run.templates), "which the set has now, too"
    app = open_app("risk", **stored)
    assert app.texts == before
    assert "stands for the counts" not in app.captions
    now = open_app("risk", model=["mini-gpt"], templates="mine")
    assert now.texts != before
    assert (
        "stands for the counts of mine as it was first scored, not those of mine as it is now" in now.captions
    )
