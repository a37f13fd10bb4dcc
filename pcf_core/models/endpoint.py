"""Models behind an endpoint, named ``endpoint:SERVED-NAME``: what they are, remembered, and opened.

The server's address and key are the operator's settings, never part of a name.  Nothing pins what a server
runs: the identity of a model that is scored is a digest of its address, the served name and what the probe
found, marked ``unpinned``; of one that only writes texts, which need no log-probabilities, it is the address.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from pcf_core.errors import AuditError, ModelError, RequestRefusedError, ScoringError
from pcf_core.models.allowed import require_allowed
from pcf_core.models.completions import Server, is_name
from pcf_core.models.pauses import PAUSES
from pcf_core.models.probe import Findings, probe
from pcf_core.models.turns import Turns
from pcf_core.models.written import find_manner
from pcf_core.records import LeftOut, ModelSpec, digest
from pcf_core.settings import settings

PREFIX = "endpoint:"
UNPINNED = "unpinned"
CHAT = "server"  # in the place of a template's hash: the server makes a user's message of the prompt itself
FOUND_SECONDS = 300.0  # for so long a process trusts what a probe found
LISTED_SECONDS = 60.0  # and a listing, or a failure of either
LIST_PATIENCE = 2.0  # seconds that a page waits for a listing
FIRST_PATIENCE = 20.0  # and for each answer to the probe of a model
AGAIN_PATIENCE = 5.0  # that is remembered
MOST_LISTED = 50


@dataclass(frozen=True)
class Endpoint:
    """A model behind an endpoint that was just probed."""

    spec: ModelSpec
    findings: Findings

    def server(self) -> Server:
        """A connection with the operator's patience; use it as a context manager."""
        return connect(self.spec.name)


@dataclass(frozen=True)
class _Answer:
    """What a probe or a listing gave, until the monotonic clock says ``until``."""

    until: float
    endpoint: Endpoint | None = None
    error: str = ""
    names: tuple[str, ...] = ()


_lock = threading.Lock()
_answers: dict[tuple[str | None, str], _Answer] = {}  # by base URL and model name; the listing under ""
_chats: dict[tuple[str | None, str], tuple[float, bool | None]] = {}  # until when, and what was found


def open_endpoint(spec: ModelSpec) -> Endpoint:
    """Probe the model of ``spec`` now, to score with it.

    Raises:
        ModelError: no endpoint is set, it refuses, or it is not the one that ``spec`` was found at.
        ScoringError: the server cannot be reached.
    """
    with connect(spec.name) as server:
        found = _describe(spec.name, probe(server))
    _remember(found)
    if found.spec.identity != spec.identity:
        raise ModelError(
            f"The model {spec.name} is not the one that was asked for ({spec.identity} then, "
            f"{found.spec.identity} now): what runs behind the endpoint has changed; ask for the run again."
        )
    return found


def resolve_endpoint(name: str) -> ModelSpec:
    """The specification of ``endpoint:SERVED-NAME``.

    Probed once in a while; where the server does not answer now, as it was when it last did, so that what was
    scored can still be read.

    Raises:
        ModelError: no endpoint is set; the model is not served or cannot be scored, now and before.
    """
    answer, remembered = _fresh(name), _remembered().get(name)
    if answer is None:
        patience = min(settings().endpoint_timeout, AGAIN_PATIENCE if remembered else FIRST_PATIENCE)
        try:
            with _server(name, patience, ()) as server:
                answer = _remember(_describe(name, probe(server)))
        except AuditError as error:
            answer = _keep(name, _Answer(time.monotonic() + LISTED_SECONDS, error=str(error)))
    if answer.endpoint is not None:
        return answer.endpoint.spec
    if remembered is not None and settings().endpoint_url in (None, remembered.path):
        return remembered
    raise ModelError(answer.error)


def resolve_writer_endpoint(name: str, chat: bool) -> ModelSpec:
    """The specification of ``endpoint:SERVED-NAME`` that is to write texts; nothing is asked of the server.

    ``chat``: whether the prompt is a user's message, not a text to go on from.

    Raises:
        ModelError: no endpoint is set; no name of a model.
    """
    served, url = name.removeprefix(PREFIX), _url(name)
    if not is_name(served):
        raise ModelError(f"{name!r} names no served model: write {PREFIX} and the name the server lists.")
    return ModelSpec(
        name=name,
        family="endpoint",
        path=url,
        identity=f"{UNPINNED}:{url}",
        tokenizer=UNPINNED,
        dtype="server",
        chat_template=CHAT if chat else "",
        title=f"{served} behind {url}",
        notes="Unpinned: nothing proves that the server runs the same weights tomorrow.",
    )


def offers_chat(name: str) -> bool:
    """Whether the server answers messages to the model; a short one is asked.

    Raises:
        ModelError: no endpoint is set.
        ScoringError: the server cannot be reached.
    """
    with _server(name, min(settings().endpoint_timeout, FIRST_PATIENCE), ()) as server:
        try:
            find_manner(server, chat=True, draws=False)
        except RequestRefusedError as refusal:
            if refusal.status in (401, 403):
                raise
            return False
    return True


def known_chat(name: str) -> bool | None:
    """As :func:`offers_chat`, asked once in a while; ``None`` where the server does not tell now.

    Raises:
        ModelError: no endpoint is set.
    """
    key = _url(name), name
    with _lock:
        until, chats = _chats.get(key, (0.0, None))
    if time.monotonic() < until:
        return chats
    try:
        chats, lasts = offers_chat(name), FOUND_SECONDS
    except ScoringError:
        chats, lasts = None, LISTED_SECONDS
    with _lock:
        _chats[key] = time.monotonic() + lasts, chats
    return chats


def count_tokens(name: str, prompts: Sequence[str]) -> list[int] | None:
    """Tokens of each prompt as the server's tokenizer counts them, None where it does not tell.

    Raises:
        ModelError: no endpoint is set.
    """
    with _server(name, min(settings().endpoint_timeout, AGAIN_PATIENCE), ()) as server:
        try:
            first = server.tokenise(prompts[:1], special=True)
            return [len(ids) for ids in (*first, *server.tokenise(prompts[1:], special=True))]
        except ScoringError:
            return None


def connect(name: str) -> Server:
    """A connection to the model's server with the operator's patience; use it as a context manager.

    Raises:
        ModelError: no endpoint is set.
    """
    return _server(name, settings().endpoint_timeout, PAUSES)


def survey_endpoint() -> Iterator[ModelSpec | LeftOut]:
    """The served models, where an endpoint is set; the identity of one not probed yet is ``unpinned``."""
    if settings().endpoint_url is None:
        return
    listing = _fresh("") or _list()
    if listing.error:
        yield LeftOut(name=f"{PREFIX}…", reason=listing.error)
    for name in listing.names[:MOST_LISTED]:
        known = _fresh(name)
        if known is not None and known.endpoint is not None:
            yield known.endpoint.spec
        elif known is not None:
            yield LeftOut(name=name, reason=known.error)
        else:
            yield _remembered().get(name) or _unprobed(name)
    if len(listing.names) > MOST_LISTED:
        yield LeftOut(
            name=f"{PREFIX}…",
            reason=f"The endpoint serves {len(listing.names) - MOST_LISTED} more models; name one to use it.",
        )


def _list() -> _Answer:
    try:
        with _server("", LIST_PATIENCE, ()) as server:
            names = tuple(sorted(f"{PREFIX}{card['id']}" for card in server.models()))
    except AuditError as error:
        return _keep("", _Answer(time.monotonic() + LISTED_SECONDS, error=str(error)))
    return _keep("", _Answer(time.monotonic() + LISTED_SECONDS, names=names))


def _url(name: str) -> str:
    url = settings().endpoint_url
    if url is None:
        raise ModelError(
            f"The model {name!r} is behind an endpoint and none is set: set PCF_ENDPOINT_URL to the base URL "
            "of an OpenAI-compatible server, such as http://localhost:8000/v1."
        )
    return url


@lru_cache(maxsize=8)
def _turns(url: str, per_minute: int) -> Turns:
    """One for all connections of this process to a server."""
    return Turns(per_minute)


def _server(name: str, timeout: float, pauses: tuple[float, ...]) -> Server:
    """A connection to ask a model, or for the list of them where ``name`` is empty.

    Raises:
        ModelError: no endpoint is set, or the operator does not allow the model.
    """
    url = _url(name)
    if name:
        require_allowed(name)
    return Server(
        url,
        name.removeprefix(PREFIX),
        key=settings().endpoint_key,
        timeout=timeout,
        concurrency=settings().endpoint_concurrency,
        pauses=pauses,
        turns=_turns(url, settings().endpoint_per_minute),
    )


def _describe(name: str, findings: Findings) -> Endpoint:
    url = str(settings().endpoint_url)
    facts = [findings.shape, findings.context, findings.root, findings.takes_ids, findings.opening]
    tokens = findings.reading.labels
    spec = ModelSpec(
        name=name,
        family="endpoint",
        path=url,
        identity=f"{UNPINNED}:{digest([url, name, facts, tokens])}",
        tokenizer=f"{UNPINNED}:{digest(tokens)}",
        dtype="server",
        context=findings.context,
        title=f"{findings.root} behind {url}",
        notes="Unpinned: nothing proves that the server runs the same weights tomorrow. Their number and "
        "their precision are the server's own.",
    )
    return Endpoint(spec, findings)


def _unprobed(name: str) -> ModelSpec:
    return ModelSpec(
        name=name,
        family="endpoint",
        path=str(settings().endpoint_url),
        identity=UNPINNED,
        tokenizer=UNPINNED,
        dtype="server",
        title=name,
        notes="What the server can do is found out when the model is first used.",
    )


def _fresh(name: str) -> _Answer | None:
    with _lock:
        answer = _answers.get((settings().endpoint_url, name))
    return answer if answer is not None and time.monotonic() < answer.until else None


def _keep(name: str, answer: _Answer) -> _Answer:
    with _lock:
        _answers[settings().endpoint_url, name] = answer
    return answer


def _remember(found: Endpoint) -> _Answer:
    """Keep what was found, for this process and, where the cache can be written, for those after it."""
    known = _remembered()
    if known.get(found.spec.name) != found.spec:
        document = {name: spec.model_dump() for name, spec in {**known, found.spec.name: found.spec}.items()}
        with suppress(OSError):
            _file().parent.mkdir(parents=True, exist_ok=True)
            draft, path = tempfile.mkstemp(dir=_file().parent, prefix=_file().name)
            with os.fdopen(draft, "w", encoding="utf8") as file:
                json.dump(document, file, ensure_ascii=False, indent=1)
            Path(path).replace(_file())
    return _keep(found.spec.name, _Answer(time.monotonic() + FOUND_SECONDS, endpoint=found))


def _remembered() -> Mapping[str, ModelSpec]:
    """The models that any process has found behind an endpoint, by name."""
    try:
        document = json.loads(_file().read_text(encoding="utf8"))
        return {name: ModelSpec(**fields) for name, fields in document.items()}
    except (OSError, ValueError, TypeError, AttributeError, ValidationError):
        return {}  # never written, or by another version: found again by the next probe


def _file() -> Path:
    return settings().cache / "endpoints.json"
