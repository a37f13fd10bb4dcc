"""Causal models: GPT-2 and its kin.

**Quantity.**  For a word with tokens w₁…w_k behind the text on the left,

    log P(w | left) = Σ_{j=1..k} log P(w_j | left, w_1 … w_{j−1})

in nats, each factor normalised over the whole vocabulary and the sum taken in float64, with the BOS token
exactly where the tokenizer itself puts one by default (and before a text that begins with ``[Y]``, which has
nothing else to condition on).  Where text stands right of ``[Y]``, w runs on over it: the score is
log P(word + right | left), because a causal model cannot look ahead.

**Worked example**, the word " she" of two tokens " sh", "e" in "The nurse said that [Y]":

1. P(" sh" | The nurse said that)    = 0.2
2. P("e"   | The nurse said that sh) = 0.5
3. log P(she) = log 0.2 + log 0.5 = log 0.1 = −2.303

**exact-boundary** also multiplies by P(word ends | left, word): the sum of the probabilities of all tokens
that cannot prolong the word, which are the special tokens and those whose text begins with something else
than a letter, a mark or a digit.  Without it " he" also counts the beginning of " hero" in two tokens
(Pimentel & Meister 2024, https://arxiv.org/abs/2406.14561; their other factor, the same for all words of a
prompt, cancels in preferences and is left out).  With 0.8 for such tokens behind " she" the example gives
log 0.08.  Text on the right says itself where the word ends: nothing is multiplied then.
"""

from __future__ import annotations

import inspect
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers.cache_utils import Cache, DynamicLayer

from pcf_core.errors import ScoringError
from pcf_core.models.loading import Loaded
from pcf_core.records import FloatArray, ScoringKey, TokenTable
from pcf_core.scoring.base import (
    Batch,
    Scorer,
    check_context,
    log_normaliser,
    out_of_memory,
    plan,
    quoted,
    row_cost,
)
from pcf_core.scoring.seam import PROBE, Ids, Pieces, Seam

ENDS = -1  # read in place of a token: the sum over all tokens that end the word


@dataclass(frozen=True)
class Continuations:
    """What the model reads behind one left text, every distinct beginning of a continuation once.

    ``first``: [word] first tokens, read right behind the left text.  ``suffixes``: the token sequences to run
    behind it, none of which begins another.  ``reads``: per suffix an [n, 3] array of (word, depth, token):
    the token's probability is read after ``depth + 1`` tokens of the suffix.
    """

    first: Ids
    suffixes: tuple[Ids, ...]
    reads: tuple[NDArray[np.int_], ...]

    @classmethod
    def of(cls, words: Sequence[Ids], boundary: bool) -> Continuations:
        """From the token ids of each word (and its right text); ``boundary``: also read where it ends."""
        inputs = sorted({ids if boundary else ids[:-1] for ids in words} - {()})
        # In this order a sequence that begins others stands right before one of them.
        suffixes = [a for a, b in zip(inputs, [*inputs[1:], ()], strict=False) if b[: len(a)] != a]
        place = {suffix[: d + 1]: (s, d) for s, suffix in enumerate(suffixes) for d in range(len(suffix))}
        reads: list[list[tuple[int, int, int]]] = [[] for _ in suffixes]
        for word, ids in enumerate(words):
            for length in range(1, len(ids)):
                suffix, depth = place[ids[:length]]
                reads[suffix].append((word, depth, ids[length]))
            if boundary:
                suffix, depth = place[ids]
                reads[suffix].append((word, depth, ENDS))
        return cls(tuple(ids[0] for ids in words), tuple(suffixes), tuple(map(np.array, reads)))


class SharedLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values of left texts, read by many continuations: nothing is added to them.

    ``rows``: for each continuation the row of its left text.
    """

    def __init__(self, layer: DynamicLayer, rows: torch.Tensor) -> None:
        super().__init__()
        self.lazy_initialization(layer.keys, layer.values)
        self.keys, self.values, self.rows = layer.keys, layer.values, rows

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return (
            torch.cat([self.keys[self.rows], key_states], dim=-2),
            torch.cat([self.values[self.rows], value_states], dim=-2),
        )


class CausalScorer(Scorer):
    """See the file's docstring for the quantity.

    A left text runs once; the continuations of several tokens run behind its keys and values where the
    architecture allows it (asked once, when the model is opened), and behind the whole text where not.
    """

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        super().__init__(key, batch_tokens)
        self.model = loaded.model
        self.device = loaded.device
        self.context = context
        self.seam = Seam(loaded.tokenizer, key.model)
        self.vocabulary = int(self.model.get_output_embeddings().weight.shape[0])
        self.boundary = key.protocol == "exact-boundary"
        self.ends = torch.tensor(self._ending_tokens() if self.boundary else [], device=self.device)
        self.slices = "logits_to_keep" in inspect.signature(self.model.forward).parameters
        self.reuses = self._reuse_is_exact()

    def check(self, words: Sequence[str]) -> TokenTable:
        return self.seam.check(words)

    def _score_batches(self, prompts: Sequence[str], words: Sequence[str]) -> Iterator[Batch]:
        pieces = self.seam.cut(prompts, words)
        starts = [self._start(piece, prompt) for piece, prompt in zip(pieces, prompts, strict=True)]
        known: dict[tuple[Any, ...], Continuations] = {}
        behind = []
        for piece in pieces:
            whole = tuple(ids + right for ids, right in zip(piece.words, piece.rights, strict=True))
            boundary = self.boundary and not any(piece.rights)
            if (whole, boundary) not in known:
                known[whole, boundary] = Continuations.of(whole, boundary)
            behind.append(known[whole, boundary])
        lengths = [
            len(start) + max((len(suffix) for suffix in tree.suffixes), default=0)
            for start, tree in zip(starts, behind, strict=True)
        ]
        check_context(self.key, self.context, lengths, prompts)
        for block in plan([len(start) for start in starts], self._costs(starts, behind), self.batch_tokens):
            yield np.array(block), self._score_block([starts[i] for i in block], [behind[i] for i in block])

    def _start(self, pieces: Pieces, prompt: str) -> Ids:
        start = self.seam.opening + pieces.left
        if start:
            return start
        first = self.seam.tokenizer.bos_token_id
        if first is None:
            raise ScoringError(
                f"The prompt {quoted(prompt)} begins with [Y], and {self.key.model} has no BOS token to "
                "condition on; put text before [Y]."
            )
        return (first,)

    def _costs(self, starts: Sequence[Ids], behind: Sequence[Continuations]) -> list[int]:
        tokens = [
            len(start) + sum(map(len, tree.suffixes)) for start, tree in zip(starts, behind, strict=True)
        ]
        return [row_cost(count, 1, self.vocabulary, self.batch_tokens) for count in tokens]

    @torch.inference_mode()
    def _score_block(self, starts: Sequence[Ids], behind: Sequence[Continuations]) -> FloatArray:
        """[row, word] nats of rows whose left texts have equal length."""
        ids = torch.tensor(starts, device=self.device)
        try:
            logits, cache = self._read_left(ids, any(tree.suffixes for tree in behind))
            first = torch.tensor([tree.first for tree in behind], device=self.device)
            values = (logits.gather(1, first).cpu().double() - log_normaliser(logits)[:, None]).numpy()
            places = [
                (row, suffix) for row, tree in enumerate(behind) for suffix in range(len(tree.suffixes))
            ]
            lengths = [len(behind[row].suffixes[suffix]) for row, suffix in places]
            costs = [
                row_cost(ids.shape[1] + length, length, self.vocabulary, self.batch_tokens)
                for length in lengths
            ]
            for bucket in plan(lengths, costs, self.batch_tokens):
                self._add_continuations(values, ids, cache, behind, [places[index] for index in bucket])
        except torch.OutOfMemoryError as error:
            raise out_of_memory(self.key, self.batch_tokens) from error
        return np.asarray(values)

    def _add_continuations(
        self,
        values: FloatArray,
        ids: torch.Tensor,
        cache: Cache | None,
        behind: Sequence[Continuations],
        places: Sequence[tuple[int, int]],
    ) -> None:
        """Add to ``values`` what is read in the suffixes at ``places``, all of one length, in one pass."""
        rows = torch.tensor([row for row, _ in places], device=self.device)
        suffixes = torch.tensor([behind[row].suffixes[s] for row, s in places], device=self.device)
        logits = self._read_suffixes(ids, cache, rows, suffixes)
        normaliser = log_normaliser(logits)
        reads = [behind[row].reads[s] for row, s in places]
        counts = [len(read) for read in reads]
        word, depth, token = np.concatenate(reads).T
        place = np.repeat(np.arange(len(places)), counts)
        found = logits[place, depth, np.maximum(token, 0)]
        if self.boundary:
            ending = logits[..., self.ends].logsumexp(dim=-1)[place, depth]
            found = torch.where(torch.as_tensor(token == ENDS, device=self.device), ending, found)
        nats = (found.cpu().double() - normaliser[place, depth]).numpy()
        np.add.at(values, (np.repeat([row for row, _ in places], counts), word), nats)

    def _read_left(self, ids: torch.Tensor, more: bool) -> tuple[torch.Tensor, Cache | None]:
        """[row, vocabulary] float32 logits behind the last token, and keys and values if ``more`` follows."""
        keep = {"logits_to_keep": 1} if self.slices else {}
        reuse = more and self.reuses
        answer = self.model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=reuse, **keep)
        return answer.logits[:, -1].float(), answer.past_key_values if reuse else None

    def _read_suffixes(
        self, ids: torch.Tensor, cache: Cache | None, rows: torch.Tensor, suffixes: torch.Tensor
    ) -> torch.Tensor:
        """[row, depth, vocabulary] float32 logits behind each token of the suffixes."""
        whole = torch.cat([ids[rows], suffixes], dim=1)
        mask = torch.ones_like(whole)
        depth = suffixes.shape[1]
        if cache is None:
            keep = {"logits_to_keep": depth} if self.slices else {}
            answer = self.model(input_ids=whole, attention_mask=mask, use_cache=False, **keep)
        else:
            shared = Cache(layers=[SharedLayer(layer, rows) for layer in cache.layers])
            answer = self.model(
                input_ids=suffixes, attention_mask=mask, past_key_values=shared, use_cache=True
            )
        logits: torch.Tensor = answer.logits[:, -depth:]
        return logits.float()

    @torch.inference_mode()
    def _reuse_is_exact(self) -> bool:
        """Whether keys and values may be shared: asked with two continuations of a short text.

        Sliding windows, recurrent states and the like keep another cache: they run the whole text again.
        """
        ids = torch.tensor([[0, 1, 2]], device=self.device)
        suffixes = torch.tensor([[1, 2], [2, 0]], device=self.device)
        rows = torch.tensor([0, 0], device=self.device)
        answer = self.model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=True)
        cache = getattr(answer, "past_key_values", None)
        layers = getattr(cache, "layers", [])
        if not layers or not all(type(layer) is DynamicLayer and layer.is_initialized for layer in layers):
            return False
        shared = self._read_suffixes(ids, cache, rows, suffixes).log_softmax(dim=-1)
        whole = self._read_suffixes(ids, None, rows, suffixes).log_softmax(dim=-1)
        return torch.allclose(shared, whole, atol=1e-4 if self.model.dtype == torch.float32 else 0.1)

    def _ending_tokens(self) -> list[int]:
        """Tokens that cannot prolong a word: no letter, mark or digit first, or special."""
        tokenizer = self.seam.tokenizer
        before = self.seam.encode([PROBE])[0]
        special = set(tokenizer.all_special_ids)
        stem = tokenizer.decode(before, clean_up_tokenization_spaces=False)
        ends = []
        for token in range(min(len(tokenizer), self.vocabulary)):
            text = tokenizer.decode([*before, token], clean_up_tokenization_spaces=False)
            if token in special or _ends_word(text.removeprefix(stem)):
                ends.append(token)
        return ends


def _ends_word(text: str) -> bool:
    """Whether a token with this text behind a word ends the word; part of a character (�) does not."""
    return text != "" and text[0] != "�" and unicodedata.category(text[0])[0] not in "LMN"
