"""Non-discrimination criteria for models that write: independence, separation, sufficiency.

``experiment``: what all experiments share; ``experiments``: loading them.  ``anecdotes`` (independence I):
stories by profession, with ``professions`` and ``gender_reading``.  ``hobbies`` (independence II): with
``names``, ``labels`` (by a lexicon, or a model: ``nli``) and ``embedding``.  ``questions`` and ``tasks``
(separation and sufficiency): with ``asking``, ``answers``, ``answer_words`` and ``answer_report``.

Statistics: ``information`` (mutual information), ``effects`` (two groups of names), ``rates`` (shares of
answers in clusters).  ``records``: requests and results; ``own``: users' files; ``summary``: reports of a
model.

Source: Sterlie, Weng & Feragen 2024, https://arxiv.org/abs/2403.08564; the wording is ours.

Layer: never Streamlit.
"""
