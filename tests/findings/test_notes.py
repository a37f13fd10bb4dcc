"""What is said beside a number."""

from __future__ import annotations

from pcf_core.findings import left_out_note
from pcf_core.records import LeftOut


def test_everything_left_out_is_named_once_under_its_reason() -> None:
    items = [
        LeftOut(name="canary", reason="on both sides"),
        LeftOut(name="nurse", reason="no employment figure"),
        LeftOut(name="stylist", reason="no employment figure"),
    ]
    assert left_out_note(items) == (
        "Left out, on both sides: canary. Left out, no employment figure: nurse, stylist."
    )
    assert left_out_note([]) == ""
