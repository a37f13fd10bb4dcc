"""An audit of texts that a model writes, as it is asked for and read: the seam of FairPair and the criteria.

    request, material --submit--> job of the kind --its handler--> result

What the store keeps, as ``results/<key>/<name>.json``:

    ==================  ================  ==============================================================
    key                 name              holds
    ==================  ================  ==============================================================
    ``asked.hash``      ``<kind>-asked``  the request, from when it was asked for on
    ``asked.hash``      ``<kind>``        its result, once it is complete
    of each part        of each part      the material that the request names by hashes alone
    ==================  ================  ==============================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pcf_core.core.errors import StoreError
from pcf_core.core.records import Record, digest
from pcf_core.models.generation.endpoint import estimate_requests
from pcf_core.store.store import Store
from pcf_core.texts.text_audit import AuditAsked, AuditResult
from pcf_core.work.queue import Job, Queue
from pcf_core.work.texts import Kept, TextsAsked, estimate_texts, kept_record

Asked = TypeVar("Asked", bound=AuditAsked)
Material = TypeVar("Material")
Result = TypeVar("Result", bound=AuditResult)
Parts = Mapping[str, tuple[str, Mapping[str, Any]]]  # key -> (name, body)


@dataclass(frozen=True)
class AuditEstimate:
    """What a request will take, less what the store has.

    ``missing``: texts that are to be written, or prompts that are to be scored.  ``tokens``: of the texts, at
    most, ``prompt_tokens``: read for them; both 0 where words are scored.  ``seconds``: ``None`` while
    nothing like it was measured; ``limited``: they are the least, at an endpoint's rate limit.  ``cost``: of
    an endpoint, at most, at the operator's prices, else ``None``.  ``basis``: where the numbers come from, in
    sentences.  ``done``: the result is there.  ``rough``: what is to be written is a guess yet.
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
        """Return the estimate of a request whose result is there, also where its texts were removed."""
        return cls(0, 0, 0, 0.0, None, basis, done=True)


def estimate_writing(wanted: Sequence[TextsAsked], store: Store, queue: Queue) -> AuditEstimate:
    """Estimate an endpoint by its operator's prices and rate limit, a model by what it wrote here before.

    ``wanted``: texts of one model, in one part or more.
    """
    parts = [estimate_texts(part, store, queue) for part in wanted]
    seconds = [part.seconds for part in parts if part.seconds is not None]
    estimate = AuditEstimate(
        missing=sum(part.texts for part in parts),
        tokens=sum(part.tokens for part in parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        seconds=sum(seconds) if len(seconds) == len(parts) else None,
        cost=None,
        basis=parts[0].basis,
    )
    if not estimate.missing or wanted[0].key.family != "endpoint":
        return estimate
    request = [estimate_requests(part.blocks, one.key) for part, one in zip(parts, wanted, strict=True)]
    costs = [each.cost for each in request if each.cost is not None]
    least = [each.seconds for each in request if each.seconds is not None]
    return replace(
        estimate,
        prompt_tokens=sum(each.tokens_in for each in request),
        seconds=sum(least) if least else estimate.seconds,
        cost=sum(costs) if costs else None,
        basis=request[0].basis,
        limited=bool(least),
    )


@dataclass(frozen=True)
class Answers(Generic[Asked, Result]):
    """What the store keeps of requests of one ``kind``, which is that of their jobs.

    ``gone``: the sentence for what cannot be read, with its ``name`` and the ``key`` of the request.
    """

    kind: str
    asked: type[Asked]
    result: type[Result]
    gone: str

    @property
    def asked_name(self) -> str:
        """The name under which the store keeps a request."""
        return f"{self.kind}-asked"

    def load(self, store: Store, key: str) -> Result | None:
        """Load the result of a request by its hash; ``None`` if incomplete, damaged, or of older rules."""
        result = kept_record(store, key, self.kind, self.result)
        return result if result is not None and result.asked.hash == key else None

    def kept(self, store: Store) -> tuple[Asked, ...]:
        """List the answered requests, the newest first; :meth:`load` has their results.

        Those of older rules have another hash now: their numbers are not given again.
        """
        keys = store.documents(self.kind)
        requests = ((key, kept_record(store, key, self.asked_name, self.asked)) for key in keys)
        return tuple(request for key, request in requests if request is not None and request.hash == key)

    def imported(self, store: Store) -> tuple[Asked, ...]:
        """List the requests that were answered elsewhere and came in packs; :meth:`kept` has them too."""
        requests = (
            (key, kept_record(store, key, self.asked_name, self.asked)) for key in store.imported_texts()
        )
        return tuple(request for key, request in requests if request is not None and request.hash == key)

    def load_asked(self, store: Store, key: str) -> Asked:
        """Load a request by its hash.

        Raises
        ------
        StoreError
            It is gone or damaged.
        """
        return self.load_part(store, key, self.asked_name, self.asked)

    def load_part(self, store: Store, key: str, name: str, kind: type[Kept]) -> Kept:
        """Load what was kept with a request."""
        record = kept_record(store, key, name, kind)
        if record is None:
            raise StoreError(self.gone.format(name=name, key=key))
        return record

    def save_asked(self, store: Store, request: Asked) -> None:
        """Keep a request."""
        store.save_document(request.hash, self.asked_name, request.model_dump(mode="json"))

    def save(self, store: Store, result: Result) -> None:
        """Keep a result that is complete.

        Raises
        ------
        StoreError
            The cache folder is read-only or full.
        """
        store.save_document(result.asked.hash, self.kind, result.model_dump(mode="json"))


class TextAudit(Answers[Asked, Result], Generic[Asked, Material, Result], ABC):
    """A kind of audit, which is asked of one model with a material."""

    @abstractmethod
    def missing(self, store: Store, request: Asked, material: Material) -> int:
        """Count the texts that the store lacks, or the prompts to be scored."""

    @abstractmethod
    def estimate(self, store: Store, queue: Queue, request: Asked, material: Material) -> AuditEstimate:
        """Estimate what is to be written or scored; what is then read of it is not counted.

        Raises
        ------
        ModelError
            The model's files cannot be read, or no endpoint is set.
        """

    @abstractmethod
    def parts(self, request: Asked, material: Material) -> Parts:
        """Return what to keep of a material, by the keys under which a request names it."""

    @abstractmethod
    def payload(self, request: Asked, material: Material) -> Record:
        """Return the payload of the job, small: the ``model``, and what the queue shows."""

    def keep(self, store: Store, request: Asked, material: Material) -> None:
        """Keep a request with its material, so that another process can answer it.

        Raises
        ------
        StoreError
            The cache folder is read-only or full.
        ValueError
            Another material than the one that is asked for.
        """
        for key, (name, body) in self.parts(request, material).items():
            if digest(body) != key:
                raise ValueError(f"not the {name.removeprefix(f'{self.kind}-')} that was asked for: {key}")
            store.save_document(key, name, body)
        self.save_asked(store, request)

    def submit(self, store: Store, queue: Queue, request: Asked, material: Material) -> Job:
        """Queue a request, or join the job that is at it.

        ``done`` and ``total`` count texts that are written, or prompts that are scored; behind them the job's
        ``result`` says at which stage it is.

        Raises
        ------
        StoreError
            The cache folder is read-only or full.
        """
        total = self.missing(store, request, material)
        payload = self.payload(request, material).model_dump(mode="json")
        models = [payload["model"]]
        queue.check(self.kind, request.hash, models=models, cells=total)
        self.keep(store, request, material)
        return queue.submit(self.kind, request.hash, payload, total=total, models=models, cells=total)
