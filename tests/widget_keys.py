"""The keys that the source gives to widgets."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pcf_core.core.settings import ROOT


@dataclass(frozen=True)
class Call:
    """A call that gives a widget a key: the function's name, its options, and where it is."""

    key: str
    function: str
    options: frozenset[str]
    line: str


def calls_with_key() -> Iterator[Call]:
    """Every such call of the app; a key made at run time is left out."""
    for path in [*(ROOT / "pcf_core" / "app").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        known = dict(constants(path))
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pcf_core.app"):
                theirs = constants(ROOT / f"{(node.module or '').replace('.', '/')}.py")
                known |= {
                    alias.asname or alias.name: theirs[alias.name]
                    for alias in node.names
                    if alias.name in theirs
                }
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.Call):
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            key = given.get("key")
            name = key.value if isinstance(key, ast.Constant) else known.get(getattr(key, "id", ""))
            if name is not None:
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                yield Call(str(name), called, frozenset(given), f"{path.relative_to(ROOT)}:{node.lineno}")


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf8") if path.is_file() else "")


@functools.cache
def constants(path: Path) -> dict[str, str]:
    """Texts that a file has under names of its own, several in a line among them."""
    found = {}
    for node in parsed(path).body:
        if not isinstance(node, ast.Assign):
            continue
        (target,) = node.targets
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for name, value in zip(names, values, strict=False):
            if (
                isinstance(name, ast.Name)
                and isinstance(value, ast.Constant)
                and isinstance(value.value, str)
            ):
                found[name.id] = value.value
    return found
