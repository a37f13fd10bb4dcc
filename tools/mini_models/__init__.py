"""How the shipped mini models are made: text, rows of tokens, architectures, what is predicted, and the card.

``tools/train_mini_models.py`` joins them.  Everything that decides the weights stands in a :class:`Recipe` or
is a function of (seed, step) alone, so that whoever repeats a training sees the same rows.
"""
