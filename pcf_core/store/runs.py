"""What was asked for: one sealed JSON file per run."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pcf_core.errors import RunError
from pcf_core.records import Record, RunSpec
from pcf_core.store.files import seal, unseal, write_whole
from pcf_core.store.sealed import now

log = logging.getLogger(__name__)

SHORTEST_PREFIX = 6
KEY = re.compile(r"[0-9a-f]+")


class RunInfo(Record):
    """A run with its state; ``provenance`` says what scored it."""

    run: RunSpec
    complete: bool
    created: datetime
    provenance: dict[str, Any]


class RunFolder:
    """The folder ``runs`` of one layer; files are read again only after they changed."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "runs"
        self._read: dict[Path, tuple[tuple[int, int, int], RunInfo | None]] = {}

    def save(self, run: RunSpec, provenance: Mapping[str, Any], complete: bool) -> None:
        """Write or replace a run.

        Raises:
            OSError: the folder is full or cannot be written.
        """
        info = RunInfo(run=run, complete=complete, created=now(), provenance=dict(provenance))
        write_whole(self._folder / f"{run.key}.json", seal(info.model_dump(mode="json")))

    def infos(self) -> dict[str, RunInfo]:
        """Runs by key; a damaged file is logged and left out: scoring the run again writes it anew."""
        found = {}
        for path in sorted(self._folder.glob("*.json")):
            info = self._info(path)
            if info is not None and info.run.key == path.stem:
                found[path.stem] = info
        return found

    def _info(self, path: Path) -> RunInfo | None:
        try:
            state = path.stat()
            stamp = (state.st_ino, state.st_size, state.st_ctime_ns)
            if path not in self._read or self._read[path][0] != stamp:
                self._read[path] = stamp, self._parse(path)
            return self._read[path][1]
        except OSError as error:
            log.warning("The run %s cannot be read (%s).", path.stem, error)
            return None

    def _parse(self, path: Path) -> RunInfo | None:
        try:
            return RunInfo.model_validate(unseal(path.read_bytes()))
        except ValueError as error:
            log.warning("The run %s is damaged (%s): score it again.", path.stem, error)
            return None


def find_run(key: str, keys: Sequence[str]) -> str:
    """The full key that ``key``, or its beginning, stands for.

    Raises:
        RunError: unknown, too short, or more than one run begins with it.
    """
    if key in keys:
        return key
    if len(key) < SHORTEST_PREFIX or not KEY.fullmatch(key):
        raise RunError(
            f"A run key is 16 hexadecimal digits, or its first {SHORTEST_PREFIX} or more; got {key[:40]!r}: "
            "`score` prints it, and the page Score shows it."
        )
    fitting = [full for full in keys if full.startswith(key)]
    if len(fitting) > 1:
        raise RunError(
            f"The run key {key!r} stands for {len(fitting)} runs ({', '.join(fitting)}): give more digits."
        )
    if not fitting:
        raise RunError(
            f"No run has the key {key[:40]!r}: score it first, or check the key on the page Score."
        )
    return fitting[0]
