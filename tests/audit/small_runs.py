"""Runs of a few occupations, scored by the fake in a moment."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcf_core.audit import build_run
from pcf_core.jobs.scoring import score_run
from pcf_core.models import resolve
from pcf_core.records import Evidence, ModelSpec, Protocol, RunSpec, TemplateSet
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.fake import FakeScorer
from pcf_core.store import Store
from pcf_core.topics import load_templates, load_topic, make_evidence

FEW = make_evidence("few", ["nurse", "engineer", "clerk", "teacher", "carpenter"])
TOKENS = {"abbot": 2, "abbess": 2, "baron": 2, "monk": 3}


def probability(prompt: str, word: str) -> float:
    """From 1e-4 to 1e-2, the same in every process."""
    return float(10.0 ** -(2 + sum(prompt.encode()) % 7 / 10 + sum(f"{prompt}|{word}".encode()) % 101 / 100))


def score_few(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    model: str = "mini-gpt",
    topic: str = "gender",
    templates: TemplateSet | None = None,
    protocol: Protocol = "exact",
    chance: Callable[[str, str], float] = probability,
    evidence: Evidence = FEW,
) -> RunSpec:
    """Score a model's key on five occupations, in the topic's usual templates or in others."""
    chosen = load_topic(topic)
    lists = chosen, evidence, templates or load_templates(chosen.templates)
    run = build_run(resolve(model), *lists, protocol)

    def opened(spec: ModelSpec, kind: str) -> Scorer:
        return FakeScorer(chance, key=run.scoring, tokens=TOKENS)

    monkeypatch.setattr("pcf_core.jobs.scoring.resolve", resolve)
    score_run(run, store, opened)
    return run
