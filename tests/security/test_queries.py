"""What a database is told is written in the code: values travel beside it, never within."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pcf_core.core.settings import ROOT

METHODS = {
    *("execute", "executemany", "executescript", "execute_many", "_run", "_one", "create_tables", "salvaged"),
}
PLACES = {"create_tables": 1}  # of the argument that holds statements, else the first
OF_TABLES = "_rows"  # of the queue and the catalogue: takes a query, or the condition of one
BEGINNERS = {"_within", OF_TABLES}  # of a transaction: the words it begins with are its callers'
FILES = [
    path
    for path in sorted((ROOT / "pcf_core").rglob("*.py"))
    if any(f".{method}(" in path.read_text(encoding="utf8") for method in METHODS)
]


def constants(tree: ast.Module) -> set[str]:
    """Names that stand for what the file itself writes: strings, tuples of them; parameters of wrappers."""
    found: set[str] = set()
    for node in [*ast.walk(tree)] * 2:  # what is named below what uses it is known the second time
        if isinstance(node, ast.Assign) and written(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, (ast.For, ast.comprehension)) and written(node.iter, found):
            names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            found |= {name.id for name in names if isinstance(name, ast.Name)}
        elif isinstance(node, ast.FunctionDef) and node.name in METHODS | BEGINNERS:
            found |= {each.arg for each in node.args.args}  # its callers are looked at in its place
        elif isinstance(node, ast.ImportFrom):  # another file's own constants
            found |= {name.name for name in node.names if name.name.isupper()}
    return found - parameters(tree)


def parameters(tree: ast.Module) -> set[str]:
    """What functions are given in capital letters: no constants, whatever they look like."""
    arguments = (node for node in ast.walk(tree) if isinstance(node, ast.arg))
    return {node.arg for node in arguments if node.arg.isupper()}


def written(node: ast.AST, names: set[str]) -> bool:
    """Whether a value is made of strings that stand in the code alone."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, int, type(None)))
    if isinstance(node, ast.JoinedStr):
        return all(written(part, names) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return written(node.value, names)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(written(part, names) for part in node.elts)
    if isinstance(node, ast.Dict):
        return all(written(part, names) for part in node.values)
    if isinstance(node, ast.BinOp):
        return written(node.left, names) and written(node.right, names)
    if isinstance(node, ast.IfExp):
        return written(node.body, names) and written(node.orelse, names)
    if isinstance(node, ast.Subscript):
        return written(node.value, names)
    if isinstance(node, ast.Starred):
        return written(node.value, names)
    if isinstance(node, ast.GeneratorExp):
        return written(node.elt, names)
    if isinstance(node, ast.Call):
        makes = ast.unparse(node.func)
        return makes == "len" or (makes.endswith("'.join") and all(written(arg, names) for arg in node.args))
    if isinstance(node, ast.Name):
        return node.id in names
    return False


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_queries_are_written_in_the_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf8"))
    names = constants(tree)
    for node in ast.walk(tree):
        methods = METHODS | {OF_TABLES} if path.name in ("queue.py", "catalogue.py") else METHODS
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods:
            query = node.args[PLACES.get(node.func.attr, 0)]
            assert written(query, names), f"{path}:{node.lineno} {ast.unparse(query)}"


def test_the_files_are_found() -> None:
    assert {path.name for path in FILES} >= {"queue.py", "catalogue.py", "database.py", "ledger.py"}


@pytest.mark.parametrize(
    "query",
    [
        'f"DROP TABLE {name}"', '"SELECT " + name', "name", '"SELECT %s" % name', '", ".join(name)',
        "name.table", "made(name)",
    ],
)  # fmt: skip
def test_a_value_within_is_found(query: str) -> None:
    assert not written(ast.parse(query, mode="eval").body, set())


def test_a_parameter_in_capitals_is_no_constant() -> None:
    tree = ast.parse('TABLE = "jobs"\ndef waiting(self, ORDER="id"): ORDER = "id"')
    assert constants(tree) == {"TABLE"}
