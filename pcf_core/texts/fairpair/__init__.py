"""FairPair: whether a model writes differently about two entities, beyond sampling variability.

    x --g--> y --p--> u = p(g(x))   ┐  both are about the same entity, and are compared:
    x --p--> p(x) --g--> z = g(p(x)) ┘  F = B² / (V_gp · V_pg)

``prompts``: the x; ``perturbation``: p and its errors, with ``tables`` of counterparts and ``matching``;
``dissimilarity``: Φ of two texts, with ``mean_pooling`` for vectors; ``metric``: B, V and F of a prompt;
``intervals``: over prompts, and the test; ``words``, ``categories``: which words differ; ``report``: all
prompts of a model; ``records``: requests and results.

Every result is our reconstruction: the paper's tables were not available.  F is published, B and V are our
reading of its figure 2.  Source: Dwivedi-Yu, Dwivedi & Schick 2024, https://arxiv.org/abs/2404.06619.

Layer: never Streamlit.  A parser is passed in, or opened when a text first needs it.
"""
