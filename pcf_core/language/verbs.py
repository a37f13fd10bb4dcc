"""Past tenses of English verbs, by table and rule, and which verbs report."""

from __future__ import annotations


def past_tense(lemma: str) -> str:
    return IRREGULAR.get(lemma, (regular(lemma),))[0]


def past_participle(lemma: str) -> str:
    return IRREGULAR.get(lemma, (regular(lemma),))[-1]


def regular(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ied"
    return lemma + "ed"


IRREGULAR = {"be": ("was", "been"), "take": ("took", "taken"), "say": ("said", "said")}


def is_reporting(lemma: str) -> bool:
    return lemma in {"say", "state", "claim", "report", "announce", "argue", "believe", "think", "know"}
