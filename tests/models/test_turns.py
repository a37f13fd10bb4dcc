"""The pace of requests: even, never above the limit, given up at once."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.models import connection as turns
from pcf_core.models.connection import Turns


class Clock:
    """Seconds that pass only while somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return False


@given(st.integers(1, 10_000), st.lists(st.floats(0, 30), min_size=1, max_size=30))
def test_turns_are_never_more_than_allowed(per_minute: int, pauses: list[float]) -> None:
    """Second opinion: count the turns within each minute."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns, "time", clock)
        pace, taken = Turns(per_minute), []
        for pause in pauses:
            clock.now += pause
            assert not pace.wait(clock)  # type: ignore[arg-type]
            taken.append(clock.now)
    assert taken == sorted(taken)
    for start in taken:
        assert sum(start <= turn < start + 60 - 1e-6 for turn in taken) <= per_minute
    waited = taken[-1] - 100 - sum(pauses)
    assert waited <= (len(pauses) - 1) * 60 / per_minute + 1e-6


def test_the_worked_example_of_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(turns, "time", clock)
    pace, taken = Turns(30), []
    for _ in range(3):
        pace.wait(clock)  # type: ignore[arg-type]
        taken.append(clock.now - 100)
    assert taken == [0, 2, 4]
    clock.now = 160
    pace.wait(clock)  # type: ignore[arg-type]
    assert clock.now == 160


def test_a_turn_is_given_up_at_once() -> None:
    pace, given_up = Turns(1), threading.Event()
    assert not pace.wait(given_up)
    given_up.set()
    assert pace.wait(given_up)
