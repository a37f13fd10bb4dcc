"""One cell of the heat map: what the page shows when an occupation and a template are chosen."""

from __future__ import annotations

import numpy as np

from pcf_core.charts import WordProbability
from pcf_core.findings import number
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
    """Coverage: how much of the model's probability the topic's words take in this prompt."""
    preferences = item.result.preferences
    if preferences.coverage is None:
        return "Coverage is not defined: the text right of the word is scored with it."
    value = preferences.coverage[
        preferences.occupations.index(occupation), preferences.templates.index(template)
    ]
    return f"Coverage: the topic's words together take {number(float(value))} of the probability here."
