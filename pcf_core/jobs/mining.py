"""Mining as it is asked for: the one function for the foreground and for the worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pcf_core.jobs.engines import cluster_of
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.scoring import Pace, Stopped
from pcf_core.mining.counting import open_counter
from pcf_core.mining.documents import open_corpus
from pcf_core.mining.miner import Mined, Progress, mine
from pcf_core.mining.pool import Counters, Processes
from pcf_core.mining.rules import rule_for
from pcf_core.records import Record, Topic, digest
from pcf_core.settings import Engine, Settings
from pcf_core.topics import check_new_name


class MineRequest(Record):
    """Mine a corpus for the words of topics of one position.

    ``corpus`` is a file, a folder or ``hf:OWNER/NAME``; ``sample`` documents of it drawn by ``seed``, or all.
    ``name``: of the set that it becomes; ``cut``: the lowest count kept.  An empty ``pipeline`` is that of
    the settings.
    """

    corpus: str
    topics: tuple[Topic, ...]
    name: str
    pipeline: str = ""
    sample: int | None = None
    seed: int = 0
    cut: float = 1


def submit_mining(queue: Queue, request: MineRequest) -> Job:
    """Queue a mining, or join the one that is asked for already.  ``done`` and ``total`` are bytes.

    The set is kept as the user's own under its name; ``result`` is what :func:`document_of` gives.

    Raises:
        TemplateError: the name is not safe in files and links, or taken.
        StoreError: the cache folder is read-only or full.
    """
    check_new_name(request.name)
    payload = request.model_dump(mode="json")
    return queue.submit("mine", digest(payload), payload)


def mine_asked(
    request: MineRequest,
    settings: Settings,
    counters: Counters,
    on_progress: Callable[[Progress, float], None] = lambda progress, rate: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_blocks: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda sentence: None,
) -> Mined:
    """Mine what is asked for, or go on with it; counts are kept in the cache block by block.

    Args:
        request: what to mine.
        settings: of the cache.
        counters: who counts, see :func:`counters_of`.
        on_progress: called after each block with how far it is, and bytes of the corpus a second.
        should_stop: asked several times a second.
        between_blocks: called there as well.
        say: takes sentences for the user.

    Raises:
        Stopped: ``should_stop`` said so; the same request goes on from there.
        AuditError: see :func:`pcf_core.mining.miner.mine`.
    """
    pace = Pace()

    def pause() -> None:
        between_blocks()
        if should_stop():
            raise Stopped

    return mine(
        open_corpus(request.corpus, sample=request.sample, seed=request.seed),
        request.topics,
        rule_for(request.topics),
        counters,
        settings.cache,
        name=request.name,
        cut=request.cut,
        on_progress=lambda progress: on_progress(progress, pace.rate(progress.read)),
        pause=pause,
        say=say,
    )


@contextmanager
def counters_of(
    engine: Engine, settings: Settings, topics: Sequence[Topic], pipeline: str = "", workers: int = 0
) -> Iterator[Counters]:
    """Who counts, while this is open: processes here, or on a cluster of which nothing is imported before.

    Args:
        engine: ``local`` or ``ray``.
        settings: their ``pipeline`` and ``mine_workers`` stand in for what is not given.
        topics: whose words are wanted.
        pipeline: name of the parser.
        workers: how many processes; 0 for one a core.

    Raises:
        SettingsError: Ray is not installed.
    """
    recipe = partial(open_counter, pipeline or settings.pipeline, tuple(topics))
    if engine == "local":
        with Processes(recipe, workers or settings.mine_workers or cores()) as processes:
            yield processes
        return
    with cluster_of(settings) as cluster:
        yield cluster.counters(recipe)


def cores() -> int:
    """CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def progress_document(progress: Progress) -> dict[str, Any]:
    """What a mining says of itself while it goes on."""
    return {
        "documents": progress.documents,
        "words": progress.words,
        "sentences": progress.sentences,
        "matches": progress.matches,
    }


def document_of(mined: Mined) -> dict[str, Any]:
    """What a mining says of itself; ``seconds`` is the wall time of all its parts."""
    facts = mined.facts
    return {
        "name": mined.templates.name,
        "templates": len(mined.templates.templates),
        "count": int(mined.count),
        "documents": facts.documents,
        "words": facts.words,
        "sentences": facts.sentences,
        "matches": facts.matches,
        "dropped": dict(facts.dropped),
        "seconds": facts.seconds,
        "words_per_second": facts.words / facts.seconds if facts.seconds else None,
    }
