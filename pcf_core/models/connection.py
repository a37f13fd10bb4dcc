"""Asking a server over HTTP: several requests at a time, with patience, and answers that are bounded."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from textwrap import shorten
from typing import Any, Self, TypeVar

import httpx2
from pydantic import SecretStr
from pydantic_core import from_json

from pcf_core.errors import RequestRefusedError, ScoringError
from pcf_core.models.answer_json import FILTERED, code_of, mended
from pcf_core.models.pauses import PAUSES, pause_after, retry_after
from pcf_core.models.turns import Turns

T = TypeVar("T")
R = TypeVar("R")

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, *range(520, 525), 529})
CONNECT_SECONDS = 5.0
LARGEST_ANSWER = 2**28  # bytes; 32 prompts of 4,096 tokens take a tenth of it
LOOK_UP_SECONDS = 0.1  # while waiting for an answer
GRACE_SECONDS = 0.5  # that a stop leaves to requests under way
CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
SECRET_KEY = 16  # characters of a key from which on it is cut out of whatever is answered


class _PassingError(Exception):
    """A failure that may be over after ``patience`` seconds."""

    def __init__(self, message: str, patience: float = 0.0) -> None:
        super().__init__(message)
        self.patience = patience


class Connection:
    """The way to one served model; a context manager that owns its connections and threads.

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

    def in_order(
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

    def ask(
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
            raise self._silence(self._reason(answer.status_code, content), retry_after(answer))
        if not answer.is_success:
            raise self._refusal(answer.status_code, content)
        try:
            document = mended(content) if address.endswith("/completions") else from_json(content)
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
        if (status < 500 and status not in PASSING) or code_of(content) in FILTERED:
            raise self._refusal(status, content)
        raise self._silence(self._reason(status, content), pause_after(status))

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
        return RequestRefusedError(said, status, code_of(content), reason)

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
