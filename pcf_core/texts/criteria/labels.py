"""Labels of a text: a seam with one method, and a transparent lexicon of our own behind it.

The paper's labels are those of an NLI model, which :mod:`pcf_core.texts.criteria.nli` offers; the lexicon
needs no model and no network, and anybody can see why a text is labelled as it is.

**Which labeller a name means; an NLI model is found at once and loaded only when there are texts to label.**
So a page or a command can ask for labels by a model, and the worker alone brings torch, and fetches weights.
One that has labelled before is known by the name that was kept: whoever only reads looks for no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from pcf_core.core.errors import CriteriaError, ModelError
from pcf_core.core.records import FloatArray, digest
from pcf_core.material.safety.text import shown
from pcf_core.models.registry import resolve_entailment
from pcf_core.texts.criteria.gender_reading import words_of
from pcf_core.texts.criteria.records.independence import HobbyLabel

LEXICON_LABEL = "our word lists, not the NLI model of the paper: a hobby in other words is not seen"
TIE = 1e-9  # shares that differ by less are as large


class Labeller(Protocol):
    """What labels texts.

    ``name``: which one, with its version; ``label``: whose it is, for readers.
    """

    @property
    def name(self) -> str:
        """The labeller's name, which its material keeps."""
        ...

    @property
    def label(self) -> str:
        """What a reader is shown as its name."""
        ...

    def shares(self, texts: Sequence[str]) -> FloatArray:
        """Return [text, label] how much each text is about each label; rows sum to 1."""
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
        """Return [label] the words by which a text has its labels."""
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
        """See :meth:`Labeller.shares`."""
        counts = np.array([[len(words) for words in self.found(text)] for text in texts], dtype=np.float64)
        counts = counts.reshape(len(texts), len(self._words))
        totals = counts.sum(axis=1, keepdims=True)
        return np.where(totals > 0, counts / np.maximum(totals, 1), 1 / len(self._words))


def clear_label(shares: FloatArray) -> list[int | None]:
    """Return [text] the label with the largest share; ``None`` where two are as large."""
    ordered = np.sort(shares, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > TIE
    return [int(place) if sure else None for place, sure in zip(shares.argmax(axis=1), clear, strict=True)]


# Which labeller a name means; an NLI model is found at once and loaded only when there are texts to label.


LEXICON, NLI = "lexicon", "nli"
DIGITS = 12  # of an identity, in a name
KEPT = re.compile(rf"{NLI} .+ [0-9a-f]{{{DIGITS}}}")


class NliWhenNeeded:
    """The labeller of :class:`pcf_core.texts.criteria.nli.Nli`, not loaded yet.

    ``name``: with the identity of the weights, under which it is kept; those found later must be the same.
    """

    def __init__(self, labels: Sequence[HobbyLabel], model: str, name: str) -> None:
        self.name = name
        self.label = f"the NLI model {model}"
        self._labels = labels
        self._model = model

    @cached_property
    def _opened(self) -> Labeller:
        from pcf_core.texts.criteria.nli import Nli

        opened = Nli.open(self._labels, self._model)
        if opened.name != self.name:
            raise ModelError(
                f"The NLI model {self._model} is not the one that was asked for ({self.name} then, "
                f"{opened.name} now): it has changed; ask again."
            )
        self.label = opened.label
        return opened

    def shares(self, texts: Sequence[str]) -> FloatArray:
        """See :meth:`pcf_core.texts.criteria.labels.Labeller.shares`.

        Raises
        ------
        ModelError
            The model cannot be loaded, or has changed.
        """
        return self._opened.shares(texts)


def choose_labeller(given: str, labels: Sequence[HobbyLabel]) -> Labeller:
    """Choose the labeller that a user means: ``lexicon`` (the default), or ``nli:NAME``.

    NAME is the folder or hub id of an NLI model.  The ``name`` of one that was kept means that one.
    """
    kind, _, model = given.partition(":")
    if given in ("", LEXICON):
        return Lexicon(labels)
    if KEPT.fullmatch(given):
        return restore_labeller(given, labels)
    if kind == NLI and model:
        return NliWhenNeeded(labels, model, f"{NLI} {model} {resolve_entailment(model).identity[:DIGITS]}")
    raise CriteriaError(
        f"There is no labeller {shown(given)}: write {LEXICON}, or {NLI}:NAME with a folder or hub id."
    )


def restore_labeller(name: str, labels: Sequence[HobbyLabel]) -> Labeller:
    """Restore the labeller whose ``name`` a material holds."""
    kind, _, rest = name.partition(" ")
    return NliWhenNeeded(labels, rest.rpartition(" ")[0], name) if kind == NLI else Lexicon(labels)
