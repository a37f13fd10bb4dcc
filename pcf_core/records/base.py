"""What every record is made of, and the hash behind every key."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

FloatArray = NDArray[np.floating[Any]]


def digest(value: Any) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of a value's canonical JSON: the hash behind every key."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Record(BaseModel):
    """Base of the records that are read from files or written to them: frozen, no unknown field."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LeftOut(Record):
    """Something that was not used, and why: shown, never dropped silently."""

    name: str
    reason: str
