"""What a completions server can do, found out by asking it: a refusal where it cannot, never a guess."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import get_args

from pcf_core.errors import ModelError, ScoringError
from pcf_core.models.completions import Server, Shape, is_name
from pcf_core.models.readings import Reading
from pcf_core.records.marks import is_heaped, normal

TEXT = "The nurse said that she was here, and the engineer told us that he knew it."
START = "The nurse said that"
AGREES = 0.25  # nats of one token; a server in bfloat16 that batches at will differs from itself by less
SPREAD = 0.01  # nats; values closer than this say nothing about the tokens
WORST_BEST = -math.log(1e6)  # the most probable of fewer than a million tokens has more
LONGEST_OPENING = 4
UNDECODED = "\N{REPLACEMENT CHARACTER}"  # a token that is part of a character
LONGEST_SPELLING = 32  # characters of tokens for one of a text: a byte may be written <0xE2>
LARGEST_CONTEXT = 2**31  # tokens; a larger one is none


@dataclass(frozen=True)
class Findings:
    """What the probe found.

    ``shape``: how log-probabilities of a prompt are had.  ``opening``: labels of the tokens that the server
    puts before a text.  ``takes_ids``: whether prompts of token ids are read, and texts tokenised.
    ``context``: tokens the server takes, 0 where it does not say.  ``root``: the served model, in the
    server's words.  ``reading``: that of ``TEXT``.  ``noise``: largest difference between two readings of one
    token, in nats.
    """

    shape: Shape
    opening: tuple[int | str, ...]
    takes_ids: bool
    context: int
    root: str
    reading: Reading
    noise: float

    @property
    def nats(self) -> float:
        """Log-probability of ``TEXT`` behind its first token."""
        return math.fsum(self.reading.nats[1:])


def probe(server: Server) -> Findings:
    """Ask for the log-probabilities of two texts, one of them twice and the beginning of it.

    They must be numbers up to 0, differ from token to token, come out the same twice, and those of the
    beginning must be the same alone: some servers give the same for whatever they are asked, and every score
    would be exact chance.

    Raises:
        ModelError: the model is not served; no log-probabilities of prompt tokens, or none worth the name.
        ScoringError: the server cannot be reached.
    """
    cards = {card["id"]: card for card in server.models()}
    if server.name not in cards:
        served = ", ".join(sorted(cards)[:20]) or "none"
        raise ModelError(f"The endpoint {server.url} serves no model {server.name!r}; it serves: {served}.")
    card = cards[server.name]
    reasons = []
    for shape in get_args(Shape):
        try:
            first, second, start = server.read([TEXT, TEXT, START], shape, best=True)
            noise = require_sense(first, second, start)
        except ScoringError as error:
            reasons.append(str(error))
        else:
            context, root = card.get("max_model_len"), card.get("root")
            return Findings(
                shape=shape,
                opening=_opening(first),
                takes_ids=shape == "prompt_logprobs" and _takes_ids(server, first),
                context=context if type(context) is int and 0 < context < LARGEST_CONTEXT else 0,
                root=server.without_key(str(root)) if is_name(root) else server.name,
                reading=first,
                noise=noise,
            )
    told = server.without_key("; ".join(dict.fromkeys(reasons)))
    raise ModelError(
        f"The endpoint {server.url} gives no usable log-probabilities of prompt tokens for {server.name}: "
        f"serve it with vLLM, or score its weights here ({told})."
    )


def require_sense(first: Reading, second: Reading, start: Reading) -> float:
    """Refuse readings of ``TEXT``, again of it, and of its beginning that no language model gives.

    Returns:
        The largest difference in nats between two readings of one token.

    Raises:
        ScoringError: which of the demands they fail.
    """
    if not _opening(first) and not any(spells(first.texts[1:], TEXT[cut:]) for cut in range(1, len(START))):
        spelled = shorten("".join(first.texts), 120, placeholder=" …")
        raise ScoringError(f"Its tokens spell {spelled!r} when it reads {TEXT!r}.")
    values = first.nats[1:]
    if max(values) - min(values) < SPREAD:
        raise ScoringError(f"It gives every token the same log-probability, {values[0]:g}.")
    if min(first.best[1:]) < WORST_BEST:
        raise ScoringError(
            "What it gives are logits, not log-probabilities: start vLLM without --logprobs-mode."
        )
    noise = max(difference(first, second), difference(start, first))
    if noise > AGREES:
        raise ScoringError(
            f"It contradicts itself by {noise:.3g} nats a token where it reads the same text twice, or more "
            "text behind it."
        )
    return noise


def difference(short: Reading, long: Reading) -> float:
    """Largest difference in nats a token; infinite where ``long`` does not begin with ``short``'s tokens."""
    if long.labels[: len(short.labels)] != short.labels:
        return math.inf
    pairs = zip(short.nats[1:], long.nats[1:], strict=False)
    return max((abs(a - b) for a, b in pairs if a != b), default=0.0)  # a == b also where both are −∞


def spells(tokens: Sequence[str], text: str) -> bool:
    """Whether the tokens' texts make up a text, white space and case apart.

    Tokens decoded one by one lose spaces (SentencePiece) and characters of several tokens, which then read �.
    """
    spelled = "".join(tokens)
    if len(spelled) > LONGEST_SPELLING * (len(text) + 1) or is_heaped(spelled):
        return False
    joined, wanted = _plain(spelled), _plain(text)
    if UNDECODED not in joined:
        return joined == wanted
    first, *between, last = re.split(f"{UNDECODED}+", joined)
    end = len(wanted) - len(last)
    if not (wanted.startswith(first) and wanted.endswith(last)):
        return False
    place = len(first)
    for part in between:  # as early as it can stand, a character behind the last: no other choice fits more
        found = wanted.find(part, place + 1, end)
        if found < 0:
            return False
        place = found + len(part)
    return place < end


def _plain(text: str) -> str:
    return re.sub(r"\s", "", normal("NFKC", re.sub("[▁Ġ]", " ", text)).casefold())


def _opening(reading: Reading) -> tuple[int | str, ...]:
    """The tokens before those that spell the text: BOS, or none."""
    lengths = range(1, LONGEST_OPENING + 1)
    length = next((length for length in lengths if spells(reading.texts[length:], TEXT)), 0)
    return reading.labels[:length]


def _takes_ids(server: Server, reading: Reading) -> bool:
    """Whether texts are tokenised, with the ids of completions, and ids are read as they are."""
    try:
        (ids,) = server.tokenise([TEXT], special=True)
        (again,) = server.read([ids], "prompt_logprobs")
    except ScoringError:
        return False
    return ids == reading.labels == again.labels
