"""The one path from a run key to a risk report, for pages, command line, worker and report.

    RunSpec -> word log-probabilities -> Preferences -> RiskReport

Layer: may import topics, store, risk and stats; never torch, never streamlit.
"""

from pcf_core.audit.matrix import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report, risk_report
from pcf_core.audit.results import Result, check_protocol, load_result, result_name
from pcf_core.audit.words import (
    assemble,
    build_run,
    coverage_of,
    missing_blocks,
    preferences_of,
    select_words,
)

__all__ = [
    "Result",
    "ViewOptions",
    "assemble",
    "build_run",
    "check_protocol",
    "coverage_of",
    "load_result",
    "matrix_report",
    "missing_blocks",
    "preferences_of",
    "report",
    "result_name",
    "risk_report",
    "select_words",
]
