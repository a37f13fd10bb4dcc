"""The board: a row has the figures of its report, is calculated once, and leads to its result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.report.board import NAME, add_row, board_panel, board_rows, without_row
from pcf_core.show.overview import ModelRow
from pcf_core.store.store import Store
from tests.report.small_packs import brought, packed, score, small_run


def test_rows_are_the_figures_of_reports_and_calculated_once(tmp_path: Path, ours: Store) -> None:
    theirs = Store.open(tmp_path / "theirs")
    score(theirs, small_run())
    brought(ours, packed(theirs, small_run()))
    (run,) = without_row(ours)
    assert run.scoring.imported
    assert add_row(ours, run) == ""
    assert without_row(ours) == []
    (row,) = board_rows(ours)
    said = report(load_result(ours, run), run, ViewOptions(protocol=run.scoring.protocol), brief=True)
    assert (row.run, row.figures) == (run, ModelRow.of(run.scoring.label, said))
    panel = board_panel([row], 2)
    assert panel.findings == ["1 model, 1 topic, 1 result. 2 more are not in this table yet."]
    assert panel.table is not None
    (shown,) = panel.table().to_dict("records")
    assert (shown["topic"], shown["risk"]) == (run.topic.name, pytest.approx(said.overall_risk))
    unreliable = replace(row, figures=replace(row.figures, says_little=True))
    table = board_panel([row, unreliable]).table
    assert table is not None
    assert table()["risk"].isna().tolist() == [False, True]


def test_a_result_that_cannot_be_read_is_tried_once(ours: Store) -> None:
    run = small_run()
    ours.save_run(run, {})
    assert add_row(ours, run)
    assert (without_row(ours), board_rows(ours)) == ([], [])
    assert ours.documents(NAME) == (run.kept_as,)
