"""What servers tell for a log-probability."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ScoringError
from pcf_core.models.completions import nats_of
from tests.models.served import KEY


@given(st.floats(max_value=0, min_value=-9998) | st.integers(-9998, 0))
def test_a_log_probability_is_kept(value: float) -> None:
    assert nats_of(value) == value


@pytest.mark.parametrize(
    ("value", "kept"), [(5e-5, 0.0), (-9999.0, -math.inf), (-math.inf, -math.inf), (-(10**400), -math.inf)]
)
def test_rounding_and_probability_zero(value: float, kept: float) -> None:
    assert nats_of(value) == kept


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.01, None, KEY * 99, True, 10**400])
def test_anything_else_is_refused(value: Any) -> None:
    """In a short sentence, which holds nothing that a server wrote as text."""
    with pytest.raises(ScoringError, match="which is a number up to 0") as caught:
        nats_of(value)
    assert KEY not in str(caught.value)
    assert len(str(caught.value)) < 250
