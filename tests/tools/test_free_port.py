"""The port of `make run`: the usual one, or another that can be had."""

from __future__ import annotations

import runpy
import socket

import pytest

from pcf_core.settings import ROOT


def port_of(capsys: pytest.CaptureFixture[str]) -> int:
    runpy.run_path(str(ROOT / "tools" / "free_port.py"))
    return int(capsys.readouterr().out)


def test_the_usual_port_is_left_to_whoever_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether this test or another program holds 8501, the answer is a port that can be bound."""
    with socket.socket() as holder:
        try:
            holder.bind(("127.0.0.1", 8501))
        except OSError:
            assert port_of(capsys) != 8501
            return
        other = port_of(capsys)
        assert other != 8501
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", other))
    assert port_of(capsys) == 8501
