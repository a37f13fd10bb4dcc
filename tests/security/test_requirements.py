"""``requirements-production.txt``: every package that is installed, exactly, with the hashes of its files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from pcf_core.core.settings import ROOT

FILES = sorted(ROOT.glob("requirements*.txt"))
WHEELS = "--only-binary :all:"
PRODUCTION = ROOT / "requirements-production.txt"
DIRECT = [name for name in ("requirements.txt", "requirements-login.txt") if (ROOT / name).is_file()]
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def pins(text: str) -> dict[str, set[str]]:
    """Versions by name; of a file as pip reads it, lines that go on joined."""
    versions: dict[str, set[str]] = {}
    for line in text.replace("\\\n", " ").splitlines():
        wanted = line.split("#")[0].split("--hash")[0].strip()
        if wanted and not wanted.startswith("-"):
            requirement = Requirement(wanted)
            (version,) = requirement.specifier
            assert version.operator == "==", wanted
            versions.setdefault(re.sub(r"[-_.]+", "-", requirement.name).lower(), set()).add(version.version)
    return versions


@pytest.mark.parametrize("name", DIRECT)
def test_what_is_asked_for_is_what_is_pinned(name: str) -> None:
    locked = pins(PRODUCTION.read_text(encoding="utf8"))
    for package, versions in pins((ROOT / name).read_text(encoding="utf8")).items():
        assert locked.get(package) == versions, f"make {PRODUCTION.name} again, as its head says: {package}"


def test_inspect_has_our_packages_in_our_versions() -> None:
    """A task reads prompts with our code: what both environments have is the same in both."""
    ours = pins((ROOT / "requirements.txt").read_text(encoding="utf8"))
    theirs = pins((ROOT / "requirements-inspect.txt").read_text(encoding="utf8"))
    assert set(theirs) - set(ours) == {"inspect-ai"}
    assert {name: theirs[name] for name in set(theirs) & set(ours)} == {
        name: ours[name] for name in set(theirs) & set(ours)
    }


def test_every_package_has_hashes() -> None:
    text = PRODUCTION.read_text(encoding="utf8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", WHEELS))]
    assert len(lines) > 100
    for line in lines:
        assert HASH.search(line), line[:80]
        assert not HASH.sub("", line).count("--hash"), line[:80]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_is_built(file: Path) -> None:
    """Building a package runs its code, with tools that no pin and no hash holds."""
    lines = file.read_text(encoding="utf8").splitlines()
    also = [ROOT / line.split()[1] for line in lines if line.startswith("-r ")]
    assert WHEELS in lines or any(WHEELS in other.read_text(encoding="utf8").splitlines() for other in also)
    assert not any("no-binary" in line or " @ " in line for line in lines)


def test_no_host_is_named() -> None:
    """Where packages come from is the operator's choice; hashes say whether they are the right ones."""
    text = PRODUCTION.read_text(encoding="utf8")
    assert "://" not in text
    assert not re.search(r"^\s*-(i|f|-index|-extra-index|-find-links|-trusted)", text, re.MULTILINE)
