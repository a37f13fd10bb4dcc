"""The shipped topics, template sets and evidence lists, read again only when a file of theirs changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pcf_core.errors import EvidenceError, InputError, TemplateError, TopicError
from pcf_core.records import Evidence, TemplateSet, Topic
from pcf_core.settings import settings
from pcf_core.topics import list_evidence, list_template_sets, list_topics

Stamp = tuple[tuple[str, int, int], ...]


def stamp_of(kind: str) -> Stamp:
    """Name, size and time of change of every file of a folder of the assets."""
    folder: Path = settings().assets / kind
    states = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    return (str(folder), 0, 0), *((name, state.st_size, state.st_mtime_ns) for name, state in states)


@st.cache_resource(show_spinner=False, max_entries=4)
def _topics(stamp: Stamp) -> Mapping[str, Topic]:
    return {topic.name: topic for topic in list_topics()}


@st.cache_resource(show_spinner=False, max_entries=4)
def _template_sets(stamp: Stamp) -> Mapping[str, TemplateSet]:
    return {templates.name: templates for templates in list_template_sets()}


@st.cache_resource(show_spinner=False, max_entries=4)
def _evidence_lists(stamp: Stamp) -> Mapping[str, Evidence]:
    return {evidence.name: evidence for evidence in list_evidence()}


def topics() -> Mapping[str, Topic]:
    """Topics by name."""
    return _topics(stamp_of("topics"))


def template_sets() -> Mapping[str, TemplateSet]:
    """Template sets by name."""
    return _template_sets(stamp_of("templates"))


def evidence_lists() -> Mapping[str, Evidence]:
    """Evidence lists by name."""
    return _evidence_lists(stamp_of("evidence"))


def named(topic: str, evidence: str, templates: str) -> tuple[Topic, Evidence, TemplateSet]:
    """The three lists of a run by name.

    Raises:
        InputError: a name that is not there (any more).
    """
    found = (topics().get(topic), evidence_lists().get(evidence), template_sets().get(templates))
    errors: tuple[tuple[type[InputError], str, str], ...] = (
        (TopicError, "topic", topic),
        (EvidenceError, "list of occupations", evidence),
        (TemplateError, "template set", templates),
    )
    for item, (error, kind, name) in zip(found, errors, strict=True):
        if item is None:
            raise error(f"There is no {kind} named {name!r}; choose another in the sidebar.")
    return found  # type: ignore[return-value]
