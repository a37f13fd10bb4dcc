"""The interface of every scorer, and the arithmetic that they share.  No torch here.

===============  =====================  ================================================
``prompts``      [prompt] str           each with exactly one ``[Y]``
``words``        [word] str             words that :meth:`Scorer.check` accepts
values           [prompt, word] float32 natural log of a probability (nats), at most 0; −∞ is probability 0
===============  =====================  ================================================

The scorer of a model's family is imported, and torch with it, when a model is opened.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pkgutil import resolve_name
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import ModelError, OutOfMemoryError, ScoringError, TemplateError
from pcf_core.core.families import FAMILIES, facts_of
from pcf_core.core.frame import QUESTION, Frame, parts_of_question
from pcf_core.core.generation import GenerationKey
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec, Protocol, ScoringKey, TokenTable
from pcf_core.core.settings import settings
from pcf_core.core.topics import whole_word_prompt
from pcf_core.material.safety.text import listed
from pcf_core.models.names import require_allowed

GAP = "[Y]"
BEHIND_A_SPACE = f"a {GAP}"  # the usual context of a word
LOGITS = 2**26  # logits in memory at once
SLICE = 2**22  # logits that a small model computes at a time, to fit into a processor's cache
SUMMED = 2**18  # logits summed at a time, to fit into the cache of one core
HIGHEST = 1e-6  # nats above 0, by rounding
MOST_NAMED = 5  # words in a message
PLAIN = (  # neutral sentences, on which models are checked
    "The river rises in the hills and flows south to the sea.",
    "Most of the houses in the village were built of stone.",
    "The shop opens at nine and closes at six in the evening.",
    "A good map shows the roads, the rivers and the height of the land.",
    "In autumn the leaves turn red and fall from the trees.",
    "Trains to the coast leave every hour from the main station.",
    "Bread is made of flour, water, salt and a little yeast.",
    "It rained all morning, so the match was moved to the next day.",
)


class Batch(NamedTuple):
    """Scores of some prompts: their ``rows`` [n] in the request, ``nats`` [n, word], and ``left``.

    ``left``: [n, word] nats given the left text alone (the scores of the prompts cut after ``[Y]``), which
    sum to a coverage where those with right text do not; NaN where a token is part of both word and right
    text; ``None`` without right text, if the scores are conditional on it, or if the family does not give it.
    """

    rows: NDArray[np.int_]
    nats: FloatArray
    left: FloatArray | None = None


def split_prompt(prompt: str) -> tuple[str, str]:
    """Split a prompt at its only ``[Y]`` into left and right, without white space at the end."""
    if prompt.count(GAP) != 1:
        raise TemplateError(
            f"The prompt {quoted(prompt)} must have exactly one {GAP} in place of the word, but it has "
            f"{prompt.count(GAP)}."
        )
    left, right = prompt.split(GAP)
    return left, right.rstrip()


def opening_of(prompt: str) -> str:
    """Return a prompt up to ``[Y]``, without the space before it, for a model that goes on from there."""
    return split_prompt(prompt)[0].rstrip()


def quoted(prompt: str) -> str:
    """Quote a prompt for messages, shortened in the middle."""
    return repr(prompt if len(prompt) <= 120 else f"{prompt[:70]} … {prompt[-40:]}")


def refused_words(refused: Mapping[str, str]) -> str:
    """List words and the reasons (word -> reason) why a model cannot score them, shortened."""
    words: dict[str, list[str]] = {}
    for word, reason in list(refused.items())[:MOST_NAMED]:
        words.setdefault(reason, []).append(repr(word))
    parts = [f"{listed(some)}: {reason}" for reason, some in words.items()]
    more = len(refused) - MOST_NAMED
    return "; ".join([*parts, f"and {more:,} more"] if more > 0 else parts)


def has_right_text(prompt: str) -> bool:
    """Tell whether text follows the word at ``[Y]``; a causal model then scores it with the word."""
    return bool(split_prompt(whole_word_prompt(prompt)[0])[1])


def require_fitting(frame: Frame | None, prompts: Iterable[str]) -> None:
    """Raise TemplateError for a prompt that does not fit into a frame.

    That is text right of ``[Y]``, where an answer ends with the word, and a prompt without a question where
    the user asks it.
    """
    for prompt in () if frame is None else prompts:
        if has_right_text(prompt):
            raise TemplateError(
                f"In a chat the model's answer must end with the word at {GAP}, but {quoted(prompt)} goes "
                f"on after it: choose sentences that end with {GAP}, or score bare sentences."
            )
        if frame and QUESTION in frame.text and not parts_of_question(split_prompt(prompt)[0])[0]:
            raise TemplateError(
                f"In this chat the user asks the question of each sentence, but {quoted(prompt)} has no "
                f"question mark before {GAP}: choose sentences that ask something, or an instruction without "
                f"{QUESTION}."
            )


def written_forms(prompts: Sequence[str], words: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Map the words, joined to the letters that touch ``[Y]``, to the rows of their prompts."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, prompt in enumerate(prompts):
        _, left, right = whole_word_prompt(prompt)
        rows.setdefault((left, right), []).append(row)
    forms = {tuple(f"{left}{word}{right}" for word in words): some for (left, right), some in rows.items()}
    return forms or {tuple(words): []}


@dataclass(frozen=True)
class TokenNats:
    """A whole sentence: ``ids`` without special tokens, and [token] ``nats``.

    Each is conditioned on all other tokens (masked models) or on those before it (causal models).
    """

    ids: tuple[int, ...]
    nats: FloatArray


@dataclass(frozen=True)
class SentenceOpening:
    """The token that whole sentences are conditioned on, if the tokenizer puts none before a text.

    ``usual``: BOS, or else EOS.  ``nats``: token -> mean of plain sentences after it, if there is a choice.
    """

    token: str
    usual: str
    nats: Mapping[str, float]


class Scorer(abc.ABC):
    """Gives the log-probability of words at ``[Y]``; each family's module defines the quantity.

    ``key``: all that a score depends on.  ``parameters``: the number of weights, 0 if unknown.
    ``batch_tokens``: limits the tokens of a forward pass and changes numbers only by rounding of the logits:
    with the mini models in float32, a cell alone and in a batch of 256 prompts agree within 1e-5 nats, or
    four units of float32's last place.  ``on_part``: called within a batch with the number of prompts that
    the work so far would have scored.
    """

    key: ScoringKey
    parameters: int = 0
    on_part: Callable[[float], None] | None = None

    def __init__(self, key: ScoringKey, batch_tokens: int | None = None) -> None:
        self.key = key
        self.batch_tokens = batch_tokens or settings().batch_tokens

    @abc.abstractmethod
    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Return each word's tokens at the ``[Y]`` of a text, and the refused words with the reason.

        Raises ScoringError for an endpoint that cannot score a word at the beginning of a text.
        """

    @abc.abstractmethod
    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        """Yield the scores of :meth:`batches` for checked prompts and words."""

    def batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None] = lambda: None
    ) -> Iterator[Batch]:
        """Yield batches, in float32, until every prompt has had its row exactly once.

        Order and size depend on prompts and words alone.  The caller may stop between batches; ``pause`` is
        called while waiting for a server, and an exception from it ends the scoring.

        Raises TemplateError for a prompt without exactly one ``[Y]``, with a special token, or too long;
        ModelError for a word that :meth:`check` refuses; ScoringError for NaN or a value above 0, a failed
        forward pass, or out of memory.
        """
        for prompt in prompts:
            split_prompt(prompt)
        forms = written_forms(prompts, words)
        refused = self.check(tuple(dict.fromkeys(form for some in forms for form in some))).refused
        if refused:
            raise ModelError(
                f"The model {self.key.model} cannot score these words ({refused_words(refused)}): leave them "
                "out."
            )
        if not words:
            raise ModelError(f"No words to score with {self.key.model} were given: give at least one.")
        return self._whole_words(prompts, forms, pause)

    @property
    def traits(self) -> dict[str, str]:
        """What was checked when the model was opened, and how it is scored: name to sentence."""
        return {}

    @property
    def sentence_opening(self) -> SentenceOpening | None:
        """The token that whole sentences are conditioned on; ``None`` if the tokenizer decides it."""
        return None

    def token_nats(self, texts: Sequence[str]) -> list[TokenNats]:
        """Return the log-probability of every token of whole sentences, in nats.

        Raises ModelError for a family other than masked and causal, TemplateError for a sentence without a
        token, with a special one, or too long, and ScoringError as :meth:`batches`.
        """
        sentences = self._token_nats(texts)
        for text, sentence in zip(texts, sentences, strict=True):
            for position in no_log_probability(sentence.nats):
                raise self._no_probability(
                    f"token {position[0] + 1:,} of {quoted(text)}", sentence.nats[tuple(position)]
                )
        return sentences

    def _token_nats(self, texts: Sequence[str]) -> list[TokenNats]:
        """Return the unchecked result of :meth:`token_nats`."""
        raise ModelError(
            f"{self.key.model} belongs to the family {self.key.family}, which gives the tokens of a whole "
            "sentence no probability: choose a masked or a causal model."
        )

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, with nothing batched or shared, as a second opinion."""
        return float(self.score([prompt], [word])[0, 0])

    def score(self, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
        """Return [prompt, word] nats, float32, in the order of the prompts."""
        return self.score_with_left(prompts, words)[0]

    def score_with_left(
        self, prompts: Sequence[str], words: Sequence[str]
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return the same, and [prompt, word] nats given the left text alone, as in :class:`Batch`."""
        return in_order(self.batches(prompts, words), len(prompts), len(words))

    def _whole_words(
        self, prompts: Sequence[str], forms: Mapping[tuple[str, ...], list[int]], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        for words, rows_of_form in forms.items():
            whole = [whole_word_prompt(prompts[row])[0] for row in rows_of_form]
            for batch in self._checked(whole, words, pause):
                yield batch._replace(rows=np.array(rows_of_form)[batch.rows])

    def _checked(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        for rows, nats, left in self._score_batches(prompts, words, pause):
            for row, word in no_log_probability(nats):
                cell = f"{words[word]!r} in {quoted(prompts[rows[row]])}"
                raise self._no_probability(cell, nats[row, word])
            yield Batch(rows, nats.astype(np.float32), None if left is None else left.astype(np.float32))

    def _no_probability(self, what: str, score: float) -> ScoringError:
        narrow = self.key.dtype in ("bfloat16", "float16")
        if np.isnan(score) and narrow:
            cause = (
                f"its weights are damaged or {self.key.dtype} is not exact enough; check the weights, "
                "or use float32"
            )
        elif np.isnan(score):
            cause = "its weights or its config.json are damaged; compare them with the original checkpoint"
        else:
            cause = "a log-probability cannot be above 0; report it with the name of the model"
        shown = "NaN" if np.isnan(score) else f"{score:.4g} nats"
        return ScoringError(f"The model {self.key.model} returned {shown} for {what}: {cause}.")


def in_order(batches: Iterable[Batch], prompts: int, words: int) -> tuple[FloatArray, FloatArray | None]:
    """Return [prompt, word] nats of all batches, and those given the left text alone if any has them."""
    values = np.full((prompts, words), np.nan, dtype=np.float32)
    left, has_left = values.copy(), False
    for batch in batches:
        values[batch.rows] = batch.nats
        left[batch.rows] = batch.nats if batch.left is None else batch.left
        has_left |= batch.left is not None
    return values, left if has_left else None


def no_log_probability(nats: FloatArray) -> NDArray[np.int_]:
    """Return the indices [n, axis] of scores that are NaN or above 0 by more than rounding."""
    return np.argwhere(~(nats <= HIGHEST))


def check_context(
    key: ScoringKey | GenerationKey, context: int, lengths: Sequence[int], prompts: Sequence[str]
) -> None:
    """Raise TemplateError for a prompt that needs more than ``context`` tokens (0: unlimited)."""
    for length, prompt in zip(lengths, prompts, strict=True):
        if context and length > context:
            raise TemplateError(
                f"The prompt {quoted(prompt)} needs {length} tokens with its longest word, but {key.model} "
                f"can only take {context}: shorten the prompt or choose a model with a longer context."
            )


def log_normaliser(logits: Any) -> Any:
    """Return [place] log Σ exp over the last axis of logits [place, vocabulary], as float64 on the CPU.

    The device, which may lack float64, only sums exp(logit − highest) in float32, with an error near 1e-7
    whatever the size of the logits.  Some places at a time, to avoid a second copy of all logits.
    """
    size = SUMMED if logits.device.type == "cpu" else SLICE
    # No slice has a single place: torch's threads would split one sum, but not several.
    slices = max(1, min(len(logits) // 2, -(-logits.numel() // size)))
    highest = logits.new_empty(len(logits), 1).float()
    spread = highest.new_empty(len(logits))
    parts = (whole.tensor_split(slices) for whole in (logits, highest, spread))
    for some, most, sums in zip(*parts, strict=True):
        most.copy_(some.amax(dim=-1, keepdim=True))
        sums.copy_((some - most).exp_().sum(dim=-1))
    return highest.squeeze(-1).cpu().double() + spread.cpu().double().log()


def plan(lengths: Sequence[int], costs: Sequence[int], budget: int) -> list[list[int]]:
    """Return blocks of rows of one length, longest first, with costs of at most ``budget`` or one row.

    There is no padding, so a row's numbers cannot depend on others.
    """
    blocks: list[list[int]] = []
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    for _, group in groupby(order, key=lambda row: lengths[row]):
        block: list[int] = []
        spent = 0
        for row in group:
            if block and spent + costs[row] > budget:
                blocks.append(block)
                block, spent = [], 0
            block.append(row)
            spent += costs[row]
        blocks.append(block)
    return blocks


def row_cost(tokens: int, positions: int, vocabulary: int, budget: int) -> int:
    """Return a row's cost for :func:`plan`: its tokens, or more if its logits would fill 256 MB first."""
    return max(tokens, -(-budget * positions * vocabulary // LOGITS))


def out_of_memory(key: ScoringKey, batch_tokens: int) -> OutOfMemoryError:
    """Make the error for a batch that did not fit into memory."""
    return OutOfMemoryError(
        f"The model {key.model} ran out of memory with {batch_tokens} tokens per batch: free memory on its "
        "device, choose a narrower dtype, or set PCF_BATCH_TOKENS to half of that number."
    )


PROTOCOLS = get_args(Protocol)


def check_protocol(name: str, family: str, protocol: str) -> None:
    """Raise ModelError for a protocol that this family does not have, before anything is loaded."""
    if protocol not in PROTOCOLS:
        raise ModelError(f"There is no protocol {protocol!r}: choose one of {', '.join(PROTOCOLS)}.")
    refusal = facts_of(family).without_boundary
    if refusal and protocol == "exact-boundary":
        reason = refusal.format(name=name, family=family)
        raise ModelError(f"The protocol exact-boundary {reason}: use exact.")


def open_scorer(spec: ModelSpec, protocol: str = "exact") -> Scorer:
    """Load the model and return its scorer; a selection takes from the rows of ``exact``.

    Raises ModelError for a protocol that the family lacks, and a model not allowed or available.
    """
    require_allowed(spec.name)
    check_protocol(spec.name, spec.family, protocol)
    make: Callable[..., Scorer] = resolve_name(FAMILIES[spec.family].scorer)
    key = ScoringKey.of(spec, protocol)
    if spec.family == "endpoint":
        from pcf_core.models.endpoint import open_endpoint

        return make(open_endpoint(spec), key)
    from pcf_core.models.loading import load

    return make(load(spec), key, context=spec.context)
