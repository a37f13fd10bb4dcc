"""Signatures of packs: a name is told of keys that the operator lists, and of no others."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pcf_core.core.errors import PackError
from pcf_core.report.signatures import sign, signature_of

needs_program = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
SIGNED = b"a manifest"


def make_key(folder: Path, name: str, passphrase: str = "") -> Path:
    path = folder / name
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


def listed(folder: Path, *entries: tuple[str, Path]) -> Path:
    signers = folder / "signers"
    lines = [f"{name} {key.with_name(key.name + '.pub').read_text()}" for name, key in entries]
    signers.write_text("".join(lines))
    return signers


@needs_program
def test_a_listed_key_is_told_by_name_and_another_is_not(tmp_path: Path) -> None:
    ann, bob = make_key(tmp_path, "ann"), make_key(tmp_path, "bob")
    signers = listed(tmp_path, ("ann@example.org", ann))
    signature = sign(SIGNED, ann)
    assert sign(SIGNED, ann) == signature, "the same bytes"
    assert signature_of(SIGNED, signature, signers) == "signed by ann@example.org"
    assert signature_of(SIGNED, sign(SIGNED, bob), signers) == "unknown key"
    assert signature_of(SIGNED, signature, None) == "unknown key"
    assert signature_of(SIGNED, signature, tmp_path / "gone") == "unknown key"
    assert signature_of(SIGNED, b"", signers) == "not signed"


@needs_program
def test_a_key_that_is_listed_for_something_else_is_unknown(tmp_path: Path) -> None:
    ann = make_key(tmp_path, "ann")
    signers = tmp_path / "signers"
    key = ann.with_name("ann.pub").read_text()
    signers.write_text(f'ann@example.org namespaces="git" {key}')
    assert signature_of(SIGNED, sign(SIGNED, ann), signers) == "unknown key"
    signers.write_text(f'ann@example.org valid-before="20200101" {key}')
    assert signature_of(SIGNED, sign(SIGNED, ann), signers) == "unknown key"


@needs_program
@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("*", "unknown key"),
        ("*@example.org", "unknown key"),
        ("!bob@example.org,*", "unknown key"),
        ("*@example.org,ann@example.org", "signed by ann@example.org"),
    ],
)
def test_a_pattern_is_nobody_s_name(tmp_path: Path, entry: str, said: str) -> None:
    ann = make_key(tmp_path, "ann")
    assert signature_of(SIGNED, sign(SIGNED, ann), listed(tmp_path, (entry, ann))) == said


@needs_program
def test_a_signature_of_something_else_is_refused(tmp_path: Path) -> None:
    ann = make_key(tmp_path, "ann")
    signature = sign(SIGNED, ann)
    other = tmp_path / "other"
    other.write_bytes(SIGNED)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", ann, "-n", "git", other], check=True)
    for signed, given in [
        (b"another manifest", signature),
        (SIGNED, signature.replace(b"A", b"B", 3)),
        (SIGNED, b"no signature"),
        (SIGNED, other.with_name("other.sig").read_bytes()),
    ]:
        with pytest.raises(PackError, match="is not one of these contents"):
            signature_of(signed, given, listed(tmp_path, ("ann", ann)))


@needs_program
def test_a_key_that_cannot_sign_is_refused_and_nobody_is_asked(tmp_path: Path) -> None:
    locked = make_key(tmp_path, "locked", passphrase="long enough")
    with pytest.raises(PackError, match="does not sign with locked"):
        sign(SIGNED, locked)
    with pytest.raises(PackError, match="is no key file"):
        sign(SIGNED, tmp_path / "none")


def test_without_the_program_nothing_is_signed_or_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert signature_of(SIGNED, b"a signature", None) == "not checked"
    assert signature_of(SIGNED, b"", None) == "not signed"
    with pytest.raises(PackError, match="install OpenSSH"):
        sign(SIGNED, tmp_path / "key")
