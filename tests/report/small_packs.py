"""A small run with scores in a store, and packs of it; also packs that a forger changed and sealed again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from pcf_core.audit.slots import by_writing
from pcf_core.core.run import RunSpec, ScoringKey, TokenTable
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.report.importing import Arrived, import_pack
from pcf_core.report.packs import Pack, PackManifest, Part, canonical, pack_bytes, pack_parts, read_pack
from pcf_core.store.files import sha256
from pcf_core.store.store import Store

KEY = ScoringKey(
    model="theirs", identity="0123456789abcdef", tokenizer="fedcba98", family="causal", rules="1"
)
PROVENANCE: dict[str, Any] = {"device": "cpu", "versions": {"pcf_core": "0.2.0"}}


def small_run(key: ScoringKey = KEY, terms: tuple[str, ...] = ("nurse", "clerk")) -> RunSpec:
    """A run in which words also begin a sentence."""
    groups = (Group(name="male", words=("he", "him")), Group(name="female", words=("she",)))
    texts = ("The [X] said that [Y]", "[Y] met the [X]", "The [X] knew [Y]")
    templates = tuple(Template(text=text, count=float(place + 1)) for place, text in enumerate(texts))
    return RunSpec(
        scoring=key,
        topic=Topic(name="gender", title="Gender", groups=groups),
        evidence=Evidence(name="few", title="Few", terms=terms),
        templates=TemplateSet(name="three", title="Three", templates=templates),
    )


def score(store: Store, run: RunSpec, shift: float = 0.0) -> RunSpec:
    """Keep scores of a run: numbers that all differ; the tokenizer refuses "him"."""
    for words, rows in by_writing(run.prompts, run.topic.words).items():
        accepted = [word for word in words if word.lower() != "him"]
        refused = {word: "it is not in the vocabulary" for word in words if word not in accepted}
        table = TokenTable(dict.fromkeys(accepted, 1), refused, at_start=dict.fromkeys(accepted, 1))
        prompts = [run.prompts[row] for row in rows]
        values = -1 - shift - np.arange(len(prompts) * len(accepted)).reshape(len(prompts), -1) / 7
        store.write(run.scoring, prompts, words, table, values, {})
    store.write(run.scoring, (), run.topic.words, _table(run), np.zeros((0, 2)), {})
    store.save_run(run, PROVENANCE)
    return run


def _table(run: RunSpec) -> TokenTable:
    accepted = [word for word in run.topic.words if word != "him"]
    return TokenTable(dict.fromkeys(accepted, 1), {"him": "it is not in the vocabulary"})


def packed(store: Store, *runs: RunSpec, by: str = "Ann") -> bytes:
    """A pack of runs."""
    return pack_bytes(*pack_parts(store, [run.key for run in runs], by))


def brought(store: Store, data: bytes, signature: str = "not signed") -> Arrived:
    """Import a pack."""
    return import_pack(store, read_pack(data), signature)


def parts_of(data: bytes) -> tuple[PackManifest, dict[str, bytes]]:
    """The manifest of a good pack, and its parts."""
    pack: Pack = read_pack(data)
    place, parts = len(pack.signed) + 30 + len("manifest.json"), {}
    for part in pack.manifest.parts:
        begin = place + 30 + len(part.name)
        parts[part.name] = data[begin : begin + part.size]
        place = begin + part.size
    return pack.manifest, parts


def changed(data: bytes, name: str, change: Callable[[Any], Any]) -> bytes:
    """A pack with one part changed and all checksums made to fit, as a forger would.

    ``name``: the end of a part's name, or ``manifest.json``.  JSON is given as a value, other parts as bytes.
    """
    manifest, parts = parts_of(data)
    for part, content in parts.items():
        if part.endswith(name):
            given = json.loads(content) if name.endswith(".json") else content
            made = change(given)
            parts[part] = made if isinstance(made, bytes) else written(made)
    listed = tuple(Part(name=part, size=len(one), sha256=sha256(one)) for part, one in parts.items())
    body = json.loads(canonical(manifest.model_copy(update={"parts": listed})))
    return pack_bytes(written(change(body) if name == "manifest.json" else body), parts)


def written(value: Any) -> bytes:
    """JSON as packs have it."""
    return json.dumps(value, ensure_ascii=False, indent=1).encode()
