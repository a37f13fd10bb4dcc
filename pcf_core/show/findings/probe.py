"""One sentence: which group a model prefers there, and which words matter most."""

from __future__ import annotations

from collections.abc import Mapping

from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.run import LOW_COVERAGE
from pcf_core.show.findings.notes import coverage_sentence
from pcf_core.show.findings.numbers import percent
from pcf_core.show.wording import sentences

MOST_NAMED = 2  # words in the sentence
WORTH_NAMING = 0.01  # of the group's preference

say = sentences("probe")


def probe_finding(model: str, answer: ProbeAnswer) -> str:
    """Describe one model's answer: "mini-bert expects men: 83 % (“he” 61 % and “his” 20 %) …"."""
    ranked = sorted(answer.known.items(), key=lambda pair: -pair[1])
    if not ranked:
        return say("no_probability", model=model)
    (first, most), (second, next_most) = ranked[:2]
    even = 1 / len(ranked)
    if percent(most) == percent(next_most):
        level = [group for group, share in ranked if percent(share) == percent(most)]
        return say("level", model=model, groups=level, share=most, even=even)
    return say(
        "expects",
        model=model,
        group=first,
        share=most,
        words=_carried(answer, first),
        behind="" if len(ranked) == 2 else second,
        share_behind=next_most,
        even=even,
    )


def _carried(answer: ProbeAnswer, group: str) -> list[str]:
    """Name the most probable words of a group with several."""
    shares = answer.shares
    words = [word.word for word in answer.words if word.group == group and word.word in shares]
    if len(words) < 2:
        return []
    largest = sorted(words, key=lambda word: -shares[word])[:MOST_NAMED]
    least = WORTH_NAMING * (answer.preferences[group] or 0.0)
    named = [word for index, word in enumerate(largest) if not index or shares[word] >= least]
    return [say("word_with", word=word, share=shares[word]) for word in named]


def probe_caution(answers: Mapping[str, ProbeAnswer]) -> str:
    """Name models for which the topic's words are improbable in the sentence."""
    low = [model for model, answer in answers.items() if answer.says_little]
    return say("hardly_expected", models=low, limit=LOW_COVERAGE) if low else ""


def probe_coverage(answer: ProbeAnswer) -> str:
    """State the probability of the topic's words together in the sentence."""
    if answer.coverage is None:
        return say("coverage_undefined")
    note = coverage_sentence(answer.coverage, left_only=answer.left_only)
    return note if len(answer.coverage) < 2 else f"{note} {say('several_numbers_of_tokens')}"
