"""Plain lists, with an entry in each line.

What is rather a table, several entries in one line or markup is refused; a heading is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pcf_core.core.errors import InputError
from pcf_core.material.safety.reading import label, read_lines, read_text, tell
from pcf_core.material.safety.text import shown
from pcf_core.material.safety.understood import Choice, ask

PLACEHOLDER = re.compile(r"[\[{<$]")  # in a sentence, which is no heading
COLONS = (":", "：")
MARKUP = re.compile(
    r"\s*(\|.*\||</?(?:!doctype|html|body|ul|ol|li|p|div|span|br|table|tr|td)\b.*)", re.IGNORECASE
)
NUMBER = re.compile(r"\s*[-+]?\d[\d.,]*\s*%?\s*")
MOST_WORDS = 3  # of an entry, where entries stand side by side in one line


def read_list(path: Path, error: type[InputError], *, below_heading: bool = False) -> list[str]:
    """Read the entries of a list, a line each; see :func:`read_lines`.

    Raises
    ------
    InputError
        (``error``) a line of markup or with a separator at its end, a table, or several entries in one line.
    """
    lines, name = read_lines(path, error, below_heading=below_heading), label(path)
    for line in lines:
        text = line.strip()
        if MARKUP.fullmatch(text):
            raise error(f"{name} has the line {shown(text)}, which is markup: save it as plain text.")
        if text.endswith((",", ";")):
            raise error(f"{name}: {shown(text)} ends with {text[-1]!r}: remove it; a line has one entry.")
    for separator, called in (("\t", "tabs"), (";", "semicolons"), (",", "commas")):
        if _is_table(lines, separator):
            raise error(
                f"{name} has several cells in each line, separated by {called}, but no line names the "
                "columns: write their names above, or leave one entry in each line."
            )
    if len(lines) == 1 and lines[0].count(",") > 1:
        cells = lines[0].split(",")
        if all(len(cell.split()) <= MOST_WORDS for cell in cells):
            raise error(f"{name} has {len(cells)} entries in one line: write a line for each.")
    return lines


def _is_table(lines: Sequence[str], separator: str) -> bool:
    """Tell whether lines have as many cells each, and a number last if commas separate them."""
    several = {line.count(separator) for line in lines}
    if len(several) > 1 or several <= {0}:
        return False
    return separator != "," or all(NUMBER.fullmatch(line.rpartition(",")[2]) for line in lines)


def has_heading(path: Path, error: type[InputError]) -> bool:
    """Tell whether the first line of a list is a heading: asked where it looks like one.

    It ends with a colon, or only it has an empty line below.  If only it begins with a capital letter, it is
    an entry unless somebody says otherwise.
    """
    lines = [line.strip() for line in read_text(path, error).strip().splitlines()]
    first, *others = [*filter(None, lines)] or [""]
    has_a_gap = "" in lines[:2] and "" not in lines[2:] and len(others) > 1
    is_marked = bool(others) and (first.endswith(COLONS) or has_a_gap)
    is_unlike = len(others) > 1 and first[0].isupper() and not any(line[0].isupper() for line in others)
    if not (is_marked or is_unlike) or PLACEHOLDER.search(first):
        return False
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
