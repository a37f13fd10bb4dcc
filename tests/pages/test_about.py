"""The tab About: every section and family is there, and what it says of numbers is so."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import pcf_core
from pcf_core.app.method.about import about_finding, family_table, reference_table, sections
from pcf_core.core.families import Family
from pcf_core.material.published import published_risks
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose
from pcf_core.store.store import Store
from tests.pages.opened import open_app, own_store

HEADINGS = [
    "Method",
    "How to read the numbers",
    "What each family computes",
    "Calibration",
    "Limits",
    "Ethics",
    "Sources",
    "Licence",
]


def test_the_page_shows_every_section_and_both_tables(full_store: Store) -> None:
    app = open_app("about")
    assert app.titles == ["Method"]
    assert [heading.value for heading in app.subheader] == HEADINGS
    assert len(app.table) == 2
    assert not app.error
    said = app.texts
    assert (
        f"PCF Audit {pcf_core.__version__} has 2 finished runs of 2 models here, 4,560 cells in all" in said
    )
    assert "https://doi.org/10.48550/arXiv.2402.15481" in said


def test_nothing_scored_is_a_state() -> None:
    app = open_app("about")
    assert "has no finished run here yet" in app.texts
    assert "no finished run" in about_finding(own_store())
    assert "planted-causal is not compared with its planted risks yet" in app.texts
    assert "python -m pcf_core score --model planted-masked --topic calibration" in [
        code.value for code in app.code
    ]
    assert all(code.proto.wrap_lines for code in app.code)


def test_every_family_is_explained() -> None:
    assert [row.split(":")[0] for row in family_table().index] == list(get_args(Family))


def test_the_reference_models_are_those_of_the_papers() -> None:
    table = reference_table()
    assert list(table.loc["randomly initialised"]) == ["0.50", "0", "0.50"]
    assert list(table.loc["stereotyped"]) == ["1.00", "1.00", "0"]


def test_the_example_is_computed_as_it_is_told() -> None:
    male = np.array([[0.6, 0.6, 0.6], [0.5, 0.35, 0.65]])
    found = decompose(np.stack([male, 1 - male], axis=-1), np.ones(3), Criterion())
    assert found.overall == pytest.approx([0.2, 0.2])
    assert found.caprice == pytest.approx([0.0, 0.2], abs=1e-12)
    method = " ".join(sections()["Method"].split())
    assert "0.6, 0.6, 0.6 and 0.5, 0.35, 0.65 in three contexts. Both have the risk 0.2." in method


def test_what_is_said_of_the_papers_tables_stands_in_them() -> None:
    """LLaMA2 above GPT-2 with Wikipedia's contexts, below with those of every other source."""
    limits = sections()["Limits"]
    first, last, other = (
        next(
            row.overall_risk
            for row in published_risks()
            if (row.paper, row.table, row.topic, row.model) == (paper, 1, "gender", model)
        )
        for paper, model in (("PCF", "LLaMA2"), ("BVF", "LLaMA2"), ("PCF", "GPT-2"))
    )
    assert f"({last:.3f} and {other:.3f})" in limits
    assert f"{first:.3f} in the first version and {last:.3f} in the last" in " ".join(limits.split())
    sources: dict[str, dict[str, float]] = {}
    for row in published_risks():
        if (row.paper, row.table) == ("BVF", 4):
            sources.setdefault(row.context_source, {})[row.model] = row.overall_risk
    assert set(sources) == {"book", "conversation", "textbook", "web page"}
    assert all(risks["Llama2"] < risks["GPT2"] for risks in sources.values())
    assert last > other
