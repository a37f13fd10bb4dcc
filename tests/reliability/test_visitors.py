"""The visitors of the benchmark see what a browser would: pages, charts, and what is an error."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.kills import runs_of, undisturbed, variables_of
from benchmarks.sessions import Seen, visit, visits
from benchmarks.visitors import Visitor, app_process


@pytest.mark.slow
def test_visitors_change_pages_of_a_real_app(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    undisturbed(cache, runs_of(["mini-gpt"], 120), 0.0)
    variables = variables_of(cache)
    query = "templates=gender-nineteen&model=mini-gpt"
    with app_process(variables, tmp_path / "app.log") as (process, address):
        seen = asyncio.run(visits(address, process.pid, 3, 30, 4, query, ["", "risk", "heat_map"]))
        assert seen.errors == []
        assert (len(seen.opened), len(seen.changes) > 3, seen.charts > 0) == (3, True, True)
        assert {"", "risk", "method"} <= set(asyncio.run(pages_of(address)))
    assert seen.memory_spread(0) >= 0


async def pages_of(address: str) -> dict[str, str]:
    visitor = Visitor(address)
    await visitor.open()
    await visitor.close()
    return visitor.pages


def test_what_a_page_shows_as_an_error_is_one() -> None:
    visitor = Visitor("", page="risk")
    for body, kind in (("all is well", Alert.INFO), ("No run has this key.", Alert.ERROR)):
        message = ForwardMsg()
        message.delta.new_element.alert.body = body
        message.delta.new_element.alert.format = kind
        visitor._take(message)
    failed = ForwardMsg()
    failed.delta.new_element.exception.type = "KeyError"
    failed.delta.new_element.exception.message = "'x'"
    visitor._take(failed)
    broken = ForwardMsg(script_finished=ForwardMsg.FINISHED_WITH_COMPILE_ERROR)
    visitor._take(broken)
    assert visitor.errors == [
        "risk: No run has this key.",
        "risk: KeyError: 'x'",
        "risk: a script that cannot be read",
    ]


def test_the_spread_of_memory_is_that_of_the_late_part() -> None:
    seen = Seen(memory=[(0, 50.0), (60, 100.0), (120, 104.0), (180, 102.0)])
    assert seen.memory_spread(60) == pytest.approx(0.04)
    assert seen.memory_spread(0) == pytest.approx(1.08)


def test_nobody_is_there_to_visit() -> None:
    """An app that does not answer is what a visitor reports, not the end of the measurement."""
    seen = Seen()
    asyncio.run(visit("ws://127.0.0.1:9/_stcore/stream", ["risk"], "", 0.01, 0.0, random.Random(0), seen))
    assert len(seen.errors) == 1
    assert "Connect" in seen.errors[0] or "OSError" in seen.errors[0]
