"""What holds of every record, and the hash behind every key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pcf_core.records import LeftOut, digest


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
def test_a_digest_does_not_depend_on_the_order_of_keys(value: dict[str, object]) -> None:
    assert digest(value) == digest(dict(reversed(list(value.items()))))


def test_records_are_frozen_and_refuse_unknown_fields() -> None:
    record = LeftOut(name="x", reason="no group has it")
    with pytest.raises(ValidationError):
        record.reason = "another"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        LeftOut(name="x", reason="no group has it", colour="blue")  # type: ignore[call-arg]
