"""A criteria run: one experiment put to one model, and what came of it.

Several models are asked one by one, with the same material and decoding.

What the store keeps beside texts and scores, as ``results/<key>/<name>.json``.  ``load_criteria(store,
asked.hash)`` and ``kept_criteria(store)`` read it back (:mod:`pcf_core.jobs.criteria`);
:mod:`pcf_core.jobs.questioning` writes it:

    ==================  ==============  ================================================================
    key                 name            holds
    ==================  ==============  ================================================================
    ``asked.hash``      ``ASKED``       the :class:`CriteriaAsked`, from when it was asked for on
    ``asked.hash``      ``RESULT``      the :class:`CriteriaResult`, once it is complete
    ``asked.material``  ``MATERIAL``    the whole material of the experiment
    ==================  ==============  ================================================================

Once the hobbies of two or more models are written, the embedding score over all of them can be asked for; its
records are in :mod:`pcf_core.records.embedding_run`, and :mod:`pcf_core.jobs.embedding` has

    ============================================  ======================================================
    ``embedding_asked(several)``                  the :class:`EmbeddingAsked` of their ``CriteriaAsked``
    ``submit_embedding(store, queue, asked)``     the job, of the kind ``EMBEDDING``
    ``load_embedding(store, asked.hash)``         the :class:`EmbeddingResult`, ``None`` until it is there
    ============================================  ======================================================
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from pcf_core.errors import CriteriaError
from pcf_core.records.anecdotes import AnecdotesReport
from pcf_core.records.answers import AnswersReport
from pcf_core.records.base import LeftOut, Record, digest
from pcf_core.records.criteria import Answering as Answering
from pcf_core.records.criteria import ExperimentName as ExperimentName
from pcf_core.records.criteria import Wording as Wording
from pcf_core.records.generation import End, GenerationKey
from pcf_core.records.hobbies import HobbiesReport
from pcf_core.records.run import ScoringKey

Report = Annotated[AnecdotesReport | HobbiesReport | AnswersReport, Field(discriminator="experiment")]

ASKED, RESULT, MATERIAL = "criteria-asked", "criteria", "criteria-material"
MOST_REPEATS = 10_000  # texts of one prompt
# Raise it when the same texts or scores would give another report: a reader of answers, a list of words that
# is not part of the material, a statistic, a test.
CRITERIA_RULES = "3"


def counted_repeats(generation: GenerationKey | None, repeats: int) -> int:
    """How many of so many texts of a prompt count: one at temperature 0, where all are the same."""
    return 1 if generation is not None and generation.decoding.temperature == 0 else repeats


class CriteriaAsked(Record):
    """One experiment, put to one model.

    ``material``: the key under which the store has the whole material, ``title``: of it, as a person knows
    it.  ``answering``: texts are ``written`` and read, by the model of ``generation``, ``repeats`` of them
    for each cell in one ``wording``; or the candidate words of each cell are ``scored`` by log-probability,
    once, by the model of ``scoring``.  The two measure different things and never stand in one report.
    ``rules``: of reading and reporting, so that a report by older ones is not given again.

    Raises:
        CriteriaError: repeats that cannot be asked for, such as several of one text.
        ValueError: what belongs to the other way of answering.
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
                f"Each prompt is answered 1 to {MOST_REPEATS:,} times, and {self.repeats:,} repeats were "
                "asked for; 10 to 50 are usual."
            )
        if self.repeats > counted_repeats(self.generation, self.repeats):
            raise CriteriaError(
                "At temperature 0 every text of a prompt is the same and counts once, and "
                f"{self.repeats:,} repeats were asked for: ask for one, or draw at a higher temperature."
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
        return self.key.model

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same."""
        return digest(self.model_dump(mode="json"))


class CriteriaResult(Record):
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
        asked, report = self.asked, self.report
        if (asked.experiment, asked.answering) != (report.experiment, report.answering):
            raise ValueError(f"{report.answering} {report.experiment}, not what was asked for")
        return self

    @property
    def without_text(self) -> int:
        """Texts that were refused or are empty."""
        return self.ends.get("refused", 0) + self.ends.get("empty", 0)
