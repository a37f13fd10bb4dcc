"""Which printed rows speak of a model that is at hand: ``assets/published_models.csv``.

The papers name models, not checkpoints; the file says which checkpoint a name stands for, as far as the text,
the sizes and the authors' scripts tell, and what is known to differ.
"""

from __future__ import annotations

from pcf_core.errors import SettingsError
from pcf_core.records import Record, Topic
from pcf_core.settings import settings
from pcf_core.topics.published import PublishedRisk, published_risks
from pcf_core.topics.reading import read_table
from pcf_core.topics.topics import SHELF, load_topic


class PublishedModel(Record):
    """A checkpoint, the name that the papers print for it, and what is to be known of that."""

    model: str
    published: str
    note: str = ""


def published_models() -> tuple[PublishedModel, ...]:
    """All checkpoints with a printed name.

    Raises:
        SettingsError: the file in the assets folder is missing or damaged.
    """
    path = settings().assets / "published_models.csv"
    return tuple(
        PublishedModel.model_validate(row)
        for _, row in read_table(path, ("model", "published"), ("note",), SettingsError)
    )


def published_name(model: str) -> PublishedModel | None:
    """The entry of a model, whatever its family prefix and revision."""
    name = model.partition("@")[0].rpartition(":")[2].casefold()
    return next((entry for entry in published_models() if entry.model.casefold() == name), None)


def published_of_topic(topic: Topic) -> tuple[PublishedRisk, ...]:
    """The rows that the papers print for a shipped topic in its language; none for other words."""
    return tuple(
        row
        for row in published_risks()
        if row.language == topic.language
        and topic.name in (row.topic, f"{row.topic}-{row.language}")
        and topic.name in SHELF.shipped()
        and topic.hash == load_topic(topic.name).hash
    )


def speaks_of(row: PublishedRisk, model: str) -> bool:
    """Whether a printed row is of this model: the papers write GPT-2 and GPT2, LLaMA2 and Llama2."""
    entry = published_name(model)
    return entry is not None and _letters(entry.published) == _letters(row.model)


def _letters(name: str) -> str:
    return name.replace("-", "").casefold()
