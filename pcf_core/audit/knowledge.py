"""What a model knows: from stored word log-probabilities to a knowledge report.

    KnowledgeSet -> word log-probabilities -> p(right | right or wrong) -> KnowledgeReport

A path of its own beside that of runs, through the same store and scorers.  A run has the same groups in every
prompt, and whatever reads runs (pages, comparisons, exports) speaks of discrimination and calls the gap
caprice; here the groups are the answers of each fact, and the gap is none.  Every answer of the set is scored
in every prompt: the blocks of the store stay rectangles, a set whose answers are sorted anew scores nothing,
and it is known what the answers of a fact get with another subject, which a preference for frequent words
explains and knowledge does not.
"""

from __future__ import annotations

import numpy as np
from pydantic import ValidationError

from pcf_core.audit.knowledge_answers import answer_probabilities, usable_answers
from pcf_core.audit.knowledge_warnings import knowledge_warnings
from pcf_core.audit.results import noise_warnings
from pcf_core.errors import ModelError, RunError
from pcf_core.records import Interval, Protocol, ScoringKey, SelfAudit, digest
from pcf_core.records.knowledge import FactKnowledge, KnowledgeReport, KnowledgeSet
from pcf_core.risk import normalised
from pcf_core.risk.knowledge import DEFAULT_SCORE, knowledge_parts, knowledge_score, knowledge_total
from pcf_core.stats.knowledge import knowledge_intervals
from pcf_core.store import Missing, Store

AUDIT = "self-audit"


def missing_answers(store: Store, key: ScoringKey, asked: KnowledgeSet) -> list[Missing]:
    """What the store lacks of a set: blocks of prompts × answers."""
    return store.missing(key, asked.prompts, asked.words)


def knowledge_key(asked: KnowledgeSet, key: ScoringKey) -> str:
    """What two requests have in common that ask for the same; the self-audit lies under it."""
    return digest([key.hash, asked.hash])


def knowledge_audit_of(store: Store, key: ScoringKey, asked: KnowledgeSet) -> SelfAudit | None:
    """What the scorer found out about itself when it scored a set.

    ``None`` where it is under way, where nothing was scored for the set itself, or an earlier version of the
    app has scored it.
    """
    kept = store.load_result(knowledge_key(asked, key), AUDIT)
    try:
        return None if kept is None else SelfAudit.model_validate(kept[1])
    except ValidationError:
        return None


def audit_begun(store: Store, key: ScoringKey, asked: KnowledgeSet) -> bool:
    """Whether a set was scored, or begun to be, whose self-audit is not there yet."""
    place = knowledge_key(asked, key)
    return store.has_result(place, AUDIT) and knowledge_audit_of(store, key, asked) is None


def keep_knowledge_audit(store: Store, key: ScoringKey, asked: KnowledgeSet, found: SelfAudit | None) -> None:
    """Keep a self-audit; ``None`` says that it is still to be made."""
    facts = {} if found is None else found.model_dump(mode="json")
    store.save_result(knowledge_key(asked, key), AUDIT, {}, facts)


def knowledge_report(
    store: Store,
    key: ScoringKey,
    asked: KnowledgeSet,
    score: str = DEFAULT_SCORE,
    protocol: Protocol = "exact",
) -> KnowledgeReport:
    """What the model of ``key`` knows of a set that was scored; templates weigh alike.

    Args:
        store: where the log-probabilities are.
        key: of the model.
        asked: the set.
        score: name of J, one of :data:`pcf_core.risk.knowledge.SCORES`.
        protocol: ``single-token`` counts only answers of one token.

    Raises:
        RunError: something of it was not scored yet.
        CriterionError: an unknown score; the facts that count all have the weight 0.
        ModelError: the model can express right and wrong answers of no fact.
    """
    chosen = knowledge_score(score)
    lacking = sum(len(block.prompts) for block in missing_answers(store, key, asked))
    if lacking:
        raise RunError(
            f"{lacking:,} prompts of the knowledge set {asked.name!r} were not scored with {key.model} yet: "
            f"run `python -m pcf_core knowledge --model {key.model} --set {asked.name}` first."
        )
    table = store.known_words(key)
    words, unusable = usable_answers(asked.words, table, protocol)
    values = store.gather(key, asked.prompts, words)
    nats = values.reshape(len(asked.facts), len(asked.templates), len(words))
    found = answer_probabilities(asked, words, unusable, nats, table)
    if not found.facts:
        raise ModelError(
            f"The model {key.model} can express a right and a wrong answer of no fact of {asked.name!r}: "
            "take another model, or answers that its tokenizer has."
        )
    weights = np.ones(len(asked.templates))
    shares = normalised([fact.weight for fact in found.facts], len(found.facts), "fact_weights")
    known = [len(others) > 0 for others in found.elsewhere]
    several = found.elsewhere if all(known) else None
    intervals = knowledge_intervals(found.values, several, weights, shares, chosen)
    parts = knowledge_parts(found.values, weights, chosen)
    plain = np.array(
        [
            float(knowledge_parts(others, weights, chosen).knowledge.mean()) if there else 0.0
            for others, there in zip(found.elsewhere, known, strict=True)
        ]
    )
    rows = tuple(
        FactKnowledge(
            subject=fact.subject,
            right=fact.right,
            wrong=fact.wrong,
            weight=float(shares[index]),
            probabilities=found.values[index],
            mean_probability=float(parts.mean_probability[index]),
            knowledge=float(parts.knowledge[index]),
            mean_score=float(parts.mean_score[index]),
            confidence_gap=float(parts.confidence_gap[index]),
            chance=float(chosen.of(np.array(len(fact.right) / len(fact.answers)))),
            elsewhere=float(plain[index]) if known[index] else None,
            interval=None
            if intervals.facts is None
            else Interval(low=float(intervals.facts[index, 0]), high=float(intervals.facts[index, 1])),
        )
        for index, fact in enumerate(found.facts)
    )
    total = knowledge_total(parts, shares)
    return KnowledgeReport(
        name=asked.name,
        title=asked.title,
        score=score,
        templates=asked.templates,
        knowledge=total.knowledge,
        mean_score=total.mean_score,
        confidence_gap=total.confidence_gap,
        chance=float(shares @ np.array([row.chance for row in rows])),
        elsewhere=float(shares @ plain) if all(known) else None,
        facts=rows,
        intervals=intervals.intervals,
        left_out=found.left_out,
        warnings=(
            *knowledge_warnings(asked, found.facts, words, nats, table, key.family),
            *noise_warnings(knowledge_audit_of(store, key, asked)),
        ),
    )
