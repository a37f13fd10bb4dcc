"""Exports of a run and its report: JSON, CSV, Parquet.

Layer: may import records and audit; no streamlit, no torch.
"""

from pcf_core.report.comparison import comparison_document, comparison_table
from pcf_core.report.documents import report_document
from pcf_core.report.tables import cell_table, export_run, occupation_table, spreadsheet_safe, write_whole

__all__ = [
    "cell_table",
    "comparison_document",
    "comparison_table",
    "export_run",
    "occupation_table",
    "report_document",
    "spreadsheet_safe",
    "write_whole",
]
