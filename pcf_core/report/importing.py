"""Import of a pack's runs and text audits, stored apart from those made here; SSH signatures of packs.

Files are written anew from checked values: no byte of a pack is stored as it came.  Signatures are made and
checked by ``ssh-keygen -Y`` (OpenSSH 8.2 and newer); a signer is named only if the operator lists the key in
the file of ``PCF_SIGNERS``.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pcf_core.core.errors import PackError
from pcf_core.core.generation import Generated
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.report.packs import Block, Content, Pack, all_words
from pcf_core.show.findings.notes import other_lists_note
from pcf_core.show.findings.provenance import KEPT as IMPORTED
from pcf_core.store.files import seal, sha256
from pcf_core.store.results import RunInfo
from pcf_core.store.shards import encode, file_names, manifest_of, now
from pcf_core.store.store import Store
from pcf_core.store.texts import encode_part
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import FairPairResult

if TYPE_CHECKING:
    from pcf_core.texts.packed import Checked
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pcf_core.material.safety.text import check_text

TextResult = FairPairResult | CriteriaResult


@dataclass(frozen=True)
class Arrived:
    """The outcome of an import: new results, identical ones, and notes on other counts or weights."""

    new: tuple[RunSpec, ...]
    known: tuple[RunSpec, ...]
    new_texts: tuple[TextResult, ...] = ()
    known_texts: tuple[TextResult, ...] = ()
    notes: tuple[str, ...] = ()


def import_pack(store: Store, pack: Pack, signature: str) -> Arrived:
    """Store the runs and text audits of a checked pack, all or none; ``signature``: :func:`signature_of`.

    Raises
    ------
    PackError
        A result is here already with other scores or texts, contradicts scores of the same sentences, or
        belongs
        to a run that is not finished here.
    StoreError
        The cache is full or read-only, or another process imports or deletes.
    """
    with store.importing():
        return _imported(store, pack, signature)


def _imported(store: Store, pack: Pack, signature: str) -> Arrived:
    mark = {  # stored with each result
        "scored_by": pack.manifest.scored_by,
        "licence": pack.manifest.licence,
        "signature": signature,
        "manifest": sha256(pack.signed),
        "at": now().isoformat(),
    }
    new: dict[str, Mapping[str, bytes]] = {}
    existing: list[RunSpec] = []
    imported = {info.run.key for info in store.imported_runs()}
    _must_agree_within(pack)
    for content in pack.contents:
        run = content.run
        if store.is_made_here(run.key):
            _must_agree(store, content, run.scoring, whole=True)
            existing.append(run)
        elif run.key in imported:
            _must_agree(store, content, run.as_imported.scoring, whole=True)
            existing.append(run.as_imported)
        else:
            _must_agree(store, content, run.as_imported.scoring, whole=False)
            new[run.key] = _run_files(content, mark)
    _must_agree_in_texts(store, pack.texts)
    here = set(store.imported_texts())
    new_texts = [one for one in pack.texts if one.result.asked.hash not in here]
    if new or new_texts:
        texts = {one.result.asked.hash: _text_files(one, mark) for one in new_texts}
        store.add_imported(new, texts)
    arrived = (content.run.as_imported for content in pack.contents if content.run.key in new)
    return Arrived(
        tuple(arrived),
        tuple(existing),
        tuple(one.result for one in new_texts),
        tuple(one.result for one in pack.texts if one.result.asked.hash in here),
        tuple(
            note
            for content in pack.contents
            if (note := other_lists_note(content.run, store.load_run(content.run.key), "pack"))
        ),
    )


def _must_agree_in_texts(store: Store, several: Sequence[Checked]) -> None:
    """Refuse texts or results that contradict an earlier import or another result of the pack."""
    documents: dict[tuple[str, str], Mapping[str, Any]] = {}
    texts: dict[tuple[str, str, int], Generated] = {}
    for one in several:
        request = one.result.asked
        stored = store.load_document(request.hash, one.kind)
        same = stored is None or _unmarked(stored) == _unmarked(one.result.model_dump(mode="json"))
        for address, body in one.documents.items():
            other = documents.setdefault(address, store.load_document(*address) or body)
            same &= other == body
        for key, block in one.texts:
            count = len(block.texts)
            first = texts.setdefault((key.hash, block.prompt, block.first), block)
            same &= all(map(operator.eq, first.texts, block.texts))
            there = store.texts(key, block.prompt, block.first + count)
            if there is not None:
                same &= there.texts[block.first :] == block.texts
        if not same:
            raise PackError(
                f"The {one.kind} result {request.hash} of {request.key.model} contradicts an earlier import, "
                "or another result of this pack: nothing was imported; delete the other one on the page "
                "Models, or leave this pack."
            )


def _unmarked(stored: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in stored["provenance"].items() if name != IMPORTED}
    return {**stored, "provenance": made}


def _text_files(one: Checked, mark: Mapping[str, str]) -> dict[str, bytes]:
    provenance = {**one.result.provenance, IMPORTED: {**mark, "as_it_came": list(one.as_it_came)}}
    result = one.result.model_copy(update={"provenance": provenance})
    documents = {
        **one.documents,
        (result.asked.hash, one.kind): result.model_dump(mode="json"),
    }
    files = {f"results/{key}/{name}.json": seal(body) for (key, name), body in documents.items()}
    for key, block in one.texts:
        manifest, data = encode_part(key, block, {})
        data_name, manifest_name = file_names(manifest.shard)
        files[f"texts/{key.hash}/{data_name}"] = data
        files[f"texts/{key.hash}/{manifest_name}"] = seal(manifest.model_dump(mode="json"))
    return files


def _must_agree(store: Store, content: Content, key: ScoringKey, *, whole: bool) -> None:
    """Refuse scores that contradict those stored under a key; ``whole``: every one must be stored."""
    run, table, stored = content.run, content.table, store.known_words(key)
    other = any(stored.tokens.get(word, count) != count for word, count in table.tokens.items())
    other |= bool(set(stored.tokens) & set(table.refused) or set(stored.refused) & set(table.tokens))
    lacking = False
    for block in content.parts():
        gathered = store.gather_with_left(key, block.prompts, block.words)
        missing, has_left = np.isnan(gathered.values), gathered.has_left
        lacking |= bool(missing.any())
        other |= bool((gathered.values != block.values)[~missing].any())
        if block.left is not None:
            other |= not np.array_equal(gathered.left[has_left], block.left[has_left], equal_nan=True)
    if whole and lacking and not other:
        raise PackError(
            f"The run {run.key} of {run.scoring.model} is here, but some of its scores are not: nothing was "
            "imported; score it to its end, or delete it on the page Models, then import the pack."
        )
    if other:
        where = "is here already" if whole else "contradicts an earlier import of the same model"
        raise PackError(
            f"The run {run.key} of {run.scoring.model} {where}, with other scores: nothing was imported; "
            "delete the other one on the page Models, or leave this pack."
        )


def _must_agree_within(pack: Pack) -> None:
    """Refuse a pack whose runs of one model contradict each other."""
    seen: dict[tuple[str, str], list[tuple[Block, int]]] = {}
    several = Counter(content.run.scoring.hash for content in pack.contents)
    for content in pack.contents:
        scoring = content.run.scoring.hash
        for block in content.blocks if several[scoring] > 1 else ():
            for row, prompt in enumerate(block.prompts):
                for other, other_row in seen.get((scoring, prompt), ()):
                    words = [word for word in block.words if word in other.words]
                    here = block.values[row, [block.words.index(word) for word in words]]
                    there = other.values[other_row, [other.words.index(word) for word in words]]
                    if (here != there).any():
                        raise PackError(
                            f"Two runs of this pack give other scores of {prompt[:60]!r}: nothing was "
                            "imported; ask for it again."
                        )
                seen.setdefault((scoring, prompt), []).append((block, row))


def _run_files(content: Content, mark: Mapping[str, str]) -> dict[str, bytes]:
    run, packed = content.run, content.packed
    info = RunInfo(
        run=run,
        complete=True,
        created=packed.created,
        provenance={**packed.provenance, IMPORTED: mark},
    )
    files = {f"runs/{run.key}.json": seal(info.model_dump(mode="json"))}
    word_block = Block((), all_words(run), np.zeros((0, len(content.table.tokens)), dtype=np.float32))
    for block in (word_block, *content.parts()):
        words = tuple(
            word for word in block.words if word in content.table.tokens or word in content.table.refused
        )
        data = encode(block.prompts, block.values, block.left)
        shard = manifest_of(run.scoring, block.prompts, words, content.table, data, packed.created, {})
        data_name, manifest_name = file_names(shard.shard)
        folder = f"scores/{run.scoring.hash}"
        files[f"{folder}/{data_name}"] = data
        files[f"{folder}/{manifest_name}"] = seal(shard.model_dump(mode="json"))
    return files


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
        raise PackError(f"A pack is signed by {PROGRAM}, which is not on this machine: install OpenSSH.")
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
            raise PackError("The signature of this pack is not one of its manifest: ask for it again.")
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
