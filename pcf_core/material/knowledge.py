"""Knowledge sets: facts with right and wrong answers, from ``assets/knowledge/*.toml`` or a user's file.

They are topics whose two groups, right and wrong, have other words for every fact (PCF section 5.1).

**A knowledge set's file: TOML, JSON with the same keys, or CSV of which each row is a template or a fact.**
CSV has the columns ``template``, ``subject``, ``right``, ``wrong`` and, if wanted, ``weight``.  A row with a
template has nothing else; every fact is asked in every template.  Several answers in a cell have ``|``
between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import ValidationInfo, field_validator, model_validator

from pcf_core.core.errors import TopicError
from pcf_core.core.knowledge import Fact, KnowledgeSet
from pcf_core.material.base import Kind, Language, Material, Origin, Sentence, origin_of
from pcf_core.material.safety.decimals import LEAVE_EMPTY, NumberColumn
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import check_once, check_word, looks, shown
from pcf_core.material.shelves import Shelf
from pcf_core.material.template_files import LARGEST_NUMBER
from pcf_core.material.topics import MAX_WORDS

ACCEPTED = Accepted(
    "facts",
    (
        Column("template", "a sentence with [X] and [Y], in a row without a fact"),
        Column("subject", "what fills [X]"),
        Column("right", "right answers, with | between them"),
        Column("wrong", "wrong answers"),
        Column("weight", "how much the fact counts", needed=False, is_number=True),
    ),
    json="the keys of TOML",
)
BETWEEN = "|"
FIRST = "continents"
SHELF = Shelf("knowledge set", "knowledge", (".toml",), ACCEPTED.endings, TopicError, keeps_own=True)


class WrittenKnowledge(Material):
    """A set as a file has it; see :class:`~pcf_core.core.knowledge.KnowledgeSet`.

    ``templates`` (texts with one ``[X]`` and one ``[Y]``) and ``facts`` are needed, these with ``subject``
    (fills ``[X]``), ``right`` and ``wrong`` (lists of answers) and, if wanted, ``weight``.  CSV: see the
    module.
    """

    record = KnowledgeSet
    accepted = ACCEPTED
    entries = "facts"

    templates: tuple[Sentence, ...] = ()
    facts: tuple[Fact, ...] = ()
    language: Language = "en"

    @field_validator("templates")
    @classmethod
    def _have_gaps(cls, templates: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        where = origin_of(info).where
        for text in templates:
            if text.count("[X]") != 1 or text.count("[Y]") != 1:
                raise TopicError(
                    f"{where}: the template {shown(text)} must have exactly one [X] (the subject) and one "
                    "[Y] (the answer)."
                )
        return templates

    @field_validator("facts")
    @classmethod
    def _have_answers(cls, facts: tuple[Fact, ...], info: ValidationInfo) -> tuple[Fact, ...]:
        return tuple(_check_fact(fact, origin_of(info).where) for fact in facts)

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Self:
        where, facts = origin_of(info).where, self.facts
        if not self.templates:
            raise TopicError(f"{where} has no templates: add one, such as The capital of [X] is [Y].")
        if not facts:
            raise TopicError(f"{where} has no facts: add one, with a subject, right and wrong answers.")
        check_once(self.templates, "template", where, TopicError)
        check_once((fact.subject for fact in facts), "subject", where, TopicError)
        total = sum(fact.weight for fact in facts)
        if not 0 < total < math.inf:
            raise TopicError(f"{where}: the weights sum to {total:g}; their sum must be positive and finite.")
        words = len({word for fact in facts for word in fact.answers})
        if words > MAX_WORDS:
            raise TopicError(f"{where} has {words:,} different answers; at most {MAX_WORDS:,} are allowed.")
        return self

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Read a template or a fact a row."""
        templates, facts = [], []
        cells = (row.get("weight", "") for _, row in rows)
        weights = NumberColumn.of(cells, origin.where, "weight", TopicError, missing=LEAVE_EMPTY)
        for where, row in rows:
            filled = {name for name, cell in row.items() if cell.strip()}
            if filled == {"template"}:
                templates.append(row["template"])
            elif "template" in filled:
                raise TopicError(
                    f"{where} has a template and a fact: write them in separate rows, because every fact is "
                    "used in every template."
                )
            elif filled:
                facts.append(_fact_of_row(row, where, weights))
        return {"templates": templates, "facts": facts}


OWN: Kind[KnowledgeSet] = Kind(SHELF, WrittenKnowledge)
load_knowledge, knowledge_toml = OWN.load, OWN.text


def list_knowledge() -> tuple[KnowledgeSet, ...]:
    """List every shipped set, by name, the default first, then the user's own.

    Damaged ones of the user's own are left out.

    Raises
    ------
    TopicError
        A shipped file is damaged.
    """
    return OWN.all(FIRST)


def make_knowledge(
    name: str,
    templates: Sequence[str],
    facts: Sequence[Fact],
    *,
    where: str = "The knowledge set",
    **texts: object,
) -> KnowledgeSet:
    """Make a set with every part checked; texts are normalised (NFC, white space), case is kept."""
    return OWN.make({"name": name, "templates": templates, "facts": facts, **texts}, where)


def _fact_of_row(row: Mapping[str, str], where: str, weights: NumberColumn) -> dict[str, Any]:
    """Turn a row into an entry of ``facts``."""
    entry: dict[str, Any] = {
        "subject": row["subject"],
        **{name: _answers(row[name]) for name in ("right", "wrong")},
    }
    if weight := row.get("weight", "").strip():
        entry["weight"] = weights.number(weight, where)
    return entry


def _answers(cell: str) -> list[str]:
    return [word for word in cell.split(BETWEEN) if word.strip()]


def _check_fact(fact: Fact, where: str) -> Fact:
    subject = check_word(fact.subject, "a subject", where, TopicError)
    answers = {
        name: tuple(check_word(word, f"{name} of {shown(subject)}", where, TopicError) for word in words)
        for name, words in (("right", fact.right), ("wrong", fact.wrong))
    }
    for name, words in answers.items():
        if not words:
            raise TopicError(f"{where}: {shown(subject)} has no {name} answer: add one or remove the fact.")
    seen: set[str] = set()
    for word in answers["right"] + answers["wrong"]:
        forms = {word.casefold(), looks(word)}
        if forms & seen:
            raise TopicError(
                f"{where}: {shown(word)} appears twice among the answers of {shown(subject)}: write it once, "
                "as right or as wrong."
            )
        seen |= forms
    if not 0 <= fact.weight <= LARGEST_NUMBER:
        raise TopicError(
            f"{where}: the weight of {shown(subject)} is {fact.weight:g}; give a number from 0 to "
            f"{LARGEST_NUMBER:.0e}."
        )
    return Fact(subject=subject, right=answers["right"], wrong=answers["wrong"], weight=fact.weight)
