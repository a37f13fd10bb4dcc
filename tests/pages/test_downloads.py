"""What pages hand out as CSV, of a run whose every name would be a formula."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from pcf_core.app.report import FULL
from pcf_core.audit.results import load_result
from pcf_core.core.topics import Group, MinedTemplate, SetCard
from pcf_core.material.evidence import OWN, make_evidence
from pcf_core.material.safety.text import FORMULA_STARTS
from pcf_core.material.templates import make_mined, save_set
from pcf_core.material.topics import make_topic, save_topic
from pcf_core.store.store import Store
from tests.conftest import MINI_MODELS, fill
from tests.pages.opened import open_app, own_store, usual_run

GROUPS = (Group(name="female", words=("=she", "+her")), Group(name="male", words=("-he", "@him")))
TERMS = ("=nurse", "+engineer", "-clerk", "@cook", "＝pilot", "tutor", "teacher", "writer")
TEXTS = ("=[X] said that [Y]", "+[X] felt [Y]", "-[X] saw [Y]", "@[X] knew [Y]")
FORMULAS = "formulas"


@pytest.fixture
def formulas() -> dict[str, str | list[str]]:
    """A run of such names, scored; the parameters that open a page on it."""
    save_topic(make_topic(FORMULAS, GROUPS, title="=Formulas", evidence=FORMULAS, templates=FORMULAS))
    OWN.save(make_evidence(FORMULAS, TERMS, noun="=term"))
    texts = [MinedTemplate(text=text, count=index + 1) for index, text in enumerate(TEXTS)]
    save_set(make_mined(FORMULAS, texts, SetCard(title="=Formulas")))
    for model in MINI_MODELS:
        fill(own_store(), model, FORMULAS, FORMULAS, FORMULAS)
    return {"topic": FORMULAS, "templates": FORMULAS, "evidence": FORMULAS}


@pytest.fixture
def handed_out(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], str | bytes]]:
    """The data of every button of a page that gives CSV, by the file's name."""
    data_by_name: dict[str, Callable[[], str | bytes]] = {}
    draw = st.download_button

    def kept(label: str, data: Any, file_name: str, mime: str, **options: Any) -> bool:
        if mime == "text/csv" or file_name.endswith("-csv.zip"):
            data_by_name[file_name] = data
        return draw(label, data, file_name, mime, **options)

    monkeypatch.setattr(st, "download_button", kept)
    return data_by_name


def tables_of(data: str | bytes) -> list[str]:
    """A table as text, or all of an archive."""
    if isinstance(data, str):
        return [data]
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return [data.decode()]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [archive.read(name).decode() for name in archive.namelist() if name.endswith(".csv")]


def formulas_in(data: str | bytes) -> list[str]:
    """The cells that a spreadsheet would compute; a negative number is none."""
    tables = tables_of(data)
    assert tables
    cells = [cell for text in tables for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    return [cell for cell in cells if cell.startswith(FORMULA_STARTS) and not is_number(cell)]


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


QUICK = ("heat_map", "templates")
NAMING = (*QUICK, "tilt", "report")  # pages with a table of occupations or templates by name
SLOW = (
    "overview",
    "risk",
    "tilt",
    "caprice",
    "factors",
    "sensitivity",
    "compare",
    "case_file",
    "topics",
    "models",
    "report",
)


@pytest.mark.parametrize("page", [*QUICK, *(pytest.param(page, marks=pytest.mark.slow) for page in SLOW)])
def test_no_page_hands_out_a_formula(
    formulas: dict[str, str | list[str]], handed_out: dict[str, Callable[[], str | bytes]], page: str
) -> None:
    wanted = {**formulas, "set": FORMULAS} if page == "templates" else formulas
    if page == "report":
        wanted["rp_form"] = FULL  # two pages have few tables
    app = open_app(page, **wanted).open_foot("Data")
    if page == "report":
        app.press("report_make")
    assert not app.error
    for name, data in handed_out.items():
        assert formulas_in(data()) == [], name
    if page in NAMING:
        tables = [table for data in handed_out.values() for table in tables_of(data())]
        assert any("'=" in table for table in tables), "it has names that are formulas"


def test_the_heat_map_hands_out_every_cell_with_its_coverage(
    full_store: Store, handed_out: dict[str, Callable[[], str | bytes]]
) -> None:
    """The picture shows 40 of 120 occupations; the files hold all, of those without a weight too."""
    app = open_app("heat_map", model=["mini-gpt"], weights="employment")
    shown = app.dataframe[-1].value
    run = usual_run("mini-gpt")
    preferences = load_result(full_store, run).preferences
    table = pd.read_csv(io.StringIO(tables_of(handed_out["heat_map.csv"]())[0]))
    assert len(shown.columns) - 1 < len(preferences.occupations) == table["occupation"].nunique()
    assert len(table) == preferences.values.size
    assert table["probability"].to_numpy() == pytest.approx(preferences.values.ravel(), abs=1e-9)
    assert preferences.coverage is not None
    assert table["coverage"].to_numpy()[:: len(preferences.groups)] == pytest.approx(
        preferences.coverage.ravel()
    )
    assert 0 < table["occupation_weight"].isna().sum() < len(table)


def test_a_cell_can_be_worked_out_by_hand(
    full_store: Store, handed_out: dict[str, Callable[[], str | bytes]]
) -> None:
    """From the probabilities of its words come the shares of the groups."""
    app = open_app("heat_map", model=["mini-gpt", "mini-bert"])
    assert not app.error
    table = pd.read_csv(io.StringIO(tables_of(handed_out["cell_words.csv"]())[0]))
    assert set(table["model"]) == {"mini-gpt", "mini-bert"}
    for _, rows in table.groupby("model"):
        sums = rows.groupby("group")["probability"].sum()
        shares = rows.groupby("group")["share_of_group"].first()
        assert (sums / sums.sum()).to_numpy() == pytest.approx(shares.to_numpy(), abs=1e-6)
