"""Labour statistics of the occupations, from ``assets/factors/occupations_us.csv``.

United States, 2021: employment in thousands and median annual wage (Bureau of Labor Statistics), women's
share (Current Population Survey), mean years of education (2018), frequency of the word in Wikipedia; each
with year and source.  ``match`` says how well the term fits its line: exact, close, broad or none.
``tools/derive_factors.py`` makes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from pcf_core.errors import EvidenceError
from pcf_core.records import Record
from pcf_core.settings import settings
from pcf_core.topics.shipped_tables import read_records

USED = ("exact", "close")


class Factor(Record):
    """What the statistics say about one occupation; ``None`` or empty where they say nothing.

    ``bls_title`` is the line of the statistics; several terms may share one.  ``women_share``: 0 to 1.
    """

    term: str
    match: Literal["exact", "close", "broad", "none"]
    note: str = ""
    bls_title: str = ""
    soc_code: str = ""
    employment_thousands: float | None = Field(None, gt=0)
    employment_year: int | None = None
    employment_source: str = ""
    women_share: float | None = Field(None, ge=0, le=1)
    women_share_basis: str = ""
    women_share_year: int | None = None
    women_share_source: str = ""
    median_annual_wage_usd: float | None = Field(None, gt=0)
    wage_top_coded: bool | None = None
    wage_year: int | None = None
    wage_source: str = ""
    mean_education_years: float | None = Field(None, gt=0)
    education_year: int | None = None
    education_source: str = ""
    word_frequency: int | None = Field(None, ge=0)
    word_frequency_year: str = ""
    word_frequency_source: str = ""

    @property
    def used(self) -> bool:
        """Whether the figures may stand for the term: exact and close matches only."""
        return self.match in USED


def why_unused(factor: Factor | None) -> str:
    """Why a term has no figures of its own, as a reader is told."""
    if factor is None:
        return "not in the table of US occupations"
    if factor.match == "broad":
        return f"US statistics only know the wider line {factor.bls_title}"
    return factor.note or "no line of the US statistics is this occupation"


def factors() -> Mapping[str, Factor]:
    """Term (lower case) -> its figures, for every term of the shipped lists.

    Raises:
        EvidenceError: the file in the assets folder is missing or damaged.
    """
    found = read_records(settings().assets / "factors" / "occupations_us.csv", Factor, EvidenceError)
    return {factor.term.casefold(): factor for factor in found}
