"""The embedding score over several models: whose texts are pooled, and what came of it."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from pcf_core.errors import CriteriaError
from pcf_core.records.base import Record, digest
from pcf_core.records.criteria_run import CriteriaAsked
from pcf_core.records.embedding import EmbeddingReport

EMBEDDING_ASKED, EMBEDDING_RESULT = "embedding-asked", "embedding"
FEWEST_MODELS = 2  # the score of one model alone is in its own report


class EmbeddingAsked(Record):
    """The texts of which requests are pooled: written hobbies of two or more models, on the same material.

    ``several`` is in the order of the models' names (:func:`pcf_core.jobs.embedding.embedding_asked`), so
    that the same models are the same request.

    Raises:
        CriteriaError: fewer than two models or one twice, what is no hobbies that were written, or hobbies
            on different materials.
    """

    several: tuple[CriteriaAsked, ...]

    @model_validator(mode="after")
    def _can_be_pooled(self) -> EmbeddingAsked:
        if len(set(self.models)) < max(FEWEST_MODELS, len(self.several)):
            raise CriteriaError(
                f"The embedding score over several models was asked for of {', '.join(self.models) or 'none'}"
                ": give at least two models, each once."
            )
        for asked in self.several:
            if (asked.experiment, asked.answering) != ("hobbies", "written"):
                raise CriteriaError(
                    f"The embedding score needs hobbies that were written, and {asked.model} has "
                    f"{asked.answering} {asked.experiment}: leave it out, or let it write hobbies."
                )
        if len({asked.material for asked in self.several}) > 1:
            raise CriteriaError(
                "The embedding score over several models needs hobbies on the same names, prompts and "
                f"labels, and those of {', '.join(self.models)} differ: ask all with the same material."
            )
        return self

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(asked.model for asked in self.several)

    @property
    def material(self) -> str:
        """The key of the material that all have in common."""
        return self.several[0].material

    @property
    def alike(self) -> bool:
        """Whether all were asked in the same wording, as often, and their texts drawn in the same way."""
        ways = {
            (asked.wording, asked.repeats, asked.generation.decoding)
            for asked in self.several
            if asked.generation is not None
        }
        return len(ways) == 1

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same."""
        return digest(["embedding", [asked.hash for asked in self.several]])


class EmbeddingResult(Record):
    """What came of a request.  ``provenance``: versions, seconds."""

    asked: EmbeddingAsked
    report: EmbeddingReport
    provenance: dict[str, Any]
