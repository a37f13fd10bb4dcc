"""The picture of what is known: where its bars end, and what else is marked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.show.charts.theme import MAX_HEIGHT
from pcf_core.show.charts.why import MOST_FACTS, knowledge_bars
from tests.show.charts.facts import fact


def test_a_bar_ends_at_knowledge_and_its_lighter_part_is_the_gap() -> None:
    figure = knowledge_bars([fact("Sun", 0.8, 0.1), fact("Mars", 0.6, 0.0, elsewhere=None)])
    score, gap, guessing, others = figure.data
    assert figure.layout.barmode == "stack"
    assert np.add(score.x, gap.x) == pytest.approx([0.8, 0.6])
    assert gap.x == pytest.approx([0.1, 0.0])
    assert gap.marker.opacity < score.marker.opacity
    assert gap.marker.pattern.shape != score.marker.pattern.shape
    assert list(guessing.x) == [0.5, 0.5]
    assert list(others.x) == [0.4, None]
    assert dict(figure.layout.yaxis.labelalias) == {"0": "Sun", "1": "Mars"}


def test_twenty_facts_are_drawn_within_the_height_of_a_page() -> None:
    figure = knowledge_bars([fact(str(n), 0.5, 0.1) for n in range(60)])
    assert len(figure.data[0].x) == MOST_FACTS
    assert figure.layout.height <= MAX_HEIGHT


def test_a_fact_without_an_interval_is_drawn_without_bounds() -> None:
    alone = replace(fact("Sun", 0.8, 0.0), interval=None)
    assert "knowledge 0.8<br>" in knowledge_bars([alone]).data[0].customdata[0]


def test_answers_of_a_file_are_no_markup() -> None:
    figure = knowledge_bars([fact("<i>Sun</i>", 0.8, 0.1)])
    assert "&lt;b&gt;star" in figure.data[0].customdata[0]
    assert "<i>" not in figure.data[0].customdata[0]
    assert "caprice" not in figure.to_json()
