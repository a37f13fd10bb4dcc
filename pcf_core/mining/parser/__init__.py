"""The parser: from texts to trees in Universal Dependencies.

Only ``pipeline`` imports spaCy, and never in the Streamlit process.
"""
