"""The risks that the papers print, to be shown beside one's own and labelled as published.

``assets/published_risks.csv``: figures as printed, divided by 1,000 where the paper multiplies by it; rows
that do not add up were left as they are.

**Which printed rows speak of a model that is at hand: ``assets/published_models.csv``.**  The papers name
models, not checkpoints; the file says which checkpoint a name stands for, as far as the text, the sizes and
the authors' scripts tell, and what is known to differ.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.core.topics import Topic
from pcf_core.material.factors import read_records
from pcf_core.material.safety.reading import read_table
from pcf_core.material.topics import SHELF, load_topic

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
    """Load all printed rows, in the order of the papers' tables.

    Raises
    ------
    SettingsError
        The file in the assets folder is missing or damaged.
    """
    return _risks(settings().assets / "published_risks.csv")


@lru_cache(maxsize=2)
def _risks(path: Path) -> tuple[PublishedRisk, ...]:
    return read_records(path, PublishedRisk, SettingsError)


# Which printed rows speak of a model that is at hand: ``assets/published_models.csv``.


class PublishedModel(Record):
    """A checkpoint, the name that the papers print for it, and what is to be known of that."""

    model: str
    published: str
    note: str = ""


def published_models() -> tuple[PublishedModel, ...]:
    """Load all checkpoints with a printed name.

    Raises
    ------
    SettingsError
        The file in the assets folder is missing or damaged.
    """
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
