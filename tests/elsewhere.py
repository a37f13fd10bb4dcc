"""Figures that were made on another machine, beside the same ones made here."""

from __future__ import annotations

from collections.abc import Collection

from pcf_core.core.records import Record
from pcf_core.report.verifying import differences


def assert_same_figures(made_here: Record, made_elsewhere: Record, exclude: Collection[str] = ()) -> None:
    """Hold two records to the same texts, counts and truths, and to numbers within 1e-7 of the larger.

    Processors add in an order of their own and have exponentials of their own, so that ends of intervals
    differ in the last digits.  What is a difference and what is none is what ``verify`` tells its users.
    """
    one, other = (
        record.model_dump(mode="json", exclude=set(exclude)) for record in (made_here, made_elsewhere)
    )
    found = list(differences(other, one))
    assert not found, found[:10]
