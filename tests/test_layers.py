"""The order of the packages in docs/architecture.md, proven from the imports."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

from pcf_core.core.families import LOCAL_FAMILIES

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "pcf_core"
# From the lowest up: a package imports itself and those before it.
ORDER = (
    *("core", "measure", "material", "store", "models", "audit", "mining", "texts", "work"),
    *("show", "report", "cli", "app"),
)
# Neighbours that stay apart although the order would let one import the other.
APART = {
    *((high, low) for high in ("show", "report") for low in ("work", "mining")),
    *(("store", low) for low in ("material", "measure")),
}
# No part of Streamlit's documented interface.
INNER = tuple(f"streamlit.{part}" for part in ("elements", "navigation", "proto", "runtime", "web"))
HEAVY = {"torch", "transformers", "spacy"}
MAY_BE_HEAVY = {
    "models/shortcuts.py",
    "models/conversion.py",
    "models/extent.py",
    "models/loading.py",
    "models/textpart.py",
    "mining/parser/pipeline.py",
    "texts/criteria/nli.py",
    "texts/fairpair/mean_pooling.py",
    *(f"models/scoring/{part}.py" for part in ("local", "causality", "levels", *LOCAL_FAMILIES)),
    *(f"models/generation/{writer}.py" for writer in ("drawing", "local", "seq2seq")),
}
FILES = sorted(path for path in CORE.rglob("*.py") if path.parent != CORE)


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


def package_of(path: Path) -> str:
    return path.relative_to(CORE).parts[0]


def tops_of(path: Path) -> set[str]:
    return {module.split(".")[0] for module in imports_of(path)}


def test_imports_go_downward() -> None:
    wrong = []
    for path in FILES:
        package = package_of(path)
        allowed = set(ORDER[: ORDER.index(package) + 1])
        others = {module.split(".")[1] for module in imports_of(path) if module.startswith("pcf_core.")}
        others -= {"__version__"}
        wrong += [(str(path.relative_to(CORE)), other) for other in others if other not in allowed]
        wrong += [(package, other) for other in others if (package, other) in APART]
    assert wrong == []


def test_the_order_is_the_documented_one() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf8")
    table = re.findall(r"^\| `pcf_core/(\w+)/` \|", text, re.MULTILINE)
    assert tuple(table[::-1]) == ORDER
    assert {path.name for path in CORE.iterdir() if path.is_dir() and any(path.glob("*.py"))} == set(ORDER)


def test_streamlit_torch_ray_and_fsspec_stay_in_their_files() -> None:
    for path in FILES:
        relative, tops = str(path.relative_to(CORE)), tops_of(path)
        assert "streamlit" not in tops or package_of(path) == "app", relative
        assert not tops & HEAVY or relative in MAY_BE_HEAVY, relative
        assert "ray" not in tops or relative == "work/ray_engine.py", relative
        assert "inspect_ai" not in tops or relative == "texts/inspected/tasks.py", relative
        assert "fsspec" not in tops or relative == "store/storage.py", relative


def test_one_file_knows_the_inner_workings_of_streamlit() -> None:
    knowing = {
        path.relative_to(ROOT).as_posix()
        for path in (*FILES, *(ROOT / "pages").glob("*.py"))
        if any(name.startswith(INNER) for name in imports_of(path))
    }
    assert knowing == {"pcf_core/app/inside.py"}


def test_nothing_imports_the_tasks_of_inspect() -> None:
    """Inspect is in an environment of its own: its logs are read without it."""
    for path in FILES:
        assert not any(name.startswith("pcf_core.texts.inspected.tasks") for name in imports_of(path)), path


def test_every_package_says_what_it_holds() -> None:
    for file in CORE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf8"))), file


def test_pages_are_short_and_import_no_science() -> None:
    for path in (ROOT / "pages").glob("*.py"):
        assert not tops_of(path) & {"numpy", "scipy", "torch", "plotly", "pandas"}, path.name


def loaded_by(code: str) -> set[str]:
    """The modules that a process has loaded once it has run the code."""
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    return set(answer.stdout.strip().splitlines()[-1].split())


def what_carries_out_jobs() -> set[str]:
    """The worker, and every file in which a kind of jobs is registered."""
    found = {
        f"pcf_core.work.{path.stem}"
        for path in (CORE / "work").glob("*.py")
        if re.search(r"^@job\(", path.read_text(encoding="utf8"), re.MULTILINE)
    }
    assert {"pcf_core.work.scoring", "pcf_core.work.mining"} <= found
    return found | {"pcf_core.work.worker"}


def test_the_app_process_asks_for_work_and_loads_nothing_that_does_it() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES if package_of(path) == "app"
    ]
    loaded = loaded_by("\n".join(f"import {name.removesuffix('.__init__')}" for name in modules))
    assert not loaded & {"torch", "transformers", "spacy"}
    assert not loaded & what_carries_out_jobs()


def test_a_page_loads_of_mining_only_the_lists_of_persons() -> None:
    """FairPair's words are told from names by them."""
    loaded = loaded_by("import pcf_core.app.page")
    assert not loaded & what_carries_out_jobs()
    assert {name for name in loaded if name.startswith("pcf_core.mining.")} <= {
        f"pcf_core.mining.{name}" for name in ("persons", "verbs", "parser", "parser.trees")
    }


def test_a_page_starts_without_what_few_pages_need() -> None:
    loaded = loaded_by("import pcf_core.app.shell, pcf_core.app.page, pcf_core.app.results.overview")
    assert not loaded & {"pandas", "scipy", "fsspec", "httpx2", "yaml", "pcf_core.models.endpoint"}
    assert not {
        name for name in loaded if name.startswith(("pcf_core.texts.fairpair.", "pcf_core.texts.criteria."))
    }
    assert not loaded & {"pcf_core.core.factors", "pcf_core.core.tails", "pcf_core.material.published"}


def test_the_command_line_starts_without_what_few_commands_need() -> None:
    loaded = loaded_by("import pcf_core.__main__")
    assert not loaded & {"pandas", "scipy", "torch"}
    assert not loaded & what_carries_out_jobs()


def pinned(requirements: str) -> set[str]:
    """The packages that a file of requirements names, as they are imported."""
    lines = (ROOT / requirements).read_text(encoding="utf8").splitlines()
    return {line.split("==")[0].replace("-", "_") for line in lines if re.match(r"[\w-]+==", line)}


def test_the_tasks_of_inspect_load_only_what_their_environment_has() -> None:
    """Inspect cannot start a task that imports more than requirements-inspect.txt has."""
    tasks = ast.parse((CORE / "texts" / "inspected" / "tasks.py").read_text(encoding="utf8"))
    own = [
        ast.unparse(node)
        for node in tasks.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pcf_core.")
    ]
    assert own
    missing = pinned("requirements.txt") - pinned("requirements-inspect.txt")
    assert {"httpx2", "pandas", "torch"} <= missing
    assert not loaded_by("\n".join(own)) & missing
