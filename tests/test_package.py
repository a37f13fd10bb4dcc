"""The package: what it asks for, what it holds, and that it works where it is installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import pcf_core
from pcf_core.app.method.about import TEXT
from pcf_core.app.method.how_it_works import GLOSSARY
from pcf_core.core import settings as places
from pcf_core.report.citing import FILE as CITATION
from tests.browser import unused_port, wait_until_healthy
from tests.command_line import ROOT, run_here

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
EXTRAS = {name: f"requirements-{name}.txt" for name in ("login", "peft", "ray", "tokenizers")}
SHIPPED_RUN = "0078922934aefc6b"
PAGES = ("pages/risk.py", "pages/method.py", "pages/why.py")
OPEN_PAGES = """
import sys
from streamlit.testing.v1 import AppTest
from pcf_core.core.settings import ROOT
for page in sys.argv[1:]:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run().switch_page(page).run()
    assert app.title and not app.exception and not app.error, (page, app.exception, app.error)
"""


def pins(name: str) -> dict[str, str]:
    """Versions by name, of what the file itself pins."""
    lines = (ROOT / name).read_text(encoding="utf8").splitlines()
    wanted = [line.split("#")[0].strip() for line in lines]
    return {
        canonicalize_name(package): version
        for package, _, version in (line.partition("==") for line in wanted if "==" in line)
    }


@pytest.mark.parametrize("name", ["requirements.txt", *EXTRAS.values()])
def test_what_the_package_asks_for_is_what_is_pinned(name: str) -> None:
    """By the same names, and the pin is in the range."""
    extra = {file: extra for extra, file in EXTRAS.items()}.get(name)
    project = PROJECT["project"]
    asked = project["optional-dependencies"][extra] if extra else project["dependencies"]
    ranges = {canonicalize_name(one.name): one.specifier for one in map(Requirement, asked)}
    pinned = pins(name)
    assert ranges.keys() == pinned.keys()
    assert [package for package in pinned if pinned[package] not in ranges[package]] == []
    assert all("==" not in str(allowed) for allowed in ranges.values()), "pins are in requirements.txt"


def test_the_version_is_the_same_everywhere() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)", changes, re.MULTILINE)
    assert PROJECT["project"]["version"] == pcf_core.__version__ == released[0]


def test_the_wheel_holds_what_the_program_reads_beside_itself() -> None:
    shipped = {Path(source): target for source, target in WHEEL["force-include"].items()}
    assert all((ROOT / source).exists() for source in shipped)
    assert set(shipped.values()) == {f"pcf_core/shipped/{source}" for source in WHEEL["force-include"]}
    read = {path.relative_to(ROOT) for path in (TEXT, GLOSSARY, CITATION)}
    assert {Path("app.py"), Path("pages"), Path("assets"), Path(".streamlit/config.toml")} | read == set(
        shipped
    )


def test_the_workflow_runs_what_is_there_by_pinned_actions() -> None:
    steps = [
        step
        for file in (ROOT / ".github" / "workflows").glob("*.yml")
        for job in yaml.safe_load(file.read_text(encoding="utf8"))["jobs"].values()
        for step in job["steps"]
    ]
    actions = [step["uses"] for step in steps if "uses" in step]
    assert [action for action in actions if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+\.\d+\.\d+", action)] == []
    commands = "\n".join(step["run"] for step in steps if "run" in step)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE)
    assert {"check", "wheel"} <= set(re.findall(r"make ([\w-]+)", commands)) <= set(targets)
    assert all((ROOT / path).is_file() for path in re.findall(r"(?:^| )(\.ci/\w+|tests/\w+\.py)", commands))


def test_in_a_checkout_all_lies_together() -> None:
    assert not places.INSTALLED
    assert ROOT == places.ROOT
    assert places.Settings.model_fields["cache"].default == ROOT / "cache"
    assert places.Settings.model_config["toml_file"] == ROOT / "pcf.toml"


def test_once_installed_the_users_files_lie_where_xdg_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "INSTALLED", True)
    monkeypatch.setenv("XDG_DATA_HOME", "/data/mine")
    assert places.own_folder("XDG_DATA_HOME", "~/.local/share") == Path("/data/mine/pcf-audit")
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert places.own_folder("XDG_DATA_HOME", "~/.local/share") == Path("~/.local/share/pcf-audit")


def test_a_clone_has_an_empty_cache_that_git_leaves_alone() -> None:
    def asked(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.strip()

    if not (ROOT / ".git").exists():
        pytest.skip("no clone")
    assert asked("ls-files", "cache") == "cache/.gitignore"
    assert asked("check-ignore", "cache/catalogue.sqlite", "cache/.gitignore") == "cache/catalogue.sqlite"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An environment with the wheel in it, and with the libraries of this one."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = [*pip, "wheel", ".", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "libraries.pth").write_text("\n".join(libraries), encoding="utf8")
    python = str(folder / "venv" / "bin" / "python")
    install = [*pip, "--python", python, "install", "--no-deps", "--no-index", str(wheel)]
    done = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    before = contents(packages)
    yield folder
    assert contents(packages) == before, "the program wrote beside itself"


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file, except what Python itself compiles."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def environment(folder: Path) -> dict[str, str]:
    """Of somebody who has set nothing."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PCF_", "XDG_", "PYTHON"))
    }
    return {**kept, "HOME": str(folder / "home")}


def answer(folder: Path, *command: str) -> str:
    """What a program of the environment prints, asked in a folder that is not the checkout."""
    elsewhere, program = folder / "elsewhere", folder / "venv" / "bin" / command[0]
    elsewhere.mkdir(exist_ok=True)
    done = subprocess.run(
        [program, *command[1:]],
        cwd=elsewhere,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_holds_no_more_than_git_does(installed: Path) -> None:
    (wheel,) = installed.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    there = {name.replace("pcf_core/shipped/", "", 1) for name in names}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert there <= set(tracked.stdout.splitlines())
    assert {"pcf_core/__main__.py", "app.py", "pages/risk.py", "assets/models.toml"} < there


@pytest.mark.slow
def test_the_commands_are_those_of_a_checkout(installed: Path) -> None:
    assert " run " in answer(installed, "pcf-audit", "--help")
    models = json.loads(answer(installed, "pcf-audit", "models", "--json"))
    assert {"mini-bert", "mini-gpt"} < {model["name"] for model in models}
    risk = answer(installed, "pcf-audit", "risk", SHIPPED_RUN, "--json")
    assert risk == answer(installed, "python", "-m", "pcf_core", "risk", SHIPPED_RUN, "--json")
    assert json.loads(risk) == json.loads(run_here("risk", SHIPPED_RUN, "--json").stdout)


@pytest.mark.slow
def test_its_pages_open(installed: Path) -> None:
    answer(installed, "python", "-c", OPEN_PAGES, *PAGES)


@pytest.mark.slow
def test_a_model_is_scored_into_the_users_folder(installed: Path) -> None:
    (installed / "one.csv").write_text("template,count\nThe [X] murmured that [Y],1\n", encoding="utf8")
    options = ["--model", "mini-gpt-s", "--templates", str(installed / "one.csv"), "--json"]
    asked = json.loads(answer(installed, "pcf-audit", "score", *options))
    assert asked["scored"] == asked["cells"] == 120
    assert list((installed / "home").glob(".local/share/pcf-audit/cache/scores/*/*.parquet"))


@pytest.mark.slow
def test_the_app_is_opened_by_a_command(installed: Path) -> None:
    port, log = unused_port(), installed / "log"
    command = [installed / "venv" / "bin" / "pcf-audit", "run", "--headless", "--port", str(port)]
    with log.open("w", encoding="utf8") as output:
        process = subprocess.Popen(
            command, cwd=installed, env=environment(installed), stdout=output, stderr=subprocess.STDOUT
        )
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}", process, log)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/risk", timeout=30) as page:
                assert page.status == 200
        finally:
            process.terminate()
            process.wait(timeout=30)
