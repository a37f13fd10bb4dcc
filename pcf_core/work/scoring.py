"""Score what the store lacks of a run: the one function for the foreground and for the worker.

One block of prompts × words takes the same steps here and on another machine.

**Score what was asked for: every template, or as many as a sampling plan draws.**

    draw → score what is missing → look: narrow enough? → twice as many draws, or done: the self-audit

The run is kept with its draws at every look, so that whoever comes later goes on from there; it is complete
once its goal is met.  The first draws of a finer plan are those of a coarser one, and the store has them.
"""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.places import (
    check_places,
    missing,
    places_of,
    starts_counted,
    stored_prompt,
    table_at,
    written_words,
)
from pcf_core.audit.preferences import missing_blocks, prompt_parts, select_words
from pcf_core.audit.results import is_unchecked, load_result, look_at, unchecked
from pcf_core.audit.sampling import furthest, plan_of, with_draws
from pcf_core.core.errors import ModelError, RunError, StoreError
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Look
from pcf_core.core.run import ModelSpec, Progress, Protocol, RunSpec, TokenTable
from pcf_core.core.topics import Topic, whole_word_prompt
from pcf_core.measure.sampling import looks
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, refused_words
from pcf_core.store.layer import Scores
from pcf_core.store.results import RunInfo
from pcf_core.store.store import Store
from pcf_core.work.blocks import (
    Block,
    ParallelScorer,
    ScoredBlock,
    cut,
    environment,
    keep_words,
    prompts_a_block,
    score_block,
)
from pcf_core.work.engines import scorers_of
from pcf_core.work.jobs import (
    REPORT_SECONDS,
    JobContext,
    OpenScorer,
    Pace,
    Pause,
    PauseClock,
    job,
    no_pause,
)
from pcf_core.work.requests import ScoreRequest
from pcf_core.work.self_audit import audit_scores, scorer_facts

OnProgress = Callable[[Progress], None]

# The blocks of a part of a run: which of its prompts lack which words, and how many cells stand behind them.
Rows = list[tuple[NDArray[np.int32], tuple[str, ...], int]]

AT_ONCE_SECONDS = 0.5  # a model that is there so soon was open already
SAVE_SECONDS = 1.0  # between two times that whole blocks are saved: so much a kill may cost, and one block
MOST_TOGETHER = 128  # blocks that are saved in one step, while others wait for the cache


def score_run(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: OnProgress = lambda at: None,
    pause: Pause = no_pause,
    more_to_come: bool = False,
    on_wait: Callable[[str], None] = lambda holder: None,
) -> int:
    """Score a run's missing cells shard by shard, and keep the run; then check some of them.

    The model is opened only if something is missing, if only how many tokens words have where they begin a
    text.  Each shard counts once it is written, so that whoever
    comes after an interruption scores the rest alone, and what another process has written meanwhile is left.
    Once the last one is written the run is complete, and its result is kept: it can be read while the check
    of its cells (:mod:`pcf_core.work.self_audit`), which comes last, is under way.
    Of several processes on one cache that are to score the same run, one does and the others wait for it.

    Parameters
    ----------
    run
        what is asked for.
    store
        where scores are and go.
    open_scorer
        from a model and a protocol to its scorer.
    on_progress
        called with what the run is at, after each batch and each cell that is checked.
    pause
        called between two batches; what it takes is not counted as scoring, what it raises ends this.
    more_to_come
        more draws may be asked of the run; it is neither complete nor audited yet.
    on_wait
        called several times a second, as ``pause`` is, while another process is at it, with the name
        of that one; what it raises ends this.

    Returns
    -------
    int
        The number of cells (occupation × template) that lacked a word and were scored.

    Raises
    ------
    ModelError
        the model is unknown, has changed, or no word of some group counts with it.
    ScoringError
        the model failed.
    StoreError
        the store is full or read-only.
    """
    run = store.as_stored(run)
    known = _known(run, store)
    kept = known is not None and known.complete  # else the store is asked once, when it is our turn
    if kept and not _lacks(run, store) and _is_done(run, store, more_to_come) and _is_counted(run, store):
        return 0
    store.must_be_writable()  # loading a model can take minutes

    with run_turn(run.key, store, pause, on_wait):
        lacks = _lacks(run, store)  # asked again: another process may have scored it meanwhile
        done = not lacks and _is_done(run, store, more_to_come)
        if done and _is_counted(run, store):
            return 0
        return _score(run, store, open_scorer, on_progress, pause, more_to_come, lacks=lacks, done=done)


def run_turn(
    name: str, store: Store, pause: Pause, on_wait: Callable[[str], None]
) -> AbstractContextManager[None]:
    """Take the lock of a run, or at something of it; who waits for it can be stopped as who scores can.

    Raises
    ------
    StoreError
        the store is full or read-only.
    """

    def while_waiting(holder: str) -> None:
        on_wait(holder)
        pause()

    return store.turn(name, while_waiting)


def _known(run: RunSpec, store: Store) -> RunInfo | None:
    """Return what the store keeps of the run itself; what was imported under its key is not its own."""
    made = {info.run.key: info for info in store.runs() if not info.run.scoring.imported}
    return made.get(run.key)


def _lacks(run: RunSpec, store: Store) -> bool:
    """Whether a score is missing; the first that is ends the search."""
    return next(missing_blocks(store, run), None) is not None


def _is_done(run: RunSpec, store: Store, more_to_come: bool) -> bool:
    """Whether a run that lacks no score is audited too, as far as it has to be; it is kept as what it is.

    A cache that cannot be written keeps the draws that it has of a finished run.

    Raises
    ------
    ModelError
        No word of some group counts.
    StoreError
        The store is full or read-only, and the run is not kept as finished.
    """
    known = _known(run, store)
    if known is not None and _is_unaudited(known) and not more_to_come:
        return False
    table = table_at(store.known_words(run.scoring), run.topic.words, places_of(run))
    require_every_group(run.topic, run.scoring.model, table)
    if known is None or not known.complete:
        store.save_run(run, {} if known is None else known.provenance, complete=not more_to_come)
    elif known.run != run:
        with suppress(StoreError):
            store.save_run(run, known.provenance, complete=not more_to_come)
    return True


def _is_counted(run: RunSpec, store: Store) -> bool:
    """Tell whether the words' tokens are known where they begin a text.

    Only the model's tokenizer can tell.
    """
    return starts_counted(store.known_words(run.scoring), run.topic.words, places_of(run))


def _is_unaudited(known: RunInfo) -> bool:
    """Tell whether a run was begun to be scored, and not checked to the end."""
    return is_unchecked(known) or (bool(known.provenance) and not known.complete)


def _score(
    run: RunSpec,
    store: Store,
    open_scorer: OpenScorer,
    on_progress: OnProgress,
    pause: Pause,
    more_to_come: bool,
    *,
    lacks: bool,
    done: bool,
) -> int:
    """Score what is missing, then audit it; see :func:`score_run`.

    ``lacks``: scores are missing; ``done``: nothing is but how many tokens words have.
    """
    places = places_of(run)
    words = written_words(run.topic.words, places)
    spec = resolve(run.scoring.model).with_dtype(run.scoring.dtype)
    timings = _timings_so_far(run, store)
    on_progress(Progress(stage="loading", seconds_left=_expected_loading(run, store)))
    began = time.perf_counter()
    scorer = open_scorer(spec, run.scoring.protocol)
    loading = time.perf_counter() - began
    timings |= {"loading": loading} if loading > AT_ONCE_SECONDS else {}
    if scorer.key.hash != run.scoring.hash:
        raise ModelError(
            f"The model {run.scoring.model} is not the one this run was asked for ({run.scoring.identity} "
            f"then, {scorer.key.identity} now): its files have changed; ask for the run again."
        )
    table = check_places(scorer, run.topic.words, places)
    require_every_group(run.topic, run.scoring.model, table_at(table, run.topic.words, places))
    made = environment(scorer)
    if lacks:
        store.save_run(run, {**made, "timings": timings}, complete=False)
    keep_words(store, run.scoring, words, table, made)
    if done:
        return 0
    work = _Work(run, store, scorer, table, on_progress, PauseClock(pause))
    work.score()
    timings["scoring"] = timings.get("scoring", 0.0) + work.seconds
    if more_to_come:
        store.save_run(run, {**made, "timings": timings}, complete=False)
        return work.scored
    work.write()
    made["timings"] = timings
    store.save_run(run, made | unchecked(scorer_facts(run, scorer)))
    began = time.perf_counter()
    found = audit_scores(run, store, scorer, spec, open_scorer, work.pause, timings["scoring"], work.on_check)
    timings["checking"] = time.perf_counter() - began
    store.save_run(run, {**made, "self_audit": found.model_dump()})
    return work.scored


def _timings_so_far(run: RunSpec, store: Store) -> dict[str, float]:
    """Return the seconds that a run which was begun has taken by now, as far as they were kept.

    They are kept at the end of a look of its plan, and before its check.
    """
    known = _known(run, store)
    return dict(known.provenance.get("timings", {})) if known is not None and _is_unaudited(known) else {}


def _expected_loading(run: RunSpec, store: Store) -> float | None:
    """Return the seconds that the model took to load for the newest run that measured it."""
    taken = (info.provenance.get("timings", {}) for info in store.runs() if info.run.scoring == run.scoring)
    return next((timings["loading"] for timings in taken if "loading" in timings), None)


@dataclass
class _Work:
    """A run under way.

    Of the cells that were missing ``done`` are in the store by now, ``scored`` of them by us; ``unsaved``
    further ones are scored, in a block that is not whole yet or in ``whole``.  ``changes``: how often the
    store had been added to when it was asked what is missing, and by us since; ``None`` where that tells
    nothing.

    Whole blocks are saved ``SAVE_SECONDS`` after the last were: the first at once, each where scoring one
    takes longer, and of a fast model several together, for the disk takes as long for one as for many.

    ``cells`` counts the prompts of the part of the run that is at work, of which some come again where it
    ``repeats``; ``seconds`` is how long the scoring took, without what was done in pauses.
    """

    run: RunSpec
    store: Store
    scorer: Scorer
    table: TokenTable
    on_progress: OnProgress
    pause: PauseClock
    cells: Counter[str] = field(default_factory=Counter)
    repeats: bool = False
    total: int = 0
    done: int = 0
    unsaved: int = 0
    scored: int = 0
    seconds: float = 0.0
    pace: Pace = field(default_factory=Pace)
    changes: int | None = None
    whole: list[tuple[Block, ScoredBlock]] = field(default_factory=list)
    saved: float = -SAVE_SECONDS

    def score(self) -> None:
        """Score and write what is missing; what ends it before ends it with all whole blocks saved."""
        began, paused = time.perf_counter(), self.pause.seconds
        changes, marks, parts = self.store.changes(self.run.scoring), array("q"), list[Rows]()
        for part in prompt_parts(self.run):
            parts.append(self._missing(part))
            marks.extend(map(hash, self.cells))
        sorted_marks = np.sort(np.asarray(marks))
        if (sorted_marks[1:] != sorted_marks[:-1]).all():  # else a part may hold prompts of another
            self.changes = changes
        try:
            for block, found in self._scored(self._lacking(parts)):
                self._keep(block, found)
        finally:
            self._save()
        if self.done != self.total:  # the rest was written by another process
            self._report(self.total - self.done)
        self.seconds = time.perf_counter() - began - (self.pause.seconds - paused)

    def write(self) -> None:
        """Keep the run's result, so that it can be read at once; who reads it is told why there is none."""
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
        """Report that some cells of the run are checked by now."""
        self.on_progress(Progress(stage="checking", done=done, total=total, seconds_left=seconds_left))

    def _scored(self, lacking: Iterator[Block]) -> Iterator[tuple[Block, ScoredBlock]]:
        """Score blocks, here or wherever the scorer does."""
        if isinstance(self.scorer, ParallelScorer):
            return self.scorer.score_blocks(lacking, self.pause)
        return ((block, self._score_here(block)) for block in lacking)

    def _missing(self, part: Sequence[str]) -> Rows:
        """Find the blocks of a part of the run that are missing, and count their cells."""
        self._begin(part)
        row_of = {stored_prompt(prompt): row for row, prompt in enumerate(part)}
        found = []
        lacking = missing(self.store, self.run.scoring, part, self.run.topic.words)
        for block in cut(lacking, prompts_a_block(self.scorer)):
            rows = np.array([row_of[prompt] for prompt in block.prompts], dtype=np.int32)
            found.append((rows, block.words, self._count(block.prompts)))
            self.total += found[-1][2]
        return found

    def _lacking(self, parts: Sequence[Rows]) -> Iterator[Block]:
        """Yield the blocks, less what another process has written since they were found missing."""
        for part, blocks in zip(prompt_parts(self.run), parts, strict=True):
            self._begin(part)
            for rows, words, cells in blocks:
                self.pause()
                self._report(0)
                block = Block(tuple(stored_prompt(part[row]) for row in rows.tolist()), words, cells)
                lacking = self._still_lacking(block)
                yield from lacking
                self._report(cells - sum(one.cells for one in lacking))

    def _still_lacking(self, block: Block) -> list[Block]:
        """Ask the store again, unless nothing was added since but what we did."""
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
        )

    def _keep(self, block: Block, found: ScoredBlock) -> None:
        """Take a whole block, and save it with those before it if it is time, or prompts may come twice."""
        self.whole.append((block, found))
        self.unsaved = self._cells_of_whole
        if (
            self.changes is None
            or len(self.whole) == MOST_TOGETHER
            or time.monotonic() - self.saved >= SAVE_SECONDS
        ):
            self._save()
        else:
            self._report(0)

    def _save(self) -> None:
        """Write the whole blocks."""
        if not self.whole:
            return
        cells = self._cells_of_whole
        blocks = [
            Scores(block.prompts, block.words, found.values, found.provenance) for block, found in self.whole
        ]
        self.whole = []  # tried once, also where the disk is full
        self.store.write_all(self.run.scoring, self.table, blocks)
        if self.changes is not None:
            self.changes += 1
        self.saved = time.monotonic()
        self.scored += cells
        self._report(cells, -cells)

    @property
    def _cells_of_whole(self) -> int:
        return sum(block.cells for block, _ in self.whole)

    def _report(self, saved: int, unsaved: int = 0) -> None:
        """Report how many cells more are in the store, and how many wait to be written with their block."""
        self.done += saved
        self.unsaved += unsaved
        known = self.done + self.unsaved
        rate = self.pace.rate(known)
        self.on_progress(
            Progress(
                stage="scoring",
                done=self.done,
                total=self.total,
                unsaved=self.unsaved,
                rate=rate,
                seconds_left=(self.total - known) / rate if rate > 0 else None,
            )
        )

    def _begin(self, part: Sequence[str]) -> None:
        """Count the cells behind each prompt of a part, for words with one kind of letters joined to them."""
        self.cells.clear()
        for (prompt, _, _), cells in Counter(map(whole_word_prompt, part)).items():
            self.cells[prompt] = max(self.cells[prompt], cells)
        self.repeats = any(cells > 1 for cells in self.cells.values())

    def _count(self, prompts: Sequence[str]) -> int:
        """Count the cells behind prompts of the part that is at work."""
        return sum(map(self.cells.__getitem__, prompts)) if self.repeats else len(prompts)


def require_every_group(
    topic: Topic, model: str, table: TokenTable, protocol: Protocol = "exact"
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the words that count and those left out; refuse a topic with a group without words that count.

    Raises
    ------
    ModelError
        The first group that has none, with some of its words and why they do not count.
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


# Score what was asked for: every template, or as many as a sampling plan draws.


@dataclass(frozen=True)
class Finished:
    """A run that is scored: with the draws of its last ``look`` if it has a plan.  ``scored``: cells now."""

    run: RunSpec
    scored: int
    look: Look | None = None

    @property
    def document(self) -> dict[str, Any]:
        """What ``score`` answers, and the worker."""
        found: dict[str, Any] = {"run": self.run.key, "cells": self.run.cells, "scored": self.scored}
        return found if self.look is None else found | look_document(self.look)


def look_document(look: Look) -> dict[str, Any]:
    """Return a look under the name by which answers and running jobs carry it."""
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
    """Score a run to its end; see :func:`pcf_core.work.scoring.score_run` for what all runs share.

    With a plan, ``on_look`` is called at each look with what was found, and the run ends at the first one
    whose intervals are narrow enough, or that has drawn every template.

    Raises
    ------
    AuditError
        as ``score_run`` and ``load_result``.
    """
    run = store.as_stored(run)
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
    # All looks are one turn: who waited goes on where the other came to, not at the draws of its own look.
    turn = run_turn(f"{run.key}.looks", store, pause, on_wait)
    with nullcontext() if finished else turn:
        for draws in looks(within).sizes:
            if draws < plan_of(furthest(store, run)).draws:
                continue  # an earlier look, here or of another process, which was not narrow enough
            run = with_draws(run, draws)
            scored += score_run(run, store, scorer, progress, pause, more_to_come=True, on_wait=on_wait)
            look = look_at(store, run)
            on_look(look)
            if look.half_width <= within:
                break
        scored += score_run(run, store, scorer, progress, pause, on_wait=on_wait)
    return Finished(run, scored, look)


def opened_once(dtype: str, open_scorer: OpenScorer) -> OpenScorer:
    """Load a model, which computes with ``dtype``, for its first look and keep it for the others."""
    kept: list[Scorer] = []

    def reopen(spec: ModelSpec, protocol: str) -> Scorer:
        if spec.dtype != dtype:  # a second reader, for the noise floor
            return open_scorer(spec, protocol)
        if not kept:
            kept.append(open_scorer(spec, protocol))
        return kept[0]

    return reopen


@job("score", ScoreRequest)
def answer_score(context: JobContext, request: ScoreRequest) -> dict[str, Any]:
    """Score what is asked for; while it is under way the job says what a plan's last look has found."""
    asked = context.job
    run = context.store.load_run(request.run)
    reported = -REPORT_SECONDS
    stage, saved = "", 0  # which were said last
    found: dict[str, Any] = {}  # the last look of a plan
    before: int | None = None  # cells of the job that were scored before this start

    def report(at: Progress) -> None:
        """Report progress.

        Also after a resume, ``done`` counts from the job's first cell; a plan's ``total`` grows.
        """
        nonlocal reported, stage, saved, before
        if at.stage == "scoring" and before is None:
            ended = asked.done == asked.total  # between two looks of a plan, or nothing was done
            before = asked.total if ended else max(0, asked.total - at.total)
        is_news = at.stage != stage or at.done == at.total or (at.stage == "scoring" and at.done != saved)
        if not is_news and time.monotonic() - reported < REPORT_SECONDS:
            return
        reported, stage, saved = time.monotonic(), at.stage, at.done
        if at.stage != "scoring":
            context.note(found | at.model_dump())
            return
        at = at.model_copy(update={"done": (before or 0) + at.done, "total": (before or 0) + at.total})
        context.progress(at.done, at.total, at.rate, found | at.model_dump())

    def on_look(look: Look) -> None:
        found.update(look_document(look))
        context.note(found)

    with scorers_of(context.settings.engine, context.settings, context.open_scorer) as scorer:
        done = score_asked(
            run, context.store, scorer, report, context.pause, on_look, on_wait=context.wait_for
        )
    # Kept, so that pages open it at once; where something was scored, it is already.
    load_result(context.store, done.run, cast(Protocol, run.scoring.protocol))
    return done.document
