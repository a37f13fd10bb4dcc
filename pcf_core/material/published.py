"""What the papers print, to be shown beside one's own results and labelled as published.

``assets/published_risks.csv``: risks as printed, divided by 1,000 where the paper multiplies by it; rows that
do not add up were left as they are.

``assets/published_models.csv``: the papers name models, not checkpoints; the file says which checkpoint a
name stands for, as far as the text, the sizes and the authors' scripts tell, and what is known to differ.

``assets/published_figures.toml``: every figure and table by number, what it shows, what is printed, where
this app shows the like, and what differs; or why it cannot be made here.  Our own values are never in the
file: they are computed where it is shown.

Figures printed in the paper, shown beside our own and labelled: ``assets/published_criteria.csv``.

Figures that its HTML dropped are marked ``missing``; those calculated from printed ones, ``derived``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record, first_problem
from pcf_core.core.settings import settings
from pcf_core.core.topics import Topic
from pcf_core.material.factors import read_records
from pcf_core.material.safety.tables import read_table
from pcf_core.material.topics import SHELF, load_topic

CITED = {
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
        return f"{CITED[self.paper]}, Table {self.table}"


def published_risks() -> tuple[PublishedRisk, ...]:
    """Load all printed rows, in the order of the papers' tables."""
    return _risks(settings().assets / "published_risks.csv")


@lru_cache(maxsize=2)
def _risks(path: Path) -> tuple[PublishedRisk, ...]:
    return read_records(path, PublishedRisk, SettingsError)


class PublishedModel(Record):
    """A checkpoint, the name that the papers print for it, and what is to be known of that."""

    model: str
    published: str
    note: str = ""


def published_models() -> tuple[PublishedModel, ...]:
    """Load all checkpoints with a printed name."""
    return _models(settings().assets / "published_models.csv")


@lru_cache(maxsize=2)
def _models(path: Path) -> tuple[PublishedModel, ...]:
    return tuple(
        PublishedModel.model_validate(row)
        for _, row in read_table(path, ("model", "published"), ("note",), SettingsError)
    )


def published_name(model: str) -> PublishedModel | None:
    """Return the published entry of a model, whatever its family prefix and revision."""
    name = model.partition("@")[0].rpartition(":")[2].casefold()
    return next((entry for entry in published_models() if entry.model.casefold() == name), None)


def published_of_topic(topic: Topic) -> tuple[PublishedRisk, ...]:
    """Return the rows that the papers print for a shipped topic in its language; none for other words."""
    rows = tuple(
        row
        for row in published_risks()
        if row.language == topic.language and topic.name in (row.topic, f"{row.topic}-{row.language}")
    )
    is_shipped = bool(rows) and topic.name in SHELF.shipped() and topic.hash == load_topic(topic.name).hash
    return rows if is_shipped else ()


def speaks_of(row: PublishedRisk, model: str) -> bool:
    """Tell whether a printed row is of this model: the papers write GPT-2 and GPT2, LLaMA2 and Llama2."""
    entry = published_name(model)
    return entry is not None and _letters(entry.published) == _letters(row.model)


def _letters(name: str) -> str:
    return name.replace("-", "").casefold()


# Every figure and table of the papers, by number.


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


CRITERIA_FILE = "published_criteria.csv"
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
    return read_records(settings().assets / CRITERIA_FILE, PublishedCriterion, SettingsError)
