"""Placeholders in the sentences of other tools; the user says which stand for [X], [Y] or {name}.

Sentences are published with ``[MASK]``, ``<person subject>``, ``$OCCUPATION``, ``{}``, ``XYZ`` and others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pcf_core.core.errors import InputError
from pcf_core.material.safety.reading import tell
from pcf_core.material.safety.text import listed, shown
from pcf_core.material.safety.understood import Choice, ask

INSIDE = r"[^\[\]{}<>\n]{0,40}"
PLACEHOLDER = re.compile(
    rf"\[\[{INSIDE}\]\]|<<{INSIDE}>>|\$?\{{\{{{INSIDE}\}}\}}|\$\{{{INSIDE}\}}|%\(\w+\)s"
    rf"|<(?!>){INSIDE}>|\[{INSIDE}\]|\{{{INSIDE}\}}|\$[A-Z][A-Z_]+|_{{3,}}|\b(?:XYZ|BLANK|MASK)\b"
)
MOST_NAMED = 6  # in a sentence
MOST = 12  # different ones; texts with more have brackets for another reason
# Pages propose the first gap whose pattern fits.
LIKELY: Mapping[str, re.Pattern[str]] = {
    "[Y]": re.compile(r"mask|pronoun|blank|target|attribute|^\W+[my]\W+$|___", re.IGNORECASE),
    "[X]": re.compile(r"occupation|job|profession|person|subj|name|^\W+[ix]\W+$|^\{+\}|xyz", re.IGNORECASE),
}


def with_ours(texts: Sequence[str], gaps: Sequence[str], where: str, error: type[InputError]) -> list[str]:
    """Replace the placeholders in a user's sentences by our gaps, as the user answers.

    There is no question if every text has every gap of ``gaps``, or no text has another placeholder.

    Raises
    ------
    InputError
        (``error``) Placeholders without an answer.
    """
    by_text = [PLACEHOLDER.findall(text) for text in texts]
    if all(gap in several for several in by_text for gap in gaps):
        return [*texts]
    names = [*dict.fromkeys(one for several in by_text for one in several if one not in gaps)]
    if not names or len(names) > MOST:
        return [*texts]
    questions = [
        Choice("placeholders", one, f"What does {one} stand for?", (*gaps, one), _guess(one, gaps), free=True)
        for one in names
    ]
    answers = {question.name: ask(question) for question in questions}
    for text, several in zip(texts, by_text, strict=True):
        for one in names:
            if several.count(one) > 1 < len(gaps) and (answers[one] in gaps or len(names) < len(gaps)):
                raise error(
                    f"{where}: {shown(text)} has {shown(one)} twice: replace one by {gaps[0]} and the other "
                    f"by {gaps[1]}."
                )
    if unknown := [question for question in questions if not answers[question.name]]:
        example = unknown[0].as_option(unknown[0].guess)
        raise error(
            f"{where} has the {'placeholder' if len(names) == 1 else 'placeholders'} {_listed(names)}, but "
            f"sentences need {listed(gaps)}: say what each placeholder stands for, such as {example}; a "
            "word can also be put in its place."
        )
    tell(f"In {where}, " + listed(f"{one} was read as {answers[one]}" for one in names) + ".")
    return [PLACEHOLDER.sub(lambda match: answers.get(match[0], match[0]), text) for text in texts]


def _guess(placeholder: str, gaps: Sequence[str]) -> str:
    return next((gap for gap in gaps if gap in LIKELY and LIKELY[gap].search(placeholder)), gaps[0])


def _listed(placeholders: Sequence[str]) -> str:
    more = [f"{len(placeholders) - MOST_NAMED} more"] if len(placeholders) > MOST_NAMED else []
    return listed([*map(shown, placeholders[:MOST_NAMED]), *more])
