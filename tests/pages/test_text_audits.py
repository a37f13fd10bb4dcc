"""What FairPair and the criteria share: asked for, watched, written by a worker, and found again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pcf_core.app.criteria import request as criteria_links
from pcf_core.app.fairpair import request as fairpair_links
from pcf_core.app.queue import progress_text
from pcf_core.core.errors import ScoringError
from pcf_core.core.generation import Decoding
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.generation.base import Generator
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA, CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT
from pcf_core.work.jobs import OpenGenerator
from pcf_core.work.worker import Worker
from tests.pages.opened import App, claimed_job, open_app, own_queue, own_store
from tests.texts.criteria.asked import SCORED, WRITTEN, scorer, writer
from tests.texts.fairpair.written import SMALL, fake


@dataclass(frozen=True)
class Tab:
    """A tab of *Written text*: its smallest request, and what the page and the queue call its parts."""

    page: str
    title: str
    kind: str
    audit: Any
    link: Mapping[str, Any]
    texts: int
    figures: int
    write: OpenGenerator
    parameters_of: Callable[[str], dict[str, Any] | None]
    seen: str  # the expander of what was found before
    at_work: str
    notes: Mapping[str, Mapping[str, Any]]  # what a job says by what its worker notes
    button: str
    odd: Mapping[str, Any]  # choices that the page does not begin with
    narrow: Mapping[str, Any]  # a request whose precision can be chosen
    precision: str

    def open(self, **link: Any) -> App:
        return open_app(self.page, **{**self.link, **link})

    def press(self, **link: Any) -> App:
        return self.open(**link).press(f"{self.page}_button")


TABS = (
    Tab(
        page="fairpair",
        title="FairPair",
        kind=FAIRPAIR,
        audit=FAIRPAIR_AUDIT,
        link=SMALL,
        texts=100,
        figures=2,
        write=fake,
        parameters_of=fairpair_links.parameters_of,
        seen=fairpair_links.SEEN,
        at_work="writing and comparing",
        notes={
            "replacing words, 1 of 2 prompts": {"stage": "perturbing", "done": 1, "total": 2},
            "comparing the texts": {"stage": "measuring", "done": 0, "total": 3},
        },
        button="Write and compare",
        odd={"fp_reverse": "true", "fp_seed": "3", "fp_top_p": "0.8"},
        narrow=SMALL,
        precision="fp_precision",
    ),
    Tab(
        page="criteria",
        title="Criteria",
        kind=CRITERIA,
        audit=CRITERIA_AUDIT,
        link={**WRITTEN, "cr_view": "tasks"},
        texts=96,
        figures=4,
        write=writer,
        parameters_of=criteria_links.parameters_of,
        seen=criteria_links.SEEN,
        at_work="collecting answers",
        notes={"analysing the answers": {"stage": "reading"}},
        button="Ask",
        odd={},
        narrow={**SCORED, "cr_view": "tasks"},
        precision="cr_precision",
    ),
)
pytestmark = pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.page)


def work(write: OpenGenerator) -> Store:
    """Let a worker do all that is queued."""
    store = own_store()
    Worker(store, own_queue(), settings(), open_scorer=scorer, open_generator=write).run(until_idle=True)
    return store


@pytest.mark.slow
def test_what_is_asked_for_is_queued_written_and_read(tab: Tab) -> None:
    app = tab.open()
    assert not app.metric
    app.press(f"{tab.page}_button")
    (job,) = own_queue().list(10, kind=tab.kind)
    assert (job.state, job.total) == ("queued", tab.texts)
    assert f"0 of {tab.texts} texts" in progress_text(job)
    work(tab.write)
    assert own_queue().get(job.id).state == "done"
    again = tab.open()
    assert not again.error
    assert len(again.metric) == tab.figures
    assert f"Mini GPT · {tab.title}" in open_app("run_an_audit").texts.replace("*", "")


def test_a_run_under_way_is_watched_cancelled_and_resumed(tab: Tab) -> None:
    tab.press()
    queue = own_queue()
    job = claimed_job()
    queue.progress(job.id, tab.texts - 48, tab.texts, 12.0, "somebody")
    progress = f"{tab.texts - 48} of {tab.texts} texts · 12 a second · 4 s left"
    assert progress_text(queue.get(job.id)) == progress
    app = tab.open()
    assert tab.at_work in app.texts
    assert f"{tab.page}_button" not in app.button_keys
    for progress, note in tab.notes.items():
        queue.note(job.id, dict(note), "somebody")
        assert progress_text(queue.get(job.id)) == progress
    app.press(f"cancel_{job.id}")
    assert queue.cancelled(job.id)
    queue.release("somebody", job.id)
    ways = [button.label for button in tab.open().button if button.label.startswith(("Resume", tab.button))]
    assert ways == ["Resume"]


@pytest.mark.slow
def test_a_run_that_failed_says_why_and_can_be_tried_again(tab: Tab) -> None:
    def broken(spec: ModelSpec, decoding: Decoding) -> Generator:
        raise ScoringError("The model <b>broke</b>: try another.")

    tab.press()
    work(broken)
    app = tab.open()
    assert "The model <b>broke</b>: try another." in app.errors
    assert f"{tab.page}_button" not in app.button_keys, "one way on, not two"
    app.press_label("Retry")
    work(tab.write)
    assert len(tab.open().metric) == tab.figures


@pytest.mark.slow
def test_what_was_found_before_is_opened_by_link_and_by_button(tab: Tab) -> None:
    tab.press(**tab.odd)
    (request,) = tab.audit.kept(work(tab.write))
    link = tab.parameters_of(request.hash) or {}
    assert {name: link[name] for name in tab.odd} == tab.odd
    assert len(open_app(tab.page, **link).metric) == tab.figures
    app = open_app(tab.page)
    assert not app.metric
    assert not [button for button in app.button if button.label == "Open"]
    app.session_state[tab.seen] = True  # as the expander is opened
    app.run()
    app.press(f"{tab.page}_open_{request.hash}")
    assert len(app.metric) == tab.figures
    assert [one.proto.label for one in open_app("run_an_audit").get("page_link")] == [tab.title]
    assert tab.parameters_of("0" * 64) is None


@pytest.mark.slow
def test_another_precision_is_asked_for_and_opened_by_link_and_alone(tab: Tab) -> None:
    """Where nothing is said, what there is is shown, in whatever precision."""
    open_app(tab.page, **tab.narrow, **{tab.precision: "bfloat16"}).press(f"{tab.page}_button")
    (request,) = tab.audit.kept(work(tab.write))
    assert request.key.dtype == "bfloat16"
    link = tab.parameters_of(request.hash) or {}
    assert link[tab.precision] == "bfloat16"
    for app in (open_app(tab.page, **link), open_app(tab.page, **tab.narrow)):
        assert app.metric
        assert "Mini GPT (bfloat16)" in app.texts + "".join(app.figures)
        assert any("--dtype bfloat16" in code.value for code in app.open_foot().code)
    assert not open_app(tab.page, **tab.narrow, **{tab.precision: "float32"}).metric
