"""Models behind an endpoint, named ``endpoint:SERVED-NAME``: described, remembered, and opened.

The server's address and key are the operator's settings, never part of a name.  Nothing pins what a server
runs.  The identity of a model that is scored is a digest of its address, the served name and the results of
the probe, marked ``unpinned``.  A model that only writes texts needs no log-probabilities, so its identity is
the address.

The server is asked what it can do; nothing is guessed, and what it cannot do is refused.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Any, get_args

from pydantic import ValidationError

from pcf_core.core.errors import AuditError, ModelError, RequestRefusedError, ScoringError
from pcf_core.core.files import read_file
from pcf_core.core.records import LeftOut, digest
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import is_heaped, normal
from pcf_core.models.completions import Server, Shape, TokenScores, find_form, is_name
from pcf_core.models.connection import PAUSES, RateLimit
from pcf_core.models.names import ENDPOINT, require_allowed, split_inspected

# What a completions server can do.


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
    """The results of the probe.

    ``shape``: how the server writes log-probabilities of a prompt.  ``opening``: labels of the tokens that
    it puts before a text.  ``takes_ids``: whether prompts of token ids are read, and texts tokenised.
    ``context``: tokens the server takes, 0 where it does not say.  ``root``: the served model, in the
    server's words.  ``reading``: that of ``TEXT``.  ``noise``: largest difference between two readings of one
    token, in nats.
    """

    shape: Shape
    opening: tuple[int | str, ...]
    takes_ids: bool
    context: int
    root: str
    reading: TokenScores
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
    """
    cards = {card["id"]: card for card in server.models()}
    if server.name not in cards:
        served = ", ".join(sorted(cards)[:20]) or "none"
        raise ModelError(
            f"The endpoint {server.url} has no model {server.name!r}: choose one of its models ({served})."
        )
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
    detail = server.without_key("; ".join(dict.fromkeys(reasons)))
    raise ModelError(
        f"The endpoint {server.url} gives no usable log-probabilities of prompt tokens for {server.name}: "
        f"serve the model with vLLM, or score its weights on this computer ({detail})."
    )


def require_sense(first: TokenScores, second: TokenScores, start: TokenScores) -> float:
    """Refuse readings of ``TEXT``, again of it, and of its beginning that no language model gives.

    The result is the largest difference in nats between two readings of one token.
    """
    if not _opening(first) and not any(spells(first.texts[1:], TEXT[cut:]) for cut in range(1, len(START))):
        spelled = shorten("".join(first.texts), 120, placeholder=" …")
        raise ScoringError(f"Reading {TEXT!r}, it returned tokens that spell {spelled!r}.")
    values = first.nats[1:]
    if math.isinf(max(values)):  # and so below 0
        raise ScoringError("It gave a token of an ordinary sentence no probability (−9999, or less).")
    if max(values) - min(values) < SPREAD:
        raise ScoringError(f"It gave every token the same log-probability, {values[0]:g}.")
    if min(first.best[1:]) < WORST_BEST:
        raise ScoringError(
            "It returns logits instead of log-probabilities: start vLLM without --logprobs-mode."
        )
    noise = max(difference(first, second), difference(start, first))
    if noise > AGREES:
        raise ScoringError(
            "When it reads the same text twice, or with more text after it, its answers differ by "
            f"{noise:.3g} nats per token."
        )
    return noise


def difference(short: TokenScores, long: TokenScores) -> float:
    """Return the largest difference in nats a token.

    It is infinite where ``long`` does not begin with ``short``'s tokens.
    """
    if long.labels[: len(short.labels)] != short.labels:
        return math.inf
    pairs = zip(short.nats[1:], long.nats[1:], strict=False)
    return max((abs(a - b) for a, b in pairs if a != b), default=0.0)  # a == b also where both are −∞


def spells(tokens: Sequence[str], text: str) -> bool:
    """Tell whether the tokens' texts make up a text, white space and case apart.

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
    position = len(first)
    for part in between:  # as early as it can stand, a character behind the last: no other choice fits more
        start = wanted.find(part, position + 1, end)
        if start < 0:
            return False
        position = start + len(part)
    return position < end


def _plain(text: str) -> str:
    return re.sub(r"\s", "", normal("NFKC", re.sub("[▁Ġ]", " ", text)).casefold())


def _opening(reading: TokenScores) -> tuple[int | str, ...]:
    """Return the tokens before those that spell the text: BOS, or none."""
    lengths = range(1, LONGEST_OPENING + 1)
    length = next((length for length in lengths if spells(reading.texts[length:], TEXT)), 0)
    return reading.labels[:length]


def _takes_ids(server: Server, reading: TokenScores) -> bool:
    """Tell whether texts are tokenised, with the ids of completions, and ids are read as they are."""
    try:
        (ids,) = server.tokenise([TEXT], special=True)
        (again,) = server.read([ids], "prompt_logprobs")
    except ScoringError:
        return False
    return ids == reading.labels == again.labels


PREFIX = ENDPOINT
UNPINNED = "unpinned"
CHAT = "server"  # in place of a template's hash: the server makes a user's message of the prompt itself
UNPROVEN = "Unpinned: nothing proves that the server runs the same weights tomorrow"
FOUND_SECONDS = 300.0  # for which a process trusts the results of a probe
LISTED_SECONDS = 60.0  # for which it trusts a list of models, and a failure
LIST_PATIENCE = 2.0  # seconds that a page waits for the list of models
FIRST_PATIENCE = 20.0  # seconds that it waits for each answer to the probe of a new model
AGAIN_PATIENCE = 5.0  # the same for a model whose earlier results are remembered
MOST_LISTED = 50


@dataclass(frozen=True)
class Endpoint:
    """A model behind an endpoint that has just been probed."""

    spec: ModelSpec
    findings: Findings

    def server(self) -> Server:
        """Open a connection with the operator's time limits; use it as a context manager."""
        return connect(self.spec.name)


@dataclass(frozen=True)
class _Answer:
    """The result of a probe or of a listing, valid until the monotonic clock says ``until``."""

    until: float
    endpoint: Endpoint | None = None
    error: str = ""
    names: tuple[str, ...] = ()


_lock = threading.Lock()
_answers: dict[tuple[str | None, str], _Answer] = {}  # by base URL and model name; the listing under ""
_chats: dict[tuple[str | None, str], tuple[float, bool | None]] = {}  # until when, and the answer


def open_endpoint(spec: ModelSpec) -> Endpoint:
    """Probe the model of ``spec`` now, to score with it; refuse another model than ``spec`` describes."""
    with connect(spec.name) as server:
        endpoint = _describe(spec.name, probe(server))
    _remember(endpoint)
    if endpoint.spec.identity != spec.identity:
        raise ModelError(
            f"The model {spec.name} has changed since it was requested (then {spec.identity}, now "
            f"{endpoint.spec.identity}), so the endpoint now serves something else: start the run again."
        )
    return endpoint


def resolve_endpoint(name: str) -> ModelSpec:
    """Return the specification of ``endpoint:SERVED-NAME``, to score it.

    The server is probed once in a while.  Where it does not answer now, the specification is that of the last
    answer, so that earlier scores can still be read.
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
    """Return the specification of ``endpoint:SERVED-NAME`` for writing texts, without asking the server.

    ``chat``: whether the prompt is a user's message, not a text to go on from.
    """
    served, url = name.removeprefix(PREFIX), _url(name)
    if not is_name(served):
        raise ModelError(
            f"{name!r} is not the name of a served model: write {PREFIX} followed by a name "
            "that the server lists."
        )
    return _unpinned(
        name,
        url,
        identity=f"{UNPINNED}:{url}",
        chat_template=CHAT if chat else "",
        title=f"{served} behind {url}",
        notes=f"{UNPROVEN}.",
    )


def resolve_inspected(name: str) -> ModelSpec:
    """Return the specification of a model whose texts came in a log of Inspect, by its name.

    The store says whether there are any texts of it.
    """
    model, day = split_inspected(name)
    return _unpinned(
        name,
        path="",
        identity=f"{UNPINNED}:inspect",
        chat_template=CHAT,
        kind="imported",
        title=f"{model}, asked by Inspect on {day}",
        notes="Unpinned: nothing proves which weights the provider ran.",
    )


def offers_chat(name: str) -> bool:
    """Tell whether the server answers messages to the model, by asking for a short one."""
    with _server(name, min(settings().endpoint_timeout, FIRST_PATIENCE), ()) as server:
        try:
            find_form(server, chat=True, draws=False)
        except RequestRefusedError as refusal:
            if refusal.status in (401, 403):
                raise
            return False
    return True


def known_chat(name: str) -> bool | None:
    """Tell whether the server answers messages to the model; ``None`` where it does not tell.

    The server is asked once in a while.

    Raises
    ------
    ModelError
        No endpoint is set.
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
    """Count the tokens of each prompt with the server's tokenizer; None where it does not tell."""
    with _server(name, min(settings().endpoint_timeout, AGAIN_PATIENCE), ()) as server:
        try:
            first = server.tokenise(prompts[:1], special=True)
            return [len(ids) for ids in (*first, *server.tokenise(prompts[1:], special=True))]
        except ScoringError:
            return None


def connect(name: str) -> Server:
    """Connect to the model's server with the operator's time limits; the result is a context manager."""
    return _server(name, settings().endpoint_timeout, PAUSES)


def survey_endpoint() -> Iterator[ModelSpec | LeftOut]:
    """Yield the served models, if an endpoint is set; one not probed yet has the identity ``unpinned``."""
    if settings().endpoint_url is None:
        return
    listing = _fresh("") or _list()
    if listing.error:
        yield LeftOut(name=f"{PREFIX}…", reason=listing.error)
    for name in listing.names[:MOST_LISTED]:
        answer = _fresh(name)
        if answer is not None and answer.endpoint is not None:
            yield answer.endpoint.spec
        elif answer is not None:
            yield LeftOut(name=name, reason=answer.error)
        else:
            yield _remembered().get(name) or _unpinned(
                name,
                str(settings().endpoint_url),
                title=name,
                notes="The abilities of the server are tested when the model is first used.",
            )
    if len(listing.names) > MOST_LISTED:
        yield LeftOut(
            name=f"{PREFIX}…",
            reason=f"The endpoint has {len(listing.names) - MOST_LISTED} more models; type the name of "
            "one to use it.",
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
            f"The model {name!r} belongs to an endpoint, but no endpoint is set: set PCF_ENDPOINT_URL to the "
            "base address of an OpenAI-compatible server, such as http://localhost:8000/v1."
        )
    return url


@lru_cache(maxsize=8)
def _rate_limit(url: str, per_minute: int) -> RateLimit:
    """Return the rate limit that all connections of this process to a server share."""
    return RateLimit(per_minute)


def _server(name: str, timeout: float, pauses: tuple[float, ...]) -> Server:
    """Connect to the server to use a model the operator allows, or to list the models (empty ``name``)."""
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
        rate_limit=_rate_limit(url, settings().endpoint_per_minute),
    )


def _describe(name: str, findings: Findings) -> Endpoint:
    url = str(settings().endpoint_url)
    facts = [findings.shape, findings.context, findings.root, findings.takes_ids, findings.opening]
    tokens = findings.reading.labels
    spec = _unpinned(
        name,
        url,
        identity=f"{UNPINNED}:{digest([url, name, facts, tokens])}",
        tokenizer=f"{UNPINNED}:{digest(tokens)}",
        context=findings.context,
        title=f"{findings.root} behind {url}",
        notes=f"{UNPROVEN}. Their number and their precision are the server's own.",
    )
    return Endpoint(spec, findings)


def _unpinned(name: str, path: str, **facts: Any) -> ModelSpec:
    """Return a specification with these facts of a model that nothing pins."""
    own = {"identity": UNPINNED, "tokenizer": UNPINNED, **facts}
    return ModelSpec(name=name, family="endpoint", path=path, dtype="server", **own)


def _fresh(name: str) -> _Answer | None:
    with _lock:
        answer = _answers.get((settings().endpoint_url, name))
    return answer if answer is not None and time.monotonic() < answer.until else None


def _keep(name: str, answer: _Answer) -> _Answer:
    with _lock:
        _answers[settings().endpoint_url, name] = answer
    return answer


def _remember(endpoint: Endpoint) -> _Answer:
    """Store a probed model for this process and, if the cache can be written, for later ones."""
    spec, remembered = endpoint.spec, _remembered()
    if remembered.get(spec.name) != spec:
        document = {name: one.model_dump() for name, one in {**remembered, spec.name: spec}.items()}
        with suppress(OSError):
            _file().parent.mkdir(parents=True, exist_ok=True)
            draft, path = tempfile.mkstemp(dir=_file().parent, prefix=_file().name)
            with os.fdopen(draft, "w", encoding="utf8") as file:
                json.dump(document, file, ensure_ascii=False, indent=1)
            Path(path).replace(_file())
    return _keep(spec.name, _Answer(time.monotonic() + FOUND_SECONDS, endpoint=endpoint))


def _remembered() -> Mapping[str, ModelSpec]:
    """Return the models that any process has probed behind an endpoint, by name."""
    try:
        document = json.loads(read_file(_file()))
        return {name: ModelSpec(**fields) for name, fields in document.items()}
    except (OSError, ValueError, TypeError, AttributeError, ValidationError):
        return {}  # never written, or by another version: the next probe writes it anew


def _file() -> Path:
    return settings().cache / "endpoints.json"
