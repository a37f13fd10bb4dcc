"""Runs and text audits as files: the cells of a run, and whole reports as HTML, JSON, tables, model card.

    ReportRequest -> whole.write_report -> ReportDocument -> html, written, model_card

Imports ``show`` and everything below except ``work``; no Streamlit, no torch.
"""
