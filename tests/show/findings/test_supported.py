"""What each number can and cannot support: one table, the same on the page and in docs/methods.md."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.material.numbers import Check, Numbers, load_numbers
from pcf_core.show.findings.reliability import (
    COLUMNS,
    OF_ONE_OCCUPATION,
    SELDOM_CHANGES,
    check_text,
    checks_text,
    seldom_caprice_note,
    supported_rows,
)
from tests.pages.opened import open_app, texts
from tests.show.charts.compared import difference
from tools.numbers_table import PLACE, with_table


def test_the_document_has_the_same_table() -> None:
    text = PLACE.read_text(encoding="utf8")
    assert with_table(text) == text, "run python -m tools.numbers_table"
    for row in supported_rows(load_numbers()):
        assert f"| {' | '.join(row)} |" in text
        assert all("|" not in cell for cell in row)


def test_the_page_has_the_same_table(own_settings: Settings) -> None:
    app = open_app("method", method_tab="What numbers support")
    assert not app.error
    (table,) = app.table
    assert table.value.reset_index().to_numpy().tolist() == [
        list(row) for row in supported_rows(load_numbers())
    ]
    assert list(table.value.reset_index().columns) == list(COLUMNS)
    assert "python -m pytest" in " ".join(code.value for code in app.code)
    assert "95 of 100" in texts(app)


def test_every_source_is_a_file_whose_command_names_it() -> None:
    for source in load_numbers().source.values():
        assert (ROOT / source.file).is_file(), source
        module = source.file.removesuffix(".py").replace("/", ".")
        assert source.file in source.command or f"python -m {module}" in source.command


def test_every_kind_of_number_is_there() -> None:
    named = " ".join(one.name for one in load_numbers().number)
    for what in (
        "Risk R",
        "Prejudice",
        "Caprice",
        "How much occupations differ",
        "Tilt",
        "Share of",
        "Order",
        "Slope",
        "tail",
        "FairPair",
        "Gap",
    ):
        assert what in named


def test_figures_in_words() -> None:
    def said(**given: object) -> str:
        return check_text(Check.model_validate({"of": "few", "source": "one", **given}))

    assert said(held=(92, 94)) == "92 to 94: few"
    assert said(held=(94, 94)) == "94: few"
    assert said(held=(90,)) == "at least 90: few"
    assert said(wrong=(5,)) == "at most 5 wrong: few"
    first = load_numbers().number[0]
    assert checks_text(first, load_numbers()).endswith("(benchmarks/coverage.py)")


@pytest.mark.parametrize("given", [{}, {"held": (90, 80)}, {"held": (90,), "wrong": (5,)}, {"held": (101,)}])
def test_a_figure_that_cannot_be_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Check.model_validate({"of": "few", "source": "one", **given})


def test_a_source_that_nobody_names_is_refused_and_a_damaged_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = (settings().assets / "numbers.toml").read_text(encoding="utf8")
    changed = re.sub(r"\[source\.totals\]", "[source.others]", shipped)
    with pytest.raises(ValidationError, match="are named"):
        Numbers.model_validate(tomllib.loads(changed))
    (tmp_path / "numbers.toml").write_text(changed, encoding="utf8")
    monkeypatch.setenv("PCF_ASSETS", str(tmp_path))
    settings.cache_clear()
    with pytest.raises(SettingsError, match="restore the shipped file"):
        load_numbers()
    settings.cache_clear()


def test_compare_says_beside_caprice_how_often_its_ranges_hold() -> None:
    """The figures are those of *Method*; where there is no caprice nothing is said of it."""
    numbers, some = load_numbers(), difference(0.04, 0.01, clear=True)
    said = seldom_caprice_note(numbers, some)
    held = {check.of: check_text(check).split(":")[0] for one in numbers.number for check in one.checks}
    assert f"{held[SELDOM_CHANGES]} of 100 did instead of 95" in said
    assert f"of a single occupation {held[OF_ONE_OCCUPATION]}." in said
    assert seldom_caprice_note(numbers, replace(some, first=0.0, second=0.0)) == ""
