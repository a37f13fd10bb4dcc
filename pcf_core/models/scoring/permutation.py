"""Permutation models: XLNet.

**Quantity.**  For a word of k tokens w₁…w_k, k open places at ``[Y]`` are filled from left to right.  A place
that is not filled yet is hidden from every token, where a masked model would see that a token is missing:

    log P_k(w) = Σ_{j=1..k} log P(w_j at place j | left, w_1 … w_{j−1}, right)

in nats, each factor normalised over the whole vocabulary and the sum taken in float64.  Place j is given by
its position alone (two-stream attention: ``perm_mask`` hides the open places, ``target_mapping`` names place
j; Yang et al. 2019, https://arxiv.org/abs/1906.08237).  The text on the right is conditioned on, and so are
the tokenizer's closing tokens; all is one segment.  For given k the probabilities of all sequences of k
tokens sum to one; different k do not share one sample space.

**Worked example**, the word " she" of two tokens "▁sh", "e" in "that [Y].", where "_" is an open place:

1. P("▁sh" at the first  | that _ _ .)   = 0.2
2. P("e"   at the second | that ▁sh _ .) = 0.5
3. log P₂(she) = log 0.2 + log 0.5 = log 0.1 = −2.303

**Speed.**  transformers' code also computes the open places, the whole last layer, and the distances for each
row.  Our code computes only what answers depend on.  Whether it gives the same logits is tested when a model
is opened; otherwise, and for a second opinion, transformers' code is used.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.masked import MaskedScorer, Query
from pcf_core.models.shortcuts import LIGHT, agree, product


class PermutationScorer(MaskedScorer):
    """Scores XLNet, with the inputs of :class:`MaskedScorer`, whose masks mark the open places.

    ``lean``: whether :meth:`_states` is used instead of transformers' own code.
    """

    lean = False

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        model = loaded.model
        if model.dtype != torch.float32:  # transformers leaves its table of distances in float32
            model.base_model.dropout.register_forward_hook(lambda module, inputs, out: out.to(model.dtype))
        super().__init__(loaded, key, context=context, batch_tokens=batch_tokens)
        self.layers = self._own_layers()
        self.lean = bool(self.layers) and self._is_lean()

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        return super().traits | {
            "batching": "Rows of one length run together; a prompt with k open places runs once for all its "
            "words."
        }

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, one row a forward pass of transformers' own."""
        plain = copy.copy(self)
        plain.lean = False
        return super(PermutationScorer, plain).alone(prompt, word)

    def _own_layers(self) -> list[Layer]:
        """Make the layers for :meth:`_states`; none if the model is built differently."""
        try:
            return [Layer(layer, light=self.parameters <= LIGHT) for layer in self.model.base_model.layer]
        except AttributeError:
            return []

    def _kind(self, query: Query) -> tuple[int, ...]:
        """Return what queries of one forward pass have in common: length, position, and open places."""
        open_places = (index for index, token in enumerate(query.ids) if token == self.mask)
        return len(query.ids), query.position, *open_places

    def _logits(self, rows: torch.Tensor, positions: torch.Tensor, **inputs: Any) -> Iterator[torch.Tensor]:
        """Yield [row, vocabulary] logits at one place a row."""
        ids = inputs["input_ids"]
        if not self.lean or bool((ids[0] == self.mask).all()):
            yield self._forward(inputs)[:, 0]
            return
        with self.products.used():
            states = self._states(ids, int(positions[0]))
        for some in states.tensor_split(self._slices(len(states))):
            with self.products.used():
                logits = self.model.get_output_embeddings()(some)
            yield logits[:, 0]

    def _states(self, ids: torch.Tensor, position: int) -> torch.Tensor:
        """Return [row, 1, width]: the last layer's answer about one open place in ids [row, token].

        Two-stream attention as in transformers' ``XLNetModel``, without the content at open places, which
        nothing attends to, and in the last layer only keys and values.  Distances are multiplied once for all
        rows.
        """
        body, length = self.model.base_model, ids.shape[1]
        (seen,) = (ids[0] != self.mask).nonzero(as_tuple=True)
        content = body.word_embedding(ids[:, seen])
        query: torch.Tensor = body.mask_emb.expand(len(ids), 1, -1)
        table = body.relative_positional_encoding(length, length, bsz=1, device=ids.device)[:, 0]
        table = table.to(content.dtype)  # [length − distance, width]
        for layer in self.layers:
            keys, values, far = layer.keys(content), layer.values(content), layer.distances(table)
            query = layer.behind(query, keys, values, far[length - position + seen[None]])
            if layer is not self.layers[-1]:
                content = layer.behind(content, keys, values, far[length - seen[:, None] + seen])
        return query

    @torch.inference_mode()
    def _is_lean(self) -> bool:
        """Tell whether :meth:`_states` gives the model's own logits, with two open places."""
        draw = np.random.default_rng(0).integers(0, self.vocabulary // 2, (2, 12))
        draw += draw == self.mask
        draw[:, 5:7] = self.mask
        queries = [Query(tuple(row), 5) for row in draw.tolist()]

        def scores(lean: bool) -> FloatArray:
            self.lean, self.layers = lean, self._own_layers()  # with the current weights
            logits = self._logits(torch.arange(2), torch.tensor([5, 5]), **self._inputs(queries))
            return torch.cat(list(logits)).double().cpu().numpy()

        return agree(self.model, lambda: scores(True), lambda: scores(False))

    def _inputs(self, queries: Sequence[Query]) -> dict[str, Any]:
        ids = torch.tensor([query.ids for query in queries], device=self.device)
        wanted = torch.tensor([[query.position] for query in queries], device=self.device)
        places = torch.arange(ids.shape[1], device=self.device)
        return {
            "input_ids": ids,
            "perm_mask": (ids == self.mask)[:, None].expand(-1, len(places), -1).to(self.model.dtype),
            "target_mapping": (places == wanted)[:, None].to(self.model.dtype),
            "use_mems": False,
        }


class Layer:
    """A layer of XLNet, for streams [row, place, width]; heads are [row, head, place, dimension]."""

    def __init__(self, layer: Any, *, light: bool) -> None:
        self.own, self.attention = layer, layer.rel_attn
        self.q, self.k, self.v, self.r = (
            product(weight.flatten(1), light=light)
            for weight in (self.attention.q, self.attention.k, self.attention.v, self.attention.r)
        )
        self.o = product(self.attention.o.flatten(1).t(), light=light)

    def keys(self, stream: torch.Tensor) -> torch.Tensor:
        """Return heads."""
        return self._heads(self.k(stream))

    def values(self, stream: torch.Tensor) -> torch.Tensor:
        """Return heads."""
        return self._heads(self.v(stream))

    def distances(self, table: torch.Tensor) -> torch.Tensor:
        """Return [distance, head, dimension], scaled like scores."""
        return self._split(self.r(table) * self.attention.scale)

    def behind(
        self, stream: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, far: torch.Tensor
    ) -> torch.Tensor:
        """Return a stream after this layer: it sees ``keys``, at distances ``far`` [place, seen, …]."""
        attention = self.attention
        queries = self._heads(self.q(stream))
        by_distance = torch.einsum("rhpd,pshd->rhps", queries + attention.r_r_bias[:, None], far)
        attended = torch.nn.functional.scaled_dot_product_attention(
            queries + attention.r_w_bias[:, None], keys, values, attn_mask=by_distance, scale=attention.scale
        )
        joined = self.o(attended.transpose(1, 2).flatten(2))
        answer: torch.Tensor = self.own.ff(attention.layer_norm(joined + stream))
        return answer

    def _heads(self, stream: torch.Tensor) -> torch.Tensor:
        return self._split(stream).transpose(1, 2)

    def _split(self, stream: torch.Tensor) -> torch.Tensor:
        """Return [row, place, head, dimension] of [row, place, width], for any leading axes."""
        return stream.view(*stream.shape[:-1], *self.attention.q.shape[1:])
