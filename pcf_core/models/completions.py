"""An OpenAI-compatible completions server: asked over HTTP, its answers read and checked.  No torch here.

Two shapes of answer hold what the server thinks of the prompt itself:

``prompt_logprobs``
    vLLM's own, with ``return_token_ids`` (vllm.ai/blog, 22 October 2025): ``choices[i].prompt_logprobs`` is
    ``[null, {"<token id>": {"logprob", "rank", "decoded_token"}, …}, …]`` along
    ``choices[i].prompt_token_ids``.  A list of prompts is one request.
``echo``
    OpenAI's legacy way: ``choices[0].logprobs`` holds ``tokens``, ``token_logprobs`` and ``top_logprobs``,
    first those of the prompt (``usage.prompt_tokens`` of them), then of what was generated.  One prompt a
    request, which every such server takes.

One token is always generated and thrown away: servers refuse ``max_tokens=0``, or take it for no limit.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from textwrap import shorten
from typing import Any, Literal, Self, TypeVar

import httpx2
from pydantic import SecretStr
from pydantic_core import from_json

from pcf_core.errors import RequestRefusedError, ScoringError
from pcf_core.models.turns import Turns

Ids = tuple[int, ...]
Shape = Literal["prompt_logprobs", "echo"]
T = TypeVar("T")
R = TypeVar("R")

PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds before the second attempt, the third …
LONGEST_PAUSE = 60.0  # a server may ask for more patience, up to this
LIMIT_PAUSE = 20.0  # after a 429 that asks for none: with ``PAUSES`` more than the minute most limits count
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, *range(520, 525), 529})
CONNECT_SECONDS = 5.0
PROMPTS_A_REQUEST = 32
LARGEST_ANSWER = 2**28  # bytes; 32 prompts of 4,096 tokens take a tenth of it
LARGEST_TEXT = 2**20  # bytes of an answer that holds one text
LOOK_UP_SECONDS = 0.1  # while waiting for an answer
GRACE_SECONDS = 0.5  # that a stop leaves to requests under way
CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
SECRET_KEY = 16  # characters of a key from which on it is cut out of whatever is answered
LONGEST_NAME = 300  # characters of a served model's
# Codes and types of errors that are refusals; the last is Azure's, within its ``innererror``.
FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
MODERATED = frozenset({"reasons", "flagged_input"})  # OpenRouter's ``metadata`` of a refusal holds them
HALF = re.compile("[\ud800-\udfff]")  # of a character that was cut in two
NO_PROBABILITY = -9999.0  # servers write it for −∞, which JSON lacks
ROUNDING = 1e-4  # a log-probability may be above 0 by so much


@dataclass(frozen=True)
class Reading:
    """What a server says of one prompt, token by token, all of one length.

    ``labels``: token ids, or the tokens' texts where the server tells no ids.  ``texts``: the tokens' texts,
    empty for the first where it is not told.  ``nats``: log-probability of each token behind all before it,
    NaN for the first, which has nothing before it.  ``best``: the highest log-probability told at each place,
    likewise.
    """

    labels: tuple[int | str, ...]
    texts: tuple[str, ...]
    nats: tuple[float, ...]
    best: tuple[float, ...]


class _PassingError(Exception):
    """A failure that may be over after ``patience`` seconds."""

    def __init__(self, message: str, patience: float = 0.0) -> None:
        super().__init__(message)
        self.patience = patience


class Server:
    """The completions of one served model; a context manager that owns its connections and threads.

    Its end does not wait for answers: requests that are still under way have ``GRACE_SECONDS``, then their
    connections are shut down.

    Failures that pass (429, 5xx, time-outs, cut connections, what is no JSON or holds no text) are tried
    again after each of ``pauses``, and every completion waits for one of the ``turns``.
    The key travels in a header and is cut out of what is shown of the server's answers.
    """

    def __init__(
        self,
        url: str,
        name: str,
        *,
        key: SecretStr | None = None,
        timeout: float = 120.0,
        concurrency: int = 8,
        pauses: Sequence[float] = PAUSES,
        turns: Turns | None = None,
    ) -> None:
        self.url = url
        self.name = name
        self.pauses = pauses
        self.concurrency = concurrency
        self._key = key.get_secret_value() if key else ""
        self.timeout = timeout
        self._turns = turns or Turns(0)
        self._closing = threading.Event()
        self._cut = threading.Event()
        self._sockets: list[socket.socket] = []
        self._running: set[Future[Any]] = set()

    def __enter__(self) -> Self:
        headers = {"Accept-Encoding": "identity"}  # packed answers may unpack to more than the memory
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._client = httpx2.Client(
            headers=headers, timeout=httpx2.Timeout(self.timeout, connect=min(self.timeout, CONNECT_SECONDS))
        )
        self._pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="endpoint")
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(self._running, GRACE_SECONDS)
        self._cut.set()  # before the list is read: a connection made later is shut down where it is made
        self._shut_down_all()
        self._pool.shutdown(wait=True)
        self._client.close()

    def _shut_down_all(self) -> None:
        for connection in tuple(self._sockets):
            _shut_down(connection)

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Keep hold of every connection that is made: closing the client would leave a thread in its read."""
        if event in CONNECTED:
            connection = info["return_value"].get_extra_info("socket")
            self._sockets.append(connection)
            if self._cut.is_set():
                _shut_down(connection)

    def models(self) -> list[Mapping[str, Any]]:
        """The served models as the server describes them; each has an ``id``.

        Raises:
            ScoringError: it cannot be reached, or does not list its models.
        """
        document = self._ask("GET", f"{self.url}/models")
        cards = document.get("data") if isinstance(document, dict) else None
        if not isinstance(cards, list) or not all(
            isinstance(card, dict) and is_name(card.get("id")) for card in cards
        ):
            raise ScoringError(
                f"The endpoint {self.url} lists no models at /models; check that PCF_ENDPOINT_URL ends where "
                "/completions would follow, mostly in /v1."
            )
        return cards

    def read(self, prompts: Sequence[str | Ids], shape: Shape, best: bool = False) -> Iterator[Reading]:
        """The readings of the prompts, texts or token ids, in their order.

        ``best`` asks for the most probable token at each place too.  Requests run ahead of what is taken, a
        few for each connection.

        Raises:
            ScoringError: the server cannot be reached or refuses; it answers in another shape, or with what
                is no log-probability.
        """
        size = PROMPTS_A_REQUEST if shape == "prompt_logprobs" else 1
        requests = [prompts[start : start + size] for start in range(0, len(prompts), size)]
        for readings in self._in_order(lambda part: self._read_part(part, shape, best), requests):
            yield from readings

    def tokenise(self, texts: Sequence[str], special: bool) -> list[Ids]:
        """Token ids of each text by vLLM's ``/tokenize``, with or without the special tokens around it.

        Raises:
            ScoringError: the server cannot be reached or has no such address.
        """
        return list(self._in_order(lambda text: self._tokenise_one(text, special), texts))

    def write(
        self,
        path: str,
        bodies: Iterable[Mapping[str, Any]],
        read: Callable[[Any], R],
        pause: Callable[[], None] = lambda: None,
    ) -> Iterator[R]:
        """What ``read`` makes of the answers to requests for one text each, in their order.

        Args:
            path: ``completions`` or ``chat/completions``.
            bodies: what is posted there; the model's name is added.
            read: of the JSON that is answered, or of the ``RequestRefusedError`` that stands for a request
                which the server's content filter refuses.  An answer of which it raises a ``ScoringError``
                is asked for again, like one that does not come: one odd answer among thousands ends nothing.
            pause: called while waiting; what it raises ends the work.

        Raises:
            ScoringError: the server cannot be reached or refuses; every answer to a request is odd.
        """

        def ask(body: Mapping[str, Any]) -> R:
            whole = {"model": self.name, **body}
            try:
                answer: R = self._ask("POST", f"{self.url}/{path}", whole, LARGEST_TEXT, read)
                return answer
            except RequestRefusedError as refusal:
                if refusal.code in FILTERED:
                    return read(refusal)
                raise

        return self._in_order(ask, bodies, pause)

    def _tokenise_one(self, text: str, special: bool) -> Ids:
        body = {"model": self.name, "prompt": text, "add_special_tokens": special}
        document = self._ask("POST", f"{self.url.removesuffix('/v1')}/tokenize", body)
        tokens = document.get("tokens") if isinstance(document, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
            raise ScoringError(f"The endpoint {self.url} answers /tokenize without a list of token ids.")
        return tuple(tokens)

    def _read_part(self, prompts: Sequence[str | Ids], shape: Shape, best: bool) -> list[Reading]:
        body: dict[str, Any] = {"model": self.name, "max_tokens": 1, "temperature": 1.0}
        if shape == "prompt_logprobs":
            body |= {"prompt": list(prompts), "prompt_logprobs": int(best), "return_token_ids": True}
        else:
            body |= {"prompt": prompts[0], "echo": True, "logprobs": 1}
        document = self._ask("POST", f"{self.url}/completions", body)
        try:
            choices = sorted(document["choices"], key=lambda choice: choice["index"])
            if [choice["index"] for choice in choices] != list(range(len(prompts))):
                raise ValueError(f"{len(choices)} choices for {len(prompts)} prompts")
            if shape == "prompt_logprobs":
                return [_of_prompt_logprobs(choice) for choice in choices]
            return [_of_echo(choices[0]["logprobs"], document["usage"]["prompt_tokens"])]
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise ScoringError(
                f"The endpoint {self.url} answers without log-probabilities of the prompt's tokens in the "
                f"shape {shape} ({shorten(self.without_key(reason), 120, placeholder=' …')})."
            ) from error

    def _in_order(
        self, ask: Callable[[T], R], items: Iterable[T], pause: Callable[[], None] = lambda: None
    ) -> Iterator[R]:
        """``ask`` of each item on the threads, answers in the order of the items, few items ahead."""
        waiting: deque[Future[R]] = deque()
        for item in items:
            waiting.append(self._pool.submit(ask, item))
            self._running.add(waiting[-1])
            waiting[-1].add_done_callback(self._running.discard)
            if len(waiting) >= 2 * self.concurrency:
                yield _awaited(waiting.popleft(), pause)
        while waiting:
            yield _awaited(waiting.popleft(), pause)

    def _ask(
        self,
        method: str,
        address: str,
        body: Mapping[str, Any] | None = None,
        largest: int | None = None,
        read: Callable[[Any], Any] = lambda document: document,
    ) -> Any:
        """What ``read`` makes of the JSON that the server answers; ``largest``: bytes that it may have."""
        for pause in (*self.pauses, None):
            if address.endswith("/completions") and self._turns.wait(self._closing):
                raise ScoringError(f"The endpoint {self.url} is asked no longer.")
            try:
                document = self._attempt(method, address, body, largest or LARGEST_ANSWER)
                return _odd_passes(read, document)
            except _PassingError as passing:
                if pause is None or self._closing.wait(max(pause, passing.patience)):
                    raise ScoringError(str(passing)) from passing
        raise AssertionError("the last attempt has no pause behind it")

    def _attempt(self, method: str, address: str, body: Mapping[str, Any] | None, largest: int) -> Any:
        try:
            answer, content = self._send(method, address, body, largest)
        except httpx2.TimeoutException as error:
            raise self._silence(
                f"no answer within {self.timeout:g} s; the longest wait of a run is PCF_ENDPOINT_TIMEOUT"
            ) from error
        except httpx2.RequestError as error:
            raise self._silence(str(error) or type(error).__name__) from error
        if answer.status_code in PASSING:
            raise self._silence(self._reason(answer.status_code, content), _retry_after(answer))
        if not answer.is_success:
            raise self._refusal(answer.status_code, content)
        try:
            document = _mended(content) if address.endswith("/completions") else from_json(content)
        except (ValueError, RecursionError) as error:
            raise _PassingError(
                f"The endpoint {self.url} answered with what is not JSON; check that PCF_ENDPOINT_URL is the "
                "base URL of an OpenAI-compatible server."
            ) from error
        self._raise_hidden(document, content)
        return document

    def _raise_hidden(self, document: Any, content: bytes) -> None:
        """An error that a proxy sends as a success, ``{"error": …}`` alone: it counts as its code says."""
        if not isinstance(document, dict) or not document.get("error") or document.get("choices"):
            return
        error = document["error"]
        said = error.get("code") if isinstance(error, dict) else None
        status = said if type(said) is int and 400 <= said < 600 else 502
        if (status < 500 and status not in PASSING) or _code_of(content) in FILTERED:
            raise self._refusal(status, content)
        raise self._silence(self._reason(status, content), LIMIT_PAUSE if status == 429 else 0.0)

    def _silence(self, reason: str, patience: float = 0.0) -> _PassingError:
        return _PassingError(
            f"The endpoint {self.url} does not answer ({reason}): check that it runs, then ask again.",
            patience,
        )

    def _send(
        self, method: str, address: str, body: Mapping[str, Any] | None, largest: int
    ) -> tuple[httpx2.Response, bytes]:
        """An answer and all of its bytes; one that trickles is cut off like one that does not come.

        Where its head trickles, no other way leads out of the wait than the end of all connections: what the
        others were asked for is asked again.
        """
        watch = threading.Timer(self.timeout + GRACE_SECONDS, self._shut_down_all)
        watch.daemon = True
        watch.start()
        try:
            return self._received(method, address, body, largest)
        finally:
            watch.cancel()

    def _received(
        self, method: str, address: str, body: Mapping[str, Any] | None, largest: int
    ) -> tuple[httpx2.Response, bytes]:
        end = time.monotonic() + self.timeout
        content = bytearray()
        with self._client.stream(method, address, json=body, extensions={"trace": self._trace}) as answer:
            packing = answer.headers.get("Content-Encoding", "identity")
            if packing != "identity":
                raise ScoringError(
                    f"The endpoint {self.url} packs its answers ({packing[:20]!r}), which it was asked not "
                    "to: check that it is a completions server, and what stands before it."
                )
            for part in answer.iter_raw():
                content += part
                if len(content) > largest:
                    raise ScoringError(
                        f"The endpoint {self.url} answers a request with more than {largest:,} bytes; "
                        "check that it is a completions server."
                    )
                if time.monotonic() > end:
                    raise httpx2.ReadTimeout("not all of the answer came")
        return answer, self._without_echo(bytes(content))

    def _refusal(self, status: int, content: bytes) -> RequestRefusedError:
        reason = self._reason(status, content)
        said = f"The endpoint {self.url} refuses a request ({reason})."
        return RequestRefusedError(said, status, _code_of(content), reason)

    def _reason(self, status: int, content: bytes) -> str:
        """Status and message of an answer that is an error, on one line and without the key."""
        message: Any = content.decode(errors="replace")
        with suppress(ValueError):  # what is no JSON says more as it is
            message = from_json(content)
        for name in ("error", "message", "detail"):
            message = message.get(name, message) if isinstance(message, dict) else message
        hint = ""
        if status in (401, 403):
            hint = "; set PCF_ENDPOINT_KEY to a key it takes"
        elif 300 <= status < 400:
            hint = "; it points elsewhere, where the key is not sent: set PCF_ENDPOINT_URL to its own address"
        text = shorten(self.without_key(str(message)), 300, placeholder=" …").rstrip(".")
        return f"{status}{': ' if text else ''}{text}{hint}"

    def _without_echo(self, content: bytes) -> bytes:
        """An answer without the key, which a server that repeats what it was sent would have us keep as text.

        A short key, such as the EMPTY that some servers want, is no secret and may be a word of the answer.
        """
        return content.replace(self._key.encode(), "…".encode()) if len(self._key) >= SECRET_KEY else content

    def without_key(self, text: str) -> str:
        """What the server said, fit to be shown."""
        return text.replace(self._key, "…") if self._key else text


def _odd_passes(read: Callable[[Any], R], document: Any) -> R:
    """What ``read`` makes of a document; one that it refuses may be followed by another."""
    try:
        return read(document)
    except ScoringError as error:
        raise _PassingError(str(error)) from error


def _mended(content: bytes) -> Any:
    """JSON; a character of which a server wrote one half alone, as ``\\ud83d``, becomes U+FFFD.

    No file or key can hold a half, and a text that ends where its length does can end within a character.
    The name of a model cannot, so that elsewhere a half is no JSON.

    Raises:
        ValueError: no JSON.
        RecursionError: likewise, of a thousand brackets.
    """
    try:
        return from_json(content)
    except ValueError:
        return from_json(HALF.sub("\ufffd", json.dumps(json.loads(content), ensure_ascii=False)))


def _code_of(content: bytes) -> str:
    """What names the reason of an error: one of ``FILTERED`` wherever servers say so, else its ``code``."""
    try:
        error = from_json(content)["error"]
        inner, metadata = error.get("innererror"), error.get("metadata")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "None"
    found = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    if isinstance(metadata, dict) and MODERATED & metadata.keys():
        found.append("content_filter")
    named = [str(one).lower() for one in found]
    return next((one for one in named if one in FILTERED), str(found[0]))


def _awaited(future: Future[R], pause: Callable[[], None]) -> R:
    """The result of a thread's work; ``pause`` is called while it is waited for."""
    pause()
    while not wait([future], LOOK_UP_SECONDS).done:
        pause()
    return future.result()


def _shut_down(connection: socket.socket) -> None:
    """End a connection, so that whoever waits for it wakes up."""
    with suppress(OSError):  # it has ended by itself
        connection.shutdown(socket.SHUT_RDWR)


def _retry_after(answer: httpx2.Response) -> float:
    """Seconds that the server asks for, 0 to ``LONGEST_PAUSE``; 0 where it writes what is none.

    Where it asks for none, ``LIMIT_PAUSE`` if its limit was reached (429), else 0.

    A date counts from the answer's own ``Date``, where it has one: our clock may be another (RFC 9110,
    10.2.3).
    """
    said = answer.headers.get("Retry-After")
    if said is None:
        return LIMIT_PAUSE if answer.status_code == 429 else 0.0
    try:
        seconds = float(said)
    except ValueError:
        until = _time_of(said)
        now = _time_of(answer.headers.get("Date", "")) or datetime.now(UTC)
        seconds = (until - now).total_seconds() if until else 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE) if math.isfinite(seconds) else 0.0


def _time_of(date: str) -> datetime | None:
    """A date as HTTP writes it, ``Fri, 20 Nov 2026 07:28:00 GMT``; without a zone it is meant so too."""
    try:
        found = parsedate_to_datetime(date)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def is_name(name: Any) -> bool:
    """Whether a server's name of a model can be shown."""
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


def _of_prompt_logprobs(choice: Mapping[str, Any]) -> Reading:
    ids, places = choice["prompt_token_ids"], choice["prompt_logprobs"]
    if not ids or len(ids) != len(places) or places[0] is not None:
        raise ValueError(f"{len(places)} places for {len(ids)} tokens")
    if not all(type(token) is int for token in ids):
        raise ValueError("token ids that are no whole numbers")
    own = [place[str(token)] for token, place in zip(ids[1:], places[1:], strict=True)]
    return Reading(
        labels=tuple(ids),
        texts=("", *(str(entry["decoded_token"] or "") for entry in own)),
        nats=(math.nan, *(nats_of(entry["logprob"]) for entry in own)),
        best=(
            math.nan,
            *(max(nats_of(entry["logprob"]) for entry in place.values()) for place in places[1:]),
        ),
    )


def _of_echo(logprobs: Mapping[str, Any], count: int) -> Reading:
    tokens, values = logprobs["tokens"], logprobs["token_logprobs"]
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    if not 0 < count <= len(tokens) <= count + 1 or not len(tokens) == len(values) == len(tops):
        raise ValueError(f"{len(values)} places for {count} tokens")
    own = [nats_of(value) for value in values[1:count]]
    told = [[nats_of(value) for value in (top or {}).values()] for top in tops[1:count]]
    return Reading(
        labels=tuple(map(str, tokens[:count])),
        texts=tuple(map(str, tokens[:count])),
        nats=(math.nan, *own),
        best=(math.nan, *(max([value, *others]) for value, others in zip(own, told, strict=True))),
    )


def nats_of(value: Any) -> float:
    """A log-probability as servers write it.

    Raises:
        ScoringError: it is NaN, above 0, or no number.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not value <= ROUNDING:  # as of NaN
        said = reprlib.repr(value) if is_number else type(value).__name__
        raise ScoringError(
            f"The endpoint gave {said} for a log-probability, which is a number up to 0: its model or its "
            "settings (vLLM's --logprobs-mode) are not fit for scoring."
        )
    return -math.inf if value <= NO_PROBABILITY else min(float(value), 0.0)
