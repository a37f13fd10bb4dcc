"""Which answers of a knowledge set count, and how probable the right ones are among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.words import select_words, shares_of
from pcf_core.records import FloatArray, Group, LeftOut, Protocol, TokenTable, Topic
from pcf_core.records.knowledge import Fact, KnowledgeSet


@dataclass(frozen=True)
class AnswerProbabilities:
    """``facts``: those that count, with the answers that count.  ``values``: [fact, template] p(right |
    right or wrong).  ``elsewhere``: for each fact [subject, template] the same in the prompts of the subjects
    that have none of its right answers, possibly of no subject.
    """

    facts: tuple[Fact, ...]
    values: FloatArray
    elsewhere: tuple[FloatArray, ...]
    left_out: tuple[LeftOut, ...]


def usable_answers(
    words: Sequence[str], table: TokenTable, protocol: Protocol
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """The answers that count, and those that do not with the reason."""
    reasons = {word: table.refused[word] for word in words if word in table.refused}
    if protocol == "single-token":
        reasons |= {
            word: f"{table.tokens[word]} tokens, and the protocol takes words of one"
            for word in words
            if word in table.tokens and table.tokens[word] != 1
        }
    kept = tuple(word for word in words if word not in reasons)
    return kept, tuple(LeftOut(name=word, reason=reasons[word]) for word in words if word in reasons)


def answer_probabilities(
    asked: KnowledgeSet,
    words: Sequence[str],
    unusable: Sequence[LeftOut],
    nats: FloatArray,
    table: TokenTable,
) -> AnswerProbabilities:
    """p(right | right or wrong) of every fact in every template.

    Args:
        asked: the set.
        words: the answers that count, in the order of the last axis.
        unusable: those that do not.
        nats: [fact, template, word] log-probabilities.
        table: says which answers the model cannot tell apart: of the right ones, or of the wrong ones, one
            counts, and what is right and wrong counts for neither.

    Returns:
        Facts of which a right and a wrong answer count, the others named with the reason.
    """
    column_of = {word: column for column, word in enumerate(words)}
    facts, values, elsewhere, left_out = [], [], [], list(unusable)
    for index, fact in enumerate(asked.facts):
        used = fact.model_copy(
            update={
                name: tuple(word for word in getattr(fact, name) if word in column_of)
                for name in ("right", "wrong")
            }
        )
        used, alike = _told_apart(used, table)
        left_out += alike
        if not used.right or not used.wrong:
            which = "right" if not used.right else "wrong"
            left_out.append(LeftOut(name=fact.subject, reason=f"no {which} answer of it can be scored"))
            continue
        logs = [
            np.logaddexp.reduce(nats[..., [column_of[word] for word in some]].astype(np.float64), axis=-1)
            for some in (used.right, used.wrong)
        ]
        everywhere = shares_of(np.stack(logs, axis=-1))[..., 0]  # [fact, template], with every subject
        if np.isnan(everywhere[index]).any():
            left_out.append(LeftOut(name=fact.subject, reason="its answers have no probability at all"))
            continue
        others = [
            row
            for row, other in enumerate(asked.facts)
            if not set(other.right) & set(fact.right) and not np.isnan(everywhere[row]).any()
        ]
        facts.append(used)
        values.append(everywhere[index])
        elsewhere.append(everywhere[others])
    return AnswerProbabilities(
        facts=tuple(facts),
        values=np.array(values).reshape(len(facts), len(asked.templates)),
        elsewhere=tuple(elsewhere),
        left_out=tuple(left_out),
    )


def _told_apart(fact: Fact, table: TokenTable) -> tuple[Fact, list[LeftOut]]:
    """The fact with the answers that count, by the rule for the words of a topic's groups."""
    groups = (Group(name="right", words=fact.right), Group(name="wrong", words=fact.wrong))
    counted, left_out = select_words(Topic(name="fact", title=fact.subject, groups=groups), table, "exact")
    used = {group.name: tuple(word for word in group.words if word in counted) for group in groups}
    return fact.model_copy(update=used), [
        LeftOut(name=f"{item.name} of {fact.subject}", reason=item.reason) for item in left_out
    ]
