"""What may stand before a text of a causal model, and how likely plain sentences are then.  No torch here.

Runs ask for the opening of all bare texts (:mod:`pcf_core.models.beginnings`): the tokenizer's, none, BOS or
EOS.  Known benchmarks score whole sentences, so they need a token before the first one too
(:class:`~.base.SentenceOpening`), and also try tokens with the names of document separators.  Runs do not:
SmolLM2's plain sentences are 0.59 nats per token likelier after ``<|endoftext|>``, which its tokenizer names
neither BOS nor EOS, than after no token, but its texts begin with no token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from pcf_core.core.errors import AuditError, ModelError, OutOfMemoryError, ScoringError
from pcf_core.core.run import Opening
from pcf_core.models.beginnings import CLEARLY, Key, likeliest, noted_opening
from pcf_core.models.scoring.base import PLAIN, SentenceOpening, TokenNats
from pcf_core.models.scoring.seam import Ids, Seam

SEPARATOR = re.compile(r"<\|?(end_?of_?text|bos|eos|/?s)\|?>", re.IGNORECASE)  # document separators
# (tokens before each text, texts, tokens at their beginning that are not read) -> nats of the others.
Read = Callable[[Ids, Sequence[str], int], Sequence[TokenNats]]


class Openings:
    """The openings that a model may expect.  ``usual``: that of its tokenizer."""

    def __init__(self, seam: Seam, read: Read) -> None:
        self.usual = seam.opening
        self._seam, self._read = seam, read

    def opened(self, key: Key, identity: str) -> Key:
        """Put the tokens of a key before texts; if it has none, those that the model expects, also into it.

        A model with an ``identity`` is asked once, others each time.
        """
        opening = key.opening
        if opening is None:
            try:
                opening = noted_opening(key, self.expected) if identity else self.expected()
            except OutOfMemoryError:
                raise
            except ScoringError:  # nothing is known of this model, and nothing noted
                return key
        if opening is not None:
            self._seam.opening = self.ids(opening)
        return key.model_copy(update={"opening": opening})

    def ids(self, opening: Sequence[str]) -> Ids:
        """Return the token ids of an opening; ModelError for tokens that the tokenizer lacks."""
        tokenizer = self._seam.tokenizer
        ids = tuple(tokenizer.convert_tokens_to_ids(list(opening)))
        if None in ids or tuple(tokenizer.convert_ids_to_tokens(list(ids))) != tuple(opening):
            raise ModelError(
                f"The tokenizer of {self._seam.model} lacks {' '.join(opening)}, with which its texts were "
                "to begin: start the run again."
            )
        return ids

    def named(self, opening: Ids) -> str:
        """Name the tokens of an opening; "no token" if it has none."""
        return " ".join(self._seam.tokenizer.convert_ids_to_tokens(list(opening))) or "no token"

    def expected(self) -> Opening:
        """Return the opening with which plain sentences are clearly likeliest, ``None`` for the tokenizer's.

        Also ``None`` where most of their tokens are unknown, so that they say nothing.  Raises ScoringError
        if the sentences cannot be read, or not in this precision.
        """
        if not np.isfinite(self.nats.get(self.usual, np.nan)):
            raise ScoringError(f"{self._seam.model} gives plain sentences no probability: choose another.")
        tokens = [token for text in self._seam.encode(PLAIN) for token in text]
        if 2 * tokens.count(self._seam.tokenizer.unk_token_id) > len(tokens):
            return None
        offered = {one: self.nats[one] for one in self._offered if np.isfinite(self.nats[one])}
        opening = likeliest(offered, self.usual)
        names = self._seam.tokenizer.convert_ids_to_tokens
        return None if opening == self.usual else tuple(names(list(opening)))

    @cached_property
    def nats(self) -> Mapping[Ids, float]:
        """[opening] mean nats of plain sentences' tokens after their first; empty if they cannot be read."""
        openings = [*self._offered, *((one,) for one in self._separators)]
        try:
            return {one: self._mean(one, unread=1) for one in dict.fromkeys(openings)}
        except OutOfMemoryError:  # says nothing about the model
            raise
        except AuditError:
            return {}

    def said(self, opening: Ids) -> str:
        """Say what a word is scored after that begins a text, and how plain sentences do after others."""
        said = []
        if not opening and self._separators:
            said.append(f"A word that begins a text is scored after {self.named((self.usual_separator,))}.")
        nats = self.nats if opening in self.nats else {}
        others = {one: mean - nats[opening] for one, mean in nats.items() if one != opening}
        if others:
            is_usual = opening == self.usual
            other = max(others, key=lambda one: others[one]) if is_usual else self.usual
            how = "likelier" if others[other] > 0 else "less likely"
            whose = "" if is_usual else ", as its tokenizer has it"
            if other not in self._offered and others[other] > CLEARLY:
                whose = ", which its tokenizer names neither BOS nor EOS"
            said.append(
                f"Plain sentences are {abs(others[other]):.2f} nats per token {how} after "
                f"{self.named(other)}{whose}."
            )
        return " ".join(said)

    @property
    def _offered(self) -> tuple[Ids, ...]:
        """The openings that runs may have, each once."""
        return tuple(dict.fromkeys([self.usual, (), *((one,) for one in self._roles)]))

    @property
    def usual_separator(self) -> int:
        """BOS, or else EOS, which separates documents in training."""
        if not self._separators:
            raise ScoringError(
                f"{self._seam.model} has neither a BOS nor an EOS token, so a word at the beginning of a "
                "text cannot be scored: put text before it, or choose another model."
            )
        return self._separators[0]

    @cached_property
    def separator(self) -> tuple[int, SentenceOpening]:
        """The separator before whole sentences, which is the usual one unless another is clearly better."""
        usual, names = self.usual_separator, self._seam.tokenizer.convert_ids_to_tokens
        several = self._separators if len(self._separators) > 1 else ()
        nats = {one: self._mean((one,)) for one in several}
        chosen = likeliest(nats, usual)
        return chosen, SentenceOpening(
            names(chosen), names(usual), {names(one): mean for one, mean in nats.items()}
        )

    @cached_property
    def _separators(self) -> tuple[int, ...]:
        """The tokens that may separate documents, the usual one first; none without BOS and EOS."""
        if not self._roles:
            return ()
        tokenizer = self._seam.tokenizer
        special = {*tokenizer.all_special_tokens, *self._seam.specials.values()}
        named = sorted(one for one in special if SEPARATOR.fullmatch(one))
        ids = map(int, tokenizer.convert_tokens_to_ids(named))
        return tuple(dict.fromkeys([*self._roles, *filter(self._is_known, ids)]))

    @cached_property
    def _roles(self) -> tuple[int, ...]:
        """BOS and EOS, as far as there are any."""
        tokenizer = self._seam.tokenizer
        roles = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        return tuple(one for one in roles if one is not None and self._is_known(one))

    def _is_known(self, token: int) -> bool:
        """Tell whether the model has a token of the tokenizer."""
        return not self._seam.rows or token < self._seam.rows

    def _mean(self, opening: Ids, unread: int = 0) -> float:
        sentences = self._read(opening, PLAIN, unread)
        return float(np.concatenate([sentence.nats[unread:] for sentence in sentences]).mean())
