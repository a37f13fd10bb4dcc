"""Figures printed in the paper, shown beside our own and labelled: ``assets/published_criteria.csv``.

Figures that its HTML dropped are marked ``missing``; those calculated from printed ones, ``derived``.
"""

from __future__ import annotations

from typing import Literal

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.material.factors import read_records

FILE_NAME = "published_criteria.csv"
PAPER = "Sterlie, Weng & Feragen 2024 (arXiv 2403.08564)"


class PublishedCriterion(Record):
    """One figure; ``value`` is ``None`` if none is printed, or if it is undefined: see ``note``.

    ``subject``: the pronoun, job or model it belongs to.
    """

    id: str
    section: str
    quantity: str
    subject: str
    value: float | None = None
    status: Literal["published", "derived", "missing"]
    note: str = ""

    @property
    def source(self) -> str:
        """The section of the paper, and how the figure was made."""
        return f"{PAPER}, section {self.section}, {self.status}"


def published_criteria() -> tuple[PublishedCriterion, ...]:
    """Load all rows, in the order of the paper's sections.

    Raises
    ------
    SettingsError
        The file in the assets folder is missing or damaged.
    """
    return read_records(settings().assets / FILE_NAME, PublishedCriterion, SettingsError)
