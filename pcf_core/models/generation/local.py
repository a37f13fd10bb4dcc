"""Texts from models that run here: the loop over tokens that both kinds share, and causal models.

**A block.**  The 25 texts of a block have one prompt, which runs through the model once; its keys and values
are then repeated, so that each further token of all texts is one forward pass of 25 rows and no padding.
Each text draws its next token by itself (:func:`pcf_core.models.generation.base.choose`, float64 on the CPU)
with the next number of its own stream.  A text that has ended stays in its row until all have: the shapes of
all passes, and so their rounding, depend on nothing outside the block.

**Causal models** go on from the prompt.  Where the tokenizer has a chat template the prompt is a user's
message and the text is the answer; what the model is told before it is a message of the system, or stands in
front of the user's where the template refuses such a message or leaves it out.  A template that asks for
today's date is told a fixed one, or the texts would be others tomorrow.

**Worked example.**  "John is" has the tokens 7, 9.  The first pass reads 7, 9 and gives one row of logits,
which all 25 texts draw from; three texts draw 4 and the others 6, so the second pass reads a column of 25
tokens, 4 or 6, at position 2.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

import numpy as np
import torch
from jinja2 import TemplateError as RefusedByTemplate

from pcf_core.core.errors import GenerationError, OutOfMemoryError, ScoringError
from pcf_core.core.generation import BLOCK, End, Generated, GenerationKey, in_one
from pcf_core.core.records import FloatArray
from pcf_core.models.generation.base import Tokens, blocks, choose, end_of, stream
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import quoted
from pcf_core.models.scoring.seam import PROBE, Ids, Seam

DATE = "26 Jul 2024"  # what Llama 3's template says where no date is to be had
LIGHT = 2**25  # weights of a model whose passes of 25 rows are too short to be shared by several threads
FIXED_DATE = "{% macro strftime_now(format) %}" + DATE + "{% endmacro %}"


class LocalGenerator(abc.ABC):
    """A loaded model that writes; the subclasses say what it reads first.

    ``context`` is the number of tokens that the model can take, 0 for no limit.  ``stops``: tokens that end a
    text and are no part of it.  ``threads`` of the CPU run a forward pass: one for a small model, which where
    others use the same cores is ten times as fast as two that wait for each other.
    """

    def __init__(self, loaded: Loaded, key: GenerationKey, *, context: int = 0) -> None:
        self.key = key
        self.model = loaded.model
        self.tokenizer = loaded.tokenizer
        self.device = loaded.device
        self.context = context
        light = sum(part.numel() for part in self.model.parameters()) <= LIGHT
        self.threads = 1 if light else torch.get_num_threads()
        rows = int(self.model.get_output_embeddings().weight.shape[0])
        self.seam = Seam(loaded.tokenizer, key.model, rows)
        self.writable = min(rows, max(loaded.tokenizer.get_vocab().values()) + 1)  # T5 has rows beyond
        self.stops = np.array(sorted(self._stopping_tokens()), dtype=int)

    def check(self, prompt: str) -> None:
        """See :meth:`pcf_core.models.generation.base.Generator.check`."""
        self._checked(prompt)

    def with_system(self, system: str) -> Self:
        """See :meth:`pcf_core.models.generation.base.Generator.with_system`; the weights are shared."""
        told = copy(self)
        told.key = self.key.with_system(system)
        return told

    def generate(self, prompt: str, first: int, count: int, pause: Callable[[], None]) -> Generated:
        """See :meth:`pcf_core.models.generation.base.Generator.generate`.

        ``pause`` is called between two tokens.
        """
        starts = list(blocks(first, count))
        ids = self._checked(prompt)
        texts: list[str] = []
        ends: list[End] = []
        tokens: list[int] = []
        for start in starts:
            with self._device_errors():
                written = self._write(prompt, ids, start, pause)
            for row, stopped in written:
                texts.append(self._text(ids, row))
                ends.append(end_of(texts[-1], stopped))
                tokens.append(len(row))
        return Generated(prompt, first, tuple(texts), tuple(ends), tuple(tokens))

    @abc.abstractmethod
    def _prompt_ids(self, prompt: str) -> Ids:
        """Return the tokens of the prompt and the system prompt, as the methods below take them."""

    @abc.abstractmethod
    def _needs(self, ids: Ids) -> int:
        """Return the tokens of context that a text of the full length needs behind these."""

    @abc.abstractmethod
    def _begin(self, ids: Ids) -> tuple[torch.Tensor, dict[str, Any]]:
        """Return [1, vocabulary] logits of the first token, and the state from which :meth:`_next` continues.

        The state has 25 rows.
        """

    @abc.abstractmethod
    def _next(self, state: dict[str, Any], drawn: torch.Tensor) -> torch.Tensor:
        """Return [row, vocabulary] logits behind the drawn tokens [row, 1]; ``state`` moves on."""

    @abc.abstractmethod
    def _text(self, ids: Ids, written: Ids) -> str:
        """Decode the text of the tokens written after ``ids``."""

    def _continuation(self, ids: Ids, written: Ids) -> str:
        """Return the text that ``written`` adds to that of ``ids``: a space in front is part of it."""
        whole, before = self._decoded(ids + written), self._decoded(ids)
        return whole.removeprefix(before) if whole.startswith(before) else self._decoded(written)

    def _decoded(self, ids: Ids) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _write(self, prompt: str, ids: Ids, first: int, pause: Callable[[], None]) -> list[tuple[Ids, bool]]:
        """Write the tokens of each text of a block, and whether the model ended it."""
        length = self.key.decoding.length
        uniforms = np.stack(
            [stream(self.key, prompt, index).random(length) for index in range(first, first + BLOCK)]
        )
        drawn = np.zeros((BLOCK, length), dtype=int)
        lengths = np.full(BLOCK, length)
        with self._own_threads():
            logits, state = self._begin(ids)
        for step in range(length):
            if step:
                pause()
                last = torch.as_tensor(drawn[:, step - 1 : step], device=self.device)
                with self._own_threads():
                    logits = self._next(state, last)
            drawn[:, step] = self._draw(logits, uniforms[:, step], prompt)
            stopped = np.isin(drawn[:, step], self.stops) & (lengths == length)
            lengths[stopped] = step
            if (lengths < length).all():
                break
        return [
            (tuple(row[:end].tolist()), bool(end < length)) for row, end in zip(drawn, lengths, strict=True)
        ]

    def _draw(self, logits: torch.Tensor, uniforms: FloatArray, prompt: str) -> Tokens:
        """Draw [row] the next tokens, from one row of logits for all or a row for each."""
        known = logits[:, : self.writable].float().cpu().numpy()
        if not np.isfinite(known.max(axis=1)).all():
            raise ScoringError(
                f"The model {self.key.model} gave NaN behind {quoted(prompt)}: its weights are damaged or "
                f"{self.key.dtype} is too narrow; check them, or use float32."
            )
        return choose(known, uniforms, self.key.decoding)

    def _checked(self, prompt: str) -> Ids:
        """Return the prompt's tokens, checked.

        Raises
        ------
        GenerationError
            It is empty, holds a special token, or leaves too little of the context.
        """
        if not prompt.strip():
            raise GenerationError("A prompt is empty: give text that the model can go on from.")
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        encoded = self.seam.encode([self.key.system, prompt])
        held = [token for ids in encoded for token in ids if token in special]
        if held:
            (name,) = self.tokenizer.convert_ids_to_tokens(held[:1])
            raise GenerationError(
                f"The prompt {quoted(prompt)} holds {name}, a special token of {self.key.model}; take it out."
            )
        ids = self._prompt_ids(prompt)
        needed = self._needs(ids)
        if self.context and needed > self.context:
            raise GenerationError(
                f"The prompt {quoted(prompt)} and {self.key.decoding.length} new tokens need {needed} tokens "
                f"together, but the context of {self.key.model} holds {self.context}; shorten one of them."
            )
        return ids

    def _stopping_tokens(self) -> set[int]:
        """List every end-of-text token that the model's configuration or its tokenizer names."""
        stops: set[int] = set()
        configured = getattr(self.model, "generation_config", None)
        for found in (configured, self.model.config.get_text_config(), self.tokenizer):
            token = getattr(found, "eos_token_id", None)
            if token is not None:
                stops |= set(token if isinstance(token, Sequence) else [token])
        return stops

    @contextmanager
    def _own_threads(self) -> Iterator[None]:
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    @contextmanager
    def _device_errors(self) -> Iterator[None]:
        """Turn running out of memory and a lost device into an error with a sentence."""
        try:
            yield
        except torch.OutOfMemoryError as error:
            raise OutOfMemoryError(
                f"The model {self.key.model} ran out of memory with {BLOCK} texts at once: free memory on "
                "its device, take a narrower dtype, or ask for shorter texts."
            ) from error
        except torch.AcceleratorError as error:
            reason = str(error).splitlines()[0]
            raise ScoringError(
                f"The device {self.device} failed while {self.key.model} wrote ({reason}); finished texts "
                "are kept: restart the worker and resume."
            ) from error


class CausalGenerator(LocalGenerator):
    """A causal model that writes texts here; see the file's docstring.

    ``caches``: whether the keys and values of a prompt can be repeated and gone on from.  Where they cannot
    (architectures with another kind of memory), whole texts run again for each token.
    """

    def __init__(self, loaded: Loaded, key: GenerationKey, *, context: int = 0) -> None:
        super().__init__(loaded, key, context=context)
        self.caches = True
        self.caches = self._caches_exactly()

    def _prompt_ids(self, prompt: str) -> Ids:
        if not self.key.chat_template:
            return self.seam.opening + self.seam.encode([in_one(self.key.system, prompt)])[0]
        return self.seam.encode([self._conversation(prompt)])[0]

    def _conversation(self, prompt: str) -> str:
        """Apply the chat template to the prompt, after the system prompt."""
        system, user = self.key.system, {"role": "user", "content": prompt}
        if system:
            try:
                whole = self._templated([{"role": "system", "content": system}, user])
            except RefusedByTemplate:
                whole = ""
            if system.strip() in whole:
                return whole
        return self._templated([{"role": "user", "content": in_one(system, prompt)}])

    def _templated(self, messages: list[dict[str, str]]) -> str:
        template = self.tokenizer.get_chat_template()
        return str(
            self.tokenizer.apply_chat_template(
                messages,
                chat_template=FIXED_DATE + template if "strftime_now" in template else template,
                add_generation_prompt=True,
                tokenize=False,
            )
        )

    def _needs(self, ids: Ids) -> int:
        return len(ids) + self.key.decoding.length

    @torch.inference_mode()
    def _begin(self, ids: Ids) -> tuple[torch.Tensor, dict[str, Any]]:
        prompt = torch.tensor([ids], device=self.device)
        answer = self.model(input_ids=prompt, use_cache=self.caches)
        if not self.caches:
            return answer.logits[:, -1], {"texts": prompt.expand(BLOCK, -1)}
        answer.past_key_values.batch_repeat_interleave(BLOCK)
        return answer.logits[:, -1], {"past_key_values": answer.past_key_values}

    @torch.inference_mode()
    def _next(self, state: dict[str, Any], drawn: torch.Tensor) -> torch.Tensor:
        if self.caches:
            logits: torch.Tensor = self.model(input_ids=drawn, use_cache=True, **state).logits[:, -1]
            return logits
        state["texts"] = torch.cat([state["texts"], drawn], dim=1)
        whole: torch.Tensor = self.model(input_ids=state["texts"], use_cache=False).logits[:, -1]
        return whole

    @torch.inference_mode()
    def _caches_exactly(self) -> bool:
        """Tell whether a token behind a repeated prompt has the logits that it has in the whole text."""
        ids = self._prompt_ids(PROBE) * 2
        drawn = torch.tensor([ids[-1:]] * BLOCK, device=self.device)
        try:
            cached = self._next(self._begin(ids)[1], drawn)
        except Exception:  # noqa: BLE001
            return False  # whatever an architecture says where its memory cannot be repeated
        whole = self.model(input_ids=torch.tensor([ids + ids[-1:]], device=self.device), use_cache=False)
        tolerance = 1e-4 if self.model.dtype == torch.float32 else 0.1
        return bool((cached - whole.logits[:, -1]).abs().mean() <= tolerance)

    def _text(self, ids: Ids, written: Ids) -> str:
        return self._decoded(written) if self.key.chat_template else self._continuation(ids, written)
