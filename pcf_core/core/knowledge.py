"""Facts that a model is tested on, and what it knows of them (PCF section 5.1, BVF appendix E.1).

The axes are ``fact`` (the evidence X) and ``template`` (the context C); the two groups of a fact are its
right and its wrong answers, which differ from fact to fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import Field

from pcf_core.core.records import FloatArray, LeftOut, Record, digest
from pcf_core.core.risk import Interval
from pcf_core.core.run import Prompts
from pcf_core.core.topics import Template

QUANTITIES = ("knowledge", "confidence_gap", "mean_score", "gain")


class Fact(Record):
    """A subject that fills ``[X]``, the answers that are right at ``[Y]``, and some that are wrong."""

    subject: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    weight: float = Field(1.0, strict=True)  # no text and no true

    @property
    def answers(self) -> tuple[str, ...]:
        """The right ones, then the wrong ones."""
        return self.right + self.wrong


class KnowledgeSet(Record):
    """Facts of one kind, and the texts with ``[X]`` and ``[Y]`` in which each of them is put to a model."""

    name: str
    title: str
    templates: tuple[str, ...]
    facts: tuple[Fact, ...]
    language: str = "en"
    source: str = ""
    notes: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Every answer of any fact once, in the order of the facts: all are scored in every prompt."""
        return tuple(dict.fromkeys(word for fact in self.facts for word in fact.answers))

    @property
    def prompts(self) -> Prompts:
        """Prompts in the order fact-major, template-minor."""
        return Prompts(
            [fact.subject for fact in self.facts], [Template(text=text) for text in self.templates]
        )

    @property
    def hash(self) -> str:
        """Hash of what decides a number but weights: templates, subjects and answers."""
        return digest([self.templates, [[fact.subject, fact.right, fact.wrong] for fact in self.facts]])


@dataclass(frozen=True)
class FactKnowledge:
    """What a model knows of one fact, each number from 0 to 1 unless said otherwise.

    ``right``, ``wrong``: the answers that count with this model.  ``weight``: sums to 1 over facts.
    ``probabilities``: [template] p(right answers | right or wrong ones).  ``mean_probability``: E_t p.
    ``knowledge``: J(E_t p).  ``mean_score``: E_t J(p).  ``confidence_gap``: the former less the latter, at
    least 0.  ``chance``: J of the share of right ones among the answers.  ``elsewhere``: knowledge, were the
    subject another one, of which these answers are wrong: the mean of J(E_t p) over such subjects; ``None``
    where the set has none.  ``interval``: of ``knowledge``, over templates; ``None`` where there is one.
    """

    subject: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    weight: float
    probabilities: FloatArray
    mean_probability: float
    knowledge: float
    mean_score: float
    confidence_gap: float
    chance: float
    elsewhere: float | None
    interval: Interval | None


@dataclass(frozen=True)
class KnowledgeReport:
    """What a model knows of a set: means over facts by weight of what :class:`FactKnowledge` holds.

    ``score``: name of J.  ``gain``: ``knowledge`` less ``elsewhere``, what naming the right subject adds.
    ``intervals``: by :data:`QUANTITIES`, over templates first, then over ``occupations`` and over both: the
    axis of the evidence has that name everywhere, and the unit of the second is ``fact``.  One template, or
    one fact, has no interval over it, nor over both.
    ``left_out``: answers and facts that did not count, with the reason.
    """

    name: str
    title: str
    score: str
    templates: tuple[str, ...]
    knowledge: float
    mean_score: float
    confidence_gap: float
    chance: float
    elsewhere: float | None
    facts: tuple[FactKnowledge, ...]
    intervals: Mapping[str, tuple[Interval, ...]]
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def gain(self) -> float | None:
        """Knowledge minus its value elsewhere; ``None`` where that was not measured."""
        return None if self.elsewhere is None else self.knowledge - self.elsewhere
