"""Of the cases of a slow test, which ones `make test` tries; `make test-all` tries all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def quick(cases: Iterable[Any], among: Callable[[Any], bool]) -> list[Any]:
    """All cases, of which those that are not ``among`` the quick ones are marked slow."""
    return [
        case
        if among(case)
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]
