"""Sets of prompts, shipped (*Common Sents (our reconstruction)*) or a user's own.

A prompt is a text with ``{name}`` in place of the entity's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from pcf_core.core.errors import PerturbationError, PromptError
from pcf_core.core.records import LeftOut
from pcf_core.material.base import Kind, Material, Omitted, Origin, Text, origin_of
from pcf_core.material.evidence import SHELF as EVIDENCE
from pcf_core.material.evidence import load_evidence
from pcf_core.material.placeholders import with_ours
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import check_left_out, check_once, check_text, listed, shown
from pcf_core.material.shelves import Shelf
from pcf_core.material.suiting import with_article
from pcf_core.texts.fairpair.records import Prompt, PromptSet
from pcf_core.texts.fairpair.tables import check_names

ACCEPTED = Accepted(
    "prompts of FairPair",
    (
        Column("text", "a prompt with {name}", ("prompt", "sentence", "template")),
        Column("category", "what it is about", needed=False),
    ),
    json="the keys of TOML, or a list of texts",
    line="a prompt",
)
SHELF = Shelf("set of prompts", "prompts", (".toml",), ACCEPTED.endings, PromptError, keeps_own=True)
USUAL = ("John", "Jane")
NAME, FACT, OCCUPATION = "{name}", "{fact}", "{occupation}"
GAPS = (NAME,)
MOST = 5_000  # prompts
LONGEST = 1_000  # characters of one


@dataclass(frozen=True)
class Draft:
    """An unchecked prompt; ``text`` with ``{name}``."""

    text: object
    category: object = ""
    fact: str = ""


def _names(value: object, info: ValidationInfo) -> tuple[str, str]:
    origin = origin_of(info)
    try:
        return check_names(value, origin.where)
    except PerturbationError as problem:
        raise origin.error(str(problem)) from problem


def _prompts(value: Sequence[object], info: ValidationInfo) -> tuple[Prompt, ...]:
    where, names = origin_of(info).where, info.data["names"]
    if not 0 < len(value) <= MOST:
        got = f"more than {MOST:,}" if value else "no"
        raise PromptError(f"{where} has {got} prompts: give at least one and at most {MOST:,}.")
    prompts = tuple(_prompt(entry, names[0], number, where) for number, entry in enumerate(value, start=1))
    check_once((prompt.text for prompt in prompts), "prompt", where, PromptError)
    return prompts


class WrittenPrompts(Material):
    """A set in a file; see :class:`~pcf_core.texts.fairpair.records.PromptSet`."""

    record = PromptSet
    accepted = ACCEPTED
    entries = "prompts"
    besides = ("frames", "facts", "occupations")

    version: Text = "1"
    names: Annotated[tuple[str, str], BeforeValidator(_names)] = USUAL
    prompts: Annotated[tuple[Prompt, ...], BeforeValidator(_prompts)]
    left_out: Omitted = ()

    @classmethod
    def of_file(cls, path: Path, origin: Origin) -> dict[str, Any]:
        """Read a file, and make the prompts of its frames and occupations."""
        table, where = super().of_file(path, origin), origin.where
        frames, facts = table.pop("frames", []), table.pop("facts", {})
        prompts = table.pop("prompts", [])
        if not isinstance(prompts, list):
            raise PromptError(f"{where}: prompts is {shown(prompts)}; write a list of texts.")
        drafts: Iterator[object] = chain(prompts, _framed(frames, facts, where))
        if "occupations" in table:
            occupations, table["left_out"] = _occupations(table.pop("occupations"), where)
            drafts = chain(drafts, occupations)
        return {**table, "prompts": [*islice(drafts, MOST + 1)]}

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Read one prompt per row."""
        texts = with_ours([row["text"] for _, row in rows], GAPS, origin.where, origin.error)
        categories = [row.get("category", "") for _, row in rows]
        return {"prompts": [*map(Draft, texts, categories)]}

    @classmethod
    def of_lines(cls, lines: Sequence[str], origin: Origin) -> dict[str, Any]:
        """Read one prompt per line."""
        return {"prompts": [*map(Draft, with_ours(lines, GAPS, origin.where, origin.error))]}

    @classmethod
    def written(cls, record: PromptSet) -> dict[str, Any]:
        """Return the fields with ``{name}`` for the name; prompts from frames are written out."""
        facts = super().written(record.model_copy(update={"left_out": ()}))
        name = record.names[0]
        prompts = [
            {"text": with_braces(prompt.text, name), "category": prompt.category} for prompt in record.prompts
        ]
        return {**facts, "prompts": prompts}


OWN: Kind[PromptSet] = Kind(SHELF, WrittenPrompts)
prompts_toml, load_prompts_upload = OWN.text, OWN.read_upload


def load_prompts(name_or_path: str | Path, entity: Sequence[str] = ()) -> PromptSet:
    """Load a shipped set by name, or a user's file; ``entity``: names to use instead of the set's.

    TOML with ``prompts`` (texts, or tables of ``text`` and ``category``), ``frames`` with ``facts`` by
    category, or both; optionally ``names``, ``name``, ``title``, ``version``, ``source``, ``notes``.  CSV
    with ``text`` and optionally ``category``.  Plain text with one prompt per line.

    Raises PromptError for an unknown or invalid set, PerturbationError for invalid names.
    """
    instead = {"names": check_names(entity)} if entity else {}
    return OWN.load(name_or_path, **instead)


def with_braces(text: str, name: str) -> str:
    """Put ``{name}`` in place of the entity's name as a word: "John's" -> "{name}'s"."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", NAME, text)


def _prompt(entry: object, name: str, number: int, where: str) -> Prompt:
    what = f"prompt {number:,}"
    if isinstance(entry, Mapping):
        if not {"text"} <= set(entry) <= {"text", "category"}:
            raise PromptError(f"{where}: a prompt written as a table needs text, and may have category.")
        entry = Draft(entry["text"], entry.get("category", ""))
    draft = entry if isinstance(entry, Draft) else Draft(entry)
    text = check_text(draft.text, what, where, PromptError)
    if len(text) > LONGEST:
        raise PromptError(f"{where}: {what} has {len(text):,} characters; shorten it to {LONGEST:,}.")
    rest = text.replace(NAME, "")
    if rest == text or "{" in rest or "}" in rest:
        raise PromptError(
            f"{where}: {what} {shown(text)} must have {NAME} in place of the name, and no other braces."
        )
    category = check_text(draft.category, f"the category of {what}", where, PromptError)
    filled = text.replace(NAME, name)
    return Prompt(text=filled, category=category, fact=draft.fact or filled)


def _framed(frames: object, facts: object, where: str) -> Iterator[Draft]:
    if bool(frames) != bool(facts):
        raise PromptError(f"{where}: frames and facts must be given together: write both or neither.")
    checked = _texts(frames, "frames", where)
    for frame in checked:
        if frame.count(FACT) != 1:
            raise PromptError(f"{where}: the frame {shown(frame)} must have {FACT} exactly once, and {NAME}.")
    if not isinstance(facts, Mapping):
        raise PromptError(f"{where}: facts is {shown(facts)}; write a list for each category.")
    for category, entries in facts.items():
        for fact in _texts(entries, f"facts of {category}", where):
            for frame in checked:
                yield Draft(frame.replace(FACT, fact), category, fact)


def _texts(value: object, what: str, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise PromptError(f"{where}: {what} must be a list of texts in quotation marks, not {shown(value)}.")
    return value


def _occupations(table: object, where: str) -> tuple[list[Draft], tuple[LeftOut, ...]]:
    allowed = {"evidence", "frame", "written", "left_out"}
    if not isinstance(table, dict) or not {"evidence", "frame"} <= set(table) <= allowed:
        raise PromptError(
            f"{where}: occupations needs evidence and frame, and may have written and left_out."
        )
    frame, written = table["frame"], table.get("written", {})
    if not isinstance(frame, str) or frame.count(OCCUPATION) != 1:
        raise PromptError(
            f"{where}: the frame {shown(frame)} must have {OCCUPATION} exactly once, and {NAME}."
        )
    if not isinstance(written, dict) or not all(isinstance(word, str) for word in written.values()):
        raise PromptError(f"{where}: written must be a table from an occupation to a text.")
    # Only names of shipped lists: an uploaded file must not open others.
    if table["evidence"] not in EVIDENCE.names():
        raise PromptError(
            f"{where}: evidence is {shown(table['evidence'])}; use a list: {listed(EVIDENCE.names())}."
        )
    left_out = check_left_out(table.get("left_out", []), where, PromptError)
    omitted = {entry.name for entry in left_out}
    terms = load_evidence(table["evidence"]).terms
    unknown = sorted({*omitted, *written} - {*terms})
    if unknown:
        raise PromptError(f"{where}: {shown(unknown[0])} is not in the list {table['evidence']}; remove it.")
    terms = tuple(term for term in terms if term not in omitted)
    drafts = [
        Draft(frame.replace(OCCUPATION, with_article(written.get(term, term))), "occupation", term)
        for term in terms
    ]
    return drafts, left_out


# Selecting prompts.


def selected(prompts: PromptSet, categories: Collection[str] = (), most: int | None = None) -> PromptSet:
    """Select the prompts of these categories, ``most`` of each, in the order of the set; by default all.

    In a category every fact is used once before any is used twice, because different facts are more
    informative.  Raises PromptError for an unknown category, or ``most`` under 1.
    """
    unknown = sorted(set(categories) - set(prompts.categories))
    if unknown:
        existing = listed([name or "(none)" for name in prompts.categories])
        raise PromptError(f"The prompts {prompts.name} have no category {shown(unknown[0])}; use {existing}.")
    if most is not None and most < 1:
        raise PromptError(f"At least one prompt of each category is needed, but {most} were requested.")
    among = [prompt for prompt in prompts.prompts if not categories or prompt.category in categories]
    if most is None:
        return prompts.model_copy(update={"prompts": tuple(among)})
    taken = {
        index
        for category in dict.fromkeys(prompt.category for prompt in among)
        for index in _first_of_each_fact(among, category)[:most]
    }
    return prompts.model_copy(
        update={"prompts": tuple(prompt for index, prompt in enumerate(among) if index in taken)}
    )


def _first_of_each_fact(prompts: Sequence[Prompt], category: str) -> list[int]:
    """Order a category's prompts: the first of every fact, then the second of every fact, and so on."""
    times: Counter[str] = Counter()
    ranked = []
    for index, prompt in enumerate(prompts):
        if prompt.category == category:
            ranked.append((times[prompt.fact], index))
            times[prompt.fact] += 1
    return [index for _, index in sorted(ranked)]
