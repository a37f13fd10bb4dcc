"""The letter that an answer to a question with lettered options gives.

The rules are the same for every letter, so that none is lost more often than another.  Only *A* is a word as
well: it is a letter where a word cannot follow it ("I would go with A.", "A is wrong", "option A").
"""

from __future__ import annotations

import re

from pcf_core.records.marks import normal

OPTION = 0xE000  # of the private use area: the options of a question are marked from here on
# What may follow the letter A in a sentence: of it, and of what is joined to it.
BE = (
    r"(?:is|was|isn't|wasn't|can't|cannot|can not|couldn't|won't|would|wouldn't|must|seems|looks|sounds|"
    r"doesn't)"
)
JOINS = rf"(?:{BE}|and|or|nor|not|because|since|as|but|so)\b"
AGAINST = (
    r"\b(?:not|cannot|\w+n't|wrong|incorrect|false|untrue|out|ruled out|eliminated|excluded|impossible)\b"
)
DOUBT = r"\b(?:never|hardly|unlikely|doubtful|tempt\w+|only|just|merely|sure|(?<!no )(?<!without )doubt)\b"
AGAINST_IT = (
    r"(?:\b(?:not|nor|neither|than|instead of|isn't|wasn't|can't|cannot|couldn't)(?: be| choose| pick)?|"
    r"\b(?:rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|reject|discard))"
)
NAMED = r"(?:option|answer|letter|choice)"
CHOSEN = (
    r"(?<!\bor )(?<!\bnor )(?<!\band )"
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
    each = f"[{letters}{letters.lower()}]"
    several = rf"\b(?i:{NAMED}(?: is| was)?):? {each} (?:and|or|nor) (?:{NAMED} )?{each}\b"
    plain = re.sub(several, lambda match: re.sub(rf"\b{each}\b", lambda one: one[0].upper(), match[0]), plain)
    mark = f"[{chr(OPTION)}-{chr(OPTION + len(options) - 1)}]"
    standing = rf"(?<![\w'])([{letters}])(?![\w'])(?<!A(?= (?!{JOINS})\w))"
    given = {match.end(): match[1] for match in re.finditer(standing, plain)}
    small = (  # "b.", "option b", "the answer is (b)", and not "the best answer a river can give"
        rf"(?:^\W*([{letters.lower()}])(?=\W*$|[.):]\s)|\b(?i:{NAMED}(?: is| was)?:?) ?\(?"
        rf"(?<=[ (])({each})(?![\w'])(?! ?[/&]| (?!{JOINS})\w))"
    )
    for match in re.finditer(small, plain):
        place = 1 if match[1] else 2
        given[match.end(place)] = match[place].upper()
    stands = {end: _stands(plain, end, mark) for end in given}
    chosen = [
        match[1]
        for match in re.finditer(
            rf"{CHOSEN}\W{{0,4}}((?-i:[{letters}]))(?![\w'])(?! (?:or|and|nor|is|was)\b)", plain, re.I
        )
        if stands.get(match.end()) == 1
    ]
    affirmed = {letter for end, letter in given.items() if stands[end] == 1}
    if len(affirmed) == 1:
        return affirmed.pop()
    if affirmed:
        return chosen[-1] if chosen else None
    if 0 in stands.values():
        return None
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


def _stands(plain: str, end: int, mark: str) -> int:
    """1: the letter that ends there is said to be it, −1: it is said not to be, 0: that cannot be told."""
    behind = re.match(rf"[.):]{{0,2}} ?{mark}? ?({BE}\b[^,.;:!?\n]*)", plain[end : end + 80])
    said = re.split(r" (?:and|but|so|because|since|as|while|that|which)\b", behind[1])[0] if behind else ""
    before = re.split(r"[,.;:!?\n]|\b(?:and|but|so|because|since|as)\b", plain[max(0, end - 41) : end - 1])[
        -1
    ]
    denied = re.search(rf"{AGAINST_IT}(?: {NAMED})? ?\(?$", before, re.I)
    before = before[: denied.start()] if denied else before
    negations = len(re.findall(AGAINST, said)) + len(re.findall(AGAINST, before, re.I)) + bool(denied)
    if re.search(DOUBT, f"{before} {said}", re.I) or negations > 1:
        return 0
    if not negations:
        return 1
    plainly = denied or re.match(rf"(?:{AGAINST}|{BE}(?: \w+)? {AGAINST})", said)
    return -1 if plainly else 0
