"""The command line as tests call it: as a process of its own, or here.

A process shows exit code and streams as a user has them, and that a command imports what it needs.  Every
command is run so at least once; where a process would load torch or the parser anew (five seconds and more),
that is one of the slow tests.  Elsewhere a command is called here, where all is loaded.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from pcf_core.__main__ import app, run_command

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = {
    name: json.loads(text)
    for name, text in re.findall(
        r"```json schema=(\w+)\n(.*?)```", (ROOT / "docs" / "cli.md").read_text(encoding="utf8"), re.DOTALL
    )
}

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
COMMAND = typer.main.get_command(app)  # which an app would build anew for each call


def run_process(*arguments: str) -> Done:
    """A process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pcf_core", *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )


class Terminal(io.StringIO):
    """What stdout is where a person reads it."""

    def isatty(self) -> bool:
        return True


def run_here(*arguments: str, terminal: bool = False) -> Done:
    """The same in this process, into a pipe or on a terminal; what is no refusal and no success is raised."""
    out, errors = Terminal() if terminal else io.StringIO(), io.StringIO()
    with chdir(ROOT), redirect_stdout(out), redirect_stderr(errors):
        code = run_command(COMMAND, arguments, "interrupted")
    return Done(arguments, code, out.getvalue(), errors.getvalue())


def answer_to(schema: str, *arguments: str, run: Run = run_here) -> Any:
    """The JSON of a command that succeeds; it, or each object of its list, has the documented shape."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    one_a_model = isinstance(answer, list) and SCHEMAS[schema].get("type") == "object"
    for document in answer if one_a_model else [answer]:
        jsonschema.validate(document, SCHEMAS[schema])
    return answer


HERE_AND_AS_A_PROCESS = pytest.mark.parametrize(
    "run",
    [pytest.param(run_here, id="here"), pytest.param(run_process, id="process", marks=pytest.mark.slow)],
)
