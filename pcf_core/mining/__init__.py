"""Mining: from texts to templates and how often each occurs (PCF 3.2, BVF 3.2).

    corpus → documents → sentences with a wanted word → trees → rules (clausal, attributive) → counts → a set

Layer: may import records, errors, settings, ``topics`` and ``language``.  It parses through
:mod:`pcf_core.language.pipeline`, so nothing of it but its counts and cards is for the Streamlit process.
"""

RULES = "1"  # raise it when the same sentence would give another template
