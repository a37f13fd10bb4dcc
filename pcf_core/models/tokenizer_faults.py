"""Faults of tokenizers that transformers corrects or warns of; their tokens would give other scores.

Conversions of Mistral's large vocabularies before transformers 5 wrote the pattern of another model into
``tokenizer.json``.  transformers recognises them by ``config.json`` and the size of the vocabulary, warns of
wrong tokens, and replaces the pattern if asked (``fix_mistral_regex``).  We ask wherever that changes it.  As
other tokens give other scores, the correction is part of a model's key, which is known without transformers:
the same files decide here.  Types and pattern are read from transformers' source.
"""

from __future__ import annotations

import ast
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from packaging.version import InvalidVersion, Version

from pcf_core.models.family import library_source

SOURCE = "tokenization_utils_tokenizers.py"
FUNCTION = "_patch_mistral_regex"
FIRST_RIGHT = Version("5.0.0")  # of transformers, which wrote the configuration
LARGE = 100_000  # entries of a vocabulary; smaller ones are SentencePiece's, without a pattern
CORRECTED_NOTE = (
    "Its tokenizer.json splits texts by a pattern that transformers knows to be wrong for Mistral's "
    "vocabularies, so it is read with transformers' correction (fix_mistral_regex)."
)


def needs_correction(read: Callable[[str], Mapping[str, Any]]) -> bool:
    """Return whether transformers' correction changes how a model's texts are split.

    ``read`` returns a JSON file of the model by its name, empty if there is none.
    """
    config = read("config.json")
    if not _is_early(config) or not config.get("model_type"):
        return False
    types, pattern = _correction()
    if config["model_type"] not in types or read("tokenizer_config.json").get("fix_mistral_regex"):
        return False
    tokenizer = read("tokenizer.json")
    model, before = tokenizer.get("model"), tokenizer.get("pre_tokenizer")
    if not isinstance(model, Mapping) or not isinstance(before, Mapping):
        return False
    if _entries(tokenizer, model) <= LARGE:
        return False
    steps = before.get("pretokenizers")
    first = steps[0] if isinstance(steps, list) and steps else None
    return not (
        isinstance(first, Mapping)
        and first.get("type") == "Split"
        and first.get("pattern") == {"Regex": pattern}
        and first.get("behavior") == "Isolated"
        and not first.get("invert")
    )


def _is_early(config: Mapping[str, Any]) -> bool:
    written = config.get("transformers_version")
    try:
        return not written or Version(str(written)) < FIRST_RIGHT
    except InvalidVersion:
        return False  # refused by transformers


def _entries(tokenizer: Mapping[str, Any], model: Mapping[str, Any]) -> int:
    vocabulary, added = model.get("vocab") or (), tokenizer.get("added_tokens") or ()
    names = [entry.get("content") for entry in added if isinstance(entry, Mapping)]
    return len(vocabulary) + sum(name not in vocabulary for name in names)


@lru_cache(maxsize=1)
def _correction() -> tuple[frozenset[str], str]:
    """Return the types of models that transformers corrects, and the right pattern."""
    function = next(
        node
        for node in ast.walk(library_source(SOURCE))
        if isinstance(node, ast.FunctionDef) and node.name == FUNCTION
    )
    types, patterns = frozenset[str](), list[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn):
            types |= frozenset(ast.literal_eval(node.comparators[0]))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tokenizers.Regex":
            patterns.append(ast.literal_eval(node.args[0]))
    (pattern,) = patterns
    return types, pattern


# Warnings while a tokenizer is read.


LOGGERS = ("transformers.tokenization_utils_tokenizers", "transformers.convert_slow_tokenizer")
WRONG_TOKENS: Mapping[str, str] = {  # by a part of transformers' warning
    "Could not reorder vocab": "transformers could not order this vocabulary as the model's own tokenizer "
    "does, so its tokens may be wrong: give a directory that also has tokenizer.json.",
    "byte fallback option": "transformers reads this vocabulary without its bytes, so rare characters become "
    "unknown tokens: give a directory that also has tokenizer.json.",
}


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect what transformers' warnings say about wrong tokens, a sentence each, and print none of them."""
    faults: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            take(record.getMessage())

    def take(message: str) -> None:
        faults.extend(note for part, note in WRONG_TOKENS.items() if part in message and note not in faults)

    listener, loggers = Listener(), [logging.getLogger(name) for name in LOGGERS]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(listener)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield faults
        for warning in caught:
            take(str(warning.message))
    finally:
        for logger, (level, propagate) in zip(loggers, before, strict=True):
            logger.removeHandler(listener)
            logger.level, logger.propagate = level, propagate
