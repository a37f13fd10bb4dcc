"""The parser: from texts to trees, in Universal Dependencies whatever labels the parser has.

spaCy is imported by ``pipeline`` alone, and never by the Streamlit process.
"""
