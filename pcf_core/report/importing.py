"""Import of a pack's runs and text audits, stored apart from those made here.

Files are written anew from checked values: no byte of a pack is stored as it came.
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
    """Store the runs and text audits of a checked pack, all or none; ``signature``: of ``signature_of``.

    Raises
    ------
    PackError
        A result is here already with other scores or texts, contradicts scores of the same sentences, or
        belongs
        to a run that is not finished here.
    StoreError
        The cache is full or read-only, or another process imports or deletes.
    """
    with store.importing(), store.steady():
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
