"""Loading for pages: the caches of results, keyed by run key and view options, never by arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pcf_core.audit import Result, ViewOptions, build_run, load_result, report
from pcf_core.errors import AuditError, RunError
from pcf_core.jobs import Queue
from pcf_core.models import resolve
from pcf_core.records import Protocol, RiskReport, RunSpec
from pcf_core.settings import settings
from pcf_core.store import Store
from pcf_core.topics import load_evidence, load_templates, load_topic

if TYPE_CHECKING:
    from pcf_core.ui.choice import Choice


@dataclass(frozen=True)
class LoadedRun:
    """A finished run, read under the view options."""

    run: RunSpec
    result: Result
    report: RiskReport


@dataclass(frozen=True)
class Loaded:
    """What a page can show: finished runs by model, runs that are not scored yet, and refusals."""

    choice: Choice
    runs: Mapping[str, LoadedRun]
    missing: Mapping[str, RunSpec]
    refused: Mapping[str, str]

    @property
    def reports(self) -> dict[str, RiskReport]:
        return {name: loaded.report for name, loaded in self.runs.items()}

    @property
    def first(self) -> LoadedRun:
        return next(iter(self.runs.values()))


@st.cache_resource(show_spinner=False)
def open_store() -> Store:
    return Store.open(settings().cache, settings().results)


@st.cache_resource(show_spinner=False)
def open_queue() -> Queue:
    return Queue.open(settings().catalogue)


def scored_models() -> tuple[str, ...]:
    """Names of the models that have a run in the store."""
    return tuple(dict.fromkeys(info.run.scoring.model for info in open_store().runs() if info.complete))


@st.cache_resource(show_spinner=False, max_entries=24)
def cached_result(run_key: str, protocol: Protocol, _run: RunSpec) -> Result:
    """A finished run's preferences; shared between sessions and never changed."""
    return load_result(open_store(), _run, protocol)


@st.cache_resource(show_spinner="Working out risks and intervals …", max_entries=64)
def cached_report(run_key: str, options: str, _run: RunSpec) -> RiskReport:
    """A finished run's report under view options (as JSON); shared between sessions and never changed."""
    view = ViewOptions.model_validate_json(options)
    return report(cached_result(run_key, view.protocol, _run), _run, view)


def run_of(choice: Choice, model: str) -> RunSpec:
    """The run a choice means for one model: found in the store by name, else built from the model's files.

    Raises:
        AuditError: an unknown model, topic, template set or list.
    """
    topic, evidence = load_topic(choice.topic), load_evidence(choice.evidence)
    templates = load_templates(choice.templates)
    return build_run(resolve(model), topic, evidence, templates, choice.options.protocol)


def load(choice: Choice) -> Loaded:
    """Everything the choice asks for, sorted into finished, not scored yet, and refused."""
    runs: dict[str, LoadedRun] = {}
    missing: dict[str, RunSpec] = {}
    refused: dict[str, str] = {}
    for model in choice.models:
        try:
            run = run_of(choice, model)
            try:
                runs[model] = LoadedRun(
                    run,
                    cached_result(run.key, choice.options.protocol, run),
                    cached_report(run.key, choice.options.model_dump_json(), run),
                )
            except RunError:
                missing[model] = run
        except AuditError as error:
            refused[model] = str(error)
    return Loaded(choice, runs, missing, refused)


def all_reports(loaded: Loaded, most: int = 30) -> dict[str, RiskReport]:
    """Reports of every finished run of the store on the loaded topic, under the loaded view options."""
    options = loaded.choice.options
    found: dict[str, RiskReport] = {}
    for info in open_store().runs():
        run = info.run
        if not info.complete or run.topic.name != loaded.first.run.topic.name or len(found) == most:
            continue
        same = run.templates.name == loaded.first.run.templates.name
        label = run.scoring.model if same else f"{run.scoring.model} · {run.templates.title}"
        try:
            found[label] = cached_report(run.key, options.model_dump_json(), run)
        except AuditError:
            continue  # a damaged run, or a weighting its list does not allow: its own pages say so
    return found
