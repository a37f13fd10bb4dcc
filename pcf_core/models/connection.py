"""Requests to a server over HTTP: several at a time, repeated after failures, with bounded answers.

Also the pauses before a request is repeated, the operator's rate limit, and the JSON of an answer: a text
that was cut in two, and the code of an error.
"""

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
    import httpx2  # loaded where a server is asked: pages, and tasks of Inspect, only list and name models

# The pauses before a request is repeated.


PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds before the second attempt, the third …
LONGEST_PAUSE = 60.0  # the longest pause that a server may ask for
LIMIT_PAUSE = 20.0  # after a 429 that asks for none: four of them outlast the minute that most limits count


def retry_after(answer: httpx2.Response) -> float:
    """Return the pause in seconds that a server asks for, up to ``LONGEST_PAUSE``; 0 if it is unreadable.

    An answer without one has the pause of its status.  A date counts from the answer's own ``Date`` if there
    is one, since our clock may differ (RFC 9110, 10.2.3).
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
    """Return the pause in seconds if the server asks for none: ``LIMIT_PAUSE`` after 429, else 0."""
    return LIMIT_PAUSE if status == 429 else 0.0


def _time_of(date: str) -> datetime | None:
    """Read a date of HTTP, such as ``Fri, 20 Nov 2026 07:28:00 GMT``; one without a zone is GMT."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# The operator's limit of completions a minute.


class RateLimit:
    """At most ``per_minute`` completions a minute, evenly spaced, for all threads that share it; 0: no limit.

    Another process has a limit of its own: two workers send twice as many requests.

    **Worked example.**  With 30 a minute three threads that come at once go at 0, 2 and 4 seconds; one that
    comes at 60 goes at once.
    """

    def __init__(self, per_minute: int) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._next = -math.inf
        self._lock = threading.Lock()

    def wait(self, given_up: threading.Event) -> bool:
        """Wait for the next free moment under the limit; return True where it was given up meanwhile."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._seconds
        return start > now and given_up.wait(start - now)


# The JSON of an answer.


# Codes and types of errors that are refusals; the last is Azure's, within its ``innererror``.
FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
MODERATED = frozenset({"reasons", "flagged_input"})  # OpenRouter's ``metadata`` of a refusal holds them
HALF = re.compile("[\ud800-\udfff]")  # of a character that was cut in two


def parse_completion(content: bytes) -> Any:
    r"""Read JSON, with each lone surrogate such as ``\ud83d`` replaced by U+FFFD.

    A completion that ends at its greatest length may end within a character, and neither a file nor a key can
    hold half of one.  In any other answer half a character is not JSON.
    """
    try:
        return from_json(content)
    except ValueError:
        return from_json(HALF.sub("\ufffd", json.dumps(json.loads(content), ensure_ascii=False)))


def code_of(content: bytes) -> str:
    """Return the code of an error: one of ``FILTERED`` if the server names it anywhere, else its ``code``."""
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
LARGEST_ANSWER = 2**28  # bytes; 32 prompts of 4,096 tokens take a tenth of it
LOOK_UP_SECONDS = 0.1  # between two calls of ``pause`` while waiting for an answer
GRACE_SECONDS = 0.5  # for requests under way when the connection ends
CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
SECRET_KEY = 16  # characters; a key of this length or more is cut out of every answer


@cache
def _trusted() -> ssl.SSLContext:
    """Read the trusted certificates once, which takes longer than most answers, even for http://."""
    import httpx2

    return httpx2.create_ssl_context()


class _PassingError(Exception):
    """A failure after which a request is repeated, ``patience`` seconds later or more."""

    def __init__(self, message: str, patience: float = 0.0) -> None:
        super().__init__(message)
        self.patience = patience


class Connection:
    """A connection to one served model; a context manager that owns its sockets and threads.

    Its end does not wait for answers: requests under way have ``GRACE_SECONDS``, then their sockets are shut
    down.  Requests are repeated after each of ``pauses`` if the failure may be temporary (429, 5xx,
    time-outs, cut connections, an answer that is not JSON or has no text), and completions keep to the rate
    limit ``rate_limit``.  The key travels in a header and is cut out of answers before they are shown.
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

        headers = {"Accept-Encoding": "identity"}  # packed answers may unpack to more than the memory
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
        self._cut.set()  # before the list is read: a connection made later is shut down where it is made
        self._shut_down_all()
        self._pool.shutdown(wait=True)
        self._client.close()

    def _shut_down_all(self) -> None:
        for connection in tuple(self._sockets):
            _shut_down(connection)

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record every socket that is opened: closing the client alone would leave a thread in its read."""
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
        """Raise for an error that a proxy sends as a success, ``{"error": …}`` alone, by its code."""
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
        """Return an answer and all of its bytes; one that trickles is cut off like one that does not come.

        If its head trickles, only shutting down all sockets ends the wait; the other requests are repeated.
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
        """Return status and message of an answer that is an error, on one line and without the key."""
        message: Any = content.decode(errors="replace")
        with suppress(ValueError):  # a text that is not JSON is shown as it is
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
        """Remove the key from an answer: a server may repeat its request, and answers are stored.

        A short key, such as the EMPTY that some servers require, is no secret and may be a word of the
        answer.
        """
        return content.replace(self._key.encode(), "…".encode()) if len(self._key) >= SECRET_KEY else content

    def without_key(self, text: str) -> str:
        """Remove the key from a text of the server's, so that it can be shown."""
        return text.replace(self._key, "…") if self._key else text


def _awaited(future: Future[R], pause: Callable[[], None]) -> R:
    """Return the result of a thread's work; call ``pause`` while waiting for it."""
    pause()
    while not wait([future], LOOK_UP_SECONDS).done:
        pause()
    return future.result()


def _shut_down(connection: socket.socket) -> None:
    """Shut down a socket, so that a thread that waits for it wakes up."""
    with suppress(OSError):  # it has ended by itself
        connection.shutdown(socket.SHUT_RDWR)
