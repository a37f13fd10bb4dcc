"""The word lists of the rules for Chinese: ``assets/language/zh/words.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pcf_core.core.records import digest
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.mining.persons import lists_identity

EVIDENCE = "occupations-zh"


@dataclass(frozen=True)
class Words:
    """The lists, each as the file explains it.

    ``person`` has the terms of the shipped occupations and all of ``male`` and ``female`` too; ``own``: verb
    -> the things that are of who does it.
    """

    person: frozenset[str]
    male: frozenset[str]
    female: frozenset[str]
    one: frozenset[str]
    saying: frozenset[str]
    before_saying: frozenset[str]
    with_saying: frozenset[str]
    own: Mapping[str, frozenset[str]]
    aspect: frozenset[str]
    negation: frozenset[str]
    cut: frozenset[str]
    organisation: tuple[str, ...]


def lists_of_chinese() -> str:
    """Hash all that :func:`words` is made of, the shipped occupations too."""
    return digest([lists_identity("zh"), load_evidence(EVIDENCE).hash])


@lru_cache(maxsize=1)
def words() -> Words:
    """Load the shipped lists, once."""
    path = settings().assets / "language" / "zh" / "words.toml"
    table = tomllib.loads(path.read_text(encoding="utf8"))
    lists = {name: frozenset(text.split()) for name, text in table.items() if isinstance(text, str)}
    lists["person"] |= lists["male"] | lists["female"] | frozenset(load_evidence(EVIDENCE).terms)
    organisation = tuple(sorted(lists.pop("organisation")))
    own = {verb: frozenset(things) for verb, *things in map(str.split, table["own"])}
    return Words(**lists, own=own, organisation=organisation)
