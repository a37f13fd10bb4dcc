"""What the mini models read about each occupation, from ``assets/factors/read_gender.csv`` and its card.

``tools/count_read.py`` makes both.
"""

from __future__ import annotations

from pydantic import ValidationError

from pcf_core.errors import EvidenceError
from pcf_core.records.read import ReadCard, ReadCount, ReadTable
from pcf_core.settings import settings
from pcf_core.topics.reading import label, read_table, read_toml

FILE_NAME = "read_gender.csv"


def read_counts() -> ReadTable:
    """The counts of every word of the shipped lists and of a few more.

    Raises:
        EvidenceError: the table or its card is missing or damaged.
    """
    path = settings().assets / "factors" / FILE_NAME
    rows = read_table(path, tuple(ReadCount.model_fields), (), EvidenceError, {})
    card = read_toml(path.with_suffix(".toml"), tuple(ReadCard.model_fields), EvidenceError)
    try:
        counts = [ReadCount.model_validate(row) for _, row in rows]
        return ReadTable(ReadCard.model_validate(card), {one.occupation.casefold(): one for one in counts})
    except ValidationError as problem:
        first = problem.errors()[0]
        raise EvidenceError(
            f"{label(path)} or its card is damaged ({first['loc'][0]}: {first['msg']}): restore it from the "
            "repository."
        ) from problem
