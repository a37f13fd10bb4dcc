"""The files for containers and proxies: what they name is there, and what they promise holds.

No container engine is needed: the files are read, and the commands in them are run as far as they go.
"""

from __future__ import annotations

import fnmatch
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit import config as streamlit_config

from pcf_core.jobs import Queue
from pcf_core.jobs.processes import name_of
from pcf_core.settings import Settings
from tests.command_line import run_here

ROOT = Path(__file__).resolve().parent.parent
yaml: Any = importlib.import_module("yaml")
IMAGE = (ROOT / "Containerfile").read_text(encoding="utf8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
WORKERS = [name for name in SERVICES if name.startswith("worker-")]
GUIDE = (ROOT / "docs" / "operating.md").read_text(encoding="utf8")
LIFE_OF_A_CONTAINER = 30 * 24 * 3600  # seconds that a worker in one must at least wait for work


def instructions() -> list[tuple[str, str]]:
    """The instructions of the image, lines joined, without comments."""
    lines = [line for line in IMAGE.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def last(word: str) -> str:
    return [rest for name, rest in instructions() if name == word][-1]


def test_every_setting_that_is_named_is_one() -> None:
    known = {f"PCF_{name.upper()}" for name in Settings.model_fields}
    for text in (IMAGE, (ROOT / "compose.yaml").read_text(encoding="utf8"), GUIDE):
        assert set(re.findall(r"PCF_[A-Z_]*[A-Z]", text)) <= known
    options = {variable_of(option) for option in streamlit_config.get_config_options()}
    named = {name for service in SERVICES.values() for name in service.get("environment", {})}
    assert {name for name in named if name.startswith("STREAMLIT_")} <= options


def variable_of(option: str) -> str:
    """The environment variable of one of Streamlit's options: server.maxUploadSize."""
    return "STREAMLIT_" + re.sub("([A-Z])", r"_\1", option.replace(".", "_")).upper()


def test_what_the_image_copies_is_there_and_nothing_secret_is_among_it() -> None:
    for word, rest in instructions():
        if word == "COPY" and "--from" not in rest:
            assert rest.split()[0] == "." or list(ROOT.glob(rest.split()[0])), rest
    named = set(re.findall(r"requirements[\w-]*\.txt", IMAGE))
    assert all((ROOT / name).is_file() for name in named)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf8").split("\n")
    for path in (".git", "cache", "pcf.env", "pcf.toml", "config", ".streamlit/secrets.toml", ".venv"):
        assert path in ignored, f"{path} would be part of the image"
    untracked = {line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf8").split("\n")}
    for path in ("cache", "pcf.env", "pcf.toml", "config", ".streamlit/secrets.toml"):
        assert path in untracked, f"{path} would be committed"


def test_the_image_holds_all_that_the_program_reads() -> None:
    """Nothing that git holds and the program needs is ignored."""
    patterns = [
        line
        for line in (ROOT / ".dockerignore").read_text(encoding="utf8").splitlines()
        if line and not line.startswith("#")
    ]
    needed = ("app.py", ".streamlit/config.toml", "docs/about.md", "docs/glossary.md", "assets/models.toml")
    for path in (*needed, "pages/risk.py", "pcf_core/settings.py", "assets/cache/scores", "requirements.txt"):
        assert (ROOT / path).exists()
        assert not any(
            fnmatch.fnmatch(path, pattern) or path.startswith(f"{pattern}/") for pattern in patterns
        ), path


def test_nobody_in_a_container_is_root_or_writes_elsewhere() -> None:
    user = last("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert last("VOLUME") == "/data"
    assert re.search(r"PCF_CACHE=/data/\w+", last("ENV"))
    for service in SERVICES.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert "data:/data" in service["volumes"]
        assert not service.get("privileged")
    assert SERVICES["app"]["ports"] == ["127.0.0.1:${PORT:-8501}:8501"], "the proxy's host alone"


def test_the_log_in_can_be_read_by_who_runs() -> None:
    """Streamlit does not start beside secrets that it may not read, whatever the app would say."""
    user = last("USER").partition(":")[0]
    secrets = SERVICES["app"]["environment"]["STREAMLIT_SECRETS_FILES"].removeprefix("/")
    assert f"./{Path(secrets).parent}:/{Path(secrets).parent}:ro" in SERVICES["app"]["volumes"]
    assert f"`chown {user} {secrets}`" in GUIDE


def test_one_process_serves_what_the_other_asks() -> None:
    assert SERVICES["app"]["environment"]["PCF_START_WORKER"] == "false", "the app has no memory for models"
    assert {profile for name in WORKERS for profile in SERVICES[name]["profiles"]} == {
        *("cpu", "gpu", "ray", "ray-gpu")
    }
    for name in WORKERS:
        values = {
            key.removeprefix("PCF_").lower(): value
            for key, value in SERVICES[name]["environment"].items()
            if key.startswith("PCF_") and "$" not in value
        }
        configured = Settings(**values)
        assert configured.worker_idle_seconds >= LIFE_OF_A_CONTAINER
        assert SERVICES[name].get("deploy") == (SERVICES["worker-gpu"]["deploy"] if "gpu" in name else None)
        if configured.engine == "ray":  # it shares sockets and memory with a node: its container is one
            *_, command = SERVICES[name]["command"]
            assert re.findall(r"ray start --(\w+)", command) == ["address", "head"]
            assert command.endswith("&& exec python -m pcf_core worker")
            assert SERVICES[name]["network_mode"] == "host"
            assert SERVICES[name]["environment"]["RAY_AUTH_MODE"] == "token", "who reaches a node runs code"


def test_the_health_of_the_app_is_streamlits() -> None:
    path = re.search(r"http://127\.0\.0\.1:(\d+)(/[\w/]+)", last("HEALTHCHECK"))
    assert path is not None
    assert path[1] == last("EXPOSE")
    assert f"--server.port={path[1]}" in last("CMD")
    routes = importlib.import_module("streamlit.web.server.starlette.starlette_routes")
    assert path[2].removeprefix("/") in {getattr(routes, name) for name in dir(routes) if "HEALTH" in name}


def test_the_health_of_a_worker_is_its_heart(own_settings: Settings) -> None:
    """The command of compose.yaml, beside a worker and without one."""
    commands = {shlex.join(SERVICES[name]["healthcheck"]["test"][1:]) for name in WORKERS}
    assert commands == {"python -m pcf_core worker --health"}
    queue = Queue.open(own_settings.catalogue)
    assert health().returncode == 1
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    queue.heartbeat("elsewhere:1:1")
    assert health().returncode == 1, "a worker of another container"
    queue.heartbeat(name_of(sleeper.pid))
    found = health()
    assert found.returncode == 0, found.stderr
    assert "is alive" in found.stderr
    assert not found.stdout
    sleeper.communicate(b"\n")
    assert health().returncode == 1, "it has ended"


def health() -> subprocess.CompletedProcess[str]:
    return run_here("worker", "--health")


def test_the_log_in_is_pinned() -> None:
    """What Streamlit's extra asks for, exactly; the tests install it too."""
    lines = (ROOT / "requirements-login.txt").read_text(encoding="utf8").splitlines()
    pins = [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    asked = {re.split(r"[<>=;\s]", need)[0].lower() for need in _extra("auth")}
    assert {pin.split("==")[0].lower() for pin in pins} == asked
    assert "-r requirements-login.txt" in (ROOT / "requirements-dev.txt").read_text(encoding="utf8")


def _extra(name: str) -> list[str]:
    needs = importlib.import_module("importlib.metadata").requires("streamlit") or []
    return [need for need in needs if f'extra == "{name}"' in need]


@pytest.mark.parametrize("target", re.findall(r"`([\w./-]+\.(?:py|txt|toml|yaml|md|sqlite))`", GUIDE))
def test_the_guide_names_files_that_are_there(target: str) -> None:
    elsewhere = {"pcf.toml", "pcf.env", "config/secrets.toml", ".streamlit/secrets.toml", "catalogue.sqlite"}
    assert target in elsewhere or (ROOT / target).is_file()
