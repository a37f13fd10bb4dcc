"""Findings: records in, plain sentences out.

Sentences say what was measured, never why, and call no model fair or racist.  They are plain text: a page
that shows them as Markdown escapes them first.

Layer: may import records, charts and audit; imports only records.
"""

from pcf_core.findings.axis import axis_finding, checkpoints_finding, size_finding, topics_finding
from pcf_core.findings.calibration import afresh_note, calibration_finding, uncalibrated_note
from pcf_core.findings.comparison import (
    difference_finding,
    difference_text,
    occupations_difference_finding,
    verdict_text,
)
from pcf_core.findings.corrected import corrected_finding
from pcf_core.findings.distribution import (
    distribution_finding,
    opening_finding,
    striking_occupation,
)
from pcf_core.findings.factors import (
    factors_finding,
    line_notes,
    slope,
    slope_with_interval,
    slopes_note,
)
from pcf_core.findings.looks import contexts, look_finding
from pcf_core.findings.models import (
    caprice_interval,
    comparison_finding,
    drawn_again,
    interval_sentence,
    overview_finding,
    risk_finding,
    unseen_note,
    unseen_share,
    unseen_words,
    whiskers_note,
    whole_templates_finding,
)
from pcf_core.findings.notes import (
    coverage_facts,
    coverage_note,
    left_out_note,
    low_coverage_note,
    noun_note,
    self_audit_facts,
    tokens_note,
)
from pcf_core.findings.numbers import count, number, percent, with_interval
from pcf_core.findings.occupations import (
    heat_map_finding,
    leaders_finding,
    occupation_finding,
    strongest_finding,
    tilt_finding,
)
from pcf_core.findings.presets import (
    change_finding,
    claim_finding,
    common_note,
    control_note,
    ranked_finding,
    sides_finding,
)
from pcf_core.findings.probe import probe_caution, probe_coverage, probe_finding
from pcf_core.findings.seeds import seeds_finding, seeds_note, seeds_spread
from pcf_core.findings.sensitivity import order_finding, sensitivity_finding
from pcf_core.findings.tails import bound_finding, normal_finding, shape_finding, tails_finding
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
from pcf_core.findings.toy import (
    flow_finding,
    reference_finding,
    simplex_finding,
    toy_finding,
    two_models_finding,
)

__all__ = [
    "afresh_note",
    "axis_finding",
    "bound_finding",
    "calibration_finding",
    "caprice_interval",
    "carriers",
    "change_finding",
    "checkpoints_finding",
    "claim_finding",
    "common_note",
    "comparison_finding",
    "contexts",
    "control_note",
    "corrected_finding",
    "count",
    "coverage_facts",
    "coverage_note",
    "cut_finding",
    "difference_finding",
    "difference_text",
    "distribution_finding",
    "drawn_again",
    "factors_finding",
    "flow_finding",
    "heat_map_finding",
    "interval_sentence",
    "kept_share",
    "leaders_finding",
    "left_out_note",
    "line_notes",
    "look_finding",
    "low_coverage_note",
    "mining_finding",
    "move_finding",
    "normal_finding",
    "noun_note",
    "number",
    "occupation_finding",
    "occupations_difference_finding",
    "opening_finding",
    "order_finding",
    "origin_finding",
    "overview_finding",
    "percent",
    "probe_caution",
    "probe_coverage",
    "probe_finding",
    "ranked_finding",
    "reference_finding",
    "risk_finding",
    "seeds_finding",
    "seeds_note",
    "seeds_spread",
    "self_audit_facts",
    "sensitivity_finding",
    "set_finding",
    "sets_finding",
    "shape_finding",
    "sides_finding",
    "simplex_finding",
    "size_finding",
    "slope",
    "slope_with_interval",
    "slopes_note",
    "striking_occupation",
    "strongest_finding",
    "tails_finding",
    "tilt_finding",
    "tokens_note",
    "topics_finding",
    "toy_finding",
    "two_models_finding",
    "uncalibrated_note",
    "unseen_note",
    "unseen_share",
    "unseen_words",
    "verdict_text",
    "whiskers_note",
    "whole_templates_finding",
    "with_interval",
]
