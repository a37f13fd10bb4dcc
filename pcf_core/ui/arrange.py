"""Which rows and columns of the heat map are shown, and in what order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcf_core.records import FloatArray, Preferences
from pcf_core.topics import womens_share
from pcf_core.ui.data import LoadedRun

SHOWN_OCCUPATIONS = 40
SHOWN_TEMPLATES = 30
MOST_CELLS = 100_000
PAPER_OCCUPATIONS = ("nurse", "stylist", "receptionist", "doctor", "programmer", "captain")
PAPER_TEMPLATES = "gender-heatmap"
ORDERS = ("tilt", "spread", "name", "women")


def spread_of(preferences: Preferences, group: str, weights: FloatArray) -> FloatArray:
    """[occupation] weighted s.d. of P(group) over templates."""
    values = preferences.values[..., preferences.groups.index(group)]
    mean = values @ weights
    return np.asarray(np.sqrt(np.maximum((values - mean[:, None]) ** 2 @ weights, 0.0)))


def shown_occupations(item: LoadedRun, group: str, preset: str) -> list[int]:
    """The papers' six, all that fit, or those that vary most."""
    names = item.result.preferences.occupations
    if preset == "papers":
        return [names.index(name) for name in PAPER_OCCUPATIONS if name in names]
    if preset == "all":
        return list(range(len(names)))[: max(1, MOST_CELLS // len(item.result.preferences.templates))]
    spread = spread_of(item.result.preferences, group, item.report.template_weights)
    return [int(i) for i in np.argsort(-spread, kind="stable")[:SHOWN_OCCUPATIONS]]


def shown_templates(item: LoadedRun, preset: str, paper_texts: Sequence[str]) -> list[int]:
    """The papers' ten, all, or the heaviest; heaviest first."""
    texts = item.result.preferences.templates
    order = [int(j) for j in np.argsort(-item.report.template_weights, kind="stable")]
    if preset == "papers":
        return [texts.index(text) for text in paper_texts if text in texts]
    return order if preset == "all" else order[:SHOWN_TEMPLATES]


def arranged(item: LoadedRun, occupations: Sequence[int], group: str, order: str) -> list[int]:
    """The rows in the asked order; occupations without a published share of women come last."""
    preferences = item.result.preferences
    names = preferences.occupations
    if order == "name":
        return sorted(occupations, key=lambda i: names[i])
    if order == "women":
        share = womens_share(item.run.evidence)
        return sorted(occupations, key=lambda i: (-share.get(names[i], -1.0), names[i]))
    if order == "spread":
        value = spread_of(preferences, group, item.report.template_weights)
    else:
        value = preferences.values[..., preferences.groups.index(group)] @ item.report.template_weights
    return sorted(occupations, key=lambda i: (-value[i], names[i]))


def shown_axes(
    item: LoadedRun, group: str, preset: str, order: str, paper_texts: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Indices of the occupations, from the top, and of the templates, from the left."""
    rows = arranged(item, shown_occupations(item, group, preset), group, order)
    return rows, shown_templates(item, preset, paper_texts)
