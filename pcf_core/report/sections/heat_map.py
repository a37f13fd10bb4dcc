"""The heat map's panel: rows, columns and pages of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

import numpy as np
import plotly.graph_objects as go

from pcf_core.audit.forbidden import forbidden_warning
from pcf_core.audit.results import Report
from pcf_core.core.records import FloatArray
from pcf_core.core.run import Preferences
from pcf_core.material.evidence import womens_share
from pcf_core.measure.distribution import clustered_order, known_means
from pcf_core.report import how_to_read
from pcf_core.report.loaded import Study
from pcf_core.report.panels import Panel, heat_figures, part_of
from pcf_core.report.records import ReportPart
from pcf_core.report.rows import cell_rows
from pcf_core.show.charts.heat_map import heat_map
from pcf_core.show.compare import Lean
from pcf_core.show.findings.numbers import count, words_of
from pcf_core.show.findings.occupations import heat_map_finding
from pcf_core.show.overview import heat_map_answer
from pcf_core.show.titles import whom_title

TELLING = ("nurse", "engineer")  # preferred in the example
SHOWN_OCCUPATIONS = 40
SHOWN_TEMPLATES = 30
MOST_CELLS = 100_000
PAPER_OCCUPATIONS = ("nurse", "stylist", "receptionist", "doctor", "programmer", "captain")
PRESETS = ("varied", "papers", "all")
ORDERS = ("tilt", "spread", "name", "women", "clustering")
MOST_ROWS = 500  # of a page
MOST_CLUSTERED = 2_000  # rows or columns; memory grows with the square


def heat_map_panel(runs: Study, name: str, group: str, axes: Axes, *, clicks: bool = False) -> Panel:
    """Show the probability of a group's words in one model's cells."""
    item, rows, columns = runs.runs[name], axes.rows, axes.columns
    return Panel(
        title=name,
        findings=[runs.remember(_heat_sentence, name, group)],
        heading=f"Probability of {words_of(group)}: {name}{_selection(len(rows), item)}",
        claim=whom_title([Lean.of(name, runs.even[name])]),
        source=runs.source,
        key="heat_map",
        name="heat-map",
        alt=f"Heat map of the probability of {words_of(group)}, {name}",
        chart=partial(_heat_picture, item, group, rows, columns, clicks=clicks),
        how=how_to_read.HEAT_MAP,
        table=lambda: cell_rows(item.result.preferences, group, rows, columns),
        table_title=f"P({group}), {name}",
    )


def _heat_sentence(runs: Study, name: str, group: str) -> str:
    item = runs.runs[name]
    return heat_map_finding(name, item.result.preferences, group, item.report.template_weights)


def heat_answer(runs: Study, name: str) -> str:
    """Say which way a model's cells lean, "" if unreliable."""
    item = runs.runs[name]
    if item.report.says_little:
        return ""
    return heat_map_answer(name, item.result.preferences, item.report.template_weights)


def example_cell(runs: Study) -> tuple[str, dict[str, dict[str, float]]]:
    """Return an example sentence with ``[Y]``, and the group probabilities of the first two models.

    It is the heaviest template, about the nurse or the engineer, whichever the models differ on more, else
    about the riskiest occupation.  If possible, the first model prefers the same group there as in most
    occupations.
    """
    first, report = runs.first.result.preferences, runs.first.report
    ranked = [row.occupation for row in sorted(report.occupations, key=lambda row: -row.overall_risk)]
    template = first.templates[int(np.argmax(report.template_weights))]
    shares = {one: _expected(runs, one, template) for one in ranked}
    name, favoured = next(iter(runs.runs)), Lean.of("", report).favoured
    typical = [one for one in ranked if not favoured or _leader(shares[one].get(name, {})) == favoured]
    known = [one for one in TELLING if one in ranked]
    telling = [one for one in known if one in typical] or typical[:1] or known or ranked[:1]
    occupation = max(telling, key=lambda one: _apart([*shares[one].values()]))
    return template.replace("[X]", occupation), shares[occupation]


def _expected(runs: Study, occupation: str, template: str) -> dict[str, dict[str, float]]:
    """Return the group probabilities in one cell, of the first two models that have it."""
    shares = {}
    for name, item in list(runs.runs.items())[:2]:
        cells = item.result.preferences
        if occupation in cells.occupations and template in cells.templates:
            values = cells.values[cells.occupations.index(occupation), cells.templates.index(template)]
            if np.isnan(values).any():
                continue
            shares[name] = dict(zip(cells.groups, values.tolist(), strict=True))
    return shares


def _leader(shares: Mapping[str, float]) -> str:
    return max(shares, key=lambda group: shares[group], default="")


def _apart(shares: Sequence[Mapping[str, float]]) -> float:
    """Return the largest difference of a group's probability between two models, 0 without any."""
    return max((abs(shares[0][group] - shares[-1][group]) for one in shares[:1] for group in one), default=0)


def _selection(rows: int, item: Report) -> str:
    every = len(item.result.preferences.occupations)
    return "" if rows == every else f", {rows:,} of {count(every, item.run.evidence.noun)}"


def _heat_picture(
    item: Report, group: str, rows: Sequence[int], columns: Sequence[int], *, clicks: bool
) -> go.Figure:
    preferences, weights = item.result.preferences, item.report.template_weights
    return heat_map(preferences, group, rows, columns, weights, neutral=item.even, clicks=clicks)


def heat_map_parts(study: Study) -> Sequence[ReportPart]:
    """Write the 40 most varied occupations × the 30 heaviest contexts, for each model."""
    group = study.groups[0]
    parts = []
    for name, item in study.runs.items():
        axes = shown_axes(item, group, "varied", "tilt", ())
        occupations, templates = item.result.preferences.values.shape[:2]
        shown = (
            f"{len(axes.rows):,} of {count(occupations, item.run.evidence.noun)}, those that vary most, × "
            f"the {len(axes.columns):,} most common of {count(templates, 'sentence')}."
        )
        panel = heat_map_panel(study, name, group, axes)
        notes = [shown, *forbidden_warning(item.report.forbidden)]
        parts.append(part_of(replace(panel, numbers=heat_figures({name: item}, group)), notes=notes))
    return parts


@dataclass(frozen=True)
class Axes:
    """Indices of the occupations from the top and templates from the left; ``note``: which page this is."""

    rows: list[int]
    columns: list[int]
    note: str = ""


def _page_shape(item: Report, preset: str) -> tuple[int, int]:
    """Return the numbers of occupations and templates on a page, so that a browser can handle it."""
    occupations, templates = item.result.preferences.values.shape[:2]
    if preset != "all" or occupations * templates <= MOST_CELLS:
        return occupations, templates
    rows = min(occupations, MOST_ROWS)
    return rows, MOST_CELLS // rows


def pages_of(item: Report, preset: str) -> int:
    """Count the pages."""
    occupations, templates = item.result.preferences.values.shape[:2]
    rows, columns = _page_shape(item, preset)
    pages: int = ceil(occupations / rows) * ceil(templates / columns)
    return pages


def _spread_of(preferences: Preferences, group: str, weights: FloatArray) -> FloatArray:
    """Return [occupation] weighted standard deviation of P(group) over templates."""
    values = preferences.values[..., preferences.groups.index(group)]
    mean = known_means(values, weights)
    return np.asarray(np.sqrt(np.maximum(known_means((values - mean[:, None]) ** 2, weights), 0.0)))


def _shown_occupations(item: Report, group: str, preset: str) -> list[int]:
    names = item.result.preferences.occupations
    if preset == "papers":
        return [names.index(name) for name in PAPER_OCCUPATIONS if name in names]
    if preset == "all":
        return list(range(len(names)))
    spread = _spread_of(item.result.preferences, group, item.report.template_weights)
    return [int(i) for i in np.argsort(-spread, kind="stable")[:SHOWN_OCCUPATIONS]]


def shown_templates(item: Report, preset: str, paper_texts: Sequence[str]) -> list[int]:
    """Choose the papers' ten templates, all, or the heaviest; heaviest first."""
    texts = item.result.preferences.templates
    order = [int(j) for j in np.argsort(-item.report.template_weights, kind="stable")]
    if preset == "papers":
        return [texts.index(text) for text in paper_texts if text in texts]
    return order if preset == "all" else order[:SHOWN_TEMPLATES]


def _arranged(item: Report, occupations: Sequence[int], group: str, order: str) -> list[int]:
    """Sort the rows; occupations without a published share of women come last."""
    preferences = item.result.preferences
    names = preferences.occupations
    if order == "name":
        return sorted(occupations, key=lambda i: names[i])
    if order == "women":
        share = womens_share(item.run.evidence)
        return sorted(occupations, key=lambda i: (-share.get(names[i], -1.0), names[i]))
    if order == "clustering":
        return _clustered(item, occupations, group)
    if order == "spread":
        value = _spread_of(preferences, group, item.report.template_weights)
    else:
        values = preferences.values[..., preferences.groups.index(group)]
        value = known_means(values, item.report.template_weights)
    return sorted(occupations, key=lambda i: (-value[i], names[i]))


def _clustered(item: Report, occupations: Sequence[int], group: str) -> list[int]:
    """Order rows so that neighbours are similar over the weighted templates."""
    values = item.result.preferences.values[..., item.result.preferences.groups.index(group)]
    if len(occupations) > MOST_CLUSTERED:
        return list(occupations)
    order = clustered_order(_with_means(values)[list(occupations)], item.report.template_weights)
    return [occupations[index] for index in order]


def _with_means(values: FloatArray) -> FloatArray:
    """Return [row, column] values with a row's mean where unknown, even if all are."""
    means = known_means(values, np.ones(values.shape[1]))
    return np.where(np.isnan(values), np.nan_to_num(means, nan=0.0)[:, np.newaxis], values)


def _clustered_templates(item: Report, rows: Sequence[int], columns: Sequence[int], group: str) -> list[int]:
    values = item.result.preferences.values[..., item.result.preferences.groups.index(group)]
    if len(columns) > MOST_CLUSTERED:
        return list(columns)
    order = clustered_order(_with_means(values)[np.ix_(list(rows), list(columns))].T)
    return [columns[index] for index in order]


def shown_axes(
    item: Report, group: str, preset: str, order: str, paper_texts: Sequence[str], page: int = 1
) -> Axes:
    """Return rows in this order and columns heaviest first, cut to a page, within which columns cluster."""
    rows = _arranged(item, _shown_occupations(item, group, preset), group, order)
    columns = shown_templates(item, preset, paper_texts)
    note, pages = "", pages_of(item, preset)
    if pages > 1:
        high, wide = _page_shape(item, preset)
        down, across = divmod(min(page, pages) - 1, ceil(len(columns) / wide))
        top, left = down * high, across * wide
        note = (
            f"A page shows at most {MOST_CELLS:,} cells. Page {min(page, pages):,} of {pages:,}: sentences "
            f"{left + 1:,}–{min(left + wide, len(columns)):,} of {len(columns):,}, common ones first, and "
            f"occupations {top + 1:,}–{min(top + high, len(rows)):,} of {len(rows):,}, in this order."
        )
        rows, columns = rows[top : top + high], columns[left : left + wide]
    if order == "clustering" and rows:
        columns = _clustered_templates(item, rows, columns, group)
    return Axes(rows, columns, note)
