"""A whole report of runs and text audits: sections in order, unique names, no date but the request's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pcf_core.audit.results import Read, load_result
from pcf_core.core.errors import InputError
from pcf_core.core.run import RunSpec
from pcf_core.report.answer import answer_of, keys_elsewhere
from pcf_core.report.loaded import Study, load_studies
from pcf_core.report.panels import legible, part_of
from pcf_core.report.provenance import facts_of_run, facts_of_texts, writing_versions
from pcf_core.report.records import (
    MAPPING,
    POLICY,
    SHORT,
    TITLES,
    WITH_ANSWER,
    ReportDocument,
    ReportPart,
    ReportRequest,
    ReportSection,
    RunFacts,
)
from pcf_core.report.reproducing import criteria_command, fairpair_command, section_command
from pcf_core.report.sections.criteria import criteria_panels
from pcf_core.report.sections.factors import factor_parts
from pcf_core.report.sections.fairpair import fairpair_panels, labels
from pcf_core.report.sections.heat_map import heat_map_parts
from pcf_core.report.sections.knowledge import knowledge_commands, knowledge_parts
from pcf_core.report.sections.mapping import mapping_parts
from pcf_core.report.sections.policy import keys_of, policy_commands, policy_parts
from pcf_core.report.sections.risk import (
    comparison_parts,
    corrected_parts,
    occupation_parts,
    risk_parts,
    shared_parts,
)
from pcf_core.report.sections.summary import (
    against_parts,
    answer_parts,
    check_parts,
    headline,
    limit_parts,
    method_parts,
    provenance_parts,
    summary_parts,
    sure_parts,
)
from pcf_core.report.sections.tails import tail_parts
from pcf_core.report.sections.tested import conclude_parts, tested_parts
from pcf_core.report.sections.tilt import tilt_parts
from pcf_core.show.answer import Answer
from pcf_core.show.findings.numbers import count, listed
from pcf_core.show.names import speaking_of, with_titles, worded
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import FairPairResult

QUESTION = (
    "How much do these models discriminate, against whom, is it fixed, or does it change with the sentence, "
    "and how sure are we?"
)
SHORT_QUESTION = "Which model prefers whom, how much, and how sure is that?"
QUESTIONS = {
    "tested": "Which models, on which topic, with which sentences?",
    "answer": "How large is the risk?",
    "against": "Whom do the models prefer, and in which occupations?",
    "sure": "How far can these numbers be trusted?",
    "conclude": "What do these numbers not show?",
    "check": "How does somebody else come to the same numbers?",
    "summary": "How much do these models discriminate?",
    "method": "What was measured, and how?",
    "risk": "How much does each model discriminate, and is it fixed, or does it change with the sentence?",
    "corrected": "How much of the prejudice comes from having few sentences?",
    "shared": "Is a preference that of single occupations, or of all, as of a person in general?",
    "tilt": "Which group does each model prefer?",
    "occupations": "For which occupations is the risk highest?",
    "heat-map": "Which words are likely, occupation by occupation, sentence by sentence?",
    "tails": "Are a few occupations treated far more capriciously than the rest?",
    "factors": "Does it go with pay, education, women's share or the word's frequency?",
    "compare": "How do the models differ, and is that more than chance?",
    "knowledge": "What do they know, and how surely?",
    "fairpair": "Does a model write differently about another person?",
    "criteria": "Does gender change what it writes and whom it believes?",
    "limits": "What can these numbers not say?",
    "provenance": "Where does each number come from, and how is it made again?",
    POLICY: "Does each model keep the limits that were set?",
    MAPPING: "What do regulations ask for, and what of it is in this report?",
}
MOST_NAMED = 4


@dataclass(frozen=True)
class Texts:
    """The results of the text audits that a request names."""

    fairpair: Sequence[FairPairResult] = ()
    criteria: Sequence[CriteriaResult] = ()


@dataclass(frozen=True)
class _Sources:
    """What sections are made of.

    ``answers``: by study.  ``facts``: of runs, then text audits.  ``written``: the sections before.
    """

    store: Store
    request: ReportRequest
    studies: Sequence[Study]
    texts: Texts
    answers: Sequence[Answer]
    facts: Sequence[RunFacts]
    read: Read
    written: list[ReportSection]

    def parts(self, write: Callable[[Study], Sequence[ReportPart]]) -> list[ReportPart]:
        """Write the reliable models of every study."""
        parts = []
        for study in self.reliable:
            if study.runs:
                with speaking_of(study.first.run):
                    parts += _of_study(write(study), study, self.studies)
        return parts

    @cached_property
    def reliable(self) -> list[Study]:
        """The studies' reliable models, made once for their caches."""
        return [study.reliable for study in self.studies]


# Writers of the sections; a section without parts is left out.
PARTS: Mapping[str, Callable[[_Sources], list[ReportPart]]] = {
    "tested": lambda of: [
        part for study in of.studies for part in _of_study(tested_parts(study), study, of.studies)
    ],
    "conclude": lambda of: conclude_parts(),
    "answer": lambda of: answer_parts(of.studies, of.texts.fairpair, of.texts.criteria),
    "against": lambda of: of.parts(against_parts),
    "sure": lambda of: sure_parts(of.studies, of.answers),
    "check": lambda of: check_parts(of.studies, of.facts),
    "summary": lambda of: summary_parts(of.studies, of.texts.fairpair, of.texts.criteria),
    "method": lambda of: method_parts(of.studies, bool(of.texts.fairpair or of.texts.criteria)),
    "risk": lambda of: of.parts(risk_parts),
    "corrected": lambda of: of.parts(corrected_parts),
    "shared": lambda of: of.parts(lambda study: shared_parts(study, of.store)),
    "tilt": lambda of: of.parts(tilt_parts),
    "occupations": lambda of: of.parts(occupation_parts),
    "heat-map": lambda of: of.parts(heat_map_parts),
    "tails": lambda of: of.parts(tail_parts),
    "factors": lambda of: of.parts(factor_parts),
    "compare": lambda of: of.parts(comparison_parts),
    "knowledge": lambda of: knowledge_parts(of.store, of.request.knowledge, of.studies),
    "fairpair": lambda of: list(map(part_of, fairpair_panels(of.texts.fairpair))),
    "criteria": lambda of: list(map(part_of, criteria_panels(of.texts.criteria))),
    "limits": lambda of: limit_parts(of.studies),
    "provenance": lambda of: provenance_parts(of.facts),
    POLICY: lambda of: policy_parts(of.store, of.request, of.studies, of.read),
    MAPPING: lambda of: mapping_parts(of.request.mappings, of.written, of.facts),
}
# Commands that reproduce a section; for others the runs' own commands do.
COMMANDS: Mapping[str, Callable[[_Sources], list[str]]] = {
    "knowledge": lambda of: knowledge_commands(of.request.knowledge, of.studies),
    "fairpair": lambda of: [
        fairpair_command(one.asked) for one in of.texts.fairpair if not one.asked.imported
    ],
    "criteria": lambda of: [
        criteria_command(of.store, one.asked) for one in of.texts.criteria if not one.asked.imported
    ],
    POLICY: lambda of: policy_commands(keys_of(of.studies)),
}


def write_report(
    store: Store, request: ReportRequest, texts: Texts | None = None, read: Read = load_result
) -> ReportDocument:
    """Write a whole report, the same for the same request and cache.

    ``texts``: results of the request's text audits, in order.  ``read``: loads a run's preferences.  Raises
    InputError if ``texts`` lacks an audit, AuditError if a run is unknown, not finished or unreadable under
    these options.
    """
    texts = texts or Texts()
    _check_brought(request, texts)
    studies = load_studies(store, request, read)
    with speaking_of(*(study.first.run for study in studies)):
        return _write(store, _without_path(request), texts, studies, read)


def _write(
    store: Store, request: ReportRequest, texts: Texts, studies: Sequence[Study], read: Read
) -> ReportDocument:
    runs = tuple(facts_of_run(store, label, study) for study in studies for label in study.runs)
    audits = _text_facts(store, texts)
    answers = [answer_of(study, store, request.elsewhere, read) for study in studies]
    sections: list[ReportSection] = []
    sources = _Sources(store, request, studies, texts, answers, (*runs, *audits), read, sections)
    for name in request.contents:
        if parts := PARTS[name](sources):
            if name in SHORT:
                parts = list(map(legible, parts))
            commands = COMMANDS[name](sources) if name in COMMANDS else []
            sections.append(
                ReportSection(
                    name=name,
                    title={**TITLES, **WITH_ANSWER}[name],
                    question=worded(QUESTIONS[name]),
                    parts=tuple(parts),
                    commands=(section_command(request, "answer" if name in WITH_ANSWER else name), *commands),
                )
            )
    return _told_apart(
        ReportDocument(
            request=request,
            title=_title_of(studies, texts),
            subtitle="; ".join(study.title for study in studies) or "Text audits",
            question=QUESTION if "summary" in request.sections else SHORT_QUESTION,
            headline=headline(studies, answers, texts.fairpair),
            sections=tuple(sections),
            runs=runs,
            texts=audits,
            versions=writing_versions(),
        )
    )


def keys_in_other_sentences(store: Store, request: ReportRequest) -> tuple[str, ...]:
    """List the finished runs by which a report can compare its answer with other sentences."""
    finished = [info.run for info in store.runs() if info.complete]
    studies = load_studies(store, request)
    return tuple(dict.fromkeys(key for study in studies for key in keys_elsewhere(study, finished)))


def _without_path(request: ReportRequest) -> ReportRequest:
    """Reduce a file of weights in the request to its name, so that a report has no paths."""
    name = request.options.get("occupation_weights", "")
    return request.model_copy(
        update={"options": {**request.options, "occupation_weights": Path(name).name}} if name else {}
    )


def _of_study(parts: Sequence[ReportPart], study: Study, studies: Sequence[Study]) -> list[ReportPart]:
    """Write a study's parts, with its title if there are several."""
    if len(studies) == 1:
        return list(parts)
    titled = []
    for index, part in enumerate(parts):
        title = " — ".join(filter(None, (study.title if part.title or index == 0 else "", part.title)))
        tables = tuple(
            table.model_copy(update={"title": f"{study.title} — {table.title}"}) for table in part.tables
        )
        titled.append(part.model_copy(update={"title": title, "tables": tables}))
    return titled


def _text_facts(store: Store, texts: Texts) -> tuple[RunFacts, ...]:
    fairpairs = zip(labels(texts.fairpair), texts.fairpair, strict=True)
    return (
        *(facts_of_texts(store, f"FairPair of {name}", one) for name, one in fairpairs),
        *(
            facts_of_texts(store, f"Criteria of {one.asked.name}: {one.asked.experiment}", one)
            for one in texts.criteria
        ),
    )


def _check_brought(request: ReportRequest, texts: Texts) -> None:
    brought = tuple(one.asked.hash for one in texts.fairpair), tuple(one.asked.hash for one in texts.criteria)
    named = request.fairpair, request.criteria
    if brought != named:
        missing = [
            key for wanted, got in zip(named, brought, strict=True) for key in wanted if key not in got
        ]
        raise InputError(
            f"No finished result of the text audit {', '.join(missing) or 'that was asked for'} is in the "
            "cache: run it first, or leave it out."
        )


def _title_of(studies: Sequence[Study], texts: Texts) -> str:
    models = dict.fromkeys(item.run.scoring.name for study in studies for item in study.runs.values())
    models |= dict.fromkeys(one.asked.key.name for one in texts.fairpair)
    models |= dict.fromkeys(one.asked.name for one in texts.criteria)
    names = list(models)
    shown = with_titles(listed(names)) if len(names) <= 4 else f"{len(names)} models"
    topics = list(dict.fromkeys(study.first.run.topic.title for study in studies))
    return f"Discrimination audit of {shown}{f': {listed(topics)}' if topics else ''}"


def _told_apart(document: ReportDocument) -> ReportDocument:
    """Add numbers to names of figures and tables that are not unique: the second *risk* is *risk-2*."""
    seen: Counter[str] = Counter()

    def own(name: str) -> str:
        seen[name] += 1
        return name if seen[name] == 1 else f"{name}-{seen[name]}"

    def named(part: ReportPart) -> ReportPart:
        figure = part.figure and part.figure.model_copy(update={"name": own(f"figure-{part.figure.name}")})
        tables = tuple(table.model_copy(update={"name": own(table.name)}) for table in part.tables)
        return part.model_copy(update={"figure": figure, "tables": tables})

    sections = tuple(
        section.model_copy(update={"parts": tuple(map(named, section.parts))})
        for section in document.sections
    )
    return document.model_copy(update={"sections": sections})


def contents_finding(runs: Sequence[RunSpec], facts: int, fairpair: int, criteria: int) -> str:
    """Say before a report is made what it will contain; "" for nothing."""
    parts = []
    for topic in dict.fromkeys(run.topic.title for run in runs):
        models = list(dict.fromkeys(run.scoring.name for run in runs if run.topic.title == topic))
        parts.append(f"{_named(models)} on “{topic}”")
    parts += [count(facts, "set of facts", "sets of facts")] if facts else []
    parts += [f"{count(fairpair, 'result')} of FairPair"] if fairpair else []
    parts += [f"{count(criteria, 'experiment')} of the criteria"] if criteria else []
    if not parts:
        return ""
    return f"The report covers {listed(parts)}."


def made_finding(document: ReportDocument) -> str:
    """Say how much a report contains."""
    findings = sum(len(part.findings) for section in document.sections for part in section.parts)
    return (
        f"{count(len(document.sections), 'section')} with {count(findings, 'finding')}, "
        f"{count(len(document.figures), 'chart')} and {count(len(document.tables), 'table')}."
    )


def _named(models: Sequence[str]) -> str:
    if len(models) <= MOST_NAMED:
        return listed(models)
    return f"{', '.join(models[:MOST_NAMED])} and {count(len(models) - MOST_NAMED, 'further model')}"
