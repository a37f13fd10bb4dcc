"""Score what the store lacks of a run: the one function for the foreground and for the worker."""

from __future__ import annotations

import platform
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pcf_core
from pcf_core.errors import ModelError, ScoringError
from pcf_core.models import resolve
from pcf_core.records import ModelSpec, RunSpec, TokenTable
from pcf_core.scoring.base import Scorer
from pcf_core.store import Missing, Store

OpenScorer = Callable[[ModelSpec, str], Scorer]

WINDOW_SECONDS = 30.0
LIBRARIES = ("numpy", "pyarrow", "tokenizers", "torch", "transformers")


class Stopped(Exception):
    """Scoring ended before the run was complete, because it was asked to: an outcome, not an error."""


@dataclass
class Pace:
    """Cells a second over the last half minute, by the monotonic clock."""

    marks: deque[tuple[float, int]] = field(default_factory=deque)

    def rate(self, done: int) -> float:
        """Record that ``done`` cells are done now; 0 until there is something to divide by."""
        now = time.monotonic()
        self.marks.append((now, done))
        while len(self.marks) > 2 and now - self.marks[0][0] > WINDOW_SECONDS:
            self.marks.popleft()
        began, already = self.marks[0]
        return (done - already) / (now - began) if now > began else 0.0


def score_run(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: Callable[[int, int, float], None] = lambda done, total, rate: None,
    should_stop: Callable[[], bool] = lambda: False,
    between_batches: Callable[[], None] = lambda: None,
) -> int:
    """Score a run's missing cells shard by shard, and keep the run.

    The model is opened only if something is missing.  Each shard counts once it is written, so that whoever
    comes after an interruption scores the rest alone, and what another process has written meanwhile is left.

    Args:
        run: what is asked for.
        store: where scores are and go.
        open_scorer: from a model and a protocol to its scorer.
        on_progress: called after each batch with cells done, cells in all, cells a second.
        should_stop: asked between two batches.
        between_batches: called there as well; what it takes is not counted as scoring.

    Returns:
        The number of cells (occupation × template) that lacked a word and were scored.

    Raises:
        Stopped: ``should_stop`` said so.
        ModelError: the model is unknown, has changed, or expresses no word of some group.
        ScoringError: the model failed.
        StoreError: the store is full or read-only.
    """
    words = run.topic.words
    blocks = store.missing(run.scoring, run.prompts, words)
    if not blocks:
        require_every_group(run, store.known_words(run.scoring))
        return _keep(run, store, 0, {})
    store.must_be_writable()  # loading a model can take minutes
    spec = resolve(run.scoring.model).model_copy(update={"dtype": run.scoring.dtype})
    scorer = open_scorer(spec, run.scoring.protocol)
    if scorer.key.hash != run.scoring.hash:
        raise ModelError(
            f"The model {run.scoring.model} is not the one this run was asked for ({run.scoring.identity} "
            f"then, {scorer.key.identity} now): its files have changed; ask for the run again."
        )
    table = scorer.check(words)
    require_every_group(run, table)
    store.save_run(run, environment(scorer), complete=False)
    refused = tuple(word for word in words if word in table.refused)
    if set(refused) - set(store.known_words(run.scoring).refused):
        store.write(run.scoring, (), refused, table, np.empty((0, 0)), environment(scorer))
    cells = Counter(run.prompts)
    blocks = store.missing(run.scoring, run.prompts, words)
    total = sum(cells[prompt] for block in blocks for prompt in block.prompts)
    work = _Work(run, store, scorer, table, cells, total, on_progress, should_stop, between_batches)
    for block in blocks:
        work.score(block)
    return _keep(run, store, work.scored, environment(scorer))


@dataclass
class _Work:
    """A run under way.  ``done`` cells are in the store or scored by now, ``scored`` of them by us."""

    run: RunSpec
    store: Store
    scorer: Scorer
    table: TokenTable
    cells: Counter[str]
    total: int
    on_progress: Callable[[int, int, float], None]
    should_stop: Callable[[], bool]
    between_batches: Callable[[], None]
    done: int = 0
    scored: int = 0
    pace: Pace = field(default_factory=Pace)

    def score(self, block: Missing) -> None:
        """Score and write a block, less what another process has written since it was found missing."""
        self._pause()
        self._report(0)
        lacking = self.store.missing(self.run.scoring, block.prompts, block.words)
        for part in lacking:
            self._score_part(part)
        self._report(self._count(block.prompts) - sum(self._count(part.prompts) for part in lacking))

    def _score_part(self, part: Missing) -> None:
        values = np.full((len(part.prompts), len(part.words)), np.nan, dtype=np.float32)
        filled, seconds, began = 0, 0.0, time.perf_counter()
        for rows, nats in self.scorer.batches(part.prompts, part.words):
            values[rows] = nats
            filled += len(rows)
            seconds += time.perf_counter() - began
            self._report(self._count(part.prompts[row] for row in rows))
            if filled < len(values):
                self._pause()
            began = time.perf_counter()
        if np.isnan(values).any():
            raise ScoringError(
                f"The model {self.run.scoring.model} gave no score to some of {len(values)} prompts: "
                "its scorer is broken; report it with the name of the model."
            )
        cells = self._count(part.prompts)
        provenance = {
            **environment(self.scorer),
            "timings": {"seconds": seconds, "cells_per_second": cells / max(seconds, 1e-9)},
        }
        self.store.write(self.run.scoring, part.prompts, part.words, self.table, values, provenance)
        self.scored += cells

    def _pause(self) -> None:
        """Between two batches, and between two shards."""
        self.between_batches()
        if self.should_stop():
            raise Stopped

    def _report(self, cells: int) -> None:
        self.done += cells
        self.on_progress(self.done, self.total, self.pace.rate(self.done))

    def _count(self, prompts: Iterable[str]) -> int:
        return sum(self.cells[prompt] for prompt in prompts)


def require_every_group(run: RunSpec, table: TokenTable) -> None:
    """Refuse a topic of which some group has no word that the model can express.

    Raises:
        ModelError: the first such group, with its words and why they were refused.
    """
    for group in run.topic.groups:
        if not any(word in table.tokens for word in group.words):
            reasons = "; ".join(f"{word!r}: {table.refused.get(word, 'unknown')}" for word in group.words)
            raise ModelError(
                f"The model {run.scoring.model} can express no word of the group {group.name!r} ({reasons}): "
                "add a word that its tokenizer has, or choose another model."
            )


def environment(scorer: Scorer) -> dict[str, Any]:
    """What made a number, for its manifest: versions of what is loaded, device, threads."""
    torch = sys.modules.get("torch")
    loaded = {name: sys.modules[name].__version__ for name in LIBRARIES if name in sys.modules}
    return {
        "versions": {"pcf_core": pcf_core.__version__, "python": platform.python_version(), **loaded},
        "device": getattr(scorer, "device", "cpu"),
        "threads": torch.get_num_threads() if torch else 1,
        "machine": platform.machine(),
    }


def _keep(run: RunSpec, store: Store, scored: int, provenance: Mapping[str, Any]) -> int:
    """Mark a run as complete; one of which nothing had to be scored keeps the provenance it has."""
    known = {info.run.key: info for info in store.runs()}.get(run.key)
    if scored or known is None or not known.complete or known.run != run:
        store.save_run(run, provenance if scored or known is None else known.provenance, complete=True)
    return scored
