"""Sentences from Jinja templates in ``pcf_core/show/sentences``: a file per subject, a macro per sentence.

All words are there, to be read, corrected and translated without the program.  A template chooses words and
never computes; functions of :mod:`pcf_core.show.findings.numbers` are its filters.  Titles replace names of
models and template sets (:mod:`pcf_core.show.names`).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Protocol

import jinja2
from jinja2.environment import TemplateModule

from pcf_core.show.findings import numbers
from pcf_core.show.names import sentence_with_titles

FOLDER = Path(__file__).parent / "sentences"


def quantity_title(quantity: str) -> str:
    """Name a quantity of the criteria without symbols."""
    from pcf_core.texts.criteria.records import quantities  # imported late: few pages need it

    return quantities.quantity_title(quantity)


def plain_reason(reason: str) -> str:
    """Write why a quantity of the criteria is undefined without symbols."""
    from pcf_core.texts.criteria.records import quantities

    return quantities.plain_reason(reason)


FILTERS = (
    *(
        numbers.number,
        numbers.effective_count,
        numbers.equal_sentences,
        numbers.count,
        numbers.percent,
        numbers.percent_with_interval,
    ),
    *(numbers.chance, numbers.two_decimals, numbers.with_interval, numbers.ends, numbers.signed),
    *(numbers.signed_with_interval, numbers.p_value, numbers.cases, numbers.beside_one, numbers.odds),
    *(
        numbers.words_of,
        numbers.people,
        numbers.called,
        numbers.the,
        numbers.listed,
        numbers.first_few,
        numbers.begun,
    ),
    *(numbers.risk_name, numbers.digits, numbers.points, numbers.before_rounding),
    *(quantity_title, plain_reason),
)
LINE_BREAK = re.compile(r"\s*\n\s*")


class Say(Protocol):
    """Writes one of a subject's sentences."""

    def __call__(self, name: str, /, **values: object) -> str:
        """Return the sentence of this name with its values, on one line."""


def sentences(subject: str) -> Say:
    """Return the writer of a subject's sentences, whose calls ``tests/show/test_wording.py`` checks."""

    def say(name: str, /, **values: object) -> str:
        written = str(getattr(_module(subject), name)(**values)).strip()
        return sentence_with_titles(LINE_BREAK.sub(" ", written))

    return say


def read_all() -> None:
    """Read the sentences of every subject in advance."""
    for file in FOLDER.glob("*.j2"):
        _module(file.stem)


@cache
def environment() -> jinja2.Environment:
    """Return Jinja's environment of all sentences: plain text, which pages and reports escape."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=False,  # a sentence is plain text and escaped where it is drawn
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {each.__name__: each for each in FILTERS}
    made.filters["quoted"] = "“{}”".format
    return made


@cache
def _module(subject: str) -> TemplateModule:
    return environment().get_template(f"{subject}.j2").module
