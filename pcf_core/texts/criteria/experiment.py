"""The seam that every experiment implements: what it asks, and what it reads in the answers.  No torch here.

    material --asks--> prompts --(a model, elsewhere)--> texts --report--> record

An experiment neither writes nor scores: what it asks is a pure function of its material, and what it reports
one of material and texts.  ``cell`` names what an ask stands for (a profession; a question with its truth,
pronoun and order of roles) and is unique in the experiment.

How a model is asked by default follows from what it can do:

======================  =======================  =========================================
model                   ``anecdotes, hobbies``   ``questions, tasks``
======================  =======================  =========================================
has a chat template     written, instruction     written, instruction
an endpoint's chat      written, instruction     written, instruction
an endpoint without     written, continuation    written, continuation
goes on from a text     written, continuation    scored: it follows no instruction
fills a gap             scored                   scored
======================  =======================  =========================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pydantic import ValidationError

from pcf_core.core.errors import CriteriaError
from pcf_core.core.families import FAMILIES
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import read_toml
from pcf_core.material.safety.text import shown
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import Report

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Ask:
    """A request for a text, different from all others; ``system``: the system message, which may be empty."""

    cell: str
    system: str
    prompt: str


@dataclass(frozen=True)
class ScoredAsk:
    """A text whose candidate words are to be scored.

    ``words`` are the candidates at the one ``[Y]`` of ``text``, scored as the words of topics are.
    """

    cell: str
    text: str
    words: tuple[str, ...]


class Experiment(Protocol):
    """One of the four experiments, compared by identity; ``title``: for people."""

    def __hash__(self) -> int:
        """Compare by identity: results derived from an object are cached for that object alone."""

    @property
    def name(self) -> ExperimentName:
        """The experiment's name."""

    @property
    def title(self) -> str:
        """The experiment's title."""

    @property
    def material(self) -> Record:
        """The lists, prompts and versions that it is made of; the store keeps all of it with a request."""

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List every cell once, or raise a ``CriteriaError`` where the material has no such wording."""

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List every cell to score once; none where the experiment cannot be scored."""

    def report(self, texts: Mapping[str, Sequence[str]]) -> Report:
        """Report the texts: cell -> [repeat], as the model wrote them, without the prompt."""

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> Report:
        """Report the scores: cell -> [word] nats, in the order of the cell's ``words``.

        NaN stands for a word that the model's tokenizer cannot express: the report leaves it out and says so.
        """


def check_cells(given: Iterable[str], existing: Iterable[str], experiment: str) -> None:
    """Raise CriteriaError for entries that the experiment does not have."""
    unknown = sorted(set(given) - set(existing))
    if unknown:
        raise CriteriaError(
            f"The experiment {experiment} has no prompt {shown(unknown[0])}: give only prompts of the "
            "experiment."
        )


def load_shipped(name: str, record: type[R]) -> R:
    """Load what ships in ``assets/criteria`` as a TOML file with the fields of the record."""
    path = settings().assets / "criteria" / f"{name}.toml"
    table = read_toml(path, record.model_fields, CriteriaError)
    try:
        return record.model_validate(table)
    except ValidationError as problem:
        raise damaged(path.name) from problem


def damaged(file: str) -> CriteriaError:
    """Return the refusal of a shipped file that cannot be used."""
    return CriteriaError(f"{file} is damaged: restore it from the repository.")


# How a model is asked by default.


TOLD_IN_TEXTS: tuple[ExperimentName, ...] = ("anecdotes", "hobbies")  # no answer to a question is read


@dataclass(frozen=True)
class Suited:
    """How an experiment is put to a model.

    ``wording``: ``None`` where words are scored.  ``reason``: a sentence for readers.
    """

    answering: Answering
    wording: Wording | None
    reason: str


def suited(spec: ModelSpec, experiment: ExperimentName, answering: Literal["", Answering] = "") -> Suited:
    """Choose how to put an experiment to a model; with ``answering`` given, only the wording.

    ``spec``: of a writer (:func:`pcf_core.models.registry.resolve_writer`); of an endpoint, whether it chats
    is in it.
    """
    name = spec.name
    if answering == "scored":
        return Suited("scored", None, f"The candidate words of {name} are scored, as requested.")
    if not FAMILIES[spec.family].generator and not answering:
        return Suited(
            "scored", None, f"{name} fills gaps and cannot write a text, so its candidate words are scored."
        )
    if spec.chat_template and FAMILIES[spec.family].chats:
        return Suited("written", "instruction", f"{name} answers messages, so it is given an instruction.")
    goes_on = f"{name} has no chat template, so it continues the beginning of a text"
    if answering or spec.family == "endpoint" or experiment in TOLD_IN_TEXTS:
        return Suited("written", "continuation", f"{goes_on}.")
    return Suited(
        "scored",
        None,
        f"{goes_on} and does not follow instructions; therefore its candidate words are scored.",
    )
