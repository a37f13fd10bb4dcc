"""Score what the store lacks of a run: the one function for the foreground and for the worker."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pcf_core.audit import missing_blocks, prompt_parts, select_words
from pcf_core.errors import ModelError
from pcf_core.jobs.blocks import Block, ParallelScorer, ScoredBlock, environment, score_block
from pcf_core.jobs.self_audit import audit_scores
from pcf_core.models import resolve
from pcf_core.records import LeftOut, ModelSpec, Protocol, RunSpec, ScoringKey, TokenTable, Topic
from pcf_core.scoring.base import Scorer, refused_words
from pcf_core.store import Missing, Store

OpenScorer = Callable[[ModelSpec, str], Scorer]

WINDOW_SECONDS = 30.0


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
    more_to_come: bool = False,
    on_wait: Callable[[], None] = lambda: None,
) -> int:
    """Score a run's missing cells shard by shard, and keep the run.

    The model is opened only if something is missing.  Each shard counts once it is written, so that whoever
    comes after an interruption scores the rest alone, and what another process has written meanwhile is left.
    Of several processes on one cache that are to score the same run, one does and the others wait for it.

    Args:
        run: what is asked for.
        store: where scores are and go.
        open_scorer: from a model and a protocol to its scorer.
        on_progress: called after each batch with cells done, cells in all, cells a second.
        should_stop: asked between two batches.
        between_batches: called there as well; what it takes is not counted as scoring.
        more_to_come: more draws may be asked of the run; it is neither complete nor audited yet.
        on_wait: called several times a second, as ``between_batches`` is, while another process is at it.

    Returns:
        The number of cells (occupation × template) that lacked a word and were scored.

    Raises:
        Stopped: ``should_stop`` said so.
        ModelError: the model is unknown, has changed, or no word of some group counts with it.
        ScoringError: the model failed.
        StoreError: the store is full or read-only.
    """
    if _is_done(run, store, more_to_come):
        return 0
    store.must_be_writable()  # loading a model can take minutes

    with run_turn(run.key, store, should_stop, between_batches, on_wait):
        if _is_done(run, store, more_to_come):  # by another process, meanwhile
            return 0
        return _score(run, store, open_scorer, on_progress, should_stop, between_batches, more_to_come)


def run_turn(
    name: str,
    store: Store,
    should_stop: Callable[[], bool],
    between_batches: Callable[[], None],
    on_wait: Callable[[], None],
) -> AbstractContextManager[None]:
    """The turn at a run, or at something of it; who waits for it can be stopped as who scores can.

    Raises:
        Stopped: ``should_stop`` said so.
        StoreError: the store is full or read-only.
    """

    def while_waiting() -> None:
        on_wait()
        between_batches()
        if should_stop():
            raise Stopped

    return store.turn(name, while_waiting)


def _is_done(run: RunSpec, store: Store, more_to_come: bool) -> bool:
    """Whether nothing is left to be scored or audited; such a run is kept as what it is.

    Raises:
        ModelError: no word of some group counts.
    """
    known = {info.run.key: info for info in store.runs()}.get(run.key)
    begun = known is not None and bool(known.provenance) and not known.complete  # and not audited yet
    if begun or next(missing_blocks(store, run), None) is not None:
        return False
    require_every_group(run.topic, run.scoring.model, store.known_words(run.scoring))
    if known is None or not known.complete or known.run != run:
        store.save_run(run, {} if known is None else known.provenance, complete=not more_to_come)
    return True


def _score(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: Callable[[int, int, float], None],
    should_stop: Callable[[], bool],
    between_batches: Callable[[], None],
    more_to_come: bool,
) -> int:
    """Score what is missing, then audit it; see :func:`score_run`."""
    words = run.topic.words
    spec = resolve(run.scoring.model).with_dtype(run.scoring.dtype)
    scorer = open_scorer(spec, run.scoring.protocol)
    if scorer.key.hash != run.scoring.hash:
        raise ModelError(
            f"The model {run.scoring.model} is not the one this run was asked for ({run.scoring.identity} "
            f"then, {scorer.key.identity} now): its files have changed; ask for the run again."
        )
    table = scorer.check(words)
    require_every_group(run.topic, run.scoring.model, table)
    store.save_run(run, environment(scorer), complete=False)
    keep_words(store, run.scoring, words, table, environment(scorer))
    work = _Work(run, store, scorer, table, on_progress, should_stop, between_batches)
    work.score()
    if more_to_come:
        return work.scored
    found = audit_scores(run, store, scorer, spec, open_scorer, work.pause)
    store.save_run(run, {**environment(scorer), "self_audit": found.model_dump()}, complete=True)
    return work.scored


@dataclass
class _Work:
    """A run under way.  ``done`` cells are in the store or scored by now, ``scored`` of them by us.

    ``cells`` counts the prompts of the part of the run that is at work.
    """

    run: RunSpec
    store: Store
    scorer: Scorer
    table: TokenTable
    on_progress: Callable[[int, int, float], None]
    should_stop: Callable[[], bool]
    between_batches: Callable[[], None]
    cells: Counter[str] = field(default_factory=Counter)
    total: int = 0
    done: int = 0
    scored: int = 0
    pace: Pace = field(default_factory=Pace)

    def score(self) -> None:
        """Score and write what is missing."""
        self.total = sum(self._count(block.prompts) for block in self._blocks())
        if isinstance(self.scorer, ParallelScorer):
            for block, found in self.scorer.score_blocks(self._lacking(), self.pause):
                self._keep(block, found)
                self._report(block.cells)
        else:
            for block in self._lacking():
                self._keep(block, self._score_here(block))
        if self.done != self.total:  # the rest was written by another process
            self._report(self.total - self.done)

    def pause(self) -> None:
        """Between two batches, and between two shards."""
        self.between_batches()
        if self.should_stop():
            raise Stopped

    def _blocks(self) -> Iterator[Missing]:
        """What is missing when it is its turn, part after part of the run."""
        for part in prompt_parts(self.run):
            self.cells = Counter(part)
            yield from self.store.missing(self.run.scoring, part, self.run.topic.words)

    def _lacking(self) -> Iterator[Block]:
        """The blocks, less what another process has written since they were found missing."""
        for block in self._blocks():
            self.pause()
            self._report(0)
            lacking = [
                Block(part.prompts, part.words, self._count(part.prompts))
                for part in self.store.missing(self.run.scoring, block.prompts, block.words)
            ]
            found = self._count(block.prompts) - sum(part.cells for part in lacking)
            yield from lacking
            self._report(found)

    def _score_here(self, block: Block) -> ScoredBlock:
        done = self.done
        return score_block(
            self.scorer,
            block,
            on_batch=lambda rows: self._report(self._count(block.prompts[row] for row in rows)),
            on_restart=lambda: self._report(done - self.done),
            pause=self.pause,
        )

    def _keep(self, block: Block, found: ScoredBlock) -> None:
        self.store.write(
            self.run.scoring, block.prompts, block.words, self.table, found.values, found.provenance
        )
        self.scored += block.cells

    def _report(self, cells: int) -> None:
        self.done += cells
        self.on_progress(self.done, self.total, self.pace.rate(self.done))

    def _count(self, prompts: Iterable[str]) -> int:
        return sum(self.cells[prompt] for prompt in prompts)


def keep_words(
    store: Store, key: ScoringKey, words: Sequence[str], table: TokenTable, provenance: Mapping[str, Any]
) -> None:
    """Keep what a tokenizer says of words and no scores will bring along: a shard without prompts.

    That is of words it refuses, and of words that an earlier version scored and kept without their tokens.
    """
    known = store.known_words(key)
    told = tuple(
        word
        for word in words
        if (word in table.refused and word not in known.refused)
        or (word in table.spelling and word in known.tokens and word not in known.spelling)
    )
    if told:
        accepted = sum(word in table.tokens for word in told)
        store.write(key, (), told, table, np.empty((0, accepted)), provenance)


def require_every_group(
    topic: Topic, model: str, table: TokenTable, protocol: Protocol = "exact"
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """The words that count and those left out, of a topic of which every group has words that count.

    Raises:
        ModelError: the first group that has none, with some of its words and why they do not count.
    """
    words, left_out = select_words(topic, table, protocol)
    reasons = {item.name: item.reason for item in left_out}
    for group in topic.groups:
        if all(word in reasons for word in group.words):
            refused = refused_words({word: reasons[word] for word in group.words})
            raise ModelError(
                f"The model {model} can use no word of the group {group.name!r} ({refused}): add a word that "
                "its tokenizer has and tells from those of other groups, or choose another model."
            )
    return words, left_out
