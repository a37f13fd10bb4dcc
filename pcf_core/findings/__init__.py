"""Findings: records in, plain sentences out.

Sentences say what was measured, never why, and call no model fair or racist.  They are plain text: a page
that shows them as Markdown escapes them first.

Layer: may import records, charts and audit; imports only records.
"""

from pcf_core.findings.looks import contexts, look_finding
from pcf_core.findings.models import comparison_finding, overview_finding, risk_finding
from pcf_core.findings.notes import (
    coverage_facts,
    coverage_note,
    left_out_note,
    self_audit_facts,
    tokens_note,
)
from pcf_core.findings.numbers import count, mean_deviation, number, percent, with_interval
from pcf_core.findings.occupations import heat_map_finding, occupation_finding, tails_finding, tilt_finding
from pcf_core.findings.templates import (
    carriers,
    cut_finding,
    kept_share,
    mining_finding,
    move_finding,
    origin_finding,
    set_finding,
    sets_finding,
)

__all__ = [
    "carriers",
    "comparison_finding",
    "contexts",
    "count",
    "coverage_facts",
    "coverage_note",
    "cut_finding",
    "heat_map_finding",
    "kept_share",
    "left_out_note",
    "look_finding",
    "mean_deviation",
    "mining_finding",
    "move_finding",
    "number",
    "occupation_finding",
    "origin_finding",
    "overview_finding",
    "percent",
    "risk_finding",
    "self_audit_facts",
    "set_finding",
    "sets_finding",
    "tails_finding",
    "tilt_finding",
    "tokens_note",
    "with_interval",
]
