"""One cell of the heat map: what the page shows when an occupation and a template are chosen."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pcf_core.audit import coverage_of
from pcf_core.charts import WordProbability
from pcf_core.findings import coverage_note
from pcf_core.ui.data import Loaded, LoadedRun, open_store


def cell_preferences(loaded: Loaded, occupation: str, template: str) -> dict[str, dict[str, float]]:
    """Preferences by group, for every loaded model; they sum to 1 per model."""
    found = {}
    for name, item in loaded.runs.items():
        preferences = item.result.preferences
        cell = preferences.values[
            preferences.occupations.index(occupation), preferences.templates.index(template)
        ]
        found[name] = dict(zip(preferences.groups, cell.tolist(), strict=True))
    return found


def cell_words(item: LoadedRun, occupation: str, template: str) -> list[WordProbability]:
    """Probability of each word at ``[Y]`` in this prompt."""
    run = item.run
    prompt = template.replace("[X]", occupation)
    logs = open_store().gather(run.scoring, [prompt], item.result.words)[0]
    groups = {word: group.name for group in run.topic.groups for word in group.words}
    return [
        WordProbability(word=word, group=groups[word], probability=float(np.exp(log)))
        for word, log in zip(item.result.words, logs, strict=True)
        if np.isfinite(log)
    ]


def cell_caption(item: LoadedRun, occupation: str, template: str) -> str:
    """Coverage of one cell, per number of tokens where it is defined so, and whether the cell is flagged."""
    result, key = item.result, item.run.scoring
    if result.coverage is None:
        return coverage_note(None)
    nats = open_store().gather(key, [template.replace("[X]", occupation)], result.words)[0]
    shares = coverage_of(nats, result.tokens, key.family, right_text=not template.endswith("[Y]"))
    return coverage_note(None if shares is None else {name: float(one) for name, one in shares.items()})


def flagged_cells(item: LoadedRun) -> pd.DataFrame:
    """The cells with next to no coverage, the lowest first."""
    listed = () if item.result.coverage is None else item.result.coverage.listed
    return pd.DataFrame([cell.model_dump() for cell in listed])
