"""Requests for work on scores: the payload of each kind of job, and the function that submits it.

The app imports these and no handlers.  Every ``submit`` function raises StoreError if the cache folder is
full or read-only, and RightsError as :meth:`pcf_core.work.queue.Queue.submit`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from pcf_core.audit.knowledge import knowledge_key, missing_answers
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import missing_blocks
from pcf_core.audit.sampling import furthest
from pcf_core.audit.sensitivity import sensitivity_name
from pcf_core.audit.slots import Slot
from pcf_core.core.errors import ModelError, RunError, TemplateError
from pcf_core.core.frame import Frame
from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.core.records import Record, digest
from pcf_core.core.run import ModelSpec, Protocol, RunSpec, ScoringKey
from pcf_core.core.topics import Topic
from pcf_core.material.safety.text import check_sentence
from pcf_core.material.templates import check_new_name
from pcf_core.models.frames import require_chat
from pcf_core.models.hub import require_allowed_code
from pcf_core.models.offers import Offer, require_fetchable
from pcf_core.models.public import gguf_files
from pcf_core.models.scoring.base import GAP, check_protocol, quoted
from pcf_core.store.store import Store
from pcf_core.work.queue import Job, Queue
from pcf_core.work.sampled import missing_sentences

SMALL = 1  # from this priority, jobs are answered between two batches of a run
SMALLEST = 2  # and from this one, also between two parts of a reading


class ScoreRequest(Record):
    """Score the missing cells of a stored run, by its key; the other fields are for people.

    It is small because every open page reads the queue each second.  ``topic`` is a title, the others are
    names; ``model`` includes the precision unless that is float32.  ``within``: the goal of a sampling plan,
    if any.
    """

    run: str
    model: str
    topic: str
    topic_name: str
    templates: str
    evidence: str
    protocol: str
    within: float | None = None


def submit_run(store: Store, queue: Queue, run: RunSpec, missing: int | None = None) -> Job:
    """Store a run and queue it, or join its active job; raise RunError if it was imported.

    ``missing``: the number of missing cells, if already counted.
    """
    if run.scoring.imported:
        raise RunError(
            f"The run {run.key} was imported, so it cannot be run here: add the model itself on the page "
            "'Models', then run an audit of it."
        )
    most = run.cells if run.plan is None else len(run.evidence.terms) * len(run.templates.texts)
    queue.check("score", run.key, models=[run.scoring.model], cells=most)
    if missing is None:
        missing = (
            missing_sentences(store, run)
            if run.scoring.sampled
            else sum(len(block.prompts) for block in missing_blocks(store, run))
        )
    stored = store.as_stored(run)
    others = [
        f"with other {' and '.join(parts)} in {getattr(run, name).name} than the run has"
        for name, parts in run.differing(stored).items()
    ]
    store.ask_for(furthest(store, stored))
    request = ScoreRequest(
        run=run.key,
        model=run.scoring.label,
        topic=run.topic.title,
        topic_name=run.topic.name,
        templates=run.templates.name,
        evidence=run.evidence.name,
        protocol=run.scoring.protocol,
        within=None if run.plan is None else run.plan.within,
    )
    return queue.submit(
        "score",
        run.key,
        request.model_dump(mode="json"),
        total=missing,
        models=[run.scoring.model],
        cells=most,
        remark=", ".join(others),
    )


def delete_run(store: Store, queue: Queue, key: str) -> None:
    """Delete a run and its ended jobs; raise RunError if it is active, or no run of this cache."""
    job = queue.newest("score", key)
    if job is not None and job.state in ("queued", "running"):
        raise RunError(
            f"The run {key} is waiting or running: cancel its job on the page 'Run an audit', then delete it."
        )
    store.delete_run(key)
    queue.forget_result(key)


def delete_texts(store: Store, queue: Queue, key: str) -> None:
    """Delete an imported text audit and its ended jobs; raises as the store does."""
    store.delete_imported_texts(key)
    queue.forget_result(key)


# ------------------------------------------------------------ results of finished runs


Calculation = Literal["preferences", "sensitivity"]


class ReadRequest(Record):
    """Compute a result of a finished run, by its key; ``model`` and ``topic`` are for people.

    ``what``: its ``preferences`` under a protocol, or its ``sensitivity`` to the analyst's choices.
    """

    run: str
    what: Calculation
    options: ViewOptions
    model: str
    topic: str


def submit_read(store: Store, queue: Queue, run: RunSpec, what: Calculation, options: ViewOptions) -> Job:
    """Queue a reading, or join an active one; ``done`` and ``total`` count cells.

    It is answered between two batches of a scoring.  Raises AuditError if the run cannot be read with these
    options.
    """
    request = ReadRequest(
        run=run.key, what=what, options=options, model=run.scoring.label, topic=run.topic.title
    )
    return queue.submit(
        "read",
        reading_key(store, run, what, options),
        request.model_dump(mode="json"),
        priority=SMALL,
        total=run.cells,
    )


def reading_key(store: Store, run: RunSpec, what: Calculation, options: ViewOptions) -> str:
    """Return the key by which equal requests are joined; raises as :func:`submit_read`."""
    decides = sensitivity_name(store, run, options) if what == "sensitivity" else options.protocol
    return digest([run.key, run.drawn.hash, what, decides])


# ------------------------------------------------------------------------------ knowledge sets


class KnowledgeRequest(Record):
    """Score the missing prompts of a set."""

    name: str
    title: str
    scoring: ScoringKey


def submit_knowledge(store: Store, queue: Queue, knowledge: KnowledgeSet, key: ScoringKey) -> Job:
    """Queue a set, or join its active job; ``done`` and ``total`` count prompts."""
    request = KnowledgeRequest(name=knowledge.name, title=knowledge.title, scoring=key)
    missing = sum(len(block.prompts) for block in missing_answers(store, key, knowledge))
    return queue.submit(
        "knowledge",
        knowledge_key(knowledge, key),
        request.model_dump(mode="json"),
        total=missing,
        models=[key.model],
        cells=missing,
    )


# ------------------------------------------------------------------------------------- weights

FETCH = "fetch"


class FetchRequest(Record):
    """Fetch the weights of a model whose terms, if any, were accepted."""

    model: str
    size: str


def submit_fetch(queue: Queue, offer: Offer, accepted: bool) -> Job:
    """Queue the download of a model's weights, or join its active job; ``done`` counts bytes.

    Raises ModelError if the model or the hub is not allowed, InputError if its terms are not accepted, and
    RightsError.
    """
    require_fetchable(offer, accepted)
    request = FetchRequest(model=offer.name, size=offer.size)
    return queue.submit(
        FETCH, offer.name, request.model_dump(mode="json"), total=offer.bytes, models=[offer.name]
    )


# ------------------------------------------------------------------------------------ corpora


class MineRequest(Record):
    """Mine a corpus for the words of topics of one position.

    ``corpus``: a file, a folder or ``hf:OWNER/NAME``; ``sample``: how many documents to draw, or all.
    ``name``: of the resulting template set; ``cut``: its lowest count.  Empty ``pipeline`` and
    ``constructions`` mean the defaults.
    """

    corpus: str
    topics: tuple[Topic, ...]
    name: str
    pipeline: str = ""
    sample: int | None = None
    seed: int = 0
    cut: float = 1
    constructions: tuple[str, ...] = ()


def submit_mining(queue: Queue, request: MineRequest) -> Job:
    """Queue a mining, or join an active one; ``done`` and ``total`` are bytes.

    The set is saved as the user's own; the job's result is that of ``document_of``.  Raises TemplateError if
    the name is taken, or not safe in files and links.
    """
    check_new_name(request.name)
    payload = request.model_dump(mode="json")
    return queue.submit("mine", digest(payload), payload)


# ------------------------------------------------------- one sentence, or a check of a topic's words
#
# A page submits a question, the worker answers it between two batches of its current job, and the page finds
# the answer in the queue under the question's key.  Answers are kept there.

PROBE = "probe"
CHECK = "check"
FRAME = "frame"
WAITED_FOR = (PROBE, CHECK, FRAME)
LONGEST = 300  # characters of a sentence
KEPT = 250  # of each kind, answered or not; usually about 10 KB each
EXAMPLE = f"The nurse said that {GAP}"


class WordsRequest(Record):
    """Score the topic's words in one text with one ``[Y]``; ``model`` is a name, directory or hub id."""

    model: str
    topic: Topic
    text: str
    protocol: Protocol = "exact"
    dtype: str = "float32"
    frame: Frame | None = Field(None, exclude_if=operator.not_)  # keeps the keys of bare sentences


def submit_words(
    queue: Queue, model: str, topic: Topic, text: str, protocol: Protocol = "exact", dtype: str = "float32",
    frame: Frame | None = None,
) -> Job:  # fmt: skip
    """Queue one sentence, ahead of all runs; the result is that of :func:`.probing.word_check`."""
    request = WordsRequest(model=model, topic=topic, text=text, protocol=protocol, dtype=dtype, frame=frame)
    payload = request.model_dump(mode="json")
    return queue.submit("words", digest(payload), payload, priority=SMALLEST, models=[model])


class ProbeRequest(WordsRequest):
    """Score one sentence; ``scoring``: the hash of the scoring key."""

    kind: ClassVar[str] = PROBE
    cells: ClassVar[int] = 1
    scoring: str

    @property
    def key(self) -> str:
        """The key by which equal probes are joined, independent of names and titles."""
        parts = [self.scoring, self.topic.hash, self.topic.aligned, self.text, self.protocol]
        return digest([*parts, *_unusual([self.text])])


class CheckRequest(Record):
    """Check a topic's words: their tokens and probabilities in ``texts``, each with one ``[Y]``.

    ``scoring``: as in a probe, with the protocol ``exact``, from which others select.
    """

    kind: ClassVar[str] = CHECK
    model: str
    topic: Topic
    texts: tuple[str, ...]
    dtype: str
    scoring: str

    @property
    def key(self) -> str:
        """The key by which equal checks are joined."""
        return digest([self.scoring, self.topic.hash, self.texts, *_unusual(self.texts)])

    @property
    def cells(self) -> int:
        """The number of texts, for the operator's limit."""
        return len(self.texts)


class FrameRequest(Record):
    """Render a frame with a model's chat template; ``template``: the hash of that template."""

    kind: ClassVar[str] = FRAME
    cells: ClassVar[int] = 1
    model: str
    frame: Frame
    tokenizer: str
    template: str

    @property
    def key(self) -> str:
        """The key by which equal questions are joined."""
        return digest(self.model_dump())


def _unusual(texts: Sequence[str]) -> list[str]:
    """Return the part of the key for words that begin a sentence or a text, or touch letters."""
    slots = [Slot.of(text) for text in texts]
    placed = [] if all(slot.usual for slot in slots) else ["placed"]
    return [*placed, "joined"] if any(slot.joins for slot in slots) else placed


Question = ProbeRequest | CheckRequest | FrameRequest


def checked_sentence(text: str) -> str:
    """Return a sentence to be scored, normalised (NFC, white space).

    Raises TemplateError unless it has one ``[Y]``, no ``[X]``, no control characters, and 1 to 300
    characters.
    """
    sentence = check_sentence(text, "its text", "The sentence", TemplateError)
    if len(sentence) > LONGEST:
        raise TemplateError(
            f"The sentence has {len(sentence):,} characters, and at most {LONGEST} are allowed: shorten it."
        )
    if not sentence:
        raise TemplateError(
            f"The sentence is empty: write one with {GAP} in place of the word, such as {quoted(EXAMPLE)}."
        )
    gaps = sentence.count(GAP)
    if not gaps:
        slip = " in a capital letter and square brackets" if "y]" in sentence.casefold() else ""
        raise TemplateError(
            f"The sentence {quoted(sentence)} has no {GAP}: write {GAP}{slip} in place of the word, as in "
            f"{quoted(EXAMPLE)}."
        )
    if gaps > 1:
        raise TemplateError(
            f"The sentence {quoted(sentence)} has {gaps} gaps {GAP}, and exactly one is allowed: replace the "
            "others with words."
        )
    if "[X]" in sentence:
        raise TemplateError(
            f"The sentence {quoted(sentence)} still has an [X]: replace it with a person, such as nurse."
        )
    return sentence


def make_probe(spec: ModelSpec, topic: Topic, text: str, protocol: Protocol) -> ProbeRequest:
    """Make the request to score a sentence with an installed model, without downloading anything.

    Raises ModelError if the weights are missing, its own code may not run, or it lacks the protocol.
    """
    require_at_hand(spec, protocol)
    return ProbeRequest(
        model=spec.name,
        topic=topic,
        text=text,
        protocol=protocol,
        dtype=spec.dtype,
        scoring=ScoringKey.of(spec, protocol).hash,
    )


def make_check(spec: ModelSpec, topic: Topic, texts: tuple[str, ...]) -> CheckRequest:
    """Make the request to check a topic with an installed model; raises as :func:`make_probe`."""
    require_at_hand(spec, "exact")
    return CheckRequest(
        model=spec.name, topic=topic, texts=texts, dtype=spec.dtype, scoring=ScoringKey.of(spec).hash
    )


def make_frame_request(spec: ModelSpec, frame: Frame) -> FrameRequest:
    """Make the request to render a chat for an installed model; raises as make_probe and require_chat."""
    require_chat(spec, frame)
    require_at_hand(spec, "exact")
    return FrameRequest(model=spec.name, frame=frame, tokenizer=spec.tokenizer, template=spec.chat_template)


def require_at_hand(spec: ModelSpec, protocol: Protocol) -> None:
    """Refuse a model that would have to be downloaded, or that cannot answer."""
    require_allowed_code(spec)
    check_protocol(spec.name, spec.family, protocol)
    if not gguf_files(spec) and not spec.path:
        raise ModelError(
            f"The weights of {spec.name} are not on this computer: run an audit of it on the page 'Run an "
            "audit', which downloads them, or choose another model."
        )


def newest_answer(queue: Queue, question: Question) -> Job | None:
    """Return the newest job of an equal question, in any state."""
    return queue.newest(question.kind, question.key)


def submit_question(queue: Queue, question: Question) -> Job:
    """Queue a question ahead of all runs, or join an equal one; the last 250 of a kind are kept.

    Raises RightsError, or ModelError if the model is not on the operator's list.
    """
    job = queue.submit(
        question.kind, question.key, question.model_dump(mode="json"), priority=SMALLEST,
        models=[question.model], cells=question.cells,
    )  # fmt: skip
    queue.forget(question.kind, KEPT)
    return job
