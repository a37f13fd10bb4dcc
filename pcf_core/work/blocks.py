"""Score blocks of prompts × words, the same way on this machine and on others.

:mod:`pcf_core.work.scoring` scores the blocks of a run; :func:`score_blocks` prompts outside a run, of a
knowledge set or an experiment.
"""

from __future__ import annotations

import abc
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

import pcf_core
from pcf_core.core.errors import OutOfMemoryError, ScoringError, SettingsError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec, ScoringKey, TokenTable
from pcf_core.core.settings import USUAL_SHARD, Engine, Settings, settings
from pcf_core.models.beginnings import require_asked
from pcf_core.models.generation.base import Generator
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Batch, Scorer, in_order, open_scorer
from pcf_core.store.layer import Missing, Scores
from pcf_core.store.store import Store
from pcf_core.work.jobs import OnProgress, OpenScorer, Pace, Pause, PauseClock, no_pause

if TYPE_CHECKING:
    from pcf_core.work.ray_engine import RayEngine


FEWEST_TOKENS = 128  # a batch is not made smaller after out-of-memory
# Parameters × prompts that two cores score in a minute with a quarter of their time.  Changing it
# changes the blocks of large models, and so the last digits of their scores.
A_MINUTE = 30_000_000_000
LIBRARIES = ("numpy", "pyarrow", "tokenizers", "torch", "transformers")
P = ParamSpec("P")
M = TypeVar("M", Scorer, Generator)
T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    """Prompts and words to be scored, which stand for ``cells`` of the run."""

    prompts: tuple[str, ...]
    words: tuple[str, ...]
    cells: int


@dataclass(frozen=True)
class ScoredBlock:
    """A scored block.

    ``values`` [prompt, word]: nats.  ``left`` [prompt, word]: nats given the text on the left alone, see
    :class:`~pcf_core.models.scoring.base.Batch`.
    """

    values: FloatArray
    provenance: Mapping[str, Any]
    left: FloatArray | None = None


class ParallelScorer(Scorer):
    """A scorer of several blocks at once in other processes, which reported their ``environment``."""

    environment: Mapping[str, Any]

    @abc.abstractmethod
    def score_blocks(self, blocks: Iterator[Block], pause: Pause) -> Iterator[tuple[Block, ScoredBlock]]:
        """Yield each block with its scores, in any order, taking one only when there is capacity for it.

        So blocks scored elsewhere meanwhile are skipped.  ``pause`` is called while waiting.
        """


def prompts_a_block(scorer: Scorer) -> int:
    """Return how many prompts are scored and saved together: ``PCF_SHARD_PROMPTS`` if set, else up to 512.

    A model that needs over a minute for 512 on a CPU, judged by its parameters, gets 256, 128, …, 1; so a run
    is divided the same way on every CPU.
    """
    if (
        settings().shard_prompts is not None
        or scorer.parameters == 0
        or environment(scorer)["device"] != "cpu"
    ):
        return settings().most_prompts
    most = max(1, A_MINUTE // scorer.parameters)
    return min(USUAL_SHARD, 1 << (most.bit_length() - 1))


def cut(blocks: Iterable[Missing], most: int) -> Iterator[Missing]:
    """Divide blocks into at most ``most`` prompts each, in order."""
    for block in blocks:
        for start in range(0, len(block.prompts), most):
            yield Missing(block.prompts[start : start + most], block.words)


def score_block(
    scorer: Scorer,
    block: Block,
    on_batch: Callable[[Sequence[int]], None] = lambda rows: None,
    on_restart: Callable[[], None] = lambda: None,
    pause: Pause = no_pause,
    on_part: Callable[[float], None] | None = None,
) -> ScoredBlock:
    """Score a block; after out-of-memory, restart it with half the tokens per batch.

    ``on_batch`` gets the rows of each batch; ``on_restart`` is called before a restart; time in ``pause``
    does not count as scoring.  ``on_part``: see :attr:`~pcf_core.models.scoring.base.Scorer.on_part`.
    """
    with _telling_parts(scorer, on_part):
        return in_memory(scorer, partial(_score_once, scorer, block, on_batch, pause), on_restart)


def in_memory(scorer: Scorer, score: Callable[[], T], on_restart: Callable[[], None] = lambda: None) -> T:
    """Return ``score()``; after out-of-memory, repeat it with half the tokens per batch."""
    while True:
        try:
            return score()
        except OutOfMemoryError:
            if scorer.batch_tokens <= FEWEST_TOKENS:
                raise
            scorer.batch_tokens //= 2
            on_restart()


@contextmanager
def _telling_parts(scorer: Scorer, on_part: Callable[[float], None] | None) -> Iterator[None]:
    """Set ``on_part`` inside the block only; a small job in a pause uses the same scorer without it."""
    before, scorer.on_part = scorer.on_part, on_part
    try:
        yield
    finally:
        scorer.on_part = before


def _score_once(
    scorer: Scorer, block: Block, on_batch: Callable[[Sequence[int]], None], pause: Pause
) -> ScoredBlock:
    timed_pause, began = PauseClock(pause), time.perf_counter()

    def batches() -> Iterator[Batch]:
        filled = 0
        for batch in scorer.batches(block.prompts, block.words, timed_pause):
            yield batch
            filled += len(batch.rows)
            on_batch(batch.rows.tolist())
            if filled < len(block.prompts):
                timed_pause()

    values, left = in_order(batches(), len(block.prompts), len(block.words))
    seconds = time.perf_counter() - began - timed_pause.seconds
    if np.isnan(values).any():
        raise ScoringError(
            f"The model {scorer.key.model} returned no score for some of {len(values)} prompts, which is an "
            "error in PCF Audit: report it with the name of the model."
        )
    timings = {"seconds": seconds, "cells_per_second": block.cells / max(seconds, 1e-9)}
    return ScoredBlock(values, {**environment(scorer), "timings": timings}, left)


def noting(opener: Callable[P, M], made: dict[str, Any]) -> Callable[P, M]:
    """Wrap an opener so that ``made`` gets the :func:`environment` of what it opened last."""

    def open_and_note(*args: P.args, **kwargs: P.kwargs) -> M:
        maker = opener(*args, **kwargs)
        made.update(environment(maker))
        return maker

    return open_and_note


def environment(maker: Scorer | Generator) -> dict[str, Any]:
    """Return what made a score or a text, for its manifest: versions of libraries, device, threads."""
    if isinstance(maker, ParallelScorer):
        return dict(maker.environment)
    torch = sys.modules.get("torch")
    loaded = {name: sys.modules[name].__version__ for name in LIBRARIES if name in sys.modules}
    return {
        "versions": {"pcf_core": pcf_core.__version__, "python": platform.python_version(), **loaded},
        "device": getattr(maker, "device", "cpu"),
        "threads": getattr(maker, "threads", torch.get_num_threads() if torch else 1),
        "machine": platform.machine(),
    }


def keep_words(
    store: Store, key: ScoringKey, words: Sequence[str], table: TokenTable, provenance: Mapping[str, Any]
) -> bool:
    """Store what the tokenizer says of words without scores; return whether anything was new.

    A shard without prompts holds refused words, and words with new tokens at the beginning of a text.
    """
    stored = store.known_words(key)
    new = tuple(
        word
        for word in words
        if (word in table.refused and word not in stored.refused)
        or (word in table.spelling and word in stored.tokens and word not in stored.spelling)
        or (word in table.at_start and word in stored.tokens and word not in stored.at_start)
    )
    if new:
        accepted = sum(word in table.tokens for word in new)
        store.write(key, (), new, table, np.empty((0, accepted)), provenance)
    return bool(new)


def open_asked(key: ScoringKey, store: Store, open_scorer: OpenScorer) -> tuple[ModelSpec, Scorer]:
    """Open the model of a key and its scorer, after checking that scores can be stored."""
    store.must_be_writable()
    spec = resolve(key.model).scored_like(key)
    scorer = open_scorer(spec, key.protocol)
    require_asked(key, scorer.key, "start the job again")
    return spec, scorer


def score_blocks(
    blocks: Sequence[Missing],
    scorer: Scorer,
    table: TokenTable,
    store: Store,
    on_progress: OnProgress,
    pause: Pause,
) -> int:
    """Score blocks in the model's block size, store each one, and return the number of prompts.

    ``on_progress`` gets prompts done, their total, and prompts per second.
    """
    total, done, pace = sum(len(block.prompts) for block in blocks), 0, Pace()

    def report(prompts: int) -> None:
        nonlocal done
        done += prompts
        on_progress(done, total, pace.rate(done))

    def restart(began: int) -> None:
        report(began - done)

    for block in cut(blocks, prompts_a_block(scorer)):
        pause()
        scored = score_block(
            scorer,
            Block(block.prompts, block.words, cells=len(block.prompts)),
            on_batch=lambda rows: report(len(rows)),
            on_restart=partial(restart, done),
            pause=pause,
        )
        scores = Scores(block.prompts, block.words, scored.values, scored.provenance, scored.left)
        store.write_all(scorer.key, table, [scores])
    return total


# Scoring on this machine or on a Ray cluster.


@contextmanager
def scorers_of(engine: Engine, settings: Settings, here: OpenScorer = open_scorer) -> Iterator[OpenScorer]:
    """Choose how to open scorers: ``here`` or on a Ray cluster; raise SettingsError if Ray is missing."""
    if engine == "local":
        yield here
        return
    with cluster_of(settings) as cluster:
        yield cluster.open_scorer


@contextmanager
def cluster_of(settings: Settings) -> Iterator[RayEngine]:
    """Open a Ray cluster for the duration of the block."""
    try:
        from pcf_core.work.ray_engine import RayEngine
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise SettingsError(
            "The engine ray is not installed: run `pip install -r requirements-ray.txt`, or choose the "
            "engine local."
        ) from error
    with RayEngine(settings) as cluster:
        yield cluster
