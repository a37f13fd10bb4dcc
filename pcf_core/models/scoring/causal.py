"""Causal models such as GPT-2.

**Quantity.**  For a word with tokens w₁…w_k after the text on the left,

    log P(w | left) = Σ_{j=1..k} log P(w_j | left, w_1 … w_{j−1})

in nats, each factor normalised over the whole vocabulary and the sum taken in float64, with the BOS token
exactly where the tokenizer puts one by default, unless the model clearly expects another opening
(:mod:`pcf_core.models.beginnings`), which is then part of the key.  A word that begins a text without any
token before it is conditioned on BOS or, in models without one such as Qwen, on EOS, which separates
documents.  In a chat, the left text begins with the frame (:mod:`pcf_core.models.frames`), and no other token
is put before it.  If text follows ``[Y]``, w includes it: the score is log P(word + right | left), because a
causal model cannot look ahead.  Such scores do not sum to a coverage; the same forward pass also gives
log P(w | left) for that, unless a token is part of both word and right text.

**Worked example**, the word " she" of two tokens " sh", "e" in "The nurse said that [Y]":

1. P(" sh" | The nurse said that)    = 0.2
2. P("e"   | The nurse said that sh) = 0.5
3. log P(she) = log 0.2 + log 0.5 = log 0.1 = −2.303

**exact-boundary** also multiplies by P(word ends | left, word): the sum over all tokens that cannot prolong
the word, which are special tokens and those that do not begin with a letter, mark or digit.  Without it " he"
also counts the beginning of " hero" in two tokens (Pimentel & Meister 2024, https://arxiv.org/abs/2406.14561;
their other factor cancels in preferences and is left out).  With 0.8 for such tokens after " she" the example
gives log 0.08.  Text on the right shows where the word ends, so nothing is multiplied then.

**Speed.**  Prompts with common beginnings, and the words after them, are packed into prefix trees
(:mod:`pcf_core.models.scoring.trees`): a forward pass computes every distinct beginning once, with an
attention mask that shows each token its own ancestors, and their number as its position.  Whether an
architecture gives the same numbers that way, and for how large a tree (GPT-Neo's local layers count slots,
not positions), is tested when it is opened, and success is noted in the cache folder.  Others read trees
level by level (:mod:`pcf_core.models.scoring.levels`), if that passes the same test; otherwise each text is a
row of its own.

The tokens of a frame are computed once, and trees then continue from their cache, if a test like that of
trees shows the same numbers; otherwise a frame is the beginning of every tree.
"""

from __future__ import annotations

import copy
import hashlib
import platform
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import transformers
from transformers.cache_utils import DynamicCache, DynamicLayer

from pcf_core.core.files import noted
from pcf_core.core.records import FloatArray, digest
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import PACKAGE
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import (
    LOGITS,
    Batch,
    SentenceOpening,
    TokenNats,
    check_context,
    has_right_text,
    log_normaliser,
    plan,
    require_fitting,
    row_cost,
)
from pcf_core.models.scoring.levels import Levels
from pcf_core.models.scoring.local import LocalScorer
from pcf_core.models.scoring.openings import Openings
from pcf_core.models.scoring.seam import PROBE, Ids, Seam
from pcf_core.models.scoring.trees import ENDS, Continuations, Indices, Tree, chains, pack
from pcf_core.models.shortcuts import agree

SMALLEST, USUAL, LARGEST = 64, 128, 1024  # nodes of a tree
YES = "exact"
# Fields with the size of an attention window; max_window_layers is none.
WINDOW = re.compile(r"(window|window_size|attention_chunk_size|local_attention|index_topk|indexer_budget)$")
TRIED = 32  # words after each text of a test
FEWER_TRIED = 4  # in a frame, where each is a row with the whole frame, and level by level
DEEPEST = 64  # levels of a test, one forward pass each
IN_CHAT = "Each sentence begins the model's answer in a chat, and the template puts its own tokens before it."
ROWS = 16  # that a tree has room for at least, to waste little of its end


class CausalScorer(LocalScorer):
    """Scores causal models.

    ``largest_tree``: nodes up to which trees are exact, 0 if none are.  ``deepest``: otherwise, levels up to
    which they are exact level by level, 0 if none are.  ``memory``: the cache of the frame's tokens, if trees
    behind it are exact.
    """

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        super().__init__(loaded, key, context=context, batch_tokens=batch_tokens)
        self.openings = Openings(self.seam, self._nats_behind)
        if key.frame is not None:
            self.seam = Seam(loaded.tokenizer, key.model, self.vocabulary, key.frame.text)
        self.boundary = key.protocol == "exact-boundary"
        self.ends = torch.tensor(self._ending_tokens() if self.boundary else [], device=self.device)
        self._find_shortcuts([self._text_inputs(ids) for ids in self._probe_ids()])
        self._require_causal(self._text_inputs)
        self.memory: Any = None
        self.levels = Levels(self.model, self.device)
        self.largest_tree = 0 if self.body is None else self._largest_exact_tree(loaded.identity)
        self.deepest = 0 if self.largest_tree or not self.levels.name else DEEPEST
        if self.deepest and not self._is_known_as_exact(DEEPEST, loaded.identity, by_levels=True):
            self.deepest = 0
        frame, size, deep = self.seam.frame_ids, self.largest_tree or self.deepest, self.deepest > 0
        if size and frame and self._is_known_as_exact(size, loaded.identity, frame, by_levels=deep):
            self.memory = self._remembered()
        if key.frame is None:
            self.key = self.openings.opened(key, loaded.identity)

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        batching = (
            f"Prompts with a common beginning share it, in prefix trees of up to {self.largest_tree} tokens, "
            "which gave the scores of each text alone."
            if self.largest_tree
            else f"Prompts of up to {self.deepest} tokens with a common beginning share it, from the model's "
            "cache, which gave the scores of each text alone."
            if self.deepest
            else "Prompts run beside others of the same length: this architecture cannot share beginnings."
        )
        return super().traits | {"opening": self._opening_trait, "batching": batching}

    @property
    def _opening_trait(self) -> str:
        if self.key.frame is not None:
            return IN_CHAT
        return f"{super().traits['opening']} {self.openings.said(self.seam.opening)}".rstrip()

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, one plain text a forward pass."""
        plain = copy.copy(self)
        plain.largest_tree, plain.deepest, plain.memory = 0, 0, None
        return super(CausalScorer, plain).alone(prompt, word)

    def _token_nats(self, texts: Sequence[str]) -> list[TokenNats]:
        """Return log P(token | tokens before it) of every token.

        The first is conditioned on the frame, the tokenizer's opening, or else on :attr:`sentence_opening`.
        """
        if self.seam.frame:
            memory = self.memory if self.largest_tree else None
            return self._nats_behind(self.seam.encode([self.seam.frame])[0], texts, memory=memory)
        return self._nats_behind(self.seam.opening or (self.openings.separator[0],), texts)

    def _nats_behind(
        self, start: Ids, texts: Sequence[str], unread: int = 0, memory: Any = None
    ) -> list[TokenNats]:
        """Return the same after tokens ``start``, without the first ``unread`` tokens.

        ``memory``: of the frame's tokens, with which ``start`` then begins.
        """
        sentences = self.seam.whole(texts)
        check_context(self.key, self.context, [len(start) + len(ids) for ids in sentences], texts)
        start = start if memory is None else start[len(self.seam.frame_ids) :]
        values = np.zeros((len(texts), max(map(len, sentences), default=0)))
        trees = []
        for row, ids in enumerate(sentences):
            places = np.arange(unread, len(ids))
            nodes = len(start) - 1 + places
            reads = np.stack([np.full_like(places, row), places, nodes, ids[unread:]], axis=1)
            slots = np.arange(len(start) + len(ids))
            trees.append(Tree(np.array(start + ids, dtype=int), slots - 1, slots, reads))
        self._add(values, trees, memory)
        return [TokenNats(ids, nats[: len(ids)]) for ids, nats in zip(sentences, values, strict=True)]

    @property
    def sentence_opening(self) -> SentenceOpening | None:
        """The token that whole sentences are conditioned on; ``None`` if tokenizer or frame put tokens there.

        Usually BOS, or else EOS, which separates documents in training.  But BOS may mean something else
        (SmolLM2's precedes a role), so another separator is chosen if it makes plain sentences likelier by
        more than :data:`~pcf_core.models.beginnings.CLEARLY` nats a token.
        """
        return None if self.seam.opening or self.seam.frame else self.openings.separator[1]

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        require_fitting(self.key.frame, prompts)
        pieces = self.seam.cut(prompts, words, causal=True)
        rights = [has_right_text(prompt) for prompt in prompts]
        starts = [self.seam.opening + piece.left or (self.openings.usual_separator,) for piece in pieces]
        continuations: dict[tuple[Any, ...], Continuations] = {}
        behind = []
        for piece, right in zip(pieces, rights, strict=True):
            whole = tuple(ids + rest for ids, rest in zip(piece.words, piece.rights, strict=True))
            own = (ids if rest else () for ids, rest in zip(piece.words, piece.rights, strict=True))
            heads = tuple(own) if right else ()
            if (whole, heads) not in continuations:
                continuations[whole, heads] = Continuations.of(whole, self.boundary, heads)
            behind.append(continuations[whole, heads])
        lengths = [len(start) + tree.longest for start, tree in zip(starts, behind, strict=True)]
        check_context(self.key, self.context, lengths, prompts)
        values = np.zeros((len(prompts), 2 * len(words)))  # scores, then words given the left text alone
        frame, memory = self.seam.frame_ids, self.memory
        fits = self.largest_tree or max(lengths, default=0) <= len(frame) + self.deepest
        if memory is not None and fits and all(start[: len(frame)] == frame for start in starts):
            starts = [start[len(frame) :] for start in starts]
        else:
            memory = None
        for rows, trees in self._blocks(starts, behind):
            with self._telling_parts(len(rows)):
                self._add(values, trees, memory)
            nats, left = np.split(values[rows], 2, axis=1)
            for index, row in enumerate(rows):
                joined = [not rest for rest in pieces[row].rights]  # a token is part of both
                left[index] = np.where(joined, np.nan, left[index]) if rights[row] else nats[index]
            yield Batch(np.array(rows), nats, left if any(rights[row] for row in rows) else None)

    def _blocks(
        self, starts: Sequence[Ids], behind: Sequence[Continuations]
    ) -> Iterator[tuple[list[int], list[Tree]]]:
        """Yield rows and their trees, about ``batch_tokens`` at a time."""
        sizes = [len(start) + len(tree.ids) for start, tree in zip(starts, behind, strict=True)]
        small = [row for row, size in enumerate(sizes) if size <= self.largest_tree]
        rows: list[int] = []
        trees: list[Tree] = []
        spent = 0
        limit = min(self.largest_tree, max(USUAL, ROWS * max((sizes[row] for row in small), default=0)))
        for more, tree in pack(starts, behind, small, limit, LOGITS // self.vocabulary):
            cost = self._cost(tree)
            if trees and spent + cost > self.batch_tokens:
                yield rows, trees
                rows, trees, spent = [], [], 0
            rows, trees, spent = [*rows, *more], [*trees, tree], spent + cost
        if trees:
            yield rows, trees
        lengths = [len(start) + tree.longest for start, tree in zip(starts, behind, strict=True)]
        if self.deepest:
            within = [row for row, length in enumerate(lengths) if length <= self.deepest]
            limit = 2 * self._most_rows(max(lengths, default=0))
            yield from ((rows, [tree]) for rows, tree in pack(starts, behind, within, limit, limit))
        deep = [row for row, length in enumerate(lengths) if length > self.deepest]
        large = [row for row in deep if sizes[row] > self.largest_tree]
        costs = [(len(starts[row]) + 1) * max(1, len(behind[row].paths)) for row in large]
        for block in plan([len(starts[row]) for row in large], costs, self.batch_tokens):
            rows = [large[index] for index in block]
            yield rows, [tree for row in rows for tree in chains(starts[row], behind[row], row)]

    def _most_rows(self, longest: int) -> int:
        """Return the rows of a pass of a level whose texts have up to so many tokens behind a frame."""
        with self._device_errors():
            return self.levels.rows(len(self.seam.frame_ids) + longest, self.batch_tokens)

    def _cost(self, tree: Tree) -> int:
        return row_cost(len(tree.ids), tree.read_nodes, self.vocabulary, self.batch_tokens)

    def _add(self, values: FloatArray, trees: Sequence[Tree], memory: Any = None) -> None:
        if self.deepest and (memory is not None or not trees[0].is_chain):
            for tree in trees:
                with self._device_errors():
                    np.add.at(values, tuple(tree.reads[:, :2].T), self._read_by_levels(tree, memory))
            return
        lengths = [len(tree.ids) if tree.is_chain else 0 for tree in trees]
        for bucket in plan(lengths, [self._cost(tree) for tree in trees], self.batch_tokens):
            chosen = [trees[index] for index in bucket]
            row, word, _, _ = np.concatenate([tree.reads for tree in chosen]).T
            with self._device_errors():
                np.add.at(values, (row, word), self._read(chosen, memory))

    @torch.inference_mode()
    def _read(self, trees: Sequence[Tree], memory: Any = None) -> FloatArray:
        number = np.repeat(np.arange(len(trees)), [len(tree.reads) for tree in trees])
        _, _, node, token = np.concatenate([tree.reads for tree in trees]).T
        length = max(len(tree.ids) for tree in trees)
        places, index = np.unique(number * length + node, return_inverse=True)
        rows, positions = (torch.as_tensor(part, device=self.device) for part in np.divmod(places, length))
        inputs = self._inputs(trees) if memory is None else self._inputs_behind(trees, memory)
        return self._nats(rows, positions, index, token, **inputs)

    def _read_by_levels(self, tree: Tree, memory: Any = None) -> FloatArray:
        rows = self._most_rows(int(tree.depths.max()) + 1)
        return self.levels.nats(self._nats, tree, rows, memory)

    def _wanted(self, logits: torch.Tensor, index: Indices, token: Indices) -> torch.Tensor:
        """Return [read] logits; of an end, the log of the sum of all that end a word."""
        chosen = super()._wanted(logits, index, np.maximum(token, 0))
        if self.boundary:
            ending = log_normaliser(logits[:, self.ends])[index]
            chosen = torch.where(torch.as_tensor(token == ENDS), ending, chosen)
        return chosen

    def _inputs(self, trees: Sequence[Tree]) -> dict[str, Any]:
        """Make the model's arguments: plain texts of one length, or trees with mask and positions."""
        length = max(len(tree.ids) for tree in trees)
        if all(tree.is_chain and len(tree.ids) == length for tree in trees):
            ids = torch.as_tensor(np.stack([tree.ids for tree in trees]), device=self.device)
            return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "use_cache": False}
        return self._masked(trees)

    def _masked(self, trees: Sequence[Tree]) -> dict[str, Any]:
        """Make the model's arguments for trees, with mask and positions."""
        length = max(len(tree.ids) for tree in trees)
        ids = torch.as_tensor(_stacked([tree.ids for tree in trees], length), device=self.device)
        hidden = ~np.stack([tree.visible(length) for tree in trees])[:, None]
        mask = torch.zeros(hidden.shape, dtype=self.model.dtype, device=self.device)
        mask.masked_fill_(torch.as_tensor(hidden, device=self.device), torch.finfo(mask.dtype).min)
        depths = torch.as_tensor(_stacked([tree.depths for tree in trees], length), device=self.device)
        return {"input_ids": ids, "attention_mask": mask, "position_ids": depths, "use_cache": False}

    def _inputs_behind(self, trees: Sequence[Tree], memory: Any) -> dict[str, Any]:
        """Make the arguments for trees after the frame's tokens, whose keys and values are copied."""
        begin, cache = memory.get_seq_length(), DynamicCache()
        for index, layer in enumerate(memory.layers):
            pair = (part.expand(len(trees), -1, -1, -1) for part in (layer.keys, layer.values))
            cache.update(*pair, index)
        inputs = self._masked(trees)
        mask = torch.nn.functional.pad(inputs["attention_mask"], (begin, 0))
        return inputs | {
            "attention_mask": mask,
            "position_ids": inputs["position_ids"] + begin,
            "past_key_values": cache,
            "use_cache": True,
        }

    @torch.inference_mode()
    def _remembered(self) -> Any:
        """Compute the cache of the frame's tokens; TypeError if a tree cannot be put behind it."""
        ids = torch.tensor([self.seam.frame_ids], device=self.device)
        memory = self.model(input_ids=ids, use_cache=True)[self.levels.name]
        if self.largest_tree and not all(type(layer) is DynamicLayer for layer in memory.layers):
            raise TypeError("layers with windows or states")
        return memory

    def _text_inputs(self, ids: Indices) -> dict[str, Any]:
        return self._inputs([tree for row in ids for tree in chains(tuple(row), Continuations.of([]), 0)])

    def _largest_exact_tree(self, identity: str) -> int:
        """Find, by halving, the largest tree with the log-probabilities of its sequences alone.

        Stateful models have none, and trees never exceed an attention window, which their mask replaces.
        """
        if getattr(self.model, "_is_stateful", False):
            return 0
        config = self.model.config.get_text_config()
        width = int(getattr(config, "hidden_size", LARGEST))
        limit = LARGEST
        while limit > max(256, width // 4):  # attention costs limit / (6 width) of the rest
            limit //= 2
        while limit > shortest_window(config, limit):
            limit //= 2
        while limit >= SMALLEST:
            if self._is_known_as_exact(limit, identity):
                return limit
            limit //= 2
        return 0

    def _is_known_as_exact(
        self, size: int, identity: str, frame: Ids = (), *, by_levels: bool = False
    ) -> bool:
        """Call :meth:`_is_exact`, which may take minutes, once for the same weights, program and device.

        A failed test is repeated each time, since memory may have been short.
        """
        if not identity:
            return self._is_exact(size, frame, by_levels=by_levels)
        conditions = (identity, self.model.dtype, self.context, size, device_name(self.device), *program())
        conditions += (digest(frame),) if frame else ()
        conditions += ("by levels",) if by_levels else ()

        def answer() -> str:
            return YES if self._is_exact(size, frame, by_levels=by_levels) else "no"

        return noted("trees.json", "|".join(map(str, conditions)), YES, answer) == YES

    def _is_exact(self, size: int, frame: Ids = (), *, by_levels: bool) -> bool:
        """Tell whether trees of so many tokens, or levels, give the nats of their sequences alone.

        Tested with a text of nearly that many tokens and, in the last slots, branches from its beginning: a
        text longer than an attention window reveals windows over positions, a branch far from its ancestors
        in slots but not in positions reveals windows over slots.  All branches leave the text in its first
        quarter, as later ones would reveal nothing more.
        """
        drawn = np.random.default_rng(size).integers(0, self.vocabulary // 2, 2 * size).tolist()
        tokenizer = self.seam.tokenizer  # padding has no position in RoBERTa, and may be what opens a text
        roles = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        opening = [one for one in roles if one is not None and one < self.vocabulary]
        draws = [*opening, *(one for one in drawn if one != tokenizer.pad_token_id)][:size]
        last = self.vocabulary - 1  # sorted after the others
        depth = min(size - 7, (self.context or size + len(frame)) - len(frame) - 2)
        trunks = [tuple(draws[n : n + depth]) for n in range(0, size - 7, depth)]
        # By levels a second branch leaves while the first goes on, so that rows of caches change places.
        turns = [max(1, depth // part) + later for part in (4, 16, depth) for later in range(1 + by_levels)]
        texts = [*trunks, *((*trunks[0][:turn], last) for turn in turns)]
        more = draws[:by_levels]
        words = [(last, *more, token) for token in draws[: FEWER_TRIED if frame or by_levels else TRIED]]
        behind = [Continuations.of(words)] * len(texts)
        ((_, tree),) = pack(texts, behind, range(len(texts)), 2 * size, 2 * size)
        lines = [chain for row, text in enumerate(texts) for chain in chains(frame + text, behind[row], row)]

        def scores(rows: Sequence[Tree], read: Callable[[Tree], FloatArray]) -> FloatArray:
            values = np.zeros((len(texts), len(words)))
            for row in rows:
                np.add.at(values, tuple(row.reads[:, :2].T), read(row))
            return values

        def fast() -> FloatArray:
            memory = self._remembered() if frame else None
            if by_levels:
                return scores([tree], lambda row: self._read_by_levels(row, memory))
            return scores([tree], lambda row: self._read([row], memory))

        return agree(self.model, fast, lambda: scores(lines, lambda row: self._read([row])))

    def _ending_tokens(self) -> list[int]:
        """List tokens that cannot prolong a word: special, or without a letter, mark or digit first."""
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


def shortest_window(config: Any, most: int) -> int:
    """Return the size of the shortest attention window of a configuration, used or not, at most ``most``."""
    return min(
        (
            size
            for name, size in vars(config).items()
            if type(size) is int and size > 0 and WINDOW.search(name)
        ),
        default=most,
    )


def device_name(device: str) -> str:
    """Name a device by its hardware, so that machines that compute alike have one name."""
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    return f"{device} {platform.machine()} {torch.backends.cpu.get_cpu_capability()}"


@lru_cache(maxsize=1)
def program() -> tuple[str, ...]:
    """Return the libraries that run a model, and a hash of our own code that does."""
    own = hashlib.sha256()
    for path in sorted((PACKAGE / "models").rglob("*.py")):
        own.update(path.read_bytes())
    return (f"torch {torch.__version__}", f"transformers {transformers.__version__}", own.hexdigest())


def _ends_word(text: str) -> bool:
    """Tell whether a token with this text ends the word before it; part of a character (�) does not."""
    return text != "" and text[0] != "�" and unicodedata.category(text[0])[0] not in "LMN"


def _stacked(parts: Sequence[Indices], length: int) -> Indices:
    whole = np.zeros((len(parts), length), dtype=int)
    for row, part in enumerate(parts):
        whole[row, : len(part)] = part
    return whole
