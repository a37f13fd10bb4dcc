"""Which prompts × words the layers of the store lack, and what they have of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import FloatArray, ScoringKey
from pcf_core.settings import settings
from pcf_core.store.layer import Layer


@dataclass(frozen=True)
class Missing:
    """A block of prompts × words that has to be scored."""

    prompts: tuple[str, ...]
    words: tuple[str, ...]


def missing_blocks(
    layers: Sequence[Layer],
    key: ScoringKey,
    prompts: Sequence[str],
    words: Sequence[str],
    refused: Collection[str],
) -> list[Missing]:
    """What no layer has of prompts × words, as :meth:`~pcf_core.store.store.Store.missing` says it."""
    prompts = tuple(dict.fromkeys(prompts))
    words = tuple(word for word in dict.fromkeys(words) if word not in refused)
    there = np.zeros((len(prompts), len(words)), dtype=bool)
    for layer in layers:
        for holding in layer.holdings(key.hash, prompts):
            _, columns = _shared(holding.words, words)
            cells = np.ix_(holding.positions, columns)
            if not there[cells].all() and layer.is_intact(key.hash, holding.shard):
                there[cells] = True
    alike: dict[bytes, list[int]] = {}
    for row, lack in enumerate(np.packbits(~there, axis=1)):
        alike.setdefault(lack.tobytes(), []).append(row)
    blocks = []
    for rows in alike.values():
        lacking = tuple(word for word, known in zip(words, there[rows[0]], strict=True) if not known)
        for start in range(0, len(rows) if lacking else 0, settings().shard_prompts):
            part = rows[start : start + settings().shard_prompts]
            blocks.append(Missing(tuple(prompts[row] for row in part), lacking))
    return blocks


def gathered(
    layers: Sequence[Layer], key: ScoringKey, prompts: Sequence[str], words: Sequence[str]
) -> FloatArray:
    """[prompt, word] float32 nats, of the first layer that has them; NaN where none has."""
    values = np.full((len(prompts), len(words)), np.nan, dtype=np.float32)
    for layer in layers:
        for holding in layer.holdings(key.hash, prompts):
            there, columns = _shared(holding.words, words)
            cells = np.ix_(holding.positions, columns)
            if not np.isnan(values[cells]).any():
                continue
            shard = layer.read(key.hash, holding.shard)
            if shard is not None:
                row_of = {prompt: row for row, prompt in enumerate(shard.prompts)}
                rows = np.array([row_of[prompts[position]] for position in holding.positions])
                values[cells] = shard.values[np.ix_(rows, there)]
    return values


def _shared(shard_words: Sequence[str], words: Sequence[str]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Columns of the shard, and of the request, for the words they have in common."""
    column_of = {word: column for column, word in enumerate(shard_words)}
    here = [column for column, word in enumerate(words) if word in column_of]
    there = [column_of[words[column]] for column in here]
    return np.array(there, dtype=np.int_), np.array(here, dtype=np.int_)
