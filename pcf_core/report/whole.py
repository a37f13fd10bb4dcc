"""A whole report of runs and text audits: sections in order, names told apart, nothing of the day in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pcf_core.audit.results import Read, load_result
from pcf_core.core.errors import InputError
from pcf_core.core.run import RunSpec
from pcf_core.report.loaded import Study, load_studies
from pcf_core.report.panels import part_of
from pcf_core.report.provenance import facts_of_criteria, facts_of_fairpair, facts_of_run, writing_versions
from pcf_core.report.records import (
    POLICY,
    TITLES,
    ReportDocument,
    ReportPart,
    ReportRequest,
    ReportSection,
    RunFacts,
)
from pcf_core.report.reproducing import criteria_command, fairpair_command, section_command
from pcf_core.report.sections.closing import limit_parts, method_parts, provenance_parts
from pcf_core.report.sections.comparison import comparison_parts
from pcf_core.report.sections.criteria import criteria_panels
from pcf_core.report.sections.factors import factor_parts
from pcf_core.report.sections.fairpair import fairpair_panels, labels
from pcf_core.report.sections.heat_map import heat_map_parts
from pcf_core.report.sections.knowledge import knowledge_commands, knowledge_parts
from pcf_core.report.sections.policy import keys_of, policy_commands, policy_parts
from pcf_core.report.sections.risk import corrected_parts, occupation_parts, risk_parts, shared_parts
from pcf_core.report.sections.summary import (
    against_parts,
    answer_parts,
    check_parts,
    headline,
    summary_parts,
    sure_parts,
)
from pcf_core.report.sections.tails import tail_parts
from pcf_core.report.sections.tilt import tilt_parts
from pcf_core.show.findings.numbers import count, listed
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import FairPairResult

QUESTION = (
    "How much do these models discriminate, against whom, is it fixed, or does it change with the sentence, "
    "and how sure are we?"
)
SHORT_QUESTION = "Which model favours whom, how much, and how sure is that?"
QUESTIONS = {
    "answer": "How much do these models discriminate?",
    "against": "Whom do they favour, and in which occupations?",
    "sure": "How far can these numbers be trusted?",
    "check": "How does somebody else come to the same numbers?",
    "summary": "How much do these models discriminate?",
    "method": "What was measured, and how?",
    "risk": "How much does each model discriminate, and is it fixed, or does it change with the sentence?",
    "corrected": "How much of the prejudice do few contexts make?",
    "shared": "Is a lean that of single occupations, or of all, as of a person in general?",
    "tilt": "Which way does it lean?",
    "occupations": "For which occupations is the risk highest?",
    "heat-map": "Which words does the model expect, occupation by occupation, context by context?",
    "tails": "Are a few occupations treated far more capriciously than the rest?",
    "factors": "Does it go with pay, education, women's share or the word's frequency?",
    "compare": "How do the models differ, and is that more than chance?",
    "knowledge": "What do they know, and how surely?",
    "fairpair": "Does a model write differently about another person?",
    "criteria": "Does gender change what it writes and whom it believes?",
    "limits": "What can these numbers not say?",
    "provenance": "Where does each number come from, and how is it made again?",
    POLICY: "Does each model keep the limits that were set?",
}
BY_STUDY: dict[str, Callable[[Study], Sequence[ReportPart]]] = {
    "risk": risk_parts,
    "corrected": corrected_parts,
    "tilt": tilt_parts,
    "occupations": occupation_parts,
    "heat-map": heat_map_parts,
    "tails": tail_parts,
    "factors": factor_parts,
    "compare": comparison_parts,
}
MOST_NAMED = 4


@dataclass(frozen=True)
class Texts:
    """Results of text audits, those that a request names: whoever can read them brings them."""

    fairpair: Sequence[FairPairResult] = ()
    criteria: Sequence[CriteriaResult] = ()


def write_report(
    store: Store, request: ReportRequest, texts: Texts | None = None, read: Read = load_result
) -> ReportDocument:
    """Write a whole report, the same for the same request and the same cache.

    Parameters
    ----------
    store
        Where the runs are.
    request
        What is to be in it.
    texts
        The results of the text audits of the request, in its order.
    read
        What gives a run's preferences; by default the kept aggregates.

    Raises
    ------
    InputError
        A text audit of the request was not brought.
    RunError
        A run is unknown, not finished, or cannot be read under these options.
    AuditError
        Something else of it cannot be read.
    """
    texts = texts or Texts()
    check_brought(request, texts)
    studies = load_studies(store, request, read)
    request = without_path(request)
    runs = tuple(facts_of_run(store, label, study) for study in studies for label in study.runs)
    audits = text_facts(store, texts)
    sections = []
    for name in request.contents:
        parts, commands = section_of(name, store, request, studies, texts, (*runs, *audits), read)
        if parts:
            sections.append(
                ReportSection(
                    name=name,
                    title=TITLES[name],
                    question=QUESTIONS[name],
                    parts=tuple(parts),
                    commands=(section_command(request, name), *commands),
                )
            )
    return told_apart(
        ReportDocument(
            request=request,
            title=title_of(studies, texts),
            subtitle="; ".join(study.title for study in studies) or "Text audits",
            question=QUESTION if "summary" in request.sections else SHORT_QUESTION,
            headline=headline(store, studies, texts.fairpair, "answer" in request.sections),
            sections=tuple(sections),
            runs=runs,
            texts=audits,
            versions=writing_versions(),
        )
    )


def without_path(request: ReportRequest) -> ReportRequest:
    """Reduce a file of weights in the request to its name: a report names no place on a disk."""
    name = request.options.get("occupation_weights", "")
    return request.model_copy(
        update={"options": {**request.options, "occupation_weights": Path(name).name}} if name else {}
    )


def section_of(
    name: str,
    store: Store,
    request: ReportRequest,
    studies: Sequence[Study],
    texts: Texts,
    facts: Sequence[RunFacts],
    read: Read,
) -> tuple[list[ReportPart], list[str]]:
    """Write one section, nothing where it is empty; of answers and texts the commands that ask anew."""
    if name in BY_STUDY:
        return [part for study in studies for part in of_study(BY_STUDY[name](study), study, studies)], []
    if name == "shared":
        return [
            part for study in studies for part in of_study(shared_parts(study, store), study, studies)
        ], []
    if name == "summary":
        return summary_parts(studies, texts.fairpair, texts.criteria), []
    if name == POLICY:
        assert request.policy is not None  # else there is no such section
        return (
            policy_parts(store, request.policy, studies, read),
            policy_commands(keys_of(studies)),
        )
    if name == "knowledge":
        parts = knowledge_parts(store, request.knowledge, studies)
        return parts, knowledge_commands(request.knowledge, studies)
    if name == "fairpair":
        commands = [fairpair_command(one.asked) for one in texts.fairpair if not one.asked.imported]
        return list(map(part_of, fairpair_panels(texts.fairpair))), commands
    if name == "criteria":
        commands = [criteria_command(store, one.asked) for one in texts.criteria if not one.asked.imported]
        return list(map(part_of, criteria_panels(texts.criteria))), commands
    if name == "answer":
        return answer_parts(studies, texts.fairpair, texts.criteria), []
    closing = {
        "against": lambda: against_parts(studies),
        "sure": lambda: sure_parts(studies),
        "check": lambda: check_parts(facts),
        "method": lambda: method_parts(studies, bool(texts.fairpair or texts.criteria)),
        "limits": lambda: limit_parts(studies),
        "provenance": lambda: provenance_parts(facts),
    }
    return closing[name](), []


def of_study(parts: Sequence[ReportPart], study: Study, studies: Sequence[Study]) -> list[ReportPart]:
    """Write one study; where there are several, under its title, which its tables have too."""
    if len(studies) == 1:
        return list(parts)
    found = []
    for index, part in enumerate(parts):
        title = " — ".join(filter(None, (study.title if part.title or index == 0 else "", part.title)))
        tables = tuple(
            table.model_copy(update={"title": f"{study.title} — {table.title}"}) for table in part.tables
        )
        found.append(part.model_copy(update={"title": title, "tables": tables}))
    return found


def text_facts(store: Store, texts: Texts) -> tuple[RunFacts, ...]:
    """Return the provenance of the text audits."""
    names = labels(texts.fairpair)
    fairpairs = [
        facts_of_fairpair(f"FairPair of {name}", one) for name, one in zip(names, texts.fairpair, strict=True)
    ]
    criteria = [
        facts_of_criteria(store, f"Criteria of {one.asked.model}: {one.asked.experiment}", one)
        for one in texts.criteria
    ]
    return (*fairpairs, *criteria)


def check_brought(request: ReportRequest, texts: Texts) -> None:
    """Refuse where the results are not those that are asked for."""
    brought = tuple(one.asked.hash for one in texts.fairpair), tuple(one.asked.hash for one in texts.criteria)
    asked = request.fairpair, request.criteria
    if brought != asked:
        missing = [
            key for wanted, got in zip(asked, brought, strict=True) for key in wanted if key not in got
        ]
        raise InputError(
            f"No finished result of the text audit {', '.join(missing) or 'that was asked for'} is in the "
            "cache: run it first, or leave it out."
        )


def title_of(studies: Sequence[Study], texts: Texts) -> str:
    """Make a title: which models, on what."""
    models = dict.fromkeys(item.run.scoring.name for study in studies for item in study.runs.values())
    models |= dict.fromkeys(one.asked.key.model for one in texts.fairpair)
    models |= dict.fromkeys(one.asked.model for one in texts.criteria)
    names = list(models)
    shown = listed(names) if len(names) <= 4 else f"{len(names)} models"
    topics = list(dict.fromkeys(study.first.run.topic.title for study in studies))
    return f"Discrimination audit of {shown}{f': {listed(topics)}' if topics else ''}"


def told_apart(document: ReportDocument) -> ReportDocument:
    """Tell figures and tables of one name apart by a number: the second *risk* is *risk-2*."""
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
    """Say before it is made whose runs on which topics, how many sets and audits; empty for none."""
    parts = []
    for topic in dict.fromkeys(run.topic.title for run in runs):
        models = list(dict.fromkeys(run.scoring.name for run in runs if run.topic.title == topic))
        parts.append(f"{_named(models)} on “{topic}”")
    parts += [count(facts, "set of facts", "sets of facts")] if facts else []
    parts += [f"{count(fairpair, 'result')} of FairPair"] if fairpair else []
    parts += [f"{count(criteria, 'experiment')} of the criteria"] if criteria else []
    if not parts:
        return ""
    return f"The report tells of {listed(parts)}."


def made_finding(document: ReportDocument) -> str:
    """Say once it is made how much is in it."""
    findings = sum(len(part.findings) for section in document.sections for part in section.parts)
    return (
        f"{count(len(document.sections), 'section')} with {count(findings, 'finding')}, "
        f"{count(len(document.figures), 'chart')} and {count(len(document.tables), 'table')}."
    )


def _named(models: Sequence[str]) -> str:
    if len(models) <= MOST_NAMED:
        return listed(models)
    return f"{', '.join(models[:MOST_NAMED])} and {count(len(models) - MOST_NAMED, 'further model')}"
