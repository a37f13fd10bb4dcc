"""Requests to models about one experiment, their results, and the pooled embedding score.

The material of a request is stored as ``MATERIAL`` under ``asked.material`` (see
:mod:`pcf_core.work.text_audits`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pcf_core.core.errors import CriteriaError
from pcf_core.core.generation import End, GenerationKey
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval
from pcf_core.core.run import IMPORTED, ScoringKey, imported_name
from pcf_core.texts.criteria.records.independence import AnecdotesReport, EmbeddingReport, HobbiesReport
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.criteria.records.separation import GAP_LINE, AnswersReport
from pcf_core.texts.text_audit import AuditAsked, AuditResult

Report = Annotated[AnecdotesReport | HobbiesReport | AnswersReport, Field(discriminator="experiment")]

MATERIAL = "criteria-material"
MOST_REPEATS = 10_000  # texts of one prompt
# Raise when the same texts or scores give another report: a changed reader, list of words or statistic.
CRITERIA_RULES = "3"


def counted_repeats(generation: GenerationKey | None, repeats: int) -> int:
    """Return how many of a prompt's texts count: 1 at temperature 0, where all are the same."""
    return 1 if generation is not None and generation.decoding.temperature == 0 else repeats


class CriteriaAsked(AuditAsked):
    """One experiment with one model.

    ``material``: the key of the stored material.  ``answering``: ``written`` texts, ``repeats`` per cell in
    one ``wording``, by the model of ``generation``; or candidate words of each cell ``scored`` by
    log-probability, by the model of ``scoring``.  The two measure different things and are never combined.

    Raises CriteriaError for impossible repeats, ValueError for fields of the other way of answering.
    """

    experiment: ExperimentName
    title: str
    material: str
    answering: Answering
    generation: GenerationKey | None = None
    wording: Wording | None = None
    repeats: int = 1
    scoring: ScoringKey | None = None
    rules: str = CRITERIA_RULES

    @model_validator(mode="after")
    def _is_one_way(self) -> CriteriaAsked:
        if not 1 <= self.repeats <= MOST_REPEATS:
            raise CriteriaError(
                f"Each prompt can be answered 1 to {MOST_REPEATS:,} times, but {self.repeats:,} repeats were "
                "requested; 10 to 50 are usual."
            )
        if self.repeats > counted_repeats(self.generation, self.repeats):
            raise CriteriaError(
                f"At temperature 0 all texts of a prompt are the same, but {self.repeats:,} repeats were "
                "requested: request one, or use a higher temperature."
            )
        written = self.answering == "written"
        if (self.generation is not None, self.wording is not None) != (written, written):
            raise ValueError(f"{self.answering}, with generation {self.generation}, wording {self.wording}")
        if (self.scoring is None) != written or (self.repeats > 1 and not written):
            raise ValueError(f"{self.answering}, with scoring {self.scoring} and {self.repeats} repeats")
        return self

    @property
    def key(self) -> GenerationKey | ScoringKey:
        """The key of the model; ``system`` is that of each ask, and not in it."""
        key = self.generation or self.scoring
        assert key is not None  # validated
        return key

    @property
    def model(self) -> str:
        """The name of the tested model."""
        return self.key.model

    @property
    def name(self) -> str:
        """The same, with its frame."""
        return self.key.name

    @property
    def imported(self) -> bool:
        """Whether its answers were imported in a pack."""
        return self.model.startswith(IMPORTED)

    @property
    def as_imported(self) -> CriteriaAsked:
        """The same request, of the imported model."""
        key = self.key
        name = imported_name(key.model, key.identity, key.tokenizer, key.family)
        which = "generation" if self.scoring is None else "scoring"
        return self.model_copy(update={which: key.model_copy(update={"model": name})})

    @property
    def alike(self) -> str:
        """The digest of what makes results of two models comparable, in any wording."""
        request = self.model_dump(mode="json", exclude={"generation", "scoring", "wording"})
        decoding = None if self.generation is None else self.generation.decoding.model_dump(mode="json")
        return digest([request, decoding])


class CriteriaResult(AuditResult):
    """The result of a request.

    ``ends``: number of texts by how they ended; refused and empty texts are in the report.  ``left_out``:
    candidate words that the model cannot express.  ``entries_left_out``: of the question file.
    """

    asked: CriteriaAsked
    report: Report
    ends: dict[End, int]
    left_out: tuple[LeftOut, ...]
    entries_left_out: tuple[LeftOut, ...] = ()
    provenance: dict[str, Any]

    @model_validator(mode="after")
    def _is_one_answer(self) -> CriteriaResult:
        request, report = self.asked, self.report
        if (request.experiment, request.answering) != (report.experiment, report.answering):
            raise ValueError(f"{report.answering} {report.experiment}, not what was asked for")
        return self

    @property
    def as_imported(self) -> CriteriaResult:
        """The same result, of the imported model."""
        return self.model_copy(update={"asked": self.asked.as_imported})

    @property
    def without_text(self) -> int:
        """The number of refused or empty texts."""
        return self.ends.get("refused", 0) + self.ends.get("empty", 0)


# The summary.


Criterion = Literal[
    "independence I",
    "independence II",
    "separation I",
    "sufficiency I",
    "separation II",
    "sufficiency II",
]
CRITERIA_OF: dict[ExperimentName, tuple[Criterion, ...]] = {
    "anecdotes": ("independence I",),
    "hobbies": ("independence II",),
    "questions": ("separation I", "sufficiency I"),
    "tasks": ("separation II", "sufficiency II"),
}
CRITERIA: tuple[Criterion, ...] = tuple(one for several in CRITERIA_OF.values() for one in several)


class CriterionReading(Record):
    """One quantity that is 0 where the criterion holds.

    ``size``: 0 to 1, ``None`` if undefined; ``counted``: before bias correction; ``interval``: of ``size``,
    may begin below 0.  ``gap``: a difference of two rates, for which the 20 % line is drawn.  ``p_value``:
    adjusted within the experiment; ``at_most``: the smallest possible.  ``differs``: ``None`` if not
    testable.  ``higher``: the pronoun or gender with the higher rate, ``lower``: the pronoun compared with
    it.  ``compared``: pronouns with this rate, ``undefined``: those without.  ``largest``: the maximum if not
    1.  ``reason``: why undefined or not tested.  ``too_few``: too few questions or tasks to show any
    difference.  ``few``: so few texts that bias remains.  ``baseline``: rate without a pronoun, if scored.
    """

    criterion: Criterion
    quantity: str
    answering: Answering
    size: float | None
    counted: float | None = None
    interval: Interval | None = None
    gap: bool = False
    p_value: float | None = None
    at_most: bool = False
    differs: bool | None = None
    higher: str = ""
    lower: str = ""
    compared: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    largest: float | None = None
    reason: str = ""
    too_few: bool = False
    few: bool = False
    baseline: float | None = None
    baseline_interval: Interval | None = None

    @property
    def over_line(self) -> bool:
        """Whether all of a gap's interval lies above the 20 % line."""
        return self.gap and self.interval is not None and self.interval.low > GAP_LINE


# The embedding score over several models.


FEWEST_MODELS = 2  # the score of a single model is in its own report


class EmbeddingAsked(AuditAsked):
    """The requests whose texts are pooled: written hobbies of several models on one material.

    Sorted by model (:func:`pcf_core.work.criteria.embedding_asked`), so that equal sets give equal requests.
    Raises CriteriaError for fewer than two different models, other requests, or different materials.
    """

    several: tuple[CriteriaAsked, ...]

    @model_validator(mode="after")
    def _can_be_pooled(self) -> EmbeddingAsked:
        if len(set(self.models)) < max(FEWEST_MODELS, len(self.several)):
            raise CriteriaError(
                "The embedding score over several models was requested for "
                f"{', '.join(self.models) or 'no model'}: give at least two different models."
            )
        for request in self.several:
            if (request.experiment, request.answering) != ("hobbies", "written"):
                raise CriteriaError(
                    f"The embedding score needs written hobbies, but {request.model} has {request.answering} "
                    f"{request.experiment}: leave the model out, or let it write hobbies."
                )
        if len({request.material for request in self.several}) > 1:
            raise CriteriaError(
                "The embedding score over several models needs hobbies with the same names, prompts and "
                f"labels, but those of {', '.join(self.models)} differ: run all models with the same "
                "material."
            )
        return self

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models with their frames, in their order."""
        return tuple(request.name for request in self.several)

    @property
    def material(self) -> str:
        """The key of the common material."""
        return self.several[0].material

    @property
    def alike(self) -> bool:
        """Whether all have the same wording, repeats, decoding and frame."""
        ways = {
            (request.wording, request.repeats, request.generation.decoding, request.generation.frame)
            for request in self.several
            if request.generation is not None
        }
        return len(ways) == 1

    @property
    def hash(self) -> str:
        """The digest of the request."""
        return digest(["embedding", [request.hash for request in self.several]])


class EmbeddingResult(AuditResult):
    """The result of a request."""

    asked: EmbeddingAsked
    report: EmbeddingReport
    provenance: dict[str, Any]
