"""What is said of decisions about people, on rates that are known by hand."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.risk import RiskReport
from pcf_core.show.findings.decisions import decisions_finding, favours_finding, rates_finding

EVEN = [[[0.6, 0.4], [0.6, 0.8]]]
FAR = [[[0.8, 0.3], [0.7, 0.2], [0.9, 0.4], [0.85, 0.3]]]
THREE = [[[0.6, 0.4, 0.5], [0.5, 0.3, 0.5]]]


def report_of(rates: object, groups: Sequence[str] = ("white", "black")) -> RiskReport:
    return matrix_report({"rates": rates, "groups": [*groups]}, ViewOptions(), 200)


def examples() -> dict[str, object]:
    reports = {
        "a coin": report_of(EVEN),
        "far": report_of(FAR),
        "three groups": report_of(THREE, ("white", "black", "asian")),
        "nothing": report_of([[[0, 0], [0, 0]]]),
    }
    with_decisions = {name: (one, one.decisions) for name, one in reports.items() if one.decisions}
    return {
        "rates": {name: decisions_finding("M", *one) for name, one in with_decisions.items()},
        "of several": rates_finding({name: one for name, (_, one) in with_decisions.items()}),
        "favours": {name: favours_finding({"M": one}) for name, (_, one) in with_decisions.items()},
        "favours of several": favours_finding({name: one for name, (_, one) in with_decisions.items()}),
    }


def test_a_group_is_favoured_only_beyond_chance() -> None:
    favours = examples()["favours"]
    assert isinstance(favours, dict)
    assert favours["far"] == "M favours White people over Black people."
    assert "favours no group" in favours["a coin"]
