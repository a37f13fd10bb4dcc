"""The one path from a run key to a risk report, for pages, command line, worker and report.

    RunSpec -> word log-probabilities -> Preferences -> RiskReport

Layer: may import topics, store, risk and stats; never torch, never streamlit.
"""

from pcf_core.audit.assembling import Result, assemble
from pcf_core.audit.calibration import held_against
from pcf_core.audit.comparing import ReadRun, compared
from pcf_core.audit.factors import factor_panels
from pcf_core.audit.matrix import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.parts import missing_blocks, prompt_parts
from pcf_core.audit.read import read_against, read_leans
from pcf_core.audit.reading import look_at, report
from pcf_core.audit.restricting import Covering, coverage_by, covering_runs, restricted
from pcf_core.audit.results import (
    check_protocol,
    load_result,
    recomputed_result,
    result_name,
    self_audit_of,
)
from pcf_core.audit.sampling import furthest, plan_of, planned, with_draws
from pcf_core.audit.several import controlled
from pcf_core.audit.words import build_run, coverage_of, preferences_of, select_words

__all__ = [
    "Covering",
    "ReadRun",
    "Result",
    "ViewOptions",
    "assemble",
    "build_run",
    "check_protocol",
    "compared",
    "controlled",
    "coverage_by",
    "coverage_of",
    "covering_runs",
    "factor_panels",
    "furthest",
    "held_against",
    "load_result",
    "look_at",
    "matrix_report",
    "missing_blocks",
    "plan_of",
    "planned",
    "preferences_of",
    "prompt_parts",
    "read_against",
    "read_leans",
    "recomputed_result",
    "report",
    "restricted",
    "result_name",
    "select_words",
    "self_audit_of",
    "with_draws",
]
