"""Exports and comparisons as documents and tables: what is written is what was computed."""

from __future__ import annotations

import dataclasses
import errno
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pcf_core.app.compare.tables import COMPARISON_COLUMNS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import RunSpec
from pcf_core.report.documents import (
    cell_table,
    comparison_document,
    comparison_table,
    export_run,
    report_document,
    several_table,
)
from pcf_core.report.rows import occupation_numbers
from pcf_core.show.findings.comparison import difference_text
from pcf_core.store.store import Store
from tests.show.charts.compared import FIRST, NAMES, SECOND, compared_example, difference


@pytest.fixture
def finished(full_store: Store) -> tuple[RunSpec, Result, RiskReport]:
    run = full_store.runs()[0].run
    result = load_result(full_store, run)
    return run, result, report(result, run, ViewOptions(occupation_weights="employment"), resamples=50)


def test_cells_are_the_preferences_with_their_weights(finished: tuple[RunSpec, Result, RiskReport]) -> None:
    _, result, found = finished
    table = cell_table(result.preferences, found)
    assert len(table) == 77 * 19 * 2
    assert np.allclose(table.groupby(["occupation", "template"])["probability"].sum(), 1)
    row = table[(table.occupation == "nurse") & (table.template == "The [X] said that [Y]")]
    nurse = result.preferences.occupations.index("nurse")
    said = result.preferences.templates.index("The [X] said that [Y]")
    assert row.probability.tolist() == result.preferences.values[nurse, said].tolist()
    cells = table[table.group == "male"]
    assert cells.drop_duplicates("occupation").occupation_weight.sum() == pytest.approx(1)
    assert cells.drop_duplicates("template").template_weight.sum() == pytest.approx(1)


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_every_format_holds_the_same_numbers(
    finished: tuple[RunSpec, Result, RiskReport], form: str, tmp_path: Path
) -> None:
    run, result, found = finished
    files = export_run(run, result.preferences, found, tmp_path / f"run.{form}", form)
    if form == "csv":
        cells = pd.read_csv(files[0], keep_default_na=False)
    elif form == "parquet":
        cells = pd.read_parquet(files[0])
    else:
        cells = pd.DataFrame(json.loads(files[0].read_text())["cells"])
    assert np.allclose(cells["probability"], cell_table(result.preferences, found)["probability"], atol=1e-15)
    document = json.loads(files[-1].read_text())
    assert document["run"] == run.key
    assert document["report"]["overall_risk"] == found.overall_risk
    assert sorted(path.name for path in tmp_path.glob("run*")) == sorted(path.name for path in files)


def test_an_export_that_cannot_be_written_is_one_sentence(
    finished: tuple[RunSpec, Result, RiskReport], tmp_path: Path
) -> None:
    run, result, found = finished
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "nowhere" / "run.csv", tmp_path, Path(), tmp_path / "file" / "run.csv"):
        with pytest.raises(InputError, match="cannot be a file to write"):
            export_run(run, result.preferences, found, place, "csv")


def test_a_full_disk_leaves_no_half_written_export(
    finished: tuple[RunSpec, Result, RiskReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, result, found = finished

    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match="No space left"):
        export_run(run, result.preferences, found, tmp_path / "run.json", "json")
    assert list(tmp_path.glob("run*")) == []


def test_an_export_through_a_link_keeps_the_link(
    finished: tuple[RunSpec, Result, RiskReport], tmp_path: Path
) -> None:
    run, result, found = finished
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    export_run(run, result.preferences, found, tmp_path / "link.csv", "csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("occupation,")


def test_occupations_come_with_their_intervals_and_what_is_corrected(
    finished: tuple[RunSpec, Result, RiskReport],
) -> None:
    _, _, found = finished
    table = occupation_numbers(found)
    for part in ("overall", "prejudice", "caprice"):
        assert (table[f"{part}_low"] <= table[f"{part}_risk"]).all()
        assert (table[f"{part}_risk"] <= table[f"{part}_high"]).all()
    assert (table["corrected_prejudice_risk"] <= table["prejudice_risk"] + 1e-12).all()
    document = report_document(found)
    assert [interval["over"] for interval in document["intervals"]["caprice_risk"]] == [
        "templates",
        "occupations",
        "both",
    ]
    assert document["corrected"]["headline"] is False
    assert document["corrected"]["sampling_prejudice"] > 0
    assert document["stereotype_sd"] == pytest.approx((table["weight"] * table["stereotype_sd"]).sum())
    assert [row["corrected_prejudice_risk"] for row in document["occupations"]] == table[
        "corrected_prejudice_risk"
    ].tolist()


def test_the_table_has_a_row_per_quantity_and_occupation_after_the_totals() -> None:
    table = comparison_table(compared_example(), "templates")
    assert len(table) == 3 * (1 + len(NAMES))
    assert (table["occupation"][:3] == "").all()
    risks = table[(table.quantity == "overall_risk") & (table.occupation != "")]
    assert risks["occupation"].tolist() == list(NAMES)
    assert risks["first: mini-<i>bert</i>"].tolist() == list(FIRST)
    assert risks["second: mini-gpt"].tolist() == list(SECOND)
    assert ((table["low"] <= table["difference"]) & (table["difference"] <= table["high"])).all()


def test_the_table_has_the_interval_of_the_sentence_and_says_what_it_is_over() -> None:
    example = compared_example()
    pilot = example.occupations[0]
    alone = {
        name: dataclasses.replace(found, intervals=found.intervals[:1])
        for name, found in pilot.differences.items()
    }
    example = dataclasses.replace(example, occupations=(dataclasses.replace(pilot, differences=alone),))
    for over in ("templates", "occupations", "both"):
        table = comparison_table(example, over)
        wanted = example.differences["overall_risk"].interval(over)
        assert wanted is not None
        assert (table["low"][0], table["high"][0], table["over"][0]) == (wanted.low, wanted.high, over)
        said = difference_text(example.differences["overall_risk"], over).replace("−", "-")
        low, high = map(float, said.partition("(")[2].strip(")").split(" to "))
        assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=0.005)
        assert table["over"][3] == "templates"  # an occupation has no other
        several = several_table([example], over)
        assert several["over"].tolist() == [over] * 3


def test_a_difference_too_small_to_matter_is_marked_as_no_order_in_document_and_table() -> None:
    """Its verdict alone reads as an order: ``first``."""
    example = compared_example()
    small = dataclasses.replace(difference(0.9, 0.2, clear=True), margin=0.9)
    large = dataclasses.replace(small, margin=0.02)
    differences = {**example.differences, "overall_risk": small, "prejudice_risk": large}
    example = dataclasses.replace(example, differences=differences)
    told = comparison_document(example)["differences"]
    assert [told[name]["verdict"] for name in differences] == ["first", "first", "unclear"]
    assert [told[name]["ordered"] for name in differences] == [False, True, False]
    table = comparison_table(example, "templates")
    assert table["ordered"][:3].tolist() == [False, True, False]
    assert {"negligible", "ordered"} <= set(COMPARISON_COLUMNS)
