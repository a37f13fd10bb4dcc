"""The comparison of goldens notices a changed text, count or number, and forgives rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.goldens.recorded import differing, plain

VALUE = {"text": "he", "number": 0.123456789, "list": [1, None, True], "array": np.array([[0.5, np.nan]])}


def test_a_value_is_equal_to_itself_and_to_another_processors() -> None:
    recorded = plain(VALUE)
    assert list(differing(recorded, recorded, "it")) == []
    assert list(differing(recorded, plain({**VALUE, "number": 0.1234567891}), "it")) == []


@pytest.mark.parametrize(
    "change",
    [
        {"text": "she"},
        {"number": 0.1235},
        {"list": [1, None]},
        {"list": [True, None, True]},
        {"array": np.array([[0.5, 0.5]])},
        {"more": 1},
    ],
)
def test_a_change_is_named(change: dict[str, Any]) -> None:
    differences = list(differing(plain(VALUE), plain({**VALUE, **change}), "it"))
    assert len(differences) == 1
    assert next(iter(change)) in differences[0]
