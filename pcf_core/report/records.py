"""A whole report: what was asked to be in it, and all that it says, as plain records.

    ReportRequest  --report.write_report-->  ReportDocument  -->  HTML, JSON, tables, a model card

A document is made of texts, numbers and pictures alone, and is the same for the same request and the same
cache: the only date in it is that of the request.  ``verify`` makes it again from its request and says what
differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import field_validator, model_validator

from pcf_core.audit.policy import Policy
from pcf_core.core.errors import InputError
from pcf_core.core.options import option
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval, Over

FORMAT: Literal["pcf-audit-report"] = "pcf-audit-report"
VERSION: Literal[1] = 1
MOST_RUNS = 12  # of one report: more can neither be told apart in a picture nor read

# Name -> title, in the order of a report.  The short ones are two pages, and always together.
SHORT: Mapping[str, str] = {
    "answer": "The answer",
    "against": "Against whom?",
    "sure": "How sure?",
    "check": "How to check this",
}
SECTIONS: Mapping[str, str] = {
    **SHORT,
    "summary": "What was found",
    "method": "Method",
    "risk": "Risk",
    "corrected": "Corrected for few sentences",
    "shared": "Shared or not",
    "tilt": "Tilt",
    "occupations": "Occupations",
    "heat-map": "Heat map",
    "tails": "Caprice",
    "factors": "Factors",
    "compare": "Comparison",
    "knowledge": "Knowledge",
    "fairpair": "FairPair",
    "criteria": "Criteria",
    "limits": "Limits",
    "provenance": "Provenance",
}
WITH_ANSWER: Mapping[str, str] = {  # sections that come with the answer, before it and before how to check it
    "tested": "What was tested",
    "conclude": "What may not be concluded",
}
POLICY = "policy"  # the section of whoever brings a policy, in short reports and long ones
TITLES: Mapping[str, str] = {**SECTIONS, POLICY: "Limits of the policy"}
NONE = "none"  # said of a date, or of other sentences, that a report is to have none
# A number without these says little: they cannot be left out where more than the short sections is asked for.
ALWAYS = ("method", "limits", "provenance")

Cell = str | int | float | bool | None


class ReportRequest(Record):
    """What a report is made of.

    ``runs``: whole run keys, ``sections``: names of :data:`SECTIONS`; with one of ``SHORT`` come all of them,
    with any other those of ``ALWAYS``; both without repetition, sections in the order of a report.

    ``options``: how scores are read, a dump of :class:`pcf_core.audit.options.ViewOptions`; its ``protocol``
    is empty where each run is read under its own.  ``over``: what the intervals shown are over.
    ``fairpair``, ``criteria``: hashes of text audits (``asked.hash``), 16 hexadecimal digits each.
    ``knowledge``: names of sets of facts, of the models of the runs.  ``policy``: limits that the models of
    the runs are held against; with one there is a section :data:`POLICY`.

    ``date``: the day that the report names, as ``2026-11-29``; empty for none.  ``elsewhere``: keys of the
    runs by which its answer is compared with other sentences.

    Raises
    ------
    InputError
        Nothing or too much is asked for, a section is unknown, a hash of a text audit is none, or the date.
    """

    runs: tuple[str, ...] = ()
    sections: tuple[str, ...] = tuple(SECTIONS)
    options: Mapping[str, str] = {}
    over: Over = "templates"
    fairpair: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    policy: Policy | None = None
    date: str = option(
        "",
        title="Date",
        help="The day that the report names as the one on which it was made. Empty: today; none: no date.",
        usage="the day that a report names, such as 2026-11-29; none for no date; today by itself",
        url="rp_date",
        flag="--date",
        placeholder="Empty: today",
    )
    elsewhere: tuple[str, ...] = option(
        (),
        usage="a run of the same models in other sentences, with which a report compares its answer; may be "
        "repeated; none for no such run; by itself all that are finished",
    )

    @field_validator("runs", "fairpair", "criteria", "knowledge", "elsewhere")
    @classmethod
    def _each_once(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(keys))

    @field_validator("fairpair", "criteria")
    @classmethod
    def _hashes(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        wrong = [key for key in keys if not re.fullmatch("[0-9a-f]{16}", key)]
        if wrong:
            raise InputError(
                f"A text audit is named by the 16 digits 0–9 and a–f of its request; got {wrong[0][:40]!r}: "
                "take them from the page or command that made it."
            )
        return keys

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, text: str) -> str:
        return checked_day(text)

    @field_validator("sections")
    @classmethod
    def _known_in_order(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in names if name not in SECTIONS]
        if unknown:
            raise InputError(
                f"A report has the sections {', '.join(SECTIONS)}; got {unknown[0]!r}: name some of these."
            )
        request = {*names}
        if request & {*SHORT}:
            request |= {*SHORT}
        if not names or request - {*SHORT}:
            request |= {*ALWAYS}
        return tuple(name for name in SECTIONS if name in request)

    @model_validator(mode="after")
    def _is_enough(self) -> ReportRequest:
        if not self.runs and not self.fairpair and not self.criteria:
            raise InputError("A report needs at least one run or text audit; choose one.")
        if len(self.runs) > MOST_RUNS:
            raise InputError(
                f"A report takes at most {MOST_RUNS} runs, and {len(self.runs)} were chosen; leave some out."
            )
        return self

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same; the name of files made of it.

        What earlier requests did not have changes it only where it is there.
        """
        without = {name for name in ("policy", "date", "elsewhere") if not getattr(self, name)}
        return digest(self.model_dump(mode="json", exclude=without))

    @property
    def contents(self) -> tuple[str, ...]:
        """The names of all sections in their order: the verdict of a policy stands behind the answer."""
        names = list(self.sections)
        if self.policy is not None and self.runs:
            opening = [name for name in ("answer", "against", "summary") if name in names]
            names.insert(names.index(opening[-1]) + 1 if opening else 0, POLICY)
        if "answer" in names:
            for name, before in zip(WITH_ANSWER, ("answer", "check"), strict=True):
                names.insert(names.index(before), name)
        return tuple(names)


def today() -> str:
    """Return the present day as a request has it."""
    return datetime.now().astimezone().date().isoformat()


def day_of(text: str) -> str:
    """Return the date of a request that somebody asked for: today for nothing, none for ``none``."""
    return "" if text == NONE else checked_day(text) or today()


def checked_day(text: str) -> str:
    """Return a day as ``2026-11-29``, or nothing; raise InputError for any other text."""
    try:
        return text and date.fromisoformat(text.strip()).isoformat()
    except ValueError as error:
        raise InputError(
            f"The date of a report is a day such as 2026-11-29; got {text[:40]!r}: give year, month and day, "
            "or none."
        ) from error


@dataclass(frozen=True)
class KeyFigure:
    """One figure of the row under a finding.

    ``help`` says range, direction and neutral point, ``detail`` is the line below it: its interval, and what
    stands beside it.
    """

    label: str
    value: str
    help: str
    detail: str = ""


class ReportFigure(Record):
    """A picture of a report.

    ``alt`` is its sentence for who cannot see it, ``plotly`` its data and layout with every array written out
    as a list, ``height`` in pixels.
    """

    name: str
    alt: str
    plotly: Mapping[str, Any]
    height: int = 450


class ReportTable(Record):
    """A table of a report.

    ``rows``: [row][column], a text, a number, or ``None`` where there is none; numbers are not rounded.

    ``folded``: shown only when asked for, since a picture shows the same.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: bool = True


class ReportPart(Record):
    """One picture with what it says and its data; any of the three may be missing.

    ``prose`` and ``how``, how to read the picture: this program's own words, with ``**`` and ``*`` for
    emphasis; no other field has any.  ``findings``: sentences with their intervals.  ``notes``: what has to
    be known beside it.
    """

    title: str = ""
    prose: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    numbers: tuple[KeyFigure, ...] = ()
    figure: ReportFigure | None = None
    how: str = ""
    tables: tuple[ReportTable, ...] = ()
    notes: tuple[str, ...] = ()


class ReportSection(Record):
    """One question and its answers.  ``commands``: what makes its numbers again."""

    name: str
    title: str
    question: str = ""
    parts: tuple[ReportPart, ...] = ()
    commands: tuple[str, ...] = ()


class RiskNumber(Record):
    """R, R^p or R^c of a run, with every interval that is known.

    ``unseen``: of a caprice of 0 the largest share of all contexts that may be otherwise and were not seen.
    """

    value: float
    intervals: tuple[Interval, ...] = ()
    unseen: float | None = None


class RunFacts(Record):
    """Where the numbers of one run come from.

    ``scoring``: the scoring key, field by field, and its hash; ``hashes``: of topic, evidence and templates,
    by their names as ``topic gender``.  ``versions``: of program and libraries that scored it; ``facts``:
    what else is known, by name, as the pages say it: precision, device where kept, noise floor, coverage.
    ``risks``: by quantity, empty for a text audit; ``reliable``: whether they are an answer, or the model
    almost never uses the topic's words and no text or picture shows them; ``measured``: what they are of, for
    people; ``options``: how the scores were read for them, by the names that links have.
    """

    label: str
    run: str
    scoring_hash: str
    scoring: Mapping[str, str]
    hashes: Mapping[str, str]
    versions: Mapping[str, str] = {}
    facts: Mapping[str, str] = {}
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    measured: str = ""
    risks: Mapping[str, RiskNumber] = {}
    reliable: bool = True
    options: Mapping[str, str] = {}


class ReportDocument(Record):
    """All that a report says.  ``versions``: of program and libraries that wrote it; ``runs``: provenance.

    ``headline``: the sentence that a reader takes away; ``subtitle``: what was measured on whom.
    """

    format: Literal["pcf-audit-report"] = FORMAT
    version: Literal[1] = VERSION
    request: ReportRequest
    title: str
    subtitle: str
    question: str
    headline: tuple[str, ...]
    sections: tuple[ReportSection, ...]
    runs: tuple[RunFacts, ...]
    texts: tuple[RunFacts, ...] = ()
    versions: Mapping[str, str]

    @property
    def made(self) -> str:
        """On which day it was made, as its request says; empty without a date."""
        if not self.request.date:
            return ""
        day = date.fromisoformat(self.request.date)
        return f"Made on {day.day} {day:%B %Y}"

    @property
    def is_short(self) -> bool:
        """Whether it is the two pages alone."""
        return set(self.request.sections) <= {*SHORT}

    @property
    def tables(self) -> tuple[tuple[str, ReportTable], ...]:
        """Every table with the name of its section."""
        return tuple(
            (section.name, table)
            for section in self.sections
            for part in section.parts
            for table in part.tables
        )

    @property
    def figures(self) -> tuple[ReportFigure, ...]:
        """Every picture, in order."""
        return tuple(
            part.figure for section in self.sections for part in section.parts if part.figure is not None
        )
