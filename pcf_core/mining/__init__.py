"""Mining: from texts to templates and how often each occurs (PCF 3.2, BVF 3.2).

    corpus → documents → sentences with a wanted word → trees → rules (clausal, attributive) → counts → a set

``corpora`` reads file formats, ``documents`` opens a corpus, ``sentences`` finds the wanted words and
``parser`` makes trees.  ``rules`` chooses what a topic needs of the ``constructions``, which ``clauses``,
``belongings``, ``modifiers``, ``unrivalled`` and ``chinese`` find, with ``predicates``, ``verb_groups``,
``verbs``, ``substitutes``, ``coreference``, ``owners`` and ``persons``.  ``counting`` counts a block,
``pool`` on every core, ``ledger`` stores the counts, and ``miner`` makes a set of them.

Layer: parses through :mod:`pcf_core.mining.parser.pipeline`, so the Streamlit process may use only counts and
cards.
"""

RULES = "7"  # raise when the same sentence gives another template
