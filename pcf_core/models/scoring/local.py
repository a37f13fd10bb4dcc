"""The base of the families that run a model here: its tensors, its tokenizer, its errors."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from transformers.activations import NewGELUActivation

from pcf_core.core.errors import ScoringError
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import BEHIND_A_SPACE, Scorer, out_of_memory
from pcf_core.models.scoring.seam import PROBE, Seam


class LocalScorer(Scorer):
    """A loaded model, asked for the distributions over the vocabulary at given positions.

    ``body`` is the module whose last hidden states the model's head turns into logits, so that only the
    positions that are needed go through the head; ``None`` where the architecture does not allow it (asked
    when the model is opened).  ``context`` is the number of tokens that the model can take, 0 for no limit.
    """

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        super().__init__(key, batch_tokens)
        self.model = loaded.model
        self.device = loaded.device
        self.context = context
        self.parameters = sum(weights.numel() for weights in self.model.parameters())
        self.vocabulary = int(self.model.get_output_embeddings().weight.shape[0])
        self.seam = Seam(loaded.tokenizer, key.model, self.vocabulary)
        self.body: Any = None
        _fuse_activations(self.model)

    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Return the tokens of words in a text, and the words that cannot be scored with the reason."""
        return self.seam.check(words, text)

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, one row a forward pass."""
        single = copy.copy(self)
        single.batch_tokens = 1
        return float(single.score([prompt], [word])[0, 0])

    @property
    def traits(self) -> dict[str, str]:
        """What distinguishes its scoring, by subject."""
        names = self.seam.tokenizer.convert_ids_to_tokens
        bare, behind = self.seam.encode(["he", f"{PROBE} he"])
        joins = behind[-len(bare) :] != bare
        opening, closing = (" ".join(names(list(ids))) for ids in (self.seam.opening, self.seam.closing))
        return {
            "space": "The space before a word is part of its first token."
            if joins
            else "A word has the same tokens with a space before it and without.",
            "opening": f"A text opens with {opening}." if opening else "No token is put before a text.",
            "closing": f"A text closes with {closing}." if closing else "No token is put behind a text.",
        }

    @property
    def tolerance(self) -> float:
        """How far two ways to compute the same logits may lie apart, by the model's own number type."""
        return 1e-4 if self.model.dtype == torch.float32 else 0.1

    @contextmanager
    def _device_errors(self) -> Iterator[None]:
        """Turn running out of memory and a lost device into an error with a sentence."""
        try:
            yield
        except torch.OutOfMemoryError as error:
            raise out_of_memory(self.key, self.batch_tokens) from error
        except torch.AcceleratorError as error:
            reason = str(error).splitlines()[0]
            raise ScoringError(
                f"The device {self.device} failed while {self.key.model} was scored ({reason}); finished "
                "shards are kept: restart the worker and resume."
            ) from error

    def _logits(self, rows: torch.Tensor, positions: torch.Tensor, **inputs: Any) -> torch.Tensor:
        """Return [place, vocabulary] logits at the places (row, position) of one forward pass."""
        if self.body is None:
            places: torch.Tensor = self.model(**inputs).logits[rows, positions]
            return places

        def trim(module: Any, arguments: Any, output: Any) -> Any:
            states = output.last_hidden_state  # on another device where a model is split over several
            chosen = states[rows.to(states.device), positions.to(states.device)]
            output.last_hidden_state = chosen.unsqueeze(0)
            return output

        hook = self.body.register_forward_hook(trim)
        try:
            logits: torch.Tensor = self.model(**inputs).logits[0]
        finally:
            hook.remove()
        return logits

    @torch.inference_mode()
    def _find_body(self, **inputs: Any) -> Any:
        """Find the module before the head, with a text of two tokens of which the second is read."""
        row, position = torch.tensor([[0], [1]], device=self.device)
        self.body = None
        full = self._logits(row, position, **inputs).float()
        for body in (self.model.base_model, self.model.get_decoder()):
            if body is None or body is self.model:
                continue
            self.body = body
            try:
                trimmed = self._logits(row, position, **inputs).float()
            except (AttributeError, IndexError, RuntimeError, TypeError):
                continue
            if trimmed.shape == full.shape and torch.allclose(trimmed, full, atol=self.tolerance):
                return body
        return None


def _fuse_activations(model: Any) -> None:
    """Compute the tanh form of GELU (GPT-2, GPT-Neo, T5 v1.1) in one pass over memory instead of eight.

    The same formula (Hendrycks & Gimpel 2016, https://arxiv.org/abs/1606.08415) in PyTorch's own kernel;
    scores move by a few units of float32's last place.
    """
    for module in model.modules():
        for name, part in module.named_children():
            if isinstance(part, NewGELUActivation):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))
