"""The seam that every experiment implements: what it asks, and what it reads in the answers.  No torch here.

    material --asks--> prompts --(a model, elsewhere)--> texts --report--> record

An experiment neither writes nor scores: it is a pure function of its material, and its reports of material
and texts.  ``cell`` names what an ask stands for (a profession; a question with its truth, pronoun and order
of roles) and is unique in the experiment; the same prompt may stand in several cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pcf_core.records import Record
from pcf_core.records.criteria_run import ExperimentName, Wording


class Material(Protocol):
    """A frozen record: the lists, prompts and versions that an experiment is made of.

    Every material is also a :class:`~pcf_core.records.Record`; ``hash`` is that of all that decides a number.
    """

    @property
    def hash(self) -> str: ...


@dataclass(frozen=True)
class Ask:
    """A text that is asked for: ``system`` is told first, empty where nothing is."""

    cell: str
    system: str
    prompt: str


@dataclass(frozen=True)
class ScoredAsk:
    """``words`` are the candidates at the one ``[Y]`` of ``text``, scored as the words of topics are."""

    cell: str
    text: str
    words: tuple[str, ...]


class Experiment(Protocol):
    """One of the four; ``title`` as a person knows it."""

    @property
    def name(self) -> ExperimentName: ...

    @property
    def title(self) -> str: ...

    @property
    def material(self) -> Material: ...

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """Every cell once; both orders of roles are cells of their own and are repeated as often.

        Raises:
            CriteriaError: the material has no such wording.
        """
        ...

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """Every cell once; none where the experiment cannot be scored."""
        ...

    def report(self, texts: Mapping[str, Sequence[str]]) -> Record:
        """What the texts show: cell -> [repeat], as the model wrote them, without the prompt."""
        ...

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> Record:
        """What the scores show: cell -> [word] nats, in the order of the cell's ``words``.

        NaN stands for a word that the model's tokenizer cannot express: the report leaves it out and says so.

        Raises:
            CriteriaError: the experiment cannot be scored.
        """
        ...
