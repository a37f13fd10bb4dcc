"""Frozen records that cross rooms: the only things that rooms share beside errors and settings.

Axis names used everywhere: ``occupation`` (the evidence X), ``template`` (the context C), ``group`` (the
topic Y), ``word``.  Log-probabilities are natural logarithms (nats); probabilities lie in [0, 1].
What is asked (``topics``, ``templates``, ``run``), scored (``scores``) and reported (``risk``) of a run is
imported from here.  Every further statistic has a file of its own, which is imported by its name.

Layer: numpy, pydantic and errors; nothing else of the core.
"""

from pcf_core.records.base import FloatArray, LeftOut, Record, digest
from pcf_core.records.risk import (
    Aggregation,
    CorrectedRisk,
    Interval,
    Look,
    OccupationRisk,
    Over,
    RiskReport,
    Scale,
    Unit,
)
from pcf_core.records.run import (
    RULES,
    Family,
    ModelSpec,
    Prompts,
    Protocol,
    RunSpec,
    SamplingPlan,
    ScoringKey,
)
from pcf_core.records.scores import (
    LOW_COVERAGE,
    CoverageRange,
    CoverageSummary,
    FlaggedCell,
    Preferences,
    SelfAudit,
    TokenTable,
)
from pcf_core.records.templates import MinedSet, MinedTemplate, SetCard, Template, TemplateSet
from pcf_core.records.topics import Evidence, Group, Topic, Weights

__all__ = [
    "LOW_COVERAGE",
    "RULES",
    "Aggregation",
    "CorrectedRisk",
    "CoverageRange",
    "CoverageSummary",
    "Evidence",
    "Family",
    "FlaggedCell",
    "FloatArray",
    "Group",
    "Interval",
    "LeftOut",
    "Look",
    "MinedSet",
    "MinedTemplate",
    "ModelSpec",
    "OccupationRisk",
    "Over",
    "Preferences",
    "Prompts",
    "Protocol",
    "Record",
    "RiskReport",
    "RunSpec",
    "SamplingPlan",
    "Scale",
    "ScoringKey",
    "SelfAudit",
    "SetCard",
    "Template",
    "TemplateSet",
    "TokenTable",
    "Topic",
    "Unit",
    "Weights",
    "digest",
]
