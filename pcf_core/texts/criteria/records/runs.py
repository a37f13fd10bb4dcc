"""A criteria run: one experiment put to one model, and what came of it.

Several models are asked one by one, with the same material and decoding.

What the store keeps beside texts and scores, and how it is read back, :mod:`pcf_core.work.text_audits` says;
``MATERIAL``, under ``asked.material``, is the whole material of the experiment.
:mod:`pcf_core.work.questioning` writes the result.

Once the hobbies of two or more models are written, the embedding score over all of them can be asked for; its
records are here too, and :mod:`pcf_core.work.criteria` has

    ============================================  ======================================================
    ``embedding_asked(several)``                  the :class:`EmbeddingAsked` of their ``CriteriaAsked``
    ``submit_embedding(store, queue, asked)``     the job, of the kind ``EMBEDDING``
    ``EMBEDDINGS.load(store, asked.hash)``        the :class:`EmbeddingResult`, ``None`` until it is there
    ============================================  ======================================================
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
# Raise it when the same texts or scores would give another report: a reader of answers, a list of words that
# is not part of the material, a statistic, a test.
CRITERIA_RULES = "3"


def counted_repeats(generation: GenerationKey | None, repeats: int) -> int:
    """Return how many of a prompt's texts count: one at temperature 0, where all are the same."""
    return 1 if generation is not None and generation.decoding.temperature == 0 else repeats


class CriteriaAsked(AuditAsked):
    """One experiment, put to one model.

    ``material``: the key under which the store has the whole material, ``title``: of it, as a person knows
    it.  ``answering``: texts are ``written`` and read, by the model of ``generation``, ``repeats`` of them
    for each cell in one ``wording``; or the candidate words of each cell are ``scored`` by log-probability,
    once, by the model of ``scoring``.  The two measure different things and never stand in one report.
    ``rules``: of reading and reporting, so that a report by older ones is not given again.

    Raises
    ------
    CriteriaError
        Repeats that cannot be asked for, such as several of one text.
    ValueError
        What belongs to the other way of answering.
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
        """Of the model, whichever way it answers; ``system`` is that of each ask, and not in it."""
        key = self.generation or self.scoring
        assert key is not None  # validated
        return key

    @property
    def model(self) -> str:
        """The name of the tested model."""
        return self.key.model

    @property
    def imported(self) -> bool:
        """Whether the request was made elsewhere and its answers were imported in a pack."""
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
        """Hash of what two requests have in common that ask two models the same, in any wording."""
        request = self.model_dump(mode="json", exclude={"generation", "scoring", "wording"})
        decoding = None if self.generation is None else self.generation.decoding.model_dump(mode="json")
        return digest([request, decoding])


class CriteriaResult(AuditResult):
    """What came of a request.  ``report``: of the experiment, in the way of answering that was asked for.

    ``ends``: how many texts ended in which way, empty where nothing was written; those refused or empty are
    in the report as they are.  ``left_out``: candidate words that the model cannot express.
    ``entries_left_out``: entries of the file of questions that no prompt can be made from.  ``provenance``:
    versions, seconds of each stage.
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
        """Texts that were refused or are empty."""
        return self.ends.get("refused", 0) + self.ends.get("empty", 0)


# A line of the summary: how far a model is from one criterion.


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

    ``size``: 0 to 1 and without a direction, ``None`` where it is undefined; ``counted``: as it was counted,
    where ``size`` is freed of its bias; ``interval``: of ``size``, may begin below 0.  ``gap``: it is a
    difference of two rates, which the 20 % line is drawn for.  ``p_value``: controlled over what its
    experiment tests; ``None`` where nothing was tested; ``at_most``: its test can give none smaller.
    ``differs``: whether it is beyond chance, ``None`` where that was not or could not
    be tested; of a gap ``False`` where no pair of pronouns that could be tested is.  ``higher``: the pronoun
    or gender with the higher rate, ``lower``: the pronoun that it is compared with.  ``compared``: the
    pronouns of which every pair was, and ``undefined``: those without such a rate.  ``largest``: what it
    could reach, where that is not 1.  ``reason``: why it is undefined, or was not tested.  ``too_few``: it
    was tested, with so few questions or tasks that no difference could be shown, however large.  ``few``: it
    rests on so few texts that a part of its bias remains.  ``baseline``: of a gap where answers were scored,
    the rate without a pronoun, with its interval: what is common to all pronouns.
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
        """Whether all of a gap's interval lies over the 20 % line."""
        return self.gap and self.interval is not None and self.interval.low > GAP_LINE


# The embedding score over several models.


FEWEST_MODELS = 2  # the score of one model alone is in its own report


class EmbeddingAsked(AuditAsked):
    """The texts of which requests are pooled: written hobbies of two or more models, on the same material.

    ``several`` is in the order of the models' names (:func:`pcf_core.work.criteria.embedding_asked`), so
    that the same models are the same request.

    Raises
    ------
    CriteriaError
        Fewer than two models or one twice, what is no hobbies that were written, or hobbies on different
        materials.
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
        """The names of the models, in their order."""
        return tuple(request.model for request in self.several)

    @property
    def material(self) -> str:
        """The key of the material that all have in common."""
        return self.several[0].material

    @property
    def alike(self) -> bool:
        """Whether all were asked in the same wording, as often, and their texts drawn in the same way."""
        ways = {
            (request.wording, request.repeats, request.generation.decoding)
            for request in self.several
            if request.generation is not None
        }
        return len(ways) == 1

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same."""
        return digest(["embedding", [request.hash for request in self.several]])


class EmbeddingResult(AuditResult):
    """The result of a request; ``provenance``: versions and seconds."""

    asked: EmbeddingAsked
    report: EmbeddingReport
    provenance: dict[str, Any]
