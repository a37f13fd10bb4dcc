"""Masked models such as BERT.

**Quantity.**  For a word of k tokens w₁…w_k, k masks at ``[Y]`` are filled from left to right (Kauf & Ivanova
2023, https://arxiv.org/abs/2305.10588, PLL-word-l2r):

    log P_k(w) = Σ_{j=1..k} log P(w_j | left, w_1 … w_{j−1}, [MASK] × (k−j+1), right)

in nats, each factor normalised over the whole vocabulary and the sum taken in float64.  The text on the right
is conditioned on.  For given k the probabilities of all sequences of k tokens sum to one; different k do not
share one sample space.

**Worked example**, the word "she" of two tokens "sh", "##e" in "The nurse said that [Y] .":

1. P("sh"  | The nurse said that [MASK] [MASK] .) = 0.2
2. P("##e" | The nurse said that sh [MASK] .)     = 0.5
3. log P₂(she) = log 0.2 + log 0.5 = log 0.1 = −2.303

**Speed.**  After the attention of the last layer only the mask that is read is computed, if the architecture
has a module there and gives the same numbers, which is tested when a model is opened.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pcf_core.core.errors import ModelError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Batch, TokenNats, check_context, plan, row_cost
from pcf_core.models.scoring.local import LocalScorer, probe_positions
from pcf_core.models.scoring.seam import Ids, Pieces
from pcf_core.models.scoring.trees import Indices

Reads = list[tuple[int, int, int]]  # (row of the block, word, token)


@dataclass(frozen=True)
class Query:
    """One distinct input of the model; the distribution at ``position`` is read."""

    ids: Ids
    position: int


class MaskedScorer(LocalScorer):
    """Scores masked models: every distinct (prompt, k, filled beginning) runs once."""

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        super().__init__(loaded, key, context=context, batch_tokens=batch_tokens)
        if loaded.tokenizer.mask_token_id is None:
            raise ModelError(
                f"The tokenizer of {key.model} has no mask token, which a masked model "
                "needs: save its own tokenizer with it, or choose another model."
            )
        self.mask: int = loaded.tokenizer.mask_token_id
        self.opening_type = int(getattr(loaded.tokenizer, "cls_token_type_id", 0))
        self._find_shortcuts([self._probe_inputs(ids) for ids in self._probe_ids()], last=True)

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        return super().traits | {
            "batching": "Rows of one length run together; a prompt with k masks runs once for all its words."
        }

    def _token_nats(self, texts: Sequence[str]) -> list[TokenNats]:
        """Return log P(token | all other tokens) of every token, one mask at a time.

        Their sum is the pseudo-log-likelihood (Salazar et al. 2020,
        https://aclanthology.org/2020.acl-main.240).
        """
        sentences = self.seam.whole(texts)
        around = len(self.seam.opening) + len(self.seam.closing)
        check_context(self.key, self.context, [len(ids) + around for ids in sentences], texts)
        reads: defaultdict[Query, Reads] = defaultdict(list)
        for row, ids in enumerate(sentences):
            for index, token in enumerate(ids):
                masked = (*ids[:index], self.mask, *ids[index + 1 :])
                query = Query(self.seam.opening + masked + self.seam.closing, len(self.seam.opening) + index)
                reads[query].append((row, index, token))
        values = self._read(reads, len(texts), max(map(len, sentences), default=0))
        return [TokenNats(ids, nats[: len(ids)]) for ids, nats in zip(sentences, values, strict=True)]

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        pieces = self.seam.cut(prompts, words)
        queries = [self._queries(piece) for piece in pieces]
        longest = [max(len(query.ids) for query in row) for row in queries]
        check_context(self.key, self.context, longest, prompts)
        costs = [sum(len(query.ids) for query in row) for row in queries]
        for block in plan(longest, costs, self.batch_tokens):
            reads: defaultdict[Query, Reads] = defaultdict(list)
            for number, row in enumerate(block):
                for query, targets in queries[row].items():
                    reads[query].extend((number, word, token) for word, token in targets)
            yield Batch(np.array(block), self._read(reads, len(block), len(words)))

    def _queries(self, pieces: Pieces) -> dict[Query, list[tuple[int, int]]]:
        """Make the inputs of one prompt, each with the (word, token) pairs whose probability it gives."""
        queries: defaultdict[Query, list[tuple[int, int]]] = defaultdict(list)
        start = self.seam.opening + pieces.left
        for word, (ids, right) in enumerate(zip(pieces.words, pieces.rights, strict=True)):
            for filled, token in enumerate(ids):
                masks = (self.mask,) * (len(ids) - filled)
                whole = start + ids[:filled] + masks + right + self.seam.closing
                queries[Query(whole, len(start) + filled)].append((word, token))
        return queries

    def _read(self, reads: dict[Query, Reads], rows: int, words: int) -> FloatArray:
        values = np.zeros((rows, words))
        queries = list(reads)
        kinds = [self._kind(query) for query in queries]
        order = {kind: number for number, kind in enumerate(sorted(set(kinds)))}
        costs = [self._cost(len(query.ids)) for query in queries]
        for bucket in plan([order[kind] for kind in kinds], costs, self.batch_tokens):
            chosen = [queries[index] for index in bucket]
            flat = [(n, *read) for n, query in enumerate(chosen) for read in reads[query]]
            number, row, word, token = np.array(flat).T
            np.add.at(values, (row, word), self._log_probabilities(chosen, number, token))
        return values

    def _probe_inputs(self, ids: Indices) -> dict[str, Any]:
        """Make the model's arguments for texts [row, token], with a mask where each is read."""
        rows, positions = probe_positions(*ids.shape)
        ids[rows, positions] = self.mask
        queries = zip(ids.tolist(), positions.tolist(), strict=True)
        return self._inputs([Query(tuple(row), position) for row, position in queries])

    def _kind(self, query: Query) -> tuple[int, ...]:
        """Return what queries of one forward pass have in common: their length."""
        return (len(query.ids),)

    def _cost(self, length: int) -> int:
        positions = length if self.body is None else 1
        return row_cost(length, positions, self.vocabulary, self.batch_tokens)

    @torch.inference_mode()
    def _log_probabilities(self, queries: Sequence[Query], number: Any, token: Any) -> FloatArray:
        rows = torch.arange(len(queries), device=self.device)
        positions = torch.tensor([query.position for query in queries], device=self.device)
        with self._device_errors():
            return self._nats(rows, positions, number, token, **self._inputs(queries))

    def _inputs(self, queries: Sequence[Query]) -> dict[str, Any]:
        """Make the model's arguments for rows of equal length; Funnel has a type for the opening token."""
        ids = torch.tensor([query.ids for query in queries], device=self.device)
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if self.opening_type:
            inputs["token_type_ids"] = types = torch.zeros_like(ids)
            types[:, 0] = self.opening_type
        return inputs
