"""Runs and text audits as files: the cells of one run, and whole reports as HTML, JSON, tables, model card.

    ReportRequest -> whole.write_report -> ReportDocument -> html, written, model_card

Layer: imports ``show`` and what is below it but ``work``; no Streamlit, no torch.
"""
