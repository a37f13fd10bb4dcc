"""Facts that a model is tested on, and its knowledge of them (PCF section 5.1, BVF appendix E.1).

The axes are ``fact`` (the evidence X) and ``template`` (the context C); the two groups are a fact's right and
wrong answers, which differ between facts.
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
    """A subject that fills ``[X]``, with right and some wrong answers for ``[Y]``."""

    subject: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    weight: float = Field(1.0, strict=True)  # neither text nor bool

    @property
    def answers(self) -> tuple[str, ...]:
        """The right answers, then the wrong ones."""
        return self.right + self.wrong


class KnowledgeSet(Record):
    """Facts of one kind, and templates with ``[X]`` and ``[Y]`` in which each of them is tested."""

    name: str
    title: str
    templates: tuple[str, ...]
    facts: tuple[Fact, ...]
    language: str = "en"
    source: str = ""
    notes: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """All distinct answers in the order of the facts; all are scored in every prompt."""
        return tuple(dict.fromkeys(word for fact in self.facts for word in fact.answers))

    @property
    def prompts(self) -> Prompts:
        """Prompts in the order fact-major, template-minor."""
        return Prompts(
            [fact.subject for fact in self.facts], [Template(text=text) for text in self.templates]
        )

    @property
    def hash(self) -> str:
        """Hash of what decides a number, except weights: templates, subjects and answers."""
        return digest([self.templates, [[fact.subject, fact.right, fact.wrong] for fact in self.facts]])


@dataclass(frozen=True)
class FactKnowledge:
    """A model's knowledge of one fact, from 0 to 1.

    ``right``, ``wrong``: the answers that count with this model.  ``weight``: sums to 1 over facts.
    ``probabilities`` [template]: p(right answers | right or wrong ones).  ``mean_probability``: E_t p.
    ``knowledge``: J(E_t p).  ``mean_score``: E_t J(p).  ``confidence_gap``: their difference, at least 0.
    ``chance``: J of the share of right answers.  ``elsewhere``: mean J(E_t p) over other subjects, for which
    these answers are wrong, if any. ``interval``: of ``knowledge`` over templates, ``None`` with one
    template.
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
    """A model's knowledge of a set: weighted means over facts of the values in :class:`FactKnowledge`.

    ``score``: name of J.  ``intervals``: by :data:`QUANTITIES`, over templates, ``occupations`` (the unit is
    ``fact``) and both, except over an axis with a single template or fact.  ``left_out``: answers and facts
    not counted.
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
        """``knowledge`` − ``elsewhere``, what naming the right subject adds; ``None`` if not measured."""
        return None if self.elsewhere is None else self.knowledge - self.elsewhere
