"""Knowledge sets: facts with right and wrong answers, from ``assets/knowledge/*.toml`` or a user's file.

They are topics whose two groups, right and wrong, have other words for every fact (PCF section 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pcf_core.errors import TopicError
from pcf_core.records.knowledge import Fact, KnowledgeSet
from pcf_core.topics.groups import MAX_WORDS
from pcf_core.topics.knowledge_files import ENDINGS, read_knowledge
from pcf_core.topics.reading import label, title_of
from pcf_core.topics.shelves import Shelf, name_of
from pcf_core.topics.template_card import LARGEST_NUMBER
from pcf_core.topics.text import (
    check_language,
    check_name,
    check_text,
    check_word,
    first_duplicate,
    shown,
)

FIRST = "continents"
SHELF = Shelf("knowledge set", "knowledge", (".toml",), ENDINGS, TopicError, keeps_own=True)
KEYS = tuple(KnowledgeSet.model_fields)
NEEDED = {"subject", "right", "wrong"}


def list_knowledge() -> tuple[KnowledgeSet, ...]:
    """Every shipped set, by name, the one to begin with first; then the user's own, of which damaged ones are
    left out.

    Raises:
        TopicError: a shipped file is damaged.
    """
    shipped = tuple(load_knowledge(name) for name in sorted(SHELF.shipped(), key=lambda name: name != FIRST))
    return shipped + SHELF.readable(load_knowledge)


def load_knowledge(name_or_path: str | Path) -> KnowledgeSet:
    """A shipped set by its name, else one of the user's own, else a file: TOML, JSON or CSV.

    TOML and JSON have the same keys: ``name``, ``title``, ``language``, ``source``, ``notes``, ``templates``
    (texts with one ``[X]`` and one ``[Y]``) and ``facts``, each with ``subject`` (fills ``[X]``), ``right``
    and ``wrong`` (lists of answers) and, if wanted, ``weight``.  Templates and facts must be there.  CSV:
    :mod:`~pcf_core.topics.knowledge_files`.  One of the user's own has the name of its file.

    Raises:
        TopicError: unknown, unreadable, or refused by :func:`make_knowledge`.
    """
    path = SHELF.find(name_or_path)
    where = label(path)
    table = read_knowledge(path, KEYS)
    templates, facts = table.pop("templates", []), table.pop("facts", [])
    if not isinstance(templates, list) or not isinstance(facts, list):
        raise TopicError(f"{where}: templates and facts must be lists.")
    checked = [_fact(entry, where) for entry in facts]
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
    """A set whose every part was checked; texts are normalised (NFC, white space), case is kept.

    Raises:
        TopicError: no template or no fact, a template without exactly one ``[X]`` and one ``[Y]``, a text,
            subject or answer twice (answers of a fact compared without case), a fact without a right or a
            wrong answer, weights that are no finite numbers >= 0 with a positive sum, over 5,000 answers, a
            name that is not safe in files and links.
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
    text = check_text(value, "a template", where, TopicError)
    if text.count("[X]") != 1 or text.count("[Y]") != 1:
        raise TopicError(
            f"{where}: the template {shown(text)} must have exactly one [X] (the subject) and one [Y] (the "
            "answer)."
        )
    return text


def _fact(entry: Any, where: str) -> Fact:
    """A fact of a file, its types checked and nothing else."""
    if not isinstance(entry, dict) or not NEEDED <= set(entry) <= NEEDED | {"weight"}:
        raise TopicError(
            f"{where}: each of the facts needs a subject, right and wrong, may have a weight, no more."
        )
    subject, weight = entry["subject"], entry.get("weight", 1.0)
    if not isinstance(subject, str):
        raise TopicError(f"{where}: the subject of a fact is {shown(subject)}; write it in quotation marks.")
    for name in ("right", "wrong"):
        if not isinstance(entry[name], list) or not all(isinstance(word, str) for word in entry[name]):
            raise TopicError(
                f"{where}: {name} of {shown(subject)} must be a list of answers in quotation marks."
            )
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise TopicError(f"{where}: the weight of {shown(subject)} is {shown(weight)}; write a number.")
    if abs(weight) > LARGEST_NUMBER:  # an integer of a file may be too long for a float
        raise TopicError(
            f"{where}: the weight of {shown(subject)} is beyond {LARGEST_NUMBER:g}; make all weights smaller."
        )
    return Fact(
        subject=subject, right=tuple(entry["right"]), wrong=tuple(entry["wrong"]), weight=float(weight)
    )


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
        if word.casefold() in seen:
            raise TopicError(
                f"{where}: {shown(word)} stands twice among the answers of {shown(subject)}; write it "
                "once, as right or as wrong."
            )
        seen.add(word.casefold())
    if not 0 <= fact.weight < math.inf:
        raise TopicError(
            f"{where}: the weight of {shown(subject)} is {fact.weight:g}; give a number from 0 up."
        )
    return Fact(subject=subject, right=answers["right"], wrong=answers["wrong"], weight=fact.weight)
