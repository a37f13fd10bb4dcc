"""``run``: the app in a browser."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from typing import Annotated

import typer

from pcf_core.core.errors import InputError
from pcf_core.core.settings import ROOT, adopt, settings

USUAL_PORT = 8501  # Streamlit's


def run(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: 8501, or another where that is taken")] = 0,
    address: Annotated[
        str, typer.Option(help="0.0.0.0: every machine that reaches this one may open it")
    ] = "127.0.0.1",
    headless: Annotated[bool, typer.Option("--headless", help="open no browser")] = False,
) -> None:
    """Open the app in a browser; Ctrl+C ends it."""
    command = [sys.executable, "-m", "pcf_core.app.serve", "run", "app.py"]
    command += [f"--server.address={address}", f"--server.port={port or free_port(address)}"]
    command += ["--server.headless=true"] * headless
    # Streamlit reads its configuration from the folder it runs in, that of app.py: folders that the settings
    # name from here are handed on in full.
    adopt(settings().environment)
    os.chdir(ROOT)
    os.execv(sys.executable, command)


def free_port(address: str) -> int:
    """Return Streamlit's usual port where it can be had, else any."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        for port in (USUAL_PORT, 0):
            with suppress(OSError):
                probe.bind((address, port))
                return int(probe.getsockname()[1])
    raise InputError(f"--address must be an address of this machine, such as 127.0.0.1; got {address!r}.")
