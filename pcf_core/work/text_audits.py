"""Requests for texts and audits of texts, their stored results, and the writing of missing texts.

    request, material --submit--> job of the kind --its handler--> result

Stored as ``results/<key>/<name>.json``:

    ==================  ================  ==============================================================
    key                 name              contents
    ==================  ================  ==============================================================
    ``asked.hash``      ``<kind>-asked``  the request, once submitted
    ``asked.hash``      ``<kind>``        its result, once complete
    of each part        of each part      the material that the request names by hashes
    ==================  ================  ==============================================================
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import ValidationError, model_validator

from pcf_core.core.errors import AuditError, GenerationError, StoreError
from pcf_core.core.generation import GenerationKey, MissingTexts, in_one
from pcf_core.core.records import Record, digest
from pcf_core.models.beginnings import require_asked
from pcf_core.models.generation.base import open_generator as open_real_generator
from pcf_core.models.generation.endpoint import estimate_requests, rough_tokens
from pcf_core.models.registry import resolve_writer
from pcf_core.store.store import Store
from pcf_core.texts.text_audit import AuditAsked, AuditResult
from pcf_core.work.blocks import environment
from pcf_core.work.estimate import expected_seconds, recent_rates
from pcf_core.work.jobs import OnProgress, OpenGenerator, Pace, Pause, PauseClock, no_pause
from pcf_core.work.queue import Job, Queue

TextRequest = TypeVar("TextRequest", bound=AuditAsked)
Material = TypeVar("Material")
Result = TypeVar("Result", bound=AuditResult)
Stored = TypeVar("Stored", bound=Record)
Parts = Mapping[str, tuple[str, Mapping[str, Any]]]  # key -> (name, body)


class TextsAsked(Record):
    """A request for ``count`` texts for each of the prompts."""

    key: GenerationKey
    prompts: tuple[str, ...]
    count: int

    @model_validator(mode="after")
    def _is_something(self) -> TextsAsked:
        if not self.prompts or self.count < 1:
            raise GenerationError(
                f"{self.count:,} texts for each of {len(self.prompts):,} prompts were requested; at least "
                "one prompt and one text are needed."
            )
        return self


def missing_texts(store: Store, request: TextsAsked) -> int:
    """Count the texts of a request that the store lacks."""
    return sum(part.count for part in _lacking(store, request))


def _lacking(store: Store, request: TextsAsked) -> list[MissingTexts]:
    return store.missing_texts(request.key, request.prompts, request.count)


@dataclass(frozen=True)
class AuditEstimate:
    """The estimated cost of a request, less what the store has.

    ``missing``: texts to be written, or prompts to be scored.  ``tokens`` (at most) and ``prompt_tokens``
    (roughly): of texts.  ``seconds``: ``None`` without a comparable measurement; ``limited``: a minimum, from
    an endpoint's rate limit.  ``cost``: of an endpoint, at most, at the operator's prices.  ``basis``:
    sentences on the estimate. ``done``: the result exists.  ``rough``: the number of texts is a guess.
    """

    missing: int
    tokens: int
    prompt_tokens: int
    seconds: float | None
    cost: float | None
    basis: str
    done: bool = False
    rough: bool = False
    limited: bool = False

    @classmethod
    def of_nothing(cls, basis: str) -> AuditEstimate:
        """Return the estimate of a request whose result exists, even if its texts were removed."""
        return cls(0, 0, 0, 0.0, None, basis, done=True)


def estimate_writing(wanted: Sequence[TextsAsked], store: Store, queue: Queue) -> AuditEstimate:
    """Estimate texts of one model, by an endpoint's prices and rate limit or by what it wrote here before."""
    lacking = [_lacking(store, one) for one in wanted]
    estimate = _by_speed(wanted, lacking, queue)
    if not estimate.missing or wanted[0].key.family != "endpoint":
        return estimate
    requests = [
        estimate_requests([(part.prompt, part.count) for part in parts], one.key)
        for parts, one in zip(lacking, wanted, strict=True)
    ]
    costs = [each.cost for each in requests if each.cost is not None]
    least = [each.seconds for each in requests if each.seconds is not None]
    return replace(
        estimate,
        prompt_tokens=sum(each.tokens_in for each in requests),
        seconds=sum(least) if least else estimate.seconds,
        cost=sum(costs) if costs else None,
        basis=requests[0].basis,
        limited=bool(least),
    )


def estimate_texts(request: TextsAsked, store: Store, queue: Queue) -> AuditEstimate:
    """Estimate texts by the speed of finished jobs on this machine, even for an endpoint."""
    return _by_speed([request], [_lacking(store, request)], queue)


def _by_speed(
    wanted: Sequence[TextsAsked], lacking: Sequence[Sequence[MissingTexts]], queue: Queue
) -> AuditEstimate:
    """Estimate by the last finished job of the model, or roughly of another, scaled by parameters."""
    model = wanted[0].key.model
    sizes = [sum(part.count for part in parts) for parts in lacking]
    tokens = sum(size * one.key.decoding.length for size, one in zip(sizes, wanted, strict=True))
    rates = recent_rates(queue, "criteria", _tokens_of_a_text)
    rates |= recent_rates(queue, "fairpair", _tokens_of_a_text)
    parameters = resolve_writer(model).parameters
    seconds, basis = expected_seconds(tokens, model, parameters, rates, "tokens", "written")
    prompt_tokens = sum(
        part.count * rough_tokens(in_one(one.key.told, part.prompt))
        for parts, one in zip(lacking, wanted, strict=True)
        for part in parts
    )
    return AuditEstimate(sum(sizes), tokens, prompt_tokens, seconds, None, basis)


def _tokens_of_a_text(job: Job) -> float:
    """Return the largest number of tokens in a text that a job writes; 0 if it scores words."""
    key = job.payload["key"]
    return 0.0 if key is None else float(key["decoding"]["length"])


def stored_record(store: Store, key: str, name: str, kind: type[Stored]) -> Stored | None:
    """Load a record by key and name; ``None`` if it is missing, damaged, or no longer allowed."""
    document = store.load_document(key, name)
    try:
        return None if document is None else kind.model_validate(document)
    except (ValidationError, AuditError):
        return None


@dataclass(frozen=True)
class Answers(Generic[TextRequest, Result]):
    """Stored requests and results of one ``kind`` of jobs.

    ``gone``: the sentence for what cannot be read, with its ``name`` and the ``key`` of the request.
    """

    kind: str
    asked: type[TextRequest]
    result: type[Result]
    gone: str

    @property
    def asked_name(self) -> str:
        """The name under which a request is stored."""
        return f"{self.kind}-asked"

    def load(self, store: Store, key: str) -> Result | None:
        """Load the result of a request by its hash; ``None`` if incomplete, damaged, or of older rules."""
        result = stored_record(store, key, self.kind, self.result)
        return result if result is not None and result.asked.hash == key else None

    def kept(self, store: Store) -> tuple[TextRequest, ...]:
        """Return the answered requests, newest first, without those of older rules (another hash)."""
        return self._requests(store, store.documents(self.kind))

    def imported(self, store: Store) -> tuple[TextRequest, ...]:
        """Return the requests that came in packs; :meth:`kept` includes them."""
        return self._requests(store, store.imported_texts())

    def _requests(self, store: Store, keys: Sequence[str]) -> tuple[TextRequest, ...]:
        requests = ((key, stored_record(store, key, self.asked_name, self.asked)) for key in keys)
        return tuple(request for key, request in requests if request is not None and request.hash == key)

    def load_asked(self, store: Store, key: str) -> TextRequest:
        """Load a request by its hash; raises StoreError if it is gone or damaged."""
        return self.load_part(store, key, self.asked_name, self.asked)

    def load_part(self, store: Store, key: str, name: str, kind: type[Stored]) -> Stored:
        """Load what was stored with a request; raises StoreError if it is gone or damaged."""
        record = stored_record(store, key, name, kind)
        if record is None:
            raise StoreError(self.gone.format(name=name, key=key))
        return record

    def save_asked(self, store: Store, request: TextRequest) -> None:
        """Store a request."""
        store.save_document(request.hash, self.asked_name, request.model_dump(mode="json"))

    def save(self, store: Store, result: Result) -> None:
        """Store a complete result."""
        store.save_document(result.asked.hash, self.kind, result.model_dump(mode="json"))


class TextAudit(Answers[TextRequest, Result], Generic[TextRequest, Material, Result], ABC):
    """A kind of audit with requests to one model; methods that write raise StoreError."""

    @abstractmethod
    def missing(self, store: Store, request: TextRequest, material: Material) -> int:
        """Count the texts that the store lacks, or the prompts to be scored."""

    @abstractmethod
    def estimate(self, store: Store, queue: Queue, request: TextRequest, material: Material) -> AuditEstimate:
        """Estimate the writing or scoring, not the reading that follows."""

    @abstractmethod
    def parts(self, request: TextRequest, material: Material) -> Parts:
        """Return what to store of a material, by the keys under which a request names it."""

    @abstractmethod
    def payload(self, request: TextRequest, material: Material) -> Record:
        """Return the payload of the job: the ``model``, and what the queue shows."""

    def keep(self, store: Store, request: TextRequest, material: Material) -> None:
        """Store a request with its material for other processes; raise ValueError if they do not match."""
        for key, (name, body) in self.parts(request, material).items():
            if digest(body) != key:
                raise ValueError(f"not the {name.removeprefix(f'{self.kind}-')} that was asked for: {key}")
            store.save_document(key, name, body)
        self.save_asked(store, request)

    def submit(self, store: Store, queue: Queue, request: TextRequest, material: Material) -> Job:
        """Queue a request, or join its active job, which counts texts or prompts and names its stage."""
        total = self.missing(store, request, material)
        payload = self.payload(request, material).model_dump(mode="json")
        models = [payload["model"]]
        queue.check(self.kind, request.hash, models=models, cells=total)
        self.keep(store, request, material)
        return queue.submit(self.kind, request.hash, payload, total=total, models=models, cells=total)


def generate_missing(
    request: TextsAsked,
    store: Store,
    open_generator: OpenGenerator = open_real_generator,
    on_progress: OnProgress = lambda done, total, rate: None,
    pause: Pause = no_pause,
) -> int:
    """Write the missing texts batch by batch and return their number, opening the model only if needed.

    All prompts are checked first.  An interruption loses at most one batch, and texts of other processes are
    not written again.  ``on_progress`` gets texts done, their total, and texts per second; time in ``pause``
    does not count as writing.
    """
    key = request.key
    wanted = store.missing_texts(key, request.prompts, request.count)
    if not wanted:
        return 0
    store.must_be_writable()  # loading a model can take minutes
    spec = resolve_writer(key.model, chat=bool(key.chat_template)).with_dtype(key.dtype)
    generator = open_generator(spec.model_copy(update={"opening": key.opening}), key.decoding)
    if key.system or key.frame is not None:
        generator = generator.with_system(key.system, key.frame)
    require_asked(key, generator.key, "start the job again")
    total, done, written, pace = sum(part.count for part in wanted), 0, 0, Pace()
    for prompt in dict.fromkeys(part.prompt for part in wanted):
        pause()
        generator.check(prompt)
    on_progress(0, total, pace.rate(0))
    for batch in generator.batches(wanted):
        pause()
        lacking = store.still_missing_texts(key, batch)
        if lacking:
            timed_pause, began = PauseClock(pause), time.perf_counter()
            texts = generator.write(lacking, timed_pause)
            seconds = time.perf_counter() - began - timed_pause.seconds
            count = sum(part.count for part in lacking)
            timings = {"seconds": seconds, "texts": count, "texts_per_second": count / max(seconds, 1e-9)}
            for part in texts:
                store.write_texts(key, part, {**environment(generator), "timings": timings})
            written += count
        done += sum(part.count for part in batch)
        on_progress(done, total, pace.rate(done))
    return written
