"""The page Report: what goes into a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.caching import kept
from pcf_core.app.choice import with_asked
from pcf_core.app.data import Loaded, load, must_wait
from pcf_core.app.policies import choose_policy
from pcf_core.app.run_labels import told_apart
from pcf_core.app.selection import Choice
from pcf_core.app.stores import open_store
from pcf_core.app.widgets import choose_one
from pcf_core.audit.knowledge import missing_answers
from pcf_core.audit.policy import Policy
from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.core.run import SELECTIONS, RunSpec, ScoringKey
from pcf_core.material.knowledge import list_knowledge
from pcf_core.report.records import ALWAYS, SECTIONS, SHORT, ReportRequest
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair.records import FairPairAsked
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

DIGITS = 6
CHOOSABLE = tuple(name for name in SECTIONS if name not in ALWAYS and name not in SHORT)
TWO_PAGES, FULL = "two pages", "full audit"
NO_POLICY = "none"
Asked = TypeVar("Asked", FairPairAsked, CriteriaAsked)


@dataclass(frozen=True)
class Contents:
    """What a report is to hold.

    ``loaded``: the sidebar's choice.  ``runs``: its finished runs, then those that were added.  ``unread``:
    of both, those that are large and that the worker has to read first.  ``knowledge``: sets of facts that
    one of the models was asked.  ``policy``: limits whose verdict is in it.  ``unknown``: what a link names
    and the cache does not have.
    """

    loaded: Loaded
    runs: tuple[RunSpec, ...]
    sections: tuple[str, ...]
    fairpair: tuple[FairPairAsked, ...] = ()
    criteria: tuple[CriteriaAsked, ...] = ()
    knowledge: tuple[str, ...] = ()
    unread: tuple[RunSpec, ...] = ()
    policy: Policy | None = None
    unknown: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it holds nothing to report."""
        return not (self.runs or self.fairpair or self.criteria)

    @property
    def request(self) -> ReportRequest:
        """The request for it.

        Raises
        ------
        InputError
            Nothing is in it, or too much.
        """
        options = self.loaded.options.model_dump(mode="json")
        if options["protocol"] not in SELECTIONS:  # these are taken from any run; else each has its own
            options["protocol"] = ""
        return ReportRequest(
            runs=tuple(run.key for run in self.runs),
            sections=self.sections,
            options=options,
            over=self.loaded.over,
            fairpair=tuple(asked.hash for asked in self.fairpair),
            criteria=tuple(asked.hash for asked in self.criteria),
            knowledge=self.knowledge,
            policy=self.policy if self.runs else None,
        )


def draw_contents(choice: Choice) -> Contents:
    """Draw what can be chosen beside the sidebar: its length, further runs, text audits, sections.

    All of it is in the link.
    """
    # A report holds each run against a neutral point that it has: here none is refused for lacking one.
    even = choice.options.model_copy(update={"reference": "uniform"})
    loaded = replace(load(replace(choice, options=even)), choice=choice)
    shown = [item.run for item in loaded.runs.values()]
    finished = finished_runs()
    keys = {run.key for run in shown}
    others = {label: run for label, run in finished.items() if run.key not in keys}
    form = choose_one(
        "Length",
        [TWO_PAGES, FULL],
        default=FULL if "rp_without" in st.query_params else TWO_PAGES,  # what leaves sections out has them
        key="rp_form",
        help="Two pages have the answer, against whom, how sure that is, and how to check it. The full audit "
        "adds every cell, test, correction, limit and hash.",
    )
    left, middle, right = st.columns(3)
    named = left.multiselect(
        "Further runs",
        with_asked("rp_run", others),
        key="rp_run",
        bind="query-params",
        placeholder="Beside those of the sidebar",
        help="The runs of the sidebar's models are in the report. Others of the cache can be added; they are "
        "named by model, topic, templates and occupations.",
    )
    added = [others[name] for name in named if name in others]
    models = {*choice.models, *(run.scoring.name for run in added)}
    kept = text_audits(models)
    audits = middle.multiselect(
        "Text audits",
        with_asked("rp_text", kept),
        key="rp_text",
        bind="query-params",
        placeholder="Empty: the newest of each kind" if form == FULL else "Empty: none",
        help="Results of FairPair and the criteria of these models. Left empty, the full audit has the "
        "newest of each kind, unless their section is taken out; two pages have them where there is nothing "
        "else.",
    )
    sections = draw_left_out(right) if form == FULL else tuple(SHORT)
    chosen = [kept[name] for name in audits if name in kept]
    if not audits and (form == FULL or not (shown or added)):
        chosen = newest(kept.values())
    policy = choose_policy("rp_policy", [NO_POLICY])
    unread = tuple(run for run in added if must_wait(run, "preferences", choice.options))
    runs = (*shown, *(run for run in added if run not in unread))
    return Contents(
        loaded=loaded,
        runs=runs,
        sections=sections,
        fairpair=of_kind(chosen, FairPairAsked) if form == TWO_PAGES or "fairpair" in sections else (),
        criteria=of_kind(chosen, CriteriaAsked) if form == TWO_PAGES or "criteria" in sections else (),
        knowledge=facts_known(run.scoring for run in runs) if "knowledge" in sections else (),
        policy=policy,
        unread=(*loaded.unread.values(), *unread),
        unknown=tuple(name for name in (*named, *audits) if name not in finished and name not in kept),
    )


def draw_left_out(place: DeltaGenerator) -> tuple[str, ...]:
    """Draw which sections of a full audit are left out; return the others."""
    without = place.multiselect(
        "Sections left out",
        CHOOSABLE,
        key="rp_without",
        bind="query-params",
        placeholder="Empty: none",
        help="A section that these results say nothing for is left out by itself. Method, limits and "
        "provenance are always there: a number without them says little.",
    )
    return tuple(name for name in SECTIONS if name not in without)


def finished_runs() -> dict[str, RunSpec]:
    """List every finished run by model, topic, templates and occupations, sorted by these."""
    labelled = told_apart([info.run for info in open_store().runs() if info.complete], place)
    return {label: labelled[label] for label in sorted(labelled, key=str.casefold)}


def place(run: RunSpec) -> str:
    """Name a run beside runs of other models and topics."""
    parts = [run.scoring.label, run.topic.name, run.templates.name, run.evidence.name]
    return " · ".join(parts if run.scoring.protocol == "exact" else [*parts, run.scoring.protocol])


def text_audits(models: Iterable[str]) -> dict[str, FairPairAsked | CriteriaAsked]:
    """Map names to kept results of text audits of these models, the newest of a kind first."""
    store, wanted = open_store(), set(models)
    found: dict[str, FairPairAsked | CriteriaAsked] = {}
    for pair in FAIRPAIR_AUDIT.kept(store):
        if pair.key.model in wanted:
            said = f"FairPair · {pair.key.model} · {' → '.join(pair.prompts.names)} · {pair.prompts.name}"
            found[f"{said} · {pair.hash[:DIGITS]}"] = pair
    for asked in CRITERIA_AUDIT.kept(store):
        if asked.model in wanted:
            said = f"{asked.experiment.capitalize()} · {asked.model} · {asked.answering}"
            found[f"{said} · {asked.hash[:DIGITS]}"] = asked
    return found


def newest(audits: Iterable[FairPairAsked | CriteriaAsked]) -> list[FairPairAsked | CriteriaAsked]:
    """Return the first of each kind of each model: same prompts and counterparts, or same experiment."""
    first: dict[tuple[str, ...], FairPairAsked | CriteriaAsked] = {}
    for asked in audits:
        if isinstance(asked, FairPairAsked):
            kind = ("fairpair", asked.key.model, asked.prompts.name, asked.perturbation.table)
        else:
            kind = ("criteria", asked.model, asked.experiment, asked.answering)
        first.setdefault(kind, asked)
    return list(first.values())


def of_kind(several: Sequence[FairPairAsked | CriteriaAsked], kind: type[Asked]) -> tuple[Asked, ...]:
    """Select the requests of one kind."""
    return tuple(asked for asked in several if isinstance(asked, kind))


def facts_known(keys: Iterable[ScoringKey]) -> tuple[str, ...]:
    """List the sets of facts that one of the models at least was asked in full."""
    several = {key.hash: key for key in keys}.values()
    return tuple(asked.name for asked in list_knowledge() if any(was_asked(key, asked) for key in several))


def was_asked(key: ScoringKey, asked: KnowledgeSet) -> bool:
    """Tell whether a model was asked a set of facts in full."""
    store = open_store()
    return answered_among(key, asked, store.shards(key))


@kept(slots=64)
def answered_among(key: ScoringKey, asked: KnowledgeSet, shards: Sequence[str]) -> bool:
    """Tell whether the shards of a model have every answer to a set of facts."""
    return not missing_answers(open_store(), key, asked)
