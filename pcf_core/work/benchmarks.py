"""Requests for known benchmarks and their results, without the model; :mod:`~.benchmarking` does the work."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.files import note_of
from pcf_core.core.records import Record, digest
from pcf_core.core.run import ScoringKey
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.records import (
    BenchmarkAsked,
    BenchmarkName,
    BenchmarkResult,
    ItemScores,
)
from pcf_core.texts.benchmarks.registry import Material, require_family
from pcf_core.work.estimate import expected_seconds, recent_rates
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import AuditEstimate, Parts, TextAudit, stored_record

BENCHMARK = "benchmark"  # the kind of job and of stored document
MATERIAL = "benchmark-material"
BLOCK = 50  # items that are stored together, so the most that an interrupt loses

OPENINGS = "openings.json"  # notes: scoring key -> token that precedes sentences, if not the usual one


class BenchmarkRequest(Record):
    """The payload of a job; ``asked`` is the hash of the stored request, ``name`` the model's with its frame.

    Jobs of earlier versions have no name.
    """

    model: str
    name: str = ""
    benchmark: BenchmarkName
    title: str
    asked: str


class BlockScores(Record):
    """The scores of consecutive items."""

    items: tuple[ItemScores, ...]


def benchmark_asked(material: Material, key: ScoringKey) -> BenchmarkAsked:
    """Make a request; raise BenchmarkError for a family of models without a published definition."""
    require_family(material.benchmark, key.model, key.family)
    request = BenchmarkAsked(
        benchmark=material.benchmark,
        title=material.title,
        material=digest(material.body),
        scoring=key,
        language=material.language,
    )
    opening = note_of(OPENINGS, key.hash) if request.needs_opening else ""
    return request.model_copy(update={"opening": opening})


def blocks_of(material: Material) -> list[range]:
    """Return the indices of the items that are stored together."""
    total = len(material.items)
    return [range(start, min(start + BLOCK, total)) for start in range(0, total, BLOCK)]


def block_name(block: range) -> str:
    """Return the name under which the scores of a block are stored."""
    return f"{BENCHMARK}-{block.start:06d}"


def stored_block(store: Store, request: BenchmarkAsked, block: range) -> tuple[ItemScores, ...] | None:
    """Return the scores of a block; ``None`` if they are missing or damaged."""
    scores = stored_record(store, request.hash, block_name(block), BlockScores)
    return scores.items if scores is not None and len(scores.items) == len(block) else None


def missing_blocks(store: Store, request: BenchmarkAsked, material: Material) -> list[range]:
    """Return the blocks that the store lacks; none if it has the result."""
    if BENCHMARK_AUDIT.load(store, request.hash) is not None:
        return []
    return [block for block in blocks_of(material) if stored_block(store, request, block) is None]


class BenchmarkAudit(TextAudit[BenchmarkAsked, Material, BenchmarkResult]):
    """The known benchmarks; jobs count items."""

    def load(self, store: Store, key: str) -> BenchmarkResult | None:
        """Load a result, unless it lacks the token before its sentences, as in an earlier version."""
        result = super().load(store, key)
        lacks = result is not None and result.asked.needs_opening and "opening" not in result.provenance
        return None if lacks else result

    def missing(self, store: Store, request: BenchmarkAsked, material: Material) -> int:
        """Count the items to be scored."""
        return sum(map(len, missing_blocks(store, request, material)))

    def estimate(
        self, store: Store, queue: Queue, request: BenchmarkAsked, material: Material
    ) -> AuditEstimate:
        """Estimate the items to be scored."""
        missing = self.missing(store, request, material)
        rates = recent_rates(queue, BENCHMARK)
        parameters = resolve(request.model).parameters
        seconds, basis = expected_seconds(missing, request.model, parameters, rates, "items")
        return AuditEstimate(missing, 0, 0, seconds, None, basis)

    def parts(self, request: BenchmarkAsked, material: Material) -> Parts:
        """Return the sentences."""
        return {request.material: (MATERIAL, material.body)}

    def payload(self, request: BenchmarkAsked, material: Material) -> BenchmarkRequest:
        """Return the payload of the job."""
        return BenchmarkRequest(
            model=request.model,
            name=request.name,
            benchmark=request.benchmark,
            title=request.title,
            asked=request.hash,
        )


BENCHMARK_AUDIT = BenchmarkAudit(
    BENCHMARK,
    BenchmarkAsked,
    BenchmarkResult,
    "The stored {name} of this benchmark ({key}) cannot be read: start the benchmark again.",
)


def kept_results(
    store: Store, models: Sequence[str], benchmark: BenchmarkName | None = None
) -> list[BenchmarkResult]:
    """Return the newest result for each model in each frame, benchmark and set of sentences, newest first."""
    results: dict[tuple[str, str, str], BenchmarkResult] = {}
    for request in BENCHMARK_AUDIT.kept(store):
        which = (request.benchmark, request.material, request.name)
        if which in results or benchmark not in (None, request.benchmark):
            continue
        if not {request.model, request.name} & {*models}:
            continue
        result = BENCHMARK_AUDIT.load(store, request.hash)
        if result is not None:
            results[which] = result
    return list(results.values())
