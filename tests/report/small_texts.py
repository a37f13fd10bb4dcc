"""Small results of FairPair and of the criteria, whose texts are given; packs of them, forged too."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from pcf_core.core.errors import AuditError
from pcf_core.core.generation import Decoding, Generated, GenerationKey
from pcf_core.core.records import LeftOut, digest
from pcf_core.core.run import ModelSpec, ScoringKey, TokenTable
from pcf_core.report.packs import canonical, pack_bytes, pack_parts
from pcf_core.store.files import sha256
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import load_experiment
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.perturbation import together
from pcf_core.texts.fairpair.prompts import OWN, Draft
from pcf_core.texts.fairpair.records import (
    COUNTERPARTS,
    FairPairResult,
    PerturbationErrors,
    PerturbedTexts,
    PromptPairs,
)
from pcf_core.texts.fairpair.report import measured
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.packed import PackedCriteria, PackedFairPair
from pcf_core.work.criteria import CRITERIA_AUDIT, by_words, scored_asked, written_asked
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked
from pcf_core.work.packing import packed_criteria, packed_fairpair
from tests.report.small_packs import written

SPEC = ModelSpec(
    name="theirs", family="causal", path="", identity="0123456789abcdef", tokenizer="fedcba98", parameters=1
)
KEY = GenerationKey.of(SPEC, Decoding(length=10))
PROMPTS = OWN.make(
    {
        "name": "few",
        "prompts": [Draft("{name} is a nurse.", "work"), Draft("{name} likes soup.", "food")],
        "title": "Few",
    }
)
TABLE = load_table("gender")
OF_JOHN = (" He is kind.", " He works at home.", " It was a good day.", "", " Nobody knew him well, he said.")
OF_JANE = (" She is kind.", " She has a child.", " It was a bad day.", "", " She cooks soup for a child.")
EXCHANGED = {" He": " She", " him": " her", " he": " she"}
MADE = {"pcf_core": "0.2.0", "device": "cpu"}


def given(prompt: str, said: Sequence[str], count: int) -> Generated:
    """So many texts, in turn."""
    texts = tuple(islice(cycle(said), count))
    return Generated(prompt, 0, texts, tuple("stop" if text else "empty" for text in texts), (3,) * count)


def exchanged(text: str) -> str:
    for one, other in EXCHANGED.items():
        text = text.replace(one, other)
    return text


def add_fairpair(store: Store, key: GenerationKey = KEY, count: int = 10, fold: int | None = None) -> str:
    """Keep a FairPair result as a worker does; return the key of its request."""
    asked = fairpair_asked(key, PROMPTS, TABLE, FairPairOptions(count=count, fold_size=fold))
    FAIRPAIR_AUDIT.keep(store, asked, FairPairMaterial(PROMPTS, TABLE))
    counterparts = tuple(text.replace("John", "Jane") for text in PROMPTS.texts)
    store.save_document(asked.pairs_hash, COUNTERPARTS, {"texts": list(counterparts)})
    pairs, errors = [], []
    for prompt, counterpart in zip(PROMPTS.prompts, counterparts, strict=True):
        original, written = given(prompt.text, OF_JOHN, count), given(counterpart, OF_JANE, count)
        for one in (original, written):
            store.write_texts(key, one, {})
        errors.append(
            PerturbationErrors(
                table=TABLE.name,
                mode="whole",
                texts=count,
                changed_texts=count,
                changed=count,
                returned_texts=count,
                not_returned={},
                left={},
                left_texts=0,
            )
        )
        made = PerturbedTexts(
            prompt=prompt.text, texts=tuple(map(exchanged, original.texts)), errors=errors[-1]
        )
        store.save_document(asked.pairs_hash, digest(prompt.text), made.model_dump(mode="json"))
        pairs.append(PromptPairs(prompt.text, made.texts, written.texts, prompt.category, prompt.fact))
    found = measured(asked, TABLE, pairs)
    side = {"stop": 2 * count - 2 * (count // 5), "length": 0, "refused": 0, "empty": 2 * (count // 5)}
    result = FairPairResult(
        asked=asked,
        counterparts=counterparts,
        reports=found.reports,
        convergence=found.convergence,
        words=found.words,
        errors=together(errors),
        ends={"original": side, "prompt": side},
        declined={"original": 0, "prompt": 0},
        provenance=MADE,
    )
    FAIRPAIR_AUDIT.save(store, result)
    return asked.hash


SAID = (" It was the nurse.", " The doctor did.", " she said", "")


def add_written(
    store: Store, experiment: ExperimentName = "tasks", material: str | Path = "", key: GenerationKey = KEY
) -> str:
    """Keep a result of an experiment that was written; hobbies without the embedding score."""
    made = load_experiment(experiment, material)
    asked = written_asked(made, key, "continuation", 2)
    CRITERIA_AUDIT.keep(store, asked, made)
    texts = {}
    for place, ask in enumerate(made.asks("continuation")):
        texts[ask.cell] = given(ask.prompt, SAID[place % 3 :], 2)
        store.write_texts(key.with_system(ask.system), texts[ask.cell], {})
    ends = [end for one in texts.values() for end in one.ends]
    read = made.without_vectors if isinstance(made, Hobbies) else made.report
    result = CriteriaResult(
        asked=asked,
        report=read({cell: one.texts for cell, one in texts.items()}),
        ends={"stop": ends.count("stop"), "length": 0, "refused": 0, "empty": ends.count("empty")},
        left_out=(),
        provenance=MADE,
    )
    CRITERIA_AUDIT.save(store, result)
    return asked.hash


def add_scored(store: Store, refused: Sequence[str] = ()) -> str:
    """Keep a result of the tasks whose words were scored."""
    made, key = load_experiment("tasks"), ScoringKey.of(SPEC)
    asked = scored_asked(made, key)
    CRITERIA_AUDIT.keep(store, asked, made)
    nats = {}
    for words, alike in by_words(made.scored_asks()).items():
        known = [word for word in words if word not in refused]
        table = TokenTable(dict.fromkeys(known, 1), {word: "no tokens" for word in words if word in refused})
        values = -1 - np.arange(len(alike) * len(known)).reshape(len(alike), -1) % 7 / 7
        store.write(key, [ask.text for ask in alike], words, table, values, {})
        rows = store.gather(key, [ask.text for ask in alike], words).tolist()
        nats |= {ask.cell: tuple(row) for ask, row in zip(alike, rows, strict=True)}
    result = CriteriaResult(
        asked=asked,
        report=made.scored_report(nats),
        ends={},
        left_out=tuple(LeftOut(name=word, reason="no tokens") for word in refused),
        provenance=MADE,
    )
    CRITERIA_AUDIT.save(store, result)
    return asked.hash


def packed_texts(
    store: Store, *, fairpair: Sequence[str] = (), criteria: Sequence[str] = (), runs: Sequence[str] = ()
) -> bytes:
    """A pack of results by their keys."""
    return pack_bytes(
        *pack_parts(
            store,
            runs,
            "Ann's lab",
            fairpair=[packed_fairpair(store, key) for key in fairpair],
            criteria=[packed_criteria(store, key) for key in criteria],
        )
    )


def forged(one: PackedFairPair | PackedCriteria, change: Callable[[Any], Any]) -> bytes:
    """A pack of a result that a forger changed, with the key and checksums that fit."""
    body = change(json.loads(canonical(one)))
    key = one.result.asked.hash
    with suppress(KeyError, ValueError, AuditError):  # it asks for nothing: any key does
        key = type(one.result.asked).model_validate(body["result"]["asked"]).hash
    kind = "fairpair" if isinstance(one, PackedFairPair) else "criteria"
    name, data = f"{key}/{kind}.json", written(body)
    part = {"name": name, "size": len(data), "sha256": sha256(data)}
    manifest = {
        "format": "pcf-audit-pack",
        "version": 2,
        "runs": [],
        "fairpair": [],
        "criteria": [],
        "scored_by": "Ann",
        "licence": "",
        "versions": {},
        "parts": [part],
    }
    return pack_bytes(written(manifest | {kind: [key]}), {name: data})
