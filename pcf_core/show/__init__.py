"""Charts and sentences from records, without statistics; never imports Streamlit."""
