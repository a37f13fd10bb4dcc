"""What the paper prints, what follows from it, and what its HTML dropped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.texts.criteria.published import published_criteria


def test_every_row_says_where_its_number_is_from() -> None:
    rows = published_criteria()
    assert len({row.id for row in rows}) == len(rows)
    assert all((row.value is None) >= (row.status == "missing") for row in rows)
    assert all(row.note for row in rows if row.value is None)
    found = {row.id: row for row in rows}
    assert (found["I-2"].value, found["M-1"].value) == (0.94, 0.24)
    assert (found["I-3"].status, found["M-4"].status, found["T5-NPV-she"].value) == (
        "missing",
        "derived",
        None,
    )
    assert "2403.08564" in found["M-1"].source
    assert Counter(row.id.split("-")[0] for row in rows)["T6"] == 12


def test_the_letter_baseline_is_a_count_of_420() -> None:
    (row,) = (row for row in published_criteria() if row.id == "M-1")
    assert row.value == pytest.approx(101 / 420, abs=0.005)


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pcf_core.core.settings import settings

    header = "id,section,quantity,subject,value,status,note\n"
    (tmp_path / "published_criteria.csv").write_text(f"{header}I-1,5.1,n,GPT-4,many,published,\n")
    damaged = settings().model_copy(update={"assets": tmp_path})
    monkeypatch.setattr("pcf_core.texts.criteria.published.settings", lambda: damaged)
    with pytest.raises(SettingsError, match="damaged"):
        published_criteria()
