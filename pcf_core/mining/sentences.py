"""Find the sentences with a wanted word, without splitting the rest of the text.

    find a wanted word → back to the last sentence end before it → on to the next one → continue after that

A sentence ends at ``.``, ``!``, ``?`` or ``…`` with closing quotation marks and brackets, before white space
that no lower-case letter follows, unless :func:`_is_end` finds an abbreviation; also at a full stop between a
lower-case and a capital letter, as extracted texts lose spaces.  A line is a paragraph.  Sentence starters as
evidence after an abbreviation are from Kiss and Strunk (2006), doi:10.1162/coli.2006.32.4.485.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from pcf_core.core.errors import TopicError

MAX_WORDS = 60
MAX_CHARACTERS = 400
TOO_LONG = f"sentence over {MAX_WORDS} words or {MAX_CHARACTERS} characters"
WITHOUT_WORD = "no word that is looked for"
WINDOW = MAX_CHARACTERS + 64  # searched first for the sentence's start
LOOK_BACK = 24  # characters before a full stop searched for an abbreviation

GAP = re.compile(
    r"[.!?…](?<![.!?…]{2})"  # the first of a run of marks, so that long runs are read once
    r"(?:[.!?…]*+[\"'”’»)\]]*+(?: ?\[\d{1,3}\])*+[^\S\n]++|(?<=(?:[a-z][a-z)]|\d\d)\.)(?=[A-Z][a-z]))"
)
NEXT_WORD = re.compile(r"[\"'“‘«(\[*¿¡—–-]*+(\w{0,20})")
OPENING = "\"'“‘«([*¿¡—–-"
ROMAN = re.compile("[IVXLC]+")
WORD = re.compile(r"[^\W\d_](?:[\w'’ -]*\w)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words(
    "mr mrs ms dr drs st prof gen col lt capt cpt maj sgt cpl pvt adm cmdr rev fr hon gov sen rep pres "
    "messrs mme mlle mt ft vs v viz cf e.g i.e ca c op approx"
)
BEFORE_NUMBERS = _words(
    "no nos vol vols pp p fig figs ch chap art sec ext jan feb mar apr jun jul aug sep sept oct nov dec"
)
OFTEN_LAST = _words("inc jr sr co corp ltd bros etc al dept univ assn ave blvd rd esq est")
STARTERS = _words(
    "The He She It They We I You In On At By As After Before When While During Since Although However His "
    "Her Its Their This That These Those There A An For From With Under Upon Following Later Until If But "
    "And Or So Then Here Both Many Most Some One Two Another Other Despite Among According Between "
    "Because Once Also My Our Your What Who Why How Where Which To Not No Yes All Each Several Such "
    "Through Throughout Over Though Thus Today Now Meanwhile Soon Eventually Initially Originally"
)


class Wanted:
    """Words to find whole and in any case."""

    def __init__(self, words: Collection[str]) -> None:
        """Compile the search; TopicError for a word in which a sentence could end.

        Words have letters and digits, with spaces, hyphens and apostrophes inside.
        """
        for word in words:
            if not WORD.fullmatch(word):
                raise TopicError(
                    f"The word {word!r} cannot be searched for in texts: a word must begin with a letter and "
                    "have only letters and digits, with spaces, hyphens and apostrophes inside."
                )
        self.words = frozenset(map(_lowered, words))
        self.search = re.compile(rf"\b(?:{_alternatives(self.words)})\b" if self.words else "(?!)").search


def candidates(text: str, wanted: Wanted, passed: Counter[str] | None = None) -> Iterator[tuple[int, str]]:
    """Yield (offset, sentence) of every sentence with a wanted word, from left to right.

    ``passed`` counts the others: those over 60 words or 400 characters as ``TOO_LONG``, those without a
    wanted word as ``WITHOUT_WORD``.  The time is linear in the length of the text.
    """
    lowered = _lowered(text)
    floor, line_end = 0, -1  # earliest start of the next hit's sentence; end of its line
    behind = 0  # end of the last sentence
    while match := wanted.search(lowered, floor):
        hit = match.start()
        if hit > line_end:
            floor = max(floor, text.rfind("\n", floor, hit) + 1)
            line_end = text.find("\n", hit)
            line_end = len(text) if line_end < 0 else line_end
        start = _start(text, floor, hit)
        if passed is not None:
            passed[WITHOUT_WORD] += _sentences(text, behind, start)
        floor = behind = _end(text, hit, line_end)
        padded = text[start:floor]
        sentence = padded.strip()
        if len(sentence) <= MAX_CHARACTERS and len(sentence.split()) <= MAX_WORDS:
            yield start + len(padded) - len(padded.lstrip()), sentence
        elif passed is not None:
            passed[TOO_LONG] += 1
    if passed is not None:
        passed[WITHOUT_WORD] += _sentences(text, behind, len(text))


def _sentences(text: str, low: int, high: int) -> int:
    number, start = 0, low
    while start < high:
        line_end = text.find("\n", start, high)
        line_end = high if line_end < 0 else line_end
        ends = [gap.end() for gap in GAP.finditer(text, start, line_end) if _is_end(text, gap)]
        for end in (*ends, line_end):
            number += not text[start:end].isspace() and end > start
            start = end
        start = line_end + 1
    return number


def _start(text: str, floor: int, hit: int) -> int:
    near = max(floor, hit - WINDOW)
    start = _last_gap(text, near, hit)
    if start is None and near > floor:
        start = _last_gap(text, floor, hit)
    return floor if start is None else start


def _last_gap(text: str, low: int, hit: int) -> int | None:
    start = None
    for gap in GAP.finditer(text, low, hit + 2):  # a gap without space looks two characters ahead
        if gap.end() > hit:
            break
        if _is_end(text, gap):
            start = gap.end()
    return start


def _end(text: str, hit: int, line_end: int) -> int:
    for gap in GAP.finditer(text, hit, line_end):
        if _is_end(text, gap):
            return gap.end()
    return line_end


def _is_end(text: str, gap: re.Match[str]) -> bool:
    """Tell whether a sentence ends at the marks, from a few characters around them."""
    begin = gap.start()
    following = NEXT_WORD.match(text, gap.end())
    word = following[1] if following else ""
    if word[:1].islower():
        return False
    if text[begin] != "." or text[begin + 1] in ".!?…":
        return True
    before = text[max(0, begin - LOOK_BACK) : begin]
    if not before or before[-1].isspace():
        return True
    token = before.split()[-1].lstrip(OPENING)
    lowered = token.lower()
    if lowered in NEVER_LAST:
        return False
    if lowered in BEFORE_NUMBERS:
        return not (word[:1].isdigit() or ROMAN.fullmatch(word))
    initial = len(token) == 1 and token.isalpha() and token != "I"
    if initial or "." in token or lowered in OFTEN_LAST:
        return word in STARTERS
    return True


def _lowered(text: str) -> str:
    """Convert to lower case without changing the length: only İ would become two characters."""
    return text.replace("İ", "I").lower()


def _alternatives(words: Collection[str]) -> str:
    """Make an expression for any of the words as a prefix tree, so that each letter is read once."""
    branches: dict[str, set[str]] = {}
    for word in words:
        if word:
            branches.setdefault(word[0], set()).add(word[1:])
    rest = [re.escape(first) + _alternatives(tails) for first, tails in sorted(branches.items())]
    if not rest:
        return ""
    choice = rest[0] if len(rest) == 1 and "" not in words else f"(?:{'|'.join(rest)})"
    return f"{choice}?" if "" in words else choice
