"""Rows, columns and pages of the heat map, on made-up preferences."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result, build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import Report
from pcf_core.core.run import Preferences
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.sections import heat_map


@pytest.fixture
def item() -> Report:
    """120 occupations × 19 templates with random preferences."""
    topic = load_topic("gender")
    run = build_run(
        resolve("mini-gpt"), topic, load_evidence(topic.evidence), load_templates("gender-nineteen")
    )
    male = np.random.default_rng(1).random((120, 19))
    preferences = Preferences(
        topic.group_names, run.evidence.terms, run.templates.texts, np.stack([male, 1 - male], axis=-1)
    )
    result = Result(preferences, (), (), (), ())
    found = report(result, run, ViewOptions(), resamples=1)
    return Report(run, "view", found, lambda: result)


def test_pages_hold_every_cell_once(item: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_map, "MOST_CELLS", 50 * 7)
    monkeypatch.setattr(heat_map, "MOST_ROWS", 50)
    seen = np.zeros((120, 19), dtype=int)
    pages = heat_map.pages_of(item, "all")
    for page in range(1, pages + 1):
        axes = heat_map.shown_axes(item, "male", "all", "clustering", (), page)
        assert len(axes.rows) * len(axes.columns) <= 350
        seen[np.ix_(axes.rows, axes.columns)] += 1
    assert pages == 9
    assert (seen == 1).all()


def test_clustering_puts_like_rows_and_columns_side_by_side(item: Report) -> None:
    shares = item.result.preferences.values[..., 0]

    def unevenness(order: str) -> tuple[float, float]:
        axes = heat_map.shown_axes(item, "male", "all", order, ())
        shown = shares[np.ix_(axes.rows, axes.columns)]
        return float(np.abs(np.diff(shown, axis=0)).mean()), float(np.abs(np.diff(shown, axis=1)).mean())

    clustered, named = unevenness("clustering"), unevenness("name")
    assert clustered[0] < named[0]
    assert clustered[1] < named[1]


@pytest.mark.parametrize("order", heat_map.ORDERS)
@pytest.mark.parametrize("preset", ["varied", "all"])
def test_every_order_shows_each_row_and_column_once(item: Report, order: str, preset: str) -> None:
    axes = heat_map.shown_axes(item, "female", preset, order, ())
    rows, columns = (120, 19) if preset == "all" else (heat_map.SHOWN_OCCUPATIONS, 19)
    assert (len(set(axes.rows)), len(set(axes.columns))) == (rows, columns)
    assert axes.note == ""


def test_too_many_to_cluster_stay_as_they_were(item: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_map, "MOST_CLUSTERED", 18)
    axes = heat_map.shown_axes(item, "male", "all", "clustering", ())
    assert axes.rows == list(range(120))
    assert axes.columns == heat_map.shown_templates(item, "all", ())
