"""Mine a corpus: the same function for the command line and for the worker."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from pcf_core.core.errors import PipelineError
from pcf_core.core.settings import Engine, Settings
from pcf_core.core.topics import Topic
from pcf_core.material.templates import save_set
from pcf_core.mining.counting import open_counter
from pcf_core.mining.documents import open_corpus
from pcf_core.mining.families import grouped, is_readable
from pcf_core.mining.miner import Mined, Progress, mine
from pcf_core.mining.pool import Counters, Processes
from pcf_core.mining.rules import rule_for
from pcf_core.work.blocks import cluster_of
from pcf_core.work.jobs import REPORT_SECONDS, JobContext, Pace, Pause, job, no_pause
from pcf_core.work.requests import MineRequest

log = logging.getLogger(__name__)


def mine_asked(
    request: MineRequest,
    settings: Settings,
    counters: Counters,
    on_progress: Callable[[Progress, float], None] = lambda progress, rate: None,
    pause: Pause = no_pause,
    say: Callable[[str], None] = lambda sentence: None,
) -> Mined:
    """Mine a corpus, or resume; counts are stored in the cache block by block.

    ``counters``: from :func:`counters_of`.  ``on_progress`` gets the state and bytes per second after each
    block, ``say`` sentences for the user.  Raises as :func:`pcf_core.mining.miner.mine`.
    """
    pace = Pace()
    mined = mine(
        open_corpus(request.corpus, sample=request.sample, seed=request.seed),
        request.topics,
        rule_for(request.topics, request.constructions),
        counters,
        settings.cache,
        name=request.name,
        cut=request.cut,
        on_progress=lambda progress: on_progress(progress, pace.rate(progress.read)),
        pause=pause,
        say=say,
    )
    return _grouped(mined, request.pipeline or settings.pipeline, pause, say)


def _grouped(mined: Mined, pipeline: str, pause: Pause, say: Callable[[str], None]) -> Mined:
    """Find the families of a mined set, if there is a rule for its language."""
    if not is_readable(mined.templates.card.language):
        return mined
    from pcf_core.mining.parser.pipeline import open_pipeline

    try:
        parser = open_pipeline(pipeline)
    except PipelineError as error:  # a cluster may have parsers that are not here
        say(f"The set {mined.templates.name} has no families: {error}")
        return mined
    return replace(mined, templates=grouped(mined.templates, parser, pause))


@contextmanager
def counters_of(
    engine: Engine,
    settings: Settings,
    topics: Sequence[Topic],
    pipeline: str = "",
    workers: int = 0,
    constructions: Sequence[str] = (),
) -> Iterator[Counters]:
    """Choose where to count inside the block: in processes here, or on a Ray cluster.

    ``pipeline`` (the parser) and ``workers`` (0: one per core) default to the settings, empty
    ``constructions`` to the default ones.  Raises SettingsError if Ray is not installed.
    """
    recipe = partial(open_counter, pipeline or settings.pipeline, tuple(topics), tuple(constructions))
    if engine == "local":
        with Processes(recipe, workers or settings.mine_workers or cores()) as processes:
            yield processes
        return
    with cluster_of(settings) as cluster:
        yield cluster.counters(recipe)


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def progress_document(progress: Progress) -> dict[str, Any]:
    """Return the JSON document of a mining in progress."""
    return {
        "documents": progress.documents,
        "words": progress.words,
        "sentences": progress.sentences,
        "matches": progress.matches,
    }


def document_of(mined: Mined) -> dict[str, Any]:
    """Return the JSON document of a finished mining; ``seconds`` is the wall time of all its parts."""
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
        "without_word": facts.without_word,
        "seconds": facts.seconds,
        "words_per_second": facts.words / facts.seconds if facts.seconds else None,
    }


@job("mine", MineRequest)
def answer_mine(context: JobContext, request: MineRequest) -> dict[str, Any]:
    """Mine, and save the set as the user's own."""
    reported = -REPORT_SECONDS

    def report(progress: Progress, rate: float) -> None:
        """Report progress; for a corpus of unknown size, only counts."""
        nonlocal reported
        if time.monotonic() - reported >= REPORT_SECONDS:
            reported = time.monotonic()
            context.begin()
            if progress.size:
                context.progress(progress.read, progress.size, rate)
            context.note(progress_document(progress))

    engine = context.settings.engine
    with counters_of(
        engine, context.settings, request.topics, request.pipeline, constructions=request.constructions
    ) as counters:
        mined = mine_asked(request, context.settings, counters, report, context.pause, log.warning)
    save_set(mined.templates)
    return document_of(mined)
