"""Requests to a server over HTTP: several at a time, repeated after failures, with bounded answers."""

from __future__ import annotations

import json
import math
import re
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import SecretStr
from pydantic_core import from_json

from pcf_core.core.errors import RequestRefusedError, ScoringError

if TYPE_CHECKING:
    import httpx2  # otherwise imported only when a server is used

# Pauses before a request is repeated.


PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds before the second, third … attempt
LONGEST_PAUSE = 60.0  # the longest pause that a server may request
LIMIT_PAUSE = 20.0  # after a 429 without one: four outlast the minute of most limits


def retry_after(answer: httpx2.Response) -> float:
    """Return the pause in seconds that a server requests, up to ``LONGEST_PAUSE``; 0 if it is unreadable.

    Without one, the pause of its status.  A date counts from the answer's own ``Date`` (RFC 9110, 10.2.3).
    """
    header = answer.headers.get("Retry-After")
    if header is None:
        return pause_after(answer.status_code)
    try:
        seconds = float(header)
    except ValueError:
        until = _time_of(header)
        now = _time_of(answer.headers.get("Date", "")) or datetime.now(UTC)
        seconds = (until - now).total_seconds() if until else 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE) if math.isfinite(seconds) else 0.0


def pause_after(status: int) -> float:
    """Return the pause in seconds for a status: ``LIMIT_PAUSE`` after 429, else 0."""
    return LIMIT_PAUSE if status == 429 else 0.0


def _time_of(date: str) -> datetime | None:
    """Read a date of HTTP, such as ``Fri, 20 Nov 2026 07:28:00 GMT``; GMT by default."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# The operator's rate limit.


class RateLimit:
    """At most ``per_minute`` completions, evenly spaced, for all threads that share it; 0: no limit.

    Other processes have their own.  **Worked example.**  With 30 a minute three threads at once go at 0, 2
    and 4 seconds; one that comes at 60 goes at once.
    """

    def __init__(self, per_minute: int) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._next = -math.inf
        self._lock = threading.Lock()

    def wait(self, given_up: threading.Event) -> bool:
        """Wait for the next free moment; return True if it was given up meanwhile."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._seconds
        return start > now and given_up.wait(start - now)


# The JSON of an answer.


# Codes and types of refusals; the last is Azure's, in ``innererror``.
FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
MODERATED = frozenset({"reasons", "flagged_input"})  # in OpenRouter's ``metadata`` of a refusal
HALF = re.compile("[\ud800-\udfff]")  # lone surrogates


def parse_completion(content: bytes) -> Any:
    """Read JSON; lone surrogates, as where a completion is cut within a character, become U+FFFD."""
    try:
        return from_json(content)
    except ValueError:
        return from_json(HALF.sub("\ufffd", json.dumps(json.loads(content), ensure_ascii=False)))


def code_of(content: bytes) -> str:
    """Return the code of an error: one of ``FILTERED`` if it occurs anywhere, otherwise its ``code``."""
    try:
        error = from_json(content)["error"]
        inner, metadata = error.get("innererror"), error.get("metadata")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "None"
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    if isinstance(metadata, dict) and MODERATED & metadata.keys():
        codes.append("content_filter")
    named = [str(code).lower() for code in codes]
    return next((code for code in named if code in FILTERED), str(codes[0]))


T = TypeVar("T")
R = TypeVar("R")

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, *range(520, 525), 529})
CONNECT_SECONDS = 5.0
LARGEST_ANSWER = 2**28  # bytes, ten times that of 32 prompts of 4,096 tokens
LOOK_UP_SECONDS = 0.1  # between two calls of ``pause`` while waiting
GRACE_SECONDS = 0.5  # for open requests when the connection ends
CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
SECRET_KEY = 16  # characters; keys of this length or more are removed from answers


@cache
def _trusted() -> ssl.SSLContext:
    """Read the trusted certificates once, as that is slow."""
    import httpx2

    return httpx2.create_ssl_context()


class _PassingError(Exception):
    """A failure after which a request is repeated, at least ``patience`` seconds later."""

    def __init__(self, message: str, patience: float = 0.0) -> None:
        super().__init__(message)
        self.patience = patience


class Connection:
    """A connection to one served model; a context manager that owns its sockets and threads.

    Closing does not wait for answers: open requests have ``GRACE_SECONDS``, then their sockets are shut down.
    Requests are repeated after each of ``pauses`` if the failure may be temporary (429, 5xx, time-outs, cut
    connections, an answer that is not JSON or has no text); completions respect ``rate_limit``.  The key is
    sent in a header and removed from answers.
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
        rate_limit: RateLimit | None = None,
    ) -> None:
        self.url = url
        self.name = name
        self.pauses = pauses
        self.concurrency = concurrency
        self._key = key.get_secret_value() if key else ""
        self.timeout = timeout
        self._rate_limit = rate_limit or RateLimit(0)
        self._closing = threading.Event()
        self._cut = threading.Event()
        self._sockets: list[socket.socket] = []
        self._running: set[Future[Any]] = set()

    def __enter__(self) -> Self:
        import httpx2

        headers = {"Accept-Encoding": "identity"}  # compressed answers could exceed the memory
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._client = httpx2.Client(
            headers=headers,
            timeout=httpx2.Timeout(self.timeout, connect=min(self.timeout, CONNECT_SECONDS)),
            verify=_trusted(),
        )
        self._pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="endpoint")
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(self._running, GRACE_SECONDS)
        self._cut.set()  # first, so that later connections are shut down too
        self._shut_down_all()
        self._pool.shutdown(wait=True)
        self._client.close()

    def _shut_down_all(self) -> None:
        for connection in tuple(self._sockets):
            _shut_down(connection)

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record opened sockets, since closing the client would leave threads reading."""
        if event in CONNECTED:
            connection = info["return_value"].get_extra_info("socket")
            self._sockets.append(connection)
            if self._cut.is_set():
                _shut_down(connection)

    def in_order(
        self, ask: Callable[[T], R], items: Iterable[T], pause: Callable[[], None] = lambda: None
    ) -> Iterator[R]:
        """Yield the result of ``ask`` for each item in order; the threads work a few items ahead."""
        waiting: deque[Future[R]] = deque()
        for item in items:
            waiting.append(self._pool.submit(ask, item))
            self._running.add(waiting[-1])
            waiting[-1].add_done_callback(self._running.discard)
            if len(waiting) >= 2 * self.concurrency:
                yield _awaited(waiting.popleft(), pause)
        while waiting:
            yield _awaited(waiting.popleft(), pause)

    def ask(
        self,
        method: str,
        address: str,
        body: Mapping[str, Any] | None = None,
        largest: int | None = None,
        read: Callable[[Any], Any] = lambda document: document,
    ) -> Any:
        """Send a request; return the JSON answer, of at most ``largest`` bytes, as ``read`` converts it."""
        for pause in (*self.pauses, None):
            if address.endswith("/completions") and self._rate_limit.wait(self._closing):
                raise ScoringError(f"The endpoint {self.url} is no longer used.")
            try:
                document = self._attempt(
                    method, address, body, min(largest or LARGEST_ANSWER, LARGEST_ANSWER)
                )
                try:
                    return read(document)
                except ScoringError as error:
                    raise _PassingError(str(error)) from error
            except _PassingError as passing:
                if pause is None or self._closing.wait(max(pause, passing.patience)):
                    raise ScoringError(str(passing)) from passing
        raise AssertionError("the last attempt has no pause behind it")

    def _attempt(self, method: str, address: str, body: Mapping[str, Any] | None, largest: int) -> Any:
        import httpx2

        try:
            answer, content = self._send(method, address, body, largest)
        except httpx2.TimeoutException as error:
            raise self._silence(
                f"no answer within {self.timeout:g} s; the longest wait of a run is PCF_ENDPOINT_TIMEOUT"
            ) from error
        except httpx2.RequestError as error:
            raise self._silence(str(error) or type(error).__name__) from error
        if answer.status_code in PASSING:
            raise self._silence(self._reason(answer.status_code, content), retry_after(answer))
        if not answer.is_success:
            raise self._refusal(answer.status_code, content)
        try:
            document = parse_completion(content) if address.endswith("/completions") else from_json(content)
        except (ValueError, RecursionError) as error:
            raise _PassingError(
                f"The endpoint {self.url} returned an answer that is not JSON: check that PCF_ENDPOINT_URL "
                "is the base address of an OpenAI-compatible server."
            ) from error
        self._raise_hidden(document, content)
        return document

    def _raise_hidden(self, document: Any, content: bytes) -> None:
        """Raise for an error that a proxy sends as a success, ``{"error": …}`` alone."""
        if not isinstance(document, dict) or not document.get("error") or document.get("choices"):
            return
        error = document["error"]
        code = error.get("code") if isinstance(error, dict) else None
        status = code if type(code) is int and 400 <= code < 600 else 502
        if (status < 500 and status not in PASSING) or code_of(content) in FILTERED:
            raise self._refusal(status, content)
        raise self._silence(self._reason(status, content), pause_after(status))

    def _silence(self, reason: str, patience: float = 0.0) -> _PassingError:
        return _PassingError(
            f"The endpoint {self.url} does not answer ({reason}): check that it is running, then try again.",
            patience,
        )

    def _send(
        self, method: str, address: str, body: Mapping[str, Any] | None, largest: int
    ) -> tuple[httpx2.Response, bytes]:
        """Return an answer and its bytes; an answer that trickles in is cut off after the timeout.

        A trickling header can only be stopped by shutting down all sockets; other requests are repeated.
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
        import httpx2

        end = time.monotonic() + self.timeout
        content = bytearray()
        with self._client.stream(method, address, json=body, extensions={"trace": self._trace}) as answer:
            packing = answer.headers.get("Content-Encoding", "identity")
            if packing != "identity":
                raise ScoringError(
                    f"The endpoint {self.url} compresses its answers ({packing[:20]!r}) although it was "
                    "asked not to: check that it is a completions server, and check any proxy in front of "
                    "it."
                )
            for part in answer.iter_raw():
                content += part
                if len(content) > largest:
                    raise ScoringError(
                        f"The endpoint {self.url} answered a request with more than {largest:,} bytes: check "
                        "that it is a completions server."
                    )
                if time.monotonic() > end:
                    raise httpx2.ReadTimeout("the answer is incomplete")
        return answer, self._without_echo(bytes(content))

    def _refusal(self, status: int, content: bytes) -> RequestRefusedError:
        reason = self._reason(status, content)
        sentence = f"The endpoint {self.url} refuses a request ({reason})."
        return RequestRefusedError(sentence, status, code_of(content), reason)

    def _reason(self, status: int, content: bytes) -> str:
        """Return status and message of an error on one line, without the key."""
        message: Any = content.decode(errors="replace")
        with suppress(ValueError):  # text that is not JSON is shown as it is
            message = from_json(content)
        for name in ("error", "message", "detail"):
            message = message.get(name, message) if isinstance(message, dict) else message
        hint = ""
        if status in (401, 403):
            hint = "; set PCF_ENDPOINT_KEY to a key that it accepts"
        elif 300 <= status < 400:
            hint = (
                "; it redirects to another address, to which the key is not sent: set "
                "PCF_ENDPOINT_URL to that address"
            )
        text = shorten(self.without_key(str(message)), 300, placeholder=" …").rstrip(".")
        return f"{status}{': ' if text else ''}{text}{hint}"

    def _without_echo(self, content: bytes) -> bytes:
        """Remove the key from an answer, as answers are stored.

        Short keys, such as the EMPTY that some servers require, are no secret and may be words of the answer.
        """
        return content.replace(self._key.encode(), "…".encode()) if len(self._key) >= SECRET_KEY else content

    def without_key(self, text: str) -> str:
        """Remove the key from a text, so that it can be shown."""
        return text.replace(self._key, "…") if self._key else text


def _awaited(future: Future[R], pause: Callable[[], None]) -> R:
    pause()
    while not wait([future], LOOK_UP_SECONDS).done:
        pause()
    return future.result()


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):  # already closed
        connection.shutdown(socket.SHUT_RDWR)
