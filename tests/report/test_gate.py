"""What the gate found, as documents: they are well-formed whatever models and topics are called."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.gate import ContextReport, GateReport, Judged
from pcf_core.audit.policy import CannotTell, Limit
from pcf_core.core.risk import Interval
from pcf_core.measure.limits import LimitVerdict, limit_verdict
from pcf_core.report.gate import gate_junit, gate_lines, gate_markdown
from pcf_core.show.findings.gate import certainty_note

HOSTILE = "<b>]]>&\"'\x00\x1b[31m\ud800\ufffe|`\n## x\U0001f600"


def judged(low: float, high: float, most: float = 0.4, **given_: object) -> Judged:
    fields = {
        "limit": Limit(quantity="overall_risk", limit=most),
        "value": (low + high) / 2,
        "interval": Interval(low=low, high=high, level=0.975),
        "verdict": limit_verdict(low, high, most),
        "run": "0123456789abcdef",
        "templates": 100,
        "available": 100,
    }
    return Judged.model_validate(fields | given_)


def report_of(
    *several: Judged, model: str = "a model", follows: CannotTell = "warn", baseline: str = ""
) -> GateReport:
    context = ContextReport(
        topic="gender",
        templates="the set",
        evidence="the list",
        run="0123456789abcdef",
        baseline=baseline,
        judged=several,
        cannot_tell=follows,
        warnings=("Mind | this.",),
    )
    return GateReport(model=model, title="", error=0.05, stop_early=False, contexts=(context,))


KEPT, OVER, OPEN = judged(0.1, 0.3), judged(0.5, 0.6), judged(0.3, 0.5)


def cases(report: GateReport) -> list[tuple[str, list[str]]]:
    root = ElementTree.fromstring(gate_junit([report]))
    return [(case.get("name", ""), [part.tag for part in case]) for case in root.iter("testcase")]


def test_each_limit_is_a_case_and_what_fails_is_a_failure() -> None:
    name = "Risk at most 0.4"
    assert cases(report_of(KEPT, OVER, OPEN)) == [
        (name, ["system-out"]),
        (name, ["failure", "system-out"]),
        (name, ["skipped", "system-out"]),
    ]
    assert cases(report_of(OPEN, follows="fail")) == [(name, ["failure", "system-out"])]
    assert cases(report_of(OPEN, follows="pass")) == [(name, ["system-out"])]
    root = ElementTree.fromstring(gate_junit([report_of(KEPT, OVER, OPEN), report_of(OVER)]))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "2", "1")


@given(st.text() | st.just(HOSTILE))
def test_xml_holds_whatever_a_model_is_called(name: str) -> None:
    root = ElementTree.fromstring(gate_junit([report_of(OVER, model=name)]))
    suite = next(iter(root))
    assert [part.tag for part in root] == ["testsuite"]
    assert [case.tag for case in suite] == ["testcase"]
    assert (suite.get("name") or "").endswith(": gender, the set, the list")
    if name.isprintable():
        assert (suite.get("name") or "").startswith(name)


@given(st.text() | st.just(HOSTILE))
def test_markdown_has_one_table_whatever_a_model_is_called(name: str) -> None:
    lines = gate_markdown([report_of(OVER, OPEN, model=name)]).split("\n")
    assert sum(line.startswith("#") for line in lines) == 1
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 4
    assert all(row.replace("\\|", "").count("|") == 8 for row in rows)
    assert not any("<b>" in line.replace("\\<", "") for line in lines)


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (report_of(KEPT), "a model is within the limit: the check passes."),
        (report_of(KEPT, KEPT), "a model is within all 2 limits: the check passes."),
        (report_of(KEPT, OVER), "a model exceeds 1 of 2 limits: the check fails."),
        (
            report_of(OPEN),
            "We cannot tell whether a model is within the limit: the check passes with a warning.",
        ),
        (
            report_of(OPEN, KEPT, follows="fail"),
            "We cannot tell whether a model is within 1 of 2 limits: the check fails.",
        ),
    ],
)
def test_the_answer(report: GateReport, says: str) -> None:
    assert gate_lines(report)[0] == says


def change(low: float, high: float, most: float, **more: object) -> Judged:
    return judged(low, high, most, limit=Limit(quantity="overall_risk", limit=most, increase=True), **more)


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (KEPT, "Risk is 0.20 (0.10–0.30), within the limit of 0.4."),
        (OVER, "Risk is 0.55 (0.50–0.60), over the limit of 0.4."),
        (OPEN, "Risk is 0.40 (0.30–0.50): with 100 sentences we cannot tell whether it is within the limit"),
        (judged(0.1, 0.3, templates=25), "within the limit of 0.4 after 25 sentences."),
        (judged(0.1, 0.4012), "Risk is 0.251 (0.1–0.401): with"),
        (change(-0.1, 0.02, 0.03), "by −0.04 (−0.10 to +0.02) against base, within the limit of +0.03."),
        (
            change(0.05, 0.09, 0.03, p_value=0.0005),
            "Risk differs by +0.07 (+0.05 to +0.09) against base, over the limit of +0.03 (p under 0.001).",
        ),
        (
            judged(0.5, 0.6, limit=Limit(quantity="tilt", group="male", limit=0.4)),
            "Tilt towards men is +0.55 (+0.50 to +0.60), over the limit of 0.4.",
        ),
    ],
)  # fmt: skip
def test_a_sentence_for_each_verdict(one: Judged, says: str) -> None:
    assert says in "\n".join(gate_lines(report_of(one, baseline="base")))


def test_nothing_steers_a_terminal() -> None:
    said = "\n".join(
        [*gate_lines(report_of(OVER, model=HOSTILE)), gate_markdown([report_of(OVER, model=HOSTILE)])]
    )
    assert not set("\x00\x1b\ud800") & set(said)


def test_the_signs_tell_verdicts_apart_without_colour() -> None:
    lines = "\n".join(gate_lines(report_of(KEPT, OVER, OPEN)))
    assert all(sign in lines for sign in "✓✗?")
    verdicts: set[LimitVerdict] = {one.verdict for one in (KEPT, OVER, OPEN)}
    assert len(verdicts) == 3


def test_what_a_verdict_aims_at_is_not_called_certain() -> None:
    """In simulations that aim at 5 wrong verdicts in 100, up to 6 with looks are wrong."""
    report = GateReport(model="m", title="t", error=0.05, stop_early=False, contexts=())
    said = certainty_note(report)
    assert "a verdict that holds in 95 of 100 cases." in said
    assert "certainty" not in said
    assert "6 were wrong" not in said
    early = certainty_note(report.model_copy(update={"stop_early": True, "error": 0.005}))
    assert "holds in 99.5 of 100 cases. Scoring stopped early where it could" in early
    assert "in simulations that aimed at 5 wrong verdicts in 100, up to 6 were wrong" in early
