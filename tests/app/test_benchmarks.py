"""What the tab of known benchmarks holds against ours: pairs that both can tell."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pcf_core.app.texts.benchmarks import agreements
from tests.show.charts.compared import compared_example, difference


@pytest.mark.parametrize(("margin", "told"), [(0.02, 1), (0.9, 0)])
def test_a_difference_too_small_to_matter_tells_nothing(margin: float, told: int) -> None:
    """Its verdict is *first* all the same."""
    found = replace(difference(0.9, 0.2, clear=True), margin=margin)
    compared = compared_example()
    compared = replace(compared, differences=dict.fromkeys(compared.differences, found))
    report = SimpleNamespace(says_little=False)
    runs = {
        name: SimpleNamespace(run=SimpleNamespace(scoring=SimpleNamespace(name=name)), report=report)
        for name in "ab"
    }
    loaded = cast("Any", SimpleNamespace(runs=runs, compare=lambda first, second: compared))
    for theirs in ({("a", "b"): "a"}, {("b", "a"): "b"}):
        several = agreements("winobias", theirs, loaded)
        assert {(one.pairs, one.told, one.alike) for one in several} == {(1, told, told)}
    report.says_little = True
    assert agreements("winobias", {("a", "b"): "a"}, loaded) == []
