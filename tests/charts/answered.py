"""A report of answers for pictures: the paper's Table 6."""

from __future__ import annotations

from functools import lru_cache

from pcf_core.criteria.tasks import Tasks
from pcf_core.records.answers import AnswersReport
from tests.criteria.planted import table_6


@lru_cache(maxsize=1)
def answered() -> AnswersReport:
    return Tasks.load(pronouns=("he", "she")).report(table_6(25))
