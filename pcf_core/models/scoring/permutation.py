"""Permutation models: XLNet.

**Quantity.**  For a word of k tokens w₁…w_k, k places stand open at ``[Y]`` and are filled from left to right
inside the word.  A place that is not filled yet is hidden from every token, where a masked model would see
that a token is missing there:

    log P_k(w) = Σ_{j=1..k} log P(w_j at place j | left, w_1 … w_{j−1}, right)

in nats, each factor normalised over the whole vocabulary and the sum taken in float64.  The model is asked
for place j by its position alone (two-stream attention: ``perm_mask`` hides the open places,
``target_mapping`` names place j; Yang et al. 2019, https://arxiv.org/abs/1906.08237).  The text on the right
is conditioned on, and so are the closing tokens that the tokenizer itself puts behind a text; all is one
segment.  Given k the probabilities of all sequences of k tokens sum to one; for different k they do not share
one sample space.

**Worked example**, the word " she" of two tokens "▁sh", "e" in "that [Y].", where "_" is an open place:

1. P("▁sh" at the first  | that _ _ .)   = 0.2
2. P("e"   at the second | that ▁sh _ .) = 0.5
3. log P₂(she) = log 0.2 + log 0.5 = log 0.1 = −2.303
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.masked import MaskedScorer, Query


class PermutationScorer(MaskedScorer):
    """See the file's docstring for the quantity.

    The inputs are those of :class:`MaskedScorer`; their masks mark the open places, and are never read.
    """

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        model = loaded.model
        if model.dtype != torch.float32:  # where transformers leaves its table of distances
            model.base_model.dropout.register_forward_hook(lambda module, inputs, out: out.to(model.dtype))
        super().__init__(loaded, key, context=context, batch_tokens=batch_tokens)

    @property
    def traits(self) -> dict[str, str]:
        """What distinguishes its scoring, by subject."""
        return super().traits | {
            "batching": "Rows of one length run together; a prompt with k open places runs once for all its "
            "words."
        }

    def _logits(self, rows: torch.Tensor, positions: torch.Tensor, **inputs: Any) -> torch.Tensor:
        """Return [row, vocabulary] logits; by ``target_mapping``, of one place a row."""
        logits: torch.Tensor = self.model(**inputs).logits[:, 0]
        return logits

    def _inputs(self, queries: Sequence[Query]) -> dict[str, Any]:
        """Make the arguments of the model for rows of equal length."""
        ids = torch.tensor([query.ids for query in queries], device=self.device)
        wanted = torch.tensor([[query.position] for query in queries], device=self.device)
        places = torch.arange(ids.shape[1], device=self.device)
        return {
            "input_ids": ids,
            "perm_mask": (ids == self.mask)[:, None].expand(-1, len(places), -1).to(self.model.dtype),
            "target_mapping": (places == wanted)[:, None].to(self.model.dtype),
            "use_mems": False,
        }
