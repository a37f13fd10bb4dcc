"""The risks that the papers print, to be shown beside one's own and labelled as published.

``assets/published_risks.csv``: figures as printed, divided by 1,000 where the paper multiplies by it; rows
that do not add up were left as they are.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pcf_core.errors import SettingsError
from pcf_core.records import Record
from pcf_core.settings import settings
from pcf_core.topics.shipped_tables import read_records

PAPERS = {
    "PCF": "Liu et al. 2024, Prejudice and Caprice (arXiv 2402.15481v1)",
    "BVF": "Liu et al. 2024, Bias and Volatility (arXiv 2402.15481, NeurIPS 2024)",
}


class PublishedRisk(Record):
    """One row of a paper's table: R, R^p and R^c between 0 and 1 on the named scale.

    ``topic``: the shipped topic that has the row's words (of another language, its name before the language).
    ``scale``: "pcf" or "bvf"; "equal" where both agree (two groups); "unknown" where the paper does not say.
    """

    paper: Literal["PCF", "BVF"]
    table: int
    topic: str
    language: str
    context_source: str
    model: str
    overall_risk: float = Field(ge=0, le=1)
    prejudice_risk: float = Field(ge=0, le=1)
    caprice_risk: float = Field(ge=0, le=1)
    scale: Literal["pcf", "bvf", "equal", "unknown"]

    @property
    def source(self) -> str:
        """Paper and table, for the label of the row."""
        return f"{PAPERS[self.paper]}, Table {self.table}"


def published_risks() -> tuple[PublishedRisk, ...]:
    """All printed rows, in the order of the papers' tables.

    Raises:
        SettingsError: the file in the assets folder is missing or damaged.
    """
    return read_records(settings().assets / "published_risks.csv", PublishedRisk, SettingsError)
