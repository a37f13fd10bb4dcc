"""FairPair (Dwivedi-Yu, Dwivedi & Schick 2024, arXiv 2404.06619), our reconstruction.

A text about one entity is rewritten to be about another, and compared with what a model writes about that
other itself: both then name the same entity.

Layer: records, errors, settings, topics, language, mining (who is a person, of which gender), models,
scoring, generation and stats; never Streamlit.  A parser is passed in, or opened when a text first needs it.
"""
