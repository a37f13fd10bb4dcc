"""README, CONTRIBUTING, CHANGELOG, docs/ and CITATION.cff name what is there."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from pcf_core.__main__ import app
from pcf_core.app.shell import SECTIONS
from tools.ship_results import PUBLIC
from tools.take_pictures import PAGES

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
PLACES = ("pcf_core", "tests", "tools", "assets", "pages", "docs", "benchmarks")
LONGEST_README = 200  # lines
LARGEST_PICTURE = 200_000  # bytes
SIZE_MAY_DIFFER = 0.25  # of a folder of assets, as a share: lists grow by a line or two

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def anchors_of(document: Path) -> set[str]:
    """The anchors that headings get: small letters, hyphens for spaces, no other signs."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_document
def test_every_link_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf8")):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        place = document.parent / name if name else document
        assert place.is_file(), target
        assert not anchor or anchor in anchors_of(place), target


@every_document
def test_every_file_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf8")
    named = set(re.findall(r"(?<![\w.])`([a-z_]+/[\w./-]*)", text))
    missing = [
        name
        for name in named
        if name.startswith(PLACES) and "NAME" not in name and not (ROOT / name).exists()
    ]
    assert missing == []


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
# Options of pip, docker, make, mypy, Ray, vLLM and Inspect, which commands in the documents use too.
FOREIGN = {
    *("--build", "--detach", "--generation-config", "--head", "--only-binary", "--reasoning-effort"),
    *("--require-hashes", "--silent", "--strict", "--system-message", "--top-k", "--limit", "--epochs"),
    "--no-enable-prefix-caching",
}


@every_document
def test_every_command_that_is_shown_exists(document: Path) -> None:
    text = document.read_text(encoding="utf8")
    for module in re.findall(r"python -m ((?:tools|benchmarks)[\w.]*)", text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module
    commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert set(re.findall(r"(?:python -m pcf_core|(?:`|\n)pcf-audit) ([a-z]+)", text)) <= commands
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|(?<=\n))make ([a-z-]+)(?:`| +#)", text)) <= targets


@every_document
def test_every_option_that_is_shown_is_one_of_its_command(document: Path) -> None:
    options = dict(options_of_commands(typer.main.get_command(app)))
    text = re.sub(r"\\\n\s*|\n\s+(?=[\[-])", " ", document.read_text(encoding="utf8"))
    code = re.findall(r"`([^`\n]+)`", text) + re.findall(
        r"^(?:python -m pcf_core|pcf-audit) .*", text, re.MULTILINE
    )
    for line in code:
        words = re.sub(r"^(python -m pcf_core|pcf-audit) |\s#.*|[;&].*", "", line).split()
        name = next((two for two in (" ".join(words[:2]), " ".join(words[:1])) if two in options), None)
        if name:
            assert set(OPTION.findall(line)) <= options[name], line
    named = set(OPTION.findall(text)) - set().union(*options.values()) - FOREIGN
    assert {option for option in named if not is_named_by_a_tool(option)} == set()


def options_of_commands(command: Any, name: str = "") -> Iterator[tuple[str, set[str]]]:
    """Yield the name and the options of a command and those below it."""
    yield name, {"--help", *(option for one in command.params for option in (*one.opts, *one.secondary_opts))}
    for inner, below in getattr(command, "commands", {}).items():
        yield from options_of_commands(below, f"{name} {inner}".strip())


def is_named_by_a_tool(option: str) -> bool:
    parameter = option.removeprefix("--no-").removeprefix("--").replace("-", "_")
    return option in sources_of_tools() or f"{parameter}: Annotated" in sources_of_tools()


@cache
def sources_of_tools() -> str:
    files = [path for folder in ("tools", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))]
    return "".join(path.read_text(encoding="utf8") for path in files)


def test_pictures_are_those_that_are_taken_and_small() -> None:
    shown = [
        (document.parent / picture).relative_to(ROOT)
        for document in DOCUMENTS
        for picture in re.findall(r"!\[[^]]+\]\((\S+\.png)\)", document.read_text(encoding="utf8"))
    ]
    pictures = {path.stem: path.stat().st_size for path in (ROOT / "docs").glob("*.png")}
    assert {path.parent for path in shown} == {Path("docs")}
    assert set(pictures) == {*PAGES, "report"} == {path.stem for path in shown}
    assert max(pictures.values()) < LARGEST_PICTURE


def test_the_readme_says_what_each_page_answers() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    table = readme.partition("## What each page answers")[2].partition("\n## ")[0]
    named = {name for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) for name in row.split(", ")}
    assert named - {"page"} == {title for pages in SECTIONS.values() for _, title, _ in pages}


def test_every_document_is_found_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    assert [path.name for path in DOCUMENTS[1:] if f"{path.name})" not in readme] == []


def test_every_asset_is_explained_with_its_size() -> None:
    text = (ROOT / "docs" / "assets.md").read_text(encoding="utf8")
    rows = re.findall(r"^\| `([\w.-]+)/?` \| ([\d.]+) (kB|MB) \|", text, re.MULTILINE)
    said = {name: float(figure) * {"kB": 1e3, "MB": 1e6}[unit] for name, figure, unit in rows}
    there = {path.name: size_of(path) for path in (ROOT / "assets").iterdir()}
    assert said.keys() == there.keys()
    wrong = [name for name, size in there.items() if abs(said[name] / size - 1) > SIZE_MAY_DIFFER]
    assert wrong == []
    models = "".join(re.findall(r"^\| `(.+)` \| [\d.]+ .*MB", text, re.MULTILINE))
    assert all(
        path.name in (models if path.is_dir() else text) for path in (ROOT / "assets" / "models").iterdir()
    )


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def test_every_module_that_contributors_are_told_to_use_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    for name in re.findall(r"`pcf_core\.([\w.]+)`", text):
        room, _, function = name.rpartition(".")
        path = ROOT / "pcf_core" / room.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        assert re.search(rf"\b{function}\b", file.read_text(encoding="utf8")), name


def test_the_version_to_be_cited_is_that_of_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation


def test_the_readme_is_short_and_its_result_is_that_of_the_shipped_models() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    assert readme.count("\n") <= LONGEST_README
    models = (ROOT / "docs" / "models.md").read_text(encoding="utf8")
    rows = re.findall(
        r"^\| ((?:SmolLM2|Gemma)-[\w-]+) \| (.+) \| (.+) \| (.+) \| in (\d+) of 120 \|$",
        readme,
        re.MULTILINE,
    )
    assert tuple(name for name, *_ in rows) == PUBLIC
    for name, *figures in rows:
        (line,) = re.findall(rf"^\| `{name}` \| gender \| (.+) \|$", models, re.MULTILINE)
        assert line.split(" | ")[: len(figures)] == figures, name  # what README leaves out comes last
    (first, second) = re.findall(r"\b[0-9a-f]{16}\b", readme)
    runs = [
        json.loads((ROOT / "assets" / "cache" / "runs" / f"{key}.json").read_text())
        for key in (first, second)
    ]
    assert tuple(run["run"]["scoring"]["model"] for run in runs) == PUBLIC


def test_about_says_no_more_of_the_correction_than_was_measured() -> None:
    """It took "nearly all" of the bias, where the tables of all populations have one that it overshot."""
    left: dict[tuple[str, bool], list[float]] = {}
    for case in recorded_coverage():
        left.setdefault((case["T"], float(case["R^p"]) >= 0.2), []).append(float(case["corrected"]))
    said = " ".join((ROOT / "docs" / "about.md").read_text(encoding="utf8").split())
    assert "takes most of that bias where prejudice is 0.2 or more, and may overshoot" in said
    assert "with ten it can leave a prejudice of 0.2 up to 0.01 too small" in said
    assert min(left["10", True]) == pytest.approx(-0.01, abs=0.001)
    assert all(
        min(several) > min(left["10", True]) for key, several in left.items() if key[1] and key[0] != "10"
    )


def test_the_table_of_coverage_shows_the_worst_recorded_cases() -> None:
    rows: dict[tuple[str, str], list[dict[str, str]]] = {}
    for case in recorded_coverage():
        rows.setdefault((case["population"], case["weights"]), []).append(case)
    text = (ROOT / "docs" / "measured-coverage.md").read_text(encoding="utf8")
    missing = []
    for (population, weights), cases in rows.items():
        lowest = [min(float(case[f"{risk} coverage"]) for case in cases) for risk in ("R", "R^p", "R^c")]
        widest = [max(float(case[f"{risk} width"]) for case in cases) for risk in ("R", "R^p", "R^c")]
        near, far = (
            [abs(float(case["corrected"])) for case in cases if (float(case["R^p"]) >= 0.2) is large]
            for large in (False, True)
        )
        figures = [f"{figure:.1f}" for figure in lowest] + [f"{figure:.2f}" for figure in widest]
        figures += [f"{max(biases):.3f}" if biases else "–" for biases in (near, far)]
        line = f"| {population} | {weights} | {' | '.join(figures)} |"
        missing += [line] if line not in text else []
    assert missing == []


def recorded_coverage() -> list[dict[str, str]]:
    with (ROOT / "benchmarks" / "recorded" / "coverage.csv").open(encoding="utf8") as file:
        return list(csv.DictReader(file))
