"""The base of the families that run a model here: its tensors, its tokenizer, its errors."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from transformers.activations import NewGELUActivation

from pcf_core.core.errors import ScoringError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.models.loading import Loaded
from pcf_core.models.products import LIGHT, Products
from pcf_core.models.scoring.base import BEHIND_A_SPACE, SLICE, Scorer, log_normaliser, out_of_memory
from pcf_core.models.scoring.seam import PROBE, Seam
from pcf_core.models.scoring.trees import Indices

# Of a slice of logits: with fewer, what a matrix product does once weighs more than the memory that is saved.
FEWEST_PLACES = 256


class LocalScorer(Scorer):
    """A loaded model, asked for the distributions over the vocabulary at given positions.

    ``body`` is the module whose last hidden states the model's head turns into logits, so that only the
    positions that are needed go through the head; ``None`` where the architecture does not allow it (asked
    when the model is opened).  ``last`` is the module in the last layer, behind the attention, from which on
    only they are needed; ``None`` likewise, and where nearly all positions are read.  ``context`` is the
    number of tokens that the model can take, 0 for no limit.
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
        self.last: Any = None
        _fuse_activations(self.model)
        self.products = Products(self.model, light=self.parameters <= LIGHT)

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

    def _nats(
        self, rows: torch.Tensor, positions: torch.Tensor, place: Indices, token: Indices, **inputs: Any
    ) -> FloatArray:
        """Return [read] log-probabilities of one forward pass, in nats, as float64.

        Parameters
        ----------
        rows, positions
            [place] where distributions are read.
        place, token
            [read] the number of a place, and the token whose probability is read there.
        inputs
            Of the model.
        """
        found = np.empty(len(place))
        order = np.argsort(place, kind="stable")
        sorted_places, first = place[order], 0
        for logits in self._logits(rows, positions, **inputs):
            here = order[slice(*np.searchsorted(sorted_places, (first, first + len(logits))))]
            at = place[here] - first
            found[here] = (self._wanted(logits, at, token[here]) - log_normaliser(logits)[at]).numpy()
            first += len(logits)
        return found

    def _wanted(self, logits: torch.Tensor, place: Indices, token: Indices) -> torch.Tensor:
        """Return [read] logits, before they are normalised, as float64 on the CPU."""
        return logits[place, token].cpu().double()

    def _logits(self, rows: torch.Tensor, positions: torch.Tensor, **inputs: Any) -> Iterator[torch.Tensor]:
        """Yield [place, vocabulary] logits at the places (row, position) of one forward pass, in their order.

        Where a processor's cache holds the logits of many places, that many at a time: to write those of all
        places to memory and to read them again takes nearly as long as to compute them.
        """
        if self.body is None:
            with self.products.used():
                logits: torch.Tensor = self.model(**inputs).logits
            yield logits[rows, positions]
            return
        slices = self._slices(len(rows))
        answers: list[Any] = []
        states: list[torch.Tensor] = []

        def choose(whole: torch.Tensor) -> torch.Tensor:  # on another device where a model is split
            return whole[rows.to(whole.device), positions.to(whole.device)].unsqueeze(0)

        def trim(module: Any, arguments: Any) -> Any:
            return tuple(map(choose, arguments))

        def part(module: Any, arguments: Any, output: Any) -> Any:
            chosen = output.last_hidden_state if self.last is not None else choose(output.last_hidden_state)
            states.extend(chosen.tensor_split(slices, dim=1))
            output.last_hidden_state = states[0]
            answers.append(output)
            return output

        hooks = [self.body.register_forward_hook(part)]
        if self.last is not None:
            hooks.append(self.last.register_forward_pre_hook(trim))
        try:
            with self.products.used():
                logits = self.model(**inputs).logits
        finally:
            for hook in hooks:
                hook.remove()
        yield logits[0]
        for some in states[1:]:
            answers[0].last_hidden_state = some
            with self.products.used(), _answering(self.body, answers[0]):
                logits = self.model(**inputs).logits
            yield logits[0]

    def _slices(self, places: int) -> int:
        """Return in how many parts places go through the head; as in the normaliser none has one alone."""
        most = SLICE // self.vocabulary
        if self.device != "cpu" or most < FEWEST_PLACES:
            return 1
        return max(1, min(places // 2, -(-places // most)))

    @torch.inference_mode()
    def _find_body(self, **inputs: Any) -> Any:
        """Find the module before the head, with one text of which the second token is read."""
        row, position = torch.tensor([[0], [1]], device=self.device)
        self.body = None
        full = self._whole(row, position, **inputs)
        for body in (self.model.base_model, self.model.get_decoder()):
            if body is None or body is self.model:
                continue
            self.body = body
            try:
                trimmed = self._whole(row, position, **inputs)
            except (AttributeError, IndexError, RuntimeError, TypeError):
                continue
            if trimmed.shape == full.shape and torch.allclose(trimmed, full, atol=self.tolerance):
                return body
        return None

    @torch.inference_mode()
    def _find_last(self, **inputs: Any) -> Any:
        """Find the module behind the last attention, with two such texts: BERT's and its kin's.

        It takes what was attended to and what was there before, and mixes no positions.  What comes behind it
        may still ask which text a row is, as X-MOD's adapters of languages do: one text alone hides that.
        """
        named = [part for name, part in self.model.named_modules() if name.endswith("attention.output")]
        if self.body is None or not named:
            return None
        row, position = torch.tensor([[0, 1], [1, 1]], device=self.device)
        full = self._whole(row, position, **inputs)
        self.last = named[-1]
        try:
            trimmed = self._whole(row, position, **inputs)
        except (AttributeError, IndexError, RuntimeError, TypeError):
            return None
        same = trimmed.shape == full.shape and torch.allclose(trimmed, full, atol=self.tolerance)
        return self.last if same else None

    def _whole(self, rows: torch.Tensor, positions: torch.Tensor, **inputs: Any) -> torch.Tensor:
        return torch.cat(list(self._logits(rows, positions, **inputs))).float()


@contextmanager
def _answering(module: Any, answer: Any) -> Iterator[None]:
    """Let a module answer what it answered before, without computing it again."""
    own = vars(module).get("forward")
    module.forward = lambda *arguments, **options: answer
    try:
        yield
    finally:
        del module.forward
        if own is not None:
            module.forward = own


def _fuse_activations(model: Any) -> None:
    """Compute the tanh form of GELU (GPT-2, GPT-Neo, T5 v1.1) in one pass over memory instead of eight.

    The same formula (Hendrycks & Gimpel 2016, https://arxiv.org/abs/1606.08415) in PyTorch's own kernel;
    scores move by a few units of float32's last place.
    """
    for module in model.modules():
        for name, part in module.named_children():
            if isinstance(part, NewGELUActivation):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))
