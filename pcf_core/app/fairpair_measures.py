"""The dissimilarities Φ on the tab FairPair: which are asked for, and what each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pcf_core.texts.fairpair.records import EMBEDDING, USUAL_DISSIMILARITIES, FairPairResult

WHAT: Mapping[str, str] = {
    "jaccard": "words that two texts do not share, of all that they have",
    "jaccard-others": "as jaccard, without the words that the exchange itself touches, such as he and she",
    "sentiment": "how far two texts are apart in VADER's score",
}


def chosen_measures(encoder: str) -> tuple[str, ...]:
    """Return what the form asks for: the default measures, and an encoder's distance where it names one."""
    return (*USUAL_DISSIMILARITIES, *([f"{EMBEDDING}:{encoder}"] if encoder else []))


def measures_of(results: Iterable[FairPairResult]) -> dict[str, str]:
    """Return the Φ that all of these results have, each with a sentence on what it is.

    Raises
    ------
    ValueError
        No result.
    """
    first, *others = [result.reports for result in results]
    return {name: f"{name}: {_what(name)}." for name in first if all(name in other for other in others)}


def _what(name: str) -> str:
    if name.startswith(f"{EMBEDDING}:"):
        return "half the distance of vectors that this model makes of two texts"
    return WHAT.get(name, "another dissimilarity, from 0, alike, to 1")
