"""The base of the families that run a model here, and the test whether a model looks ahead.

A model may look ahead although its class is causal: its ``config.json`` asks for two-way attention
(``use_bidirectional_attention``, ``is_causal: false``), its positions depend on the length of the text
(ProphetNet), or a device's attention is wrong in half precision
(https://github.com/pytorch/pytorch/issues/195910).  The score of a word would then depend on the word itself.

The test compares logits of a random text with those of the same text whose end is changed, or cut off, at
several lengths, in the dtype and on the device that are used.

- **Changed**: all texts run in one forward pass with one shape, so that a causal model computes the same bits
  before the change.  Devices may round rows differently, so the pass contains the text itself twice.
- **Cut off**: sums over another number of tokens are rounded differently, by up to 11 units of the dtype's
  precision at the largest logit; in models that look ahead it was 70 and more.

If two experts are nearly tied, rounding may switch between them, and logits jump.  So where rounding differs,
a leak must show in ``TEXTS`` texts.

**Worked example**, three tokens and logits of one entry, bfloat16 (precision 2⁻⁷), largest logit 8:

    text       a b c   2.00 5.00 8.00
    changed    a b d   2.00 5.25        a unit at the largest logit is 8 × 2⁻⁷ = 0.0625, so 0.25 is four of
                                        them: no more than rounding may make; 5.30 would be refused
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import shorten
from typing import Any

import numpy as np
import torch
from transformers.activations import NewGELUActivation

from pcf_core.core.errors import AuditError, ModelError, ScoringError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.material.safety.text import listed
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import BEHIND_A_SPACE, PLAIN, SLICE, Scorer, log_normaliser, out_of_memory
from pcf_core.models.scoring.seam import PROBE, Seam
from pcf_core.models.scoring.trees import Indices
from pcf_core.models.shortcuts import LIGHT, Products

# The minimum of a slice of logits: with fewer, the fixed cost of a matrix product exceeds the gain.
FEWEST_PLACES = 256
# Rows and tokens of the texts on which shortcuts are tested.  31 tokens, because Longformer pads a text to a
# multiple of its window; more rows than tokens, because LUKE cuts its answer to the number of tokens; several
# rows, because a layer may use the row's number (X-MOD).
PROBES = ((2, 31), (5, 2))
LONGEST_REASON = 240  # characters of another library's message
SMALL_PART = 0.01  # of the memory; types of numbers with less, such as masks, are not named


class LocalScorer(Scorer):
    """A loaded model that gives the distributions over the vocabulary at given positions.

    ``body``: the module whose last hidden states the head turns into logits, so that only needed positions go
    through the head; ``None`` if the architecture does not allow it (tested when opened).  ``last``: the
    module in the last layer, after the attention, from which on only these positions are needed; ``None``
    likewise, or if nearly all are read.  ``context``: tokens that the model can take, 0 for no limit.
    ``ahead``: the largest change of its logits with later text, by rounding; ``None`` if not tested.
    """

    ahead: float | None = None

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        super().__init__(key, batch_tokens)
        self.model = loaded.model
        self.device = loaded.device
        self.context = context
        self.text_part_of = loaded.text_part_of
        self.parameters = sum(weights.numel() for weights in self.model.parameters())
        self.vocabulary = self._count_vocabulary()
        self.seam = Seam(loaded.tokenizer, key.model, self.vocabulary)
        self.notes = loaded.notes
        self.body: Any = None
        self.last: Any = None
        _fuse_activations(self.model)
        self.products = Products(self.model, light=self.parameters <= LIGHT)

    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """See :meth:`Scorer.check`."""
        return self.seam.check(words, text)

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, one row a forward pass."""
        single = copy.copy(self)
        single.batch_tokens = 1
        return float(single.score([prompt], [word])[0, 0])

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        names = self.seam.tokenizer.convert_ids_to_tokens
        bare, behind = self.seam.encode(["he", f"{PROBE} he"])
        joins = behind[-len(bare) :] != bare
        opening, closing = (" ".join(names(list(ids))) for ids in (self.seam.opening, self.seam.closing))
        (tokens,) = self.seam.encode(PLAIN[:1])
        looks = (
            {}
            if self.ahead is None
            else {
                "ahead": f"No. Its logits change by {self.ahead:.2g} at most when the text after them is "
                "changed or cut off, which is rounding."
            }
        )
        return {
            "space": "The space before a word is part of its first token."
            if joins
            else "A word has the same tokens with a space before it and without.",
            "opening": f"A text opens with {opening}." if opening else "No token is put before a text.",
            "closing": f"A text closes with {closing}." if closing else "No token is put behind a text.",
            "sentence": f"{PLAIN[0]!r} has {len(tokens)} tokens: {' '.join(names(list(tokens)))}",
            **looks,
            "memory": self._memory,
            **({"tokenizer": " ".join(self.notes)} if self.notes else {}),
        } | self._part

    @property
    def _part(self) -> dict[str, str]:
        if not self.text_part_of:
            return {}
        return {"part": f"Only the text part of {self.text_part_of} is read: no pictures, no sound."}

    @property
    def _memory(self) -> str:
        """Say how much memory the weights take, as which types of numbers, and where."""
        sizes, places = Counter[str](), set[str]()
        for tensor in (*self.model.parameters(), *self.model.buffers()):
            sizes[str(tensor.dtype).removeprefix("torch.")] += tensor.nbytes
            places.add(str(tensor.device))
        types = [name for name, size in sizes.most_common() if size > SMALL_PART * sizes.total()]
        return (
            f"Its weights take {sizes.total() / 1e6:,.1f} MB as {listed(types)} on {listed(sorted(places))}."
        )

    @property
    def tolerance(self) -> float:
        """The largest allowed difference between two ways to compute the same logits."""
        return 1e-4 if self.model.dtype == torch.float32 else 0.1

    @contextmanager
    def _device_errors(self) -> Iterator[None]:
        try:
            yield
        except AuditError:
            raise
        except torch.OutOfMemoryError as error:
            raise out_of_memory(self.key, self.batch_tokens) from error
        except torch.AcceleratorError as error:
            reason = str(error).splitlines()[0]
            raise ScoringError(
                f"The device {self.device} failed while {self.key.model} was being scored ({reason}): "
                "restart the worker and resume; finished shards are kept."
            ) from error
        except Exception as error:  # a model's own code may raise anything
            narrow = "" if self.model.dtype == torch.float32 else "score it in float32, "
            raise ScoringError(
                f"A forward pass of {self.key.model} failed ({_reason(error)}): {narrow}shorten the longest "
                "prompts, and compare its config.json with the original checkpoint."
            ) from error

    @contextmanager
    def _telling_parts(self, prompts: int) -> Iterator[None]:
        """Call ``on_part`` after each layer that a batch of so many prompts has passed."""
        tell, passed = self.on_part, 0
        if tell is None:
            yield
            return
        lists = (list(part) for part in self.model.modules() if isinstance(part, torch.nn.ModuleList))
        layers: list[torch.nn.Module] = max(lists, key=len, default=[])

        def pass_on(*_: Any) -> None:
            nonlocal passed
            passed += 1
            if passed <= len(layers):
                tell(prompts * passed / len(layers))

        hooks = [layer.register_forward_hook(pass_on) for layer in layers]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _count_vocabulary(self) -> int:
        head = self.model.get_output_embeddings()
        if head is not None:
            return int(head.weight.shape[0])
        size = getattr(self.model.config.get_text_config(), "vocab_size", None)
        if size is None:
            raise ModelError(
                f"The model {self.key.model} has no output layer with the size of its vocabulary: choose "
                "another model."
            )
        return int(size)

    def _nats(
        self, rows: torch.Tensor, positions: torch.Tensor, index: Indices, token: Indices, **inputs: Any
    ) -> FloatArray:
        """Return [read] log-probabilities of one forward pass with these ``inputs``, in nats, as float64.

        ``rows``, ``positions``: [place] where distributions are read.  ``index``, ``token``: [read] the index
        of a place, and the token whose probability is read there.
        """
        nats = np.full(len(index), np.nan)
        order = np.argsort(index, kind="stable")
        sorted_places, first = index[order], 0
        for logits in self._logits(rows, positions, **inputs):
            here = order[slice(*np.searchsorted(sorted_places, (first, first + len(logits))))]
            at = index[here] - first
            nats[here] = (self._wanted(logits, at, token[here]) - log_normaliser(logits)[at]).numpy()
            first += len(logits)
        if first != len(rows) and self.last is not None:
            # Modules after the last layer may cut off padding (BigBird, over 704 tokens).
            whole = copy.copy(self)
            whole.last = None
            return whole._nats(rows, positions, index, token, **inputs)
        if first != len(rows):
            raise ScoringError(
                f"The model {self.key.model} returned {first:,} positions instead of {len(rows):,} from a "
                "forward pass, so it cannot be scored: report this with the name of the model."
            )
        return nats

    def _wanted(self, logits: torch.Tensor, index: Indices, token: Indices) -> torch.Tensor:
        return logits[index, token].cpu().double()

    def _logits(self, rows: torch.Tensor, positions: torch.Tensor, **inputs: Any) -> Iterator[torch.Tensor]:
        """Yield [place, vocabulary] logits at the places (row, position) of one forward pass, in order.

        As many at a time as fit into a cache: moving logits takes as long as computing them.
        """
        if self.body is None:
            yield self._forward(inputs)[rows, positions]
            return
        slices = self._slices(len(rows))
        answers: list[Any] = []
        states: list[torch.Tensor] = []

        def choose(whole: torch.Tensor) -> torch.Tensor:  # on another device if a model is split
            return whole[rows.to(whole.device), positions.to(whole.device)].unsqueeze(0)

        def trim(module: Any, arguments: Any) -> Any:
            return tuple(map(choose, arguments))

        def part(module: Any, arguments: Any, output: Any) -> Any:
            chosen = output.last_hidden_state if self.last is not None else choose(output.last_hidden_state)
            states[:] = chosen.tensor_split(slices, dim=1)
            output.last_hidden_state = states[0]
            answers[:] = [output]
            return output

        hooks = [self.body.register_forward_hook(part)]
        if self.last is not None:
            hooks.append(self.last.register_forward_pre_hook(trim))
        try:
            logits = self._forward(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        yield logits[0]
        for some in states[1:]:
            answers[0].last_hidden_state = some
            with _answering(self.body, answers[0]):
                logits = self._forward(inputs)
            yield logits[0]

    def _forward(self, inputs: Mapping[str, Any]) -> torch.Tensor:
        """Return the model's logits; ScoringError if they depend on random numbers (Reformer's do)."""
        before = self._random_states()
        with self.products.used():
            logits: torch.Tensor = self.model(**inputs).logits
            if all(map(torch.equal, before, self._random_states())):
                return logits
            again = self.model(**inputs).logits
        if not torch.allclose(logits, again, atol=self.tolerance, equal_nan=True):
            raise ScoringError(
                f"{self.key.model} uses random numbers when it reads a text of "
                f"{inputs['input_ids'].shape[1]} tokens, so its scores would differ from one run to the "
                "next: choose another model, or shorten the texts."
            )
        return logits

    def _random_states(self) -> list[torch.Tensor]:
        states = [torch.get_rng_state()]
        if self.device.startswith("cuda"):
            states += torch.cuda.get_rng_state_all()
        elif self.device == "mps":
            states.append(torch.mps.get_rng_state())
        return states

    def _slices(self, places: int) -> int:
        """Return the number of parts in which places go through the head, none with a single place."""
        most = SLICE // self.vocabulary
        if self.device != "cpu" or most < FEWEST_PLACES:
            return 1
        return max(1, min(places // 2, -(-places // most)))

    def _probe_ids(self) -> Iterator[Indices]:
        """Draw the texts [row, token] of ``PROBES``, no longer than the model's context."""
        generator = np.random.default_rng(0)
        for rows, tokens in PROBES:
            shape = (rows, min(tokens, self.context or tokens))
            yield generator.integers(0, max(1, self.vocabulary // 2), shape)

    @torch.inference_mode()
    def _find_shortcuts(self, probes: Sequence[Mapping[str, Any]], *, last: bool = False) -> None:
        """Set ``body``, and ``last`` if wanted, to modules with which the logits stay the same.

        ``probes``: arguments of forward passes over the texts of :meth:`_probe_ids`.  ``last``: whether few
        positions are read, so that trimming the last layer pays; in BERT and similar models the module after
        the last attention mixes no positions.
        """
        self.body = self.last = None
        with self._device_errors():
            expected = self._expected(probes)
        named = getattr(self.model, "model", None)  # Llama 4 gives its body another prefix
        for body in (self.model.base_model, self.model.get_decoder(), named):
            if body is not None and body is not self.model:
                self.body = body
                if self._reproduces(expected):
                    break
                self.body = None
        parts = [part for name, part in self.model.named_modules() if name.endswith("attention.output")]
        if last and parts and self.body is not None:
            self.last = parts[-1]
            if not self._reproduces(expected):
                self.last = None

    def _expected(self, probes: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], torch.Tensor]]:
        """Return each probe with its logits, except those that are too short or long for the model."""
        expected = []
        for probe in probes:
            try:
                expected.append((probe, self._read_probe(probe)))
            except (torch.OutOfMemoryError, torch.AcceleratorError, AuditError):
                raise
            except Exception as error:  # noqa: BLE001
                # transformers may raise anything for others' config.json.
                reason, cause = _reason(error), error
        if expected:
            return expected
        if self._works_in_float32(lambda: self._expected(probes)):
            raise ModelError(
                f"The model {self.key.model} cannot compute a forward pass in {self.key.dtype} on the device "
                f"{self.device} ({reason}), but it can in float32: score it in float32."
            ) from cause
        raise ModelError(
            f"The model {self.key.model} cannot compute a forward pass ({reason}): compare its config.json "
            "with the original checkpoint."
        ) from cause

    def _works_in_float32(self, test: Callable[[], object]) -> bool:
        """Tell whether a model refused in half precision passes a test in float32, and leave it so.

        False if memory does not suffice, as float32 is advised only if it was tried.
        """
        if self.model.dtype == torch.float32:
            return False
        try:
            self.model.float()
            return bool(test())
        except Exception:  # noqa: BLE001
            return False

    def _reproduces(self, expected: Sequence[tuple[Mapping[str, Any], torch.Tensor]]) -> bool:
        """Tell whether the logits of all probes are those of the whole model, up to the last place or two."""
        spacing = 1e-5 if self.model.dtype == torch.float32 else torch.finfo(self.model.dtype).eps
        for probe, whole in expected:
            try:
                trimmed = self._read_probe(probe)
            except Exception:  # noqa: BLE001
                return False  # it may raise anything for fewer states than tokens
            if trimmed.shape != whole.shape:
                return False
            if not torch.allclose(trimmed, whole, atol=self.tolerance, rtol=spacing):
                return False
        return True

    def _read_probe(self, inputs: Mapping[str, Any]) -> torch.Tensor:
        rows, tokens = inputs["input_ids"].shape
        row, position = (torch.as_tensor(part, device=self.device) for part in probe_positions(rows, tokens))
        return torch.cat(list(self._logits(row, position, **inputs))).float()

    def _require_causal(self, inputs: Callable[[Indices], Mapping[str, Any]]) -> None:
        """Raise ModelError for a model whose logits at a position change with later text.

        ``inputs`` makes the model's arguments for texts [row, token].
        """
        with self._device_errors():
            leak, self.ahead = self._leak(inputs)
        if not leak:
            return
        if self._works_in_float32(lambda: not self._leak(inputs)[0]):
            raise ModelError(
                f"The model {self.key.model} cannot be scored in {self.key.dtype} on the device "
                f"{self.device}: {leak}, as if it saw that text. In float32 this does not happen: score it "
                "in float32."
            )
        raise ModelError(
            f"The model {self.key.model} cannot be scored from left to right: {leak}, so the score of a word "
            "would depend on the word itself. Choose a model that does not look ahead."
        )

    @torch.inference_mode()
    def _leak(self, inputs: Callable[[Indices], Mapping[str, Any]]) -> tuple[str, float]:
        def read(ids: Indices, ends: Sequence[int]) -> Sequence[torch.Tensor]:
            rows = torch.as_tensor(np.repeat(np.arange(len(ids)), ends), device=self.device)
            positions = torch.as_tensor(np.concatenate([*map(np.arange, ends)]), device=self.device)
            logits = torch.cat(list(self._logits(rows, positions, **inputs(ids)))).float()
            return torch.split(logits, list(ends))

        return find_leak(read, self.vocabulary, self.context, torch.finfo(self.model.dtype).eps)


def probe_positions(rows: int, tokens: int) -> tuple[Indices, Indices]:
    """Return the (row, position) to read of a probe: one a row, at different positions."""
    return np.arange(rows), (1 + np.arange(rows)) % tokens


def _reason(error: Exception) -> str:
    return shorten(f"{type(error).__name__}: {error}", LONGEST_REASON, placeholder=" …")


@contextmanager
def _answering(module: Any, answer: Any) -> Iterator[None]:
    """Let a module return an earlier answer without computing it again."""
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


LENGTH = 40  # tokens of a text
TEXTS = 3  # with jumps in one of 25 texts, all three jump in one of 15,000 models
CUTS = (3, 14, 33)  # tokens that stay, each at another position of a group of four
# What rounding may make: units of the dtype's precision at the largest logit, and LEAST in any dtype.
UNITS_CHANGED, UNITS_CUT = 4, 32
SPREAD = 4  # times the difference of two rows with the same text
LEAST = 1e-3  # nats
# (texts [row, token], lengths) -> logits [token, vocabulary] of their beginnings.
Read = Callable[[Indices, Sequence[int]], Sequence[torch.Tensor]]


def find_leak(read: Read, vocabulary: int, context: int, precision: float) -> tuple[str, float]:
    """Describe how far logits change with later text, empty if only rounding differs; and the largest change.

    ``read`` computes logits, all texts in one forward pass.  ``context``: tokens that the model can take, 0
    for no limit.  ``precision``: the relative spacing of its numbers.  The change is that of the last text.
    """
    length = min(LENGTH, context or LENGTH)
    cuts = [cut for cut in CUTS if cut < length] or [length - 1]
    if not cuts[0]:
        return "", 0.0
    leak, largest = "", 0.0
    for seed in range(TEXTS):
        leak, largest, rounded = _leak_of_text(read, seed, length, cuts, max(2, vocabulary // 2), precision)
        if not leak or not rounded:
            break
    return leak, largest


def _leak_of_text(
    read: Read, seed: int, length: int, cuts: Sequence[int], entries: int, precision: float
) -> tuple[str, float, bool]:
    """Describe how far logits of a random text change, by how much, and whether rounding may be the cause."""
    generator = np.random.default_rng(seed)
    text = generator.integers(0, entries, length)
    other = (text + generator.integers(1, entries, length)) % entries  # different everywhere
    altered = [np.concatenate([text[:cut], other[cut:]]) for cut in cuts]
    first, again, *changed = read(np.stack([text, text, *altered]), [cuts[-1], cuts[-1], *cuts])
    cut_off = [read(text[None, :cut], [cut])[0] for cut in cuts]
    largest = float(first.masked_fill(~first.isfinite(), 0.0).abs().amax())
    fewest, most = (max(LEAST, units * precision * largest) for units in (UNITS_CHANGED, UNITS_CUT))
    apart = _apart(first, again)
    spread = min(max(fewest, SPREAD * apart), most)
    tests = (("changes", changed, spread, apart > 0), ("is cut off", cut_off, most, True))
    leaks = [max(_apart(first[: len(one)], one) for one in changes) for _, changes, _, _ in tests]
    for leak, (how, _, allowed, rounded) in zip(leaks, tests, strict=True):
        if leak > allowed:
            return f"its logits change by up to {leak:.2g} when the text after them {how}", leak, rounded
    return "", max(leaks), False


def _apart(some: torch.Tensor, others: torch.Tensor) -> float:
    """Return the largest difference; 0 between equal infinities, and for NaN, which scoring refuses."""
    gaps = (some - others).abs().masked_fill_(some == others, 0.0)
    return float(gaps.nan_to_num_(nan=0.0, posinf=float("inf")).amax())
