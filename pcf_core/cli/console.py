"""Output, options and queueing that several commands share."""

from __future__ import annotations

import inspect
import json
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.frame import Frame, Frames
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import Option, declared, read_options, with_parameters
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec, Protocol
from pcf_core.core.settings import settings
from pcf_core.core.topics import Topic
from pcf_core.material.safety.reading import read_text
from pcf_core.models.frames import rendered_chat
from pcf_core.models.names import PRECISIONS, in_precision
from pcf_core.models.registry import resolve_to_score
from pcf_core.show.findings.notes import text_frame_note
from pcf_core.store.journal import Did, Journal
from pcf_core.store.store import Store
from pcf_core.work.launch import ensure_worker
from pcf_core.work.people import TERMINAL
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import Material, Result, TextAudit, TextRequest

REDRAW_SECONDS, LINE_SECONDS = 0.1, 5.0  # of progress, on a terminal and elsewhere


def say(message: str) -> None:
    """Write progress and messages to stderr."""
    typer.echo(message, err=True)


@contextmanager
def progress_line(clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """Show progress on stderr: one line that is rewritten on a terminal, otherwise a line from time to time.

    The first and the last state are always shown, and as many in between as a person can read.
    """
    terminal = sys.stderr.isatty()
    patience = REDRAW_SECONDS if terminal else LINE_SECONDS
    shown_at, seen, latest, width = -math.inf, "", "", 0

    def write() -> None:
        nonlocal shown_at, seen, width
        if terminal:
            line = latest[: max(1, shutil.get_terminal_size().columns - 1)]
            typer.echo(f"\r{line.ljust(width)}", err=True, nl=False)
            width = len(line)
        else:
            typer.echo(latest, err=True)
        shown_at, seen = clock(), latest

    def show(state: str) -> None:
        nonlocal latest
        latest = state
        if latest != seen and clock() - shown_at >= patience:
            write()

    try:
        yield show
    finally:
        if latest != seen:
            write()
        if seen and terminal:
            say("")


def counted(show: Callable[[str], None], work: str, unit: str) -> Callable[[int, int, float], None]:
    """Return a function that shows progress, such as "mini-gpt: 3 of 16 texts, 1.2/s"."""
    return lambda done, total, rate: show(f"{work}: {done:,} of {total:,} {unit}, {rate:,.1f}/s")


def give(document: Any, as_json: bool, lines: Callable[[], Sequence[str]]) -> None:
    """Write data to stdout: JSON if requested or piped, readable lines on a terminal."""
    if as_json or not sys.stdout.isatty():
        typer.echo(json_text(document))
    else:
        typer.echo("\n".join(lines()))


def one_or_all(documents: Sequence[Any]) -> Any:
    """Return the document of one model alone, or those of several as a list."""
    return documents[0] if len(documents) == 1 else documents


def json_text(document: Any) -> str:
    """Write data as JSON, in which NaN is refused."""
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def one_of(value: str, option: str, allowed: Sequence[str]) -> Any:
    """Return the value if it is allowed, else raise InputError with a sentence that lists what is."""
    if value not in allowed:
        raise InputError(f"{option} must be one of {', '.join(allowed)}; got {value!r}.")
    return value


def record(did: Did, what: str, name: str) -> None:
    """Record in the journal what this command did; print a message if the cache cannot be written."""
    try:
        Journal(settings().cache).add(TERMINAL.signature, did, what, name)
    except StoreError as error:
        say(f"The journal could not be updated: {error}")


def must_record() -> None:
    """Raise StoreError if an action could not be recorded in the journal."""
    Journal(settings().cache).check_writable()


def open_store() -> Store:
    """Open the store of the settings."""
    return Store.open(settings().cache, settings().results, settings().scores)


# Options that several commands share, each written once.


ModelOption = Annotated[
    list[str], typer.Option("--model", help="a shipped name, a directory, or a hub id; may be repeated")
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="auto, float32, bfloat16 or float16")]
JsonOption = Annotated[bool, typer.Option("--json", help="write JSON even to a terminal")]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="only show how much work it is and how long it takes")
]
QueueOption = Annotated[bool, typer.Option("--queue", help="let a worker do the work, and return at once")]
TopicOption = Annotated[
    str, typer.Option("--topic", help="a shipped name, a file, or a folder with a text file for each group")
]
TemplatesOption = Annotated[str, typer.Option("--templates", help="a shipped name or a file")]
EvidenceOption = Annotated[str, typer.Option("--evidence", help="a shipped name or a file")]
ProtocolOption = Annotated[
    str, typer.Option("--protocol", help="exact, exact-boundary, single-token, equal-tokens or fitting")
]
EngineOption = Annotated[
    str, typer.Option("--engine", help="local, or ray: a cluster, or all GPUs of this computer")
]


def to_score(names: Sequence[str], dtype: str) -> list[ModelSpec]:
    """Return the models whose words are to be scored, in the precision of ``--dtype``."""
    precision = one_of(dtype, "--dtype", PRECISIONS)
    return [in_precision(resolve_to_score(name), precision) for name in names]


def protocol_named(text: str) -> Protocol:
    """Return the protocol of ``--protocol``."""
    protocol: Protocol = one_of(text, "--protocol", get_args(Protocol))
    return protocol


def frames_of(options: Frames, topic: Topic | None = None) -> tuple[Frame, ...]:
    """Return the frames of a request about a topic, with the texts of the files that ``--system`` names."""
    options = options if topic is None else options.about(topic)
    return options.model_copy(update={"system": tuple(map(text_or_file, options.system))}).each


def text_or_file(text: str) -> str:
    """Return a text, or that of the file which it names."""
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or a null byte
        is_file = False
    return read_text(Path(text), InputError) if is_file else text


def say_chat(spec: ModelSpec, key: GenerationKey) -> None:
    """Write the chat around the prompts of a frame; ModelError if the model's template cannot write it."""
    if (chat := rendered_chat(spec, key.frame)) is not None:
        say(text_frame_note(spec.name, chat, begins=key.begins_answer))


def check_one_way(*, estimate: bool, queue: bool) -> None:
    """Raise InputError if both ``--estimate`` and ``--queue`` are given."""
    if estimate and queue:
        raise InputError(
            "--estimate shows the cost without doing the work, and --queue does the work: "
            "give only one of them."
        )


def option_of(one: Option) -> Any:
    """Return the command line's option for a declared field."""
    return typer.Option(one.flag, help=one.spec.usage)


def _parameter(one: Option, default: Any) -> inspect.Parameter:
    """Return a command's parameter for a declared field; several values come as a list, or as ``None``."""
    several = one.type is tuple
    kind: Any = list[str] if several else one.type
    if several or one.optional:
        kind = kind | None
    annotation = Annotated[kind, option_of(one)]
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=None if several else default, annotation=annotation
    )


def with_options(
    kind: type[Record], replaced: str = "options"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what gives a command an option for each field of ``kind`` in place of its ``replaced``."""

    def read(given: dict[str, Any]) -> Record:
        several = {name for name, one in declared(kind).items() if one.type is tuple}
        return read_options(
            kind, {name: value for name, value in given.items() if value or name not in several}
        )

    return lambda command: with_parameters(command, replaced, parameters_of(kind), read)


def parameters_of(kind: type[Record]) -> list[inspect.Parameter]:
    """Return a command's parameters for the fields of a record that are options of commands."""
    return [_parameter(one, one.default) for one in declared(kind).values() if one.spec.usage]


@dataclass(frozen=True)
class View:
    """How runs are to be read, as it was given: a text for each field of ``kind``.

    One whose default is what the run says is empty where nothing was given.
    """

    kind: type[ViewOptions]
    given: Mapping[str, str]

    @property
    def protocol(self) -> str:
        """The protocol that was given; empty for that of each run."""
        return self.given["protocol"]

    @property
    def flags(self) -> list[str]:
        """The options that were given another value than the one they have without being named."""
        return [
            one.flag
            for name, one in declared(self.kind).items()
            if self.given[name] != ("" if one.spec.of_run else one.default)
        ]

    def options(self) -> ViewOptions:
        """Return the view options, with the default of pages where nothing was given."""
        of_run = {name for name, one in declared(self.kind).items() if one.spec.of_run}
        return read_options(
            self.kind, {name: text for name, text in self.given.items() if text or name not in of_run}
        )


def with_view(command: Callable[..., None], kind: type[ViewOptions] = ViewOptions) -> Callable[..., None]:
    """Return a command with an option for each field of ``kind`` in the place of its parameter ``view``."""
    fields = declared(kind).values()
    parameters = [_parameter(one, "" if one.spec.of_run else one.default) for one in fields]
    return with_parameters(command, "view", parameters, lambda given: View(kind, given))


# What audits of written texts give in the same way.


ESTIMATED = ("tokens", "prompt_tokens", "cost", "seconds", "basis")  # of every audit's estimate


def give_queued(
    store: Store,
    audit: TextAudit[TextRequest, Material, Result],
    several: Iterable[tuple[TextRequest, Material]],
    as_json: bool,
) -> None:
    """Queue one job for each model."""
    waiting = Queue.open(settings().catalogue)
    documents, lines = [], []
    for request, material in several:
        job = audit.submit(store, waiting, request, material)
        say(f"queued as job {job.id}; run {audit.kind} again without --queue to see its result")
        documents.append({"asked": request.hash, "model": job.payload["model"], "job": job.id})
        lines.append(f"{request.hash}  {job.payload['model']}  job {job.id}")
    ensure_worker(settings())
    give(one_or_all(documents), as_json, lambda: lines)


def takes_text(document: Mapping[str, Any]) -> str:
    """Print the estimated time and cost, if known, and how they were estimated."""
    return (
        (f", {document['seconds']:,.0f} s" if document["seconds"] is not None else "")
        + (f", cost {document['cost']:,.2f} at most" if document["cost"] is not None else "")
        + f"  {document['basis']}"
    )
