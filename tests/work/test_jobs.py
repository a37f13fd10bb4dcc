"""What holds for every kind of job, and that a new kind is a request and one handler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pcf_core.audit.knowledge import knowledge_audit_of
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import result_name
from pcf_core.core.errors import ScoringError, StoreError
from pcf_core.core.generation import Decoding
from pcf_core.core.knowledge import Fact
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.material.knowledge import OWN, make_knowledge
from pcf_core.models.generation.base import Generator
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import OWN as OWN_PROMPTS
from pcf_core.texts.fairpair.prompts import Draft
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, benchmark_asked
from pcf_core.work.criteria import CRITERIA_AUDIT, scored_asked, written_asked
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked
from pcf_core.work.jobs import HANDLERS, JobContext, PauseClock, Stopped, job
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import (
    make_check,
    make_probe,
    submit_knowledge,
    submit_question,
    submit_read,
    submit_run,
    submit_words,
)
from pcf_core.work.scoring import score_run
from pcf_core.work.text_audits import TextAudit
from pcf_core.work.worker import Worker
from tests.texts.benchmarks.written_files import winobias_files
from tests.texts.criteria.toy import Toy, ToyMaterial
from tests.texts.fairpair.planted import text_list
from tests.work import toy

# ---------------------------------------------------------------- kinds, and where they are answered

writes = toy.writing(dict.fromkeys(text_list(200, 1), 1 / 200))


class House:
    """A folder with a store, a queue, and workers of the toy."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings.model_copy(update={"cache": folder})
        self.store, self.queue = Store.open(folder), Queue.open(folder / "catalogue.sqlite")

    def serve(self, open_scorer: Any = toy.open_toy, open_generator: Any = writes) -> None:
        Worker(self.store, self.queue, self.settings, open_scorer, open_generator).serve(until_idle=True)

    def halfway(self, act: Callable[[int], object]) -> None:
        """Do something, once, when half of a job is done."""
        real, begun = self.queue.progress, list[int]()

        def progress(job_id: int, done: int, total: int, *rest: Any) -> None:
            real(job_id, done, total, *rest)
            if 2 * done >= total and not begun:
                begun.append(job_id)
                act(job_id)

        self.queue.progress = progress


@dataclass
class Kind:
    """How a kind is asked for, its answer (``None`` until it is complete), and what makes it unanswerable.

    ``loses`` removes what was asked for from the folder, ``said`` is said then.  A kind that does not
    ``pause`` is answered at once; one of no ``model`` opens none.
    """

    name: str
    ask: Callable[[House], Job]
    answer: Callable[[House], Any]
    loses: Callable[[House], object] | None = None
    said: str = ""
    pauses: bool = True
    model: bool = True


RUN = toy.run_of()
NURSE = "The nurse said that [Y]"
HERE = toy.spec_of().model_copy(update={"path": "here"})
KNOWLEDGE = make_knowledge(
    "numbers",
    ["The [X] comes before the [Y]", "Behind the [X] stands the [Y]"],
    [Fact(subject=str(n), right=(str(n + 1),), wrong=(str(n + 2),)) for n in range(6)],
)
SCORED_BY = ScoringKey.of(toy.WRITER)


def result_of_run(house: House, protocol: str) -> Any:
    name = result_name(RUN, protocol)
    if not house.store.has_result(RUN.key, name):
        return None
    return house.store.gather(RUN.scoring, RUN.prompts, toy.WORDS).tolist()


def ask_to_read(house: House) -> Job:
    if not house.store.runs():
        score_run(RUN, house.store, toy.open_toy)
    return submit_read(house.store, house.queue, RUN, "preferences", ViewOptions(protocol="single-token"))


def ask_of_knowledge(house: House) -> Job:
    OWN.save(KNOWLEDGE, replace=True)
    return submit_knowledge(house.store, house.queue, KNOWLEDGE, SCORED_BY)


def known(house: House) -> Any:
    if knowledge_audit_of(house.store, SCORED_BY, KNOWLEDGE) is None:
        return None
    return [house.store.gather(SCORED_BY, [prompt], KNOWLEDGE.facts[place // 2].right).tolist()
            for place, prompt in enumerate(KNOWLEDGE.prompts)]  # fmt: skip


def lose_run(house: House) -> None:
    (house.folder / "runs" / f"{RUN.key}.json").unlink()


def asked_at_once(name: str, ask: Callable[[House], Job]) -> Kind:
    return Kind(name, ask, lambda house: house.queue.list(kind=name)[0].result, pauses=False)


KINDS = [
    Kind(
        "score",
        lambda house: submit_run(house.store, house.queue, RUN),
        partial(result_of_run, protocol="exact"),
        lose_run,
        "There is no run with the key",
    ),
    Kind(
        "read",
        ask_to_read,
        partial(result_of_run, protocol="single-token"),
        lose_run,
        "There is no run with the key",
        model=False,
    ),
    Kind("knowledge", ask_of_knowledge, known, lambda house: OWN.delete("numbers"), "neither a shipped"),
    asked_at_once("words", lambda house: submit_words(house.queue, "toy", toy.TOPIC, NURSE)),
    asked_at_once(
        "probe", lambda house: submit_question(house.queue, make_probe(HERE, toy.TOPIC, NURSE, "exact"))
    ),
    asked_at_once("check", lambda house: submit_question(house.queue, make_check(HERE, toy.TOPIC, (NURSE,)))),
]


@dataclass
class Audit:
    """A text audit with a request, its material, and others that were not asked for, with what is said."""

    name: str
    audit: TextAudit[Any, Any, Any]
    request: Any
    material: Any
    others: dict[str, Any]

    @property
    def kind(self) -> Kind:
        return Kind(self.name, self.ask, self.answer, self._lose, "again")

    def ask(self, house: House) -> Job:
        return self.audit.submit(house.store, house.queue, self.request, self.material)

    def answer(self, house: House) -> Any:
        result = self.audit.load(house.store, self.request.hash)
        return result and result.model_copy(update={"provenance": {}})

    def _lose(self, house: House) -> None:
        for path in (house.folder / "results" / self.request.hash).iterdir():
            path.unlink()


PROMPTS = OWN_PROMPTS.make(
    {"name": "few", "prompts": [Draft("{name} is a nurse."), Draft("{name} likes soup.")], "title": "Few"}
)
TABLE = load_table("gender")


def audits(folder: Path) -> dict[str, Audit]:
    coreference = load_material("winobias", winobias_files(folder))
    fewer = coreference.model_copy(update={"sentences": coreference.sentences[:1]})
    experiment, others = Toy(), {"material": Toy(ToyMaterial(professions=("nurse",)))}
    written = written_asked(experiment, toy.WRITING, "instruction", 30)
    scored = scored_asked(experiment, SCORED_BY)
    options = FairPairOptions(count=10, dissimilarities=("jaccard",))
    pairs = fairpair_asked(toy.WRITING, PROMPTS, TABLE, options)
    found = [
        Audit(
            "fairpair",
            FAIRPAIR_AUDIT,
            pairs,
            FairPairMaterial(PROMPTS, TABLE),
            {
                "prompts": FairPairMaterial(PROMPTS.model_copy(update={"title": "Others"}), TABLE),
                "table": FairPairMaterial(PROMPTS, load_table("age")),
            },
        ),
        Audit("criteria written", CRITERIA_AUDIT, written, experiment, others),
        Audit("criteria scored", CRITERIA_AUDIT, scored, experiment, others),
        Audit("benchmark", BENCHMARK_AUDIT, benchmark_asked(coreference, SCORED_BY), coreference,
              {"material": fewer}),
    ]  # fmt: skip
    return {one.name: one for one in found}


AUDITS = ["fairpair", "criteria written", "criteria scored", "benchmark"]
PAUSING = ["score", "read", "knowledge", *AUDITS]
AT_ONCE = ["words", "probe", "check"]
OPENING = [name for name in (*PAUSING, *AT_ONCE) if name != "read"]


@pytest.fixture
def house(toy_writers: None, toy_settings: Settings, every_cell: None, slow_model: None,
          monkeypatch: pytest.MonkeyPatch) -> House:  # fmt: skip
    """Every part is small, and told and saved at once."""
    monkeypatch.setattr("pcf_core.work.scoring.REPORT_SECONDS", 0.0)
    monkeypatch.setattr("pcf_core.audit.preferences.PROMPTS_AT_ONCE", 8)
    monkeypatch.setattr("pcf_core.work.benchmarks.BLOCK", 1)
    monkeypatch.setattr(
        "pcf_core.work.criteria.restore_experiment", lambda name, body: Toy(ToyMaterial.model_validate(body))
    )
    return House(toy_settings.cache, toy_settings)


@pytest.fixture
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    others = audits(tmp_path)
    return next((one for one in KINDS if one.name == request.param), None) or others[request.param].kind


@pytest.fixture
def audit(request: pytest.FixtureRequest, tmp_path: Path) -> Audit:
    return audits(tmp_path)[request.param]


def every(names: list[str], of: str = "kind") -> Any:
    return pytest.mark.parametrize(of, names, indirect=True)


# ------------------------------------------------------------------------------- what holds for all


@every([*PAUSING, *AT_ONCE])
def test_what_is_asked_for_twice_is_one_job_and_what_is_there_opens_no_model(
    house: House, kind: Kind
) -> None:
    asked = kind.ask(house)
    assert (kind.ask(house).id, kind.answer(house)) == (asked.id, None)
    house.serve()
    done = house.queue.get(asked.id)
    assert (done.state, done.error, done.done) == ("done", None, asked.total)
    answer = kind.answer(house)
    assert answer is not None
    if kind.pauses:
        again = kind.ask(house)
        house.serve(toy.unopenable, toy.unopenable)
        assert (house.queue.get(again.id).state, kind.answer(house)) == ("done", answer)


class Panic(BaseException):
    """As pyo3 raises it where Rust panics: it is no ``Exception``."""


@every(PAUSING)
@pytest.mark.parametrize("end", ["cancelled", "killed"])
def test_what_ends_halfway_goes_on_and_comes_to_the_same(
    house: House, kind: Kind, end: str, tmp_path: Path
) -> None:
    undisturbed = House(tmp_path / "undisturbed", house.settings)
    kind.ask(undisturbed)
    undisturbed.serve()
    asked = kind.ask(house)

    def panic(job_id: int) -> None:
        raise Panic

    if end == "cancelled":
        house.halfway(house.queue.cancel)
        house.serve()
        assert house.queue.get(asked.id).state == "cancelled"
        again = kind.ask(house)
        assert again.total < asked.total or kind.name == "read", "what was done is not asked for again"
    else:
        house.halfway(panic)
        with pytest.raises(Panic):
            house.serve()
        again = kind.ask(house)
        assert (again.id, again.state) == (asked.id, "queued")
    assert kind.answer(house) is None
    house.serve()
    done = house.queue.get(again.id)
    assert (done.state, done.done) == ("done", done.total)
    assert kind.answer(house) == kind.answer(undisturbed) is not None


@every(PAUSING)
def test_a_sentence_is_answered_between_two_pauses(house: House, kind: Kind) -> None:
    asked = kind.ask(house)
    small: list[Job] = []
    house.halfway(lambda job_id: small.append(submit_words(house.queue, "toy", toy.TOPIC, "They are [Y]")))
    ended: list[int] = []
    real = house.queue.finish

    def finish(job_id: int, *rest: Any) -> None:
        ended.append(job_id)
        real(job_id, *rest)

    house.queue.finish = finish
    house.serve()
    assert ended == [small[0].id, asked.id]


@every(PAUSING)
def test_a_request_that_is_gone_is_told_in_a_sentence(house: House, kind: Kind) -> None:
    asked = kind.ask(house)
    assert kind.loses is not None
    kind.loses(house)
    house.serve()
    failed = house.queue.get(asked.id)
    assert (failed.state, kind.said in str(failed.error)) == ("failed", True)
    assert str(failed.error).endswith((".", "?"))


def of_other_weights(spec: ModelSpec) -> ModelSpec:
    return spec.model_copy(update={"identity": "others"})


@every([name for name in OPENING if name != "words"])
def test_a_model_that_has_changed_since_is_refused(house: House, kind: Kind) -> None:
    asked = kind.ask(house)
    house.serve(
        lambda spec, protocol: toy.open_toy(of_other_weights(spec), protocol),
        lambda spec, decoding: writes(of_other_weights(spec), decoding),
    )
    failed = house.queue.get(asked.id)
    assert (failed.state, "changed" in str(failed.error)) == ("failed", True)
    assert kind.answer(house) is None


@every(OPENING)
def test_a_model_that_fails_is_one_sentence_and_a_retry_answers(
    house: House, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any) -> Any:
        raise ScoringError("The model toy gave NaN.")

    def open_scorer(spec: ModelSpec, protocol: str) -> Scorer:
        scorer: Scorer = toy.open_toy(spec, protocol)
        monkeypatch.setattr(scorer, "_score_batches", fails)
        return scorer

    def open_generator(spec: ModelSpec, decoding: Decoding) -> Generator:
        generator = writes(spec, decoding)
        monkeypatch.setattr(generator, "write", fails)
        return generator

    asked = kind.ask(house)
    house.serve(open_scorer, open_generator)
    failed = house.queue.get(asked.id)
    assert (failed.state, failed.error) == ("failed", "The model toy gave NaN.")
    house.queue.retry(asked.id)
    house.serve()
    assert house.queue.get(asked.id).state == "done"


# ------------------------------------------------------------------------------- requests of texts


@every(AUDITS, "audit")
def test_only_what_was_asked_for_is_stored_and_a_request_that_is_gone_is_none(
    house: House, audit: Audit
) -> None:
    for named, material in audit.others.items():
        with pytest.raises(ValueError, match=f"not the .*{named}"):
            audit.audit.keep(house.store, audit.request, material)
    with pytest.raises(StoreError, match="again"):
        audit.audit.load_asked(house.store, audit.request.hash)
    assert (audit.answer(house), audit.audit.kept(house.store)) == (None, ())


@every(AUDITS, "audit")
def test_a_result_of_another_form_is_made_again_and_one_of_older_rules_passed_over(
    house: House, audit: Audit
) -> None:
    which, key = audit.audit, audit.request.hash
    asked = audit.ask(house)
    assert len(str(asked.payload)) < 1000, "every open page reads the queue each second"
    house.serve()
    answer, names = audit.answer(house), (which.asked_name, which.kind)
    assert house.queue.get(asked.id).result["asked"] == key
    assert (which.kept(house.store), which.load_asked(house.store, key)) == ((audit.request,), audit.request)
    for name in names:  # as if the hash were made otherwise then
        house.store.save_document("0" * 16, name, house.store.load_document(key, name))
    assert (which.kept(house.store), which.load(house.store, "0" * 16)) == ((audit.request,), None)
    house.store.save_document(key, which.kind, {"of": "another version"})
    assert audit.answer(house) is None
    audit.ask(house)
    house.serve(toy.unopenable, toy.unopenable)
    assert audit.answer(house) == answer


# ----------------------------------------------------------------------------------- a kind of one's own


class CountRequest(Record):
    """Count to a number."""

    to: int


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[JobContext, CountRequest], Any]], Any]:
    """Registers a handler of the kind *count*, for one test."""
    monkeypatch.setitem(HANDLERS, "count", lambda context: {})  # taken out again afterwards
    return job("count", CountRequest)


def test_every_kind_that_can_be_asked_for_has_a_handler() -> None:
    here = {name.partition(" ")[0] for name in (*PAUSING, *AT_ONCE)}
    assert HANDLERS.keys() == here | {"embedding", "fetch", "frame", "mine"}  # which have files of their own


def test_a_new_kind_is_one_handler(worker: Worker, queue: Queue, handle: Callable[..., Any]) -> None:
    seen: list[tuple[int, int, Any]] = []

    @handle
    def answer_count(context: JobContext, request: CountRequest) -> dict[str, Any]:
        for number in range(request.to):
            context.pause()
            context.progress(number + 1, request.to, 1.0)
            context.note({"at": number})
            now = queue.get(context.job.id)
            seen.append((now.done, now.total, now.result))
        return {"counted": request.to}

    asked = queue.submit("count", "three", CountRequest(to=3).model_dump(mode="json"), total=3)
    worker.run(until_idle=True)
    assert seen == [(1, 3, {"at": 0}), (2, 3, {"at": 1}), (3, 3, {"at": 2})]
    assert (queue.get(asked.id).state, queue.get(asked.id).result) == ("done", {"counted": 3})


def test_a_cancelled_job_ends_in_its_pause_and_one_that_is_held_waits(
    worker: Worker, queue: Queue, handle: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.work.worker.AGAIN_SECONDS", 0.1)
    tried: list[int] = []

    @handle
    def answer_count(context: JobContext, request: CountRequest) -> dict[str, Any]:
        tried.append(request.to)
        if request.to == 1 and tried.count(1) == 1:
            context.wait_for("another")
        if request.to == 2:
            queue.cancel(context.job.id)
        context.pause()
        return {}

    held, cancelled = (
        queue.submit("count", str(to), CountRequest(to=to).model_dump(mode="json")) for to in (1, 2)
    )
    worker.run(until_idle=True)
    while queue.get(held.id).state == "queued":  # idle, until it is its turn again
        worker.run(until_idle=True)
    assert (queue.get(held.id).state, queue.get(cancelled.id).state) == ("done", "cancelled")
    assert tried.count(1) == 2


def test_what_is_spent_in_pauses_is_known_also_of_the_last_one() -> None:
    def stop() -> None:
        raise Stopped

    clock = PauseClock(stop)
    with pytest.raises(Stopped):
        clock()
    assert clock.seconds > 0
