"""File systems that a test mounts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """A file system mounted at a folder while the test runs, which is skipped where nobody may mount."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", *options, str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a file system needs root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def small_disk_at(folder: Path, size: str) -> AbstractContextManager[Path]:
    """A disk of a few megabytes, ``size`` as mount writes it."""
    return mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs")
