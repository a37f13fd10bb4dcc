"""Texts from models that run here: the loop over tokens that all families share, and causal models.

**A batch.**  At most ``ROWS`` texts are written together, ``LIGHT_ROWS`` by a small model.  Each prompt is
read once, its keys and values are repeated for its texts, and each further token of all texts is one forward
pass.  All rows of a pass have the same number of tokens before them, so nothing is padded: the shortest
prompts begin, and longer ones join when the others have reached their length.  Each text draws its next token
(:mod:`pcf_core.models.generation.drawing`, on the CPU) with its own stream.  Finished texts leave.

**No bit of a text may depend on other texts**, but matrix products may round a row differently among more
rows.  So each model is tested once.  If few rows and many give a text the same bits, as on CPUs from
``LEAST`` rows on, texts are written in any batch, and fewer than ``LEAST`` rows are repeated.  If not (as on
GPUs), each block of 25 indices is written whole, even if only a part of it is wanted.  Small models use
oneDNN on a CPU (:mod:`pcf_core.models.shortcuts`), which rounds rows independently.

**Causal models** continue the prompt.  With a chat template the prompt is a user's message and the text is
the answer; the system prompt is a system message, or precedes the user's if the template refuses or drops it.
In a frame with an instruction, that is the user's message, and the text continues the prompt, with which the
answer begins.  A template with today's date gets a fixed one.

**Worked example.**  "John is" has the tokens 7, 9 and "Jane Doe is" 8, 5, 9; three texts are wanted of each.
The first pass reads 7, 9 and gives logits that three texts draw from.  The second pass reads their three
tokens at position 2; then 8, 5, 9 are read, and the third pass reads six tokens at position 3.
"""

from __future__ import annotations

import abc
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from itertools import groupby, islice
from typing import Any, Self

import numpy as np
import torch
from jinja2 import TemplateError as RefusedByTemplate
from transformers.cache_utils import Cache, DynamicLayer, DynamicSlidingWindowLayer

from pcf_core.core.errors import GenerationError, OutOfMemoryError, ScoringError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import BLOCK, Generated, GenerationKey, MissingTexts, in_one
from pcf_core.core.records import FloatArray
from pcf_core.models.frames import render, templated
from pcf_core.models.generation.base import Generator, end_of, packed, stream
from pcf_core.models.generation.drawing import Tokens, choose
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import TokenNats, check_context, quoted
from pcf_core.models.scoring.openings import Openings
from pcf_core.models.scoring.seam import PROBE, Ids, Seam
from pcf_core.models.shortcuts import LIGHT, Products, agree

ROWS = 128  # texts at once: more are not faster
LIGHT_ROWS = 256  # texts at once of a small model, limited by Python
LEAST = 8  # matrix products on the CPU round this many rows like many
MOST_CACHED = 2**29  # bytes of keys and values, if more than a block's
ROOM = 64  # tokens for which memory is reserved at once
LEFT = 8  # texts are copied together once one in so many has ended


class RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values with reserved memory, so that adding a token does not copy the others.

    ``room``: tokens to reserve.  ``space``: keys and values, each [token, row, head, size], contiguous.
    """

    keys: torch.Tensor
    values: torch.Tensor
    room: int
    space: tuple[torch.Tensor, torch.Tensor] | None = None

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add [row, head, token, size] keys and values; return all."""
        begin = self.keys.shape[-2]
        end = begin + key_states.shape[-2]
        if self.space is None or end > len(self.space[0]):
            self.space = (
                self._copied(self.keys, end + self.room),
                self._copied(self.values, end + self.room),
            )
        for space, new in zip(self.space, (key_states, value_states), strict=True):
            space[begin:end] = new.permute(2, 0, 1, 3)
        self.keys, self.values = (space[:end].permute(1, 2, 0, 3) for space in self.space)
        return self.keys, self.values

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Select rows; consecutive ones are not copied."""
        if self.space is None:
            super().batch_select_indices(indices)
            return
        first = int(indices[0])
        if torch.equal(indices, torch.arange(first, first + len(indices), device=indices.device)):
            keys, values = (space.narrow(1, first, len(indices)) for space in self.space)
        else:
            keys, values = (self._selected(space, indices) for space in self.space)
        self.space = keys, values
        tokens = self.keys.shape[-2]
        self.keys, self.values = (space[:tokens].permute(1, 2, 0, 3) for space in self.space)

    def _selected(self, space: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        tokens = self.keys.shape[-2]
        selected = space.new_empty(len(space), len(rows), *space.shape[2:])
        torch.index_select(space[:tokens], 1, rows, out=selected[:tokens])
        return selected

    @staticmethod
    def _copied(there: torch.Tensor, tokens: int) -> torch.Tensor:
        rows, heads, begin, size = there.shape
        space = there.new_empty(tokens, rows, heads, size)
        space[:begin] = there.permute(2, 0, 1, 3)
        return space


class LocalGenerator(Generator):
    """A loaded model that writes; subclasses define what it reads first.

    ``context``: tokens that the model can take, 0 for no limit.  ``stops``: tokens that end a text.
    ``threads``: of a forward pass; one for a small model, which is ten times as fast on busy cores.
    ``chat``: the rendered frame.
    ``most``: texts at once.  ``caches``: keys and values of a prompt can be repeated; ``joins``: other texts
    can join.
    """

    caches = True
    joins = False
    chat = ""

    def __init__(self, loaded: Loaded, key: GenerationKey, *, context: int = 0) -> None:
        self.key = key
        self.model = loaded.model
        self.tokenizer = loaded.tokenizer
        self.device = loaded.device
        self.context = context
        light = sum(part.numel() for part in self.model.parameters()) <= LIGHT
        self.threads = 1 if light else torch.get_num_threads()
        self.most = LIGHT_ROWS if light else ROWS
        self.products = Products(self.model, light=light)
        rows = int(self.model.get_output_embeddings().weight.shape[0])
        self.seam = Seam(loaded.tokenizer, key.model, rows)
        self.writable = min(rows, max(loaded.tokenizer.get_vocab().values()) + 1)  # T5 has more rows
        self.stops = np.array(sorted(self._stopping_tokens()), dtype=int)

    def check(self, prompt: str) -> None:
        """See :meth:`Generator.check`."""
        self._checked(prompt)

    def with_system(self, system: str, frame: TextFrame | None = None) -> Self:
        """See :meth:`Generator.with_system`."""
        other = copy(self)
        other.key = self.key.with_system(system).in_frame(frame)
        if frame is not None and frame.kind == "chat":
            whole = frame.model_copy(update={"system": other.key.told})
            other.chat = render(self.tokenizer, whole, self.key.model).text
        return other

    def batches(self, wanted: Sequence[MissingTexts]) -> list[list[MissingTexts]]:
        """See :meth:`Generator.batches`: prompts of similar length together."""
        tokens = {
            prompt: len(self._checked(prompt)) for prompt in dict.fromkeys(part.prompt for part in wanted)
        }
        if not wanted or not self.row_invariant:
            return [[part] for part in wanted]
        rows = MOST_CACHED // (self.token_bytes * (max(tokens.values()) + self.key.decoding.length))
        most = max(BLOCK, min(rows, self.most))
        in_order = sorted(wanted, key=lambda part: tokens[part.prompt])
        if self.joins:
            return packed(in_order, most)
        alike = groupby(in_order, lambda part: tokens[part.prompt])
        return [batch for _, parts in alike for batch in packed(list(parts), most)]

    def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
        """See :meth:`Generator.write`; ``pause`` is called between two tokens."""
        written = []
        with self._device_errors(sum(part.count for part in batch)):
            rows = iter(self._write(batch, pause))
        for part in batch:
            ids = self._checked(part.prompt)
            own = list(islice(rows, part.count))
            texts = tuple(self._text(ids, row) for row, _ in own)
            ends = tuple(end_of(text, stopped) for text, (_, stopped) in zip(texts, own, strict=True))
            tokens = tuple(len(row) for row, _ in own)
            written.append(Generated(part.prompt, part.first, texts, ends, tokens))
        return written

    @abc.abstractmethod
    def prompt_ids(self, prompt: str) -> Ids:
        """Return the tokens of system prompt and prompt; a causal model reads only these."""

    @abc.abstractmethod
    def _needs(self, ids: Ids) -> int:
        """Return the tokens of context that a text of the full length needs after these."""

    @abc.abstractmethod
    def _begin(self, prompts: Sequence[Ids]) -> tuple[torch.Tensor, dict[str, Any]]:
        """Return [prompt, vocabulary] logits after prompts of one length, and the state (a row for each)."""

    def _make_room(self, memory: Cache) -> None:
        """Reserve memory in the plain layers of a cache, and note its bytes per token."""
        self.token_bytes = 1
        for index, layer in enumerate(memory.layers):
            if type(layer) is DynamicLayer:
                rows, _, tokens, _ = layer.keys.shape
                self.token_bytes += (layer.keys.nbytes + layer.values.nbytes) // (rows * tokens)
                memory.layers[index] = roomy = RoomyLayer()
                roomy.__dict__.update(vars(layer), room=min(ROOM, self.key.decoding.length))

    @abc.abstractmethod
    def _select(self, state: dict[str, Any], rows: torch.Tensor) -> None:
        """Reduce the state to these rows, which may be repeated."""

    def _joined(self, state: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
        """Return the rows of both states, which have equally many tokens."""
        raise NotImplementedError  # not needed if all texts begin at once

    @abc.abstractmethod
    def _next(self, state: dict[str, Any], drawn: torch.Tensor) -> torch.Tensor:
        """Return [row, vocabulary] logits after the drawn tokens [row, 1]; ``state`` is updated."""

    @abc.abstractmethod
    def _text(self, ids: Ids, written: Ids) -> str:
        """Decode the text of the tokens written after ``ids``."""

    def _continuation(self, ids: Ids, written: Ids) -> str:
        """Return the text that ``written`` adds to that of ``ids``, including a leading space."""
        whole, before = self._decoded(ids + written), self._decoded(ids)
        return whole.removeprefix(before) if whole.startswith(before) else self._decoded(written)

    def _decoded(self, ids: Ids) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[tuple[Ids, bool]]:
        if not self.row_invariant:
            (part,) = batch
            before = part.first % BLOCK
            whole = MissingTexts(part.prompt, part.first - before)
            return self._rows([whole], pause, alone=True)[before : before + part.count]
        return self._rows(batch, pause)

    def _rows(
        self, batch: Sequence[MissingTexts], pause: Callable[[], None], alone: bool = False
    ) -> list[tuple[Ids, bool]]:
        """Write the tokens of each text; ``alone``: rows are not reduced when texts end."""
        length = self.key.decoding.length
        texts = [(part.prompt, part.first + offset) for part in batch for offset in range(part.count)]
        uniforms = np.stack([stream(self.key, prompt, index).random(length) for prompt, index in texts])
        drawn = np.zeros((len(texts), length), dtype=int)
        lengths = np.full(len(texts), length)
        ids = {prompt: self._checked(prompt) for prompt in dict.fromkeys(part.prompt for part in batch)}
        begins = np.array([len(ids[prompt]) for prompt, _ in texts])
        waiting = sorted(set(begins.tolist()), reverse=True)
        rows, at = np.empty(0, dtype=int), 0  # the text of each row; the tokens before the next
        state: dict[str, Any] = {}
        while waiting or len(rows):
            tables = []
            if len(rows):
                pause()
                last = torch.as_tensor(drawn[rows, at - begins[rows]][:, None], device=self.device)
                with self._passing():
                    tables.append(self._next(state, last))
                at += 1
            else:
                at = waiting[-1]
            if waiting and waiting[-1] == at:
                new = np.flatnonzero(begins == waiting.pop())
                new = np.resize(new, max(len(new), 0 if alone else LEAST - len(rows)))
                with self._passing():
                    logits, begun = self._begun([ids[texts[row][0]] for row in new])
                    state = self._joined(state, begun) if len(rows) else begun
                tables.append(logits)
                rows = np.concatenate([rows, new])
            steps = at - begins[rows]
            prompts = [texts[row][0] for row in rows]
            logits = torch.cat(tables) if len(tables) > 1 else tables[0]
            drawn[rows, steps] = self._draw(logits, uniforms[rows, steps], prompts)
            stopped = np.isin(drawn[rows, steps], self.stops) & (lengths[rows] == length)
            lengths[rows[stopped]] = steps[stopped]
            full = steps == length - 1
            going = np.flatnonzero((lengths[rows] == length) & ~full)
            if not len(going):
                rows = rows[:0]
            elif full.any() or (not alone and len(going) <= len(rows) - len(rows) // LEFT):
                going = np.resize(going, max(LEAST, len(going)))
                rows = rows[going]
                self._select(state, torch.as_tensor(going, device=self.device))
        return [
            (tuple(row[:end].tolist()), bool(end < length)) for row, end in zip(drawn, lengths, strict=True)
        ]

    def _begun(self, texts: Sequence[Ids]) -> tuple[torch.Tensor, dict[str, Any]]:
        row = {ids: row for row, ids in enumerate(dict.fromkeys(texts))}
        logits, state = self._begin(list(row))
        chosen = torch.tensor([row[ids] for ids in texts], device=self.device)
        self._select(state, chosen)
        return logits[chosen], state

    def _draw(self, logits: torch.Tensor, uniforms: FloatArray, prompts: Sequence[str]) -> Tokens:
        scores = logits[:, : self.writable].float().cpu()
        with self._own_threads():
            broken = ~scores.amax(dim=1).isfinite().numpy()
            if not broken.any():
                return choose(scores, uniforms, self.key.decoding)
        prompt = prompts[int(broken.argmax())]
        raise ScoringError(
            f"The model {self.key.model} returned NaN for the prompt {quoted(prompt)}, so its weights are "
            f"damaged or {self.key.dtype} is not exact enough: check the weights, or use float32."
        )

    def _checked(self, prompt: str) -> Ids:
        if not prompt.strip():
            raise GenerationError("A prompt is empty: give a text that the model can continue.")
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        encoded = self.seam.encode([self.key.told, prompt])
        held = [token for ids in encoded for token in ids if token in special]
        if held:
            (name,) = self.tokenizer.convert_ids_to_tokens(held[:1])
            raise GenerationError(
                f"The prompt {quoted(prompt)} contains {name}, a special token of {self.key.model}: "
                "remove it."
            )
        ids = self.prompt_ids(prompt)
        needed = self._needs(ids)
        if self.context and needed > self.context:
            raise GenerationError(
                f"The prompt {quoted(prompt)} and {self.key.decoding.length} new tokens need {needed} tokens "
                f"together, but {self.key.model} can only take {self.context}: shorten one of them."
            )
        return ids

    def _stopping_tokens(self) -> set[int]:
        stops: set[int] = set()
        configured = getattr(self.model, "generation_config", None)
        for source in (configured, self.model.config.get_text_config(), self.tokenizer):
            token = getattr(source, "eos_token_id", None)
            if token is not None:
                stops |= set(token if isinstance(token, Sequence) else [token])
        return stops

    @cached_property
    def row_invariant(self) -> bool:
        """Whether a text has the same bits among few rows and many, of one prompt and several.

        Tested when texts are first written; ``token_bytes`` is known then.
        """
        if not self.caches:
            return False
        with self._device_errors(self.most):
            few, many = self._tried(1, LEAST), self._tried(3, self.most)
        return all(
            torch.equal(row, one[:1].expand_as(row))
            for one, several in zip(few, many, strict=True)
            for row in (one, several)
        )

    @torch.inference_mode()
    def _tried(self, prompts: int, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits after this many equal prompts, and of this many rows one token later."""
        ids = self.prompt_ids(PROBE)
        with self._passing():
            logits, state = self._begin([ids] * prompts)
            self._select(state, torch.arange(rows, device=self.device) % prompts)
            return logits, self._next(state, torch.full((rows, 1), ids[-1], device=self.device))

    @contextmanager
    def _passing(self) -> Iterator[None]:
        """Run forward passes in the model's own number of threads, a small model's by oneDNN."""
        with self._own_threads(), self.products.used():
            yield

    @contextmanager
    def _own_threads(self) -> Iterator[None]:
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    @contextmanager
    def _device_errors(self, texts: int) -> Iterator[None]:
        try:
            yield
        except torch.OutOfMemoryError as error:
            raise OutOfMemoryError(
                f"The model {self.key.model} ran out of memory with {texts} texts at once: free memory on "
                "its device, choose a narrower dtype, or request shorter texts."
            ) from error
        except torch.AcceleratorError as error:
            reason = str(error).splitlines()[0]
            raise ScoringError(
                f"The device {self.device} failed while {self.key.model} was writing ({reason}): restart the "
                "worker and resume; finished texts are kept."
            ) from error


class CausalGenerator(LocalGenerator):
    """A causal model that writes here; without ``caches`` whole texts run again for each token."""

    def __init__(self, loaded: Loaded, key: GenerationKey, *, context: int = 0) -> None:
        super().__init__(loaded, key, context=context)
        self.identity, self.openings = loaded.identity, Openings(self.seam, self._nats_behind)
        self._open_texts()
        keeps = "logits_to_keep" in inspect.signature(self.model.forward).parameters
        self.last = {"logits_to_keep": LEAST} if keeps else {}
        self.caches = self._caches_exactly()

    def with_system(self, system: str, frame: TextFrame | None = None) -> Self:
        """See :meth:`Generator.with_system`."""
        other = super().with_system(system, frame)
        other._open_texts()
        return other

    def _open_texts(self) -> None:
        """Begin bare texts as the model expects (:mod:`pcf_core.models.beginnings`)."""
        if not self.key.chat_template:
            self.key = self.openings.opened(self.key, self.identity)

    @torch.inference_mode()
    def _nats_behind(self, start: Ids, texts: Sequence[str], unread: int) -> list[TokenNats]:
        """Return log P(token | tokens before it) of texts after ``start``, without ``unread`` tokens."""
        sentences = self.seam.whole(texts)
        check_context(self.key, self.context, [len(start) + len(ids) for ids in sentences], texts)
        read = []
        with self._device_errors(1), self._passing():
            for ids in sentences:
                whole = torch.tensor([start + ids])
                logits = self.model(input_ids=whole.to(self.device), use_cache=False).logits[0].cpu()
                nats = logits[:-1].double().log_softmax(-1).gather(1, whole[0, 1:, None])[:, 0].numpy()
                read.append(TokenNats(ids, np.pad(nats[len(start) + unread - 1 :], (unread, 0))))
        return read

    def prompt_ids(self, prompt: str) -> Ids:
        """See :meth:`LocalGenerator.prompt_ids`."""
        if not self.key.chat_template:
            return self.seam.opening + self.seam.encode([in_one(self.key.told, prompt)])[0]
        whole = self.chat + prompt if self.key.begins_answer else self._conversation(prompt)
        return self.seam.encode([whole])[0]

    def _conversation(self, prompt: str) -> str:
        system, user = self.key.told, {"role": "user", "content": prompt}
        if system:
            try:
                whole = self._templated({"role": "system", "content": system}, user)
            except RefusedByTemplate:
                whole = ""
            if system.strip() in whole:
                return whole
        return self._templated({"role": "user", "content": in_one(system, prompt)})

    def _templated(self, *messages: dict[str, str]) -> str:
        return templated(self.tokenizer, messages, add_generation_prompt=True)

    def _needs(self, ids: Ids) -> int:
        return len(ids) + self.key.decoding.length

    @torch.inference_mode()
    def _begin(self, prompts: Sequence[Ids]) -> tuple[torch.Tensor, dict[str, Any]]:
        length = len(prompts[0])
        texts = torch.tensor(prompts, device=self.device).repeat(math.ceil(LEAST / length), 1)
        if not self.caches:
            return self.model(input_ids=texts, use_cache=False).logits[:, -1], {"texts": texts}
        answer = self.model(input_ids=texts, use_cache=True, **self.last)
        memory = answer.past_key_values
        self._make_room(memory)
        self.joins = all(type(layer) in (RoomyLayer, DynamicSlidingWindowLayer) for layer in memory.layers)
        return answer.logits[: len(prompts), -1], {"past_key_values": memory}

    @torch.inference_mode()
    def _select(self, state: dict[str, Any], rows: torch.Tensor) -> None:
        if self.caches:
            state["past_key_values"].batch_select_indices(rows)
        else:
            state["texts"] = state["texts"][rows]

    @torch.inference_mode()
    def _joined(self, state: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
        pairs = zip(state["past_key_values"].layers, more["past_key_values"].layers, strict=True)
        for layer, other in pairs:
            layer.keys = torch.cat([layer.keys, other.keys])
            layer.values = torch.cat([layer.values, other.values])
            layer.space = None
        return state

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
        """Tell whether a token after a repeated prompt has the same logits as in the whole text."""
        ids = self.prompt_ids(PROBE)

        def cached() -> FloatArray:
            return self._tried(1, LEAST)[1].double().cpu().numpy()

        def whole() -> FloatArray:
            text = torch.tensor([ids + ids[-1:]], device=self.device)
            with self._passing():
                logits = self.model(input_ids=text, use_cache=False).logits
            return logits[:, -1].double().cpu().numpy()  # type: ignore[no-any-return]

        return agree(self.model, cached, whole)

    def _text(self, ids: Ids, written: Ids) -> str:
        answers = self.key.chat_template and not self.key.begins_answer
        return self._decoded(written) if answers else self._continuation(ids, written)
