"""How a counterpart is written in the place of a word: its case, its article, its possessive."""

from __future__ import annotations

import re

from pcf_core.topics.swapping import with_article

PARTS = re.compile(r"[^\s-]+")
GAP = re.compile(r"\s+")


def recased(written: str, word: str, becomes: str, *, proper: bool) -> str | None:
    """The counterpart in the case of what was written: "Man" -> "Woman", "MAN" -> "WOMAN".

    ``proper``: names and titles, which are never written small.  ``None`` for any other case (*mAN*, the
    verb *mark* for the name), which no rule can give back.  White space between words stays where both have
    as many.
    """
    gaps = GAP.findall(written)
    plain = GAP.sub(" ", written).replace("’", "'")
    forms = [(word, becomes), (word.upper(), becomes.upper())]
    if not proper:
        forms += [
            (word.lower(), becomes.lower()),
            (capitalised(word), capitalised(becomes)),
            (titled(word), titled(becomes)),
        ]
    new = next((second for first, second in forms if first == plain), None)
    if new is None or len(gaps) != new.count(" "):
        return new
    spaces = iter(gaps)
    return GAP.sub(lambda _: next(spaces), new)


def capitalised(text: str) -> str:
    """The first letter large, the others as they are."""
    return text[:1].upper() + text[1:]


def titled(text: str) -> str:
    """The first letter of every word and of every part behind a hyphen large."""
    return PARTS.sub(lambda match: capitalised(match[0]), text)


def article_before(article: str, word: str, becomes: str, written: str) -> str:
    """*a* or *an* before the counterpart, where the two words want different ones: "an old", "a young"."""
    wanted = _article(becomes)
    if wanted == _article(word):
        return article
    if article.isupper() and (len(article) > 1 or (len(written) > 1 and written.isupper())):
        return wanted.upper()
    return capitalised(wanted) if article[0].isupper() else wanted


def owning(mark: str, word: str, becomes: str, plural: bool, is_possessive: bool) -> str:
    """The possessive of the counterpart: "ladies'" for "gentlemen's", "Mary's" for "James'".

    ``mark``: the apostrophe, with or without an s; ``is_possessive``: a bare one is no quotation mark.
    """
    apostrophe, had, has = mark[0], word.endswith("s"), becomes.endswith("s")
    if len(mark) == 2:
        return apostrophe if plural and has and not had else mark
    return f"{apostrophe}s" if had and not has and is_possessive else mark


def _article(word: str) -> str:
    return with_article(word).split(" ", 1)[0]
