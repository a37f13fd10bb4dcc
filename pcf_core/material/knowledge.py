"""Knowledge sets: facts with right and wrong answers, from ``assets/knowledge/*.toml`` or a user's file.

They are topics whose two groups, right and wrong, have other words for every fact (PCF section 5.1).

**A knowledge set's file: TOML, JSON with the same keys, or CSV of which each row is a template or a fact.**
CSV has the columns ``template``, ``subject``, ``right``, ``wrong`` and, if wanted, ``weight``.  A row with a
template has nothing else; every fact is asked in every template.  Several answers in a cell have ``|``
between them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pcf_core.core.errors import TopicError
from pcf_core.core.knowledge import Fact, KnowledgeSet
from pcf_core.core.records import made
from pcf_core.material.own_files import OwnFiles, toml_lines
from pcf_core.material.safety.reading import label, read_json, read_table, read_toml, title_of
from pcf_core.material.safety.text import (
    check_language,
    check_name,
    check_sentence,
    check_text,
    check_word,
    first_duplicate,
    looks,
    shown,
)
from pcf_core.material.shelves import Shelf, name_of
from pcf_core.material.template_files import LARGEST_NUMBER
from pcf_core.material.topics import MAX_WORDS

# A knowledge set's file: TOML, JSON with the same keys, or CSV of which each row is a template or a fact.


ENDINGS = (".toml", ".json", ".csv")
COLUMNS = ("template", "subject", "right", "wrong")
BETWEEN = "|"


def read_knowledge(path: Path, keys: Collection[str]) -> dict[str, Any]:
    """Read a file by key, with only its form checked; of a CSV file, templates and facts.

    Raises
    ------
    TopicError
        The file cannot be read, is malformed, or has a key or column that is not known.
    """
    ending = path.suffix.lower()
    if ending != ".csv":
        read = read_json if ending == ".json" else read_toml
        return read(path, keys, TopicError)
    templates, facts = [], []
    for where, row in read_table(path, COLUMNS, ("weight",), TopicError, {}):
        filled = {name for name, cell in row.items() if cell.strip()}
        if filled == {"template"}:
            templates.append(row["template"])
        elif "template" in filled:
            raise TopicError(
                f"{where} has a template and a fact: give each a row of its own, for every fact is asked in "
                "every template."
            )
        elif filled:
            facts.append(_fact_of_row(row, where))
    return {"templates": templates, "facts": facts}


def _fact_of_row(row: Mapping[str, str], where: str) -> dict[str, Any]:
    """Turn a row into an entry of ``facts``."""
    entry: dict[str, Any] = {
        "subject": row["subject"],
        **{name: _answers(row[name]) for name in ("right", "wrong")},
    }
    weight = row.get("weight", "").strip()
    if weight:
        try:
            entry["weight"] = float(weight)
        except ValueError as problem:
            raise TopicError(f"{where}: the weight {shown(weight)} is not a number, such as 2.") from problem
    return entry


def _answers(cell: str) -> list[str]:
    return [word for word in cell.split(BETWEEN) if word.strip()]


FIRST = "continents"
SHELF = Shelf("knowledge set", "knowledge", (".toml",), ENDINGS, TopicError, keeps_own=True)
KEYS = tuple(KnowledgeSet.model_fields)


def list_knowledge() -> tuple[KnowledgeSet, ...]:
    """List every shipped set, by name, the default first, then the user's own.

    Damaged ones of the user's own are left out.

    Raises
    ------
    TopicError
        A shipped file is damaged.
    """
    shipped = tuple(load_knowledge(name) for name in sorted(SHELF.shipped(), key=lambda name: name != FIRST))
    return shipped + SHELF.readable(load_knowledge)


def load_knowledge(name_or_path: str | Path) -> KnowledgeSet:
    """Load a shipped set by its name, else one of the user's own, else a file: TOML, JSON or CSV.

    TOML and JSON have the same keys: ``name``, ``title``, ``language``, ``source``, ``notes``, ``templates``
    (texts with one ``[X]`` and one ``[Y]``) and ``facts``, each with ``subject`` (fills ``[X]``), ``right``
    and ``wrong`` (lists of answers) and, if wanted, ``weight``.  Templates and facts must be there.  CSV: see
    the module.  One of the user's own has the name of its file.

    Raises
    ------
    TopicError
        Unknown, unreadable, or refused by :func:`make_knowledge`.
    """
    path = SHELF.find(name_or_path)
    where = label(path)
    table = read_knowledge(path, KEYS)
    templates, facts = table.pop("templates", []), table.pop("facts", [])
    if not isinstance(templates, list) or not isinstance(facts, list):
        raise TopicError(f"{where}: templates and facts must be lists.")
    checked = [
        made(Fact, entry, f"{where}, fact {place}", TopicError) for place, entry in enumerate(facts, 1)
    ]
    written = table.pop("name", name_of(path))
    name = path.stem if path.parent == SHELF.own_folder else written
    return make_knowledge(name, templates, checked, where=where, **{"title": title_of(path), **table})


def make_knowledge(
    name: str,
    templates: Sequence[str],
    facts: Sequence[Fact],
    *,
    title: str = "",
    language: str = "en",
    source: str = "",
    notes: str = "",
    where: str = "The knowledge set",
) -> KnowledgeSet:
    """Make a set with every part checked; texts are normalised (NFC, white space), case is kept.

    Raises
    ------
    TopicError
        No template or no fact, a template without exactly one ``[X]`` and one ``[Y]``, a text, subject or
        answer twice (answers of a fact compared without case), a fact without a right or a wrong answer,
        weights that are no finite numbers >= 0 with a positive sum, over 5,000 answers, a name that is not
        safe in files and links.
    """
    texts = tuple(_template(text, where) for text in templates)
    if not texts:
        raise TopicError(f"{where} has no templates: add one, such as The capital of [X] is [Y].")
    checked = tuple(_check_fact(fact, where) for fact in facts)
    if not checked:
        raise TopicError(f"{where} has no facts: add one, with a subject, right and wrong answers.")
    for kind, values in (("template", texts), ("subject", [fact.subject for fact in checked])):
        twice = first_duplicate(values)
        if twice is not None:
            raise TopicError(f"{where}: the {kind} {shown(twice)} stands twice; write it once.")
    total = sum(fact.weight for fact in checked)
    if not 0 < total < math.inf:
        raise TopicError(f"{where}: the weights sum to {total:g}; their sum must be positive and finite.")
    found = KnowledgeSet(
        name=check_name(name, "the name", where, TopicError),
        title=check_text(title, "the title", where, TopicError) or name,
        templates=texts,
        facts=checked,
        language=check_language(language, where, TopicError),
        source=check_text(source, "the source", where, TopicError),
        notes=check_text(notes, "the notes", where, TopicError),
    )
    if len(found.words) > MAX_WORDS:
        raise TopicError(
            f"{where} has {len(found.words):,} different answers: at most {MAX_WORDS:,} are allowed."
        )
    return found


def _template(value: object, where: str) -> str:
    text = check_sentence(value, "a template", where, TopicError)
    if text.count("[X]") != 1 or text.count("[Y]") != 1:
        raise TopicError(
            f"{where}: the template {shown(text)} must have exactly one [X] (the subject) and one [Y] (the "
            "answer)."
        )
    return text


def _check_fact(fact: Fact, where: str) -> Fact:
    subject = check_word(fact.subject, "a subject", where, TopicError)
    answers = {
        name: tuple(check_word(word, f"{name} of {shown(subject)}", where, TopicError) for word in words)
        for name, words in (("right", fact.right), ("wrong", fact.wrong))
    }
    for name, words in answers.items():
        if not words:
            raise TopicError(f"{where}: {shown(subject)} has no {name} answer; add one or remove the fact.")
    seen: set[str] = set()
    for word in answers["right"] + answers["wrong"]:
        forms = {word.casefold(), looks(word)}
        if forms & seen:
            raise TopicError(
                f"{where}: {shown(word)} stands twice among the answers of {shown(subject)}; write it "
                "once, as right or as wrong."
            )
        seen |= forms
    if not 0 <= fact.weight <= LARGEST_NUMBER:
        raise TopicError(
            f"{where}: the weight of {shown(subject)} is {fact.weight:g}; give a number from 0 up, and not "
            f"over {LARGEST_NUMBER:.0e}."
        )
    return Fact(subject=subject, right=answers["right"], wrong=answers["wrong"], weight=fact.weight)


# The user's own sets: TOML files in the folder ``knowledge`` of the cache.  A set that was changed is another
# one to the store: its hash is that of its templates, subjects and answers.


def checked_knowledge(asked: KnowledgeSet) -> KnowledgeSet:
    """Return the set normalised.

    Raises
    ------
    TopicError
        :func:`~pcf_core.material.knowledge.make_knowledge` refuses it.
    """
    texts = {name: getattr(asked, name) for name in ("title", "language", "source", "notes")}
    return make_knowledge(
        asked.name, asked.templates, asked.facts, where="The knowledge set to save", **texts
    )


def knowledge_toml(asked: KnowledgeSet) -> str:
    """Write a set as TOML that :func:`~pcf_core.material.knowledge.load_knowledge` reads as the same set."""
    facts = asked.model_dump(mode="json")
    several = facts.pop("facts")
    return "\n".join([toml_lines(facts), *(f"[[facts]]\n{toml_lines(fact)}" for fact in several)])


OWN = OwnFiles(SHELF, lambda asked: knowledge_toml(asked).encode(), load_knowledge, checked_knowledge)
