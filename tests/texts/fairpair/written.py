"""A FairPair run that is really made, by a generator whose texts are given, for pages to read."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.fakes import FakeGenerator
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.models.generation.base import Generator
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, FairPairMaterial, fairpair_asked
from pcf_core.work.pairing import run_fairpair

SMALL: dict[str, str | list[str]] = {"fp_category": ["pets"], "fp_each": "2"}  # what the page asks for
EVIL = "<script>alert(1)</script> see www.evil.example or **me@evil.example** $x$ :smile:"


def distribution(prompt: str) -> Mapping[str, float]:
    """Family only for Jane; for both a text that would be markup, and an empty one."""
    rest = {f" {EVIL}": 0.2, "": 0.1, " Then he read a book.": 0.3}
    return {**rest, (" The children were home." if "Jane" in prompt else " The office was full."): 0.4}


def fake(spec: ModelSpec, decoding: Decoding) -> Generator:
    return FakeGenerator(distribution, key=GenerationKey.of(spec, decoding))


def write_small(store: Store, model: str = "mini-gpt", temperature: float = 1.0) -> None:
    """Keep what the page finds under :data:`SMALL`."""
    prompts = selected(load_prompts("common-sents-1"), ["pets"], 2)
    key = GenerationKey.of(resolve(model), Decoding(temperature=temperature))
    asked = fairpair_asked(key, prompts, table := load_table("gender"), FairPairOptions(count=25))
    FAIRPAIR_AUDIT.keep(store, asked, FairPairMaterial(prompts, table))
    run_fairpair(asked, store, fake)
