"""One block of prompts × words through a scorer: the same steps here and on another machine."""

from __future__ import annotations

import abc
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np

import pcf_core
from pcf_core.errors import OutOfMemoryError, ScoringError
from pcf_core.generation.base import Generator
from pcf_core.records import FloatArray
from pcf_core.scoring.base import Scorer

FEWEST_TOKENS = 128  # a batch is not made smaller after out-of-memory
LIBRARIES = ("numpy", "pyarrow", "tokenizers", "torch", "transformers")
P = ParamSpec("P")
M = TypeVar("M", Scorer, Generator)


@dataclass(frozen=True)
class Block:
    """Prompts and words to be scored; ``cells`` of the run stand behind the prompts."""

    prompts: tuple[str, ...]
    words: tuple[str, ...]
    cells: int


@dataclass(frozen=True)
class ScoredBlock:
    """``values``: [prompt, word] nats; ``provenance``: what made them, and how fast."""

    values: FloatArray
    provenance: Mapping[str, Any]


class ParallelScorer(Scorer):
    """A scorer that has several blocks under way at once, in the ``environment`` of other processes."""

    environment: Mapping[str, Any]

    @abc.abstractmethod
    def score_blocks(
        self, blocks: Iterator[Block], pause: Callable[[], None]
    ) -> Iterator[tuple[Block, ScoredBlock]]:
        """Each block with its scores, in whatever order they come; ``pause`` is called while waiting.

        A block is taken when there is room for it, so that what was scored elsewhere by then is left.

        Raises:
            ScoringError: a block cannot be scored; what ``pause`` raises.
        """


def score_block(
    scorer: Scorer,
    block: Block,
    on_batch: Callable[[Sequence[int]], None] = lambda rows: None,
    on_restart: Callable[[], None] = lambda: None,
    pause: Callable[[], None] = lambda: None,
) -> ScoredBlock:
    """Score a block; after out-of-memory again from its beginning, with half the tokens a batch.

    Args:
        scorer: of the model; keeps the smaller ``batch_tokens``.
        block: what to score.
        on_batch: called after each batch with its rows.
        on_restart: called before the block begins again: no row of it is scored yet.
        pause: called between two batches; what it takes is not counted as scoring.

    Raises:
        ScoringError: the model failed.
    """
    while True:
        try:
            return _score_once(scorer, block, on_batch, pause)
        except OutOfMemoryError:
            if scorer.batch_tokens <= FEWEST_TOKENS:
                raise
            scorer.batch_tokens //= 2
            on_restart()


def _score_once(
    scorer: Scorer, block: Block, on_batch: Callable[[Sequence[int]], None], pause: Callable[[], None]
) -> ScoredBlock:
    values = np.full((len(block.prompts), len(block.words)), np.nan, dtype=np.float32)
    filled, seconds, began = 0, 0.0, time.perf_counter()
    for rows, nats in scorer.batches(block.prompts, block.words):
        values[rows] = nats
        filled += len(rows)
        seconds += time.perf_counter() - began
        on_batch(rows.tolist())
        if filled < len(values):
            pause()
        began = time.perf_counter()
    if np.isnan(values).any():
        raise ScoringError(
            f"The model {scorer.key.model} gave no score to some of {len(values)} prompts: "
            "its scorer is broken; report it with the name of the model."
        )
    timings = {"seconds": seconds, "cells_per_second": block.cells / max(seconds, 1e-9)}
    return ScoredBlock(values, {**environment(scorer), "timings": timings})


def noting(opener: Callable[P, M], made: dict[str, Any]) -> Callable[P, M]:
    """The same opener, and ``made`` says of what it opened last what :func:`environment` does."""

    def open_and_note(*args: P.args, **kwargs: P.kwargs) -> M:
        maker = opener(*args, **kwargs)
        made.update(environment(maker))
        return maker

    return open_and_note


def environment(maker: Scorer | Generator) -> dict[str, Any]:
    """What made a number or a text, for its manifest: versions of what is loaded, device, threads."""
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
