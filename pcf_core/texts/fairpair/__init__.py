"""FairPair: whether a model writes differently about two entities, beyond what chance writes.

    x --g--> y --p--> u = p(g(x))   ┐  both are about the same entity, and are compared:
    x --p--> p(x) --g--> z = g(p(x)) ┘  F = B² / (V_gp · V_pg)

``prompts``: the x; ``perturbation``: p and its own errors, with ``tables`` of counterparts, ``matching``
(where their words stand) and ``entity`` (which words mean the entity); ``dissimilarity``: what tells two
texts apart, one method, with ``mean_pooling`` for vectors; ``metric``: B, V and F of a prompt, in folds, and
how they settle with more samples; ``intervals``: over prompts, and the test; ``words``: which n-grams and
which categories (``categories``) of words differ; ``report``: all prompts of a model together, and all that
follows from the texts of a request.

``records``: what is asked and found, as the store keeps it.

Every result is our reconstruction; the paper's tables were not available.  F is published, B and V are our
reading of its figure 2.

Source: Dwivedi-Yu, Dwivedi & Schick 2024, https://arxiv.org/abs/2404.06619.

Layer: never Streamlit.  A parser is passed in, or opened when a text first needs it.
"""
