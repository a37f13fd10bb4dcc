"""Of slow tests and of properties, how much `make test` tries; `make test-all` tries all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import hypothesis
import pytest


def quick(cases: Iterable[Any], among: Callable[[Any], bool]) -> list[Any]:
    """All cases, of which those that are not ``among`` the quick ones are marked slow."""
    return [
        case
        if among(case)
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]


def scaled(examples: int) -> int:
    """Examples of a property that needs more or fewer than others, in the profile that is loaded."""
    usual = hypothesis.settings.get_profile("project").max_examples
    return max(5, examples * hypothesis.settings().max_examples // usual)
