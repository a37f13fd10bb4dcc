"""Topics, lists and template sets as finished runs have them, beside those that are there now.

A topic that was changed or deleted, or came from a file, has another hash than what bears its name now, or
none does.  Its runs stay readable under its name with ``@`` and the first digits of the hash: ``pets@1f3a``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from pcf_core.app import caching
from pcf_core.app.lists import (
    Lists,
    evidence_lists,
    lists_token,
    named,
    set_names,
    set_token,
    template_sets,
    topics,
)
from pcf_core.app.stores import open_store
from pcf_core.core.errors import InputError
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.models.precision import named as precision_named

DIGITS = 8
T = TypeVar("T", Topic, Evidence, TemplateSet)


def kept() -> Lists:
    """List what finished runs were scored with and no name stands for now.

    By name and hash, the newest first.
    """
    runs = {info.run.key: info.run for info in open_store().runs() if info.complete}
    sets = sorted({run.templates.name for run in runs.values()} & set(set_names()))
    return _kept(tuple(runs), (lists_token(), *map(set_token, sets)))


@caching.kept(slots=4)
def _kept(keys: Sequence[str], tokens: Sequence[str]) -> Lists:
    infos = {info.run.key: info for info in open_store().runs()}
    runs = [infos[key].run for key in keys if key in infos]
    return Lists(
        _other([_with_its_lists(run) for run in runs], topics()),
        _other([run.evidence for run in runs], evidence_lists()),
        _other([run.templates for run in runs], template_sets()),
    )


def _with_its_lists(run: RunSpec) -> Topic:
    """Return the topic of a run, which begins with the templates and the list of that run."""
    usual = {
        "templates": _name_now(run.templates, template_sets()),
        "evidence": _name_now(run.evidence, evidence_lists()),
    }
    return run.topic.model_copy(update=usual)


def _other(found: Iterable[T], now: Mapping[str, T]) -> Mapping[str, T]:
    others: dict[str, T] = {}
    for item in found:
        if not _is_there(item, now):
            others.setdefault(version_name(item), item)
    return others


def _is_there(item: T, now: Mapping[str, T]) -> bool:
    """Tell whether the name stands for the same words or texts; not so where its file is damaged."""
    try:
        return item.name in now and now[item.name].hash == item.hash
    except InputError:
        return False


def version_name(item: Topic | Evidence | TemplateSet) -> str:
    """Return the name that stands for an item of a run wherever its plain name does not."""
    return f"{item.name}@{item.hash[:DIGITS]}"


def all_evidence() -> Mapping[str, Evidence]:
    """Load lists that fill [X] by name: the existing ones, then those of finished runs alone."""
    return {**evidence_lists(), **kept().evidence}


def all_topics() -> Mapping[str, Topic]:
    """Load topics by name: the existing ones, then those of finished runs alone."""
    return {**topics(), **kept().topics}


def named_or_kept(topic: str, evidence: str, templates: str) -> tuple[Topic, Evidence, TemplateSet]:
    """Return the three lists of a run by name, also as a finished run has them.

    Raises
    ------
    InputError
        A name that is not there (any more).
    """
    return named(topic, evidence, templates, kept())


def parameters_of(run: RunSpec) -> dict[str, str | list[str]]:
    """Return the query parameters that open a run on a page, whatever its names stand for now."""
    return {
        "model": [run.scoring.name],
        "topic": _name_now(run.topic, topics()),
        "templates": _name_now(run.templates, template_sets()),
        "evidence": _name_now(run.evidence, evidence_lists()),
        "precision": [precision_named(run.scoring.dtype)],
        "protocol": run.scoring.protocol,
    }


def _name_now(item: T, now: Mapping[str, T]) -> str:
    return item.name if _is_there(item, now) else version_name(item)
