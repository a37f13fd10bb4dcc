"""Read an Inspect log of one of our tasks, without Inspect and without trusting it.

    .eval   a ZIP of JSON files: header.json, and samples/<id>_epoch_<epoch>.json for each text
    .json   the same in one file, with the samples in a list

Inspect compresses with Zstandard, which Arrow unpacks and this Python's ``zipfile`` does not.  Sizes are
limited before and during unpacking, and only the typed fields below are read.  Every text must be one that
the task requests, drawn with the task's decoding and that text's seed and no other option that changes texts.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pcf_core.core.errors import GenerationError, InspectLogError
from pcf_core.core.generation import Decoding, End, Generated
from pcf_core.core.records import first_problem
from pcf_core.material.safety.other_tools import refuse_results
from pcf_core.models.completions import LONGEST_TOKEN
from pcf_core.models.names import LONGEST, is_provided
from pcf_core.texts.inspected.asking import METADATA, AnyTask, Message, Task

LARGEST = 256 * 2**20  # bytes of a log
LARGEST_JSON = 64 * 2**20  # of a log in one JSON file, which is read at once
LARGEST_ENTRY = 4 * 2**20  # of one unpacked entry
LARGEST_UNPACKED = 2 * 2**30  # of all entries
LARGEST_TEXTS = 256 * 2**20  # characters of all texts
MOST_SAMPLES = 200_000
MOST_ENTRIES = MOST_SAMPLES + 1_000
HEADER, SAMPLES = "header.json", "samples/"
PACK = b"manifest.json"  # the first entry of a pack of runs, never of a log
STORED, DEFLATED, ZSTANDARD = 0, 8, 93  # compression types
DIRECTORY = b"PK\x01\x02"  # signature of an entry in the central directory
HEAD = 30  # bytes before the name of an entry
SCHEMA = 2  # version of Inspect's logs
SERVED = re.compile(r"[\w./@:+~-]{1,200}", re.ASCII)
RUN = "^[A-Za-z0-9_-]{1,64}$"
AGAIN = "run the task again, or inspect eval-retry"
# Options that may be set in addition: retries, timeouts, and how a model reasons.  Others change the texts.
BESIDE = frozenset(
    {
        *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
        *("adaptive_connections", "cache_prompt", "cache", "batch", "fail_on_refusal", "max_tool_output"),
        *("internal_tools", "parallel_tool_calls", "logprobs", "top_logprobs", "verbosity"),
        *("effort", "reasoning_effort", "reasoning_mode", "reasoning_tokens", "reasoning_summary"),
        "reasoning_history",
    }
)
BROKEN = (  # what json, zipfile, zlib and Arrow raise for broken files
    *(ValueError, KeyError, TypeError, OSError, OverflowError, RecursionError, NotImplementedError),
    *(struct.error, zlib.error, zipfile.BadZipFile, pa.ArrowException),
)
ENDS: Mapping[str, End] = {"max_tokens": "length", "model_length": "length", "content_filter": "refused"}

Read = TypeVar("Read", bound="_Part")


class _Part(BaseModel):
    """A part of a log; other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Spec(_Part):
    eval_id: str = Field(pattern=RUN)
    created: datetime
    model: str = Field(max_length=LONGEST)
    metadata: dict[str, Any] | None = None


class _Header(_Part):
    version: int
    status: str = Field(max_length=20)
    eval: _Spec


class _Whole(_Header):
    samples: list[dict[str, Any]] = Field(max_length=MOST_SAMPLES)


class _Content(_Part):
    type: str = ""
    text: str = ""


class _Message(_Part):
    role: str
    content: str | list[_Content]

    @property
    def text(self) -> str:
        """The text of the message, without a model's reasoning."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if part.type == "text")


class _Choice(_Part):
    message: _Message
    stop_reason: str = "unknown"


class _Usage(_Part):
    output_tokens: int = Field(0, ge=0, lt=2**31)


class _Output(_Part):
    model: str = ""
    choices: list[_Choice] = Field([], max_length=1)
    usage: _Usage | None = None
    fallback: Any = None


class _Event(_Part):
    event: str = ""
    config: Any = None


class _Sample(_Part):
    id: str | int
    epoch: int = Field(ge=1)
    input: str | list[_Message]
    output: _Output
    error: Any = None
    events: list[_Event]


@dataclass(frozen=True)
class InspectLog:
    """A checked log.

    ``model``: with its provider, as Inspect names it; ``served``: the provider's own names for it, sorted;
    ``texts``: all of each message; ``thinking``: the reasoning options that were set.
    """

    task: AnyTask
    model: str
    served: tuple[str, ...]
    created: datetime
    eval_id: str
    texts: Mapping[Message, Generated]
    thinking: Mapping[str, Any]

    @property
    def day(self) -> str:
        """The day on which the log was begun, in UTC."""
        return self.created.date().isoformat()


def is_log(data: bytes) -> bool:
    """Tell whether a file may be an Inspect log rather than a pack of runs."""
    if data[:4] == b"PK\x03\x04":
        return data[HEAD : HEAD + len(PACK)] != PACK
    return data[:64].lstrip()[:1] == b"{"


def read_log(data: bytes) -> InspectLog:
    """Read a log and check every part that is used; raises InspectLogError."""
    if len(data) > LARGEST:
        raise InspectLogError(
            f"A log may have at most {LARGEST // 2**20} MiB, and this one is larger: request fewer texts at "
            "once."
        )
    try:
        if data[:4] == b"PK\x03\x04":
            if data.count(DIRECTORY) > MOST_ENTRIES:  # before objects are made
                raise ValueError("it has too many entries")
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                entries = _Entries(data, archive)
                return _checked(_read(_Header, entries.json(HEADER), HEADER), entries.samples())
        if len(data) > LARGEST_JSON:
            raise ValueError(f"as JSON it may have at most {LARGEST_JSON // 2**20} MiB: save it as .eval")
        whole = _read(_Whole, json.loads(data), "it")
        return _checked(whole, iter(whole.samples))
    except BROKEN as error:
        refuse_results(data, "This file", InspectLogError)
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise InspectLogError(
            f"This file cannot be read as an Inspect log ({reason}): give the .eval file of a PCF Audit "
            "task, or the output of inspect log dump for it."
        ) from error


class _Entries:
    def __init__(self, data: bytes, archive: zipfile.ZipFile) -> None:
        self.data = data
        self.left = LARGEST_UNPACKED
        infos = archive.infolist()
        if len({info.filename for info in infos}) < len(infos):
            raise ValueError("it has the same entry twice")
        self.infos = {info.filename: info for info in infos}

    def json(self, name: str) -> Any:
        """Read one entry as JSON."""
        if name not in self.infos:
            raise ValueError(f"it has no {name}: it is not finished, or not a log")
        return json.loads(self.unpacked(self.infos[name]))

    def samples(self) -> Iterator[Any]:
        """Yield the samples."""
        for name in self.infos:
            if name.startswith(SAMPLES):
                if name.count("/") > 1:
                    raise ValueError("its samples are split: convert it with inspect log convert --to json")
                yield self.json(name)

    def unpacked(self, info: zipfile.ZipInfo) -> bytes:
        """Unpack an entry, up to its stated size and the limit."""
        largest = min(LARGEST_ENTRY, self.left)
        if info.file_size > largest or info.compress_size > len(self.data):
            raise ValueError("an entry is too large")
        head = self.data[info.header_offset : info.header_offset + HEAD]
        if len(head) < HEAD or head[:4] != b"PK\x03\x04" or info.flag_bits & 1:
            raise ValueError("an entry does not begin at its stated position, or is encrypted")
        start = (
            info.header_offset + HEAD + sum(int.from_bytes(head[at : at + 2], "little") for at in (26, 28))
        )
        packed = self.data[start : start + info.compress_size]
        if info.compress_type == STORED:
            data = packed[: info.file_size + 1]
        elif info.compress_type == DEFLATED:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)
        elif info.compress_type == ZSTANDARD:
            with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
                data = stream.read(info.file_size + 1)
        else:
            raise ValueError("an entry is compressed in an unknown way")
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise ValueError("an entry does not have its stated length, or was changed")
        self.left -= len(data)
        return data


def _read(kind: type[Read], value: Any, name: str) -> Read:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        problem = first_problem(error)  # without the value, which may be anybody's text
        raise ValueError(f"{name}: {problem.where[:100] or 'it'} {problem.wanted[:100]}") from error


def _checked(header: _Header, samples: Iterator[Any]) -> InspectLog:
    spec = header.eval
    if header.version != SCHEMA:
        raise ValueError(f"its format version is {header.version}, but only {SCHEMA} can be read")
    if METADATA not in (spec.metadata or {}):
        raise ValueError("it was not made by a PCF Audit task")
    if header.status != "success":
        raise InspectLogError(f"This Inspect log is not finished: {AGAIN}, and import the new log.")
    if not is_provided(spec.model):
        raise ValueError("the name of its model has characters that are not allowed")
    if spec.created.tzinfo is None:
        raise ValueError("its time has no time zone")
    try:
        task: AnyTask = TypeAdapter(Task).validate_python((spec.metadata or {})[METADATA])
    except ValidationError as error:
        raise ValueError(f"its task: {first_problem(error).where[:100]} cannot be used") from error
    except GenerationError as error:  # impossible decoding options
        raise ValueError(f"its task: {error}") from error
    texts = _Texts(task)
    for number, sample in enumerate(samples, start=1):
        if number > MOST_SAMPLES:
            raise ValueError("it has too many samples")
        texts.add(_read(_Sample, sample, "a sample"))
    return InspectLog(
        task=task,
        model=spec.model,
        served=tuple(sorted(texts.served)),
        created=spec.created.astimezone(UTC),  # OverflowError for impossible dates
        eval_id=spec.eval_id,
        texts=texts.whole(),
        thinking=texts.thinking,
    )


class _Texts:
    def __init__(self, task: AnyTask) -> None:
        self.task = task
        self.texts: dict[Message, dict[int, tuple[str, End, int]]] = {}
        self.served: set[str] = set()
        self.size = 0
        self.thinking: dict[str, Any] = {}

    def add(self, sample: _Sample) -> None:
        """Check and store one text."""
        message, index = _message_of(sample), sample.epoch - 1
        if sample.id != message.id or index >= self.task.count:
            raise ValueError("a sample has a prompt that the task does not have")
        if sample.error is not None or not sample.output.choices:
            raise InspectLogError(
                f"This Inspect log has an error instead of a text for the message “{message.prompt[:60]}”: "
                f"{AGAIN}, and import the new log."
            )
        if sample.output.fallback is not None:
            raise ValueError("another model answered than the log names")
        self._check_drawn(sample, message, index)
        own = self.texts.setdefault(message, {})
        if index in own:
            raise ValueError("it has the same text twice")
        own[index] = _text_of(sample.output, self.task.decoding)
        self.size += len(own[index][0])
        if self.size > LARGEST_TEXTS:
            raise ValueError("its texts together are too long")
        if SERVED.fullmatch(sample.output.model):
            self.served.add(sample.output.model)

    def _check_drawn(self, sample: _Sample, message: Message, index: int) -> None:
        calls = [event.config for event in sample.events if event.event == "model"]
        if not calls or not all(isinstance(call, dict) for call in calls):
            raise ValueError("a sample does not record how its text was drawn")
        decoding = self.task.decoding
        request = {
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "max_tokens": decoding.length,
            "seed": message.seed(decoding, index),
        }
        for call in calls:
            if any(call.get(name) != value for name, value in request.items()):
                raise ValueError("a text was drawn with other settings than the task uses")
            beside = {name for name, value in call.items() if value is not None} - set(request)
            if not beside <= BESIDE:
                name = sorted(beside - BESIDE)[0]
                raise ValueError(
                    f"the option {name if name.isidentifier() else 'of a model'} was set, which changes texts"
                )
            own = {name: call[name] for name in sorted(beside) if "effort" in name or "reasoning" in name}
            if not all(isinstance(value, str | int) and len(str(value)) <= 40 for value in own.values()):
                raise ValueError("a reasoning setting in it is neither a word nor a number")
            if self.texts and own != self.thinking:
                raise ValueError("its texts were drawn with different settings")
            self.thinking = own

    def whole(self) -> dict[Message, Generated]:
        """Return all texts; InspectLogError if any is missing."""
        lacking = Counter({message: self.task.count - len(own) for message, own in self.texts.items()})
        if not self.texts or lacking.total():
            raise InspectLogError(
                f"This Inspect log lacks {lacking.total():,} texts; each message needs {self.task.count:,}: "
                f"{AGAIN} without --limit and --epochs, and import the new log."
            )
        whole = {}
        for message, own in self.texts.items():
            texts, ends, tokens = zip(*(own[index] for index in range(self.task.count)), strict=True)
            whole[message] = Generated(message.prompt, 0, texts, ends, tokens)
        return whole


def _message_of(sample: _Sample) -> Message:
    if isinstance(sample.input, str):
        return Message("", sample.input)
    roles = [message.role for message in sample.input]
    if roles not in (["user"], ["system", "user"]):
        raise ValueError("a sample has other messages than the task")
    return Message(sample.input[0].text if len(roles) > 1 else "", sample.input[-1].text)


def _text_of(output: _Output, decoding: Decoding) -> tuple[str, End, int]:
    """Return a text, how it ended, and its number of tokens (0 if not counted)."""
    choice = output.choices[0]
    text, tokens = choice.message.text, 0 if output.usage is None else output.usage.output_tokens
    text.encode()  # lone surrogates raise UnicodeEncodeError, a ValueError
    if len(text) > decoding.length * LONGEST_TOKEN:
        raise ValueError("a text is longer than requested")
    if choice.message.role != "assistant":
        raise ValueError("a text was not written by a model")
    end = ENDS.get(choice.stop_reason, "stop")
    return text, end if text.strip() or end == "refused" else "empty", tokens


def check_messages(several: Sequence[Message], log: InspectLog) -> None:
    """Raise InspectLogError if the log has other messages."""
    if set(several) != set(log.texts):
        missing = len(set(several) - set(log.texts))
        raise InspectLogError(
            f"This Inspect log does not have the {len(several):,} messages of its task ({missing:,} are "
            f"missing): {AGAIN} without --limit and --sample-id, and import the new log."
        )
