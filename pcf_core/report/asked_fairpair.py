"""The files of a FairPair request as the command takes them: by name, where that still means the same."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable

from pcf_core.core.errors import AuditError
from pcf_core.texts.fairpair.categories import load_categories
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import FairPairAsked, PromptsAsked
from pcf_core.texts.fairpair.tables import load_table

FILE = "FILE"  # stands in a command for a file that is not known by name


def asked_files(asked: FairPairAsked, prompts: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the options for prompts, table and categories, quoted, and a sentence for each without a name.

    ``prompts``: a file that holds the prompts, where they are a part of a set.
    """
    texts, table, words = asked.prompts, asked.perturbation, asked.categories
    parts = [
        (
            "--prompts",
            prompts or texts.name,
            f"the prompts of “{texts.title}” ({texts.hash})",
            lambda: bool(prompts) or load_prompts(texts.name, texts.names).hash == texts.hash,
        ),
        (
            "--table",
            table.table,
            f"the counterparts of “{table.title}” ({table.hash})",
            lambda: load_table(table.table).hash == table.hash,
        ),
    ]
    if words is not None:
        parts.append(
            (
                "--categories",
                words.name,
                f"the categories of “{words.title}”",
                lambda: load_categories(words.name).categories == words.categories,
            )
        )
    options, problems = [], []
    for option, name, what, is_same in parts:
        known = _holds(is_same)
        options.append(f"{option} {shlex.quote(name) if known else FILE}")
        if not known:
            part = part_of(texts) if option == "--prompts" else ""
            why = f"{'are ' + part if part else 'are not kept by name'}: write the path of their file"
            problems.append(f"{' '.join(f'{what} {why}'.split())} for {option} {FILE}")
    return " ".join(options), tuple(problems)


def part_of(texts: PromptsAsked) -> str:
    """Say which part the prompts are of the set kept by their name, and where they were had; "" for none.

    A part of chosen categories and one of an earlier state of the set look alike here.
    """
    try:
        kept = load_prompts(texts.name, texts.names)
    except AuditError:  # as in _holds
        return ""
    whole = len(kept.prompts)
    if texts.count >= whole:
        return ""
    sizes = Counter(prompt.category for prompt in kept.prompts).values()
    each = (most for most in range(1, max(sizes)) if sum(min(size, most) for size in sizes) == texts.count)
    most = next(each, None)
    if most is not None and selected(kept, most=most).hash == texts.hash:
        part = f"{most:,} of each category of the set {texts.name}"
    else:
        part = f"{texts.count:,} prompts, of some categories or an earlier state of the set {texts.name}"
    has_them = "the tab FairPair of Written text has them as a file (Provenance, Prompts)"
    return f"{part}, which has {whole:,} prompts; {has_them}"


def _holds(is_same: Callable[[], bool]) -> bool:
    try:
        return is_same()
    except AuditError:  # there is none of the name any more, or it is damaged
        return False
