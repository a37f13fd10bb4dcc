"""How far numbers hold: other seeds of a training, models whose truth is known, what each supports."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pcf_core.core.errors import SettingsError
from pcf_core.core.sensitivity import Calibration, Planted, SeedSpread
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.material.numbers import Check, Numbers, load_numbers
from pcf_core.show.findings import reliability
from tests.pages.opened import open_app
from tests.show.charts.compared import difference

SEEDS = (0.3, 0.32, 0.36), (0.29, 0.3, 0.34), (0.01, 0.02, 0.02)
NAMES = {"overall_risk": "risk", "prejudice_risk": "prejudice", "caprice_risk": "caprice"}


def spread(quantity: str, risks: tuple[float, ...], bound: float) -> SeedSpread:
    seeds = tuple(range(len(risks)))
    return SeedSpread("mini", quantity, "gender", "some", "few", seeds, risks, bound, 0.95)


SPREADS = {
    name: spread(name, risks, bound)
    for name, risks, bound in zip(NAMES, SEEDS, (0.186, 0.16, 0.035), strict=True)
}


def beside_seeds(*changes: float, turned: bool = False) -> str:
    pairs = [(0.5, 0.5 + by) if turned else (0.5 + by, 0.5) for by in changes]
    found = {name: difference(*pair, clear=True) for name, pair in zip(NAMES, pairs, strict=True)}
    return reliability.seeds_finding(SPREADS, "large", found)


def calibration(model: str = "planted-causal", largest: float = 2e-6, off: float = 0.0) -> Calibration:
    planted = Planted(
        model=model,
        topic="calibration",
        evidence="calibration",
        templates="calibration",
        groups=("amber", "violet"),
        occupations=("lamp",),
        contexts=("The [X] is [Y]", "The [X] was [Y]"),
        values=(((0.7, 0.3), (0.5, 0.5)),),
        overall_risk=0.2,
        prejudice_risk=0.2,
        caprice_risk=0.0,
    )
    measured = {"overall_risk": 0.2 + off, "prejudice_risk": 0.2, "caprice_risk": off}
    written = datetime(2026, 11, 3, 9, tzinfo=UTC)
    return Calibration(planted, measured, largest, "lamp", "The [X] was [Y]", written, "0.9")


def check(**given: object) -> Check:
    return Check.model_validate({"of": "few", "source": "one", **given})


def examples() -> dict[str, object]:
    later = replace(calibration("planted-masked"), written=datetime(2026, 12, 24, tzinfo=UTC), version="")
    steady = {name: spread(name, (0.3, 0.3), 0.0) for name in NAMES}
    numbers = load_numbers()
    return {
        "beside seeds": {
            str(changes): beside_seeds(*changes)
            for changes in ((0.05, -0.04, 0.009), (0.05, 0.03, -0.02), (-0.1, 0.1, 0.05), (0.3, 0.2, 0.1))
        },
        "seeds": [reliability.seeds_spread(SPREADS, here=here) for here in (True, False)],
        "beside an interval": reliability.seeds_note(steady),
        "calibrations": [
            reliability.calibration_finding(found)
            for found in (
                [calibration(), calibration("planted-masked", 3e-6, -2e-7)],
                [calibration(), later],
                [calibration("planted-masked"), calibration(off=2e-4)],
                [calibration("planted-masked"), calibration(largest=0.02)],
                [],
            )
        ],
        "uncalibrated": reliability.uncalibrated_note("planted-causal", "The run x is not finished."),
        "afresh": reliability.afresh_note(),
        "checks": [
            reliability.check_text(one)
            for one in (
                check(held=(92, 94)),
                check(held=(94, 94)),
                check(held=(90,)),
                check(held=(71, 87)),
                check(wrong=(5,)),
            )
        ],
        "supported": reliability.checks_text(numbers.number[0]),
        "seldom caprice": reliability.seldom_caprice_note(numbers, difference(0.04, 0.01, clear=True)),
    }


@given(st.lists(st.integers(-400, 400), min_size=3, max_size=3))
def test_every_difference_is_told_once_and_as_large_as_it_is(thousandths: list[int]) -> None:
    """Whichever way it goes; the last sentence stands where one is larger than between the seeds."""
    changes = [change / 1000 for change in thousandths]
    said = beside_seeds(*changes)
    assert beside_seeds(*changes, turned=True) == said
    for change, (name, word) in zip(changes, NAMES.items(), strict=True):
        (sentence,) = [part for part in said.split(". ") if f"{word} (" in part]
        size = abs(0.5 + change - 0.5)
        assert ("no larger" in sentence) == (size <= SPREADS[name].range)
        assert ("but within" in sentence) == (SPREADS[name].range < size <= SPREADS[name].bound)
    larger = any(abs(0.5 + by - 0.5) > SPREADS[name].range for by, name in zip(changes, NAMES, strict=True))
    assert said.endswith("We do not know how much another seed of large would change.") == larger
    assert said.count("so few") <= 1


@pytest.mark.parametrize(("off", "largest", "held"), [
    (9.9e-5, 1e-6, True), (1.1e-4, 1e-6, False), (0.0, 4.9e-5, True), (0.0, 5.1e-5, False)
])  # fmt: skip
def test_planted_risks_are_held_within_both_limits(off: float, largest: float, held: bool) -> None:
    said = reliability.calibration_finding([calibration(off=off, largest=largest)])
    assert said.startswith("The stored results " + ("recover" if held else "miss"))
    assert "This app" not in said, "what is stored is not what this installation finds"


def test_the_page_has_the_same_table(own_settings: Settings) -> None:
    app = open_app("method", method_tab="What numbers support")
    assert not app.error
    (table,) = app.table
    shown = table.value.reset_index()
    assert shown.to_numpy().tolist() == [list(row) for row in reliability.supported_rows(load_numbers())]
    assert list(shown.columns) == list(reliability.COLUMNS)
    assert "python -m pytest" in " ".join(code.value for code in app.code)
    assert "95 of 100" in app.texts


@pytest.mark.parametrize(("given", "said"), [
    ({"held": (94, 94)}, "94 of 100 ranges included the true value: few"),
    ({"held": (71, 90)}, "71 to 90 of 100 ranges included the true value: few"),
    ({"held": (71, 89)}, "only 71 to 89 of 100 ranges included the true value: few"),
    ({"held": (70,)}, "at least 70 of 100 ranges included the true value: few"),
    ({"wrong": (4, 6)}, "4 to 6 of 100 verdicts were wrong: few"),
    ({"wrong": (8,)}, "at most 8 of 100 verdicts were wrong: few"),
])  # fmt: skip
def test_a_simulation_says_what_was_counted(given: dict[str, object], said: str) -> None:
    assert reliability.check_text(check(**given)) == said


def test_every_source_is_a_file_whose_command_names_it() -> None:
    for source in load_numbers().source.values():
        assert (ROOT / source.file).is_file(), source
        module = source.file.removesuffix(".py").replace("/", ".")
        assert source.file in source.command or f"python -m {module}" in source.command


def test_every_kind_of_number_is_there() -> None:
    named = " ".join(one.name for one in load_numbers().number)
    kinds = ("Risk", "Prejudice", "Caprice", "How much occupations differ", "Tilt", "Share of", "Order")
    for kind in (*kinds, "Slope", "tail", "FairPair", "Gap"):
        assert kind in named


@pytest.mark.parametrize("given", [{}, {"held": (90, 80)}, {"held": (90,), "wrong": (5,)}, {"held": (101,)}])
def test_a_figure_that_cannot_be_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        check(**given)


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
    said = reliability.seldom_caprice_note(numbers, some)
    held = {
        one.of: reliability.check_text(one).removeprefix("only ").split(" of 100")[0]
        for each in numbers.number
        for one in each.checks
    }
    assert f"{held[reliability.SELDOM_CHANGES]} of 100 such ranges included the true value" in said
    assert f"for a single occupation, {held[reliability.OF_ONE_OCCUPATION]}." in said
    assert reliability.seldom_caprice_note(numbers, replace(some, first=0.0, second=0.0)) == ""
