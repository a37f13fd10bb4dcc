"""A template set changed by hand: each step gives a new set and appends a sentence to its history.

The answers stand heaviest first (texts in order where counts tie).  A step that takes mass away multiplies
the card's ``kept`` by mass after / mass before; the others leave it.  What cannot be done is a TemplateError:
no text of the set is named, one that it does not have, nothing would be left, or the result is no set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from pcf_core.material.safety.text import check_sentence, listed, normalise, shown
from pcf_core.material.templates import MOST_EXAMPLES, make_mined

ENDS = (".", "!", "?", "…", "。", "！", "？")
STOPS = {"zh": "。", "ja": "。"}  # by language; elsewhere a full stop


def cut(mined: MinedSet, *, min_count: float | None = None, top: int | None = None) -> MinedSet:
    """Keep the templates counted at least so often, or the so many heaviest."""
    if (min_count is None) == (top is None):
        raise TemplateError("To shorten a set, give either the lowest count or the number of templates.")
    if min_count is not None:
        rest = [item for item in mined.templates if item.count >= min_count]
        how = f"at a count of {min_count:g}"
        if not rest:
            largest = max(item.count for item in mined.templates)
            raise TemplateError(
                f"No template of {mined.name} was counted at least {min_count:g} times; the highest count is "
                f"{largest:g}: choose a lower count."
            )
    else:
        if not isinstance(top, int) or top < 1:
            raise TemplateError(f"At least one template must remain; {top} was given.")
        rest = heaviest_first(mined.templates)[:top]
        how = f"to the {len(rest):,} heaviest"
    lowest = min(item.count for item in rest)
    return _lessened(mined, rest, f"Cut {how}", cut=max(mined.card.cut, lowest))


def draw(mined: MinedSet, different: int, seed: int) -> MinedSet:
    """Draw templates by count, with replacement, until so many different ones are drawn.

    The count of a template becomes the number of its draws, so means over the sample estimate those over the
    whole set.
    """
    counted = [item for item in mined.templates if item.count > 0]
    if not 1 <= different <= len(counted):
        raise TemplateError(
            f"The set {mined.name} has {len(counted):,} templates with a count above 0, so 1 to "
            f"{len(counted):,} can be drawn; {different:,} were asked for."
        )
    ends = np.cumsum([item.count for item in counted])
    generator, draws = np.random.default_rng(seed), Counter[int]()
    while len(draws) < different:
        draws[min(int(np.searchsorted(ends, generator.random() * ends[-1], "right")), len(counted) - 1)] += 1
    drawn = [
        item.model_copy(update={"count": float(draws[index]), "documents": 0, "sources": {}})
        for index, item in enumerate(counted)
        if index in draws
    ]
    what = (
        f"Drawn at random by count, with replacement, from the seed {seed} until {different:,} different "
        f"templates of {len(mined.templates):,} had been drawn: {draws.total():,} draws"
    )
    return _edited(mined, drawn, what)


def drop(mined: MinedSet, texts: Collection[str]) -> MinedSet:
    """Return the set without these templates."""
    chosen = _known(mined, texts)
    rest = [item for item in mined.templates if item.text not in chosen]
    return _lessened(mined, rest, f"Dropped {_named(sorted(chosen))}")


def filtered(mined: MinedSet, query: str) -> MinedSet:
    """Keep the templates that :func:`matching` finds."""
    if not query.split():
        raise TemplateError("The filter is empty: type words that the templates must contain.")
    return _lessened(mined, matching(mined, query), f"Kept what has {shown(normalise(query))}")


def matching(mined: MinedSet, query: str) -> tuple[MinedTemplate, ...]:
    """Find the templates with every word of the query, and none of those written ``-word``.

    Upper and lower case are alike; an empty query finds all.
    """
    words = normalise(query).casefold().split()
    unwanted = [word[1:] for word in words if word.startswith("-") and len(word) > 1]
    wanted = [word for word in words if not (word.startswith("-") and len(word) > 1)]

    def fits(text: str) -> bool:
        return all(word in text for word in wanted) and not any(word in text for word in unwanted)

    return tuple(item for item in mined.templates if fits(item.text.casefold()))


def merge(mined: MinedSet, texts: Collection[str], into: str) -> MinedSet:
    """Merge templates into one: ``into``, one of the set's or a new text.  Their counts add up.

    So do their documents, which is as many as there can be: some may have held several.
    """
    text = check_sentence(into, "a template", f"The set {mined.name}", TemplateError)
    chosen = _known(mined, texts) | {item.text for item in mined.templates if item.text == text}
    if len(chosen) < 2:
        raise TemplateError(
            f"At least two templates of {mined.name} are needed to merge them (chosen: "
            f"{_named(sorted(chosen))})."
        )
    parts = [item for item in mined.templates if item.text in chosen]
    rest = [item for item in mined.templates if item.text not in chosen]
    one = _combined(parts, text, mined.card.documents)
    return _edited(mined, [*rest, one], f"Merged {_named(sorted(chosen))} into {shown(text)}")


def add(mined: MinedSet, text: str, count: float) -> MinedSet:
    """Add one template, written by hand: it has no documents."""
    text = check_sentence(text, "a template", f"The set {mined.name}", TemplateError)
    if text in {item.text for item in mined.templates}:
        raise TemplateError(f"{shown(text)} is already in {mined.name}: write another text.")
    rest = [*mined.templates, MinedTemplate(text=text, count=count)]
    return _edited(mined, rest, f"Added {shown(text)} by hand with the count {count:g}")


def in_family(mined: MinedSet, texts: Collection[str], family: str) -> MinedSet:
    """Put templates into one family, by its label; an empty one gives each a family of its own."""
    chosen, label = _known(mined, texts), normalise(family)
    new = [
        item.model_copy(update={"family": label}) if item.text in chosen else item for item in mined.templates
    ]
    what = f"Put {_named(sorted(chosen))} into the family {shown(label)}"
    return _edited(mined, new, what if label else f"Took {_named(sorted(chosen))} out of their families")


def with_families(mined: MinedSet, families: Sequence[str]) -> MinedSet:
    """Give every template its family, by its label, in the order of the set."""
    new = tuple(
        item.model_copy(update={"family": family})
        for item, family in zip(mined.templates, families, strict=True)
    )
    if new == mined.templates:
        return mined
    history = (*mined.card.history, f"Found {len(set(families)):,} families by the rule on texts.")
    card = mined.card.model_copy(update={"history": history})
    return make_mined(mined.name, new, card, where=f"The set {mined.name}")


def with_full_stop(mined: MinedSet) -> MinedSet:
    """End every template with a full stop (``。`` in Chinese and Japanese), unless it ends like a sentence.

    A template that is there with and without becomes one.
    """
    stop = STOPS.get(mined.card.language.split("-")[0].lower(), ".")
    parts: dict[str, list[MinedTemplate]] = {}
    for item in mined.templates:
        text = item.text if item.text.endswith(ENDS) else item.text + stop
        parts.setdefault(text, []).append(item)
    new = [_combined(items, text, mined.card.documents) for text, items in parts.items()]
    return _edited(mined, new, "Put a full stop at the end of each template")


def united(sets: Sequence[MinedSet], name: str, title: str = "") -> MinedSet:
    """Unite several sets: counts add up where a template stands in more than one.

    Documents and words are added up over corpora; of sets from the same corpus, the larger figure counts.
    ``kept`` is the share of all matches together, unknown (0) where it is unknown of one set.
    """
    names = [mined.name for mined in sets]
    languages = sorted({mined.card.language for mined in sets})
    if len(set(names)) < max(2, len(names)):
        raise TemplateError(
            f"At least two different template sets are needed to combine them (chosen: {listed(names)})."
        )
    if len(languages) > 1:
        raise TemplateError(
            f"The sets are in different languages ({listed(languages)}): combine sets of one language."
        )
    parts: dict[str, list[MinedTemplate]] = {}
    for mined in sets:
        for item in mined.templates:
            parts.setdefault(item.text, []).append(item)
    card = _united_card(sets, title or " and ".join(mined.card.title for mined in sets))
    new = heaviest_first(_combined(items, text, card.documents) for text, items in parts.items())
    return make_mined(name, new, card, where=f"The set {name}")


def renamed(mined: MinedSet, name: str, title: str = "") -> MinedSet:
    """Return the set under another name, with the old one as its parent."""
    card = mined.card
    facts = {
        "title": title or card.title,
        "parents": tuple(dict.fromkeys((*card.parents, mined.name))),
        "history": (*card.history, f"Made from the set {mined.name}."),
    }
    return make_mined(name, mined.templates, card.model_copy(update=facts), where=f"The set {shown(name)}")


def heaviest_first(templates: Iterable[MinedTemplate]) -> list[MinedTemplate]:
    """Sort by count, the largest first; where counts tie, by text."""
    return sorted(templates, key=lambda item: (-item.count, item.text))


def mass(templates: Iterable[MinedTemplate]) -> float:
    """Sum the counts."""
    return math.fsum(item.count for item in templates)


def _lessened(mined: MinedSet, rest: Sequence[MinedTemplate], what: str, **facts: Any) -> MinedSet:
    """Make the set of the remaining templates, with the share of the counts that it carries."""
    left = mass(rest)
    if not left > 0:
        raise TemplateError(
            f"{what}: no template of {mined.name} with a count above 0 would remain; keep at least one."
        )
    share = min(1.0, left / mass(mined.templates))
    return _edited(
        mined,
        rest,
        f"{what}: {len(rest):,} of {len(mined.templates):,} templates "
        f"{'stays' if len(rest) == 1 else 'stay'}, with {share:.1%} of the mass",
        kept=mined.card.kept * share,
        **facts,
    )


def _edited(mined: MinedSet, templates: Iterable[MinedTemplate], what: str, **facts: Any) -> MinedSet:
    history = (*mined.card.history, f"{what}.")
    card = mined.card.model_copy(update={"history": history, **facts})
    return make_mined(mined.name, heaviest_first(templates), card, where=f"The set {mined.name}")


def _known(mined: MinedSet, texts: Collection[str]) -> set[str]:
    """Check that there are texts and that the set has them all."""
    chosen = {normalise(text) for text in texts}
    unknown = sorted(chosen - {item.text for item in mined.templates})
    if unknown:
        raise TemplateError(
            f"The set {mined.name} does not have {_named(unknown)}: choose from its templates."
        )
    if not chosen:
        raise TemplateError(f"Choose at least one template of {mined.name}.")
    return chosen


def _named(texts: Sequence[str]) -> str:
    """Name the first three texts, and say how many more there are."""
    some = [shown(text) for text in texts[:3]]
    return listed([*some, f"{len(texts) - 3:,} more"] if len(texts) > 3 else some)


def _combined(parts: Sequence[MinedTemplate], text: str, most_documents: int) -> MinedTemplate:
    """Unite counts and origins of several templates in one; ``most_documents``: of the corpus, 0 unknown."""
    sources: Counter[str] = Counter()
    for item in parts:
        sources.update(item.sources)
    documents = sum(item.documents for item in parts)
    largest = max(most_documents, *(item.documents for item in parts)) if most_documents else documents
    examples = dict.fromkeys(example for item in parts for example in item.examples)
    return MinedTemplate(
        text=text,
        count=mass(parts),
        documents=min(documents, largest),
        sources=dict(sorted(sources.items())),
        examples=tuple(sorted(examples)[:MOST_EXAMPLES]),
        fits=parts[0].fits if len({item.fits for item in parts}) == 1 else (),
        family=parts[0].family if len({item.family for item in parts}) == 1 else "",
    )


def _united_card(sets: Sequence[MinedSet], title: str) -> SetCard:
    cards = [mined.card for mined in sets]
    corpora: dict[str, list[SetCard]] = {}
    for mined in sets:
        corpora.setdefault(mined.card.corpus or mined.name, []).append(mined.card)
    forms = {card.form for card in cards}
    has_kept = all(card.kept > 0 for card in cards)
    matched = math.fsum(mass(mined.templates) / mined.card.kept for mined in sets) if has_kept else 0.0
    united_mass = math.fsum(mass(mined.templates) for mined in sets)
    return SetCard(
        title=title,
        source=_together(card.source for card in cards),
        notes=_together(card.notes for card in cards),
        language=cards[0].language,
        form=forms.pop() if len(forms) == 1 else "",
        corpus=_together(card.corpus for card in cards),
        licence=_together(card.licence for card in cards),
        documents=sum(max(card.documents for card in same) for same in corpora.values()),
        words=sum(max(card.words for card in same) for same in corpora.values()),
        sentences=sum(card.sentences for card in cards),
        matches=sum(card.matches for card in cards),
        cut=min(card.cut for card in cards),
        kept=min(1.0, united_mass / matched) if has_kept else 0.0,
        pipeline=_together(card.pipeline for card in cards),
        rules=_together(card.rules for card in cards),
        parents=tuple(mined.name for mined in sets),
        history=(f"United from the sets {listed(mined.name for mined in sets)}.",),
    )


def _together(texts: Iterable[str]) -> str:
    """Join different texts, each once."""
    return "; ".join(dict.fromkeys(text for text in texts if text))
