"""Figures for a monitor: those of queue and cache, in the format, on this machine alone."""

from __future__ import annotations

import http.client
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.core.errors import InputError
from pcf_core.core.settings import Settings
from pcf_core.work.metrics import Gauge, exposition, gauges, newest_shard, serving
from pcf_core.work.queue import Queue
from tests.command_line import run_here

LINE = re.compile(r'pcf_[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [0-9.e+\-]+')


@pytest.fixture
def queue(own_settings: Settings) -> Queue:
    return Queue.open(own_settings.catalogue)


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def served(queue: Queue, own_settings: Settings, port: int) -> Iterator[int]:
    with serving(queue, own_settings, "me", lambda: 12.5, port):
        yield port


def ask(port: int, path: str = "/metrics", host: str = "127.0.0.1") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def values(text: str) -> dict[str, float]:
    """Parse the format, and hold every line to it."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(LINE.fullmatch(line) for line in lines), lines
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_the_figures_are_those_of_the_queue(queue: Queue, served: int) -> None:
    for key in ("a", "b", "c"):
        queue.submit("score", key, {}, total=100)
    first = queue.claim("me")
    second = queue.claim("me")
    queue.progress(first.id, 10, rate=7.5, owner="me")
    queue.fail(second.id, "It failed.", "me")
    status, text = ask(served)
    assert status == 200
    found = values(text)
    assert {name: value for name, value in found.items() if name.startswith("pcf_jobs")} == {
        'pcf_jobs{state="queued"}': 1,
        'pcf_jobs{state="running"}': 1,
        'pcf_jobs{state="done"}': 0,
        'pcf_jobs{state="failed"}': 1,
        'pcf_jobs{state="cancelled"}': 0,
    }
    assert found["pcf_failed_jobs"] == 1
    assert found["pcf_cells_per_second"] == 7.5
    assert found["pcf_worker_silence_seconds"] == 12.5
    assert "pcf_last_shard_age_seconds" not in found


def test_a_death_is_counted_until_the_job_is_done(queue: Queue, own_settings: Settings) -> None:
    queue.submit("score", "a", {})
    job = queue.claim("me")
    queue.begin(job.id, "me")
    queue.died("me")
    text = exposition(gauges(queue, own_settings, "me", 0.0))
    assert values(text)["pcf_worker_deaths"] == 1


def test_the_age_is_that_of_the_newest_shard(own_settings: Settings) -> None:
    folder = own_settings.cache / "scores"
    assert newest_shard(own_settings) is None
    now = time.time()
    for name, age in (("one/a.json", 500), ("two/b.json", 90), ("two/c.parquet", 10), ("d.json", 5)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf8")
        os.utime(path, (now - age, now - age))
    assert newest_shard(own_settings) == pytest.approx(now - 90, abs=0.01), "a shard counts when it is sealed"


def test_a_heart_that_beats_does_not_hide_silence(queue: Queue, own_settings: Settings) -> None:
    from pcf_core.work.processes import name_of

    owner = name_of(os.getpid())
    queue.heartbeat(owner)
    found = values(exposition(gauges(queue, own_settings, owner, 4000.0)))
    assert found["pcf_worker_heartbeat_age_seconds"] < 60
    assert found["pcf_worker_silence_seconds"] == 4000


def test_labels_are_escaped() -> None:
    text = exposition([Gauge("jobs", "Jobs.", {(("state", 'a"b\\c\nd'),): 1})])
    assert text.splitlines()[2] == 'pcf_jobs{state="a\\"b\\\\c\\nd"} 1'


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/", "127.0.0.1", 404), ("/../etc/passwd", "localhost:9", 404), ("/metrics", "evil.example", 403)],
)
def test_nothing_else_is_answered(served: int, path: str, host: str, status: int) -> None:
    found, said = ask(served, path, host)
    assert found == status
    assert said.endswith(".\n")


def test_it_listens_on_this_machine_alone(served: int) -> None:
    with pytest.raises(OSError, match=r".*"), socket.create_connection((other_address(), served), timeout=2):
        pass


def other_address() -> str:
    """Another address of the loopback network, which a server on all addresses would answer."""
    return "127.0.0.2"


def test_a_port_that_is_taken_is_refused_in_a_sentence(
    queue: Queue, own_settings: Settings, served: int
) -> None:
    with (
        pytest.raises(InputError, match=f"The port {served}"),
        serving(queue, own_settings, "me", lambda: 0.0, served),
    ):
        pass


def test_a_cache_that_cannot_be_read_is_no_health(
    queue: Queue, served: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Queue) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Queue, "tally", refuse)
    assert ask(served)[0] == 503


def test_without_a_port_nothing_listens(queue: Queue, own_settings: Settings, port: int) -> None:
    with serving(queue, own_settings, "me", lambda: 0.0, None), pytest.raises(OSError, match=r".*"):
        ask(port)


def test_a_port_out_of_range_is_bad_input(own_settings: Settings, tmp_path: Path) -> None:
    assert run_here("worker", "--until-idle", "--metrics", "99999").returncode == 2
