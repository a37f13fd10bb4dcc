"""Non-discrimination criteria for models that write: independence, separation, sufficiency.

``experiment``: what all experiments have in common; ``experiments``: which ones there are.  ``anecdotes``
(independence I): stories by profession, with ``professions``, ``materials`` and ``gender_reading``.

Source: Sterlie, Weng & Feragen 2024, https://arxiv.org/abs/2403.08564; the wording is ours.

Layer: records, errors, settings, topics, language, models, scoring, generation and stats; never Streamlit.
"""
