"""What the store has of one model on one topic, over all audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar, get_args

from pcf_core.app.addresses import Choice
from pcf_core.app.data import Loaded, answered, load, scored_models
from pcf_core.app.lists import all_topics
from pcf_core.app.texts.shared import complete_result
from pcf_core.core.errors import AuditError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.topics import Topic
from pcf_core.models.registry import resolve_writer
from pcf_core.report.sections.tilt import tilts_of
from pcf_core.show.findings.case_file import criterion_row, fairpair_rows, lacking, run_rows, told_apart
from pcf_core.texts.case_file import CaseRow, SharedOccupations, shared_occupations
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaAsked, CriteriaResult
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import FairPairAsked, FairPairResult
from pcf_core.texts.fairpair.report import controlled
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

T = TypeVar("T")
MOST_FAIRPAIRS = 3
WOMEN, MEN = "female", "male"
# FairPair's tables by topic, beside that of gender, which suits every topic with both of its groups.
TABLES = {
    "race": ("race-names",),
    "race-capitalised": ("race-names",),
    "race-gender": ("race-names", "gender"),
    "religion": ("religion",),
    "age": ("age",),
}
NO_TABLE = "no table of counterparts is about this topic"
GENDER_ALONE = "its experiments are about gender alone"
OTHERWISE = "no finished run has these templates, occupations and protocol"
UNREAD = "its run is finished and not read yet"


@dataclass(frozen=True)
class CaseFile:
    """One model on one topic.

    ``loaded``: the run of the sidebar's choice, or what keeps it from being read.  ``fairpairs``,
    ``criteria``: the newest kept results, and ``older`` ones of FairPair that are not shown.  ``shared``:
    ``None`` without stories, or without women's words in the topic.
    """

    model: str
    topic: Topic
    loaded: Loaded
    rows: tuple[CaseRow, ...]
    fairpairs: tuple[FairPairResult, ...] = ()
    criteria: tuple[CriteriaResult, ...] = ()
    older: int = 0
    shared: SharedOccupations | None = None
    tables: tuple[str, ...] = field(default=())

    @property
    def found(self) -> bool:
        """Whether anything was found at all."""
        return any(row.key for row in self.rows)


def known_models(choice: Choice) -> list[str]:
    """List the sidebar's models first, then all that any audit has a result of."""
    written = [request.key.model for request in answered(FAIRPAIR_AUDIT)]
    request = [one.model for one in answered(CRITERIA_AUDIT)]
    return list(dict.fromkeys([*choice.models, *scored_models(), *written, *request]))


def case_file(model: str, choice: Choice) -> CaseFile:
    """Gather what there is; nothing is computed but what is shown.

    Raises
    ------
    AuditError
        The topic is gone, or the store cannot be read.
    """
    topic = topic_of(choice.topic)
    tables = tables_for(topic)
    loaded = _of_one(model, load(replace(choice, models=(model,), precisions=choice.precisions[:1])))
    kept = [
        one for one in answered(FAIRPAIR_AUDIT) if one.key.model == model and one.perturbation.table in tables
    ]
    fairpairs = _fairpairs(kept)
    criteria = _criteria(model) if "gender" in tables else ()
    rows = [*_run_rows(model, loaded), *_fairpair_rows(model, fairpairs, tables)]
    rows += _criteria_rows(model, criteria, tables)
    return CaseFile(
        model=model,
        topic=topic,
        loaded=loaded,
        rows=tuple(rows),
        fairpairs=fairpairs,
        criteria=criteria,
        older=max(0, len(kept) - MOST_FAIRPAIRS),
        shared=_shared(model, loaded, criteria),
        tables=tables,
    )


def _of_one(model: str, loaded: Loaded) -> Loaded:
    """Name what was loaded of one model, in one precision, by the model alone."""

    def named(several: Mapping[str, T]) -> dict[str, T]:
        return {model: next(iter(several.values()))} if several else {}

    return replace(loaded, runs=named(loaded.runs), others=named(loaded.others))


def topic_of(name: str) -> Topic:
    """Return the topic of the sidebar; an unknown name has been refused by what loads the run."""
    topics = all_topics()
    if name not in topics:
        raise AuditError(f"There is no topic {name!r} any more: choose another in the sidebar.")
    return topics[name]


def tables_for(topic: Topic) -> tuple[str, ...]:
    """List FairPair's tables that are about a topic's groups."""
    if {WOMEN, MEN} <= {group.name for group in topic.groups}:
        return ("gender",)
    return TABLES.get(topic.name.partition("@")[0], ())


def _fairpairs(kept: Sequence[FairPairAsked]) -> tuple[FairPairResult, ...]:
    cases = []
    for one in kept[:MOST_FAIRPAIRS]:
        with suppress(LookupError):  # damaged or gone since
            cases.append(complete_result(FAIRPAIR_AUDIT, one.hash))
    return tuple(cases)


def _criteria(model: str) -> tuple[CriteriaResult, ...]:
    """Return the newest result of each experiment in each way of answering."""
    newest: dict[tuple[str, str], CriteriaAsked] = {}
    for request in answered(CRITERIA_AUDIT):
        if request.model == model:
            newest.setdefault((request.experiment, request.answering), request)
    cases = []
    for one in sorted(newest.values(), key=_place):
        with suppress(LookupError):  # damaged or gone since
            cases.append(complete_result(CRITERIA_AUDIT, one.hash))
    return tuple(cases)


def _place(request: CriteriaAsked) -> tuple[int, bool]:
    return get_args(ExperimentName).index(request.experiment), request.answering != "written"


def _run_rows(model: str, loaded: Loaded) -> list[CaseRow]:
    if model in loaded.unread:
        update = {"verdict": "cannot be told", "basis": UNREAD, "key": loaded.unread[model].key}
        return [lacking("bias").model_copy(update=update)]
    if model in loaded.missing:
        return [lacking("bias").model_copy(update={"basis": OTHERWISE})]
    if model not in loaded.runs:
        return [lacking("bias", loaded.refused.get(model, "").rstrip("."))]
    item, over = loaded.runs[model], loaded.over
    tilts = tilts_of(loaded)[model]
    return run_rows(item.report, tilts, over, item.key)


def _fairpair_rows(model: str, results: Sequence[FairPairResult], tables: tuple[str, ...]) -> list[CaseRow]:
    if results:
        reports = controlled([next(iter(result.reports.values())) for result in results])
        pairs = zip(results, reports, strict=True)
        return told_apart([row for result, report in pairs for row in fairpair_rows(result, report)])
    if not tables:
        return [lacking("fairpair", NO_TABLE)]
    try:
        GenerationKey.of(resolve_writer(model), Decoding())
    except AuditError as error:
        return [lacking("fairpair", str(error).rstrip("."))]
    return [lacking("fairpair")]


def _criteria_rows(model: str, results: Sequence[CriteriaResult], tables: tuple[str, ...]) -> list[CaseRow]:
    if "gender" not in tables:
        return [lacking("criteria", GENDER_ALONE)]
    rows = []
    for result in results:
        report = result.report
        rate = report.stereotype_rate if isinstance(report, AnecdotesReport) else None
        rows += [criterion_row(reading, rate, result.asked.hash) for reading in readings_of([report])]
    if rows:
        return rows
    try:
        resolve_writer(model)
    except AuditError as error:
        return [lacking("criteria", str(error).rstrip("."))]
    return [lacking("criteria")]


def _shared(model: str, loaded: Loaded, criteria: Sequence[CriteriaResult]) -> SharedOccupations | None:
    """Match occupations in gaps and in stories; stories that were written go before scores."""
    stories = [result.report for result in criteria if isinstance(result.report, AnecdotesReport)]
    if model not in loaded.runs or not stories or WOMEN not in loaded.runs[model].report.groups:
        return None
    report = min(stories, key=lambda one: one.answering != "written")
    even = loaded.even
    tilts = tilts_of(loaded)[model][WOMEN]
    return shared_occupations(
        {
            row.occupation: (row.stereotype[WOMEN], tilts.interval(row.occupation))
            for row in even[model].occupations
        },
        report.professions,
    )
