"""Runs of a pack, kept beside those that were scored here and apart from them.

What is kept is written anew from values that were checked: no byte of a pack lies in the cache as it came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pcf_core.core.errors import PackError
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.report.packs import Block, Content, Pack, PackManifest, all_words
from pcf_core.store.files import seal, sha256
from pcf_core.store.results import RunInfo
from pcf_core.store.shards import encode, file_names, manifest_of, now
from pcf_core.store.store import Store


@dataclass(frozen=True)
class Arrived:
    """What became of an import: the runs that are new here, and those that were here with the same scores."""

    new: tuple[RunSpec, ...]
    known: tuple[RunSpec, ...]


def import_pack(store: Store, pack: Pack, signature: str) -> Arrived:
    """Keep the runs of a pack that was checked; all of them or none.

    Parameters
    ----------
    store
        Where they are kept, apart from what is scored here.
    pack
        What :func:`read_pack` gave.
    signature
        What was found of its signature, see :func:`pcf_core.report.signing.signature_of`.

    Raises
    ------
    PackError
        A run is here already with other scores, or says other scores of the same sentences.
    StoreError
        The cache is full or read-only.
    """
    new: dict[str, Mapping[str, bytes]] = {}
    known: list[RunSpec] = []
    imported = {info.run.key for info in store.imported_runs()}
    _must_agree_within(pack)
    for content in pack.contents:
        run = content.run
        if store.is_made_here(run.key):
            _must_agree(store, content, run.scoring, whole=True)
            known.append(run)
        elif run.key in imported:
            _must_agree(store, content, run.as_imported.scoring, whole=True)
            known.append(run.as_imported)
        else:
            _must_agree(store, content, run.as_imported.scoring, whole=False)
            new[run.key] = _kept_files(content, pack.manifest, sha256(pack.signed), signature)
    if new:
        store.add_imported(new)
    arrived = (content.run.as_imported for content in pack.contents if content.run.key in new)
    return Arrived(tuple(arrived), tuple(known))


def _must_agree(store: Store, content: Content, key: ScoringKey, *, whole: bool) -> None:
    """Refuse scores that are not those known under a key; ``whole``: every one has to be known."""
    table, known = content.table, store.known_words(key)
    other = any(known.tokens.get(word, count) != count for word, count in table.tokens.items())
    other |= bool(set(known.tokens) & set(table.refused) or set(known.refused) & set(table.tokens))
    for block in content.parts():
        values = store.gather(key, block.prompts, block.words)
        missing = np.isnan(values)
        other |= bool((whole and missing.any()) or (values != block.values)[~missing].any())
    if other:
        run = content.run
        where = "is here already" if whole else "contradicts an earlier import of the same model"
        raise PackError(
            f"The run {run.key} of {run.scoring.model} {where}, with other scores: nothing was imported; "
            "delete the other one on the page Models, or leave this pack."
        )


def _must_agree_within(pack: Pack) -> None:
    """Refuse a pack whose runs of one model give other scores of the same prompt and word."""
    seen: dict[tuple[str, str], list[tuple[Block, int]]] = {}
    several = Counter(content.run.scoring.hash for content in pack.contents)
    for content in pack.contents:
        scoring = content.run.scoring.hash
        for block in content.blocks if several[scoring] > 1 else ():
            for row, prompt in enumerate(block.prompts):
                for other, place in seen.get((scoring, prompt), ()):
                    words = [word for word in block.words if word in other.words]
                    here = block.values[row, [block.words.index(word) for word in words]]
                    there = other.values[place, [other.words.index(word) for word in words]]
                    if (here != there).any():
                        raise PackError(
                            f"Two runs of this pack give other scores of {prompt[:60]!r}: nothing was "
                            "imported; ask for it anew."
                        )
                seen.setdefault((scoring, prompt), []).append((block, row))


def _kept_files(
    content: Content, manifest: PackManifest, fingerprint: str, signature: str
) -> dict[str, bytes]:
    """Return the files of an imported run, by path in its folder; no byte of the pack is kept as it is."""
    run, packed = content.run, content.packed
    imported = {
        "scored_by": manifest.scored_by,
        "licence": manifest.licence,
        "signature": signature,
        "manifest": fingerprint,
        "at": now().isoformat(),
    }
    info = RunInfo(
        run=run,
        complete=True,
        created=packed.created,
        provenance={**packed.provenance, "imported": imported},
    )
    files = {f"runs/{run.key}.json": seal(info.model_dump(mode="json"))}
    told = Block((), all_words(run), np.zeros((0, len(content.table.tokens)), dtype=np.float32))
    for block in (told, *content.parts()):
        words = tuple(
            word for word in block.words if word in content.table.tokens or word in content.table.refused
        )
        data = encode(block.prompts, block.values)
        shard = manifest_of(run.scoring, block.prompts, words, content.table, data, packed.created, {})
        data_name, manifest_name = file_names(shard.shard)
        folder = f"scores/{run.scoring.hash}"
        files[f"{folder}/{data_name}"] = data
        files[f"{folder}/{manifest_name}"] = seal(shard.model_dump(mode="json"))
    return files
