"""Derive ``assets/factors/occupations_us.csv`` from tables of the US labour statistics.

    python -m tools.derive_factors --occupations FOLDER [--out FILE]

FOLDER holds ``occupation_facts.csv`` (the 120 occupations of the BVF paper, each matched by hand to a line of
the statistics), ``bls_employment_wage_education_2021.csv`` (every line), ``cps_women_share_2020_2022.csv``.
The 120 are copied with their match quality.  The further terms of PCF's list are matched here, by this rule:

exact   the term in the plural is a whole title of the statistics, or one of the two names that a title joins
        with "and" ("Waiters and waitresses"), and it is not in ``NOT_THE_SAME``.
close   ``CLOSE``: another name for people of one line, with the reason.
none    all others, fragments and ranks among them ("ii", "senior"): no figures.

Women's share is that of the CPS titles in ``CPS_TITLES`` (by default the same title), weighted by employment,
where titles with a published share hold at least 90 % of it.  Mean years of education: see ``YEARS``.  The
frequencies of words were counted for the 120 only.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import Factor

Row = Mapping[str, str]

CLOSE: Mapping[str, tuple[str, str]] = {
    "adjunct": ("Postsecondary teachers", "teaches at a college"),
    "controller": ("Financial managers", "O*NET lists treasurers and controllers here"),
    "copywriter": ("Writers and authors", "O*NET lists copy writers here"),
    "correspondent": ("News analysts, reporters, and journalists", "reports for a newspaper or broadcaster"),
    "estimator": ("Cost estimators", "the only estimators of the statistics"),
    "gm": ("General and operations managers", "abbreviation of general manager"),
    "mgr": ("Management occupations", "abbreviation of manager; whole major group"),
    "purchaser": ("Buyers and purchasing agents", "synonym of buyer"),
    "realtor": ("Real estate brokers and sales agents", "trade name of its members"),
    "salesman": ("Retail salespersons", "as salesperson"),
    "stewardess": ("Flight attendants", "older name"),
    "treasurer": ("Financial managers", "O*NET lists treasurers and controllers here"),
    "valuer": ("Property appraisers and assessors", "British name of an appraiser"),
    "videographer": ("Camera operators, television, video, and film", "operates a video camera"),
}
NOT_THE_SAME: Mapping[str, str] = {
    "advisors": "the title joins financial analysts and advisors: one of several kinds of advisor",
    "aide": "the titles name aides of therapists only",
    "directors": "the title names directors of film, stage and broadcast only",
    "fitter": "the title names fitters of structural metal only",
    "tester": "the title names testers of software only",
}
CPS_TITLES: Mapping[str, tuple[str, ...]] = {
    "Buyers and purchasing agents": (
        "Buyers and purchasing agents, farm products",
        "Wholesale and retail buyers, except farm products",
        "Purchasing agents, except wholesale, retail, and farm products",
    ),
    "Camera operators, television, video, and film": (
        "Television, video, and film camera operators and editors",
    ),
    "Drafters": ("Architectural and civil drafters", "Other drafters"),
}
MIN_PUBLISHED = 0.9
CPS_YEAR = "2021"
YEARS: Mapping[str, float] = {  # years of schooling assumed for each level of attainment
    "less_than_hs_pct": 10,
    "hs_pct": 12,
    "some_college_pct": 13,
    "associate_pct": 14,
    "bachelor_pct": 16,
    "master_pct": 18,
    "doctoral_professional_pct": 20,
}
NO_MATCH = "no line of the US statistics is this occupation"
FIGURES: Mapping[str, str] = {  # column of a figure -> prefix of its year and source columns
    "employment_thousands": "employment",
    "women_share": "women_share",
    "median_annual_wage_usd": "wage",
    "mean_education_years": "education",
    "word_frequency": "word_frequency",
}


def exact_titles(term: str, titles: Iterable[str]) -> list[str]:
    """Return titles that name the term by the rule for exact matches."""
    plural = {f"{term}s", f"{term}es", f"{term[:-1]}ies", term.removesuffix("man") + "men"}
    return [title for title in titles if plural & {title.lower(), *_joined(title.lower())}]


def _joined(title: str) -> Sequence[str]:
    names = title.split(" and ")
    return names if len(names) == 2 and "," not in title else ()


def match(term: str, titles: Sequence[str]) -> tuple[str, str, str]:
    """Return (quality, title, note) of a term; the title is empty if nothing matches."""
    if term in CLOSE:
        return "close", *CLOSE[term]
    if term in NOT_THE_SAME:
        return "none", "", NOT_THE_SAME[term]
    found = exact_titles(term, titles)
    if len(found) > 1:
        raise SystemExit(f"{term} names {len(found)} titles: decide in CLOSE or NOT_THE_SAME ({found}).")
    return ("exact", found[0], "") if found else ("none", "", NO_MATCH)


def education_years(line: Row, lines: Sequence[Row]) -> float:
    """Return mean years of education of a row; for a summary row, of its detailed rows by employment."""
    stem = line["soc_code"].rstrip("0")
    parts = [line] if line["hs_pct"] else [row for row in lines if row["soc_code"].startswith(stem)]
    detailed = [row for row in parts if row["level"] == "detailed" and row["hs_pct"]]
    weights = [float(row["employment_2021_thousands"]) for row in detailed]
    means = [
        sum(float(row[level]) * years for level, years in YEARS.items())
        / sum(float(row[level]) for level in YEARS)
        for row in detailed
    ]
    return sum(w * mean for w, mean in zip(weights, means, strict=True)) / sum(weights)


def women_share(title: str, cps: Sequence[Row]) -> tuple[str, str]:
    """Return (share between 0 and 1, basis) of a row; both empty if too little is published."""
    wanted = CPS_TITLES.get(title, (title,))
    rows = {row["cps_title"]: row for row in cps if row["year"] == CPS_YEAR and row["cps_title"] in wanted}
    published = [row for row in rows.values() if row["women_pct"]]
    employed = [float(row["employed_thousands"]) for row in published]
    everybody = sum(float(row["employed_thousands"]) for row in rows.values())
    if not published or sum(employed) < MIN_PUBLISHED * everybody:
        return "", ""
    women = sum(n * float(row["women_pct"]) for n, row in zip(employed, published, strict=True))
    return f"{women / sum(employed) / 100:.4g}", "; ".join(row["cps_title"] for row in published)


def derive(term: str, lines: Sequence[Row], cps: Sequence[Row], sources: Row) -> dict[str, str]:
    """Derive the row of a term not among the 120; ``sources`` gives the columns of years and sources."""
    quality, title, note = match(term, [row["title"] for row in lines])
    row = {"occupation": term, "match": quality, "note": note}
    if not title:
        return row
    line = next(candidate for candidate in lines if candidate["title"] == title)
    share, basis = women_share(title, cps)
    row |= {
        "bls_title": title,
        "soc_code": line["soc_code"],
        "employment_thousands": line["employment_2021_thousands"],
        "women_share": share,
        "women_share_basis": basis,
        "median_annual_wage_usd": line["median_annual_wage_2021_usd"],
        "wage_top_coded": line["wage_top_coded"],
        "mean_education_years": f"{education_years(line, lines):.2f}",
    }
    filled = ["employment", "wage", "education"] + (["women_share"] if share else [])
    return row | {
        f"{name}_{part}": sources[f"{name}_{part}"] for name in filled for part in ("year", "source")
    }


def unproven(rows: Iterable[Row]) -> list[str]:
    """Return a sentence for every cell without a source; empty if there is none.

    A figure has a year and a source, and neither occurs without a figure; a row has a match quality, and one
    with figures of the statistics names their row.
    """
    problems = []
    for row in rows:
        name = row["occupation"]
        if row.get("match") not in ("exact", "close", "broad", "none"):
            problems.append(f"{name}: match is {row.get('match')!r}")
        if (row.get("match") == "none") is bool(row.get("bls_title")):
            problems.append(f"{name}: match is {row.get('match')}, line is {row.get('bls_title') or 'empty'}")
        for figure, prefix in FIGURES.items():
            parts = [row.get(column) or "" for column in (figure, f"{prefix}_year", f"{prefix}_source")]
            if any(parts) and not all(parts):
                problems.append(f"{name}: {figure} has the value, year and source {parts}")
            if parts[0] and prefix != "word_frequency" and not row.get("bls_title"):
                problems.append(f"{name}: {figure} has no line of the statistics")
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--occupations", type=Path, required=True, help="folder of the three tables")
    parser.add_argument("--out", type=Path, default=Path("assets/factors/occupations_us.csv"))
    arguments = parser.parse_args()
    facts = _read(arguments.occupations / "occupation_facts.csv")
    lines = _read(arguments.occupations / "bls_employment_wage_education_2021.csv")
    cps = _read(arguments.occupations / "cps_women_share_2020_2022.csv")
    known = {row["occupation"] for row in facts}
    sources = next(row for row in facts if row["women_share_source"] and row["education_source"])
    others = [term for term in load_evidence("occupations-pcf").terms if term not in known]
    rows: list[Row] = [*facts, *(derive(term, lines, cps, sources) for term in others)]
    if problems := unproven(rows):
        raise SystemExit("Nothing is written: " + "; ".join(problems))
    columns = ["occupation", *list(Factor.model_fields)[1:]]
    with arguments.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["occupation"]))


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
