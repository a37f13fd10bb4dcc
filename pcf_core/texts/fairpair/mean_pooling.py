"""Encode texts by a masked model: the mean of its last hidden states.

The vector of a text with tokens t₁ … t_n is (1/n) Σ_i h_i in float64, where h_i is the body's hidden state
for t_i.  Special tokens surround the text as in training but are not averaged; those spelled out in the text
are dropped.  Longer texts are read in pieces of the model's longest input, and averaged over all tokens.  A
text without a token is the vector of zeros.

**Worked example.**  "She reads." is [CLS] she reads . [SEP]; the states (9, 9), (1, 0), (2, 3), (0, 3) and
(7, 7) give (1, 2): the mean of the three in the middle.

Source: mean pooling as in Reimers & Gurevych 2019, https://arxiv.org/abs/1908.10084.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import torch

from pcf_core.core.errors import FairPairError, ScoringError
from pcf_core.core.records import FloatArray
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.seam import Ids, Seam

BATCH_TOKENS = 4096  # of one forward pass
Piece = tuple[int, Ids]  # index of a text, and some of its tokens


class MeanPooling:
    """See the module.  ``context``: the model's longest input in tokens, 0 for no limit."""

    def __init__(self, loaded: Loaded, name: str, *, context: int = 0) -> None:
        self.model = loaded.model
        self.device = loaded.device
        self.name = name
        self.seam = Seam(loaded.tokenizer, name, int(self.model.get_input_embeddings().weight.shape[0]))
        around = len(self.seam.opening) + len(self.seam.closing)
        self.longest = context - around if context else BATCH_TOKENS
        if self.longest < 1:
            raise FairPairError(
                f"The encoder {name} can take {context} tokens, of which {around} are special tokens, so "
                "there is no room for a text: choose another encoder."
            )

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return [text, dimension] vectors."""
        special = self.seam.specials
        encoded = [tuple(one for one in ids if one not in special) for ids in self.seam.encode(texts)]
        sums = np.zeros((len(texts), int(self.model.config.hidden_size)))
        for batch in self._batches(encoded):
            rows = [text for text, _ in batch]
            np.add.at(sums, rows, self._sums([ids for _, ids in batch]))
        counts = np.array([len(ids) for ids in encoded])
        return np.asarray(sums / np.maximum(counts, 1)[:, np.newaxis])

    def _batches(self, encoded: Sequence[Ids]) -> Iterator[list[Piece]]:
        """Yield pieces of equal length, so that there is no padding; the shortest first."""
        lengths: defaultdict[int, list[Piece]] = defaultdict(list)
        for text, ids in enumerate(encoded):
            for start in range(0, len(ids), self.longest):
                piece = ids[start : start + self.longest]
                lengths[len(piece)].append((text, piece))
        for length, pieces in sorted(lengths.items()):
            size = max(1, BATCH_TOKENS // length)
            yield from (pieces[start : start + size] for start in range(0, len(pieces), size))

    @torch.inference_mode()
    def _sums(self, pieces: Sequence[Ids]) -> FloatArray:
        opening, closing = self.seam.opening, self.seam.closing
        ids = torch.tensor([opening + piece + closing for piece in pieces], device=self.device)
        try:
            answer = self.model(input_ids=ids, attention_mask=torch.ones_like(ids))
        except torch.OutOfMemoryError as error:
            raise ScoringError(
                f"The encoder {self.name} ran out of memory: free memory on {self.device}, or choose a "
                "smaller encoder."
            ) from error
        states = answer.last_hidden_state[:, len(opening) : len(opening) + len(pieces[0])]
        sums: FloatArray = states.double().sum(dim=1).cpu().numpy()
        if not np.isfinite(sums).all():
            raise ScoringError(
                f"The encoder {self.name} returned NaN, so its weights are damaged: check them."
            )
        return sums
