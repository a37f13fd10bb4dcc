"""From stored word log-probabilities to a knowledge report.

    KnowledgeSet -> word log-probabilities -> p(right | right or wrong) -> KnowledgeReport

Every answer of the set is scored in every prompt, so that blocks of the store are rectangles, regrouped
answers need no scoring, and the answers of a fact can be compared with their probabilities for other
subjects, which a preference for frequent words would explain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import ValidationError

from pcf_core.audit.preferences import coverage_of, select_words, shares_of
from pcf_core.audit.results import noise_warnings
from pcf_core.audit.slots import Slot, gather, missing, table_at
from pcf_core.core.errors import CriterionError, ModelError, RunError
from pcf_core.core.families import facts_of
from pcf_core.core.knowledge import Fact, FactKnowledge, KnowledgeReport, KnowledgeSet
from pcf_core.core.records import FloatArray, LeftOut, digest
from pcf_core.core.risk import Interval
from pcf_core.core.run import LOW_COVERAGE, Protocol, ScoringKey, SelfAudit, TokenTable
from pcf_core.core.topics import Group, Topic
from pcf_core.measure.criterion import normalised
from pcf_core.measure.knowledge import (
    DEFAULT_SCORE,
    knowledge_intervals,
    knowledge_parts,
    knowledge_score,
    knowledge_total,
)
from pcf_core.store.layer import Missing
from pcf_core.store.store import Store

# Answers that count, and the probability of the right ones.


@dataclass(frozen=True)
class AnswerProbabilities:
    """Probabilities of the right answers of a knowledge set.

    ``facts``: those that count, with the answers that count.  ``values`` [fact, template]: p(right | right or
    wrong). ``elsewhere``: for each fact [subject, template] the same in the prompts of the subjects that
    share none of its right answers, possibly none.
    """

    facts: tuple[Fact, ...]
    values: FloatArray
    elsewhere: tuple[FloatArray, ...]
    left_out: tuple[LeftOut, ...]


OF_GROUPS: tuple[Protocol, ...] = ("equal-tokens", "fitting")  # selections that compare the words of groups


def knowledge_protocol(protocol: Protocol) -> Protocol:
    """Return the protocol for facts that corresponds to one for runs."""
    return "exact" if protocol in OF_GROUPS else protocol


def _usable_answers(
    words: Sequence[str], table: TokenTable, protocol: Protocol
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    if protocol in OF_GROUPS:
        raise CriterionError(
            f"The protocol {protocol} compares the words of groups, but a knowledge set has no groups: use "
            "the protocol exact or single-token."
        )
    reasons = {word: table.refused[word] for word in words if word in table.refused}
    if protocol == "single-token":
        reasons |= {
            word: f"it has {table.tokens[word]} tokens, and this protocol uses words of one token only"
            for word in words
            if word in table.tokens and table.tokens[word] != 1
        }
    usable = tuple(word for word in words if word not in reasons)
    return usable, tuple(LeftOut(name=word, reason=reasons[word]) for word in words if word in reasons)


def answer_probabilities(
    facts_set: KnowledgeSet,
    words: Sequence[str],
    unusable: Sequence[LeftOut],
    nats: FloatArray,
    table: TokenTable,
) -> AnswerProbabilities:
    """Compute p(right | right or wrong) of every fact in every template.

    ``words``: the answers that count, in the order of the last axis; ``unusable``: the others.  ``nats``
    [fact, template, word]: log-probabilities.  Of answers with equal tokens in ``table``, one counts if all
    are right or all wrong, else none.  Facts without a right or a wrong answer that counts are left out, with
    the reason.
    """
    column_of = {word: column for column, word in enumerate(words)}
    facts, values, elsewhere, left_out = [], [], [], list(unusable)
    for index, fact in enumerate(facts_set.facts):
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
            left_out.append(LeftOut(name=fact.subject, reason=f"none of its {which} answers can be scored"))
            continue
        logs = [
            np.logaddexp.reduce(nats[..., [column_of[word] for word in some]].astype(np.float64), axis=-1)
            for some in (used.right, used.wrong)
        ]
        everywhere = shares_of(np.stack(logs, axis=-1))[..., 0]  # [fact, template], for every subject
        if np.isnan(everywhere[index]).any():
            left_out.append(
                LeftOut(name=fact.subject, reason="the model gives its answers no probability at all")
            )
            continue
        others = [
            row
            for row, other in enumerate(facts_set.facts)
            if not set(other.right) & set(fact.right) and not np.isnan(everywhere[row]).any()
        ]
        facts.append(used)
        values.append(everywhere[index])
        elsewhere.append(everywhere[others])
    return AnswerProbabilities(
        facts=tuple(facts),
        values=np.array(values).reshape(len(facts), len(facts_set.templates)),
        elsewhere=tuple(elsewhere),
        left_out=tuple(left_out),
    )


def _told_apart(fact: Fact, table: TokenTable) -> tuple[Fact, list[LeftOut]]:
    """Return the fact with the answers that count, by the rule for the words of a topic's groups."""
    groups = (Group(name="right", words=fact.right), Group(name="wrong", words=fact.wrong))
    counted, left_out = select_words(Topic(name="fact", title=fact.subject, groups=groups), table, "exact")
    used = {group.name: tuple(word for word in group.words if word in counted) for group in groups}
    return fact.model_copy(update=used), [
        LeftOut(name=f"{item.name} of {fact.subject}", reason=item.reason) for item in left_out
    ]


# Warnings.


FEW = 8  # templates or facts below which a report warns


def _knowledge_warnings(
    facts_set: KnowledgeSet,
    facts: Sequence[Fact],
    words: Sequence[str],
    nats: FloatArray,
    table: TokenTable,
    family: str,
) -> tuple[str, ...]:
    weighty = sum(fact.weight > 0 for fact in facts)
    warnings = [
        f"This result rests on {number} {noun}{'' if number == 1 else 's'}, fewer than {FEW}, so it may not "
        "hold for others."
        for number, noun in ((len(facts_set.templates), "template"), (weighty, "fact"))
        if number < FEW
    ]
    uneven = sum(len({table.tokens[word] for word in fact.answers}) > 1 for fact in facts)
    if uneven and facts_of(family).by_tokens:
        warnings.append(
            f"In {uneven:,} of {len(facts):,} facts the answers have different numbers of tokens, and a "
            f"{family} model scores words with different numbers of tokens in ways that cannot be compared "
            "directly: the protocol single-token compares words of one token only."
        )
    low = 0
    row_of = {fact.subject: row for row, fact in enumerate(facts_set.facts)}
    column_of = {word: column for column, word in enumerate(words)}
    both_sides = facts_of(family).sees_right
    ends = [both_sides or not text.partition("[Y]")[2].strip() for text in facts_set.templates]
    for fact in facts:
        cells = nats[row_of[fact.subject]][ends][:, [column_of[word] for word in fact.answers]]
        coverage = coverage_of(cells, [table.tokens[word] for word in fact.answers], family, right_text=False)
        assert coverage is not None  # none of these has text right of [Y] that is scored with the word
        low += int((np.max(list(coverage.values()), axis=0) < LOW_COVERAGE).sum())
    if low:
        warnings.append(
            f"In {low:,} of {len(facts) * sum(ends):,} prompts the model almost never used any of the "
            f"answers (together under {LOW_COVERAGE:g} of the probability), so these prompts are not "
            "reliable."
        )
    return tuple(warnings)


AUDIT = "self-audit"


def missing_answers(store: Store, key: ScoringKey, facts_set: KnowledgeSet) -> list[Missing]:
    """Return what the store lacks of a set: blocks of prompts × answers."""
    return missing(store, key, facts_set.prompts, facts_set.words)


def answer_slots(facts_set: KnowledgeSet) -> tuple[Slot, ...]:
    """Return the distinct slots of a set's answers."""
    return tuple(dict.fromkeys(map(Slot.of, facts_set.prompts)))


def knowledge_key(facts_set: KnowledgeSet, key: ScoringKey) -> str:
    """Return the key of equal requests, under which the self-audit is stored."""
    return digest([key.hash, facts_set.hash])


def knowledge_audit_of(store: Store, key: ScoringKey, facts_set: KnowledgeSet) -> SelfAudit | None:
    """Load the self-audit that was made when a set was scored.

    ``None`` if it is in progress, was made for another set, or by an earlier version.
    """
    stored = store.load_result(knowledge_key(facts_set, key), AUDIT)
    try:
        return None if stored is None else SelfAudit.model_validate(stored[1])
    except ValidationError:
        return None


def audit_begun(store: Store, key: ScoringKey, facts_set: KnowledgeSet) -> bool:
    """Return whether the scoring of a set was begun and its self-audit is missing."""
    key_of_set = knowledge_key(facts_set, key)
    return store.has_result(key_of_set, AUDIT) and knowledge_audit_of(store, key, facts_set) is None


def keep_knowledge_audit(
    store: Store, key: ScoringKey, facts_set: KnowledgeSet, audit: SelfAudit | None
) -> None:
    """Store a self-audit; ``None`` means that it is still to be made."""
    facts = {} if audit is None else audit.model_dump(mode="json")
    store.save_result(knowledge_key(facts_set, key), AUDIT, {}, facts)


def knowledge_report(
    store: Store,
    key: ScoringKey,
    facts_set: KnowledgeSet,
    score: str = DEFAULT_SCORE,
    protocol: Protocol = "exact",
) -> KnowledgeReport:
    """Report what the model of ``key`` knows of a scored set, with equally weighted templates.

    ``score``: one of :data:`pcf_core.measure.knowledge.SCORES`.  ``protocol``: ``single-token`` counts only
    answers of one token.  Raises RunError if some of it is not scored yet, CriterionError for an unknown
    score or if all facts that count have the weight 0, and ModelError if the model can express right and
    wrong answers of no fact.
    """
    chosen = knowledge_score(score)
    lacking = sum(len(block.prompts) for block in missing_answers(store, key, facts_set))
    if lacking:
        raise RunError(
            f"The model {key.model} has not yet been scored on {lacking:,} prompts of the knowledge set "
            f"{facts_set.name!r}: run `python -m pcf_core knowledge --model {key.model} --set "
            f"{facts_set.name}` first."
        )
    table = table_at(store.known_words(key), facts_set.words, answer_slots(facts_set))
    words, unusable = _usable_answers(facts_set.words, table, protocol)
    values = gather(store, key, facts_set.prompts, words)
    nats = values.reshape(len(facts_set.facts), len(facts_set.templates), len(words))
    probabilities = answer_probabilities(facts_set, words, unusable, nats, table)
    if not probabilities.facts:
        raise ModelError(
            f"The model {key.model} cannot express both a right and a wrong answer for any fact of "
            f"{facts_set.name!r}: choose another model, or write answers that its tokenizer can express."
        )
    weights = np.ones(len(facts_set.templates))
    shares = normalised(
        [fact.weight for fact in probabilities.facts], len(probabilities.facts), "fact_weights"
    )
    has_others = [len(others) > 0 for others in probabilities.elsewhere]
    several = probabilities.elsewhere if all(has_others) else None
    intervals = knowledge_intervals(probabilities.values, several, weights, shares, chosen)
    parts = knowledge_parts(probabilities.values, weights, chosen)
    plain = np.array(
        [
            float(knowledge_parts(others, weights, chosen).knowledge.mean()) if there else 0.0
            for others, there in zip(probabilities.elsewhere, has_others, strict=True)
        ]
    )
    rows = tuple(
        FactKnowledge(
            subject=fact.subject,
            right=fact.right,
            wrong=fact.wrong,
            weight=float(shares[index]),
            probabilities=probabilities.values[index],
            mean_probability=float(parts.mean_probability[index]),
            knowledge=float(parts.knowledge[index]),
            mean_score=float(parts.mean_score[index]),
            confidence_gap=float(parts.confidence_gap[index]),
            chance=float(chosen.of(np.array(len(fact.right) / len(fact.answers)))),
            elsewhere=float(plain[index]) if has_others[index] else None,
            interval=None
            if intervals.facts is None
            else Interval(low=float(intervals.facts[index, 0]), high=float(intervals.facts[index, 1])),
        )
        for index, fact in enumerate(probabilities.facts)
    )
    total = knowledge_total(parts, shares)
    return KnowledgeReport(
        name=facts_set.name,
        title=facts_set.title,
        score=score,
        templates=facts_set.templates,
        knowledge=total.knowledge,
        mean_score=total.mean_score,
        confidence_gap=total.confidence_gap,
        chance=float(shares @ np.array([row.chance for row in rows])),
        elsewhere=float(shares @ plain) if all(has_others) else None,
        facts=rows,
        intervals=intervals.intervals,
        left_out=probabilities.left_out,
        warnings=(
            *_knowledge_warnings(facts_set, probabilities.facts, words, nats, table, key.family),
            *noise_warnings(knowledge_audit_of(store, key, facts_set)),
        ),
    )
