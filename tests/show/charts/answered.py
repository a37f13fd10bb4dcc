"""A report of answers for pictures: the paper's Table 6."""

from __future__ import annotations

from functools import lru_cache

from pcf_core.texts.criteria.records.separation import AnswersReport
from pcf_core.texts.criteria.tasks import Tasks
from tests.texts.criteria.planted import table_6


@lru_cache(maxsize=1)
def answered() -> AnswersReport:
    return Tasks.load(pronouns=("he", "she")).report(table_6(25))
