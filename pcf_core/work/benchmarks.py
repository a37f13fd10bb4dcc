"""A known benchmark as it is asked for and read, without the model; :mod:`~.benchmarking` does the work."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.records import Record, digest
from pcf_core.core.run import ScoringKey
from pcf_core.models.notes import note_of
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.records import (
    BenchmarkAsked,
    BenchmarkName,
    BenchmarkResult,
    ItemScores,
    Material,
)
from pcf_core.texts.benchmarks.scoring import require_family
from pcf_core.work.estimate import expected_seconds, recent_rates
from pcf_core.work.queue import Job, Queue
from pcf_core.work.text_audits import Answers
from pcf_core.work.texts import kept_record

BENCHMARK = "benchmark"  # the kind of job and of what is kept
MATERIAL = "benchmark-material"
BLOCK = 50  # items that are kept together: what an interrupt costs at most

OPENINGS = (
    "openings.json"  # notes: scoring key -> token that sentences are scored behind, where not the usual
)


class BenchmarkAnswers(Answers[BenchmarkAsked, BenchmarkResult]):
    """What the store keeps of benchmarks."""

    def load(self, store: Store, key: str) -> BenchmarkResult | None:
        """Load a result; not one that lacks what its sentences were scored behind, where that counts.

        An earlier version took the usual token and did not ask the model.
        """
        found = super().load(store, key)
        lacks = found is not None and found.asked.needs_opening and "opening" not in found.provenance
        return None if lacks else found


BENCHMARKS_KEPT = BenchmarkAnswers(
    BENCHMARK,
    BenchmarkAsked,
    BenchmarkResult,
    "What was asked for in this benchmark ({name}, {key}) cannot be read: ask again.",
)


class BenchmarkRequest(Record):
    """The payload of a job, small: ``asked`` is the hash under which the store keeps what is asked for."""

    model: str
    benchmark: BenchmarkName
    title: str
    asked: str


class BlockScores(Record):
    """The scores of some items, which follow one another."""

    items: tuple[ItemScores, ...]


def benchmark_asked(material: Material, key: ScoringKey) -> BenchmarkAsked:
    """Make a request; what its sentences are scored behind is known once the model was asked.

    Raises
    ------
    BenchmarkError
        A family without a published definition.
    """
    require_family(material.benchmark, key.model, key.family)
    asked = BenchmarkAsked(
        benchmark=material.benchmark,
        title=material.title,
        material=digest(material.model_dump(mode="json")),
        scoring=key,
    )
    opening = note_of(OPENINGS, key.hash) if asked.needs_opening else ""
    return asked.model_copy(update={"opening": opening})


def blocks_of(material: Material) -> list[range]:
    """List the places of the items that are kept together."""
    total = len(material.items)
    return [range(start, min(start + BLOCK, total)) for start in range(0, total, BLOCK)]


def block_name(block: range) -> str:
    """Return the name under which the scores of a block are kept."""
    return f"{BENCHMARK}-{block.start:06d}"


def kept_block(store: Store, asked: BenchmarkAsked, block: range) -> tuple[ItemScores, ...] | None:
    """Return the scores of a block; ``None`` where they are missing or damaged."""
    found = kept_record(store, asked.hash, block_name(block), BlockScores)
    return found.items if found is not None and len(found.items) == len(block) else None


def missing_blocks(store: Store, asked: BenchmarkAsked, material: Material) -> list[range]:
    """List the blocks that the store lacks; none where the result is there."""
    if BENCHMARKS_KEPT.load(store, asked.hash) is not None:
        return []
    return [block for block in blocks_of(material) if kept_block(store, asked, block) is None]


def missing_items(store: Store, asked: BenchmarkAsked, material: Material) -> int:
    """Count the items that are to be scored."""
    return sum(map(len, missing_blocks(store, asked, material)))


def expected_time(
    store: Store, queue: Queue, asked: BenchmarkAsked, material: Material
) -> tuple[int, float | None, str]:
    """Estimate a request: items to be scored, seconds (``None``: unknown), and what that rests on.

    Raises
    ------
    ModelError
        The model's files cannot be read.
    """
    missing = missing_items(store, asked, material)
    rates = recent_rates(queue, BENCHMARK)
    return (missing, *expected_seconds(missing, asked.model, resolve(asked.model).parameters, rates, "items"))


def keep_request(store: Store, asked: BenchmarkAsked, material: Material) -> None:
    """Keep a request with its sentences, so that another process can answer it.

    Raises
    ------
    StoreError
        The cache folder is read-only or full.
    """
    store.save_document(asked.material, MATERIAL, material.model_dump(mode="json"))
    BENCHMARKS_KEPT.save_asked(store, asked)


def submit_benchmark(store: Store, queue: Queue, asked: BenchmarkAsked, material: Material) -> Job:
    """Queue a request, or join the job that is at it; ``done`` and ``total`` count items.

    Raises
    ------
    StoreError
        The cache folder is read-only or full.
    """
    total = missing_items(store, asked, material)
    queue.check(BENCHMARK, asked.hash, models=[asked.model], cells=total)
    keep_request(store, asked, material)
    request = BenchmarkRequest(
        model=asked.model, benchmark=asked.benchmark, title=asked.title, asked=asked.hash
    )
    payload = request.model_dump(mode="json")
    return queue.submit(BENCHMARK, asked.hash, payload, total=total, models=[asked.model], cells=total)


def kept_results(
    store: Store, models: Sequence[str], benchmark: BenchmarkName | None = None
) -> list[BenchmarkResult]:
    """List the newest result of each of the models for each benchmark and its sentences, newest first."""
    found: dict[tuple[str, str, str], BenchmarkResult] = {}
    for asked in BENCHMARKS_KEPT.kept(store):
        which = (asked.benchmark, asked.material, asked.model)
        if asked.model not in models or which in found or benchmark not in (None, asked.benchmark):
            continue
        result = BENCHMARKS_KEPT.load(store, asked.hash)
        if result is not None:
            found[which] = result
    return list(found.values())
