"""Models behind an endpoint, named ``endpoint:SERVED-NAME``: described, cached, and opened.

The server's address and key are settings, never part of a name.  Nothing pins what a server runs: the
identity of a scored model is a digest of address, served name and probe results, marked ``unpinned``; that of
a writer is the address.  What the server can do is tested, not guessed.
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
from pcf_core.models.completions import (
    Choosing,
    RequestForm,
    Server,
    Shape,
    TokenScores,
    find_form,
    is_name,
    listed_by,
    settle_form,
)
from pcf_core.models.connection import PAUSES, RateLimit
from pcf_core.models.names import ENDPOINT, require_allowed, split_inspected

# The probe.


TEXT = "The nurse said that she was here, and the engineer told us that he knew it."
START = "The nurse said that"
# Texts with the same first 16 tokens, which vLLM's prefix cache shares (vllm#42019).
SHARED = tuple(f"{TEXT} {rest}" for rest in ("They went home.", "Nobody had called.", "It was late."))
WEIGHTS = ", or score its weights on this computer"
CACHE_OFF = "start vLLM with --no-enable-prefix-caching, then try again"
AGREES = 0.25  # nats per token; a bfloat16 server differs from itself by less
SPREAD = 0.01  # nats; closer values say nothing about the tokens
WORST_BEST = -math.log(1e6)  # the most probable of a million tokens has at least this
LONGEST_OPENING = 4
UNDECODED = "\N{REPLACEMENT CHARACTER}"  # part of a character
LONGEST_SPELLING = 32  # characters per character of the text: a byte may be <0xE2>
LARGEST_CONTEXT = 2**31  # tokens; larger numbers mean no limit


@dataclass(frozen=True)
class Findings:
    """The results of the probe.

    ``opening``: labels of the tokens that the server puts before a text.  ``takes_ids``: whether it reads
    token ids and tokenises texts.  ``context``: tokens it takes, 0 if unknown.  ``root``: its name of the
    model.  ``reading``: of ``TEXT``.  ``noise``: largest difference of two readings, in nats.  ``chooses``:
    how it gives log-probabilities of chosen tokens, which no key depends on.
    """

    shape: Shape
    opening: tuple[int | str, ...]
    takes_ids: bool
    context: int
    root: str
    reading: TokenScores
    noise: float
    chooses: Choosing = ""

    @property
    def nats(self) -> float:
        """Log-probability of ``TEXT`` after its first token."""
        return math.fsum(self.reading.nats[1:])


def probe(server: Server) -> Findings:
    """Request the log-probabilities of a text, twice, and of its beginning.

    They must be at most 0, differ from token to token, be the same twice, and not depend on later text; some
    servers return the same for any text.  Raises ModelError otherwise.
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
            noise = max(require_sense(first, second, start), _require_order(server, shape))
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
                chooses=_chooses(server, first, len(start.labels)),
            )
    detail = server.without_key("; ".join(dict.fromkeys(reasons)))
    instead = WEIGHTS if all("does not answer" in reason for reason in reasons) else _instead(server)
    raise ModelError(
        f"The endpoint {server.url} gives no usable log-probabilities of prompt tokens for {server.name}: "
        f"serve the model with vLLM{instead} ({detail})."
    )


def require_sense(first: TokenScores, second: TokenScores, start: TokenScores) -> float:
    """Check readings of ``TEXT``, of it again, and of its beginning; return their largest difference in nats.

    Raises ScoringError for readings that no language model gives.
    """
    if not _opening(first) and not any(spells(first.texts[1:], TEXT[cut:]) for cut in range(1, len(START))):
        spelled = shorten("".join(first.texts), 120, placeholder=" …")
        raise ScoringError(f"Reading {TEXT!r}, it returned tokens that spell {spelled!r}.")
    values = first.nats[1:]
    if math.isinf(max(values)):  # hence −∞
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
            f"{noise:.3g} nats per token; if it is vLLM, {CACHE_OFF}."
        )
    return noise


def _require_order(server: Server, shape: Shape) -> float:
    """Read texts with the same beginning in two orders; return their largest difference in nats.

    Raises ModelError if the order matters.
    """
    one, other = (
        dict(zip(texts, server.read(texts, shape), strict=True)) for texts in (SHARED, SHARED[::-1])
    )
    apart = max(difference(one[text], other[text]) for text in SHARED)
    if apart > AGREES:
        raise ModelError(
            f"The endpoint {server.url} gives other log-probabilities for {server.name} if the same texts "
            f"come in another order (by {apart:.3g} nats per token): {CACHE_OFF}."
        )
    return apart


def _instead(server: Server) -> str:
    """Say what can be done with a server that gives no log-probabilities of prompts."""
    texts = "or audit its texts with FairPair or the criteria"
    if server.ranks_generated():
        return f"; here it gives only those of tokens that it generates, so sample it (--samples), {texts}"
    with suppress(AuditError):
        settle_form(server, RequestForm(chat=True))
        return f"; here it only answers chats, so sample it (--samples with --chat), {texts}"
    return WEIGHTS


def difference(short: TokenScores, long: TokenScores) -> float:
    """Return the largest difference in nats per token; infinite if ``long`` begins with other tokens."""
    if long.labels[: len(short.labels)] != short.labels:
        return math.inf
    pairs = zip(short.nats[1:], long.nats[1:], strict=False)
    return max((abs(a - b) for a, b in pairs if a != b), default=0.0)  # also equal if both are −∞


def spells(tokens: Sequence[str], text: str) -> bool:
    """Tell whether the tokens' texts make up a text, ignoring white space and case.

    Tokens decoded one by one lose spaces (SentencePiece), and characters of several tokens become �.
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
    for part in between:  # as early as possible, a character after the last
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
    """Tell whether texts are tokenised consistently, and token ids are read."""
    try:
        (ids,) = server.tokenise([TEXT], special=True)
        (again,) = server.read([ids], "prompt_logprobs")
    except ScoringError:
        return False
    return ids == reading.labels == again.labels


def _chooses(server: Server, reading: TokenScores, length: int) -> Choosing:
    """Request the rest of ``TEXT`` behind its beginning of ``length`` tokens; return how that worked, if so.

    Servers that do not know the request ignore it, and return only the likeliest tokens, or another number.
    """
    with_ids = all(isinstance(label, int) for label in reading.labels)
    way: Choosing = "logprob_token_ids" if with_ids else "score"
    try:
        ids = reading.labels if with_ids else server.tokenise([TEXT], special=True)[0]
        tokens = tuple(int(token) for token in dict.fromkeys(ids[length:]))
        (nats,) = server.choose([START], tokens, way)
    except ScoringError:
        return ""
    agree = len(ids) == len(reading.labels) and abs(nats[0] - reading.nats[length]) <= AGREES
    return way if agree and sum(map(math.exp, nats)) <= 1 + SPREAD else ""


UNPINNED = "unpinned"
CHAT = "server"  # instead of a template's hash: the server applies its own
UNPROVEN = "Unpinned: nothing proves that the server runs the same weights tomorrow"
FOUND_SECONDS = 300.0  # validity of a probe in a process
LISTED_SECONDS = 60.0  # validity of a list of models, and of a failure
LIST_PATIENCE = 2.0  # seconds to wait for the list of models
FIRST_PATIENCE = 20.0  # seconds to wait for each answer to the probe of a new model
AGAIN_PATIENCE = 5.0  # the same for a model with cached results
MOST_LISTED = 50


@dataclass(frozen=True)
class Endpoint:
    """A model behind an endpoint that has just been probed."""

    spec: ModelSpec
    findings: Findings

    def server(self) -> Server:
        """Connect with the operator's time limits; a context manager."""
        return connect(self.spec.name)


@dataclass(frozen=True)
class _Answer:
    """The result of a probe or listing, valid until ``until`` (monotonic)."""

    until: float
    endpoint: Endpoint | None = None
    error: str = ""
    names: tuple[str, ...] = ()


_lock = threading.Lock()
_answers: dict[tuple[str | None, str], _Answer] = {}  # by base URL and model name ("" for the listing)
_listed: dict[tuple[str | None, str], tuple[float, int]] = {}  # expiry, and first tokens with messages
_chats: dict[tuple[str | None, str], tuple[float, bool | None]] = {}  # expiry and answer


def open_endpoint(spec: ModelSpec) -> Endpoint:
    """Probe the model of ``spec`` for scoring; ModelError if it is another model now."""
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
    """Return the specification of ``endpoint:SERVED-NAME`` for scoring, probing the server if needed.

    If it does not answer, the specification is that of the last answer, so that earlier scores can be read.
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
    """Return the specification of ``endpoint:SERVED-NAME`` for writing, without asking the server."""
    served, url = name.removeprefix(ENDPOINT), _url(name)
    if not is_name(served):
        raise ModelError(
            f"{name!r} is not the name of a served model: write {ENDPOINT} followed by a name "
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
    """Return the specification of a model whose texts came in an Inspect log, by its name."""
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
    """Tell whether the server answers messages to the model, by requesting a short one."""
    with _server(name, min(settings().endpoint_timeout, FIRST_PATIENCE), ()) as server:
        try:
            find_form(server, chat=True, draws=False)
        except RequestRefusedError as refusal:
            if refusal.status in (401, 403):
                raise
            return False
    return True


def known_chat(name: str) -> bool | None:
    """Tell whether the server takes messages, ``None`` if it does not say; ModelError without one."""
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


def known_listed(name: str) -> int:
    """Return how many of the likeliest first tokens the server lists with its messages, 0 if none."""
    key = _url(name), name
    with _lock:
        until, listed = _listed.get(key, (0.0, 0))
    if time.monotonic() < until:
        return listed
    lasts = FOUND_SECONDS
    with _server(name, min(settings().endpoint_timeout, FIRST_PATIENCE), ()) as server:
        try:
            listed = listed_by(server)
        except ScoringError:  # it does not answer, or takes no messages, which sampling will say
            listed, lasts = 0, LISTED_SECONDS
    with _lock:
        _listed[key] = time.monotonic() + lasts, listed
    return listed


def count_tokens(name: str, prompts: Sequence[str]) -> list[int] | None:
    """Count the tokens of each prompt with the server's tokenizer; ``None`` if it has none."""
    with _server(name, min(settings().endpoint_timeout, AGAIN_PATIENCE), ()) as server:
        try:
            first = server.tokenise(prompts[:1], special=True)
            return [len(ids) for ids in (*first, *server.tokenise(prompts[1:], special=True))]
        except ScoringError:
            return None


def connect(name: str) -> Server:
    """Connect to the model's server with the operator's time limits; a context manager."""
    return _server(name, settings().endpoint_timeout, PAUSES)


def survey_endpoint() -> Iterator[ModelSpec | LeftOut]:
    """Yield the served models, if an endpoint is set; one not probed yet has the identity ``unpinned``."""
    if settings().endpoint_url is None:
        return
    listing = _fresh("") or _list()
    if listing.error:
        yield LeftOut(name=f"{ENDPOINT}…", reason=listing.error)
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
            name=f"{ENDPOINT}…",
            reason=f"The endpoint has {len(listing.names) - MOST_LISTED} more models; type the name of "
            "one to use it.",
        )


def _list() -> _Answer:
    try:
        with _server("", LIST_PATIENCE, ()) as server:
            names = tuple(sorted(f"{ENDPOINT}{card['id']}" for card in server.models()))
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
    return RateLimit(per_minute)


def _server(name: str, timeout: float, pauses: tuple[float, ...]) -> Server:
    """Connect to the server for an allowed model, or to list the models (empty ``name``)."""
    url = _url(name)
    if name:
        require_allowed(name)
    return Server(
        url,
        name.removeprefix(ENDPOINT),
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
    """Cache a probed model in this process and, if possible, on disk."""
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
    try:
        document = json.loads(read_file(_file()))
        return {name: ModelSpec(**fields) for name, fields in document.items()}
    except (OSError, ValueError, TypeError, AttributeError, ValidationError):
        return {}  # missing, or of another version


def _file() -> Path:
    return settings().cache / "endpoints.json"
