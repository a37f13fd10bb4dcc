"""The parts of ``tools/train_mini_models.py``: text, rows of tokens, architectures, objectives, cards.

Everything that decides the weights is in a :class:`Recipe` or a function of (seed, step), so that a repeated
training reads the same rows.
"""
