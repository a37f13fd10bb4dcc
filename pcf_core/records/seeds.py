"""Records of one recipe trained several times: what another seed of the training changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from pcf_core.records.base import Record


class SeededRisk(Record):
    """R, R^p and R^c of the training with one seed."""

    seed: int
    overall_risk: float = Field(ge=0)
    prejudice_risk: float = Field(ge=0)
    caprice_risk: float = Field(ge=0)


class SeedsMeasured(Record):
    """The risks of all seeds on one topic, template set and evidence list, under the default view options."""

    topic: str
    topic_hash: str
    templates: str
    templates_hash: str
    evidence: str
    evidence_hash: str
    risks: tuple[SeededRisk, ...] = Field(min_length=2)


class Seeds(Record):
    """A model's ``seeds.json``: the seeds it was trained with, that of the model itself first.

    ``identity``: that of the model itself (see :class:`pcf_core.records.ModelSpec`), of whose weights this is
    said, whatever folder they lie in; ``model``: the name that it had when it was measured.
    """

    model: str
    identity: str = Field(min_length=1)
    seeds: tuple[int, ...] = Field(min_length=2)
    measured: tuple[SeedsMeasured, ...]

    @model_validator(mode="after")
    def _every_seed_is_measured_once(self) -> Self:
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"a seed stands twice among {self.seeds}")
        for measured in self.measured:
            if tuple(risk.seed for risk in measured.risks) != self.seeds:
                raise ValueError(f"the risks on {measured.topic} are not of the seeds {self.seeds}")
        return self


@dataclass(frozen=True)
class SeedSpread:
    """One quantity, R, R^p or R^c, of one recipe trained with several seeds.

    ``risks``: by seed, that of the model itself first.  ``bound``: by how much two trainings of this recipe
    may differ, at ``level``, going by these; see :func:`pcf_core.stats.seeds.seed_bound`.  ``topic``,
    ``templates``, ``evidence``: names of what it was measured on.
    """

    model: str
    quantity: str
    topic: str
    templates: str
    evidence: str
    seeds: tuple[int, ...]
    risks: tuple[float, ...]
    bound: float
    level: float

    @property
    def range(self) -> float:
        """The largest less the smallest."""
        return max(self.risks) - min(self.risks)
