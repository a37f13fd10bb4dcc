"""Non-discrimination criteria for models that write: independence, separation, sufficiency.

``experiment``: what all experiments have in common; ``experiments``: which ones there are, ``labellers``: and
what labels their texts; ``suiting``: how a model is best asked.

``anecdotes`` (independence I): stories by profession, with ``professions``, ``materials`` and
``gender_reading``.  ``hobbies``: independence II, of ``names`` and ``hobbies_material``; ``stripping``: texts
without what tells a gender; ``labels``: what a text is about, by a lexicon or by a model (``nli``);
``hobby_words``; ``embedding`` and ``vectors``: how far a text leans to *she*.  ``questions`` and ``tasks``
(separation and sufficiency): with ``question_files``, ``task_files`` and ``asking``; ``answers``: whom a text
says to be right; ``confusion``, ``answer_differences`` and ``answer_report``: rates by pronoun;
``published``: the paper's figures.

``own``: files of a user's own; ``summary``: what all reports of a model come to.

Source: Sterlie, Weng & Feragen 2024, https://arxiv.org/abs/2403.08564; the wording is ours.

Layer: records, errors, settings, topics, language, models, scoring, generation and stats; never Streamlit.
"""
