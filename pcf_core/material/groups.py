"""Groups of words as people write them: in lines, in columns, or by name.

The papers' authors publish words without names of groups, a line or a list for each group.  A group is then
called after its first word.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pcf_core.core.errors import TopicError
from pcf_core.material.base import Origin
from pcf_core.material.safety.lists import COLONS, COMMAS
from pcf_core.material.safety.reading import tell, unquoted
from pcf_core.material.safety.tables import QUOTED_CELL, SEPARATORS
from pcf_core.material.safety.text import NAME, first_duplicate, listed, normalise, shown
from pcf_core.material.safety.understood import Choice, ask, is_read_as
from pcf_core.material.shelves import MOST_NAMED, safe_name

SIGNS = ":：=\t;"  # between the name of a group and its words
EXAMPLES = "examples"  # the key of a list in the files of WEAT: two of targets and two of attributes
UNNAMED = "own"  # what safe_name makes of a word without a letter of ASCII


def groups_of_lines(lines: Sequence[str], origin: Origin) -> dict[str, Any]:
    """Read a group a line, or a word of every group a line, with commas or another sign between the words."""
    separators = {**SEPARATORS, **{one: repr(one) for one in COMMAS}}
    bare = [QUOTED_CELL.sub("", line) for line in lines]
    separator = max(separators, key=lambda one: sum(line.count(one) for line in bare))
    if separator != ",":
        tell(f"The words of {origin.where} are separated by {separators[separator]}.")
    if labelled := _labelled(lines, separator):
        tell(f"In {origin.where}, each line begins with the name of its group.")
        return named_groups({name: unquoted(words, origin.where) for name, words in labelled.items()})
    rows = [unquoted(_cells(line, separator), origin.where) for line in lines]
    # Spreadsheets write empty cells beside and between columns, and below them.
    filled_columns = [any(cells) for cells in itertools.zip_longest(*rows)]
    groups = [[*itertools.compress(row, filled_columns)] for row in rows if any(row)]
    if alone := [words[0] for words in groups if len(words) == 1 and words[0].endswith(COLONS)]:
        raise TopicError(
            f"{origin.where} has no words after {shown(alone[0])}: write the name of each group and its "
            "words in one line, with commas between the words."
        )
    if tabbed := [word for words in groups for word in words if "\t" in word]:
        raise TopicError(
            f"{origin.where} has a tab within {shown(tabbed[0])}: separate all words in the same "
            "way, by commas or by tabs."
        )
    groups = [[*map(normalise, words)] for words in groups]
    if all(len(words) == 1 for words in groups):  # one group's list, or many groups? nobody can tell
        raise TopicError(
            f"{origin.where} has no line with a comma: write a line for each group, with commas between "
            "its words or behind a single one, or give a text file for each of two or more groups, one word "
            "per line (in a command, their folder)."
        )
    return pairs_or_groups(groups, origin)


def pairs_or_groups(lines: Sequence[Sequence[str]], origin: Origin) -> dict[str, Any]:
    """Read lines of words as groups, or as pairs: the n-th words of all lines are then a group.

    Both fit where every line has as many words, several of them.  If there are more words in a line than
    lines, as in the papers' lists, groups are far likelier, and pairs are read only if somebody says so.
    """
    if is_read_as("columns"):
        return _by_column(lines, origin)
    sizes = {len(words) for words in lines}
    if len(lines) < 2 or len(sizes) > 1 or sizes == {1}:
        if sizes and is_read_as("pairs"):
            raise TopicError(
                f"{origin.where} cannot be read as pairs, because its lines have {min(sizes):,} to "
                f"{max(sizes):,} words: give each line a word of every group, or give --as groups."
            )
        return _called_after_first([*map(_without_end, lines)])
    (size,) = sizes
    text = f"Each of the {len(lines):,} lines of {origin.where} has {size:,} words"
    likely = "groups" if size > len(lines) else ""
    question = f"{text}. Are these pairs, with a word of every group in each line, or is each line a group?"
    answer = ask(Choice("read_as", "", question, ("pairs", "groups", "columns"), likely)) or likely
    if not answer:
        raise TopicError(
            f"{text}: give --as pairs if each line has a word of every group, --as groups if each line is a "
            "group, or --as columns if the first line names the groups."
        )
    if answer == "groups":
        return _called_after_first([*map(_without_end, lines)])
    if answer == "columns":
        return _by_column(lines, origin)
    return {**_called_after_first([*zip(*lines, strict=True)]), "aligned": True}


def _cells(line: str, separator: str) -> list[str]:
    """Return the cells of a line, of which those with separators are in quotation marks."""
    try:
        (cells,) = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        cells = line.split(separator)
    return [cell.strip() for cell in cells]


def _without_end(words: Sequence[str]) -> Sequence[str]:
    """Leave out the empty cells that fill up a short row."""
    while len(words) > 1 and not words[-1]:
        words = words[:-1]
    return words


def _labelled(lines: Sequence[str], separator: str) -> dict[str, list[str]]:
    """Return the words of each group if every line is its name, a sign and its words; else nothing."""
    for sign in SIGNS.replace(separator, ""):
        parts = [line.strip().partition(sign) for line in lines]
        if len(parts) > 1 and all(
            name.strip() and separator not in name and rest.strip() and sign not in rest
            for name, _, rest in parts
        ):
            words: dict[str, list[str]] = {}
            for name, _, rest in parts:
                words.setdefault(name.strip(), []).extend(_without_end(_cells(rest, separator)))
            return words if any(separator in rest for _, _, rest in parts) else {}
    return {}


def _by_column(lines: Sequence[Sequence[str]], origin: Origin) -> dict[str, Any]:
    """Read a group from each column, named in the first line; columns may have fewer words than others."""
    names, *rows = lines
    if "" in names:
        raise TopicError(
            f"Column {[*names].index('') + 1} of {origin.where} has no name in the first line: write the "
            "name of its group there, or remove the column."
        )
    if (twice := first_duplicate(names)) is not None:
        raise TopicError(f"{origin.where} names two columns {shown(twice)}: give each group its own name.")
    if longer := [row for row in rows if len(row) > len(names)]:
        raise TopicError(
            f"{origin.where} names {len(names):,} groups in its first line, but another line has "
            f"{len(longer[0]):,} words: give every column a name."
        )
    words = {name: [row[i] for row in rows if row[i:] and row[i]] for i, name in enumerate(names)}
    is_full = all(len(several) == len(rows) for several in words.values())
    return {**named_groups(words), "aligned": is_full}


def _called_after_first(groups: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Name the groups after their first words; number them where those make no distinct names.

    Chinese words, for example, make none.
    """
    names = [safe_name(words[0]) for words in groups]
    if UNNAMED in names or first_duplicate(names) is not None:
        names = [f"group-{number}" for number in range(1, len(groups) + 1)]
    return {"groups": [{"name": name, "words": [*words]} for name, words in zip(names, groups, strict=True)]}


def groups_by_name(value: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the words of each group of an object, empty where it is something else.

    ``{"women": ["she", …], …}``; ``{"targ1": {"category": "Flowers", "examples": ["aster", …]}, …}`` as in
    the files of WEAT; ``{"ability": {"hearing": ["deaf", …], …}, …}``: of one outer key the inner ones are
    the groups, of several the outer ones.
    """
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), dict) and EXAMPLES not in inner:
        value = inner
    groups: dict[str, list[str]] = {}
    for key, entry in value.items():
        name, words = key, entry
        if isinstance(entry, dict) and EXAMPLES in entry:
            name, words = str(entry.get("category", key)), entry[EXAMPLES]
        elif isinstance(entry, dict) and all(isinstance(part, list) for part in entry.values()):
            words = [*itertools.chain.from_iterable(entry.values())]
        if name in groups or not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            return {}
        groups[name] = words
    if len(value) > 1 and any(isinstance(one, dict) and EXAMPLES not in one for one in value.values()):
        tell(f"Each of {listed([*map(shown, value)][:MOST_NAMED])} is a group, with all the words below it.")
    if groups.keys().isdisjoint(value) and len(groups) > 2:
        tell(f"Each of the {len(groups)} lists is a group: remove those that do not describe people.")
    return groups


def named_groups(words: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Give groups names that are safe in files and links, and say which ones are changed."""
    names = safe_names(words, "group")
    for name, written in zip(names, words, strict=True):
        if name != written:
            tell(f"The group {shown(written)} is called {name} here.")
    groups = zip(names, words.values(), strict=True)
    return {"groups": [{"name": name, "words": [*group]} for name, group in groups]}


def safe_names(titles: Iterable[str], what: str) -> list[str]:
    """Make names that are safe in files and links: with numbers where letters make none, or one twice."""
    names = [title if not title or NAME.fullmatch(title) else safe_name(title) for title in titles]
    numbered = [f"{what}-{number}" for number in range(1, len(names) + 1)]
    names = [number if name == UNNAMED else name for name, number in zip(names, numbered, strict=True)]
    return names if first_duplicate(names) is None else numbered
