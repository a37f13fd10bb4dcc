"""Mutation testing: break the code in small ways, one at a time, and check that fast tests fail.

    python -m tools.mutants                    # every mutant of tests/mutants/*.toml
    python -m tools.mutants --only measure     # those whose list, number or file contains this
    python -m tools.mutants --passing          # without running the tests on the unbroken code first

A mutant is an entry of such a file:

    [[mutant]]
    file = "pcf_core/measure/criterion.py"
    old = "a text that occurs exactly once in that file"
    new = "its replacement"
    tests = "tests/measure/test_criterion.py"   # tests that should fail, separated by spaces
    why = "What would be wrong for a user, in one sentence."

The tests run in copies of the working tree, and must first pass without any mutant.  A mutant counts as
caught if a test fails, not if the process ends otherwise or times out.
"""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Queue
from typing import Annotated

import typer

from pcf_core.core.records import Record

ROOT = Path(__file__).resolve().parent.parent
LISTS = Path("tests", "mutants")
OPTIONS = ("-x", "-q", "-m", "not slow", "--hypothesis-profile", "quick", "-p", "no:cacheprovider")
SECONDS = 300.0
PASSED, FAILED = 0, 1  # exit codes of pytest


class Mutant(Record):
    """A small break of one file, and the tests that should fail; ``name``: its list and number there."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    why: str

    @property
    def test_files(self) -> tuple[str, ...]:
        """Test files, or single tests of one."""
        return tuple(self.tests.split())


def read_mutants(root: Path, only: str = "") -> list[Mutant]:
    """Read the lists of a tree, in the order of their names; ``only``: a part of a mutant's name or file."""
    mutants = [
        Mutant(name=f"{path.stem} {number}", **entry)
        for path in sorted((root / LISTS).glob("*.toml"))
        for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf8"))["mutant"], start=1)
    ]
    return [mutant for mutant in mutants if only in mutant.name or only in mutant.file]


def problem_of(mutant: Mutant, root: Path) -> str:
    """Return why a mutant cannot be tried in a tree, or an empty string."""
    file = root / mutant.file
    if not file.is_file():
        return "the file is not there any more"
    times = file.read_text(encoding="utf8").count(mutant.old)
    if times != 1:
        return f"the text is there {times} times" if times else "the text is not there any more"
    if mutant.old == mutant.new:
        return "nothing is changed"
    missing = [test for test in mutant.test_files if not (root / test.partition("::")[0]).is_file()]
    if missing or not mutant.test_files:
        return f"there is no test {', '.join(missing)}".rstrip()
    if file.suffix == ".py":
        try:
            compile(changed(mutant, root), mutant.file, "exec", dont_inherit=True)
        except SyntaxError as error:
            return f"the changed file is no Python ({error.msg})"
    return ""


def changed(mutant: Mutant, root: Path) -> str:
    return (root / mutant.file).read_text(encoding="utf8").replace(mutant.old, mutant.new)


def copy_tree(root: Path, target: Path) -> None:
    """Copy tracked and new files, and compile them once, as copies write no bytecode later."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name, follow_symlinks=False)
    for folder in ("pcf_core", "tools"):
        compileall.compile_dir(target / folder, quiet=2)


def end_of_tests(copy: Path, tests: Sequence[str], seconds: float) -> int | None:
    """Run tests in a copy and return pytest's exit code; ``None`` after a timeout."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
    alone = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command,
        cwd=copy,
        env={**os.environ, **alone},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        try:
            return running.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:  # with all processes that the tests started
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def outcome_of(mutant: Mutant, copy: Path, seconds: float) -> str:
    """Break a copy, run the tests, restore the copy; return ``caught``, or why it was not.

    The broken file gets another time stamp, so that Python ignores the bytecode of the unbroken one.
    """
    file = copy / mutant.file
    before, times = file.read_bytes(), file.stat()
    file.write_text(changed(mutant, copy), encoding="utf8")
    os.utime(file, (times.st_atime, times.st_mtime + 10))
    try:
        end = end_of_tests(copy, mutant.test_files, seconds)
    finally:
        file.write_bytes(before)
        os.utime(file, (times.st_atime, times.st_mtime))
    if end == FAILED:
        return "caught"
    if end is None:
        return f"NOT caught: the tests took more than {seconds:g} s"
    return "NOT caught" if end == PASSED else f"NOT caught: pytest ended with {end}"


def try_all(mutants: Iterable[Mutant], copies: Sequence[Path], seconds: float) -> list[str]:
    """Try the mutants, one per copy at a time; return their outcomes."""
    free: Queue[Path] = Queue()
    for copy in copies:
        free.put(copy)

    def tried(mutant: Mutant) -> str:
        copy, begun = free.get(), time.monotonic()
        try:
            outcome = outcome_of(mutant, copy, seconds)
        finally:
            free.put(copy)
        typer.echo(
            f"{outcome:<10}  {mutant.name}: {mutant.file}, {time.monotonic() - begun:.0f} s"
            + ("" if outcome == "caught" else f"\n            {mutant.why}")
        )
        return outcome

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(tried, mutants))


def main(
    only: Annotated[str, typer.Option(help="a part of the names or files of those to try")] = "",
    seconds: Annotated[float, typer.Option(help="that the tests of a mutant may take")] = SECONDS,
    at_once: Annotated[int, typer.Option(min=1, help="how many are tried at once")] = 2,
    passing: Annotated[
        bool, typer.Option("--passing", help="these tests are known to pass without any")
    ] = False,
    root: Annotated[Path, typer.Option(hidden=True)] = ROOT,
) -> None:
    """Try mutants; exit 1 where one is not caught or cannot be tried, 2 where the tests fail without any."""
    mutants = read_mutants(root, only)
    problems = {mutant.name: problem for mutant in mutants if (problem := problem_of(mutant, root))}
    for name, problem in problems.items():
        typer.echo(f"NOT tried   {name}: {problem}")
    possible = [mutant for mutant in mutants if mutant.name not in problems]
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder, f"copy-{number}") for number in range(min(at_once, max(1, len(possible))))]
        copy_tree(root, copies[0])
        for copy in copies[1:]:
            shutil.copytree(copies[0], copy, symlinks=True)
        tests = sorted({test for mutant in possible for test in mutant.test_files})
        if tests and not passing and end_of_tests(copies[0], tests, seconds * len(possible)) != PASSED:
            typer.echo(f"These tests fail without any mutant: {' '.join(tests)}")
            raise typer.Exit(2)
        outcomes = try_all(possible, copies, seconds)
    caught = outcomes.count("caught")
    typer.echo(f"{caught} of {len(mutants)} mutants were caught")
    raise typer.Exit(int(caught < len(mutants)))


if __name__ == "__main__":
    typer.run(main)
