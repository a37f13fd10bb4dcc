"""An OpenAI-compatible completions server: the requests, and the check of its answers.  No torch here.

**Log-probabilities of a prompt's tokens** come in two shapes.  One token is always generated and discarded,
as servers refuse ``max_tokens=0`` or take it for no limit.

``prompt_logprobs``
    vLLM's own, with ``return_token_ids`` (vllm.ai/blog, 22 October 2025): ``choices[i].prompt_logprobs`` is
    ``[null, {"<token id>": {"logprob", "rank", "decoded_token"}, …}, …]`` along
    ``choices[i].prompt_token_ids``.  A list of prompts is one request.
``echo``
    OpenAI's legacy shape: ``choices[0].logprobs`` has ``tokens``, ``token_logprobs`` and ``top_logprobs``,
    first of the prompt (``usage.prompt_tokens``), then of what was generated.  One prompt a request.

**Chosen tokens** spare a text for each word: one answer has the log-probabilities of all words of one token.

``logprob_token_ids``
    vLLM's (since May 2026, vllm#43463): ``choices[i].logprobs.top_logprobs[0]`` has the key ``token_id:<id>``
    for each requested token, beside the generated one.
``score``
    SGLang's ``/score``: ``scores`` has a row of probabilities for each text, which is query + item.

**Texts** come one a request: ``/completions`` continues the prompt (``choices[0].text``); for
``/chat/completions`` it is a user's message, after a system message or with the system prompt in front
(``choices[0].message`` has ``content``, or ``refusal``).
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, Literal, TypeVar

from pcf_core.core.errors import ModelError, RequestRefusedError, ScoringError
from pcf_core.core.generation import Decoding, End, in_one
from pcf_core.models.connection import FILTERED, Connection

# Log-probabilities of prompts.


NO_PROBABILITY = -9999.0  # written for −∞, which JSON lacks
ROUNDING = 1e-4  # allowed above 0


@dataclass(frozen=True)
class TokenScores:
    """A server's answer about one prompt; all fields are [token].

    ``labels``: token ids, or texts without ids.  ``texts``: empty for the first if it is not sent.  ``nats``:
    given all tokens before, NaN for the first.  ``best``: the highest log-probability sent at each position.
    """

    labels: tuple[int | str, ...]
    texts: tuple[str, ...]
    nats: tuple[float, ...]
    best: tuple[float, ...]


def of_prompt_logprobs(choice: Mapping[str, Any]) -> TokenScores:
    """Read a choice in the shape ``prompt_logprobs``; LookupError, TypeError or ValueError for others."""
    ids, positions = choice["prompt_token_ids"], choice["prompt_logprobs"]
    if not ids or len(ids) != len(positions) or positions[0] is not None:
        raise ValueError(f"{len(positions)} places for {len(ids)} tokens")
    if not all(type(token) is int for token in ids):
        raise ValueError("token ids that are no whole numbers")
    own = [position[str(token)] for token, position in zip(ids[1:], positions[1:], strict=True)]
    return TokenScores(
        labels=tuple(ids),
        texts=("", *(str(entry["decoded_token"] or "") for entry in own)),
        nats=(math.nan, *(nats_of(entry["logprob"]) for entry in own)),
        best=(
            math.nan,
            *(max(nats_of(entry["logprob"]) for entry in position.values()) for position in positions[1:]),
        ),
    )


def of_echo(logprobs: Mapping[str, Any], count: int) -> TokenScores:
    """Read the first ``count`` tokens of ``logprobs`` in the shape ``echo``; raises likewise."""
    tokens, values = logprobs["tokens"], logprobs["token_logprobs"]
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    if not 0 < count <= len(tokens) <= count + 1 or not len(tokens) == len(values) == len(tops):
        raise ValueError(f"{len(values)} places for {count} tokens")
    own = [nats_of(value) for value in values[1:count]]
    likeliest = [[nats_of(value) for value in (top or {}).values()] for top in tops[1:count]]
    return TokenScores(
        labels=tuple(map(str, tokens[:count])),
        texts=tuple(map(str, tokens[:count])),
        nats=(math.nan, *own),
        best=(math.nan, *(max([value, *others]) for value, others in zip(own, likeliest, strict=True))),
    )


def nats_of(value: Any) -> float:
    """Read a log-probability, or raise ScoringError."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not value <= ROUNDING:  # nor is NaN
        shown = reprlib.repr(value) if is_number else type(value).__name__
        raise ScoringError(
            f"The endpoint returned {shown} as a log-probability, which must be a number of at most 0: its "
            "model or its settings (vLLM's --logprobs-mode) cannot be used for scoring."
        )
    return -math.inf if value <= NO_PROBABILITY else min(float(value), 0.0)


def of_chosen(choice: Mapping[str, Any], tokens: Ids) -> tuple[float, ...]:
    """Read the nats of chosen tokens in the form ``logprob_token_ids``; raises likewise."""
    (position,) = choice["logprobs"]["top_logprobs"]
    return tuple(nats_of(position[f"token_id:{token}"]) for token in tokens)


def of_score(document: Mapping[str, Any], tokens: Ids) -> tuple[float, ...]:
    """Read the nats of chosen tokens in the form ``score``; raises likewise."""
    (row,) = document["scores"]
    if len(row) != len(tokens) or not all(0 <= value <= 1 for value in row):
        raise ValueError(f"{len(row)} values for {len(tokens)} tokens, or no probabilities")
    return tuple(math.log(value) if value > 0 else -math.inf for value in row)


Ids = tuple[int, ...]
Choosing = Literal["", "logprob_token_ids", "score"]  # how tokens are chosen, if they can be
Shape = Literal["prompt_logprobs", "echo"]
R = TypeVar("R")

PROMPTS_A_REQUEST = 32
LARGEST_TEXT = 2**20  # bytes of an answer with one text
LARGEST_LISTING = 2**23  # bytes of the list of models; public ones have up to 1 MiB
# Bytes of an answer for each byte of its texts, with two tokens a position.  JSON takes up to thirty times
# its length in memory.
BYTES_A_BYTE = 1024
LONGEST_NAME = 300  # characters of a served model's name


class Server(Connection):
    """The completions of one served model."""

    def models(self) -> list[Mapping[str, Any]]:
        """List the served models as the server describes them; each has an ``id``."""
        document = self.ask("GET", f"{self.url}/models", largest=LARGEST_LISTING)
        cards = document.get("data") if isinstance(document, dict) else None
        if not isinstance(cards, list) or not all(
            isinstance(card, dict) and is_name(card.get("id")) for card in cards
        ):
            raise ScoringError(
                f"The endpoint {self.url} lists no models at /models: check that PCF_ENDPOINT_URL is the "
                "base address, which usually ends in /v1."
            )
        return cards

    def read(
        self,
        prompts: Sequence[str | Ids],
        shape: Shape,
        best: bool = False,
        pause: Callable[[], None] = lambda: None,
    ) -> Iterator[TokenScores]:
        """Yield the readings of prompts (texts or token ids), in order.

        ``best``: also request the most probable token at each position.  ``pause``: called while waiting; an
        exception from it ends the work.
        """
        size = PROMPTS_A_REQUEST if shape == "prompt_logprobs" else 1
        requests = [prompts[start : start + size] for start in range(0, len(prompts), size)]
        for readings in self.in_order(lambda part: self._read_part(part, shape, best), requests, pause):
            yield from readings

    def choose(
        self,
        texts: Sequence[str],
        tokens: Ids,
        way: Choosing,
        pause: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[float, ...]]:
        """Yield the nats of the chosen tokens behind each text, in order; ``pause`` as for :meth:`read`."""
        size = PROMPTS_A_REQUEST if way == "logprob_token_ids" else 1
        requests = [texts[start : start + size] for start in range(0, len(texts), size)]
        for rows in self.in_order(lambda part: self._choose_part(part, tokens, way), requests, pause):
            yield from rows

    def tokenise(
        self, texts: Sequence[str], special: bool, pause: Callable[[], None] = lambda: None
    ) -> list[Ids]:
        """Return the token ids of each text by vLLM's ``/tokenize``; ``pause`` as for :meth:`read`."""
        return list(self.in_order(lambda text: self._tokenise_one(text, special), texts, pause))

    def write(
        self,
        path: str,
        bodies: Iterable[Mapping[str, Any]],
        read: Callable[[Any], R],
        pause: Callable[[], None] = lambda: None,
    ) -> Iterator[R]:
        """Yield the answers to requests for one text each, in order, as ``read`` converts them.

        ``path``: ``completions`` or ``chat/completions``; ``bodies``: without the model's name.  ``read``
        takes the JSON of an answer, or the RequestRefusedError of a request that the content filter refused;
        if it raises ScoringError the request is repeated.  ``pause`` as for :meth:`read`.
        """

        def ask(body: Mapping[str, Any]) -> R:
            whole = {"model": self.name, **body}
            try:
                answer: R = self.ask("POST", f"{self.url}/{path}", whole, LARGEST_TEXT, read)
                return answer
            except RequestRefusedError as refusal:
                if refusal.code in FILTERED:
                    return read(refusal)
                raise

        return self.in_order(ask, bodies, pause)

    def _tokenise_one(self, text: str, special: bool) -> Ids:
        body = {"model": self.name, "prompt": text, "add_special_tokens": special}
        address = f"{self.url.removesuffix('/v1')}/tokenize"
        document = self.ask("POST", address, body, _largest_about([text]))
        tokens = document.get("tokens") if isinstance(document, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
            raise ScoringError(
                f"The endpoint {self.url} answers /tokenize without a list of token ids: check that it is an "
                "OpenAI-compatible server with /tokenize, such as vLLM."
            )
        return tuple(tokens)

    def _read_part(self, prompts: Sequence[str | Ids], shape: Shape, best: bool) -> list[TokenScores]:
        body: dict[str, Any] = {"model": self.name, "max_tokens": 1, "temperature": 1.0}
        if shape == "prompt_logprobs":
            body |= {"prompt": list(prompts), "prompt_logprobs": int(best), "return_token_ids": True}
        else:
            body |= {"prompt": prompts[0], "echo": True, "logprobs": 1}
        document = self.ask("POST", f"{self.url}/completions", body, _largest_about(prompts))
        with self._shaped(f"log-probabilities of the prompt's tokens in the shape {shape}"):
            if shape == "prompt_logprobs":
                return [of_prompt_logprobs(choice) for choice in _choices(document, len(prompts))]
            (choice,) = _choices(document, 1)
            return [of_echo(choice["logprobs"], document["usage"]["prompt_tokens"])]

    def ranks_generated(self) -> bool:
        """Tell whether the server ranks the likeliest tokens of what it generates."""
        body = {"model": self.name, "prompt": DRAWN, "max_tokens": 1, "temperature": 1.0, "logprobs": 5}
        try:
            document = self.ask("POST", f"{self.url}/completions", body, LARGEST_TEXT)
            return len(_choices(document, 1)[0]["logprobs"]["top_logprobs"][0]) > 1
        except (ScoringError, LookupError, TypeError, ValueError, AttributeError):
            return False

    def _choose_part(self, texts: Sequence[str], tokens: Ids, way: Choosing) -> list[tuple[float, ...]]:
        largest = LARGEST_TEXT + BYTES_A_BYTE * len(texts) * len(tokens)
        if way == "score":
            (text,) = texts
            cut = text.rfind(" ") + 1  # neither part is empty
            parts = {
                "query": text[: cut - 1] or text[:1],
                "items": [text[cut - 1 :] if cut > 1 else text[1:]],
            }
            body = {"model": self.name, "label_token_ids": list(tokens), "apply_softmax": False, **parts}
            document = self.ask("POST", f"{self.url}/score", body, largest)
            with self._shaped("probabilities of chosen tokens"):
                return [of_score(document, tokens)]
        body = {"model": self.name, "prompt": list(texts), "max_tokens": 1, "temperature": 1.0, "logprobs": 1}
        body |= {"logprob_token_ids": list(tokens), "return_tokens_as_token_ids": True}
        document = self.ask("POST", f"{self.url}/completions", body, largest)
        with self._shaped("log-probabilities of chosen tokens"):
            return [of_chosen(choice, tokens) for choice in _choices(document, len(texts))]

    @contextmanager
    def _shaped(self, what: str) -> Iterator[None]:
        """Turn the errors of an answer in another shape into a ScoringError."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise ScoringError(
                f"The endpoint {self.url} does not return {what} "
                f"({shorten(self.without_key(reason), 120, placeholder=' …')})."
            ) from error


def _choices(document: Any, number: int) -> list[Mapping[str, Any]]:
    choices = sorted(document["choices"], key=lambda choice: choice["index"])
    if [choice["index"] for choice in choices] != list(range(number)):
        raise ValueError(f"{len(choices)} choices for {number} prompts")
    return choices


def _largest_about(prompts: Sequence[str | Ids]) -> int:
    length = sum(len(prompt.encode()) if isinstance(prompt, str) else len(prompt) for prompt in prompts)
    return LARGEST_TEXT + BYTES_A_BYTE * length


def is_name(name: Any) -> bool:
    """Tell whether a served model's name can be shown."""
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


# Texts.


LONGEST_TOKEN = 128  # characters; white space makes the longest tokens
DRAWN = "Ten random words and ten random numbers:"
PROBE = Decoding(temperature=1, top_p=1, length=24)
PROBES = 3


@dataclass(frozen=True)
class RequestForm:
    """The form in which a server takes requests for a text.

    ``chat``: at ``/chat/completions``.  ``seeds``: with a seed.  ``limit``: the name of the maximum number of
    new tokens.  ``systems``: with a system message.
    """

    chat: bool = False
    seeds: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    systems: bool = True

    @property
    def path(self) -> str:
        """The address, after the base URL."""
        return "chat/completions" if self.chat else "completions"

    def body(self, prompt: str, decoding: Decoding, seed: int, system: str = "") -> dict[str, Any]:
        """Make a request for one text, without the model's name."""
        options: dict[str, Any] = {
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            self.limit: decoding.length,
        }
        if self.seeds:
            options["seed"] = seed
        whole = in_one(system, prompt)
        if not self.chat:
            return {"prompt": whole, **options}
        if not system or not self.systems:
            return {"messages": [{"role": "user", "content": whole}], **options}
        first = {"role": "system", "content": system}
        return {"messages": [first, {"role": "user", "content": prompt}], **options}

    def after(self, refusal: RequestRefusedError) -> RequestForm | None:
        """Return the form that a refusal suggests instead, if any."""
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
    """A server's text, how it ended, and its number of tokens, 0 if not counted."""

    text: str
    end: End
    tokens: int


def written_of(answer: Any, form: RequestForm, length: int) -> Written:
    """Read an answer (JSON, or the error of a filtered request) of at most ``length`` new tokens."""
    if isinstance(answer, RequestRefusedError):
        return Written("", "refused", 0)
    try:
        choice = answer["choices"][0]
        finish, usage = choice.get("finish_reason"), answer.get("usage") or {}
        refusal = (choice["message"].get("refusal") or "") if form.chat else ""
        text = choice["message"].get("content") if form.chat else choice["text"]
        text = refusal if text in (None, "") else text
        tokens = usage.get("completion_tokens") or 0
    except (KeyError, IndexError, TypeError, AttributeError):
        text = tokens = refusal = None
    if not isinstance(text, str) or type(tokens) is not int or tokens < 0:
        raise ScoringError(
            f"The answer of the endpoint has no text in the form of /{form.path}: check that it is an "
            "OpenAI-compatible server and that the model supports this kind of request."
        )
    if tokens > length + 1 or len(text) > length * LONGEST_TOKEN:
        raise ScoringError(
            f"The endpoint wrote {tokens:,} tokens ({len(text):,} characters), but at most {length:,} tokens "
            f"were requested: it ignores {form.limit}."
        )
    if refusal or finish == "content_filter":
        return Written(text, "refused", tokens)
    if not text.strip():
        return Written(text, "empty", tokens)
    return Written(text, "length" if finish == "length" else "stop", tokens)


LISTED = 20  # first tokens, as many as OpenAI lists
LISTING = {"logprobs": True, "top_logprobs": LISTED}  # beside a request for a message


def listed_of(answer: Any) -> Written:
    """Read the likeliest first tokens of an answer to a message with :data:`LISTING`, as JSON pairs.

    ScoringError for an answer without them.
    """
    if isinstance(answer, RequestRefusedError):
        return Written("[]", "refused", 0)
    try:
        listed = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        pairs = [(one["token"], nats_of(one["logprob"])) for one in listed]
    except (KeyError, IndexError, TypeError):
        pairs = []
    known = all(isinstance(token, str) and len(token) <= LONGEST_TOKEN for token, _ in pairs)
    if len(pairs) < 2 or len(pairs) > LISTED or not known or sum(math.exp(nats) for _, nats in pairs) > 1.001:
        raise ScoringError(
            "The endpoint's answer does not list the likeliest first tokens with their probabilities "
            "(top_logprobs): sample its answers instead, at a temperature other than 1."
        )
    return Written(json.dumps([(token, nats) for token, nats in pairs if nats > -math.inf]), "stop", 1)


def listed_by(server: Server) -> int:
    """Count the likeliest first tokens that the server lists with a short message, 0 if it lists none."""
    form, _ = settle_form(server, RequestForm(chat=True))
    body = form.body(DRAWN, PROBE.model_copy(update={"length": 1}), 1) | LISTING
    try:
        (written,) = server.write(form.path, [body], listed_of)
    except ScoringError:
        return 0
    return len(json.loads(written.text))


def find_form(server: Server, chat: bool, draws: bool) -> RequestForm:
    """Find the form in which the server takes requests, with a few short texts.

    ``chat``: prompts are messages.  ``draws``: raise ModelError if the server does not sample.
    """
    form, text = settle_form(server, RequestForm(chat))
    if draws and text.strip():
        others = [_text(server, form, seed) for seed in range(2, PROBES + 1)]
        if set(others) == {text}:
            raise ModelError(
                f"The endpoint wrote the same text {PROBES} times for {server.name} at temperature 1, so it "
                "does not draw its tokens at random: change its settings (for transformers serve, do_sample "
                "in the model's generation_config.json), or use temperature 0."
            )
    return form


def settle_form(server: Server, form: RequestForm, system: str = "") -> tuple[RequestForm, str]:
    """Find a form that the server takes, this one or one that its refusals suggest; return its text too."""
    try:
        return form, _text(server, form, 1, system)
    except RequestRefusedError as refusal:
        other = form.after(refusal)
        if other is None:
            raise
    return settle_form(server, other, system)


def _text(server: Server, form: RequestForm, seed: int, system: str = "") -> str:
    def read(answer: Any) -> str:
        return written_of(answer, form, PROBE.length).text

    (text,) = server.write(form.path, [form.body(DRAWN, PROBE, seed, system)], read)
    return text
