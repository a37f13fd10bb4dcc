"""Progress on stderr: one line on a terminal, and few lines elsewhere."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import redirect_stderr

import pytest

from pcf_core.cli.console import LINE_SECONDS, REDRAW_SECONDS, progress_line


class Stream(io.StringIO):
    """What stderr is, in the place of the real one."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def piped() -> Stream:
    return Stream(terminal=False)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Stream:
    """A narrow one: 24 characters."""
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((24, 10)))
    return Stream(terminal=True)


def show_at(stream: Stream, times: Sequence[float], states: Sequence[str]) -> None:
    """A work that comes to a state at each of the times."""
    now = 0.0
    with redirect_stderr(stream), progress_line(clock=lambda: now) as show:
        for time, state in zip(times, states, strict=True):
            now = time
            show(state)


THOUSAND = [f"{place} of 1000" for place in range(1000)]


def test_elsewhere_a_line_every_few_seconds_and_the_first_and_the_last(piped: Stream) -> None:
    """1,000 states in 12 seconds: those at 0, 5 and 10 seconds, and the last."""
    show_at(piped, [0.012 * place for place in range(1000)], THOUSAND)
    assert LINE_SECONDS == 5
    assert piped.getvalue().splitlines() == [f"{place} of 1000" for place in (0, 417, 834, 999)]


def test_what_is_shown_is_not_said_again(piped: Stream) -> None:
    show_at(piped, [0, 6, 12], ["a", "a", "b"])
    show_at(piped, [], [])
    assert piped.getvalue() == "a\nb\n"


def test_on_a_terminal_one_line_is_rewritten(terminal: Stream) -> None:
    show_at(terminal, [0, 1, 2], ["long state", "short", "end"])
    assert terminal.getvalue() == "\rlong state\rshort     \rend  \n"


def test_on_a_terminal_no_more_is_drawn_than_can_be_read(terminal: Stream) -> None:
    show_at(terminal, [REDRAW_SECONDS / 100 * place for place in range(1000)], THOUSAND)
    assert terminal.getvalue().count("\r") <= 12
    assert terminal.getvalue().endswith("\r999 of 1000\n")


def test_a_line_that_is_wider_than_the_terminal_is_cut(terminal: Stream) -> None:
    """A line that wraps could not be rewritten."""
    show_at(terminal, [0], ["x" * 100])
    assert terminal.getvalue() == "\r" + "x" * 23 + "\n"


def test_what_ends_the_work_leaves_a_whole_line(piped: Stream) -> None:
    def work() -> None:
        with redirect_stderr(piped), progress_line(clock=lambda: 0.0) as show:
            show("1 of 3")
            show("2 of 3")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert piped.getvalue() == "1 of 3\n2 of 3\n"
