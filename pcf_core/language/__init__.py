"""Language: the parser, trees of sentences, past tenses and pronouns, of English.

Layer: may import records, errors, settings and the standard library; nothing else of the core.  spaCy is
imported by ``pipeline.py`` and ``schemes.py`` alone, and never by the Streamlit process.
"""
