"""How the further terms find their line of the statistics, and that no cell stands without its proof."""

import csv
import sys

import pytest

from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from tools.derive_factors import (
    CLOSE,
    NOT_THE_SAME,
    YEARS,
    derive,
    education_years,
    exact_titles,
    main,
    match,
    unproven,
    women_share,
)

TITLES = [
    "Waiters and waitresses",
    "Riggers",
    "Drafters",
    "Drafters, all other",
    "Structural metal fabricators and fitters",
    "Secretaries and administrative assistants, except legal, medical, and executive",
    "Camera operators, television, video, and film",
]


@pytest.mark.parametrize(
    ("term", "titles"),
    [
        ("waitress", ["Waiters and waitresses"]),
        ("waiter", ["Waiters and waitresses"]),
        ("rigger", ["Riggers"]),
        ("drafter", ["Drafters"]),
        ("fitter", ["Structural metal fabricators and fitters"]),
        ("executive", []),
        ("structural", []),
        ("operator", []),
    ],
)
def test_a_term_is_exact_where_a_title_names_it(term, titles):
    assert exact_titles(term, TITLES) == titles


def test_the_decisions_by_hand_come_first():
    assert match("fitter", TITLES)[0] == "none"
    assert match("videographer", TITLES)[:2] == ("close", "Camera operators, television, video, and film")
    assert match("ii", TITLES)[0] == "none"
    with pytest.raises(SystemExit, match="rigger names 2 titles"):
        match("rigger", ["Riggers", "Riggers and hoisters"])


def test_the_decisions_concern_terms_of_the_longer_list_only():
    others = set(load_evidence("occupations-pcf").terms) - set(load_evidence("occupations-bvf").terms)
    assert set(CLOSE) | set(NOT_THE_SAME) <= others
    assert not set(CLOSE) & set(NOT_THE_SAME)


def line(title, code, level, employed, **attainment):
    figures = dict.fromkeys(YEARS, "0") if attainment else dict.fromkeys(YEARS, "")
    return {
        "title": title,
        "soc_code": code,
        "level": level,
        "employment_2021_thousands": employed,
        "median_annual_wage_2021_usd": "1000",
        "wage_top_coded": "0",
        **figures,
        **attainment,
    }


LINES = [
    line("Drafters", "17-3010", "summary", "400"),
    line("Civil drafters", "17-3011", "detailed", "300", hs_pct="50", bachelor_pct="50"),
    line("Other drafters", "17-3019", "detailed", "100", hs_pct="100"),
    line("Engineers", "17-2011", "detailed", "900", hs_pct="0", master_pct="100"),
]
CPS = [
    {"cps_title": "Other drafters", "year": "2021", "employed_thousands": "93", "women_pct": "24.3"},
    {
        "cps_title": "Architectural and civil drafters",
        "year": "2021",
        "employed_thousands": "7",
        "women_pct": "",
    },
    {"cps_title": "Other drafters", "year": "2020", "employed_thousands": "93", "women_pct": "99"},
]


def test_education_of_a_line_and_of_a_summary():
    assert education_years(LINES[1], LINES) == 14
    assert education_years(LINES[0], LINES) == (300 * 14 + 100 * 12) / 400


def test_womens_share_needs_nine_tenths_of_the_people():
    assert women_share("Drafters", CPS) == ("0.243", "Other drafters")
    fewer = [{**CPS[0], "employed_thousands": "60"}, CPS[1]]
    assert women_share("Drafters", fewer) == ("", "")
    assert women_share("Riggers", CPS) == ("", "")


def test_a_row_carries_years_and_sources_of_what_is_filled():
    sources = {
        f"{name}_{part}": f"{name} {part}"
        for name in ("employment", "wage", "education", "women_share")
        for part in ("year", "source")
    }
    row = derive("drafter", LINES, CPS, sources)
    assert (row["match"], row["bls_title"], row["mean_education_years"]) == ("exact", "Drafters", "13.50")
    assert row["women_share_year"] == "women_share year"
    assert derive("ii", LINES, CPS, sources) == {
        "occupation": "ii",
        "match": "none",
        "note": "no line of the US statistics is this occupation",
    }
    assert "women_share_year" not in derive("drafter", LINES, [], sources)


def shipped_rows() -> list[dict[str, str]]:
    path = settings().assets / "factors" / "occupations_us.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_shipped_cell_has_year_source_and_match_quality():
    assert unproven(shipped_rows()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"match": ""}, "match is ''"),
        ({"match": "good"}, "match is 'good'"),
        ({"match": "none"}, "match is none, line is Accountants and auditors"),
        ({"bls_title": ""}, "match is exact, line is empty"),
        ({"bls_title": ""}, "women_share has no line of the statistics"),
        ({"wage_year": ""}, "median_annual_wage_usd has the value, year and source"),
        ({"education_source": ""}, "mean_education_years has the value, year and source"),
        ({"employment_thousands": ""}, "employment_thousands has the value, year and source"),
        ({"word_frequency_source": ""}, "word_frequency has the value, year and source"),
    ],
)
def test_a_cell_without_its_proof_is_named(change, said):
    row = next(row for row in shipped_rows() if row["occupation"] == "accountant")
    assert any(f"accountant: {said}" in problem for problem in unproven([row | change]))


def test_a_table_with_such_a_cell_is_not_written(tmp_path, monkeypatch):
    facts = shipped_rows()
    facts[0]["word_frequency_year"] = ""
    tables = {
        "occupation_facts.csv": facts,
        "bls_employment_wage_education_2021.csv": LINES,
        "cps_women_share_2020_2022.csv": CPS,
    }
    for name, rows in tables.items():
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    out = tmp_path / "out.csv"
    monkeypatch.setattr(sys, "argv", ["derive", "--occupations", str(tmp_path), "--out", str(out)])
    with pytest.raises(SystemExit, match=r"Nothing is written: .*word_frequency has the value"):
        main()
    assert not out.exists()
