"""Prompts that belong to no run, of a knowledge set or an experiment: scored block by block, as runs are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pcf_core.errors import ModelError
from pcf_core.jobs.blocks import Block, score_block
from pcf_core.jobs.scoring import OpenScorer, Pace
from pcf_core.models import resolve
from pcf_core.records import ModelSpec, ScoringKey, TokenTable
from pcf_core.scoring.base import Scorer
from pcf_core.store import Missing, Store


def open_asked(key: ScoringKey, store: Store, open_scorer: OpenScorer) -> tuple[ModelSpec, Scorer]:
    """The model of a key and its scorer, where scores can be kept at all: loading can take minutes.

    Raises:
        StoreError: the store is full or read-only.
        ModelError: the model is unknown, or has changed since it was asked for.
    """
    store.must_be_writable()
    spec = resolve(key.model).with_dtype(key.dtype)
    scorer = open_scorer(spec, key.protocol)
    if scorer.key.hash != key.hash:
        raise ModelError(
            f"The model {key.model} is not the one that was asked for ({key.identity} then, "
            f"{scorer.key.identity} now): its files have changed; ask again."
        )
    return spec, scorer


def score_blocks(
    blocks: Sequence[Missing],
    scorer: Scorer,
    table: TokenTable,
    store: Store,
    on_progress: Callable[[int, int, float], None],
    pause: Callable[[], None],
) -> int:
    """Score blocks and keep each once it is whole.

    Args:
        blocks: what the store lacks.
        scorer: of the model.
        table: how the tokenizer writes the blocks' words.
        store: where the scores go.
        on_progress: called with prompts done, prompts in all, prompts a second.
        pause: called between two batches and two blocks; what it raises ends the work.

    Returns:
        The number of prompts.

    Raises:
        TemplateError: a prompt is longer than the model's context.
        ScoringError: the model failed.
        StoreError: the store is full or read-only.
    """
    total, done, pace = sum(len(block.prompts) for block in blocks), 0, Pace()

    def report(prompts: int) -> None:
        nonlocal done
        done += prompts
        on_progress(done, total, pace.rate(done))

    def restart(began: int) -> None:
        report(began - done)

    for block in blocks:
        pause()
        found = score_block(
            scorer,
            Block(block.prompts, block.words, cells=len(block.prompts)),
            on_batch=lambda rows: report(len(rows)),
            on_restart=partial(restart, done),
            pause=pause,
        )
        store.write(scorer.key, block.prompts, block.words, table, found.values, found.provenance)
    return total
