"""Runs and text audits as files: the cells of one run, and whole reports as HTML, JSON, tables, model card.

    ReportRequest -> whole.write_report -> ReportDocument -> html, written, model_card

What is imported here is light; what draws and tabulates (plotly, pandas) is imported by its name.

Layer: may import records, topics, risk, stats, store, charts, findings, audit, fairpair and criteria; no
streamlit, no torch.
"""

from pcf_core.report.comparison import comparison_document, comparison_table
from pcf_core.report.documents import report_document
from pcf_core.report.spreadsheets import csv_text
from pcf_core.report.tables import (
    cell_table,
    check_target,
    export_run,
    occupation_table,
    write_whole,
)

__all__ = [
    "cell_table",
    "check_target",
    "comparison_document",
    "comparison_table",
    "csv_text",
    "export_run",
    "occupation_table",
    "report_document",
    "write_whole",
]
