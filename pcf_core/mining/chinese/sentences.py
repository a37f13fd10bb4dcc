"""Sentences of a script without spaces that hold a wanted word, and how much was read of it.

A sentence ends behind ``。``, ``！``, ``？`` or ``…`` with the marks and closing quotation marks that follow,
and at the end of a line.  A full stop of Latin script ends none: it stands in numbers and foreign names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from pcf_core.mining.sentences import WITHOUT_WORD

MAX_CHARACTERS = 120
TOO_LONG = f"sentence over {MAX_CHARACTERS} characters"
SENTENCE = re.compile(r"[^。！？!?…\n]*+(?:[。！？!?…]++[”’」』）)\"]*+|\n|\Z)")
CHARACTER = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
# No pronoun: 其他 (other), 吉他 (guitar); 他们 and 她们 are several.
NOT_BEHIND, NOT_BEFORE = "其吉", "们"


class Sentences:
    """Finds the sentences of a text that have a wanted word.

    ``words``: of one script; a word counts wherever its characters stand, but not in 其他 and 他们.
    """

    def __init__(self, words: Collection[str]) -> None:
        either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        self._search = re.compile(rf"(?<![{NOT_BEHIND}])(?:{either})(?!{NOT_BEFORE})" if either else "(?!)")

    def __call__(self, text: str, passed: Counter[str]) -> Iterator[tuple[int, str]]:
        """Yield (offset of the first character, sentence), from left to right.

        ``passed`` counts the others: those over 120 characters with a wanted word as ``TOO_LONG``, those
        without one as ``WITHOUT_WORD``.
        """
        for found in SENTENCE.finditer(text):
            sentence = found[0].strip()
            if not sentence:
                continue
            if not self._search.search(sentence):
                passed[WITHOUT_WORD] += 1
            elif len(sentence) > MAX_CHARACTERS:
                passed[TOO_LONG] += 1
            else:
                yield found.start() + found[0].index(sentence), sentence


def count_characters(text: str) -> int:
    """Count Chinese characters, the unit in which texts without spaces are measured."""
    return sum(1 for _ in CHARACTER.finditer(text))
