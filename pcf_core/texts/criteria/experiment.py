"""The interface of every experiment: its prompts, and its report of the answers.  No torch here.

    material --asks--> prompts --(a model, elsewhere)--> texts --report--> record

Prompts are a pure function of the material, reports one of material and texts.  ``cell`` names what an ask
stands for (a profession; a question with its truth, pronoun and order of roles), uniquely in the experiment.

How a model is asked by default:

======================  =======================  =========================================
model                   ``anecdotes, hobbies``   ``questions, tasks``
======================  =======================  =========================================
has a chat template     written, instruction     written, instruction
an endpoint's chat      written, instruction     written, instruction
an endpoint without     written, continuation    written, continuation
continues a text        written, continuation    scored: it follows no instruction
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
from pcf_core.texts.text_audit import TextOptions

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Ask:
    """A prompt with its system message, which may be empty."""

    cell: str
    system: str
    prompt: str


@dataclass(frozen=True)
class ScoredAsk:
    """A text with one ``[Y]``, and the candidate ``words`` to score there, as for topics."""

    cell: str
    text: str
    words: tuple[str, ...]


class Experiment(Protocol):
    """One of the four experiments."""

    def __hash__(self) -> int:
        """Hash by identity: results derived from an object are cached for that object alone."""

    @property
    def name(self) -> ExperimentName:
        """The experiment's name."""

    @property
    def title(self) -> str:
        """The experiment's title."""

    @property
    def material(self) -> Record:
        """Its lists, prompts and versions, which are stored with a request."""

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List every cell once; CriteriaError if the material has no such wording."""

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List every cell to score once; empty if the experiment cannot be scored."""

    def report(self, texts: Mapping[str, Sequence[str]]) -> Report:
        """Report the texts: cell -> [repeat], without the prompt."""

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> Report:
        """Report the scores: cell -> [word] nats, in the order of the cell's ``words``.

        NaN stands for a word that the tokenizer cannot express; the report leaves it out and lists it.
        """


def check_cells(given: Iterable[str], existing: Iterable[str], experiment: str) -> None:
    """Raise CriteriaError for unknown cells."""
    unknown = sorted(set(given) - set(existing))
    if unknown:
        raise CriteriaError(
            f"The experiment {experiment} has no prompt {shown(unknown[0])}: give only prompts of the "
            "experiment."
        )


def load_shipped(name: str, record: type[R]) -> R:
    """Load a TOML file of ``assets/criteria`` with the fields of the record."""
    path = settings().assets / "criteria" / f"{name}.toml"
    table = read_toml(path, record.model_fields, CriteriaError)
    try:
        return record.model_validate(table)
    except ValidationError as problem:
        raise damaged(path.name) from problem


def damaged(file: str) -> CriteriaError:
    """Return the error for an unusable shipped file."""
    return CriteriaError(f"{file} is damaged: restore it from the repository.")


# How a model is asked.


TOLD_IN_TEXTS: tuple[ExperimentName, ...] = ("anecdotes", "hobbies")  # without questions to answer


@dataclass(frozen=True)
class Suited:
    """How to run an experiment with a model, and why; ``wording``: ``None`` if words are scored."""

    answering: Answering
    wording: Wording | None
    reason: str


def suited(
    spec: ModelSpec,
    experiment: ExperimentName,
    answering: Literal["", Answering] = "",
    framed: TextOptions | None = None,
) -> Suited:
    """Choose how to run an experiment with a model; with ``answering`` given, only the wording.

    ``spec``: from :func:`pcf_core.models.registry.resolve_writer`.  ``framed``: what stands around prompts; a
    chat needs texts, and with an instruction its answer begins as the text does.  Raises CriteriaError for a
    chat around scored words.
    """
    name, bare = spec.name, framed is not None and framed.frame == "bare"
    if framed is not None and (framed.frame == "chat" or framed.system or framed.instruction):
        if answering == "scored":
            raise CriteriaError(
                "Candidate words are scored in sentences without a chat: leave out --frame, --system and "
                "--instruction, or let the model answer in texts (--answering written)."
            )
        answering = "written"
        if framed.instruction:
            reason = f"{name} is told the instruction, and its answer begins as the text does."
            return Suited("written", "continuation", reason)
    if answering == "scored":
        return Suited("scored", None, f"The candidate words of {name} are scored, as requested.")
    if not FAMILIES[spec.family].generator and not answering:
        return Suited(
            "scored", None, f"{name} fills gaps and cannot write a text, so its candidate words are scored."
        )
    if spec.chat_template and FAMILIES[spec.family].chats and not bare:
        return Suited("written", "instruction", f"{name} answers messages, so it is given an instruction.")
    why = "is used without a chat" if bare else "has no chat template"
    goes_on = f"{name} {why}, so it continues the beginning of a text"
    if answering or spec.family == "endpoint" or experiment in TOLD_IN_TEXTS:
        return Suited("written", "continuation", f"{goes_on}.")
    return Suited(
        "scored",
        None,
        f"{goes_on} and does not follow instructions; therefore its candidate words are scored.",
    )
