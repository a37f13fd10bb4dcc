"""Which words of a topic count in which template, by what fits at its ``[Y]``: the protocol *fitting*.

In most sets every template takes the same at ``[Y]``, and a word counts in all of them or in none.  A set
mined with several constructions has clauses (*he*), possessives (*his*) and nouns (*a man*): each template
reads the words that fit in it.

A template says what fits there (:attr:`~pcf_core.core.topics.Template.fits`); ``assets/lexicons/parts.toml``
says what the words are.  A word that is in no list may be anything, and a template that says nothing takes
every word: unknown words and templates leave nothing out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import TemplateError
from pcf_core.core.records import LeftOut
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.core.settings import settings
from pcf_core.core.topics import PARTS, Part, Topic
from pcf_core.material.templates import load_templates

NOWHERE = "it fits at [Y] in no template"
MIXED = "the words that fit differ between the templates"
ARTICLES = ("a ", "an ", "the ")
NAMES: Mapping[Part, str] = {
    "pronoun": "a pronoun that can be a subject",
    "object": "a pronoun that is an object",
    "possessive": "a possessive",
    "determiner": "a possessive before its noun",
    "reflexive": "a reflexive pronoun",
    "plural": "a noun in the plural",
    "noun": "a noun without an article",
    "phrase": "a noun with its article",
    "adjective": "an adjective",
}


def _fits_in(run: RunSpec) -> tuple[tuple[Part, ...], ...]:
    """Return what fits at ``[Y]`` in each template of a run.

    It is no part of a run key: runs stored before templates said it use today's set of the same name and
    texts.
    """
    templates = run.drawn.templates
    if not any(template.fits for template in templates):
        try:
            now = load_templates(run.templates.name)
        except TemplateError:
            now = run.templates
        if now.hash == run.templates.hash:
            fits = {template.text: template.fits for template in now.templates}
            return tuple(fits[text] for text in run.drawn.texts)
    return tuple(template.fits for template in templates)


def is_mixed(run: RunSpec) -> bool:
    """Tell whether templates of a run take different parts of speech."""
    return len(set(_fits_in(run))) > 1


def words_unfit_in(run: RunSpec) -> dict[str, str]:
    """Return the words of a run that do not fit in each of its templates, with the reason."""
    return unfit_words(run.topic, _fits_in(run))


def identity_of(run: RunSpec) -> list[str]:
    """Return what decides which words count where, beside the run key."""
    unfit = sorted(words_unfit_in(run))
    return [*unfit, *("+".join(one) for one in _fits_in(run))] if is_mixed(run) else unfit


def words_at(topic: Topic, words: Collection[str], fits: tuple[Part, ...]) -> tuple[str, ...]:
    """Return the words that count in a template, in the topic's order.

    In an aligned topic counterparts count together.  If no row of them fits whole, each word that fits
    counts: *his* and *her* before a noun, whose counterparts in the papers' list are *hers* and *him*.
    ``words``: those that the model can express.  ``fits``: what fits at ``[Y]``; empty for anything.
    """
    able = set(words) - set(unfit_words(topic, [fits]))
    if topic.aligned:
        rows = zip(*(group.words for group in topic.groups), strict=True)
        paired = {word for row in rows if able.issuperset(row) for word in row}
        able = paired or able
    return tuple(word for word in topic.words if word in able)


def words_by_template(
    run: RunSpec, words: Collection[str], protocol: Protocol = "fitting"
) -> tuple[tuple[str, ...], ...]:
    """Return the words that count in each template; none where all count in all of them."""
    if protocol != "fitting" or not is_mixed(run):
        return ()
    fits = _fits_in(run)
    words_of = {one: words_at(run.topic, words, one) for one in set(fits)}
    return tuple(words_of[one] for one in fits)


def words_of_mixed(
    run: RunSpec, words: Sequence[str], left_out: Sequence[LeftOut]
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the words that count in any template of a mixed run, and those left out with the reason."""
    some = set().union(*words_by_template(run, words))
    reasons = {item.name: item.reason for item in left_out}
    named = tuple(
        LeftOut(name=word, reason=reasons.get(word, NOWHERE)) for word in run.topic.words if word not in some
    )
    return tuple(word for word in run.topic.words if word in some), named


def counting(words: Sequence[str], at: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Return [template, word] whether a word counts there."""
    return np.array([[word in some for word in words] for some in map(set, at)], dtype=bool)


def template_without(run: RunSpec, words: Collection[str], protocol: Protocol) -> str | None:
    """Return the first template in which a group has no word that counts, ``None`` where there is none."""
    for text, some in zip(run.drawn.texts, words_by_template(run, words, protocol), strict=False):
        if not all(any(word in some for word in group.words) for group in run.topic.groups):
            return text
    return None


def parts_of(word: str, language: str = "en") -> frozenset[Part]:
    """Return the parts of speech of a word; empty if they are not known."""
    parts = _lists(settings().assets / "lexicons" / "parts.toml")
    if language.partition("-")[0].lower() != "en":
        return frozenset()
    if word.lower().startswith(ARTICLES):
        return frozenset({"phrase"})
    return parts.get(word.casefold(), frozenset())


def unfit_words(topic: Topic, fits: Iterable[tuple[Part, ...]]) -> dict[str, str]:
    """Return the words that do not fit in every template, each with the reason.

    ``fits``: what each template takes at ``[Y]``; empty for anything.
    """
    taken = [one for one in dict.fromkeys(fits) if one]
    reasons = {}
    for word in topic.words:
        parts = parts_of(word, topic.language)
        wanted = next((one for one in taken if parts and parts.isdisjoint(one)), None)
        if wanted:
            reasons[word] = f"it is {_named(parts)}, and at [Y] stands {_named(wanted)}"
    return reasons


def _named(parts: Collection[Part]) -> str:
    """Name parts of speech; one that a wider one covers goes without saying."""
    narrower = {"determiner"} if "possessive" in parts else set()
    return " or ".join(NAMES[part] for part in PARTS if part in parts and part not in narrower)


@lru_cache(maxsize=2)
def _lists(path: Path) -> Mapping[str, frozenset[Part]]:
    table = tomllib.loads(path.read_text(encoding="utf8"))
    parts_of_words: dict[str, set[Part]] = {}
    for part in PARTS:
        for word in table.get(part, ()):
            parts_of_words.setdefault(word, set()).add(part)
    return {word: frozenset(parts) for word, parts in parts_of_words.items()}
