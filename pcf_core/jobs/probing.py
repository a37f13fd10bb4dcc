"""What a person asks of a model at an open page and waits for: one sentence, or a topic's words looked over.

What was answered is kept.

The page asks, the worker answers between two batches of whatever it is at, the page looks the answer up under
the probe's key: nothing but the queue's table stands between the two.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pcf_core.errors import ModelError, TemplateError
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.requests import SMALLEST, WordsRequest
from pcf_core.jobs.scoring import OpenScorer
from pcf_core.jobs.words import word_check
from pcf_core.models.remote_code import require_allowed_code
from pcf_core.records import ModelSpec, Protocol, Record, ScoringKey, Topic, digest
from pcf_core.scoring.base import GAP, Scorer, quoted
from pcf_core.scoring.opening import check_protocol
from pcf_core.topics.text import check_text

PROBE = "probe"
CHECK = "check"
WAITED_FOR = (PROBE, CHECK)
LONGEST = 300  # characters of a sentence
KEPT = 250  # of each kind, answered or not; of a topic of usual size one takes about 10 KB
EXAMPLE = f"The nurse said that {GAP}"


class ProbeRequest(WordsRequest):
    """What a probe asks; ``scoring`` is the hash of the scoring key that decides its numbers."""

    kind: ClassVar[str] = PROBE
    cells: ClassVar[int] = 1
    scoring: str

    @property
    def key(self) -> str:
        """What two probes have in common that have one answer: names and titles decide nothing."""
        return digest([self.scoring, self.topic.hash, self.topic.aligned, self.text, self.protocol])


class CheckRequest(Record):
    """Look a topic's words over: their tokens, and what they get in ``texts``, each with one ``[Y]``.

    ``scoring`` as in a probe; the protocol is ``exact``, of which ``single-token`` is a selection.
    """

    kind: ClassVar[str] = CHECK
    model: str
    topic: Topic
    texts: tuple[str, ...]
    dtype: str
    scoring: str

    @property
    def key(self) -> str:
        """What two checks have in common that have one answer."""
        return digest([self.scoring, self.topic.hash, self.texts])

    @property
    def cells(self) -> int:
        """What counts towards the operator's limit: its texts."""
        return len(self.texts)


Question = ProbeRequest | CheckRequest


def checked_sentence(text: str) -> str:
    """A sentence that can be probed, normalised (NFC, white space).

    Raises:
        TemplateError: empty, over 300 characters, control characters, not exactly one ``[Y]``, an ``[X]``.
    """
    sentence = check_text(text, "its text", "The sentence", TemplateError)
    if len(sentence) > LONGEST:
        raise TemplateError(f"The sentence has {len(sentence):,} characters: shorten it to {LONGEST}.")
    if not sentence:
        raise TemplateError(
            f"There is no sentence: write one with {GAP} for the word, such as {quoted(EXAMPLE)}."
        )
    gaps = sentence.count(GAP)
    if not gaps:
        slip = " in a capital letter and square brackets" if "y]" in sentence.casefold() else ""
        raise TemplateError(
            f"The sentence {quoted(sentence)} has no {GAP}: write {GAP}{slip} where the word goes, as in "
            f"{quoted(EXAMPLE)}."
        )
    if gaps > 1:
        raise TemplateError(
            f"The sentence {quoted(sentence)} has {gaps} places {GAP}: leave one of them, and write words in "
            "the others."
        )
    if "[X]" in sentence:
        raise TemplateError(
            f"The sentence {quoted(sentence)} still has an [X]: write who it is about in its place, such as "
            "nurse."
        )
    return sentence


def make_probe(spec: ModelSpec, topic: Topic, text: str, protocol: Protocol) -> ProbeRequest:
    """What to ask of a model that is at hand: a page that is opened from a link downloads nothing.

    Raises:
        ModelError: its weights are not here, its own code may not run, or it has no such protocol.
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
    """What to ask of a model that is at hand, as :func:`make_probe`.

    Raises:
        ModelError: its weights are not here, or its own code may not run.
    """
    require_at_hand(spec, "exact")
    return CheckRequest(
        model=spec.name, topic=topic, texts=texts, dtype=spec.dtype, scoring=ScoringKey.of(spec).hash
    )


def require_at_hand(spec: ModelSpec, protocol: Protocol) -> None:
    """Refuse a model that would have to be downloaded, or cannot answer.

    Raises:
        ModelError: its weights are not here, its own code may not run, or it has no such protocol.
    """
    require_allowed_code(spec)
    check_protocol(spec.name, spec.family, protocol)
    if not spec.path:
        raise ModelError(
            f"The weights of {spec.name} are not on this machine: score the model on the page Score, which "
            "downloads them, or choose another."
        )


def newest_answer(queue: Queue, asked: Question) -> Job | None:
    """The newest job that asks the same, whatever became of it."""
    return queue.newest(asked.kind, asked.key)


def submit_question(queue: Queue, asked: Question) -> Job:
    """Queue a question ahead of all runs, or join the one that asks the same; the last 250 of a kind stay.

    Raises:
        RightsError: the person may not ask, or not for so many texts.
        ModelError: the model is not on the operator's list.
        StoreError: the cache folder is read-only or full.
    """
    job = queue.submit(
        asked.kind, asked.key, asked.model_dump(mode="json"), priority=SMALLEST,
        models=[asked.model], cells=asked.cells,
    )  # fmt: skip
    queue.forget(asked.kind, KEPT)
    return job


def probe_asked(request: ProbeRequest, open_scorer: OpenScorer) -> dict[str, Any]:
    """The answer, in the form of :func:`pcf_core.jobs.words.word_check`.

    Raises:
        ModelError: the model's files have changed since the probe was asked; as ``word_check``.
        TemplateError: as ``word_check``.
    """
    return word_check(
        request.model,
        request.topic,
        request.text,
        request.protocol,
        request.dtype,
        opening_the_same(request, open_scorer),
    )


def opening_the_same(asked: Question, open_scorer: OpenScorer) -> OpenScorer:
    """What opens the model that was asked, and refuses one whose files have changed since."""

    def open_the_same(spec: ModelSpec, protocol: str) -> Scorer:
        scorer = open_scorer(spec, protocol)
        if scorer.key.hash != asked.scoring:
            raise ModelError(f"The files of the model {asked.model} have just changed: ask again.")
        return scorer

    return open_the_same
