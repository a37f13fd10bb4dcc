"""The letter that an answer to a question with lettered options gives.

The rules are the same for every letter, so that none is lost more often than another.  Only *A* is a word as
well: it is a letter where a word cannot follow it ("I would go with A.", "A is wrong", "option A").
"""

from __future__ import annotations

import re

from pcf_core.records.marks import normal

OPTION = 0xE000  # of the private use area: the options of a question are marked from here on
WRONG = r"(?:not|wrong|incorrect|false|untrue)\b"
JOINS = r"(?:is|was|and|or|nor|not|because|since|as|but|so)\b"  # what may follow the letter A in a sentence
NAMED = r"(?:option|answer|letter|choice)"
CHOSEN = (
    rf"(?:\b{NAMED}(?: is| was)?\s*[:=]?|\bit is|\bit'?s|"
    r"\b(?:say|choose|chose|pick|picked|with|so|therefore|thus))"
    rf"(?: {NAMED})?"
)


def read_letter(text: str, options: tuple[str, ...], letters: str) -> str | None:
    """The one letter of ``letters`` that an answer gives, or that of the one option it names.

    "B", "(b)", "The answer is B." and "Option B: Paris" give B, and so do "Paris." where B is Paris, "It is
    B, not A." and, of two options, "A is wrong."; "A or B" and "none" give ``None``.  Where options are said
    again before an answer they are passed over, and of several answers the last one counts.
    """
    plain = normal("NFKC", text).replace("’", "'")
    plain = _marked(re.sub(rf"[*_`\"{chr(OPTION)}-{chr(OPTION + len(options) - 1)}]", "", plain), options)
    plain = _unlisted(plain, letters).strip()
    alone = re.match(rf"\W*([{letters.lower()}])(?:\W*$|[.):]\s)", plain)
    if alone:
        return alone[1].upper()
    mark = f"[{chr(OPTION)}-{chr(OPTION + len(options) - 1)}]"
    standing = rf"(?<![\w'])([{letters}])(?![\w'])(?<!A(?= (?!{JOINS})\w))"
    given = {match.end(): match[1] for match in re.finditer(standing, plain)}
    given |= {match.end(): match[1] for match in re.finditer(rf"\b{NAMED} ([{letters}])\b", plain, re.I)}
    denied = {end for end in given if _denied(plain, end, mark)}
    chosen = [
        match[1]
        for match in re.finditer(
            rf"{CHOSEN}\W{{0,4}}((?-i:[{letters}]))(?![\w'])(?! (?:or|and|nor|is|was)\b)", plain, re.I
        )
        if match.end() in given.keys() - denied
    ]
    affirmed = {letter for end, letter in given.items() if end not in denied}
    if len(affirmed) == 1:
        return affirmed.pop()
    if affirmed:
        return chosen[-1] if chosen else None
    left = set(letters) - set(given.values())
    if given:
        return left.pop() if len(left) == 1 else None
    named = {letter for letter, each in zip(letters, _marks(options), strict=True) if each in plain}
    return named.pop() if len(named) == 1 else None


def _marks(options: tuple[str, ...]) -> list[str]:
    return [chr(OPTION + place) for place in range(len(options))]


def _marked(plain: str, options: tuple[str, ...]) -> str:
    """A mark in place of every option: the longest first, so that "the Blue Nile" is not "the Nile"."""
    marks = {normal("NFKC", one).casefold(): mark for one, mark in zip(options, _marks(options), strict=True)}
    longest = sorted(marks, key=len, reverse=True)
    several = "|".join(map(re.escape, longest))
    return re.sub(
        rf"(?<!\w)(?:{several})(?!\w)",
        lambda match: marks.get(match[0].casefold(), match[0]),
        plain,
        flags=re.I,
    )


def _unlisted(plain: str, letters: str) -> str:
    """Without the first list of all options, each behind its letter, if something follows it."""
    each = (rf"\(?{letter}[.):]{{0,2}} ?{chr(OPTION + place)}" for place, letter in enumerate(letters))
    return re.sub(r"[^\w]{0,4}".join(each) + r"(?=\W*\w)", " ", plain, count=1)


def _denied(plain: str, end: int, mark: str) -> bool:
    """Whether the letter that ends there is said not to be it."""
    if re.match(rf"[.):]{{0,2}} ?{mark}? ?(?:is|was) (?:\w+ )?{WRONG}", plain[end : end + 60]):
        return True
    before = plain[max(0, end - 40) : end - 1]
    words = rf"\b(?:not|nor|neither|than|instead of|isn't|wasn't)(?: be)?(?: {NAMED})? ?\(?$"
    return bool(re.search(words, before, re.I))
