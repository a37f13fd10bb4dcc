"""``run``: what takes the place of the command, and where it listens."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pcf_core.__main__ import USUAL_PORT, free_port
from pcf_core.core.settings import ROOT, Settings, settings
from tests.command_line import run_here


class Replaced(Exception):
    """Stands for the end of this process: what took its place."""

    def __init__(self, command: list[str]) -> None:
        super().__init__(command)
        self.command, self.folder, self.environment = command, Path.cwd(), dict(os.environ)


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What takes the place of this process is seen, and the variables it was given go with it."""

    def replace(program: str, command: list[str]) -> None:
        assert Path(program).is_file()
        raise Replaced(command)

    monkeypatch.setattr(os, "execv", replace)
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.usefixtures("replaced")
def test_it_opens_the_app_where_it_lies(own_settings: Settings) -> None:
    with pytest.raises(Replaced) as done:
        run_here("run", "--port", "8765")
    options = ["--server.address=127.0.0.1", "--server.port=8765"]
    assert done.value.command[1:] == ["-m", "pcf_core.app.serve", "run", "app.py", *options]
    assert done.value.folder == ROOT
    assert done.value.environment["PCF_CACHE"] == str(own_settings.cache)


@pytest.mark.usefixtures("replaced", "own_settings")
def test_address_and_browser_are_ones_choice() -> None:
    with pytest.raises(Replaced) as done:
        run_here("run", "--address", "0.0.0.0", "--headless")
    assert {"--server.address=0.0.0.0", "--server.headless=true"} < set(done.value.command)


def test_a_port_that_is_taken_is_left_alone() -> None:
    with socket.socket() as taken:
        with suppress(OSError):  # taken by somebody else: as good
            taken.bind(("127.0.0.1", USUAL_PORT))
        assert free_port("127.0.0.1") not in (0, USUAL_PORT)


@pytest.mark.usefixtures("replaced", "own_settings")
def test_settings_that_cannot_be_used_are_said_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PCF_CASH", "here")
    settings.cache_clear()
    answer = run_here("run")
    assert answer.returncode == 2
    assert "PCF_CASH" in answer.stderr


@pytest.mark.usefixtures("replaced", "own_settings")
def test_folders_that_are_named_from_here_are_the_same_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit runs in the folder of app.py; a URL is no folder."""
    monkeypatch.chdir(tmp_path)
    for said, meant in (("shared", str(tmp_path / "shared")), ("s3://bucket/scores", "s3://bucket/scores")):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PCF_SCORES", said)
        settings.cache_clear()
        settings()
        with pytest.raises(Replaced) as done:
            run_here("run", "--port", "8765")
        assert done.value.environment["PCF_SCORES"] == meant
