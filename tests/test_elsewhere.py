"""What the comparison with figures made elsewhere lets pass, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.core.records import Record
from tests.elsewhere import assert_same_figures


class Figures(Record):
    values: dict[str, tuple[Any, ...]]


HERE = Figures(values={"interval": (0.1772499677001763, 0.2), "counts": (3, True, "p = 0.012", None, 0.0)})


@pytest.mark.parametrize("end", [0.1772499677001763, 0.1772499677001765, 0.1772499677002])
def test_last_digits_pass(end: float) -> None:
    assert_same_figures(HERE, changed("interval", end, 0.2))
    assert_same_figures(HERE, changed("counts", 3, True, "p = 0.012", None, 1e-17))


@pytest.mark.parametrize(
    "other",
    [
        ("interval", 0.1772499677001763 * (1 + 1e-3), 0.2),
        ("interval", 0.1772499677001763 + 1e-6, 0.2),
        ("interval", 0.1772499677001763),
        ("counts", 4, True, "p = 0.012", None, 0.0),
        ("counts", 3, False, "p = 0.012", None, 0.0),
        ("counts", 3, True, "p = 0.013", None, 0.0),
        ("counts", 3, True, "p = 0.012", 0.0, 0.0),
        ("counts", 3, True, "p = 0.012", None, 1e-3),
        ("more", 1),
    ],
)
def test_all_else_fails(other: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError, match="Disagreement"):
        assert_same_figures(HERE, changed(*other))


def changed(name: str, *values: Any) -> Figures:
    return Figures(values={**HERE.values, name: values})
