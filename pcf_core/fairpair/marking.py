"""Where two texts differ, word by word, and where a phrase stands in one."""

from __future__ import annotations

from collections.abc import Iterable

from pcf_core.fairpair.tokens import CLAUSE_END, WORD, word_tokens
from pcf_core.records.marks import normal

Piece = tuple[str, bool]  # a stretch of a text, and whether it is marked


def words_apart(text: str, other: str) -> list[Piece]:
    """A text in pieces, those marked that are words which the other text does not have.

    The words are those of the Jaccard dissimilarity: case and place do not count.  "He left." beside "she
    left" -> ("He", True), (" left.", False).  The pieces give the text again, composed (NFC).
    """
    shared = set(word_tokens(other))
    composed = normal("NFC", text)
    places = [span for span in _words(composed) if not shared.issuperset(word_tokens(composed[slice(*span)]))]
    return _pieces(composed, places)


def phrase_places(text: str, phrase: str) -> list[Piece]:
    """A text in pieces, those marked that are the phrase: words that follow each other within a clause."""
    wanted = word_tokens(phrase)
    composed = normal("NFC", text)
    spans = _words(composed)
    found: list[tuple[int, int]] = []
    for place in range(len(spans) - len(wanted) + 1 if wanted else 0):
        start, end = spans[place][0], spans[place + len(wanted) - 1][1]
        within = composed[start:end]
        beyond = bool(found) and start < found[-1][1]
        if not beyond and word_tokens(within) == wanted and not CLAUSE_END.search(within):
            found.append((start, end))
    return _pieces(composed, found)


def _words(text: str) -> list[tuple[int, int]]:
    """Start and end of every word; the same words as :func:`~pcf_core.fairpair.tokens.word_tokens` gives."""
    return [match.span() for match in WORD.finditer(text.replace("’", "'"))]


def _pieces(text: str, marked: Iterable[tuple[int, int]]) -> list[Piece]:
    """The text cut at the marked stretches, which follow each other; two with a space between are one."""
    pieces: list[Piece] = []
    end = 0
    for start, stop in marked:
        gap = text[end:start]
        if pieces and gap == " ":
            pieces[-1] = (pieces[-1][0] + gap + text[start:stop], True)
        else:
            pieces += [(gap, False)] if gap else []
            pieces.append((text[start:stop], True))
        end = stop
    rest = text[end:]
    return [*pieces, (rest, False)] if rest else pieces
