"""Session keys, shared widgets, and every cache of Streamlit's: the only package that imports it."""
