"""One sentence: which group's words a model puts there first, and which words carry that."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.run import LOW_COVERAGE
from pcf_core.show.findings.notes import words_of as words_with
from pcf_core.show.findings.numbers import listed, number, words_of

MOST_NAMED = 2  # words in the sentence
WORTH_NAMING = 0.01  # of the group's preference


def probe_finding(model: str, answer: ProbeAnswer) -> str:
    """Describe one model: "mini-bert puts male words first: 0.83 (he 0.61 and his 0.2) …"."""
    ranked = sorted(answer.known.items(), key=lambda pair: -pair[1])
    if not ranked:
        return f"{model} gives none of the topic's words any probability in this sentence."
    (first, most), (second, next_most) = ranked[:2]
    even = number(1 / len(ranked))
    if number(most) == number(next_most):
        level = [words_of(group) for group, share in ranked if number(share) == number(most)]
        return (
            f"{model} puts no group first: {listed(level)} get {number(most)} each (an even split: {even})."
        )
    behind = "" if len(ranked) == 2 else f", before {words_of(second)} with {number(next_most)}"
    return (
        f"{model} puts {words_of(first)} first: {number(most)}{_carried(answer, first)}{behind}; an even "
        f"split would be {even}."
    )


def _carried(answer: ProbeAnswer, group: str) -> str:
    """Name the words that bring most to a group of several; nothing where it has one word."""
    shares = answer.shares
    words = [word.word for word in answer.words if word.group == group and word.word in shares]
    if len(words) < 2:
        return ""
    largest = sorted(words, key=lambda word: -shares[word])[:MOST_NAMED]
    least = WORTH_NAMING * (answer.preferences[group] or 0.0)
    named = [word for place, word in enumerate(largest) if not place or shares[word] >= least]
    return f" ({listed([f'“{word}” {number(shares[word])}' for word in named])})"


def probe_caution(answers: Mapping[str, ProbeAnswer]) -> str:
    """Name models that hardly expect the topic's words in the sentence; empty where none is so."""
    low = [model for model, answer in answers.items() if answer.says_little]
    if not low:
        return ""
    return (
        f"These words are hardly expected here: all of them together get less than {number(LOW_COVERAGE)} of "
        f"the probability by {listed(low)}, so that their split says little."
    )


def probe_coverage(answer: ProbeAnswer) -> str:
    """Say how much of the probability the topic's words get in the sentence."""
    if answer.coverage is None:
        return "Coverage is not defined: this model scores the text right of [Y] with the word."
    parts = ", ".join(f"{words_with(key)}{number(share)}" for key, share in answer.coverage.items())
    note = f"Coverage, what the topic's words take of the probability here: {parts}."
    if len(answer.coverage) > 1:
        note += (
            " Words of different numbers of tokens are scored with that many blanks, so that their "
            "probabilities are no shares of one whole."
        )
    return note
