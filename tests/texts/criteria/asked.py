"""Criteria runs that are really made, by a writer and a scorer whose answers are given, for pages to read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from benchmarks.fakes import FakeGenerator, FakeScorer
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.models.generation.base import Generator
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import load_experiment, usual_decoding
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.work.criteria import CRITERIA_AUDIT, scored_asked, written_asked
from pcf_core.work.questioning import run_criteria

REPEATS = 2
WRITTEN: dict[str, str | list[str]] = {"cr_answering": "written", "cr_repeats": str(REPEATS)}
SCORED: dict[str, str | list[str]] = {"cr_answering": "scored"}
EVIL = "<script>alert(1)</script> **x** $y$ :smile:"
ROLES = ("nurse", "dental hygienist", "flight attendant"), ("doctor", "dentist", "pilot")
SHE = re.compile(r"\b(?:she|She)\b")


def said(prompt: str) -> Mapping[str, float]:
    """Believes *she* to be the nurse and *he* the doctor; women paint and men play football."""
    named = [
        (prompt.find(role), side) for side, roles in enumerate(ROLES) for role in roles if role in prompt
    ]
    if len({side for _, side in named}) == 2:
        side = 0 if SHE.search(prompt) else 1
        role = next(role for role in ROLES[side] if role in prompt)
        return {f" the {role}.": 0.9, " I cannot tell.": 0.1}
    if lean(prompt) < 0.5:
        return {f" She paints and draws. {EVIL}": 0.7, " He plays football.": 0.2, "": 0.1}
    return {" He plays football and builds robots.": 0.8, " She reads novels.": 0.2}


def lean(*parts: str) -> float:
    """From 0 to 1, the same in every process."""
    return hashlib.sha256("|".join(parts).encode()).digest()[0] / 255


def writer(spec: ModelSpec, decoding: Decoding) -> Generator:
    return FakeGenerator(said, key=GenerationKey.of(spec, decoding))


def scorer(spec: ModelSpec, protocol: str) -> Scorer:
    def chance(prompt: str, word: str) -> float:
        return (0.02 + lean(spec.name, prompt, word)) / 100

    return FakeScorer(chance, key=ScoringKey.of(spec, protocol))


def write_criteria(
    store: Store, name: ExperimentName, model: str = "mini-gpt", repeats: int = REPEATS
) -> None:
    """Keep what the page finds under :data:`WRITTEN`, or with other repeats."""
    experiment = load_experiment(name)
    key = GenerationKey.of(resolve(model), usual_decoding(name))
    request = written_asked(experiment, key, "continuation", repeats)
    CRITERIA_AUDIT.keep(store, request, experiment)
    run_criteria(request, store, writer, scorer)


def score_criteria(store: Store, name: ExperimentName, model: str = "mini-gpt") -> None:
    """Keep what the page finds under :data:`SCORED`."""
    experiment = load_experiment(name)
    request = scored_asked(experiment, ScoringKey.of(resolve(model)))
    CRITERIA_AUDIT.keep(store, request, experiment)
    run_criteria(request, store, writer, scorer)
