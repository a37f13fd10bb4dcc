"""Where the numbers of a run or text audit come from, for pages and reports."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from math import isnan
from pathlib import Path
from typing import Any

import pcf_core
from pcf_core.audit.options import ViewOptions, in_words, word_scoring
from pcf_core.audit.results import Report
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import declared, link_values
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.report.documents import RISKS
from pcf_core.report.loaded import Study, effective_text
from pcf_core.report.records import RiskNumber, RunFacts
from pcf_core.report.reproducing import (
    asked_material,
    criteria_command,
    fairpair_command,
    risk_command,
    score_command,
)
from pcf_core.show.findings.fairpair import decoding_text, ends_finding, perturber_finding
from pcf_core.show.findings.models import unseen_share
from pcf_core.show.findings.notes import (
    coverage_facts,
    frame_note,
    look_finding,
    opening_facts,
    self_audit_facts,
)
from pcf_core.show.findings.numbers import count, percent
from pcf_core.show.findings.provenance import imported_facts, imported_note
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import EncoderKey, FairPairAsked, FairPairResult

# Every view option that changes numbers, in words.
READING: Mapping[str, Callable[[ViewOptions], str]] = {
    "word scoring": lambda options: word_scoring(options.protocol),
    "criterion J": lambda options: in_words(options, "criterion"),
    "scale": lambda options: in_words(options, "scale"),
    "neutral point": lambda options: in_words(options, "reference"),
    "weights of occupations": lambda options: occupation_weights_text(options),
    "weights of templates": lambda options: in_words(options, "template_weighting"),
    "a group's words": lambda options: in_words(options, "aggregation"),
}
WROTE_WITH = ("numpy", "scipy", "statsmodels", "pandas", "plotly")  # what computed the report's numbers


def writing_versions() -> dict[str, str]:
    """Return the versions of this program and the libraries that compute a report."""
    versions = {"pcf_core": pcf_core.__version__, "python": platform.python_version()}
    for name in WROTE_WITH:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # statsmodels is loaded only where lines are fitted
            versions[name] = "not installed"
    return versions


def model_facts(key: ScoringKey | GenerationKey) -> dict[str, str]:
    """Return weights, tokenizer, rules and precision of a model."""
    return {
        "weights and configuration (SHA-256, or revision)": key.identity,
        "tokenizer": key.tokenizer,
        "family and rules": f"{key.family}, rules {key.rules}",
        **opening_facts(key.opening),
        "precision": key.dtype,
    }


def reading_of(facts: Mapping[str, str]) -> dict[str, str]:
    """Select the facts on a run's view options."""
    return {name: facts[name] for name in READING if name in facts}


def without_path(options: ViewOptions) -> ViewOptions:
    """Reduce a file of weights in the options to its name, so that a report has no paths."""
    return options.model_copy(update={"occupation_weights": Path(options.occupation_weights).name})


def occupation_weights_text(options: ViewOptions) -> str:
    """Say how occupations are weighted."""
    named = without_path(options)
    if is_file(named.occupation_weights):
        return f"the file {named.occupation_weights}"
    return in_words(named, "occupation_weights")


def is_file(weights: str) -> bool:
    """Return whether weights of occupations come from a file."""
    return weights not in declared(ViewOptions)["occupation_weights"].offered


def run_facts(item: Report, options: ViewOptions) -> dict[str, str]:
    """Return the facts about a run by name, in reading order."""
    report = item.report
    return {
        "run": item.key,
        **model_facts(item.run.scoring),
        **({} if (frame := item.run.scoring.frame) is None else {"frame": frame_note("the model", frame)}),
        **{name: text(options) for name, text in READING.items()},
        "effective number of templates": effective_text(report),
        **({} if report.sampling is None else {"sampling plan": look_finding(report.sampling)}),
        **coverage_facts(item.result.coverage),
        **self_audit_facts(item.result.self_audit),
    }


def list_hashes(run: RunSpec) -> dict[str, str]:
    """Return the hashes of topic, list and templates by name."""
    return {
        f"topic {run.topic.name}": run.topic.hash,
        f"list {run.evidence.name}": run.evidence.hash,
        f"templates {run.templates.name}": run.templates.hash,
    }


def facts_of_run(store: Store, label: str, study: Study) -> RunFacts:
    """Return the risks of a study's run, and everything stored about it."""
    item, options = study.runs[label], study.options
    run, report = item.run, item.report
    provenance = store.run_info(item.key).provenance
    facts = run_facts(item, options) | _device_facts(provenance) | imported_facts(provenance)
    note = imported_note(label, provenance)
    return RunFacts(
        label=label,
        run=item.key,
        scoring_hash=run.scoring.hash,
        scoring=_texts_of(run.scoring.model_dump(mode="json")),
        hashes=list_hashes(run),
        versions=_texts_of(provenance.get("versions")),
        facts=facts,
        left_out=report.left_out,
        warnings=(*([note] if note else []), *report.warnings),
        commands=(
            *(() if run.scoring.imported else (score_command(run),)),
            risk_command(item.key, without_path(options)),
        ),
        measured=study.title,
        risks={} if isnan(report.overall_risk) else risk_numbers(report, study.whole_reports.get(label)),
        reliable=not report.says_little,
        options=link_values(without_path(options)),
    )


def risk_numbers(report: RiskReport, whole: RiskReport | None = None) -> dict[str, RiskNumber]:
    """Return R and its parts with intervals, also those of ``whole``, and what a caprice of 0 may hide."""
    numbers = {}
    for name in RISKS:
        more = whole.interval(name) if whole else None
        intervals = (*report.intervals.get(name, ()), *([more] if more else []))
        numbers[name] = RiskNumber(value=getattr(report, name), intervals=intervals)
    if report.caprice_risk == 0:  # an interval from 0 to 0 would look certain
        unseen = {"unseen": unseen_share(report.effective_templates)}
        numbers["caprice_risk"] = numbers["caprice_risk"].model_copy(update=unseen)
    return numbers


def facts_of_texts(store: Store, label: str, result: FairPairResult | CriteriaResult) -> RunFacts:
    """Return the same of a text audit."""
    request, provenance = result.asked, result.provenance
    note = imported_note(label, provenance)
    if isinstance(result, FairPairResult):
        hashes, facts = fairpair_hashes(result.asked), fairpair_facts(result)
        command = fairpair_command(result.asked)
    else:
        hashes, facts = {"material": result.asked.material}, criteria_facts(store, result)
        command = criteria_command(store, result.asked)
    versions = {name: provenance.get(name) for name in ("pcf_core", "pipeline")}
    return RunFacts(
        label=label,
        run=request.hash,
        scoring_hash=request.key.hash,
        scoring=_texts_of(request.key.model_dump(mode="json")),
        hashes=hashes,
        versions=_texts_of(provenance.get("versions")) | _texts_of(versions),
        facts=facts,
        left_out=() if isinstance(result, FairPairResult) else result.left_out,
        warnings=(note,) if note else (),
        commands=() if request.imported else (command,),
    )


def fairpair_hashes(request: FairPairAsked) -> dict[str, str]:
    """Return the hashes of prompts and table by name."""
    prompts, perturbation = request.prompts, request.perturbation
    return {f"prompts {prompts.name}": prompts.hash, f"table {perturbation.table}": perturbation.hash}


def fairpair_facts(result: FairPairResult) -> dict[str, str]:
    """Return what a FairPair request asked of which model, and how writing and exchanging went."""
    request, prompts, perturbation = result.asked, result.asked.prompts, result.asked.perturbation
    folds = "all with all" if request.fold_size is None else f"in folds of {request.fold_size}"
    return {
        "request": request.hash,
        **model_facts(request.key),
        **_writing_facts(request.key),
        "prompts": f"{prompts.title}, version {prompts.version}, {count(prompts.count, 'prompt')}",
        "exchange": f"{perturbation.title}, mode {perturbation.mode}, {prompts.names[0]} → "
        f"{prompts.names[1]}, parser {perturbation.pipeline}",
        "texts": f"{request.count:,} a side and prompt, {folds}",
        "encoder": "; ".join(map(_encoder_text, request.encoders)) or "none: no embedding distance",
        "categories of words": f"{request.categories.title}, the auditor's own"
        if request.categories
        else "those that come with the app",
        "perturbation's own error": perturber_finding(result.errors),
        "how texts ended": ends_finding(result),
        **_device_facts(result.provenance),
        **imported_facts(result.provenance),
    }


def _writing_facts(key: GenerationKey) -> dict[str, str]:
    return {
        "chat template": key.chat_template or "none: the model goes on from the prompt itself",
        **({} if key.frame is None else {"around each prompt": _frame_text(key.frame)}),
        "decoding": decoding_text(key.decoding),
    }


def _frame_text(frame: TextFrame) -> str:
    if frame.kind == "bare":
        return "nothing, although the model has a chat template"
    parts = [f"the system text “{frame.system}”"] if frame.system else []
    if frame.instruction:
        parts.append(f"the instruction “{frame.instruction}”, to which the answer begins with the prompt")
    return f"a chat with {' and '.join(parts)}"


def _encoder_text(encoder: EncoderKey) -> str:
    return (
        f"{encoder.model}: mean of the last hidden states, float32, rules {encoder.rules}, weights and "
        f"configuration {encoder.identity}, tokenizer {encoder.tokenizer}"
    )


def criteria_facts(store: Store, result: CriteriaResult) -> dict[str, str]:
    """Return what an experiment asked of which model, how it answered, and what was left out."""
    request = result.asked
    facts = {
        "request": request.hash,
        **model_facts(request.key),
        "experiment": f"{request.experiment}, {request.title}",
        "material": asked_material(store, request).text,
        "answers": request.answering,
    }
    if request.generation is not None:
        facts |= {
            "wording": str(request.wording),
            **_writing_facts(request.generation),
            "texts of each prompt": f"{request.repeats:,}",
            "how texts ended": _ends_text(result),
        }
    for what, items in (
        ("words left out", result.left_out),
        ("entries of the file left out", result.entries_left_out),
    ):
        if items:
            facts[what] = "; ".join(f"{item.name}: {item.reason}" for item in items)
    return facts | _device_facts(result.provenance) | imported_facts(result.provenance)


def _ends_text(result: CriteriaResult) -> str:
    whole = sum(result.ends.values())
    if not whole:
        return "no text was written"
    cut = result.ends.get("length", 0)
    return (
        f"{result.ends.get('refused', 0):,} refused and {result.ends.get('empty', 0):,} empty of {whole:,}; "
        f"{percent(cut / whole)} stop at the length limit"
    )


def _device_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    parts = [str(provenance[name]) for name in ("device", "machine") if provenance.get(name)]
    if threads := provenance.get("threads"):
        parts.append(f"{threads} thread{'' if threads == 1 else 's'}")
    text = ", ".join(parts)
    return {"scored on": text} if text else {}


def _texts_of(values: object) -> dict[str, str]:
    """Return the values of a mapping as texts, without missing ones."""
    if not isinstance(values, Mapping):
        return {}
    return {str(name): str(value) for name, value in values.items() if value is not None}
