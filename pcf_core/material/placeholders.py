"""Placeholders in the sentences of other tools: which stand for [X], [Y] or {name} is answered, not guessed.

Sentences are published with ``[MASK]``, ``<person subject>``, ``$OCCUPATION``, ``{}``, ``XYZ`` and others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pcf_core.core.errors import InputError
from pcf_core.material.safety.reading import tell
from pcf_core.material.safety.text import listed, shown
from pcf_core.material.safety.understood import Choice, ask

PLACEHOLDER = re.compile(
    r"<[^<>\n]{1,40}>|\[[^\[\]\n]{0,40}\]|\{[^{}\n]{0,40}\}|\$[A-Z][A-Z_]+|_{3,}|\b(?:XYZ|BLANK|MASK)\b"
)
MOST = 12  # different ones; texts with more have brackets for another reason
# Pages propose the gap whose pattern fits first: words of the groups, then who is spoken of.
LIKELY: Mapping[str, re.Pattern[str]] = {
    "[Y]": re.compile(r"mask|pronoun|blank|target|attribute|^\[m\]|^\[y\]|___", re.IGNORECASE),
    "[X]": re.compile(r"occupation|job|profession|person|subj|name|^\[[ix]\]|^\{\}|xyz", re.IGNORECASE),
}


def with_ours(texts: Sequence[str], gaps: Sequence[str], where: str, error: type[InputError]) -> list[str]:
    """Write our gaps for the placeholders of a person's sentences, as was answered.

    Nothing is asked where every text has every gap of ``gaps``, or no text has another placeholder.

    Raises
    ------
    InputError
        (``error``) placeholders that nobody has explained.
    """
    if all(gap in text for text in texts for gap in gaps):
        return [*texts]
    found = {one: None for text in texts for one in PLACEHOLDER.findall(text) if one not in gaps}
    if not found or len(found) > MOST:
        return [*texts]
    answers = {}
    for one in found:
        guess = next((gap for gap in gaps if gap in LIKELY and LIKELY[gap].search(one)), gaps[0])
        question = f"What does {one} stand for?"
        answers[one] = ask(Choice("placeholders", one, question, (*gaps, one), guess, free=True))
    if unknown := [one for one in found if not answers[one]]:
        examples = " ".join(Choice("placeholders", one, "", ()).as_option(gaps[-1]) for one in unknown[:1])
        raise error(
            f"{where} has the {'placeholder' if len(found) == 1 else 'placeholders'} {_listed(found)}, but "
            f"sentences need {listed(gaps)}: say what each placeholder stands for, such as {examples}; a "
            "word can also be put in its place."
        )
    tell(f"In {where}, " + listed(f"{one} was read as {answers[one]}" for one in found) + ".")
    return [PLACEHOLDER.sub(lambda match: answers.get(match[0], match[0]), text) for text in texts]


def _listed(placeholders: Sequence[str] | Mapping[str, None]) -> str:
    return listed(shown(one) for one in placeholders)
