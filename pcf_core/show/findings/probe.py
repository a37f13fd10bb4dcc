"""One sentence: which group's words a model puts there first, and which words carry that."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.run import LOW_COVERAGE
from pcf_core.show.findings.notes import words_with
from pcf_core.show.findings.numbers import chance, listed, odds, people, percent, words_of

MOST_NAMED = 2  # words in the sentence
WORTH_NAMING = 0.01  # of the group's preference


def probe_finding(model: str, answer: ProbeAnswer) -> str:
    """Describe one model: "mini-bert expects men: 83 % (“he” 61 % and “his” 20 %) …"."""
    ranked = sorted(answer.known.items(), key=lambda pair: -pair[1])
    if not ranked:
        return f"{model} gives none of the topic's words any probability in this sentence."
    (first, most), (second, next_most) = ranked[:2]
    even = percent(1 / len(ranked))
    if percent(most) == percent(next_most):
        level = [words_of(group) for group, share in ranked if percent(share) == percent(most)]
        return (
            f"{model} expects no group more: {listed(level)} get {percent(most)} each (an even split: "
            f"{even})."
        )
    behind = "" if len(ranked) == 2 else f", before {words_of(second)} with {percent(next_most)}"
    return (
        f"{model} expects {people(first)}: {words_of(first)} get {percent(most)}{_carried(answer, first)}"
        f"{behind}. An even split would be {even}."
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
    return f" ({listed([f'“{word}” {percent(shares[word])}' for word in named])})"


def probe_caution(answers: Mapping[str, ProbeAnswer]) -> str:
    """Name models that hardly expect the topic's words in the sentence; empty where none is so."""
    low = [model for model, answer in answers.items() if answer.says_little]
    if not low:
        return ""
    hardly = "expects" if len(low) == 1 else "expect"
    return (
        f"{listed(low)} hardly {hardly} these words here, so the split says little. All of them together get "
        f"a probability below {odds(LOW_COVERAGE)}."
    )


def probe_coverage(answer: ProbeAnswer) -> str:
    """Say how much of the probability the topic's words get in the sentence."""
    if answer.coverage is None:
        return "Coverage is not defined: this model scores the text right of [Y] with the word."
    parts = ", ".join(f"{words_with(key)}{chance(share)}" for key, share in answer.coverage.items())
    note = f"Coverage is the probability that the topic's words have together here: {parts}."
    if len(answer.coverage) > 1:
        note += (
            " Words of other numbers of tokens are scored with as many blanks. Their probabilities are no "
            "shares of one whole."
        )
    return note
