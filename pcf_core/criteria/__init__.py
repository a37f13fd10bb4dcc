"""Non-discrimination criteria for models that write: independence, separation, sufficiency.

``experiment``: what all experiments have in common; ``experiments``: which ones there are.  ``questions``,
``tasks``: separation and sufficiency I and II, asked by ``asking``, read by ``answers``, counted by
``confusion`` and reported by ``answer_report``; ``published``: what the paper prints.

Source: Sterlie, Weng & Feragen 2024, https://arxiv.org/abs/2403.08564; the wording is ours.

Layer: records, errors, settings, topics, language, models, scoring, generation and stats; never Streamlit.
"""
