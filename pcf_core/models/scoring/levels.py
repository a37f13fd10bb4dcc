"""Prefix trees level by level, where a mask cannot show a model the branches of a tree.

A recurrent layer reads the tokens of a row in order, and ALiBi counts the slots of a row, so branches cannot
share a row.  But as when it writes a text, a model can continue from its cache: keys and values, or a state.
So a forward pass takes the nodes of one depth, a row each, with copies of the caches of their parents.  Every
distinct beginning is still computed once, rows have one length, and there is no padding.

**Worked example**, "the nurse s|he", "the nurse said h|e" and "the nurse said s|he" (``|`` between tokens of
a word), each token with the row of its parent in the pass before:

    pass 1   the
    pass 2   nurse (0)
    pass 3   s (0)       said (0)
    pass 4   h (1)       s (1)

The last tokens of words are only read, so they are in no pass.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import torch

from pcf_core.core.records import FloatArray
from pcf_core.models.scoring.trees import Indices, Tree

CACHES = ("past_key_values", "cache_params")  # names of a model's argument and result
BYTES = 2**17  # of caches for each token of a batch, 1 GiB in the usual one
HALF_A_BATCH = 2**14  # tokens of two usual batches: caches may take half the memory of the weights
# (rows, positions of a forward pass that are read, index of a place and token of each read, inputs) -> nats
Read = Callable[..., FloatArray]


class Levels:
    """Reads trees level by level.  ``name``: of the model's argument for a cache, empty if it has none."""

    def __init__(self, model: Any, device: str) -> None:
        self.model, self.device = model, device
        accepted = inspect.signature(model.forward).parameters
        self.name = next((name for name in CACHES if name in accepted), "")
        self._latest: Any = None

    @torch.inference_mode()
    def rows(self, longest: int, batch_tokens: int) -> int:
        """Return how many rows fit into one pass, if each has ``longest`` tokens in its cache."""
        first, more = self._bytes
        weights = sum(part.nbytes for part in self.model.parameters())
        budget = batch_tokens * max(BYTES, weights // HALF_A_BATCH)
        fit: int = budget // (first + more * longest)
        return min(batch_tokens, max(1, fit))

    @torch.inference_mode()
    def nats(self, read: Read, tree: Tree, rows: int, memory: Any = None) -> FloatArray:
        """Return [read] log-probabilities, with at most so many ``rows`` in a pass.

        ``memory``: the cache of the tokens before the tree.
        """
        nats = np.full(len(tree.reads), np.nan)
        hook = self.model.register_forward_hook(self._keep)
        try:
            self._descend(read, tree, np.array([-1]), copy.deepcopy(memory), rows, nats)
        finally:
            hook.remove()
            self._latest = None
        return nats

    def _descend(
        self, read: Read, tree: Tree, above: Indices, cache: Any, rows: int, nats: FloatArray
    ) -> None:
        """Fill in the reads below the nodes ``above``, of each of which ``cache`` has a row."""
        nodes = np.flatnonzero(np.isin(tree.parents, above))
        parts = np.array_split(nodes, -(-len(nodes) // rows)) if len(nodes) else []
        for part in parts:
            parents = np.searchsorted(above, tree.parents[part])
            same = cache is None or (len(parts) == 1 and np.array_equal(parents, np.arange(len(above))))
            own = cache if same else chosen(cache, parents, last=part is parts[-1])
            reads = np.flatnonzero(np.isin(tree.reads[:, 2], part))
            places, index = np.unique(tree.reads[reads, 2], return_inverse=True)
            row = torch.as_tensor(np.searchsorted(part, places), device=self.device)
            nats[reads] = read(
                row,
                torch.zeros_like(row),
                index,
                tree.reads[reads, 3],
                input_ids=torch.as_tensor(tree.ids[part, None], device=self.device),
                use_cache=True,
                **{self.name: own},
            )
            self._descend(read, tree, part, self._latest, rows, nats)

    def _keep(self, module: Any, arguments: Any, output: Any) -> None:
        self._latest = output[self.name]

    @cached_property
    def _bytes(self) -> tuple[int, int]:
        """Bytes in the cache of one token, and what each further one adds."""
        sizes, cache = list[int](), None
        for _ in range(2):
            ids = torch.zeros((1, 1), dtype=torch.int64, device=self.device)
            cache = self.model(input_ids=ids, use_cache=True, **{self.name: cache})[self.name]
            sizes.append(size(cache))
        return sizes[0], sizes[1] - sizes[0]


def chosen(cache: Any, rows: Indices, *, last: bool) -> Any:
    """Return a cache with these rows of another, which may be lost if this is its ``last`` use."""
    own = cache if last else copy.deepcopy(cache)
    own.reorder_cache(torch.as_tensor(rows))
    return own


def size(cache: Any) -> int:
    """Return the bytes of all tensors in a cache."""
    if isinstance(cache, torch.Tensor):
        return cache.nbytes
    parts = vars(cache) if hasattr(cache, "reorder_cache") else cache
    if isinstance(parts, Mapping):
        parts = list(parts.values())
    return sum(map(size, parts)) if isinstance(parts, (list, tuple)) else 0
