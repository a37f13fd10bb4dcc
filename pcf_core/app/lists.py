"""Topics, template sets and lists of occupations: the current ones, and those of finished runs.

If one was changed or deleted after a run, that of the run is ``pets@1f3a``: its name and part of its hash.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pcf_core.app.addresses import precisions_called
from pcf_core.app.caching import kept, open_store
from pcf_core.app.request_cache import once_a_run
from pcf_core.audit.options import word_scoring
from pcf_core.core.errors import AuditError, EvidenceError, InputError, TemplateError, TopicError
from pcf_core.core.records import digest
from pcf_core.core.run import RunSpec, exact_name, version_name
from pcf_core.core.settings import settings
from pcf_core.core.topics import Evidence, MinedSet, SetCard, TemplateSet, Topic, differing
from pcf_core.material.evidence import SHELF as EVIDENCE_SHELF
from pcf_core.material.evidence import list_evidence
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.shelves import Shelf
from pcf_core.material.suiting import suiting_sets, template_cards, usual_set
from pcf_core.material.template_editing import cut, heaviest_first, renamed
from pcf_core.material.templates import SHELF, labelled, load_mined, load_templates, own_template_sets
from pcf_core.material.topics import SHELF as TOPIC_SHELF
from pcf_core.material.topics import list_topics
from pcf_core.models.names import named as precision_named
from pcf_core.show.findings.numbers import listed

OCCUPATIONS = "occupations-bvf"  # for a topic that names no list
Stamp = tuple[tuple[str, int, int], ...]
MOST_NEAR = 3  # names that a refusal suggests
ANSWERED_BY: Mapping[str, tuple[str, str]] = {  # topics that rarely get an answer: a better one, and why
    "race": ("race-capitalised", "has the papers' spelling in lower case, which models rarely write"),
    "disability-papers": ("disability", "has the paper's words, some of which are rarely used today"),
    "gender-zh": ("gender", "is for Chinese models, and none comes with the app"),
    "calibration": ("gender", "tests the app with made-up groups, and says nothing about people"),
}
T = TypeVar("T", Topic, Evidence, TemplateSet)


@once_a_run
def stamp_of(kind: str) -> Stamp:
    """Return path, size and time of change of every file in a folder of the assets."""
    folder = f"{settings().assets / kind}"
    with os.scandir(folder) as files:  # called two dozen times a page; Path is far slower
        names = sorted(file.path for file in files)
    return (folder, 0, 0), *stamp_of_files(*names)


def stamp_of_files(*paths: Path | str) -> Stamp:
    """Return path, size and time of change of the files that exist."""
    states = []
    for path in paths:
        with suppress(FileNotFoundError, NotADirectoryError):
            state = os.stat(path)  # noqa: PTH116 - a path takes thrice as long
            states.append((str(path), state.st_size, state.st_ctime_ns))  # copying keeps the mtime
    return tuple(states)


@once_a_run
def stamp_of_shelf(shelf: Shelf) -> Stamp:
    """Return the same for all files of a shelf, shipped or the user's own."""
    return *stamp_of(shelf.folder), *stamp_of_files(*shelf.own().values())


@lru_cache(maxsize=32)
def _template_set(name: str, stamp: Stamp) -> TemplateSet:
    return load_templates(name)


@lru_cache(maxsize=8)
def _mined_set(name: str, stamp: Stamp) -> MinedSet:
    mined = load_mined(name)
    return mined.model_copy(update={"templates": tuple(heaviest_first(mined.templates))})


@once_a_run
@kept(slots=8, state=lambda: stamp_of_shelf(TOPIC_SHELF))
def topics() -> Mapping[str, Topic]:
    """Load topics by name, shipped ones first, without damaged ones."""
    return {topic.name: topic for topic in list_topics()}


def topic_names() -> list[str]:
    """List the names of the shipped topics, gender first, then of the user's own, even if damaged."""
    return list(dict.fromkeys([*topics(), *TOPIC_SHELF.names()]))


class TemplateSets(Mapping[str, TemplateSet]):
    """Template sets by name, shipped ones first, read on access; a damaged one raises a TemplateError."""

    def __init__(self) -> None:
        self._files = {**SHELF.own(), **SHELF.shipped()}

    def __iter__(self) -> Iterator[str]:
        return iter(SHELF.names())

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __getitem__(self, name: str) -> TemplateSet:
        return _template_set(name, self.stamp(name))

    def stamp(self, name: str) -> Stamp:
        """Return a value that changes when the set's files do."""
        path = self._files[name]
        return stamp_of_files(path, path.with_suffix(".toml"))


@once_a_run
def template_sets() -> TemplateSets:
    """Load template sets by name."""
    return TemplateSets()


def set_names() -> list[str]:
    """List the shipped sets, then the user's own."""
    return list(TemplateSets())


def fitting_first(topic: Topic) -> list[str]:
    """List the names of all sets, those that suit the topic first."""
    return list(dict.fromkeys([*suiting_sets(topic, set_cards()), *TemplateSets()]))


@once_a_run
@kept(slots=2, state=lambda: stamp_of_shelf(SHELF))
def set_cards() -> Mapping[str, SetCard]:
    """Load the cards of all sets by name, without damaged ones."""
    return template_cards()


def heaviest_of(name: str, number: int) -> TemplateSet:
    """Load the ``number`` heaviest templates of a set as a set named NAME-NUMBER."""
    behind = f"-{number}"
    return renamed(cut(mined_set(name), top=number), name[: MAX_NAME - len(behind)] + behind).templates_only


def own_sets() -> tuple[str, ...]:
    """List the names of the user's own sets."""
    return own_template_sets()


def mined_set(name: str) -> MinedSet:
    """Load a set with the origins of its templates, heaviest first."""
    sets = TemplateSets()
    if name not in sets:
        raise TemplateError(f"There is no template set named {name!r}; choose another under Set.")
    return _mined_set(name, sets.stamp(name))


@once_a_run
@kept(slots=8, state=lambda: stamp_of_shelf(EVIDENCE_SHELF))
def evidence_lists() -> Mapping[str, Evidence]:
    """Load lists of occupations by name, shipped ones first, without damaged ones."""
    return {evidence.name: evidence for evidence in list_evidence()}


def list_names() -> list[str]:
    """List the names of the shipped lists, then of the user's own, even if damaged."""
    return list(EVIDENCE_SHELF.names())


@dataclass(frozen=True)
class Usual:
    """The default template set and list of occupations of a topic, by name."""

    templates: str
    evidence: str


@dataclass(frozen=True)
class Lists:
    """Topics, evidence lists and template sets by name."""

    topics: Mapping[str, Topic] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    templates: Mapping[str, TemplateSet] = field(default_factory=dict)


NONE = Lists()


def usual_lists(topic: Topic, besides: Lists = NONE) -> Usual:
    """Return the lists on which a topic opens: sentences made for it if there are any, so that it answers.

    If a list that the topic names is missing, also from ``besides``, the first suitable one is taken.
    """
    sets, lists = template_sets(), evidence_lists()
    templates, evidence = usual_set(topic, set_cards()), topic.evidence
    if templates not in sets and templates not in besides.templates:
        templates = next(iter((*suiting_sets(topic, set_cards()), *sets)))
    if evidence not in lists and evidence not in besides.evidence:
        evidence = OCCUPATIONS if OCCUPATIONS in lists else next(iter(lists))
    return Usual(templates, evidence)


def named(
    topic: str,
    evidence: str,
    templates: str,
    besides: Lists = NONE,
) -> tuple[Topic, Evidence, TemplateSet]:
    """Return the three lists of a run by name; those of ``besides`` if no current list has the name."""
    items = (
        topics().get(topic) or besides.topics.get(topic),
        evidence_lists().get(evidence) or besides.evidence.get(evidence),
        template_sets().get(templates) or besides.templates.get(templates),
    )
    errors: tuple[tuple[type[InputError], str, str, Callable[[], list[str]]], ...] = (
        (TopicError, "topic", topic, lambda: list(topics())),
        (EvidenceError, "list of occupations", evidence, lambda: list(evidence_lists())),
        (TemplateError, "template set", templates, set_names),
    )
    for item, (error, kind, name, existing) in zip(items, errors, strict=True):
        if item is None:
            names = existing()
            near = get_close_matches(name, names, MOST_NEAR) or names[:MOST_NEAR]
            such = f", such as {listed(near, 'or')}" if near else ""
            raise error(f"There is no {kind} named {name!r}; choose another in the sidebar{such}.")
    return items  # type: ignore[return-value]


def set_token(name: str) -> str:
    """Return a token that changes when a file of the set does."""
    return digest([name, template_sets().stamp(name)])


def _finished() -> dict[str, RunSpec]:
    return {info.run.key: info.run for info in open_store().runs() if info.complete}


def _state_of_lists() -> object:
    runs = _finished()
    sets = sorted({run.templates.name for run in runs.values()} & set(set_names()))
    return [*runs], stamp_of_shelf(TOPIC_SHELF), stamp_of_shelf(EVIDENCE_SHELF), [*map(set_token, sets)]


@once_a_run
@kept(slots=4, state=_state_of_lists)
def lists_of_runs() -> Lists:
    """Return what finished runs used and what has changed or gone since, newest first."""
    runs = _finished().values()
    return Lists(
        _other([_with_its_lists(run) for run in runs], topics()),
        _other([run.evidence for run in runs], evidence_lists()),
        _other([run.templates for run in runs], template_sets()),
    )


def _with_its_lists(run: RunSpec) -> Topic:
    usual = {
        "templates": _name_now(run.templates, template_sets()),
        "evidence": _name_now(run.evidence, evidence_lists()),
    }
    return run.topic.model_copy(update=usual)


def _other(items: Iterable[T], now: Mapping[str, T]) -> Mapping[str, T]:
    others: dict[str, T] = {}
    for item in items:
        if not _is_there(item, now):
            others.setdefault(_other_name(item, now), item)
    return others


def _is_there(item: T, now: Mapping[str, T]) -> bool:
    return _has_its_hash(item, now) and not differing(now[item.name], item)


def _has_its_hash(item: T, now: Mapping[str, T]) -> bool:
    try:
        return item.name in now and now[item.name].hash == item.hash
    except InputError:  # a damaged file
        return False


def _other_name(item: T, now: Mapping[str, T]) -> str:
    """Return a name with part of the hash, and of that of counts or weights if only these differ."""
    return exact_name(item) if _has_its_hash(item, now) else version_name(item)


def all_evidence() -> Mapping[str, Evidence]:
    """Load lists of occupations by name: current ones, then those of finished runs only."""
    return {**evidence_lists(), **lists_of_runs().evidence}


def all_topics() -> Mapping[str, Topic]:
    """Load topics by name: current ones, then those of finished runs only."""
    return {**topics(), **lists_of_runs().topics}


def named_or_kept(topic: str, evidence: str, templates: str) -> tuple[Topic, Evidence, TemplateSet]:
    """Return topic, list and templates by name, also those of finished runs only."""
    is_here = topic in topics() and evidence in evidence_lists() and templates in template_sets()
    return named(topic, evidence, templates, NONE if is_here else lists_of_runs())


def parameters_of(run: RunSpec) -> dict[str, str | list[str]]:
    """Return the query parameters that open exactly this run on a page."""
    return {
        "model": [run.scoring.name],
        "topic": _name_now(run.topic, topics()),
        "templates": _name_now(run.templates, template_sets()),
        "evidence": _name_now(run.evidence, evidence_lists()),
        "precision": precisions_called([precision_named(run.scoring.dtype)]),
        "protocol": word_scoring(run.scoring.protocol),
    }


def _name_now(item: T, now: Mapping[str, T]) -> str:
    return item.name if _is_there(item, now) else _other_name(item, now)


def templates_name(run: RunSpec) -> str:
    """Return the name that opens exactly this run's templates on a page."""
    return _name_now(run.templates, template_sets())


def present_templates(run: RunSpec) -> RunSpec:
    """Return a run with today's counts and notes of its templates."""
    sets = template_sets()
    name = run.templates.name
    return run.model_copy(update={"templates": sets[name]}) if _is_there(run.templates, sets) else run


def present_families(run: RunSpec) -> RunSpec:
    """Return a run with the families of today's set of its templates' name, if it has the same texts."""
    sets = template_sets()
    now = sets[run.templates.name] if _has_its_hash(run.templates, sets) else run.templates
    if now.families == run.templates.families:
        return run
    families = [template.family for template in now.templates]
    return run.model_copy(update={"templates": labelled(run.templates, families)})


def told_apart(runs: Sequence[RunSpec], place: Callable[[RunSpec], str]) -> dict[str, RunSpec]:
    """Label runs by ``place``; of several on the same prompts the whole one, or that with most draws.

    If a set had other texts under its name, runs on these have the first digits of their key in the label.
    """
    best: dict[tuple[str, str], RunSpec] = {}
    for run in runs:  # the newest first
        same_prompts = place(run), run.whole.key
        best_so_far = best.get(same_prompts)
        if best_so_far is None or _draws_of(run) > _draws_of(best_so_far):
            best[same_prompts] = run
    labelled: dict[str, RunSpec] = {}
    for (where, _), run in sorted(best.items(), key=lambda item: not is_present(item[1])):
        label = f"{where} · ± {run.plan.within:g}" if run.plan else where
        if not is_present(run) or label in labelled:
            label = f"{label} · {run.key[:6]}"
        labelled[label] = run
    return labelled


def _draws_of(run: RunSpec) -> float:
    return run.plan.draws if run.plan else math.inf


def is_present(run: RunSpec) -> bool:
    """Return whether the run's template set still has the scored texts, or no longer exists."""
    try:
        current = template_sets().get(run.templates.name)
    except AuditError:  # a damaged file
        return False
    return current is None or current.hash == run.templates.hash
