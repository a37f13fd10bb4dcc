"""A large run some shards at a time: millions of prompts are never held at once."""

from __future__ import annotations

from collections.abc import Iterator

from pcf_core.records import RunSpec
from pcf_core.settings import settings
from pcf_core.store import Missing, Store

PROMPTS_AT_ONCE = 32_768


def prompt_parts(run: RunSpec) -> Iterator[tuple[str, ...]]:
    """The run's prompts in order, as many at a time as make whole shards.

    Cut like this, shards have the same prompts wherever scoring stopped and went on.
    """
    shard = settings().shard_prompts
    size = shard * max(1, PROMPTS_AT_ONCE // shard)
    prompts = run.prompts
    for start in range(0, len(prompts), size):
        yield prompts[start : start + size]


def missing_blocks(store: Store, run: RunSpec) -> Iterator[Missing]:
    """What the store lacks of a run when it is asked for, block after block."""
    for part in prompt_parts(run):
        yield from store.missing(run.scoring, part, run.topic.words)
