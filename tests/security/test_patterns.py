"""Text of strangers, of the kinds that patterns get lost in: four times as much takes four times as long.

Functions are measured and not their patterns, for a pattern that is slow where it searches may only be
matched at one place, or on sixty characters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pcf_core.app.widgets import plain, plain_label
from pcf_core.material.safety.reading import ASIDE, LONG_KEY
from pcf_core.material.shelves import safe_name
from pcf_core.material.suiting import with_article
from pcf_core.mining.corpora.dump import prose
from pcf_core.mining.sentences import Wanted, candidates
from pcf_core.models.folder import shortened
from pcf_core.models.generation.base import declines
from pcf_core.show.charts.theme import short_template
from pcf_core.store.storage import without_credentials
from pcf_core.texts.criteria.answers import AnswerReader, read_letter
from pcf_core.texts.criteria.gender_reading import GenderReader, without_gender
from pcf_core.texts.criteria.professions import load_reading
from pcf_core.texts.criteria.tasks import TASKS, USUAL
from pcf_core.texts.fairpair.dissimilarity import words_apart
from pcf_core.texts.fairpair.matching import Matcher
from pcf_core.texts.fairpair.perturbation import calmed
from pcf_core.texts.fairpair.prompts import with_braces
from pcf_core.texts.fairpair.tables import load_table

LENGTH = 2_000
LONGEST = 0.25  # seconds for 8,000 characters; what grows with the square took 1 to 20
UNITS = [
    "a",
    "A",
    " ",
    "\n",
    "_",
    "-",
    ".",
    '"',
    "a ",
    "a.",
    "a-",
    "A. ",
    "[[",
    "{{",
    "<ref ",
    "a@",
    "he or ",
    "(",
    "\\",
    "/",
    "://",
    "?",
]


def readers() -> Mapping[str, Callable[[str], Any]]:
    """What reads the texts of uploaders, models and endpoints."""
    matcher = Matcher.of(load_table("gender"), [("John", "Mary")])
    genders = GenderReader(load_reading())
    answers = AnswerReader(TASKS.load(USUAL).pairs[0])
    wanted = Wanted(["he", "she"])
    return {
        "answers": answers.read,
        "articles": with_article,
        "calmed": lambda text: calmed(text, {"John"}),
        "credentials": without_credentials,
        "declines": declines,
        "exchanged": lambda text: list(matcher.places(text)),
        "genders": genders.read,
        "letters": lambda text: read_letter(text, ("The Nile", "The Danube"), "AB"),
        "marked": lambda text: words_apart(text, "he left"),
        "mined": lambda text: list(candidates(text, wanted)),
        "names": safe_name,
        "notes": shortened,
        "plain": lambda text: (plain(text), plain_label(text)),
        "prompts": lambda text: with_braces(text, "John"),
        "stripped": lambda text: without_gender(text, {"john"}, {"he"}),
        "tick labels": short_template,
        "toml": lambda text: LONG_KEY.search(ASIDE.sub("s", text)),
        "wikitext": prose,
    }


def seconds(read: Callable[[str], Any], unit: str, length: int) -> float:
    """The best of two times, for the machine may be busy."""
    text = "x" + unit * (length // len(unit)) + "\x01"

    def once() -> float:
        begin = time.process_time()
        read(text)
        return time.process_time() - begin

    return min(once(), once())


@pytest.mark.parametrize("name", readers())
def test_time_does_not_grow_with_the_square(name: str) -> None:
    read = readers()[name]
    read("warm")
    slow = {
        unit: (short, long)
        for unit in UNITS
        if (long := seconds(read, unit, 4 * LENGTH)) > LONGEST
        and long > 8 * (short := seconds(read, unit, LENGTH))
    }
    assert not slow
