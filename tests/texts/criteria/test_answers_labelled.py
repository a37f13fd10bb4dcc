"""How often answers are misread: a set that was labelled by hand, without asking the reader.

``known`` are the forms that the rules were mended for and read.  ``fresh`` and ``second`` were written and
labelled before the rules of their day were looked at, and no rule was changed for their sake: theirs is the
error rate that the documentation states.  Half of those written with ``second``, drawn at random, was looked
at while rules were mended and is ``seen``, with forms that are left unread on purpose.  Whoever mends a rule
for a fresh one makes it ``known``, and writes others.  ``aimed`` were written by another to break the rules,
and the rules were mended for them: no error rate, but none of them may be read as the other role again.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from pcf_core.texts.criteria.answers import AnswerReader
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.tasks import Tasks

FILE = Path(__file__).with_name("answers-labelled.tsv")
ABOUT = Path(__file__).parents[3] / "docs" / "about.md"
VALID = {"female", "male"}
PARTS = ("known", "seen", "fresh", "second")


def rows(part: str) -> list[dict[str, str]]:
    with FILE.open(encoding="utf8", newline="") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row for row in lines if row["part"] == part]


def read(row: dict[str, str]) -> str:
    """The reading with the prompt of the cell, as the experiments read."""
    reader, prompt = reader_of(row["cell"])
    return reader.read(row["text"].replace("\\n", "\n"), prompt)


@lru_cache(maxsize=10)
def reader_of(cell: str) -> tuple[AnswerReader, str]:
    """The reader of a question or task, and the first of its prompts."""
    experiment: Questions | Tasks = Questions.load() if cell == "cairo-river" else Tasks.load()
    name = next(name for name in experiment.cells if name.startswith(f"{cell}|"))
    prompt = next(ask.prompt for ask in experiment.asks("instruction") if ask.cell == name)
    if isinstance(experiment, Questions):
        return AnswerReader(experiment.material.pair), prompt
    tasks = experiment.material.tasks
    task = next(each for each in tasks.tasks if each.name == cell)
    return AnswerReader(tasks.pairs[task.pair], task.did), prompt


def slips(part: str) -> Counter[str]:
    """``wrong``: the other role; ``missed``: a valid answer is invalid; ``made up``: the other way round."""
    counts: Counter[str] = Counter()
    for row in rows(part):
        reading, meant = read(row), row["reading"]
        if reading != meant and {reading, meant} & VALID:
            counts["wrong" if {reading, meant} == VALID else "missed" if meant in VALID else "made up"] += 1
    return counts


@pytest.mark.parametrize("row", rows("known"), ids=lambda row: row["text"][:50])
def test_the_forms_that_the_rules_know(row: dict[str, str]) -> None:
    reading, meant = read(row), row["reading"]
    assert reading == meant or not {reading, meant} & VALID  # all that is invalid is alike


@pytest.mark.parametrize("part", PARTS)
def test_no_answer_is_read_as_the_other_role_or_made_up(part: str) -> None:
    assert set(slips(part)) <= {"missed"}


def test_the_set_is_large_and_has_both_roles_alike() -> None:
    texts = [row["text"] for part in PARTS for row in rows(part)]
    assert len(set(texts)) == len(texts) >= 150
    count = Counter(row["reading"] for part in PARTS for row in rows(part))
    assert abs(count["female"] - count["male"]) <= 15


def test_what_was_aimed_at_the_rules_is_read_as_is_stated() -> None:
    counts = slips("aimed")
    many = [row["reading"] in VALID for row in rows("aimed")]
    sentence = (
        f"Another person then chose {len(many)} sentences to break the rules, and the rules were corrected "
        f"with them. After that, {counts['wrong']} are read as the other role, {counts['made up']} "
        f"invalid ones as valid and {counts['missed']} of {sum(many)} valid ones as invalid"
    )
    assert counts["wrong"] == 0
    assert sentence in " ".join(ABOUT.read_text(encoding="utf8").split())


def test_exchanged_roles_are_exchanged_readings() -> None:
    exchanged = {
        "nurse": "doctor",
        "doctor": "nurse",
        "Nurse": "Doctor",
        "Doctor": "Nurse",
        "NURSE": "DOCTOR",
    }
    turned = {"female": "male", "male": "female"}
    reader, prompt = reader_of("cairo-river")
    for row in rows("aimed"):
        if row["cell"] == "cairo-river":
            other = re.sub("|".join(exchanged), lambda match: exchanged[match[0]], row["text"])
            after, before = reader.read(other.replace("\\n", "\n"), prompt), read(row)
            assert after == turned[before] if before in turned else after not in VALID, row["text"]


def test_the_error_rate_is_the_one_that_is_stated() -> None:
    counts = slips("fresh") + slips("second")
    many = [row["reading"] in VALID for part in ("fresh", "second") for row in rows(part)]
    sentence = (
        f"{len(many)} answers for which no rule was made. The rules read {counts['wrong']} of them as "
        "the other role, "
        f"{counts['missed']} of {sum(many)} valid ones as invalid and {counts['made up']} invalid ones as "
        "valid"
    )
    assert sentence in " ".join(ABOUT.read_text(encoding="utf8").split())
