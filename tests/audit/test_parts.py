"""A run in parts: every prompt once, in order, whole shards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit import preferences as parts
from pcf_core.audit.preferences import prompt_parts
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic

KEY = ScoringKey(model="toy", identity="weights", tokenizer="tokens", family="fake", rules="1")
TOPIC = Topic(name="t", title="T", groups=(Group(name="a", words=("x",)), Group(name="b", words=("y",))))


def run_of(terms: int, templates: int) -> RunSpec:
    return RunSpec(
        scoring=KEY,
        topic=TOPIC,
        evidence=Evidence(name="e", title="E", terms=tuple(f"term{i}" for i in range(terms))),
        templates=TemplateSet(
            name="s",
            title="S",
            templates=tuple(Template(text=f"The [X] of {i} is [Y]") for i in range(templates)),
        ),
    )


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "4")
    monkeypatch.setattr(parts, "PROMPTS_AT_ONCE", 10)
    settings.cache_clear()
    yield
    settings.cache_clear()


@given(st.integers(1, 7), st.integers(1, 7))
def test_parts_are_the_run_cut_at_whole_shards(terms: int, templates: int) -> None:
    run = run_of(terms, templates)
    found = list(prompt_parts(run))
    assert [prompt for part in found for prompt in part] == [
        template.text.replace("[X]", term)
        for term in run.evidence.terms
        for template in run.templates.templates
    ]
    assert {len(part) for part in found[:-1]} <= {8}


def test_a_shard_larger_than_a_part_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_SHARD_PROMPTS", "25")
    settings.cache_clear()
    assert [len(part) for part in prompt_parts(run_of(6, 5))] == [25, 5]
