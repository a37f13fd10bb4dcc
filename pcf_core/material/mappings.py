"""Mappings: what a regulation asks for, and which sections of a report are evidence of it.

A mapping is one file in ``assets/mappings``.  It never says that a text is satisfied: each row names what the
owner of a report has to add.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from pcf_core.core.errors import InputError
from pcf_core.core.records import Record
from pcf_core.material.base import Kind, Material, Text, origin_of
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.text import check_once
from pcf_core.material.shelves import Shelf

Strength = Literal["direct", "partial", "none"]
ACCEPTED = Accepted("rows", (), json="the keys of TOML")
SHELF = Shelf("mapping", "mappings", (".toml",), (".toml",), InputError)
MOST_WORDS = 25  # of what a text asks for, in words of ours


class Requirement(Record):
    """A row: what a place of a text asks for, and what a report holds of it.

    ``read``: the day on which a public copy was read, "" for none.  ``evidence``: names of sections of a
    report, any of which is evidence.  ``missing``: what the owner of the report has to add.
    """

    id: str = Field(pattern="^[a-z0-9-]+$")
    reference: str
    asks: str
    strength: Strength
    missing: str
    limit: str
    read: str = ""
    evidence: tuple[str, ...] = ()


class RegulationMapping(Record):
    """A text of a regulator or standards body; ``notes``: what to know first."""

    name: str
    title: str
    source: str
    notes: str
    rows: tuple[Requirement, ...]

    @property
    def checked(self) -> str:
        """When the references were read, a sentence; "" if on several days, which :meth:`cited` adds then."""
        days = {row.read for row in self.rows}
        if len(days) > 1:
            return ""
        (day,) = days
        if not day:
            return "No reference was read in a public copy."
        return f"The references were read in a public copy on {_written(day)}."

    def cited(self, row: Requirement) -> str:
        """Write the reference of a row, with the day on which it was read if others were read on another."""
        if self.checked:
            return row.reference
        read = f"read in a public copy on {_written(row.read)}" if row.read else "not read in a public copy"
        return f"{row.reference} ({read})"


def _written(day: str) -> str:
    read_on = date.fromisoformat(day)
    return f"{read_on.day} {read_on:%B %Y}"


class WrittenMapping(Material):
    """A mapping as its file has it."""

    record = RegulationMapping
    accepted = ACCEPTED
    entries = "rows"

    source: Text
    notes: Text
    rows: tuple[Requirement, ...]

    @field_validator("rows")
    @classmethod
    def _are_brief(cls, rows: tuple[Requirement, ...], info: ValidationInfo) -> tuple[Requirement, ...]:
        where = origin_of(info).where
        check_once((row.id for row in rows), "id", where, InputError)
        for row in rows:
            if len(row.asks.split()) > MOST_WORDS:
                raise InputError(
                    f"{where}: the row {row.id} says in {len(row.asks.split())} words what is asked for; "
                    f"at most {MOST_WORDS} are allowed."
                )
        return rows


MAPPINGS: Kind[RegulationMapping] = Kind(SHELF, WrittenMapping)


def load_mapping(name: str) -> RegulationMapping:
    """Load a shipped mapping by its name; raise InputError for another one, since a report may name any."""
    return MAPPINGS.load(SHELF.require(name))
