"""The seam that every experiment implements: what it asks, and what it reads in the answers.  No torch here.

    material --asks--> prompts --(a model, elsewhere)--> texts --report--> record

An experiment neither writes nor scores: what it asks is a pure function of its material, and what it reports
one of material and texts.  ``cell`` names what an ask stands for (a profession; a question with its truth,
pronoun and order of roles) and is unique in the experiment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pcf_core.errors import CriteriaError
from pcf_core.records import Record
from pcf_core.records.criteria_run import ExperimentName, Report, Wording
from pcf_core.topics.text import shown


@dataclass(frozen=True)
class Ask:
    """A text that is asked for, unlike any other; ``system`` is told first, empty where nothing is."""

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
    def material(self) -> Record:
        """The lists, prompts and versions that it is made of; the store keeps all of it with a request."""
        ...

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """Every cell once; both orders of roles are cells of their own and are repeated as often.

        Raises:
            CriteriaError: the material has no such wording.
        """
        ...

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """Every cell once; none where the experiment cannot be scored."""
        ...

    def report(self, texts: Mapping[str, Sequence[str]]) -> Report:
        """What the texts show: cell -> [repeat], as the model wrote them, without the prompt."""
        ...

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> Report:
        """What the scores show: cell -> [word] nats, in the order of the cell's ``words``.

        NaN stands for a word that the model's tokenizer cannot express: the report leaves it out and says so.

        Raises:
            CriteriaError: the experiment cannot be scored.
        """
        ...


def check_cells(given: Iterable[str], known: Iterable[str], experiment: str) -> None:
    """Refuse what was not asked.

    Raises:
        CriteriaError: a cell that the experiment does not have.
    """
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise CriteriaError(
            f"The experiment {experiment} has no cell {shown(unknown[0])}: give the cells that it asks."
        )
