"""The benchmark of the zoo: what is scored, and how it is scaled."""

from __future__ import annotations

import pytest

from benchmarks.zoo import Timed, line, measure, prompts_of
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates


def test_a_sample_is_some_occupations_with_all_templates() -> None:
    prompts, cells = prompts_of(3)
    assert len(prompts) == 3 * 500
    assert cells == 120 * 500
    heaviest = load_templates("gender-wikipedia-100").texts
    terms = load_evidence("occupations-bvf").terms
    for start, place in ((0, 0), (500, 40), (1000, 80)):
        assert prompts[start : start + 100] == [text.replace("[X]", terms[place]) for text in heaviest]
    assert len(prompts_of(120)[0]) == cells


def test_time_is_scaled_by_cells() -> None:
    timed = Timed("mini", 5_000_000, 100, 2.0, 0.5)
    assert timed.minutes(6000) == pytest.approx(2)
    assert line(timed, 6000).split() == ["mini", "5.0", "M", "50.0", "2.0", "25%"]
    assert line(Timed("mini", 5_000_000, 100, 2.0, None), 6000).split()[-1] == "2.0"


def test_a_model_is_scored_beside_its_floor() -> None:
    """At a rate of one FLOP a second the floor is the FLOPs: more than one token through every weight."""
    prompts, _ = prompts_of(1, templates=2)
    found = measure("mini-gpt", prompts, rate=1.0)
    assert (found.model, found.cells) == ("mini-gpt", 2)
    assert found.seconds > 0
    assert found.floor is not None
    assert found.floor > 2 * found.parameters
