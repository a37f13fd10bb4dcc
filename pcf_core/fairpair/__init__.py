"""FairPair: does a model write otherwise about one entity than about another, beyond what chance writes?

    x --g--> y --p--> u = p(g(x))   ┐  both are about the same entity, and are compared:
    x --p--> p(x) --g--> z = g(p(x)) ┘  F = B² / (V_gp · V_pg)

``prompts``: the x; ``perturbation``: p; ``dissimilarity``: what tells two texts apart, one method;
``tokens``: the words of a text; ``metric``: B, V and F of a prompt, in folds; ``report``: all prompts of a
model together, with intervals and tests; ``convergence``: the same against the number of samples and of
folds; ``words``: which n-grams and which categories (``categories``) of words differ.

Every result is our reconstruction; the paper's tables were not available.  F is published, B and V are our
reading of its figure 2.

Source: Dwivedi-Yu, Dwivedi & Schick 2024, https://arxiv.org/abs/2404.06619.

Layer: records, errors, settings, topics, language, mining (who is a person, of which gender), models,
scoring, generation and stats; never Streamlit.  A parser is passed in, or opened when a text first needs it.
"""
