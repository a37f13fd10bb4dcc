"""A whole report as plain records: its request and its contents.

    ReportRequest  --report.write_report-->  ReportDocument  -->  HTML, JSON, tables, a model card

A document is the same for the same request and cache; its only date is that of the request.  ``verify`` makes
it again and compares.
"""

from __future__ import annotations

import operator
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
MOST_RUNS = 12  # of one report, so that pictures stay readable

# Name -> title, in order.  The short ones, two pages, are always together.
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
WITH_ANSWER: Mapping[str, str] = {  # sections before the answer, and before how to check it
    "tested": "What was tested",
    "conclude": "What may not be concluded",
}
POLICY = "policy"  # the section on a policy, in short and long reports
MAPPING = "mapping"  # the last section, on what regulations ask for
TITLES: Mapping[str, str] = {**SECTIONS, POLICY: "Limits of the policy", MAPPING: "Regulations"}
NONE = "none"  # in a request: no date, or no other sentences
# Required in reports with more than the short sections, as numbers say little without them.
ALWAYS = ("method", "limits", "provenance")

Cell = str | int | float | bool | None


def regulations(**spec: Any) -> Any:
    """Return the option of a report, or of a plan for one, that names regulations."""
    return option(
        (),
        title="Regulations",
        help="Adds a table of what a regulation asks for, which section of the report is evidence of it, and "
        "what you have to add. It does not say whether a regulation is satisfied.",
        usage="eu-ai-act, nist-ai-600-1, nyc-ll-144 or standards: what it asks for, and which section of the "
        "report is evidence; may be repeated",
        **spec,
    )


class ReportRequest(Record):
    """What a report is made of.

    ``runs``: whole run keys.  ``sections``: of :data:`SECTIONS`; one of ``SHORT`` brings all of them, any
    other one those of ``ALWAYS``.  ``options``: a dump of :class:`pcf_core.audit.options.ViewOptions`; with
    an empty ``protocol`` each run is read under its own.  ``over``: of the intervals shown.  ``fairpair``,
    ``criteria``: hashes of text audits (``asked.hash``), 16 hexadecimal digits.  ``knowledge``: names of sets
    of facts.  ``policy``: limits for the models of the runs.  ``date``: such as ``2026-11-29``, "" for none.
    ``elsewhere``: keys of runs in other sentences to compare with.  ``purpose``: of the models.
    ``mappings``: names of regulations.

    Raises
    ------
    InputError
        Nothing or too much is requested, or a section, a hash or the date is invalid.
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
        help="The day that the report names as the one on which it was made. If empty, today; with the word "
        "none, no date.",
        usage="the day that a report names, such as 2026-11-29; none for no date; today by itself",
        url="rp_date",
        flag="--date",
        placeholder="Today",
    )
    elsewhere: tuple[str, ...] = option(
        (),
        usage="a run of the same models in other sentences, with which a report compares its answer; may be "
        "repeated; none for no such run; by itself all that are finished",
    )
    purpose: str = option(
        "", usage="what the models are to be used for, which a report begins with", exclude_if=operator.not_
    )
    mappings: tuple[str, ...] = regulations(url="rp_mapping", flag="--mapping", placeholder="None")

    @field_validator("runs", "fairpair", "criteria", "knowledge", "elsewhere", "mappings")
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
        """Equal for requests of the same report; newer fields count only if they are set."""
        without = {name for name in ("policy", "date", "elsewhere", "mappings") if not getattr(self, name)}
        return digest(self.model_dump(mode="json", exclude=without))

    @property
    def contents(self) -> tuple[str, ...]:
        """The names of all sections in order: that of a policy after the answer, that of mappings last."""
        names = list(self.sections)
        if self.policy is not None and self.runs:
            opening = [name for name in ("answer", "against", "summary") if name in names]
            names.insert(names.index(opening[-1]) + 1 if opening else 0, POLICY)
        if "answer" in names:
            for name, before in zip(WITH_ANSWER, ("answer", "check"), strict=True):
                names.insert(names.index(before), name)
        return (*names, MAPPING) if self.mappings else tuple(names)


def today() -> str:
    """Return the present day in ISO format."""
    return datetime.now().astimezone().date().isoformat()


def day_of(text: str) -> str:
    """Return the date of a request: today for "", no date for "none"."""
    return "" if text == NONE else checked_day(text) or today()


def checked_day(text: str) -> str:
    """Return a day as ``2026-11-29``, or ""; raise InputError for other texts."""
    try:
        return text and date.fromisoformat(text.strip()).isoformat()
    except ValueError as error:
        raise InputError(
            f"The date of a report is a day such as 2026-11-29; got {text[:40]!r}: give year, month and day, "
            "or none."
        ) from error


@dataclass(frozen=True)
class KeyFigure:
    """A figure under a finding; ``help``: range, direction and neutral point; ``detail``: the line below."""

    label: str
    value: str
    help: str
    detail: str = ""


class ReportFigure(Record):
    """A picture: ``alt`` for screen readers, ``plotly`` data and layout with lists, ``height`` in pixels."""

    name: str
    alt: str
    plotly: Mapping[str, Any]
    height: int = 450


class ReportTable(Record):
    """A table: ``rows`` [row][column] unrounded; ``folded``: shown on demand, as a picture shows the same."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: bool = True


class ReportPart(Record):
    """A picture with what it says and its data; only ``prose`` and ``how`` may have emphasis."""

    title: str = ""
    prose: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    numbers: tuple[KeyFigure, ...] = ()
    figure: ReportFigure | None = None
    how: str = ""
    tables: tuple[ReportTable, ...] = ()
    notes: tuple[str, ...] = ()


class ReportSection(Record):
    """One question and its answers; ``commands``: reproduce its numbers."""

    name: str
    title: str
    question: str = ""
    parts: tuple[ReportPart, ...] = ()
    commands: tuple[str, ...] = ()


class RiskNumber(Record):
    """R, R^p or R^c with all known intervals; ``unseen``: share of sentences that a caprice of 0 may miss."""

    value: float
    intervals: tuple[Interval, ...] = ()
    unseen: float | None = None


class RunFacts(Record):
    """Where the numbers of a run come from.

    ``scoring``: fields of the scoring key.  ``hashes``: of topic, evidence and templates by name.
    ``versions``: of the programs that scored it.  ``facts``: what else is known, by name.  ``risks``: by
    quantity, empty for a text audit and where there are none; ``reliable``: whether they are an answer;
    ``measured``: what they are of.  ``options``: how scores were read.
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
    """All that a report says; ``subtitle``: what was measured on whom; ``runs``: provenance."""

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
        """The line with the day of its request, "Made on 29 November 2026"; "" without a date."""
        if not self.request.date:
            return ""
        day = date.fromisoformat(self.request.date)
        return f"Made on {day.day} {day:%B %Y}"

    @property
    def is_short(self) -> bool:
        """Whether it has only the two pages."""
        return set(self.request.sections) <= {*SHORT}

    @property
    def tables(self) -> tuple[tuple[str, ReportTable], ...]:
        """Every table with its section's name."""
        return tuple(
            (section.name, table)
            for section in self.sections
            for part in section.parts
            for table in part.tables
        )

    @property
    def figures(self) -> tuple[ReportFigure, ...]:
        """Every picture."""
        return tuple(
            part.figure for section in self.sections for part in section.parts if part.figure is not None
        )
