"""Texts from a completions server: how it is asked for one, and what its answer is read as.  No torch here.

``/completions``
    The server goes on from the prompt; ``choices[0].text`` is the text.
``/chat/completions``
    The prompt is a user's message, what is told before it one of the system (of the user as well, in front
    of the prompt, where the server refuses the former); ``choices[0].message`` holds the answer as
    ``content``, or the words of a refusal as ``refusal``.

One text a request.  ``choices[0].finish_reason`` says how it ended, ``usage.completion_tokens`` how long it
is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from pcf_core.errors import ModelError, RequestRefusedError, ScoringError
from pcf_core.models.completions import Server
from pcf_core.records.generation import Decoding, End, in_one

LONGEST_TOKEN = 128  # characters; runs of white space are the longest tokens of large vocabularies
DRAWN = "Ten random words and ten random numbers:"
PROBE = Decoding(temperature=1, top_p=1, length=24)
PROBES = 3


@dataclass(frozen=True)
class Manner:
    """How a server wants to be asked for a text.

    ``chat``: at ``/chat/completions``.  ``seeds``: whether it takes a seed.  ``limit``: its name for the
    largest number of new tokens.  ``systems``: whether it takes a message of the system.
    """

    chat: bool = False
    seeds: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    systems: bool = True

    @property
    def path(self) -> str:
        """Where it is asked, behind the base URL."""
        return "chat/completions" if self.chat else "completions"

    def body(self, prompt: str, decoding: Decoding, seed: int, system: str = "") -> dict[str, Any]:
        """A request for one text, without the model's name; ``system`` is told before the prompt."""
        asked: dict[str, Any] = {
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            self.limit: decoding.length,
        }
        if self.seeds:
            asked["seed"] = seed
        whole = in_one(system, prompt)
        if not self.chat:
            return {"prompt": whole, **asked}
        if not system or not self.systems:
            return {"messages": [{"role": "user", "content": whole}], **asked}
        told = {"role": "system", "content": system}
        return {"messages": [told, {"role": "user", "content": prompt}], **asked}

    def after(self, refusal: RequestRefusedError) -> Manner | None:
        """Another manner, which a refusal names the reason for; None where it names none."""
        if refusal.status not in (400, 422):
            return None
        if self.limit == "max_tokens" and "max_completion_tokens" in refusal.said:
            return replace(self, limit="max_completion_tokens")
        if self.seeds and re.search(r"\bseed\b", refusal.said):
            return replace(self, seeds=False)
        if self.chat and self.systems and re.search(r"\bsystem\b", refusal.said, re.IGNORECASE):
            return replace(self, systems=False)
        return None


@dataclass(frozen=True)
class Written:
    """One text as a server gave it, how it ended, and its tokens, 0 where the server does not count them."""

    text: str
    end: End
    tokens: int


def written_of(answer: Any, manner: Manner, length: int) -> Written:
    """Read an answer as :meth:`~pcf_core.models.completions.Server.write` hands it over.

    Args:
        answer: the JSON, or the error that stands for a filtered request.
        manner: how it was asked for.
        length: new tokens at most, as asked for.

    Raises:
        ScoringError: it holds no text; the text is longer than was asked for.
    """
    if isinstance(answer, RequestRefusedError):
        return Written("", "refused", 0)
    try:
        choice = answer["choices"][0]
        finish, usage = choice.get("finish_reason"), answer.get("usage") or {}
        refusal = (choice["message"].get("refusal") or "") if manner.chat else ""
        text = choice["message"].get("content") if manner.chat else choice["text"]
        text = refusal if text in (None, "") else text
        tokens = usage.get("completion_tokens") or 0
    except (KeyError, IndexError, TypeError, AttributeError):
        text = tokens = refusal = None
    if not isinstance(text, str) or type(tokens) is not int or tokens < 0:
        raise ScoringError(
            f"The endpoint answers without a text in the shape of /{manner.path}; check that it is an "
            "OpenAI-compatible server and that the model can be asked in this way."
        )
    if tokens > length + 1 or len(text) > length * LONGEST_TOKEN:
        raise ScoringError(
            f"The endpoint wrote {tokens:,} tokens, {len(text):,} characters, where {length:,} tokens at "
            f"most were asked for: it does not keep to {manner.limit}."
        )
    if refusal or finish == "content_filter":
        return Written(text, "refused", tokens)
    if not text.strip():
        return Written(text, "empty", tokens)
    return Written(text, "length" if finish == "length" else "stop", tokens)


def find_manner(server: Server, chat: bool, draws: bool) -> Manner:
    """How the server wants to be asked, found out with a few short texts.

    Args:
        server: a connection.
        chat: whether messages are to be asked about, not texts gone on from.
        draws: whether it must draw its tokens: some servers always take the likeliest token, whatever they
            are asked for, and every text of a prompt would be the same.

    Raises:
        ModelError: three texts with other seeds are the same.
        ScoringError: the server cannot be reached, refuses, or gives no text.
    """
    manner, text = agree(server, Manner(chat))
    if draws and text.strip():
        others = [_text(server, manner, seed) for seed in range(2, PROBES + 1)]
        if set(others) == {text}:
            raise ModelError(
                f"The endpoint wrote the same text {PROBES} times for {server.name} at temperature 1: it "
                "does not draw its tokens. Let it (for transformers serve, do_sample in the model's "
                "generation_config.json), or ask for temperature 0."
            )
    return manner


def agree(server: Server, manner: Manner, system: str = "") -> tuple[Manner, str]:
    """A manner that the server takes, this one or what its refusals name, and the text it then wrote.

    Raises:
        ScoringError: the server cannot be reached, refuses, or gives no text.
    """
    try:
        return manner, _text(server, manner, 1, system)
    except RequestRefusedError as refusal:
        other = manner.after(refusal)
        if other is None:
            raise
    return agree(server, other, system)


def _text(server: Server, manner: Manner, seed: int, system: str = "") -> str:
    def read(answer: Any) -> str:
        return written_of(answer, manner, PROBE.length).text

    (text,) = server.write(manner.path, [manner.body(DRAWN, PROBE, seed, system)], read)
    return text
