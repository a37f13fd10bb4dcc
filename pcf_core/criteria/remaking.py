"""The choices that make the material of a kept request again: a file by its name, a labeller, a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcf_core.criteria.experiments import fitted, load_experiment, material_of
from pcf_core.criteria.labellers import NLI
from pcf_core.criteria.own import USUAL, own_files
from pcf_core.errors import AuditError
from pcf_core.records import digest
from pcf_core.records.criteria_run import CriteriaAsked


@dataclass(frozen=True)
class Chosen:
    """What was chosen; ``name``: of what comes with the app or of a kept file, ``None`` where neither makes
    this material.  ``labeller``: empty for the lexicon; ``questions``: how many, ``None`` for what is usual.
    """

    name: str | None
    labeller: str = ""
    questions: int | None = None


def chosen_of(asked: CriteriaAsked, kept: Mapping[str, Any]) -> Chosen:
    """What makes the material ``kept`` with a request again.

    No model is looked for: an NLI labeller is taken by the name that was kept.
    """
    labelled = str(kept.get("labeller", ""))
    labeller = labeller_text(labelled)
    asks = asked.experiment == "questions"
    have = len(kept["questions"]["questions"]) if asks else None
    files: dict[str, str | Path] = {USUAL: "", **own_files(asked.experiment)}
    for name, path in files.items():
        for questions in dict.fromkeys((None, have)):
            try:
                whole = fitted(load_experiment(asked.experiment, path), asked.answering, questions)
            except AuditError:  # a file that was damaged since, or has fewer questions
                continue
            made = material_of(whole) | ({"labeller": labelled} if labeller else {})
            if digest(made) == asked.material:
                return Chosen(name, labeller, questions)
    return Chosen(None, labeller, have)


def labeller_text(kept: str) -> str:
    """What is written for a labeller by the name that is kept: "nli org/name 0123" is "nli:org/name"."""
    kind, _, rest = kept.partition(" ")
    return f"{NLI}:{rest.rpartition(' ')[0]}" if kind == NLI else ""
