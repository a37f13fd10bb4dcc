"""The command line: the same functions as the pages, without a browser.  See docs/cli.md.

Data goes to stdout (JSON with ``--json`` or into a pipe, panels as text on a terminal), progress and messages
to stderr.  Exit 0 done, 2 bad input, 1 failed, 130 interrupted (what is finished stays, call again to
resume); ``check`` and ``audit`` also have 3, a limit is exceeded, and 4, we cannot tell and the policy calls
that a failure.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from pcf_core.cli.audit import audit
from pcf_core.cli.board import board
from pcf_core.cli.check import check
from pcf_core.cli.console import say
from pcf_core.cli.criteria import criteria
from pcf_core.cli.exporting import export, sign, verify
from pcf_core.cli.fairpair import fairpair
from pcf_core.cli.knowledge import benchmark, knowledge
from pcf_core.cli.mining import mine
from pcf_core.cli.packs import import_runs, packs
from pcf_core.cli.reading import agree, compare, journal, models, risk, topics
from pcf_core.cli.scoring import score, words, worker
from pcf_core.cli.templates import templates
from pcf_core.core.errors import AuditError, InputError
from pcf_core.core.settings import ROOT, adopt, settings
from pcf_core.material.safety.reading import heard
from pcf_core.store.files import sentence

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


COMMANDS = (
    run,
    topics,
    words,
    score,
    knowledge,
    worker,
    mine,
    fairpair,
    criteria,
    benchmark,
    risk,
    compare,
    agree,
    check,
    audit,
    board,
    export,
    sign,
    verify,
    journal,
)
INTERRUPTED = 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Measure how a language model discriminates: prejudice and caprice, with uncertainty.",
)
for command in COMMANDS:
    app.command()(command)
app.command("import")(import_runs)
app.add_typer(models, name="models")
app.add_typer(packs, name="packs")
app.add_typer(templates, name="templates")


def run_command(
    application: Callable[..., int | None], arguments: Sequence[str] | None, unfinished: str
) -> int:
    """Run a command line and return its exit code; every refusal is one sentence on stderr.

    ``unfinished`` says what an interrupt leaves behind.
    """
    try:
        with heard(say):
            code = application(arguments, standalone_mode=False) or 0
    except InputError as error:
        say(str(error))
        return 2
    except AuditError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(refusal_of(error))
        return 1
    except TyperException as error:
        say(error.format_message())
        return error.exit_code
    if code == INTERRUPTED:
        say(unfinished)
    return code


def refusal_of(error: OSError) -> str:
    """Say what cannot be used: the cache, another file, or the output, which alone has no name."""
    if error.filename is None:
        return f"the output cannot be written: {error.strerror or error}"
    name, cache = str(error.filename), settings().cache
    if name == str(cache) or Path(name).is_relative_to(cache):
        return sentence(error, cache)
    return f"{name} cannot be used: {error.strerror or error}"


def main() -> int:
    """Run a command of this program."""
    return run_command(
        app, None, "interrupted; what is finished is kept, the same command goes on from there"
    )


if __name__ == "__main__":
    sys.exit(main())
