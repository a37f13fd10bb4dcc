"""Encoder–decoder models such as T5 and BART.

**Quantity.**  The encoder reads the whole text with one token in place of the word, whatever its length; the
decoder, after a fixed beginning, gives the word's tokens w₁…w_k:

    log P(w) = Σ_{j=1..k} log P(w_j | encoder's text, decoder's beginning, w_1 … w_{j−1})

in nats, each factor normalised over all entries of the output layer (T5's has more than its tokenizer) and
the sum taken in float64.  Text right of ``[Y]`` is conditioned on, in the encoder alone.  Words of all
lengths share one sample space.  The tokenizer decides between:

- **Sentinels** (T5, Raffel et al. 2020, https://arxiv.org/abs/1910.10683): the encoder reads ``left
  <extra_id_0> right``, the decoder begins with its start token and ``<extra_id_0>``.
- **A mask** (BART's text infilling, Lewis et al. 2020, https://arxiv.org/abs/1910.13461): the encoder reads
  ``left <mask> right``, the decoder begins with its start token and the text on the left, opened as the
  tokenizer opens a text: for BART and LED ``</s> <s> left``.
- **A mask and a language** (mBART, Liu et al. 2020, https://arxiv.org/abs/2001.08210; PLBart, Ahmad et al.
  2021, https://arxiv.org/abs/2103.06333): the same with the code of the language that the tokenizer puts
  beside a text (``src_lang`` in its tokenizer_config.json), behind the end in mBART and PLBart, in front in
  mBART-50: the encoder reads ``left <mask> right </s> en_XX`` or ``en_XX left <mask> right </s>``, the
  decoder ``en_XX left`` or ``</s> en_XX left``.

Special tokens around the encoder's text are the tokenizer's own.  The text on the right has its tokens in a
running text, as in training, where the sentinel replaces tokens: ``"a [Y]."`` ends in ``<extra_id_0> .`` even
if the tokenizer would put a space after the sentinel's name.

**Worked example**, the word " she" of two tokens "▁sh", "e" in "that [Y].", T5:

1. P("▁sh" | that <extra_id_0> . ; start <extra_id_0>)     = 0.2
2. P("e"   | that <extra_id_0> . ; start <extra_id_0> ▁sh) = 0.5
3. log P(she) = log 0.2 + log 0.5 = log 0.1 = −2.303

**exact-boundary** (sentinels only) also multiplies by the probability of the closing ``<extra_id_1>`` after
the word; with 0.8 for it the example gives log 0.08.

**Speed.**  The encoder reads each prompt once, beside others of equal length.  The decoder has one row per
prompt, with the beginning once and then the tree of all words (:mod:`pcf_core.models.scoring.trees`): a mask
shows each token its own ancestors, and positions are depths in the tree.  Whether an architecture gives the
same numbers that way is tested when it is opened; otherwise each word's sequence is a row of its own.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from pcf_core.core.errors import AuditError, ModelError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Batch, check_context, plan, row_cost, split_prompt
from pcf_core.models.scoring.local import LocalScorer
from pcf_core.models.scoring.seam import ROLES, Ids, Pieces, Seam
from pcf_core.models.scoring.trees import Continuations, Indices, Tree, chains, pack
from pcf_core.models.shortcuts import agree

# Types whose tokenizers put the code of a text's language beside it.
WITH_LANGUAGE = ("mbart", "plbart")


def first_token(model: Any, seam: Seam, error: type[AuditError]) -> int:
    """Return the token with which the decoder of a model starts.

    In the training of mBART and PLBart that is the last token of the encoder's text, whatever the
    configuration says: the language in mBART and PLBart, the end in mBART-50.
    """
    first = getattr(model.config, "decoder_start_token_id", None)
    if getattr(model.config, "model_type", "") in WITH_LANGUAGE:
        return _last_of_text(model, seam, error)
    if first is None:
        raise error(
            f"The configuration of {seam.model} does not state the token with which its decoder starts: set "
            "decoder_start_token_id."
        )
    return int(first)


def _last_of_text(model: Any, seam: Seam, error: type[AuditError]) -> int:
    tokenizer, first = seam.tokenizer, getattr(model.config, "decoder_start_token_id", None)
    roles = {None, *(getattr(tokenizer, f"{role}_token_id") for role in ROLES)}
    languages = {*seam.opening, *seam.closing} - roles
    if not languages or not seam.closing:
        raise error(
            f"The tokenizer of {seam.model} does not put the language of a text beside it, as in training: "
            "set src_lang in its tokenizer_config.json."
        )
    # Of mBART-50's translators into one language.
    forced = getattr(getattr(model, "generation_config", None), "forced_bos_token_id", None)
    target = first if first not in roles | languages else forced if forced not in roles else None
    if target is not None:
        own = " ".join(tokenizer.convert_ids_to_tokens(sorted(languages - {target})))
        how = f"{own} to {tokenizer.convert_ids_to_tokens(target)}".strip()
        raise error(
            f"The model {seam.model} cannot be scored, because it translates ({how}), so the probability of "
            "a word would answer another question: choose the model that it was trained from."
        )
    return seam.closing[-1]


@dataclass(frozen=True)
class Question:
    """One prompt: the encoder's text, the decoder's beginning, and the words after it."""

    source: Ids
    start: Ids
    behind: Continuations

    @property
    def shape(self) -> tuple[int, int, int]:
        """Questions of one shape run together: their tokens are at the same positions."""
        return len(self.source), len(self.start), id(self.behind)


class Seq2SeqScorer(LocalScorer):
    """Scores encoder–decoders.

    ``gap``: the token at ``[Y]``; ``closing``: the sentinel after the word, ``None`` for a mask.  ``packs``:
    whether all words of a prompt run in one row.
    """

    def __init__(
        self, loaded: Loaded, key: ScoringKey, *, context: int = 0, batch_tokens: int | None = None
    ) -> None:
        super().__init__(loaded, key, context=context, batch_tokens=batch_tokens)
        self.gap, self.closing = self._gap_and_closing()
        self.boundary = key.protocol == "exact-boundary"
        if self.boundary and self.closing is None:
            raise ModelError(
                f"The protocol exact-boundary needs the sentinel after a word, but {key.model} has a mask "
                "and no sentinels: use exact."
            )
        self.first = first_token(self.model, self.seam, ModelError)
        self._find_shortcuts([self._text_inputs(ids) for ids in self._probe_ids()])
        self._require_causal(self._text_inputs)
        # Experts that take a limited number of tokens of a row would leave out words.
        self.packs = not hasattr(self.model.config, "expert_capacity") and self._packs_exactly()

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        (gap,) = self.seam.tokenizer.convert_ids_to_tokens([self.gap])
        forced = "" if self.closing is not None else "; the decoder is forced along the text on the left"
        shared = (
            "the decoder holds all words of a prompt in one row"
            if self.packs
            else "each word of several tokens is a row of the decoder: this architecture cannot share one"
        )
        return super().traits | {
            "gap": f"The encoder reads {gap} in place of the word{forced}.",
            "batching": f"The encoder reads each prompt once, beside others of the same length; {shared}.",
        }

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, each sequence in a plain row of the decoder."""
        plain = copy.copy(self)
        plain.packs = False
        return super(Seq2SeqScorer, plain).alone(prompt, word)

    def _gap_and_closing(self) -> tuple[int, int | None]:
        tokenizer = self.seam.tokenizer
        if type(tokenizer).__name__ == "ByT5Tokenizer":
            raise ModelError(
                f"The sentinels of {self.key.model} are bytes for which ByT5's tokenizer has no name: choose "
                "a T5 model that uses word pieces."
            )
        if self.seam.sentinels is not None:
            return self.seam.sentinels
        if tokenizer.mask_token_id is None:
            raise ModelError(
                f"The tokenizer of {self.key.model} has neither the sentinel <extra_id_0> nor a mask token, "
                "and an encoder–decoder model needs one of them at [Y]: choose another model."
            )
        return int(tokenizer.mask_token_id), None

    def _text_inputs(self, ids: Indices) -> dict[str, Any]:
        """Make the model's arguments for texts [row, token] of the decoder; the encoder reads a short one."""
        decoded = torch.as_tensor(ids, device=self.device)
        read = torch.tensor([[0, 1]], device=self.device).expand(len(ids), -1)
        return {"input_ids": read, "decoder_input_ids": decoded, "use_cache": False}

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        continuations: dict[tuple[Ids, ...], Continuations] = {}
        questions = [
            self._question(prompt, piece, continuations)
            for prompt, piece in zip(prompts, self.seam.cut(prompts, words), strict=True)
        ]
        lengths = [max(len(one.source), len(one.start) + one.behind.longest) for one in questions]
        check_context(self.key, self.context, lengths, prompts)
        shapes = sorted(dict.fromkeys(one.shape for one in questions), key=lambda shape: shape[:2])
        numbers = [shapes.index(one.shape) for one in questions]
        costs = [self._cost(question) for question in questions]
        for block in plan(numbers, costs, self.batch_tokens):
            yield Batch(np.array(block), self._read([questions[index] for index in block], len(words)))

    def _question(
        self, prompt: str, pieces: Pieces, continuations: dict[tuple[Ids, ...], Continuations]
    ) -> Question:
        end = () if self.closing is None or not self.boundary else (self.closing,)
        words = tuple(ids + end for ids in pieces.words)
        right = split_prompt(prompt)[1]
        source = (
            *self.seam.opening,
            *pieces.left,
            self.gap,
            *self.seam.tokens_behind(right),
            *self.seam.closing,
        )
        start = (self.gap,) if self.closing is not None else self.seam.opening + pieces.left
        if words not in continuations:
            continuations[words] = Continuations.of(words)
        return Question(source, (self.first, *start), continuations[words])

    def _trees(self, question: Question) -> list[Tree]:
        if not self.packs:
            return list(chains(question.start, question.behind, 0))
        return [tree for _, tree in pack([question.start], [question.behind], [0], 0, 0)]

    def _cost(self, question: Question) -> int:
        behind = question.behind
        slots = len(question.start) + (len(behind.ids) if self.packs else behind.longest)
        positions = slots if self.body is None else behind.read_nodes
        return row_cost(len(question.source) + slots, positions, self.vocabulary, self.batch_tokens)

    @torch.inference_mode()
    def _read(self, questions: Sequence[Question], words: int) -> FloatArray:
        values = np.zeros((words, len(questions)))
        sources = torch.tensor([question.source for question in questions], device=self.device)
        mask = torch.ones_like(sources)
        with self._device_errors():
            with self.products.used():
                encoded = self.model.get_encoder()(input_ids=sources, attention_mask=mask)
            for tree in self._trees(questions[0]):
                _, word, node, token = tree.reads.T
                nodes, index = np.unique(node, return_inverse=True)
                count = len(questions)
                rows = np.arange(count).repeat(len(nodes))
                decoder = self._decoder_inputs(tree, [question.start for question in questions])
                with self._at_depths(tree):
                    nats = self._nats(
                        torch.as_tensor(rows, device=self.device),
                        torch.as_tensor(np.tile(nodes, count), device=self.device),
                        np.add.outer(np.arange(count) * len(nodes), index).ravel(),
                        np.tile(token, count),
                        encoder_outputs=encoded,
                        attention_mask=mask,
                        use_cache=False,
                        **decoder,
                    )
                np.add.at(values, word, nats.reshape(count, -1).T)
        return values.T

    def _decoder_inputs(self, tree: Tree, starts: Sequence[Ids]) -> dict[str, torch.Tensor]:
        """Return tokens [row, node] and, if the tree branches, the mask [row, 1, node, node]."""
        ids = np.tile(tree.ids, (len(starts), 1))
        ids[:, : len(starts[0])] = starts
        inputs = {"decoder_input_ids": torch.as_tensor(ids, device=self.device)}
        if not tree.is_chain:
            hidden = torch.as_tensor(~tree.visible(len(tree.ids)), device=self.device)
            mask = torch.zeros(hidden.shape, dtype=self.model.dtype, device=self.device)
            mask.masked_fill_(hidden, torch.finfo(mask.dtype).min)
            inputs["decoder_attention_mask"] = mask.expand(len(starts), 1, -1, -1)
        return inputs

    @contextmanager
    def _at_depths(self, tree: Tree) -> Iterator[None]:
        """Give the decoder the depths in the tree as positions."""
        depths = torch.as_tensor(tree.depths, device=self.device)
        hooks = []
        if not tree.is_chain:
            for name, module in self.model.get_decoder().named_modules():
                if name.endswith("embed_positions"):
                    swap = partial(_with_positions, depths)
                    hooks.append(module.register_forward_pre_hook(swap, with_kwargs=True))
                elif name.endswith("relative_attention_bias"):
                    hooks.append(module.register_forward_hook(partial(_reordered, depths)))
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _packs_exactly(self) -> bool:
        """Tell whether the words of a prompt in one row get the log-probabilities that they get alone.

        Tested with words that branch early and late, so that slots differ from depths.
        """
        draw = np.random.default_rng(0).integers(0, self.vocabulary // 2, (4, min(12, self.context or 12)))
        source, start, *stems = (tuple(tokens) for tokens in draw.tolist())
        words = [stem[:depth] + stems[0][-2:] for stem in stems for depth in (1, 4)]
        question = Question(source, (self.first, *start), Continuations.of(words))

        def scores(packs: bool) -> FloatArray:
            self.packs = packs
            return self._read([question, question], len(words))

        return agree(self.model, lambda: scores(True), lambda: scores(False))


def _with_positions(
    depths: torch.Tensor, module: Any, arguments: Any, options: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    return arguments, options | {"position_ids": depths}


def _reordered(depths: torch.Tensor, module: Any, arguments: Any, bias: torch.Tensor) -> torch.Tensor:
    """Reorder T5's table of distances [query, key, head]: a depth is never larger than its slot."""
    return bias[depths][:, depths]
