"""The table of rooms in the README, proven from the imports."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "pcf_core"
BASE = {"records", "errors", "settings", "__init__"}
ROOMS: dict[str, set[str]] = {
    "records": {"errors"},
    "errors": set(),
    "settings": {"errors"},
    "topics": BASE,
    "risk": BASE,
    "store": BASE,
    "models": BASE,
    "language": BASE,
    "mining": BASE | {"topics", "language"},
    "stats": BASE | {"risk"},
    "scoring": BASE | {"models", "topics", "stats"},
    "generation": BASE | {"models", "scoring"},
    "audit": BASE | {"topics", "store", "risk", "stats"},
    "fairpair": BASE | {"topics", "language", "mining", "models", "scoring", "generation", "stats"},
    "criteria": BASE | {"topics", "language", "models", "scoring", "generation", "stats"},
    "charts": BASE,
    "findings": BASE,
    "report": BASE
    | {"topics", "risk", "stats", "store", "charts", "findings", "audit", "fairpair", "criteria"},
    "jobs": BASE
    | {"topics", "risk", "store", "models", "stats", "scoring", "generation", "audit", "language", "mining"}
    | {"fairpair", "criteria"},
}
ROOMS["commands"] = BASE | set(ROOMS)
ROOMS["__main__"] = BASE | set(ROOMS)
ROOMS["ui"] = BASE | set(ROOMS) - {"__main__"}
HEAVY = {"torch", "transformers", "spacy"}
LOCAL_FAMILIES = ("local", "masked", "causal", "seq2seq", "permutation")
MAY_BE_HEAVY = {
    "models/loading.py",
    "criteria/nli.py",
    "language/pipeline.py",
    "language/schemes.py",
    *(f"scoring/{name}.py" for name in LOCAL_FAMILIES),
    "fairpair/mean_pooling.py",
    *(f"generation/{name}.py" for name in ("local", "seq2seq")),
}
FILES = sorted(path for path in CORE.rglob("*.py") if path != CORE / "__init__.py")


@functools.cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module a file imports anywhere, with the names taken from packages."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def room_of(path: Path) -> str:
    part = path.relative_to(CORE).parts[0]
    return part.removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORE)))
def test_a_room_imports_only_what_the_table_allows(path: Path) -> None:
    room = room_of(path)
    for module in imports_of(path):
        if module.startswith("pcf_core."):
            other = module.split(".")[1]
            assert other == room or other in ROOMS[room], f"{room} may not import {module}"


def test_the_readme_has_the_table_that_is_proven() -> None:
    """Rows that name rooms; what every room may import, *records* in the README, is not said each time."""
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    rows = dict(re.findall(r"^\| `pcf_core/(\w+)/` \| .* \| (.*) \|$", readme, re.MULTILINE))
    assert set(rows) | BASE | {"__main__"} == {*ROOMS, "__init__"}
    for room, cell in rows.items():
        if not cell.startswith("all "):
            assert set(cell.split(", ")) - BASE == ROOMS[room] - BASE, room


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORE)))
def test_streamlit_and_torch_stay_in_their_rooms(path: Path) -> None:
    relative = str(path.relative_to(CORE))
    tops = {module.split(".")[0] for module in imports_of(path)}
    assert "streamlit" not in tops or room_of(path) == "ui"
    assert not tops & HEAVY or relative in MAY_BE_HEAVY


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORE)))
def test_ray_and_fsspec_stay_in_their_files(path: Path) -> None:
    """Ray is optional: only files that are imported for the engine ray may name it."""
    relative = str(path.relative_to(CORE))
    tops = {module.split(".")[0] for module in imports_of(path)}
    assert "ray" not in tops or relative in {"jobs/ray_engine.py", "jobs/ray_pool.py"}
    assert "fsspec" not in tops or relative == "store/places.py"


def test_the_command_line_starts_without_what_few_commands_need() -> None:
    code = "import sys, pcf_core.__main__; print(sorted({'pandas', 'scipy', 'torch'} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_every_room_says_its_layer() -> None:
    for room in CORE.iterdir():
        if room.is_dir() and any(room.glob("*.py")):
            docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf8")))
            assert docstring, f"{room.name}/__init__.py says what the room does and may import"


def test_pages_are_short_and_import_no_science() -> None:
    for path in (ROOT / "pages").glob("*.py"):
        tops = {module.split(".")[0] for module in imports_of(path)}
        assert not tops & {"numpy", "scipy", "torch", "plotly", "pandas"}, (
            f"{path.name} computes or draws itself"
        )


def test_the_app_process_never_imports_torch() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES if room_of(path) == "ui"
    ]
    code = (
        "import importlib, sys\n"
        f"for name in {modules!r}: importlib.import_module(name.removesuffix('.__init__'))\n"
        "print(sorted({'torch', 'transformers', 'spacy'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert answer.stdout.strip().splitlines()[-1] == "[]"
