"""Every figure and table of the papers, by number: ``assets/published_figures.toml``.

Each says what it shows, what is printed, where this app shows the like, and what differs; or why it cannot be
made here.  Our own values are never in the file: they are computed where it is shown.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record, first_problem
from pcf_core.core.settings import settings
from pcf_core.material.published import PublishedRisk, published_risks

FILE_NAME = "published_figures.toml"
Paper = Literal["PCF", "PVF", "BVF", "FairPair", "Criteria"]
PAPERS: tuple[Paper, ...] = get_args(Paper)
# What of ours is set beside it.
Ours = Literal[
    "risks",
    "sources",
    "tilts",
    "factors",
    "distribution",
    "heat map",
    "change",
    "words",
    "templates",
    "convergence",
    "variability",
    "criteria",
    "",
]


class PrintedLink(Record):
    """The address of a page that shows the like: its file, its tab if it has some, and what is chosen there.

    ``parameters`` are those of the address, and decide which of our results are set beside what is printed.
    """

    label: str = Field(min_length=1)
    page: str
    tab: str = ""
    parameters: Mapping[str, str | list[str]] = {}


class Printed(Record):
    """A figure or table.

    ``shows``: what it shows, in plain words.  ``published``: what it prints, where that is in no table of
    ours; ``figures``: ids of ``published_criteria.csv``; ``printed_set``: the template set with its counts.
    ``ours``: what is set beside it for each ``link``.  ``factor``: the one of the labour statistics that it
    is about.  ``differs``: why the two need not agree.  ``absent``: why nothing of ours stands beside it.
    """

    paper: Paper
    number: str = Field(pattern=r"^(Figure|Table) [1-9]\d*$")
    shows: str = Field(min_length=1)
    published: str = ""
    figures: tuple[str, ...] = ()
    printed_set: str = ""
    factor: str = ""
    ours: Ours = ""
    link: tuple[PrintedLink, ...] = ()
    differs: str = ""
    absent: str = ""

    @model_validator(mode="after")
    def _is_made_here_or_says_why_not(self) -> Self:
        if bool(self.ours) == bool(self.absent):
            raise ValueError(f"{self.number} needs either ours or absent")
        if self.ours and not (self.link and self.differs):
            raise ValueError(f"{self.number} needs a link and what differs")
        return self

    @property
    def title(self) -> str:
        """Paper and number."""
        return f"{self.paper}, {self.number}"

    @property
    def rows(self) -> tuple[PublishedRisk, ...]:
        """The risks that this table prints; none of a figure."""
        return tuple(row for row in published_risks() if f"{row.paper}, Table {row.table}" == self.title)


def printed_items() -> tuple[Printed, ...]:
    """Load all figures and tables, in the order of the file.

    Raises
    ------
    SettingsError
        The file in the assets folder is missing or damaged.
    """
    path = settings().assets / FILE_NAME
    try:
        tables = tomllib.loads(path.read_text(encoding="utf8"))["item"]
        return tuple(Printed.model_validate(table) for table in tables)
    except ValidationError as error:
        why = str(first_problem(error))
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = str(error)
    raise SettingsError(f"{FILE_NAME} is damaged ({why}): restore it from the repository.")
