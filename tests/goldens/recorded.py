"""Goldens: what the program gave before a change, in small files that `make goldens` writes again.

A reviewer reads the difference of the files.  Texts, counts and truths must be the same; numbers may
differ by what another processor's arithmetic makes of them.
"""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "recorded"
DIGITS = 7  # significant ones that are written
RELATIVE, ABSOLUTE = 1e-5, 1e-8  # a rounded number against an exact one, on another processor


def assert_recorded(subject: str, value: Any) -> None:
    """Hold a value to the golden of its subject in ``recorded/``; with REWRITE_GOLDENS=1 write that first."""
    file = FOLDER / f"{subject}.json"
    now = plain(value)
    if os.environ.get("REWRITE_GOLDENS") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
    assert file.is_file(), f"There is no golden for {subject}; write it with: make goldens"
    differences = list(differing(json.loads(file.read_text(encoding="utf8")), now, subject))
    more = f"\n… and {len(differences) - 10} more" if len(differences) > 10 else ""
    assert not differences, "\n".join(differences[:10]) + more + "\nIf that is meant, run: make goldens"


def plain(value: Any) -> Any:
    """Return a value as JSON has it, with numbers rounded to ``DIGITS`` digits and null for NaN."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return (
            float(f"{value:.{DIGITS}g}")
            if math.isfinite(value)
            else None
            if math.isnan(value)
            else str(value)
        )
    if isinstance(value, Mapping) and {"dtype", "bdata"} <= value.keys():  # as plotly packs an array
        numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        return plain(numbers.reshape([int(side) for side in str(value.get("shape", "-1")).split(",")]))
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (str, int, bool)) or value is None else str(value)


def differing(recorded: Any, now: Any, path: str) -> Iterator[str]:
    """Yield one line for each place at which two values differ by more than rounding."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        for key in sorted(recorded.keys() | now.keys()):
            if key not in now or key not in recorded:
                yield f"{path}.{key}: {'gone' if key in recorded else 'new'}"
            else:
                yield from differing(recorded[key], now[key], f"{path}.{key}")
    elif isinstance(recorded, list) and isinstance(now, list):
        if len(recorded) != len(now):
            yield f"{path}: {len(recorded)} items were recorded, now there are {len(now)}"
        for index, (one, other) in enumerate(zip(recorded, now, strict=False)):
            yield from differing(one, other, f"{path}[{index}]")
    elif not same(recorded, now):
        yield f"{path}: {recorded!r} was recorded, now it is {now!r}"


def same(one: Any, other: Any) -> bool:
    """Tell whether two leaves are equal; two numbers are where they differ by rounding alone."""
    numbers = [isinstance(leaf, (int, float)) and not isinstance(leaf, bool) for leaf in (one, other)]
    if all(numbers):
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(one) is type(other) and bool(one == other)
