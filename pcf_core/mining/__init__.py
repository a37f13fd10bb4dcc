"""Mining: from texts to templates and how often each occurs (PCF 3.2, BVF 3.2).

    corpus → documents → sentences with a wanted word → trees → rules (clausal, attributive) → counts → a set

``corpora`` reads the forms of files, ``documents`` opens a corpus, ``sentences`` finds the wanted words and
``parser`` makes trees.  ``rules`` says what a topic needs: ``constructions``, which are found by ``clauses``,
``belongings``, ``modifiers``, ``unrivalled`` and ``chinese``, with ``predicates``, ``verb_groups``,
``verbs``, ``substitutes``, ``coreference``, ``owners`` and ``persons``.  ``counting`` counts a block,
``pool`` on every core, ``ledger`` stores the counts, and ``miner`` makes a set of them.

Layer: imports what is below it.  It parses through :mod:`pcf_core.mining.parser.pipeline`, so nothing of it
but its counts and cards is for the Streamlit process.
"""

RULES = "7"  # raise it when the same sentence would give another template
