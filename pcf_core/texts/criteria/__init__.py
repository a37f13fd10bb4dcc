"""Non-discrimination criteria for models that write: independence, separation, sufficiency.

``experiment``: what all experiments have in common, and how a model is best asked; ``experiments``: which
ones there are.

``anecdotes`` (independence I): stories by profession, with ``professions`` and ``gender_reading``, which
also takes out of a text what tells a gender.  ``hobbies`` (independence II): with ``names``;
``labels``: what a text is about, by a lexicon or by a model (``nli``); ``embedding``:
how far a text leans to *she*.  ``questions`` and ``tasks`` (separation and sufficiency): with ``asking``;
``answers`` and ``answer_words``: whom a text says to be right; ``answer_report``: rates by pronoun and their
differences; ``published``: the paper's figures.

Statistics: ``information`` (mutual information), ``effects`` (two sides of names), ``rates`` (shares of
answers in clusters).

``records``: what is asked and found, as the store keeps it; ``own``: files of a user's own; ``summary``: what
all reports of a model come to.

Source: Sterlie, Weng & Feragen 2024, https://arxiv.org/abs/2403.08564; the wording is ours.

Layer: never Streamlit.
"""
