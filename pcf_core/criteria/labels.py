"""Labels of a text: a seam with one method, and a transparent lexicon of our own behind it.

The paper's labels are those of an NLI model, which :mod:`pcf_core.criteria.nli` offers; the lexicon needs no
model and no network, and anybody can see why a text is labelled as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pcf_core.criteria.stripping import words_of
from pcf_core.records import FloatArray, digest
from pcf_core.records.hobbies import HobbyLabel

LEXICON_LABEL = "our word lists, not the NLI model of the paper: a hobby in other words is not seen"
TIE = 1e-9  # shares that differ by less are as large


class Labeller(Protocol):
    """``name``: which one, with its version; ``label``: whose it is, for readers."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    def shares(self, texts: Sequence[str]) -> FloatArray:
        """[text, label] how much each text is about each label; rows sum to 1."""
        ...


class Lexicon:
    """A text's share of a label is that of the label's words among the different words of all labels in it.

    "loves coding and football, football!" has one of Technology and one of Sport: ½ each.  A text with none
    has as much of every label.  Two words of the list count before single ones, which they use up: "science
    fiction" is Literature's and not Science's.
    """

    label = LEXICON_LABEL

    def __init__(self, labels: Sequence[HobbyLabel]) -> None:
        self.name = f"lexicon {digest([one.words for one in labels])[:8]}"
        self._words = [frozenset(word for word in one.words if not word.endswith("*")) for one in labels]
        self._stems = [tuple(word[:-1] for word in one.words if word.endswith("*")) for one in labels]

    def found(self, text: str) -> tuple[frozenset[str], ...]:
        """[label] the words by which a text has its labels."""
        words = list(words_of(text))
        for place in range(len(words) - 1):
            pair = f"{words[place]} {words[place + 1]}"
            if any(self._has(label, pair) for label in range(len(self._words))):
                words[place : place + 2] = [pair, ""]  # "" is no word and begins none
        different = frozenset(words)
        return tuple(
            frozenset(word for word in different if self._has(label, word))
            for label in range(len(self._words))
        )

    def _has(self, label: int, word: str) -> bool:
        stems = (stem for stem in self._stems[label] if (" " in stem) == (" " in word))
        return word in self._words[label] or word.startswith(tuple(stems))

    def shares(self, texts: Sequence[str]) -> FloatArray:
        """As :meth:`Labeller.shares`."""
        counts = np.array([[len(words) for words in self.found(text)] for text in texts], dtype=np.float64)
        counts = counts.reshape(len(texts), len(self._words))
        totals = counts.sum(axis=1, keepdims=True)
        return np.where(totals > 0, counts / np.maximum(totals, 1), 1 / len(self._words))


def clear_label(shares: FloatArray) -> list[int | None]:
    """[text] the label with the largest share; ``None`` where two are as large."""
    ordered = np.sort(shares, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > TIE
    return [int(place) if sure else None for place, sure in zip(shares.argmax(axis=1), clear, strict=True)]
