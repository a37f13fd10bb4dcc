"""A pack: results in one file, with everything needed to read them without the models.

    manifest.json            format, who scored it, licence note, versions, size and SHA-256 of every part
    <run key>/run.json       model, topic, occupations, templates, plan, and what scored it
    <run key>/words.json     tokens of every word, and the words that the tokenizer refuses
    <run key>/scores.f32     nats, float32, little-endian: [prompt, accepted word]
    <run key>/left.f32       if stored, the same of the words given only the text to their left
    <request>/fairpair.json  a FairPair result, with prompts, table and texts
    <request>/criteria.json  a result of the criteria, with material, and texts or scores
    manifest.sig             if wanted, an SSH signature of manifest.json

A pack without text audits has version 1, with them version 2, with a ``left.f32`` version 3.  Rows of scores
are the run's prompts, first those with words within a sentence, then those that begin one
(:func:`pcf_core.audit.slots.by_writing`).  Prompts follow from the run and are not stored.

It is an uncompressed ZIP in this order with one fixed time, so that the same runs give the same bytes.
**Reading trusts nothing that a ZIP says of itself**: the parts are cut out by the sizes in the manifest, and
the archive put together again must be the same, byte by byte.  So no path, link, second entry, comment or
unchecked byte can do harm.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

import pcf_core
from pcf_core.audit.preferences import is_left_only
from pcf_core.audit.results import is_unchecked
from pcf_core.audit.slots import by_writing, left_of, stored_prompt
from pcf_core.core.errors import InputError, PackError, RunError
from pcf_core.core.families import FAMILIES
from pcf_core.core.generation import GenerationKey
from pcf_core.core.records import FloatArray, Record, first_problem
from pcf_core.core.run import RunSpec, ScoringKey, SelfAudit, TokenTable, scored_as
from pcf_core.material.evidence import make_evidence
from pcf_core.material.safety.other_tools import refuse_results
from pcf_core.material.safety.text import check_text
from pcf_core.material.template_files import Row
from pcf_core.material.templates import make_templates
from pcf_core.material.topics import make_topic
from pcf_core.measure.sampling import draw_templates
from pcf_core.report.documents import json_bytes
from pcf_core.report.files import zip_entry
from pcf_core.store.files import sha256
from pcf_core.store.results import RunInfo
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.records import EncoderKey, FairPairAsked

if TYPE_CHECKING:  # slow to import, and most pages need no text audits
    from pcf_core.texts.packed import Checked, PackedCriteria, PackedFairPair

FORMAT: Literal["pcf-audit-pack"] = "pcf-audit-pack"
ENDING = ".pcfpack"
MANIFEST, SIGNATURE = "manifest.json", "manifest.sig"
FILES = ("run.json", "words.json", "scores.f32")  # of each run
LEFT = "left.f32"  # after them, if coverage is of words given only the text to their left
TEXTS = {"fairpair": "fairpair.json", "criteria": "criteria.json"}  # the one file of each text audit
LARGEST = 256 * 2**20  # bytes of a pack
LARGEST_JSON = 16 * 2**20
LARGEST_TEXTS = 64 * 2**20  # of one text audit
LARGEST_SIGNATURE = 16 * 2**10
MOST_RUNS = 20  # with text audits
MOST_CELLS = 4_000_000  # of all runs of a pack, whose prompts are made to read it
MOST_DRAWS = 10_000_000
MOST_TOKENS = 1_000  # of a word
ABOVE_NOTHING = 0.01  # nats; log-probabilities are at most 0, up to rounding
DEEPEST = 6  # of nested provenance
SHARD = 512  # prompts
HEAD = 30  # bytes of a ZIP entry before its name
NEW = "ask for it again"
LICENCE = (
    "Words, templates, prompts and occupations keep the licences of their sources, which the pack names; of "
    "the scores and texts none is stated."
)
# Names of models on the hub, in folders and behind endpoints, without markup.
MODEL = re.compile(r"[\w/.~][\w ./:@+~,()\-]{0,299}")
WORD_OF_KEY = re.compile(r"[\w.:/@+\-]{0,300}")  # identity, tokenizer, rules, dtype
MARKUP = frozenset("<>")

Made = TypeVar("Made", bound=Record)


Keys = tuple[Annotated[str, Field(pattern="^[0-9a-f]{16}$")], ...]


class Part(Record):
    """A file of a pack; ``size`` in bytes."""

    name: str = Field(max_length=100)
    size: int = Field(ge=0, le=LARGEST)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class PackManifest(Record):
    """The contents of a pack by run key and request; ``left_only``: runs with a part ``LEFT``."""

    format: Literal["pcf-audit-pack"] = FORMAT
    version: Literal[1, 2, 3]
    runs: Keys = ()
    left_only: Keys = ()
    fairpair: Keys = ()
    criteria: Keys = ()
    scored_by: str = Field("", max_length=200)
    licence: str = Field(LICENCE, max_length=4000)
    versions: dict[str, str] = Field(max_length=20)
    parts: tuple[Part, ...] = Field(max_length=MOST_RUNS * len((*FILES, LEFT)))

    @model_validator(mode="after")
    def _has_some(self) -> PackManifest:
        texts = len(self.keys) > len(self.runs)
        if not 1 <= len(self.keys) <= MOST_RUNS or len(set(self.keys)) < len(self.keys):
            raise ValueError(f"must have 1 to {MOST_RUNS} results, each once")
        version = 3 if self.left_only else 1 + texts
        if self.version != version:
            raise ValueError(f"must be of version {version}")
        if self.left_only != tuple(key for key in self.runs if key in self.left_only):
            raise ValueError("must name some of its runs as left_only, in their order")
        return self

    @model_serializer(mode="wrap")
    def _without_texts(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        without = {1: {*TEXTS, "left_only"}, 2: {"left_only"}}.get(self.version, ())
        return {name: value for name, value in fields.items() if name not in without}

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all its results."""
        return (*self.runs, *self.fairpair, *self.criteria)

    @property
    def names(self) -> list[str]:
        """The names of its parts, in order."""
        return [
            *(name for key in self.runs for name in self.names_of(key)),
            *(f"{key}/{file}" for audit, file in TEXTS.items() for key in getattr(self, audit)),
        ]

    def names_of(self, key: str) -> list[str]:
        """Return the names of a run's parts."""
        return [f"{key}/{name}" for name in ((*FILES, LEFT) if key in self.left_only else FILES)]


class PackedRun(Record):
    """A run in a pack, when it was finished, and what scored it."""

    run: RunSpec
    created: datetime
    provenance: dict[str, Any]


class PackedWords(Record):
    """The tokens of a run's words, see :class:`~pcf_core.core.run.TokenTable`."""

    tokens: dict[str, Annotated[int, Field(ge=1, le=MOST_TOKENS)]]
    refused: dict[str, str]
    spelling: dict[str, str]
    unspaced: tuple[str, ...]
    at_start: dict[str, Annotated[int, Field(ge=1, le=MOST_TOKENS)]]

    @property
    def table(self) -> TokenTable:
        """The same as scoring uses it."""
        return TokenTable(self.tokens, self.refused, self.spelling, frozenset(self.unspaced), self.at_start)


@dataclass(frozen=True)
class Block:
    """Prompts with the same words: [prompt, accepted word] nats; ``left``: given only the left text."""

    prompts: tuple[str, ...]
    words: tuple[str, ...]
    values: FloatArray
    left: FloatArray | None = None

    def parts(self) -> Iterator[Block]:
        """Yield blocks of some prompts at a time."""
        for start in range(0, len(self.prompts), SHARD):
            rows = slice(start, start + SHARD)
            left = None if self.left is None else self.left[rows]
            yield Block(self.prompts[rows], self.words, self.values[rows], left)


@dataclass(frozen=True)
class Content:
    """A checked run of a pack."""

    packed: PackedRun
    table: TokenTable
    blocks: tuple[Block, ...]

    @property
    def run(self) -> RunSpec:
        """The run, as it was scored."""
        return self.packed.run

    def parts(self) -> Iterator[Block]:
        """Yield all scores, some prompts at a time."""
        for block in self.blocks:
            yield from block.parts()


@dataclass(frozen=True)
class Pack:
    """A checked pack; ``signed``: the bytes of its ``signature``, which may be empty."""

    manifest: PackManifest
    signed: bytes
    signature: bytes
    contents: tuple[Content, ...]
    texts: tuple[Checked, ...] = ()


def pack_parts(
    store: Store,
    keys: Sequence[str],
    scored_by: str = "",
    licence: str = "",
    *,
    fairpair: Sequence[PackedFairPair] = (),
    criteria: Sequence[PackedCriteria] = (),
) -> tuple[bytes, dict[str, bytes]]:
    """Return the manifest of a pack of these runs and text audits, and its parts by name.

    Raises RunError if a run is unknown, not finished or imported, PackError for too many results or invalid
    texts.
    """
    runs = tuple(dict.fromkeys(store.load_run(key).key for key in keys))
    packed: Mapping[str, Sequence[PackedFairPair | PackedCriteria]]
    packed = {"fairpair": fairpair, "criteria": criteria}
    texts = {f"{one.result.asked.hash}/{TEXTS[audit]}": one for audit in TEXTS for one in packed[audit]}
    if not runs and not texts:
        raise PackError(
            "A pack holds runs or text audits, and none is named: give the key of a run, --fairpair or "
            "--criteria."
        )
    if len(runs) + len(texts) > MOST_RUNS:
        raise PackError(
            f"A pack has 1 to {MOST_RUNS} runs and text audits, and {len(runs) + len(texts)} were named: "
            "make several packs."
        )
    parts: dict[str, bytes] = {}
    for key in runs:
        parts |= _files_of(store, store.run_info(key))
    parts |= {name: canonical(one) for name, one in texts.items()}
    left_only = tuple(key for key in runs if f"{key}/{LEFT}" in parts)
    manifest = PackManifest(
        version=3 if left_only else 2 if texts else 1,
        runs=runs,
        left_only=left_only,
        fairpair=tuple(dict.fromkeys(one.result.asked.hash for one in fairpair)),
        criteria=tuple(dict.fromkeys(one.result.asked.hash for one in criteria)),
        scored_by=_plain_text(scored_by, "--by", 200),
        licence=_plain_text(licence, "--licence", 4000) or LICENCE,
        versions={"pcf_core": pcf_core.__version__},
        parts=tuple(Part(name=name, size=len(data), sha256=sha256(data)) for name, data in parts.items()),
    )
    return canonical(manifest), parts


def pack_bytes(manifest: bytes, parts: Mapping[str, bytes], signature: bytes = b"") -> bytes:
    """Put a pack together; the same parts give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        signed = {SIGNATURE: signature} if signature else {}
        for name, data in ({MANIFEST: manifest} | dict(parts) | signed).items():
            archive.writestr(zip_entry(name, zipfile.ZIP_STORED), data)
    return target.getvalue()


def _files_of(store: Store, info: RunInfo) -> dict[str, bytes]:
    run = info.run
    if run.scoring.imported:
        raise RunError(f"The run {run.key} was imported: pass on the pack that it came in.")
    if not info.complete or is_unchecked(info):
        raise RunError(f"The run {run.key} is not finished: score it to the end, then pack it.")
    if run.scoring.sampled is not None:
        raise RunError(
            f"The run {run.key} counts sampled answers, and packs hold probabilities: pass on its figures "
            "with `risk --json`."
        )
    stored_table = store.known_words(run.scoring)
    words = all_words(run)
    lacking = RunError(f"The run {run.key} lacks scores: score it again, then pack it.")
    if any(
        word not in stored_table.tokens and word not in stored_table.refused
        for written in by_writing(run.prompts, run.topic.words)
        for word in written
    ):
        raise lacking
    by_word = {
        name: {word: several[word] for word in words if word in several}
        for name in ("tokens", "refused", "spelling", "at_start")
        for several in [getattr(stored_table, name)]
    }
    table = PackedWords(unspaced=tuple(word for word in words if word in stored_table.unspaced), **by_word)
    scores, left_scores = io.BytesIO(), io.BytesIO()
    has_left = is_left_only(run.scoring.family, run.drawn.texts)
    for prompts, accepted in _written(run, table.table):
        for start in range(0, len(prompts), SHARD):
            some = prompts[start : start + SHARD]
            gathered = store.gather_with_left(run.scoring, some, accepted)
            if np.isnan(gathered.values).any():
                raise lacking
            scores.write(gathered.values.astype("<f4").tobytes())
            left = left_of(gathered, some) if has_left else None
            has_left = left is not None
            left_scores.write(b"" if left is None else left.astype("<f4").tobytes())
    packed = PackedRun(run=run, created=info.created, provenance=info.provenance)
    files = dict(zip(FILES, (canonical(packed), canonical(table), scores.getvalue()), strict=True))
    files |= {LEFT: left_scores.getvalue()} if has_left else {}
    return {f"{run.key}/{name}": data for name, data in files.items()}


def _plain_text(text: str, option: str, longest: int) -> str:
    checked = check_text(text, "the text", option, PackError)
    if len(checked) > longest or MARKUP & set(checked):
        raise PackError(
            f"{option} may have {longest:,} characters, and no < or >: shorten it, or write words."
        )
    return checked


def canonical(record: Record) -> bytes:
    """Write a record as JSON, always the same bytes; raise ValueError for NaN and infinities."""
    return json_bytes(record.model_dump(mode="json"))


def read_pack(data: bytes) -> Pack:
    """Read a pack and check every byte and value; raise PackError if anything is wrong."""
    if len(data) > LARGEST:
        raise PackError(
            f"A pack has at most {LARGEST // 2**20} MiB, and this file has more: ask for one of fewer runs."
        )
    try:
        manifest_bytes, offset = _entry(data, 0, MANIFEST, LARGEST_JSON)
        manifest = _record(PackManifest, manifest_bytes, MANIFEST)
        if [part.name for part in manifest.parts] != manifest.names:
            raise ValueError("its manifest names other parts than a pack has")
        parts: dict[str, bytes] = {}
        for part in manifest.parts:
            parts[part.name], offset = _entry(data, offset, part.name, part.size)
            if len(parts[part.name]) != part.size or sha256(parts[part.name]) != part.sha256:
                raise ValueError(f"the checksum of {part.name} does not fit")
        signature = b""
        if _name_at(data, offset) == SIGNATURE.encode():
            signature, offset = _entry(data, offset, SIGNATURE, LARGEST_SIGNATURE)
        if pack_bytes(manifest_bytes, parts, signature) != data:
            raise ValueError("it has more, or other entries, than its manifest lists")
        _check_texts(manifest)
        contents: list[Content] = []
        for key in manifest.runs:
            files = [parts[name] for name in manifest.names_of(key)]
            contents.append(_content(key, files, MOST_CELLS - sum(one.run.cells for one in contents)))
        texts = _texts(manifest, parts)
    except InputError as error:
        reason = str(error).rstrip(".")
        raise PackError(f"This pack cannot be read ({reason}): {NEW}.") from error
    except (ValueError, LookupError, TypeError, RecursionError, ArithmeticError) as error:
        refuse_results(data, "This file", PackError)
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise PackError(f"This file is no pack, or was changed on its way ({reason}): {NEW}.") from error
    return Pack(manifest, manifest_bytes, signature, tuple(contents), texts)


def _name_at(data: bytes, offset: int) -> bytes:
    """Return the name of the entry at an offset, b"" if none begins there."""
    if data[offset : offset + 4] != b"PK\x03\x04":
        return b""
    length = int.from_bytes(data[offset + 26 : offset + 28], "little")
    return data[offset + HEAD : offset + HEAD + length]


def _entry(data: bytes, offset: int, name: str, largest: int) -> tuple[bytes, int]:
    """Cut out the entry at an offset, which must have this name; return it and the offset after it.

    Its stated size is checked when the archive is put together again.
    """
    if _name_at(data, offset) != name.encode():
        raise ValueError(f"{name} is not where it belongs")
    size = int.from_bytes(data[offset + 18 : offset + 22], "little")
    if size > largest:
        raise ValueError(f"{name} has more than {largest:,} bytes")
    begin = offset + HEAD + len(name)
    return data[begin : begin + size], begin + size


def _record(kind: type[Made], data: bytes, name: str, largest: int = LARGEST_JSON) -> Made:
    """Read a record that :func:`canonical` wrote."""
    if len(data) > largest:
        raise ValueError(f"{name} has more than {largest:,} bytes")
    try:
        record = kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        problem = first_problem(error)  # without the value, which may be anybody's text
        raise ValueError(f"{name}: {problem.where[:100] or 'it'} {problem.wanted[:100]}") from error
    if canonical(record) != data:
        raise ValueError(f"{name} is not written as the app writes it")
    return record


def _check_texts(manifest: PackManifest) -> None:
    texts = (manifest.scored_by, manifest.licence, *manifest.versions, *manifest.versions.values())
    for text in texts:
        if check_text(text, "a text", MANIFEST, PackError) != text or MARKUP & set(text):
            raise ValueError(f"a text of {MANIFEST} has signs that it may not have")


def _content(key: str, files: Sequence[bytes], most_cells: int) -> Content:
    """Check the parts of a run against each other."""
    run_bytes, words_bytes, scores, *more = files
    packed = _record(PackedRun, run_bytes, "run.json")
    run = packed.run
    if run.key != key:
        raise ValueError(f"run.json is that of another run than {key}")
    if run.cells > most_cells:
        raise ValueError(f"it has more than {MOST_CELLS:,} cells")
    # Checked before prompts are made: there must be enough numbers for all prompts and groups.
    if run.cells * 2 > len(scores) // 4:
        raise ValueError("scores.f32 does not have a number for every prompt and word")
    _check_key(run.scoring)
    _check_material(run)
    if packed.created.tzinfo is None:
        raise ValueError("its time has no time zone")
    _check_made(packed.provenance)
    table = _record(PackedWords, words_bytes, "words.json")
    _check_words(run, table)
    written = _written(run, table.table)
    if sum(len(prompts) * len(accepted) for prompts, accepted in written) * 4 != len(scores):
        raise ValueError("scores.f32 does not have a number for every prompt and word")
    if any(len(left) != len(scores) for left in more):
        raise ValueError(f"{LEFT} does not have a number for every one of scores.f32")
    if more and not is_left_only(run.scoring.family, run.drawn.texts):
        raise ValueError(f"{LEFT} belongs to a run without text that is scored with the words")
    numbers = [np.frombuffer(data, "<f4") for data in (scores, *more)]
    if np.isnan(numbers[0]).any() or any((values > ABOVE_NOTHING).any() for values in numbers):
        raise ValueError("scores.f32 or left.f32 holds what is no logarithm of a probability")
    blocks, start = [], 0
    for prompts, accepted in written:
        count = len(prompts) * len(accepted)
        shape = len(prompts), len(accepted)
        values, *left = (part[start : start + count].reshape(shape) for part in numbers)
        blocks.append(Block(prompts, accepted, values, *left))
        start += count
    return Content(packed, table.table, tuple(blocks))


def _texts(manifest: PackManifest, parts: Mapping[str, bytes]) -> tuple[Checked, ...]:
    if manifest.version == 1:
        return ()

    from pcf_core.texts.packed import PackedCriteria, PackedFairPair

    kinds: Mapping[str, type[PackedFairPair | PackedCriteria]]
    kinds = {"fairpair": PackedFairPair, "criteria": PackedCriteria}
    return tuple(
        _checked(kinds[audit], key, parts[f"{key}/{file}"], file)
        for audit, file in TEXTS.items()
        for key in getattr(manifest, audit)
    )


def _checked(kind: type[PackedFairPair | PackedCriteria], key: str, data: bytes, name: str) -> Checked:
    """Check a text audit: its names like those of a run, the rest against each other."""
    packed = _record(kind, data, name, LARGEST_TEXTS)
    request = packed.result.asked
    if request.hash != key:
        raise ValueError(f"{name} is that of another request than {key}")
    for encoder in request.encoders if isinstance(request, FairPairAsked) else ():
        _check_model(encoder)
    if isinstance(request.key, ScoringKey):
        _check_key(request.key)
    else:
        _check_model(request.key, request.key.family, request.key.dtype, request.key.chat_template)
        _check_opening(request.key, bare=not request.key.chat_template)
        if request.key.system:
            raise ValueError("its key has a system message, which is that of each prompt")
        if (frame := request.key.frame) is not None:
            for line in f"{frame.system}\n{frame.instruction}".replace("\t", " ").split("\n"):
                check_text(line, "a text of its chat", name, PackError)
    _check_made(packed.result.provenance)
    return packed.checked()


def _check_key(key: ScoringKey) -> None:
    _check_model(key, key.family, key.dtype)
    if key.protocol not in ("exact", "exact-boundary") or scored_as(key.protocol) != key.protocol:
        raise ValueError("it was scored by a protocol that is not known here")
    if key.sampled is not None:
        raise ValueError("it counts sampled answers, which a pack does not hold")
    if key.frame is not None and (key.frame.kind == "bare" or not key.frame.text):
        raise ValueError("its sentences are in a chat without a text")
    _check_opening(key, bare=key.frame is None)


def _check_opening(key: ScoringKey | GenerationKey, *, bare: bool) -> None:
    if key.opening is not None and not (bare and key.family == "causal"):
        raise ValueError("only bare texts of causal models can begin with other tokens than the tokenizer's")
    for token in key.opening or ():
        check_text(token, "a token", "The model", PackError)


def _check_model(key: ScoringKey | GenerationKey | EncoderKey, family: str | None = None, *more: str) -> None:
    if (
        not MODEL.fullmatch(key.model)
        or check_text(key.model, "the name", "The model", PackError) != key.model
    ):
        raise ValueError("the name of its model has characters that are not allowed")
    facts = (key.identity, key.tokenizer, key.rules, *more)
    if not all(WORD_OF_KEY.fullmatch(fact) for fact in facts) or not key.identity:
        raise ValueError("its identity, tokenizer or rules are not hashes or names as a key has them")
    if family is not None and family not in FAMILIES:
        raise ValueError("this version does not know the family of its model")


def _check_material(run: RunSpec) -> None:
    """Check topic, occupations and templates like a user's own files."""
    topic, evidence, templates = run.topic, run.evidence, run.templates
    same_topic = make_topic(**{name: getattr(topic, name) for name in type(topic).model_fields})
    same_list = make_evidence(**{name: getattr(evidence, name) for name in type(evidence).model_fields})
    rows = [
        Row("", one.text, one.count, one.documents, fits=one.fits, family=one.family)
        for one in templates.templates
    ]
    same_set = make_templates(
        templates.name, rows, title=templates.title, source=templates.source, notes=templates.notes
    ).model_copy(update={"kept": templates.kept})
    if (same_topic, same_list, same_set) != (topic, evidence, templates) or not 0 <= templates.kept <= 1:
        raise ValueError("its topic, occupations or templates are not written as the app writes them")
    if run.plan is None:
        return
    if not 1 <= run.plan.draws <= MOST_DRAWS or len(run.plan.times) != len(templates.templates):
        raise ValueError("its sampling plan draws other templates than it has")
    drawn = draw_templates(templates.counts, run.plan.draws, run.plan.seed)
    if tuple(drawn.tolist()) != run.plan.times or not 0 < run.plan.within <= 1:
        raise ValueError("its sampling plan does not draw what it says")


def _check_made(provenance: Mapping[str, Any]) -> None:
    if {"imported", "unchecked"} & set(provenance):
        raise ValueError("it was not finished where it was scored")
    _check_nested(provenance, DEEPEST)
    if (audit := provenance.get("self_audit")) is not None:
        SelfAudit.model_validate(audit)


def _check_nested(value: object, depth: int) -> None:
    """Check every text in nested mappings and lists."""
    if depth == 0:
        raise ValueError("its provenance is nested too deeply")
    if isinstance(value, str):
        check_text(value, "a text", "run.json", PackError)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            _check_nested(name, depth)
            _check_nested(inner, depth - 1)
    elif isinstance(value, list):
        for inner in value:
            _check_nested(inner, depth - 1)


def _check_words(run: RunSpec, table: PackedWords) -> None:
    """Check that words.json has each of the run's words once, and no others."""
    words = set(all_words(run))
    counted = [set(table.tokens), set(table.refused)]
    further = [set(table.spelling), set(table.unspaced), set(table.at_start)]
    if (
        counted[0] & counted[1]
        or not (counted[0] | counted[1]) <= words
        or any(not one <= counted[0] for one in further)
    ):
        raise ValueError("words.json has other words than the run")
    needed = {word for written in by_writing(run.prompts, run.topic.words) for word in written}
    if not needed <= counted[0] | counted[1]:
        raise ValueError("words.json lacks words of the run")
    for text in (*table.refused.values(), *table.spelling.values()):
        check_text(text, "a text", "words.json", PackError)


def all_words(run: RunSpec) -> tuple[str, ...]:
    """Return a run's words in every spelling of its prompts, and as in the topic."""
    written = by_writing(run.prompts, run.topic.words)
    return tuple(dict.fromkeys((*run.topic.words, *(word for words in written for word in words))))


def _written(run: RunSpec, table: TokenTable) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """List prompts with their accepted words as spelled there."""
    prompts = run.prompts
    return [
        (
            tuple(dict.fromkeys(stored_prompt(prompts[row]) for row in rows)),
            tuple(word for word in dict.fromkeys(words) if word in table.tokens),
        )
        for words, rows in by_writing(prompts, run.topic.words).items()
    ]
