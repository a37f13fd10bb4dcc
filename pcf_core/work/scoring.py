"""Score the missing cells of a run, for the command line and for the worker.

A run scores every template, or as many as its sampling plan draws:

    draw → score what is missing → look: narrow enough? → twice as many draws, or done: the self-audit

The run is stored with its draws at every look, so that a later start resumes there.  A finer plan begins with
the draws of a coarser one, so their scores are reused.
"""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.preferences import prompt_parts, select_words
from pcf_core.audit.results import is_unchecked, load_result, look_at, unchecked
from pcf_core.audit.sampling import furthest, plan_of, with_draws
from pcf_core.audit.slots import (
    check_slots,
    missing,
    slots_of,
    starts_counted,
    stored_prompt,
    table_at,
    written_words,
)
from pcf_core.core.errors import ModelError, OpeningError, RunError, StoreError
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Look
from pcf_core.core.run import (
    ModelSpec,
    Progress,
    Protocol,
    RunSpec,
    ScoredSentence,
    TokenTable,
)
from pcf_core.core.topics import Topic, whole_word_prompt
from pcf_core.measure.sampling import looks
from pcf_core.models.beginnings import require_asked
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, refused_words
from pcf_core.store.layer import Scores
from pcf_core.store.results import RunInfo
from pcf_core.store.store import Store
from pcf_core.work.blocks import (
    Block,
    ParallelScorer,
    ScoredBlock,
    environment,
    keep_words,
    prompts_a_block,
    score_block,
    scorers_of,
)
from pcf_core.work.early import last_sentence, spread_ranks
from pcf_core.work.jobs import REPORT_SECONDS, JobContext, OpenScorer, Pace, Pause, PauseClock, job, no_pause
from pcf_core.work.requests import ScoreRequest
from pcf_core.work.sampled import sample_run
from pcf_core.work.self_audit import audit_sample, sample_of_run

OnProgress = Callable[[Progress], None]
T = TypeVar("T")

AT_ONCE_SECONDS = 0.5  # a model that opens faster was already open
SAVE_SECONDS = 1.0  # between saves of finished blocks: a kill loses at most this and one block
MOST_TOGETHER = 128  # most blocks saved in one step, while others wait for the cache


def score_run(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: OnProgress = lambda at: None,
    pause: Pause = no_pause,
    more_to_come: bool = False,
    on_wait: Callable[[str], None] = lambda holder: None,
) -> int:
    """Score the missing cells of a run shard by shard, store it, and check some; return the cells scored.

    The model is opened only if something is missing.  An interruption loses at most one shard; of several
    processes that score the same run, one works and the others wait.  After the last shard the run is
    complete and can be read while cells are checked (:mod:`pcf_core.work.self_audit`).

    ``on_progress`` is called after each batch and each checked cell; time in ``pause`` does not count as
    scoring. ``more_to_come``: more templates may be drawn, so the run is not complete yet.  ``on_wait`` is
    called several times a second with the name of the process that scores the run; an exception ends the
    waiting.

    Raises ModelError if the model is unknown or has changed or a group has no usable word, ScoringError if
    the model fails, and StoreError if the store is full or read-only.
    """
    run = store.as_stored(run)
    info = _stored_info(run, store)
    if info is not None and info.complete:  # otherwise looked up once, under the lock
        left = _work_left(run, store, info, more_to_come)
        if not left.any:
            _save_as_scored(run, store, info, more_to_come)
            return 0
    store.must_be_writable()  # loading a model can take minutes

    with run_lock(run.key, store, pause, on_wait):
        info = _stored_info(run, store)
        left = _work_left(run, store, info, more_to_come)  # another process may have scored it meanwhile
        if not left.scores and not left.check:
            _save_as_scored(run, store, info, more_to_come)
        if not left.any:
            return 0
        return _score(run, store, open_scorer, on_progress, pause, more_to_come, left)


def run_lock(
    name: str, store: Store, pause: Pause, on_wait: Callable[[str], None]
) -> AbstractContextManager[None]:
    """Acquire the lock of a run or of a part of its work; waiting can be cancelled like scoring."""

    def while_waiting(holder: str) -> None:
        on_wait(holder)
        pause()

    return store.lock(name, while_waiting)


@dataclass(frozen=True)
class _Gap:
    """Prompts of a part of a run, as its rows, that lack the same words, with the ``cells`` of each.

    ``start``: the number of prompts in earlier parts.
    """

    rows: NDArray[np.int32]
    words: tuple[str, ...]
    cells: NDArray[np.int32]
    start: int


@dataclass(frozen=True)
class _WorkLeft:
    """Remaining work: ``gaps`` [part, gap], the ``check``, and the token ``counts`` of the run's words.

    ``changes``: the store's number of changes when the gaps were looked up; ``None`` if a later look has to
    compare the scores themselves.
    """

    gaps: tuple[tuple[_Gap, ...], ...]
    changes: int | None
    check: bool
    counts: bool

    @property
    def scores(self) -> bool:
        """Whether scores are missing."""
        return any(self.gaps)

    @property
    def any(self) -> bool:
        return self.scores or self.check or self.counts


def _work_left(run: RunSpec, store: Store, info: RunInfo | None, more_to_come: bool) -> _WorkLeft:
    changes, gaps, marks = store.changes(run.scoring), list[tuple[_Gap, ...]](), array("q")
    start = 0
    for part in prompt_parts(run):
        cells = _cells_by_prompt(part)
        row_of = {stored_prompt(prompt): row for row, prompt in enumerate(part)}
        gaps.append(
            tuple(
                _Gap(
                    np.array([row_of[prompt] for prompt in block.prompts], dtype=np.int32),
                    block.words,
                    np.array([cells[prompt] for prompt in block.prompts], dtype=np.int32),
                    start,
                )
                for block in missing(store, run.scoring, part, run.topic.words)
            )
        )
        marks.extend(map(hash, row_of))
        start += len(part)
    sorted_marks = np.sort(np.asarray(marks))
    if (sorted_marks[1:] == sorted_marks[:-1]).any():  # parts may share prompts
        changes = None
    return _WorkLeft(
        gaps=tuple(gaps),
        changes=changes,
        check=info is not None and _is_unaudited(info) and not more_to_come,
        # Only the tokenizer knows the tokens of words that begin a text.
        counts=not starts_counted(store.known_words(run.scoring), run.topic.words, slots_of(run)),
    )


def _cells_by_prompt(part: Sequence[str]) -> dict[str, int]:
    """Count the cells behind each stored prompt, for words with one kind of letters joined to them."""
    cells: dict[str, int] = {}
    for (prompt, _, _), count in Counter(map(whole_word_prompt, part)).items():
        cells[prompt] = max(cells.get(prompt, 0), count)
    return cells


def _stored_info(run: RunSpec, store: Store) -> RunInfo | None:
    """Return the stored run, unless it was imported."""
    made = {info.run.key: info for info in store.runs() if not info.run.scoring.imported}
    return made.get(run.key)


def _save_as_scored(run: RunSpec, store: Store, info: RunInfo | None, more_to_come: bool) -> None:
    """Save a run that lacks no score; it is complete unless more draws may follow.

    If the cache cannot be written, a complete run keeps its stored draws.
    """
    table = table_at(store.known_words(run.scoring), run.topic.words, slots_of(run))
    require_every_group(run.as_scored.topic, run.scoring.model, table)
    if info is None or not info.complete:
        store.save_run(run, {} if info is None else info.provenance, complete=not more_to_come)
    elif info.run != run:
        with suppress(StoreError):
            store.save_run(run, info.provenance, complete=not more_to_come)


def _is_unaudited(info: RunInfo) -> bool:
    """Return whether a run was begun and its check is not finished."""
    return is_unchecked(info) or (bool(info.provenance) and not info.complete)


def _score(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: OnProgress,
    pause: Pause,
    more_to_come: bool,
    left: _WorkLeft,
) -> int:
    slots = slots_of(run)
    words = written_words(run.topic.words, slots)
    spec = resolve(run.scoring.model).scored_like(run.scoring)
    timings = _timings_so_far(run, store)
    on_progress(Progress(stage="loading", seconds_left=_expected_loading(run, store)))
    began = time.perf_counter()
    scorer = open_scorer(spec, run.scoring.protocol)
    loading = time.perf_counter() - began
    timings |= {"loading": loading} if loading > AT_ONCE_SECONDS else {}
    require_asked(run.scoring, scorer.key)
    table = check_slots(scorer, run.topic.words, slots)
    usable = table_at(table, run.topic.words, slots)
    counting, _ = require_every_group(run.as_scored.topic, run.scoring.model, usable)
    made = environment(scorer)
    if left.scores:
        store.save_run(run, {**made, "timings": timings}, complete=False)
    written = keep_words(store, run.scoring, words, table, made)
    if not left.scores and not left.check:
        return 0
    changes = None if left.changes is None else left.changes + written
    work = _Work(run, store, scorer, table, counting, on_progress, PauseClock(pause), changes)
    work.score(left.gaps)
    timings["scoring"] = timings.get("scoring", 0.0) + work.seconds
    if more_to_come:
        store.save_run(run, {**made, "timings": timings}, complete=False)
        return work.scored
    work.write()
    made["timings"] = timings
    sample = sample_of_run(run, scorer)
    store.save_run(run, made | unchecked(sample.facts))
    began, seconds = time.perf_counter(), timings["scoring"]
    audit = audit_sample(sample, store, scorer, spec, open_scorer, work.pause, seconds, work.on_check)
    timings["checking"] = time.perf_counter() - began
    store.save_run(run, {**made, "self_audit": audit.model_dump()})
    return work.scored


def _timings_so_far(run: RunSpec, store: Store) -> dict[str, float]:
    """Return the seconds spent on an unfinished run, as stored after each look and before the check."""
    info = _stored_info(run, store)
    return dict(info.provenance.get("timings", {})) if info is not None and _is_unaudited(info) else {}


def _expected_loading(run: RunSpec, store: Store) -> float | None:
    taken = (info.provenance.get("timings", {}) for info in store.runs() if info.run.scoring == run.scoring)
    return next((timings["loading"] for timings in taken if "loading" in timings), None)


@dataclass
class _Work:
    """The scoring of one run.

    Of the missing cells, ``done`` are in the store by now, ``scored`` of them by us; ``unsaved`` ones are
    scored but in an unfinished block or in ``whole``.  ``changes``: as in :class:`_WorkLeft`, plus our own
    writes.  ``cells``: of the current part, by prompt; more than one each if it ``repeats``.  ``seconds``: of
    scoring, without pauses.  ``counting``: the words that count; ``sentence``: one of the last finished
    block.

    Finished blocks are saved ``SAVE_SECONDS`` after the last save: the first one at once, each one of a slow
    model, and several of a fast model together, because many take the disk as long as one.
    """

    run: RunSpec
    store: Store
    scorer: Scorer
    table: TokenTable
    counting: Sequence[str]
    on_progress: OnProgress
    pause: PauseClock
    changes: int | None
    cells: dict[str, int] = field(default_factory=dict)
    repeats: bool = False
    total: int = 0
    done: int = 0
    unsaved: int = 0
    scored: int = 0
    seconds: float = 0.0
    pace: Pace = field(default_factory=Pace)
    whole: list[tuple[Block, ScoredBlock]] = field(default_factory=list)
    saved: float = -SAVE_SECONDS
    sentence: ScoredSentence | None = None

    def score(self, gaps: Sequence[Sequence[_Gap]]) -> None:
        """Score and write what is missing; if an exception ends it, finished blocks are still saved."""
        began, paused = time.perf_counter(), self.pause.seconds
        parts = [self._ordered(self._cut(part)) for part in gaps]
        self.total = sum(int(gap.cells.sum()) for part in parts for gap in part)
        try:
            for block, scored in self._scored(self._lacking(parts)):
                self._keep(block, scored)
        finally:
            self._save()
        if self.done != self.total:  # the rest was written by another process
            self._report(self.total - self.done)
        self.seconds = time.perf_counter() - began - (self.pause.seconds - paused)

    def write(self) -> None:
        """Compute and store the result of the run; errors are left to its readers."""
        pace, total = Pace(), self.run.cells

        def on_prompts(done: int) -> None:
            rate = pace.rate(done)
            left = (total - done) / rate if rate else None
            self.on_progress(Progress(stage="writing", done=done, total=total, rate=rate, seconds_left=left))

        def on_part(done: int) -> None:
            on_prompts(done)
            self.pause()

        on_prompts(0)
        with suppress(RunError):
            load_result(self.store, self.run, cast(Protocol, self.run.scoring.protocol), on_prompts=on_part)

    def on_check(self, done: int, total: int, seconds_left: float | None) -> None:
        self.on_progress(Progress(stage="checking", done=done, total=total, seconds_left=seconds_left))

    def _scored(self, lacking: Iterator[Block]) -> Iterator[tuple[Block, ScoredBlock]]:
        if isinstance(self.scorer, ParallelScorer):
            return self.scorer.score_blocks(lacking, self.pause)
        return ((block, self._score_here(block)) for block in lacking)

    def _cut(self, gaps: Sequence[_Gap]) -> Iterator[_Gap]:
        """Divide gaps into blocks, without the words that the tokenizer refuses."""
        most = prompts_a_block(self.scorer)
        for gap in gaps:
            words = tuple(word for word in gap.words if word not in self.table.refused)
            for start in range(0, len(gap.rows) if words else 0, most):
                rows = slice(start, start + most)
                yield _Gap(gap.rows[rows], words, gap.cells[rows], gap.start)

    def _ordered(self, blocks: Iterable[_Gap]) -> list[_Gap]:
        """Order blocks so that whole occupations are finished early, spread evenly over their list.

        Partial results are then a sample of the list, see :mod:`pcf_core.audit.partial`.  The content of
        blocks, and so the bytes of shards, does not change.
        """
        ranks = spread_ranks(len(self.run.evidence.terms))
        sentences = len(self.run.as_scored.drawn.templates)
        return sorted(blocks, key=lambda block: int(ranks[(block.start + block.rows) // sentences].min()))

    def _lacking(self, parts: Sequence[Sequence[_Gap]]) -> Iterator[Block]:
        """Yield the missing blocks, except what another process has scored since."""
        for part, gaps in zip(prompt_parts(self.run), parts, strict=True):
            self.cells = _cells_by_prompt(part)
            self.repeats = any(cells > 1 for cells in self.cells.values())
            for gap in gaps:
                self.pause()
                self._report(0)
                prompts = tuple(stored_prompt(part[row]) for row in gap.rows.tolist())
                block = Block(prompts, gap.words, int(gap.cells.sum()))
                lacking = self._still_lacking(block)
                yield from lacking
                self._report(block.cells - sum(one.cells for one in lacking))

    def _still_lacking(self, block: Block) -> list[Block]:
        """Look up what is still missing of a block if others have added scores since."""
        if self.changes is not None and self.changes == self.store.changes(self.run.scoring):
            return [block]
        self._save()
        return [
            Block(part.prompts, part.words, self._count(part.prompts))
            for part in self.store.missing(self.run.scoring, block.prompts, block.words)
        ]

    def _score_here(self, block: Block) -> ScoredBlock:
        return score_block(
            self.scorer,
            block,
            on_batch=lambda rows: self._report(0, self._count([block.prompts[row] for row in rows])),
            on_restart=lambda: self._report(0, self._cells_of_whole - self.unsaved),
            pause=self.pause,
            on_part=lambda prompts: self._report(0, begun=int(prompts * block.cells / len(block.prompts))),
        )

    def _keep(self, block: Block, scored: ScoredBlock) -> None:
        """Add a finished block; save all of them when it is time, or if prompts may repeat."""
        self.whole.append((block, scored))
        self.unsaved = self._cells_of_whole
        newest = last_sentence(self.run.as_scored, block, scored, self.table, self.counting)
        self.sentence = newest or self.sentence
        if (
            self.changes is None
            or len(self.whole) == MOST_TOGETHER
            or time.monotonic() - self.saved >= SAVE_SECONDS
        ):
            self._save()
        else:
            self._report(0)

    def _save(self) -> None:
        if not self.whole:
            return
        cells = self._cells_of_whole
        blocks = [
            Scores(block.prompts, block.words, scored.values, scored.provenance, scored.left)
            for block, scored in self.whole
        ]
        self.whole = []  # tried once, even if the disk is full
        self.store.write_all(self.run.scoring, self.table, blocks)
        if self.changes is not None:
            self.changes += 1
        self.saved = time.monotonic()
        self.scored += cells
        self._report(cells, -cells)

    @property
    def _cells_of_whole(self) -> int:
        return sum(block.cells for block, _ in self.whole)

    def _report(self, saved: int, unsaved: int = 0, begun: int = 0) -> None:
        """Report further cells: stored, scored but unsaved, and ``begun`` in the current batch."""
        self.done += saved
        self.unsaved += unsaved
        counted = self.done + self.unsaved + begun
        rate = self.pace.rate(counted)
        self.on_progress(
            Progress(
                stage="scoring",
                done=self.done,
                total=self.total,
                unsaved=self.unsaved,
                rate=rate,
                seconds_left=(self.total - counted) / rate if rate > 0 else None,
                begun=begun,
                sentence=self.sentence,
            )
        )

    def _count(self, prompts: Sequence[str]) -> int:
        return sum(map(self.cells.__getitem__, prompts)) if self.repeats else len(prompts)


def require_every_group(
    topic: Topic, model: str, table: TokenTable, protocol: Protocol = "exact"
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the words that count and those left out; refuse a group without a usable word."""
    words, left_out = select_words(topic, table, protocol)
    reasons = {item.name: item.reason for item in left_out}
    for group in topic.groups:
        if all(word in reasons for word in group.words):
            refused = refused_words({word: reasons[word] for word in group.words})
            raise ModelError(
                f"The model {model} can use no word of the group {group.name!r} ({refused}): add a word that "
                "its tokenizer can express and can distinguish from the words of other groups, or choose "
                "another model."
            )
    return words, left_out


@dataclass(frozen=True)
class Finished:
    """A scored run, with the last ``look`` of its plan, if any; ``scored``: cells scored now."""

    run: RunSpec
    scored: int
    look: Look | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of the command ``score`` and of the job."""
        fields: dict[str, Any] = {"run": self.run.key, "cells": self.run.cells, "scored": self.scored}
        return fields if self.look is None else fields | look_document(self.look)


def look_document(look: Look) -> dict[str, Any]:
    """Return a look as a part of a JSON document."""
    return {"sampling": look.model_dump(mode="json")}


def score_asked(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: OnProgress = lambda at: None,
    pause: Pause = no_pause,
    on_look: Callable[[Look], None] = lambda look: None,
    on_wait: Callable[[str], None] = lambda holder: None,
) -> Finished:
    """Score a run to its end; parameters and errors are those of :func:`score_run` and ``load_result``.

    With a sampling plan, ``on_look`` is called at each look; the run ends at the first with narrow enough
    intervals, or with every template drawn.
    """
    run = store.as_stored(run)
    if run.scoring.sampled is not None:
        return Finished(sample_run(run, store, on_progress, pause), run.cells)
    if run.plan is None:
        cells = score_run(run, store, open_scorer, on_progress, pause, on_wait=on_wait)
        return Finished(run, cells)
    within = run.plan.within
    scorer = opened_once(run.scoring.dtype, open_scorer)
    scored, look = 0, None

    def progress(at: Progress) -> None:
        if at.stage == "scoring":
            at = at.model_copy(update={"done": scored + at.done, "total": scored + at.total})
        on_progress(at)

    finished = store.is_finished(run)
    # All looks hold one lock, so that a waiting process continues from the other's last look.
    lock = run_lock(f"{run.key}.looks", store, pause, on_wait)
    with nullcontext() if finished else lock:
        for draws in looks(within).sizes:
            if draws < plan_of(furthest(store, run)).draws:
                continue  # an earlier look, which was not narrow enough
            run = with_draws(run, draws)
            scored += score_run(run, store, scorer, progress, pause, more_to_come=True, on_wait=on_wait)
            look = look_at(store, run)
            on_look(look)
            if look.half_width <= within:
                break
        scored += score_run(run, store, scorer, progress, pause, on_wait=on_wait)
    return Finished(run, scored, look)


def behind_opening(run: RunSpec, score: Callable[[RunSpec], T]) -> T:
    """Return ``score(run)``; if the model turns out to expect another opening, of the run with that one."""
    try:
        return score(run)
    except OpeningError as error:
        return score(run.opened_with(error.opening))


def opened_once(dtype: str, open_scorer: OpenScorer) -> OpenScorer:
    """Open a model of this ``dtype`` once for all looks."""
    scorers: list[Scorer] = []

    def reopen(spec: ModelSpec, protocol: str) -> Scorer:
        if spec.dtype != dtype:  # for the noise floor
            return open_scorer(spec, protocol)
        if not scorers:
            scorers.append(open_scorer(spec, protocol))
        return scorers[0]

    return reopen


@job("score", ScoreRequest)
def answer_score(context: JobContext, request: ScoreRequest) -> dict[str, Any]:
    """Score a run; the job shows its progress and the last look of its sampling plan."""
    claimed = context.job
    run = context.store.load_run(request.run)
    reported = -REPORT_SECONDS
    stage, saved = "", 0  # of the last report
    last_look: dict[str, Any] = {}
    before: int | None = None  # cells of the job scored before this start

    def report(at: Progress) -> None:
        """Report progress, counted from the job's first cell also after a resume."""
        nonlocal reported, stage, saved, before
        if at.stage == "scoring" and before is None:
            ended = claimed.done == claimed.total  # between two looks of a plan, or not begun
            before = claimed.total if ended else max(0, claimed.total - at.total)
        is_news = at.stage != stage or at.done == at.total or (at.stage == "scoring" and at.done != saved)
        if not is_news and time.monotonic() - reported < REPORT_SECONDS:
            return
        reported, stage, saved = time.monotonic(), at.stage, at.done
        if at.stage != "scoring":
            context.note(last_look | at.model_dump())
            return
        at = at.model_copy(update={"done": (before or 0) + at.done, "total": (before or 0) + at.total})
        context.progress(at.done, at.total, at.rate, last_look | at.model_dump())

    def on_look(look: Look) -> None:
        last_look.update(look_document(look))
        context.note(last_look)

    with scorers_of(context.settings.engine, context.settings, context.open_scorer) as scorer:
        done = behind_opening(
            run,
            lambda run: score_asked(
                run, context.store, scorer, report, context.pause, on_look, on_wait=context.wait_for
            ),
        )
    # Stores the result, so that pages open at once; score_run has done so if it scored anything.
    load_result(context.store, done.run, cast(Protocol, run.scoring.protocol))
    return done.document
