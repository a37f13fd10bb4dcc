"""The contexts (C): what a run is scored on, and with the origin that mining tells."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from pcf_core.records.base import FloatArray, Record, digest


class Template(Record):
    """A text with one ``[X]`` and one ``[Y]``, and how often it was counted in a corpus.

    ``documents``: how many documents had it, 0 where unknown.
    """

    text: str
    count: float = 1.0
    documents: int = 0

    def prompt(self, term: str) -> str:
        """The text with the term at ``[X]`` and ``[Y]`` still open."""
        return self.text.replace("[X]", term)


class TemplateSet(Record):
    """The contexts (C).  ``kept``: what they carry of the mass that they were cut from, 0 where unknown."""

    name: str
    title: str
    templates: tuple[Template, ...]
    kept: float = 1.0
    source: str = ""
    notes: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(template.text for template in self.templates)

    @property
    def counts(self) -> FloatArray:
        """[template] counts, not normalised."""
        return np.array([template.count for template in self.templates], dtype=np.float64)

    @property
    def hash(self) -> str:
        """Hash of the texts: counts are a view option and decide no score."""
        return digest(self.texts)


class MinedTemplate(Record):
    """A template with where it comes from.

    ``documents``: how many documents had it, 0 where unknown.  ``sources``: part of the count per source of
    the corpus.  ``examples``: up to three sentences, ``document id@offset of its first character``.
    """

    text: str
    count: float = 1.0
    documents: int = 0
    sources: dict[str, int] = Field(default_factory=dict)
    examples: tuple[str, ...] = ()


class SetCard(Record):
    """What is known of a template set besides its templates; ``""`` and 0 where nothing is.

    ``form``: rule that mined it.  ``corpus``, ``licence``: of the texts.  ``documents``, ``words``: read;
    ``sentences``: parsed; ``matches``: templates found in them, each time counted.  ``cut``: lowest count
    kept, ``kept``: the share of the matches that remains.  ``pipeline``, ``rules``: parser and version of the
    rules.  ``parents``: names of the sets it was made of, ``history``: what was done, a sentence each.
    """

    title: str
    source: str = ""
    notes: str = ""
    language: str = "en"
    form: Literal["", "clausal", "attributive"] = ""
    corpus: str = ""
    licence: str = ""
    documents: int = 0
    words: int = 0
    sentences: int = 0
    matches: int = 0
    cut: float = 0
    kept: float = 1.0
    pipeline: str = ""
    rules: str = ""
    parents: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


class MinedSet(Record):
    """A template set with its card and the origin of every template, heaviest first.

    What is scored is :attr:`templates_only`: origins are no part of a run.
    """

    name: str
    card: SetCard
    templates: tuple[MinedTemplate, ...]

    @property
    def templates_only(self) -> TemplateSet:
        return TemplateSet(
            name=self.name,
            title=self.card.title,
            templates=tuple(
                Template(text=mined.text, count=mined.count, documents=mined.documents)
                for mined in self.templates
            ),
            kept=self.card.kept,
            source=self.card.source,
            notes=self.card.notes,
        )
