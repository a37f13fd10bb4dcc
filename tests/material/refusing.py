"""A call that is refused, and the sentence it is refused with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def refused(
    refusal: Callable[[Any], str],
    error: type[Exception],
    function: Callable[..., object],
    *arguments: object,
    **options: object,
) -> str:
    """The sentence of the ``error`` that a call raises, checked by the fixture ``refusal``."""
    with pytest.raises(error) as caught:
        function(*arguments, **options)
    return refusal(caught.value)
