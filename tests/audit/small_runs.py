"""Runs of a few occupations, scored by the fake in a moment."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.fakes import FakeScorer
from pcf_core.audit.preferences import build_run
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.core.topics import Evidence, TemplateSet
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer

FEW = make_evidence("few", ["nurse", "engineer", "clerk", "teacher", "carpenter"])
TOKENS = {"abbot": 2, "abbess": 2, "baron": 2, "monk": 3}


def probability(prompt: str, word: str) -> float:
    """From 1e-4 to 1e-2, the same in every process."""
    return float(10.0 ** -(2 + sum(prompt.encode()) % 7 / 10 + sum(f"{prompt}|{word}".encode()) % 101 / 100))


def score_few(
    store: Store,
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

    score_run(run, store, lambda spec, kind: FakeScorer(chance, key=run.scoring, tokens=TOKENS))
    return run


def score_with_fake(store: Store, run: RunSpec) -> RunSpec:
    """Score a run, with a probability of each group that the model's name and the prompt decide."""
    score_run(run, store, lambda spec, kind: fake_scorer(run.scoring, run.topic))
    return run
