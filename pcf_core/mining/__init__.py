"""Mining: from texts to templates and how often each occurs (PCF 3.2, BVF 3.2).

    corpus → documents → sentences with a wanted word → trees → rules (clausal, attributive) → counts → a set

``corpora`` reads the forms of files, ``documents`` opens a corpus, ``sentences`` finds the wanted words,
``parser`` makes trees; ``rules`` (``clausal`` and ``attributive``, with ``predicates``, ``verb_groups``,
``openings``, ``substitutes``, ``verbs``, ``coreference``, ``owners`` and ``persons``) makes templates of
them; ``counting`` counts a block, ``pool`` on every core, ``ledger`` keeps the counts, and ``miner`` makes a
set of them.

Layer: imports what is below it.  It parses through :mod:`pcf_core.mining.parser.pipeline`, so nothing of it
but its counts and cards is for the Streamlit process.
"""

RULES = "7"  # raise it when the same sentence would give another template
