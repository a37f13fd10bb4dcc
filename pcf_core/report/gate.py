"""The verdicts of the gate as a JSON document, lines, Markdown and JUnit XML.

Names come from outside: Markdown is escaped, and no form has a character that XML 1.0 lacks, such as those
that control a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from pcf_core.audit.gate import ContextReport, GateReport, Judged
from pcf_core.report.documents import finite, picked
from pcf_core.report.files import plain
from pcf_core.show.findings.gate import (
    certainty_note,
    figure_text,
    gate_answer,
    limit_finding,
    limit_name,
    templates_note,
    verdict_word,
)
from pcf_core.show.findings.numbers import number

# Not allowed in XML 1.0, also as a reference: control characters, surrogates, U+FFFE and U+FFFF.
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SIGNS = {"within": "✓", "exceeds": "✗", "cannot tell": "?"}


def gate_document(report: GateReport) -> dict[str, Any]:
    """Return verdicts in the shape of ``check --json`` (docs/cli.md)."""
    document = {
        **picked(report, "model", "title", "error", "stop_early", "verdict", "outcome"),
        "contexts": [
            {
                **picked(context, "topic", "templates", "evidence", "run"),
                "baseline": context.baseline or None,
                "baseline_run": context.baseline_run or None,
                **picked(context, "cannot_tell", "outcome", "reliable"),
                "limits": [
                    {
                        "quantity": one.limit.quantity,
                        "group": one.limit.group or None,
                        "kind": one.limit.kind,
                        "limit": one.limit.limit,
                        **picked(one, "value", "interval", "p_value", "verdict"),
                        "outcome": context.outcome_of(one),
                        **picked(one, "run", "templates", "available"),
                    }
                    for one in context.judged
                ],
                "warnings": context.warnings,
            }
            for context in report.contexts
        ],
    }
    return finite(document)  # type: ignore[no-any-return]


def gate_lines(report: GateReport) -> list[str]:
    """Write the verdicts as lines for a terminal, the answer first."""
    lines = [gate_answer(report)]
    for context in report.contexts:
        lines.append(f"{context_name(context)}, {templates_note(context)} (run {context.run}):")
        lines += [f"  {SIGNS[one.verdict]} {limit_finding(one, context)}" for one in context.judged]
        lines += [f"    {warning}" for warning in context.warnings]
    return [printable(line) for line in (*lines, certainty_note(report))]


def context_name(context: ContextReport) -> str:
    """Name what was measured: "gender, gender-wikipedia-100, occupations-us"."""
    return ", ".join((context.topic, context.templates, context.evidence))


def gate_markdown(reports: Sequence[GateReport]) -> str:
    """Write a Markdown summary for a pipeline: answer, table and caveats for each model."""
    return "\n".join(printable(line) for report in reports for line in _markdown_lines(report))


def _markdown_lines(report: GateReport) -> Iterator[str]:
    yield f"## {plain(report.title or 'Discrimination check')}: {plain(report.model)}"
    yield from ("", f"**{plain(gate_answer(report))}**", "")
    yield "| | measured | limit | figure and range | verdict | sentences | run |"
    yield "|---" * 7 + "|"
    for context in report.contexts:
        for one in context.judged:
            cells = (
                SIGNS[one.verdict],
                plain(context_name(context)),
                plain(limit_name(one.limit)),
                plain(figure_text(one, context)),
                verdict_word(one, context),
                f"{one.templates:,} of {one.available:,}",
                f"`{one.run}`",
            )
            yield f"| {' | '.join(cells)} |"
    yield from ("", plain(certainty_note(report)), "")
    notes = [
        f"- {plain(context_name(context))}: {plain(note)}"
        for context in report.contexts
        for note in context.warnings
    ]
    yield from (*notes, "") if notes else ()


def gate_junit(reports: Sequence[GateReport]) -> bytes:
    """Write JUnit XML: a suite for each model and context, a case for each limit.

    An exceeded limit is a failure, and so is "cannot tell" if the policy says so; else that case is skipped.
    """
    root = ElementTree.Element("testsuites", {"name": "PCF Audit"})
    for report in reports:
        for context in report.contexts:
            root.append(_suite(report, context))
    for name in ("tests", "failures", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _suite(report: GateReport, context: ContextReport) -> ElementTree.Element:
    outcomes = [context.outcome_of(one) for one in context.judged]
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": printable(f"{report.model}: {context_name(context)}"),
            "tests": str(len(outcomes)),
            "failures": str(outcomes.count("fail")),
            "errors": "0",
            "skipped": str(outcomes.count("warn")),
        },
    )
    suite.extend(_case(report, context, one) for one in context.judged)
    return suite


def _case(report: GateReport, context: ContextReport, one: Judged) -> ElementTree.Element:
    sentence = printable(limit_finding(one, context))
    case = ElementTree.Element(
        "testcase",
        {
            "classname": printable(f"{report.model}.{context.topic}.{context.templates}"),
            "name": printable(limit_name(one.limit)),
        },
    )
    outcome = context.outcome_of(one)
    if outcome == "fail":
        ElementTree.SubElement(case, "failure", {"type": one.verdict, "message": sentence})
    elif outcome == "warn":
        ElementTree.SubElement(case, "skipped", {"message": sentence})
    ElementTree.SubElement(case, "system-out").text = (
        f"{sentence}\nlevel of the range {number(one.interval.level)}, run {one.run}, "
        f"{one.templates} of {one.available} templates"
    )
    return case


def printable(text: str) -> str:
    """Replace characters that XML 1.0 lacks by question marks."""
    return NO_XML.sub("?", text)
