"""SSH signatures of packs and of statements on reports.

They are made and checked by ``ssh-keygen -Y`` (OpenSSH 8.2 and newer); a signer is named only if the operator
lists the key in ``PCF_SIGNERS``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pcf_core.core.errors import PackError
from pcf_core.material.safety.text import check_text

NAMESPACE = "pcf-audit"
PROGRAM = "ssh-keygen"
PATIENCE = 30  # seconds
PATTERN = frozenset("*?!")  # wildcards in the file of signers name nobody
NOT_SIGNED, UNKNOWN, NOT_CHECKED = "not signed", "unknown key", "not checked"


def sign(signed: bytes, key: Path) -> bytes:
    """Sign bytes with a key file without passphrase, or the public half of a key of ``ssh-agent``.

    Raises PackError if there is no ``ssh-keygen``, or it rejects the key.
    """
    if shutil.which(PROGRAM) is None:
        raise PackError(f"Files are signed by {PROGRAM}, which is not on this machine: install OpenSSH.")
    if not key.is_file():
        raise PackError(f"{str(key)!r} is no key file: give one that {PROGRAM} made.")
    done = _run("sign", "-f", str(key), "-n", NAMESPACE, data=signed)
    if done is None or done.returncode or not done.stdout:
        raise PackError(
            f"{PROGRAM} does not sign with {key.name}: give a key without a passphrase, or the public half "
            "of one that ssh-agent holds."
        )
    return done.stdout


def signature_of(signed: bytes, signature: bytes, signers: Path | None) -> str:
    """Return whose signature it is: "signed by NAME", "unknown key", "not checked" or "not signed".

    ``signers``: the operator's file of allowed signers.  Raises PackError if the signature is not of these
    bytes.
    """
    if not signature:
        return NOT_SIGNED
    if shutil.which(PROGRAM) is None:
        return NOT_CHECKED
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "signature"
        path.write_bytes(signature)
        checked = _run("check-novalidate", "-n", NAMESPACE, "-s", str(path), data=signed)
        if checked is None:
            return NOT_CHECKED
        if checked.returncode:
            raise PackError("The signature is not one of these contents: ask for the file again.")
        if signers is None or not signers.is_file():
            return UNKNOWN
        principals = _run("find-principals", "-s", str(path), "-f", str(signers))
        names = (
            principals.stdout.decode(errors="replace").splitlines()
            if principals and not principals.returncode
            else []
        )
        for name in (name.strip() for name in names if not PATTERN & set(name)):
            given = ("-f", str(signers), "-I", name, "-n", NAMESPACE, "-s", str(path))
            verified = _run("verify", *given, data=signed)
            if name and verified is not None and not verified.returncode:
                return f"signed by {check_text(name, 'the name', 'PCF_SIGNERS', PackError)}"
    return UNKNOWN


def _run(what: str, *options: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    """Run ``ssh-keygen -Y`` without asking for a passphrase; return ``None`` if it does not finish."""
    try:
        return subprocess.run(
            [PROGRAM, "-Y", what, *options],
            input=data,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            start_new_session=True,  # without a terminal to ask on
            env={**os.environ, "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
