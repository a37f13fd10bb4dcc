"""Texts from encoder–decoder models such as T5 and BART.

The encoder's text and the decoder's beginning depend on the task of the training:

- **Sentinels** (T5, Raffel et al. 2020, https://arxiv.org/abs/1910.10683): the encoder reads ``prompt
  <extra_id_0>``, the decoder begins with its start token and ``<extra_id_0>``, and the next sentinel ends the
  text, which fills a gap after the prompt.
- **Instructions** (FLAN-T5): the encoder reads the prompt alone, the decoder begins with its start token.
- **A mask** (BART, Lewis et al. 2020, https://arxiv.org/abs/1910.13461): the encoder reads ``prompt <mask>``
  and the decoder continues its start token and the prompt, which it was trained to repeat.

Both kinds of T5 have sentinels, so the kind is tested: a model trained with sentinels almost always begins
its answer with the sentinel that it read.  If the mean probability over ``PROBES`` is below one half, it
takes instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import torch

from pcf_core.core.errors import GenerationError
from pcf_core.core.generation import GenerationKey, in_one
from pcf_core.models.generation.local import LEAST, LocalGenerator
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.seam import Ids
from pcf_core.models.scoring.seq2seq import first_token

PROBES = ("The weather today is", "She went to the market and bought", "In the morning the children")


class Seq2SeqGenerator(LocalGenerator):
    """An encoder–decoder that writes here; ``gap``: the token after the prompt, or ``None``."""

    def __init__(self, loaded: Loaded, key: GenerationKey, *, context: int = 0) -> None:
        super().__init__(loaded, key, context=context)
        self.first = first_token(self.model, self.seam, GenerationError)
        self.sentinels = self.seam.sentinels
        self.gap = self.sentinels[0] if self.sentinels else self.tokenizer.mask_token_id
        if self.sentinels and not self._opens_with_sentinel():
            self.gap = self.sentinels = None

    def _stopping_tokens(self) -> set[int]:
        """Add the sentinels; those that a tokenizer adds as extra have other numbers."""
        names = self.tokenizer.get_vocab()
        return super()._stopping_tokens() | {
            names[name] for name in names if name.startswith("<extra_id_") and name.endswith(">")
        }

    def _opens_with_sentinel(self) -> bool:
        """Tell whether the decoder, given its start token alone, begins with a sentinel."""
        shares = []
        for ids in self.seam.encode(PROBES):
            logits, _ = self._read([self._source(ids)], [(self.first,)])
            shares.append(float(logits[0].float().softmax(dim=-1)[self.gap]))
        return sum(shares) / len(shares) >= 0.5

    def prompt_ids(self, prompt: str) -> Ids:
        """See :meth:`LocalGenerator.prompt_ids`."""
        return self.seam.encode([in_one(self.key.told, prompt)])[0]

    def _needs(self, ids: Ids) -> int:
        return max(len(self._source(ids)), len(self._start(ids)) + self.key.decoding.length)

    def _source(self, ids: Ids) -> Ids:
        gap = () if self.gap is None else (self.gap,)
        return self.seam.opening + ids + gap + self.seam.closing

    def _start(self, ids: Ids) -> Ids:
        if self.gap is None:
            return (self.first,)
        return (self.first, self.gap) if self.sentinels else (self.first, *self.seam.opening, *ids)

    @torch.inference_mode()
    def _begin(self, prompts: Sequence[Ids]) -> tuple[torch.Tensor, dict[str, Any]]:
        repeated = list(islice(cycle(prompts), max(len(prompts), LEAST)))
        logits, state = self._read(
            [self._source(ids) for ids in repeated], [self._start(ids) for ids in repeated]
        )
        self._make_room(state["past_key_values"].self_attention_cache)
        return logits[: len(prompts)], state

    @torch.inference_mode()
    def _select(self, state: dict[str, Any], rows: torch.Tensor) -> None:
        state["past_key_values"].batch_select_indices(rows)
        encoded = state["encoder_outputs"]
        encoded.last_hidden_state = encoded.last_hidden_state[rows]
        state["attention_mask"] = state["attention_mask"][rows]

    @torch.inference_mode()
    def _next(self, state: dict[str, Any], drawn: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(decoder_input_ids=drawn, use_cache=True, **state).logits[:, -1]
        return logits

    def _text(self, ids: Ids, written: Ids) -> str:
        return self._decoded(written) if self.gap is None else self._continuation(ids, written)

    @torch.inference_mode()
    def _read(self, sources: Sequence[Ids], starts: Sequence[Ids]) -> tuple[torch.Tensor, dict[str, Any]]:
        ids = torch.tensor(sources, device=self.device)
        mask = torch.ones_like(ids)
        encoded = self.model.get_encoder()(input_ids=ids, attention_mask=mask)
        answer = self.model(
            encoder_outputs=encoded,
            attention_mask=mask,
            decoder_input_ids=torch.tensor(starts, device=self.device),
            use_cache=True,
        )
        reading = {
            "encoder_outputs": encoded,
            "attention_mask": mask,
            "past_key_values": answer.past_key_values,
        }
        return answer.logits[:, -1], reading
