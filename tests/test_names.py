"""Names say what they hold: words that may stand for anything stay rare as names."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# "found" or "kept" says what happened to a thing, not what it is: in a signature it has to be deciphered.
VAGUE = {"found", "kept", "told", "turn", "place", "mended", "steady", "ahead", "asked", "known", "said"}
MOST = 30


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield every name that the code assigns, defines or takes as an argument."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name


def all_names() -> Counter[str]:
    files = [path for folder in ("pcf_core", "pages") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 100
    return Counter(name for path in files for name in names_in(ast.parse(path.read_text(encoding="utf8"))))


def test_vague_words_are_rare_as_names() -> None:
    names = all_names()
    assert names["path"] > MOST  # what is common is counted
    assert {word: names[word] for word in sorted(VAGUE) if names[word] >= MOST} == {}
