"""Plain lists, with an entry in each line.

What is rather a table, several entries in one line or markup is refused; a heading is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from pcf_core.core.errors import InputError
from pcf_core.material.safety.reading import CELL, QUOTED, label, read_text, tell, unquoted
from pcf_core.material.safety.text import listed, looks, shown
from pcf_core.material.safety.understood import Choice, ask, is_read_as

PLACEHOLDER = re.compile(r"[\[{<$]|%\(|_{3}|\b(?:XYZ|BLANK|MASK)\b")  # in a sentence, which is no heading
COLONS = (":", "：")
# Of a comment, a numbered list, one with bullets, or a rule between parts.
NO_ENTRY = re.compile(
    r"\s*(#|//|[%;]+\s|\(?\d+[.)]\s|\d+[．、）]|[①-⑳]|[A-Za-z]\)\s|[-+–—*•·▪◦‣]\s|[-=_*~]{3,}\s*$)"
)
NO_CELLS = re.compile(r"[\s,;]*")  # a row that spreadsheets write behind the last
NUMBERED = re.compile(r"(\s*)(\d{1,7})[\s.,:;)](?!\d)")
MARKUP = re.compile(
    r"\s*(\|.*\||</?(?:!doctype|html|body|ul|ol|li|p|div|span|br|table|tr|td)\b.*)", re.IGNORECASE
)
NUMBER = re.compile(r"\s*[-+]?\d[\d.,]*\s*%?\s*")
CELLS = {"\t": "tabs", ";": "semicolons", "|": "vertical bars", ",": "commas", ":": "colons"}
IN_ENTRIES = (",", ":")  # of these; others separate cells even where no number stands last
COMMAS = ("、", "，", "،", "；")  # of other scripts
MOST_WORDS = 3  # of an entry, where entries stand side by side in one line
MISSING = frozenset({"NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NULL", "null"})  # as programs write no word
EMPTY_CELL = re.compile(r"""(?:[.!?。"]|^[^\[{<$]*)\s*[,;]+\s*$""")  # behind a whole sentence or a word
MARK = re.compile('["“”„«»‹›「」『』`‚]')
LONE = re.compile('^["“”„«»‹›「」『』`‚]|["“”„«»‹›「」『』`]$')


def read_lines(path: Path, error: type[InputError], *, below_heading: bool = False) -> list[str]:
    """Read the filled lines of a text, without the first if that is a heading.

    Comments, bullets and numbers before a line are refused.
    """
    blocks: list[list[str]] = [[]]
    for number, line in enumerate(read_text(path, error).splitlines(), start=1):
        if NO_CELLS.fullmatch(line):
            blocks.append([])
        elif below_heading:
            below_heading = False
            tell(f"The first line of {label(path)}, {shown(line.strip())}, is a heading and no entry.")
        elif beginning := NO_ENTRY.match(line):
            raise error(
                f"{label(path)}, line {number} begins with {shown(beginning[0].strip())}: remove it; "
                "a line has one entry, without comments, bullets and numbers."
            )
        else:
            blocks[-1].append(line)
    blocks = [block for block in blocks if block]
    lines = [*chain(*blocks)]
    if _is_numbered(lines) and not is_read_as("lines"):
        raise error(
            f"{label(path)} has a number before every entry: remove the numbers, write them as a column of a "
            "table, or, if they are part of the entries, write these as a list in JSON (in a command, "
            "give --as lines)."
        )
    firsts = [block[0].strip() for block in blocks if len(block) > 1]
    if 1 < len(blocks) == len(firsts) and not any(map(PLACEHOLDER.search, firsts)):
        tell(
            f"{label(path)} has empty lines between blocks of lines. The first line of each, such as "
            f"{listed(map(shown, firsts[:2]))}, was read like the others, and not as a heading."
        )
    return lines


def _is_numbered(lines: Sequence[str]) -> bool:
    """Tell whether lines are counted from 0 or 1, or have a number of times before them, as of uniq -c."""
    matches = [one for one in map(NUMBERED.match, lines) if one]
    is_counted = any([int(one[2]) for one in matches] == [*range(i, len(lines) + i)] for i in (0, 1))
    is_padded = all(one[1] and one.end(2) in (4, 7) for one in matches)  # to the right, as BSD and GNU do
    return len(matches) == len(lines) > 1 and (is_counted or is_padded)


def read_list(path: Path, error: type[InputError], *, below_heading: bool = False) -> list[str]:
    """Read the entries of a list, a line each; see :func:`read_lines`.

    Raises
    ------
    InputError
        (``error``) a line of markup or with a separator at its end, a heading between entries, a table, or
        several entries in one line.
    """
    lines, name = read_lines(path, error, below_heading=below_heading), label(path)
    is_table = path.suffix.lower() in (".csv", ".tsv")
    if is_table and all(EMPTY_CELL.search(line) for line in lines):  # an empty second column
        lines = [line.rstrip(" \t,;") for line in lines]
    for number, line in enumerate(map(str.strip, lines)):
        if MARKUP.fullmatch(line):
            raise error(f"{name} has the line {shown(line)}, which is markup: save it as plain text.")
        is_sentence = PLACEHOLDER.search(line)
        if line.endswith((",", ";", *COMMAS)) and (not is_sentence or EMPTY_CELL.search(line)):
            raise error(f"{name}: {shown(line)} ends with {line[-1]!r}: remove it; a line has one entry.")
        if line.endswith(COLONS) and (number or below_heading) and not is_sentence:
            raise error(
                f"{name} has the line {shown(line)}, which looks like a heading between the entries: remove "
                "the line, or the colon if it is an entry."
            )
    for separator, called in CELLS.items():
        if _is_table(lines, separator):
            raise error(
                f"{name} has several cells in a line, separated by {called}, but no line names the columns: "
                "leave one entry in each line, or write a table with commas and the names of its columns in "
                "the first line."
            )
    if len(lines) == 1 and not PLACEHOLDER.search(lines[0]):
        for separator in (",", *COMMAS):
            cells = lines[0].split(separator)
            if len(cells) > 2 and all(len(cell.split()) <= MOST_WORDS for cell in cells):
                raise error(f"{name} has {len(cells)} entries in one line: write a line for each.")
    if is_table:
        return unquoted(lines, name, CELL)
    # Marks around some lines may be of direct speech; around all of them, they are of the list.
    return unquoted(lines, name) if all(QUOTED.fullmatch(line.strip()) for line in lines) else lines


def _is_table(lines: Sequence[str], separator: str) -> bool:
    """Tell whether every line has several cells, and a number last or a sign that is in no entry."""
    several = [separator in line.strip() for line in lines]
    if separator == "\t":  # stands for nothing else
        return any(several)
    if not lines or not all(several):
        return False
    numbers = lines[1:] if len(lines) > 2 else lines  # the first may name the columns
    if all(NUMBER.fullmatch(line.rpartition(separator)[2]) for line in numbers):
        return True
    return separator not in IN_ENTRIES and not any(map(PLACEHOLDER.search, lines))


def has_heading(path: Path, error: type[InputError], *, one_of_several: bool = False) -> bool:
    """Tell whether the first line of a list is a heading: asked where it looks like one.

    It ends with a colon, or only it has an empty line below.  If only it begins with a capital letter, it is
    an entry unless somebody says otherwise.  Of a list alone (not ``one_of_several``), any first line is a
    heading if somebody says so.
    """
    lines = [line.strip() for line in read_text(path, error).strip().splitlines()]
    first, *others = [*filter(None, lines)] or [""]
    has_a_gap = "" in lines[:2] and "" not in lines[2:] and len(others) > 1
    is_marked = bool(others) and (first.endswith(COLONS) or has_a_gap)
    is_unlike = len(others) > 1 and first[0].isupper() and not any(line[0].isupper() for line in others)
    if not others or PLACEHOLDER.search(first):
        return False
    if not (is_marked or is_unlike):
        return not one_of_several and is_read_as("heading")
    likely = "heading" if is_marked else "lines"
    text = f"{label(path)} begins with {shown(first)}, which may be a heading"
    answer = ask(Choice("read_as", "", f"{text}. How is it to be read?", ("lines", "heading"), likely))
    if not answer and not is_marked:
        tell(f"{text}, and is read as an entry: give --as heading if it is one.")
    elif not answer:
        raise error(
            f"{text}: give --as heading if it is one, or --as lines if it is an entry like the others."
        )
    return answer == "heading"


def filled(row: Mapping[str, str], column: str, where: str, error: type[InputError]) -> str:
    """Return a cell of a row, which may not be empty."""
    if not (cell := row[column].strip()):
        raise error(f"{where} has no {column}: write one, or remove the row.")
    return cell


def tell_doubtful(words: Sequence[str], where: str, several: str) -> None:
    """Tell which words may be several in one (``several``: signs between them), damaged or missing."""
    kinds: tuple[tuple[Callable[[str], object], str], ...] = (
        (
            re.compile(f"[{several}]").search,
            "counts as one phrase. If it stands for several words, write each of them by itself.",
        ),
        (MISSING.__contains__, "counts as a word. If it marks a missing value, remove it."),
        (_has_lone_mark, "begins or ends with a quotation mark. If it does not belong there, remove it."),
        (_is_garbled, "seems to have been saved in the wrong encoding. If so, write it again."),
    )
    for fits, what in kinds:
        if (doubtful := next(filter(fits, words), None)) is not None:
            tell(f"{where}: {shown(doubtful)} {what}")
    alike: dict[str, str] = {}
    for word in words:
        other = alike.setdefault(looks(word), word)
        if other.casefold() != word.casefold():
            tell(f"{where}: {other!a} and {word!a} look the same, and count as two words.")
            break


def _has_lone_mark(word: str) -> bool:
    """Tell whether a word begins or ends with a quotation mark that has no partner in it."""
    return bool(LONE.search(word)) and (len(MARK.findall(word)) % 2 == 1 or bool(QUOTED.fullmatch(word)))


def _is_garbled(word: str) -> bool:
    """Tell whether a word is UTF-8 that was read as Windows-1252, such as infirmiÃ¨re."""
    with suppress(UnicodeError):
        return word.encode("cp1252").decode() != word
    return False
