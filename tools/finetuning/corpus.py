"""The corpus of a fine-tuning: documents from files, some held out, and their tokens."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcf_core.core.errors import InputError
from pcf_core.core.records import digest
from tools.finetuning.recipe import Recipe

SUFFIXES = (".txt", ".jsonl")


@dataclass(frozen=True)
class Corpus:
    """Split documents; ``hash``: SHA-256 over all in their order, whatever files they came from."""

    names: tuple[str, ...]
    hash: str
    train: tuple[str, ...]
    held_out: tuple[str, ...]


def read_corpus(paths: Sequence[Path], recipe: Recipe, held_out: Path | None = None) -> Corpus:
    """Read and split, holding out documents by their hash with the seed, or those of the file ``held_out``.

    Raises InputError for a file that cannot be read, or fewer than two different documents.
    """
    documents = [text for path in paths for text in read_documents(path)]
    total = hashlib.sha256()
    for text in documents:
        total.update(f"{text}\0".encode())
    if held_out is not None:
        apart = tuple(read_documents(held_out))
        return Corpus(tuple(path.name for path in paths), total.hexdigest(), tuple(documents), apart)
    distinct = sorted(set(documents), key=lambda text: digest([recipe.seed, text]))
    if len(distinct) < 2:
        raise InputError(
            f"The corpus {', '.join(map(str, paths))} must have at least 2 different documents, because one "
            f"is held out, and has {len(distinct)}; give one document a line, or more of them."
        )
    share = math.ceil(recipe.held_out * len(distinct))
    held = set(distinct[: min(max(1, share), len(distinct) - 1)])
    return Corpus(
        names=tuple(path.name for path in paths),
        hash=total.hexdigest(),
        train=tuple(text for text in documents if text not in held),
        held_out=tuple(sorted(held)),
    )


def read_documents(path: Path) -> list[str]:
    """Read documents of ``.txt`` (paragraphs, or lines without blank lines) or ``.jsonl``, also gzipped.

    Raises InputError for another kind of file, one that is missing, damaged or not UTF-8, or a line without a
    text.
    """
    kind = path.with_suffix("") if path.suffix == ".gz" else path
    if kind.suffix not in SUFFIXES:
        raise InputError(
            f"The corpus {path} must be a file of the kind {' or '.join(SUFFIXES)}, or such a file with .gz; "
            "convert it."
        )
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf8") as file:
            text = file.read()
    except FileNotFoundError as error:
        raise InputError(f"There is no corpus {path}; give a text or JSONL file.") from error
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"The corpus {path} cannot be read ({error}); give UTF-8 text.") from error
    if kind.suffix == ".jsonl":
        texts = [text_of(line, f"{path}, line {number}") for number, line in enumerate(text.split("\n"), 1)]
    else:
        blank = re.compile(r"\n[^\S\n]*\n")
        texts = blank.split(text) if blank.search(text.strip()) else text.split("\n")
    return [stripped for text in texts if (stripped := text.strip())]


def text_of(line: str, place: str) -> str:
    """Return the field ``text`` of a JSON object; empty for an empty line."""
    if not line.strip():
        return ""
    try:
        return str.strip(json.loads(line)["text"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"The corpus has no text at {place}: each line must be a JSON object with a string in the field "
            "'text'."
        ) from error


def sequences_of(documents: Sequence[str], tokenizer: Any, length: int) -> list[list[int]]:
    """Return token ids of the documents, cut into pieces of at most ``length`` and at least two tokens."""
    end = tokenizer.eos_token_id
    pieces = []
    for text in documents:
        ids = tokenizer(text, verbose=False)["input_ids"]
        if end is not None and ids[-1:] != [end]:
            ids = [*ids, end]
        pieces += [ids[start : start + length] for start in range(0, len(ids), length)]
    return [piece for piece in pieces if len(piece) > 1]
