"""Which labeller a name means; an NLI model is found at once and loaded only when there are texts to label.

So a page or a command can ask for labels by a model, and the worker alone brings torch, and fetches weights.
One that has labelled before is known by the name that was kept: whoever only reads looks for no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from pcf_core.criteria.labels import Labeller, Lexicon
from pcf_core.errors import CriteriaError, ModelError
from pcf_core.models.entailment import resolve_entailment
from pcf_core.records import FloatArray
from pcf_core.records.hobbies import HobbyLabel
from pcf_core.topics.text import shown

LEXICON, NLI = "lexicon", "nli"
DIGITS = 12  # of an identity, in a name
KEPT = re.compile(rf"{NLI} .+ [0-9a-f]{{{DIGITS}}}")


class NliWhenNeeded:
    """The labeller of :class:`pcf_core.criteria.nli.Nli`, not loaded yet.

    ``name``: with the identity of the weights, under which it is kept; those found later must be the same.
    """

    def __init__(self, labels: Sequence[HobbyLabel], model: str, name: str) -> None:
        self.name = name
        self.label = f"the NLI model {model}"
        self._labels = labels
        self._model = model

    @cached_property
    def _opened(self) -> Labeller:
        from pcf_core.criteria.nli import Nli

        opened = Nli.open(self._labels, self._model)
        if opened.name != self.name:
            raise ModelError(
                f"The NLI model {self._model} is not the one that was asked for ({self.name} then, "
                f"{opened.name} now): it has changed; ask again."
            )
        self.label = opened.label
        return opened

    def shares(self, texts: Sequence[str]) -> FloatArray:
        """As :meth:`pcf_core.criteria.labels.Labeller.shares`.

        Raises:
            ModelError: the model cannot be loaded, or has changed.
        """
        return self._opened.shares(texts)


def choose_labeller(given: str, labels: Sequence[HobbyLabel]) -> Labeller:
    """The labeller that a user means: ``lexicon`` (also where nothing is given), or ``nli:NAME``.

    NAME is the folder or hub id of an NLI model.  The ``name`` of one that was kept means that one.

    Raises:
        CriteriaError: neither.
        ModelError: there is no such model, or it is none.
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
    """The labeller whose ``name`` a material holds."""
    kind, _, rest = name.partition(" ")
    return NliWhenNeeded(labels, rest.rpartition(" ")[0], name) if kind == NLI else Lexicon(labels)
