"""Roles: who is an auditor, and what the queue refuses whatever a page has shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.preferences import build_run
from pcf_core.core.errors import ModelError, RightsError
from pcf_core.core.settings import Settings, settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.people import TERMINAL, Person, check_may_ask, role_of
from pcf_core.work.queue import Queue
from pcf_core.work.requests import CheckRequest, submit_question, submit_run, submit_words
from pcf_core.work.worker import Worker
from tests.work import toy

NOBODY = Person()
ANN = Person(address="Ann@Example.org")
BOB = Person(address="bob@elsewhere.net")
UNVERIFIED = Person(address="")


def set_to(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(f"PCF_{name.upper()}", value)
    settings.cache_clear()


@pytest.mark.parametrize(
    ("auditors", "read_only", "expected"),
    [
        ((), False, "A A v v v"),  # one user, who need not log in; who did is named nowhere
        (("ann@example.org",), False, "A v A v v"),
        (("*@example.org",), False, "A v A v v"),
        (("*@elsewhere.net", "ann@example.org"), False, "A v A A v"),
        (("*@ample.org", "n@example.org"), False, "A v v v v"),  # whole addresses and domains alone
        (("*@example.org",), True, "v v v v v"),
        ((), True, "v v v v v"),
    ],
)
def test_who_audits(auditors: tuple[str, ...], read_only: bool, expected: str) -> None:
    given_settings = Settings(auditors=auditors, read_only=read_only)
    roles = [role_of(person, given_settings) for person in (TERMINAL, NOBODY, ANN, BOB, UNVERIFIED)]
    assert roles == ["auditor" if letter == "A" else "viewer" for letter in expected.split()]


@pytest.mark.parametrize(
    "address", ["ann@\u212aorp.org", "ann@o\ufb03ce.org", "korp.org", "@korp.org", "x@evil.com@korp.org", ""]
)
def test_an_address_that_only_looks_like_one_lets_nobody_in(address: str) -> None:
    settings_of_two = Settings(auditors=("*@korp.org", "*@office.org", "ann@korp.org"))
    assert role_of(Person(address=address), settings_of_two) == "viewer"


ADDRESSES = st.from_regex(r"[a-zA-Z.]{1,6}@[a-z]{1,3}(\.[a-z]{1,3})?", fullmatch=True)


@given(ADDRESSES, st.lists(ADDRESSES | ADDRESSES.map(lambda text: "*@" + text.split("@")[1]), max_size=3))
def test_an_entry_lets_in_its_address_or_its_domain_and_nobody_else(
    address: str, auditors: list[str]
) -> None:
    """A second opinion: entries compared one by one."""
    user, domain = address.casefold().split("@")
    expected = any(
        entry.casefold().split("@")[1] == domain and entry.casefold().split("@")[0] in ("*", user)
        for entry in auditors
    )
    found = role_of(Person(address=address), Settings(auditors=tuple(auditors)))
    assert found == ("auditor" if expected else "viewer")


def test_a_viewer_is_told_why(monkeypatch: pytest.MonkeyPatch, toy_settings: Settings) -> None:
    for person, values, says in (
        (BOB, {"auditors": "*@example.org"}, r"bob@elsewhere\.net can see results.*PCF_AUDITORS"),
        (UNVERIFIED, {}, "without a verified e-mail address"),
        (NOBODY, {}, "PCF_AUDITORS may change anything, and nobody can log in"),
        (ANN, {"read_only": "1"}, "only shows results.*PCF_READ_ONLY"),
    ):
        set_to(monkeypatch, **values)
        with pytest.raises(RightsError, match=says):
            check_may_ask(person, settings())


def test_the_queue_refuses_a_viewer_and_keeps_who_asked(
    monkeypatch: pytest.MonkeyPatch, queue: Queue
) -> None:
    set_to(monkeypatch, auditors="ann@example.org")
    job = queue.acting_for(ANN).submit("score", "abc", {}, total=3)
    assert queue.get(job.id).submitter == "ann@example.org"
    for act in (
        lambda viewer: viewer.submit("score", "def", {}),
        lambda viewer: viewer.submit("score", "abc", {}),  # not even join
        lambda viewer: viewer.cancel(job.id),
        lambda viewer: viewer.retry(job.id),
        lambda viewer: viewer.forget("score", keep=0),
        lambda viewer: viewer.forget_result("abc"),
    ):
        with pytest.raises(RightsError, match=r"bob@elsewhere\.net can see results"):
            act(queue.acting_for(BOB))
    assert [(job.key, job.state, job.submitter) for job in queue.list()] == [
        ("abc", "queued", "ann@example.org")
    ]


def test_read_only_binds_the_terminal_too(monkeypatch: pytest.MonkeyPatch, queue: Queue) -> None:
    set_to(monkeypatch, read_only="1")
    with pytest.raises(RightsError, match="PCF_READ_ONLY"):
        queue.submit("score", "abc", {})


def test_a_person_has_so_many_jobs_at_once_and_questions_beside_them(
    monkeypatch: pytest.MonkeyPatch, queue: Queue
) -> None:
    set_to(monkeypatch, auditors="*@example.org,*@elsewhere.net", most_queued="2")
    ann, bob = queue.acting_for(ANN), queue.acting_for(BOB)
    first, _ = ann.submit("score", "1", {}), ann.submit("score", "2", {})
    with pytest.raises(RightsError, match=r"You have 2 jobs.* the limit here is 2 \(PCF_MOST_QUEUED\)"):
        ann.submit("score", "3", {})
    assert ann.submit("score", "1", {}).id == first.id, "joining is no further job"
    ann.submit("words", "asked", {}, priority=2)
    bob.submit("score", "3", {})
    ann.cancel(first.id)
    ann.submit("score", "4", {})
    with pytest.raises(RightsError, match="PCF_MOST_QUEUED"):
        ann.retry(first.id)
    assert bob.retry(first.id).submitter == "bob@elsewhere.net"


def test_a_job_has_so_many_cells_and_models_of_the_list(
    monkeypatch: pytest.MonkeyPatch, queue: Queue
) -> None:
    set_to(monkeypatch, most_cells="100", allowed_models="mini-*")
    queue.submit("score", "a", {}, models=["mini-gpt"], cells=100)
    with pytest.raises(RightsError, match=r"has 101 test sentences.* is 100 \(PCF_MOST_CELLS\)"):
        queue.submit("score", "b", {}, models=["mini-gpt"], cells=101)
    with pytest.raises(
        ModelError, match=r"org/large may not be used here: choose one that is allowed \(mini-"
    ):
        queue.submit("score", "c", {}, models=["mini-gpt", "org/large"], cells=1)
    assert [job.key for job in queue.list()] == ["a"]


def test_a_question_has_so_many_texts(monkeypatch: pytest.MonkeyPatch, queue: Queue) -> None:
    set_to(monkeypatch, most_cells="2")

    def question(texts: int) -> CheckRequest:
        asked = tuple(f"The nurse {number} is [Y]" for number in range(texts))
        return CheckRequest(model="toy", topic=toy.TOPIC, texts=asked, dtype="float32", scoring="")

    submit_question(queue, question(2))
    with pytest.raises(RightsError, match=r"has 3 test sentences or texts.* is 2 \(PCF_MOST_CELLS\)"):
        submit_question(queue, question(3))


@pytest.mark.parametrize(
    ("changed", "states", "says"),
    [
        ({}, ["done", "done"], ""),
        ({"auditors": ()}, ["done", "done"], ""),  # a worker that was started without the app's settings
        ({"auditors": ("bob@elsewhere.net",)}, ["failed", "done"], "ann@example.org can see results"),
        ({"read_only": True}, ["failed", "failed"], "only shows results (PCF_READ_ONLY)"),
    ],
)
def test_a_worker_asks_for_the_role_again(
    toy_settings: Settings, store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, Any], states: list[str], says: str,
) -> None:  # fmt: skip
    """The operator may have changed the roles since a job was queued."""
    set_to(monkeypatch, auditors="ann@example.org")
    jobs = [
        submit_words(asking, "toy", toy.TOPIC, text)
        for asking, text in ((queue.acting_for(ANN), "She is [Y]"), (queue, "They are [Y]"))
    ]
    now = settings().model_copy(update=changed)
    Worker(store, queue, now, toy.open_toy).run(until_idle=True)
    found = [queue.get(job.id) for job in jobs]
    assert [job.state for job in found] == states
    assert says in str(found[0].error)


def test_what_is_taken_up_again_is_checked_again(monkeypatch: pytest.MonkeyPatch, queue: Queue) -> None:
    """The operator may have set other limits since, and who retries is not always who asked."""
    large, other = (
        queue.submit("score", key, {}, models=[model], cells=cells)
        for key, model, cells in (("a", "mini-gpt", 100), ("b", "org/large", 1))
    )
    for job in (large, other):
        queue.cancel(job.id)
    set_to(monkeypatch, most_cells="99", allowed_models="mini-*")
    with pytest.raises(RightsError, match=r"has 100 test sentences.* is 99 \(PCF_MOST_CELLS\)"):
        queue.retry(large.id)
    with pytest.raises(ModelError, match="org/large may not be used here"):
        queue.retry(other.id)
    assert {queue.get(job.id).state for job in (large, other)} == {"cancelled"}
    set_to(monkeypatch, most_cells="100")
    assert queue.retry(large.id).state == "queued"


def test_any_auditor_ends_what_another_asked_for(monkeypatch: pytest.MonkeyPatch, queue: Queue) -> None:
    set_to(monkeypatch, auditors="*@example.org,*@elsewhere.net")
    ann, bob = queue.acting_for(ANN), queue.acting_for(BOB)
    first, second = ann.submit("words", "1", {}), ann.submit("words", "2", {})
    assert bob.cancel(first.id).state == "cancelled"
    bob.forget("words", keep=1)
    assert [job.id for job in queue.list()] == [second.id]


def test_what_is_refused_leaves_nothing_in_the_cache(
    monkeypatch: pytest.MonkeyPatch, own_settings: Settings, tmp_path: Path
) -> None:
    """A run is kept where the worker finds it, but only once the queue would take it."""
    topic = load_topic("gender")
    run = build_run(
        resolve("mini-bert"), topic, load_evidence(topic.evidence), load_templates("gender-nineteen")
    )
    set_to(monkeypatch, read_only="1")
    store = Store.open(tmp_path / "cache")
    with pytest.raises(RightsError):
        submit_run(store, Queue.open(settings().catalogue), run, 1)
    assert store.runs() == ()
