"""From stored log-probabilities of words to a run's preferences, with only some shards in memory.

This file decides which words count, the probability of their group, and its coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.fitting import (
    TokenShares,
    TokenSums,
    counting,
    is_mixed,
    template_without,
    words_by_template,
    words_of_mixed,
    words_unfit_in,
)
from pcf_core.audit.forbidden import forbidden_words
from pcf_core.audit.slots import (
    Slot,
    counts_at,
    gather,
    gather_with_left,
    missing,
    slots_of,
    table_at,
    tokens_known,
)
from pcf_core.core.errors import ModelError, RunError, TemplateError
from pcf_core.core.families import facts_of
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import Aggregation
from pcf_core.core.run import (
    BY_TOKENS,
    SELECTIONS,
    CoverageRange,
    CoverageSummary,
    FlaggedCell,
    ForbiddenWords,
    ModelSpec,
    Preferences,
    Protocol,
    RunSpec,
    ScoringKey,
    SelfAudit,
    TokenTable,
)
from pcf_core.core.settings import settings
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.measure.rated_answers import rates_by_group
from pcf_core.models.scoring.base import has_right_text, require_fitting
from pcf_core.store.layer import Missing
from pcf_core.store.store import Store

LEFT_WITHOUT: Mapping[Protocol, str] = {  # why a selection may leave a group without words
    "single-token": "its tokenizer has none of them in one token",
    "equal-tokens": "its tokenizer cuts the words of the groups too differently",
    "fitting": "none of them fits at [Y]",
}

# From words to groups.


def build_run(
    spec: ModelSpec, topic: Topic, evidence: Evidence, templates: TemplateSet, protocol: Protocol = "exact"
) -> RunSpec:
    """Make the record of a run; nothing is scored.  Raises TemplateError for templates that do not fit."""
    check_people(topic, templates)
    require_fitting(spec.frame, templates.texts)
    return RunSpec(scoring=ScoringKey.of(spec, protocol), topic=topic, evidence=evidence, templates=templates)


def check_people(topic: Topic, templates: TemplateSet) -> None:
    """Raise TemplateError unless there is a person in every sentence, or in none, as the topic needs."""
    for text in templates.texts:
        if ("[P]" in text) != topic.decides:
            raise TemplateError(
                f"The topic {topic.name!r} is about decisions, so every sentence needs [P], where a person "
                f"stands; {text[:100]!r} of {templates.name!r} has none: choose or write such sentences."
                if topic.decides
                else f"{text[:100]!r} of {templates.name!r} has [P], where a person stands, but the topic "
                f"{topic.name!r} has no people: choose a topic with favourable and unfavourable answers, or "
                "other sentences."
            )


def preferences_of(log_probabilities: FloatArray, topic: Topic, words: Sequence[str]) -> FloatArray:
    """Compute preferences over groups (PCF Eq. 10–11; BVF Eq. 8), in logs.

    ``log_probabilities`` [..., word]: nats, in the order of ``words``, a subset of the topic's.  Returns
    [..., group] probabilities that sum to 1 over groups; NaN where no word has any probability.  Raises
    ModelError if a group has no word left.
    """
    groups = []
    for group in topic.groups:
        columns = [index for index, word in enumerate(words) if word in group.words]
        if not columns:
            raise ModelError(
                f"The model can use no word of the group {group.name!r}: add a word that its tokenizer can "
                "express and can distinguish from the words of other groups, or choose another model."
            )
        groups.append(np.logaddexp.reduce(log_probabilities[..., columns].astype(np.float64), axis=-1))
    return shares_of(np.stack(groups, axis=-1))


def group_sizes(topic: Topic, words: Collection[str]) -> tuple[int, ...]:
    """Return how many words of each group count."""
    used = set(words)
    return tuple(sum(word in used for word in group.words) for group in topic.groups)


def shares_of(logs: FloatArray) -> FloatArray:
    """Turn [..., group] logarithms into shares that sum to 1; NaN where all are −∞."""
    with np.errstate(invalid="ignore"):
        odds = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def aggregated(
    values: FloatArray,
    topic: Topic,
    words: Sequence[str],
    aggregation: Aggregation,
    at: Sequence[Sequence[str]] = (),
) -> FloatArray:
    """Turn preferences of sums over words (PCF Eq. 11) into those of ``aggregation``.

    The mean over a group's words, as in the authors' script for race, is their sum divided by their number,
    up to a common factor.  ``values`` [..., group]: preferences of sums of ``words``.  ``at``: the words that
    count in each template, if they differ; ``values`` are then [..., template, group].
    """
    sizes = np.array([group_sizes(topic, some) for some in at] if at else group_sizes(topic, words))
    if aggregation == "sum" or (sizes == sizes[..., :1]).all():
        return values
    averaged = values / sizes
    return np.asarray(averaged / averaged.sum(axis=-1, keepdims=True))


def select_words(
    topic: Topic,
    table: TokenTable,
    protocol: Protocol,
    counts: Sequence[Mapping[str, int]] = (),
    unfit: Mapping[str, str] = MappingProxyType({}),
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Choose the words that count, and name those that do not, with reasons.

    - Words that the tokenizer cannot express are left out.
    - ``single-token`` keeps only words of one token (PCF Eq. 8 and 11).
    - ``equal-tokens`` keeps words with a number of tokens that every group has, and in an aligned topic rows
      of counterparts with equal numbers, which masked models score under equally many masks.
    - ``fitting`` keeps the words that are not in ``unfit`` in any template: the others cannot stand at
      ``[Y]``, or not refer to ``[X]`` (:mod:`pcf_core.audit.fitting`).
    - With these selections, a word left out of an aligned topic takes its counterparts with it.
    - Words with the same tokens are one word to the model: in one group the first counts, in several groups
      none.  With P(he) = .2, P(she) = .1 and a tokenizer without capitals, {he, He} against {she} is .2/.3
      and not .4/.5.

    ``counts``: by slot, the tokens of each word there, if known; otherwise those of ``table`` count.
    """
    tokens = {
        word: tuple(at[word] for at in counts or (table.tokens,))
        for word in topic.words
        if word in table.tokens
    }
    reasons = _unusable(topic, table, protocol, tokens)
    if protocol == "fitting":
        reasons = {**unfit, **reasons}
    together = protocol in SELECTIONS and topic.aligned
    each: Iterable[tuple[str, ...]] = ((word,) for word in topic.words)
    rows = zip(*(group.words for group in topic.groups), strict=True) if together else each
    counted: dict[str, str] = {}
    for row in rows:
        for word in row:
            if word not in reasons and (first := counted.get(table.spelling.get(word, ""))):
                reasons[word] = f"the model cannot distinguish it from {first!r}, so they count as one word"
        out = [word for word in row if word in reasons]
        if not out and protocol == "equal-tokens" and len({tokens[word] for word in row}) > 1:
            counted_tokens = ", ".join(f"{word} {_tokens_text(tokens[word])}" for word in row)
            reason = f"it and its counterpart have different numbers of tokens: {counted_tokens}"
            reasons |= dict.fromkeys(row, reason)
            continue
        for word in row:
            if out and word not in reasons:
                reasons[word] = f"its counterpart {out[0]!r} is left out"
            elif not out and word in table.spelling:
                counted[table.spelling[word]] = word
    words = tuple(word for word in topic.words if word not in reasons)
    named = tuple(LeftOut(name=word, reason=reasons[word]) for word in topic.words if word in reasons)
    return words, named


def words_that_count(
    store: Store, run: RunSpec, protocol: Protocol
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Choose the words of a run that count, by all its slots; see :func:`select_words`.

    Raises TemplateError for a selection by tokens if their number is unknown at a ``[Y]``.
    """
    run = run.as_scored
    slots, written = slots_of(run), store.known_words(run.scoring)
    table = table_at(written, run.topic.words, slots)
    expressed = [word for word in run.topic.words if word in table.tokens]
    if protocol in BY_TOKENS and not tokens_known(written, expressed, slots):
        raise TemplateError(
            f"The protocol {protocol} counts a word's tokens after a space, but in one template there is no "
            "space before [Y], so that count may be wrong: read this run with the protocol exact."
        )
    if protocol == "fitting" and is_mixed(run):
        able, left_out = select_words(run.topic, table, "exact", counts_at(written, expressed, slots))
        return words_of_mixed(run, able, left_out)
    unfit = words_unfit_in(run) if protocol == "fitting" else {}
    return select_words(run.topic, table, protocol, counts_at(written, expressed, slots), unfit)


def every_group_has_some(topic: Topic, words: Collection[str]) -> bool:
    """Return whether each group has one of the words."""
    return all(any(word in words for word in group.words) for group in topic.groups)


def _unusable(
    topic: Topic, table: TokenTable, protocol: Protocol, tokens: Mapping[str, tuple[int, ...]]
) -> dict[str, str]:
    """Return words that cannot count: refused, in several groups, or without the required tokens."""
    reasons = {word: table.refused[word] for word in topic.words if word in table.refused}
    if protocol == "single-token":
        for word in topic.words:
            if word not in reasons and table.tokens[word] != 1:
                size = f"{table.tokens[word]} tokens"
                reasons[word] = f"it has {size}, and this protocol uses words of one token only"
    reasons = _several_groups({group.name: group.words for group in topic.groups}, table) | reasons
    if protocol == "equal-tokens" and not topic.aligned:
        of_groups = [{tokens[w] for w in group.words if w not in reasons} for group in topic.groups]
        shared = set.intersection(*of_groups)
        reasons |= {
            word: f"it has {_tokens_text(tokens[word])}, and not every group has a word of that length"
            for word in topic.words
            if word not in reasons and tokens[word] not in shared
        }
    return reasons


def _tokens_text(counts: Sequence[int]) -> str:
    distinct = sorted(set(counts))
    return f"{' or '.join(map(str, distinct))} token{'' if distinct == [1] else 's'}"


def _several_groups(groups: Mapping[str, Sequence[str]], table: TokenTable) -> dict[str, str]:
    """Return words that the model cannot distinguish from one of another group, with the reason."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for name, words in groups.items():
        for word in words:
            if word in table.spelling:
                alike.setdefault(table.spelling[word], []).append((name, word))
    reasons = {}
    for named_words in alike.values():
        for name, word in named_words:
            for other, same in named_words:
                if other != name:
                    reasons[word] = f"the model cannot distinguish it from {same!r} of the group {other!r}"
                    break
    return reasons


def is_left_only(family: str, texts: Iterable[str]) -> bool:
    """Return whether the family scores text right of ``[Y]`` with the word, and a text has some."""
    return not facts_of(family).sees_right and any(map(has_right_text, texts))


def coverage_of(
    log_probabilities: FloatArray, tokens: Sequence[int], family: str, right_text: bool
) -> dict[str, FloatArray] | None:
    """Return the probability of the topic's words together, by key.

    ``log_probabilities`` [..., word]: nats.  ``tokens``: per word.  Scores of masked and permutation models
    are conditional on the number of tokens and share no sample space, so they are summed per number of
    tokens; those of other families under the key ``all``.  ``right_text``: the scores may include text right
    of ``[Y]``; those of a causal model then do, and the coverage is ``None``.
    """
    if right_text and not facts_of(family).sees_right:
        return None
    probabilities = np.exp(log_probabilities.astype(np.float64))
    if not facts_of(family).by_tokens:
        return {"all": probabilities.sum(axis=-1)}
    counts = np.asarray(tokens)
    return {str(k): probabilities[..., counts == k].sum(axis=-1) for k in sorted(set(tokens))}


def coverage_at(
    text: str, nats: FloatArray, left: FloatArray | None, tokens: Sequence[int], family: str
) -> dict[str, float] | None:
    """Return the coverage in one text as :func:`coverage_of`; ``None`` if unknown.

    ``left`` [word]: nats given the text on the left alone (:class:`~pcf_core.models.scoring.base.Batch`), for
    which coverage is then computed.
    """
    covered, right_text = (nats, has_right_text(text)) if left is None else (left, False)
    shares = coverage_of(covered, tokens, family, right_text)
    if shares is None or any(map(np.isnan, shares.values())):
        return None
    return {key: float(share) for key, share in shares.items()}


ALIKE = "All words with the same number of tokens have exactly the same score"


def doubts_among(warnings: Iterable[str]) -> tuple[str, ...]:
    """Return the warnings that :class:`Doubts` wrote; earlier versions stored others as well."""
    return tuple(sentence for sentence in warnings if sentence.startswith(ALIKE))


class Doubts:
    """Oddities of the scores read so far: words without any probability, or identical scores.

    ``forbidden``: in how many cells each word has none.
    """

    def __init__(self, topic: Topic, words: Sequence[str]) -> None:
        group_of = {word: group.name for group in topic.groups for word in group.words}
        self._words, self._groups = tuple(words), [group_of[word] for word in words]
        self._forbidden = np.zeros(len(words), dtype=bool)
        self._compared, self._alike = False, True

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The words without any probability in some cell."""
        return tuple(word for word, one in zip(self._words, self._forbidden, strict=True) if one)

    def add(self, nats: FloatArray, counting: NDArray[np.bool_], tokens: Sequence[int]) -> NDArray[np.bool_]:
        """Add cells: [cell, word] nats, which of them count, and the tokens of each word there.

        Returns [cell] whether a word that counts has no probability.
        """
        forbidden = np.isneginf(nats) & counting
        self._forbidden |= forbidden.any(axis=0)
        for number in set(tokens):
            columns = [column for column, count in enumerate(tokens) if count == number]
            if len(nats) and len({self._groups[column] for column in columns}) > 1:
                some = nats[:, columns]
                self._compared, self._alike = True, self._alike and bool((some == some[:, :1]).all())
        return np.asarray(forbidden.any(axis=1))

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence if the scores do not depend on the word."""
        if not (self._compared and self._alike):
            return ()
        return (
            f"{ALIKE}, so the scores do not depend on the "
            "words, and preferences and risk mean nothing. Check the model, or the server that runs it.",
        )


# A large run, some shards at a time.


PROMPTS_AT_ONCE = 32_768


def prompt_parts(run: RunSpec) -> Iterator[tuple[str, ...]]:
    """Yield the run's prompts in order, in parts that make the same whole shards after an interruption."""
    shard = settings().most_prompts
    size = shard * max(1, PROMPTS_AT_ONCE // shard)
    prompts = run.prompts
    for start in range(0, len(prompts), size):
        yield prompts[start : start + size]


def missing_blocks(store: Store, run: RunSpec) -> Iterator[Missing]:
    """Yield what the store lacks of a run, block by block."""
    for part in prompt_parts(run):
        yield from missing(store, run.scoring, part, run.topic.words)


MOST_LISTED = 100


@dataclass(frozen=True)
class Answered:
    """Counted answers of a sampled run.

    ``counts`` [occupation, template, group]; ``none`` [occupation, template]: those that name no group.
    Of decisions about people, ``counts`` [occupation, template, person, favourable or unfavourable], ``none``
    [occupation, template, person]: those that are neither, and ``group`` [person].
    """

    counts: FloatArray
    none: FloatArray
    group: NDArray[np.intp] | None = None

    @property
    def there(self) -> NDArray[np.bool_]:
        """[occupation, template] whether a cell counts: it has an answer, of decisions about every group."""
        if self.group is None:
            return np.asarray(self.counts.sum(axis=2) > 0)
        return rates_by_group(self.counts, self.group)[2]


@dataclass(frozen=True)
class Result:
    """A run's preferences with their warnings.

    ``tokens``: per word, the most at any of the slots.  ``warnings``: in the store only those of
    :class:`Doubts`; the others are written when the result is read (:mod:`pcf_core.audit.results`).
    ``forbidden``: ``None`` if every cell has a preference.
    ``coverage``: ``None`` if undefined; ``self_audit``: ``None`` if nothing was scored for the run itself.
    ``token_shares``: numbers of tokens by group, weighted by probability, if known.  ``answers``: of a
    sampled run; preferences are then :attr:`pcf_core.measure.answers.Answers.values`.
    """

    preferences: Preferences
    words: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    tokens: tuple[int, ...]
    warnings: tuple[str, ...]
    coverage: CoverageSummary | None = None
    self_audit: SelfAudit | None = None
    token_shares: TokenShares | None = None
    forbidden: ForbiddenWords | None = None
    answers: Answered | None = None

    @property
    def says_little(self) -> bool:
        """Whether coverage is too low in too many cells for an answer, or too many have no preference."""
        if self.forbidden is not None and self.forbidden.too_many:
            return True
        return self.coverage is not None and self.coverage.is_low


def assemble(
    store: Store,
    run: RunSpec,
    protocol: Protocol = "exact",
    on_prompts: Callable[[int], None] = lambda prompts: None,
) -> Result:
    """Compute a run's preferences from its words, with only some shards in memory.

    ``on_prompts`` gets the number of prompts read so far; an exception of it ends the reading.  A word counts
    in all cells or in none; its spelling and tokens depend on the slot of the cell
    (:mod:`pcf_core.audit.slots`).  If the tokens are unknown for a slot, there is no coverage by number of
    tokens, and protocols that select by it are refused.
    """
    if run.topic.decides:
        return of_people(run, assemble(store, run.as_scored, protocol, on_prompts))
    slots = slots_of(run)
    written = store.known_words(run.scoring)
    table = table_at(written, run.topic.words, slots)
    unknown = [word for word in run.topic.words if word not in table.tokens and word not in table.refused]
    if unknown:
        raise _unfinished(run, run.cells)
    texts = run.drawn.texts
    words, left_out = words_that_count(store, run, protocol)
    if protocol in SELECTIONS and not every_group_has_some(run.topic, words):
        raise ModelError(
            f"With the protocol {protocol}, {run.scoring.model} has no word left for one group of the topic "
            f"{run.topic.name!r}: {LEFT_WITHOUT[protocol]}. Read this run with the protocol exact, or write "
            "a topic with other words."
        )
    bare = template_without(run, words, protocol)
    if bare is not None:
        raise ModelError(
            f"With the protocol {protocol}, {run.scoring.model} has no word left for one group of the topic "
            f"{run.topic.name!r} in the template {bare!r}: {LEFT_WITHOUT[protocol]}. Leave such templates "
            "out, or read this run with the protocol exact."
        )
    expressed = [word for word in run.topic.words if word in table.tokens]
    counted = tokens_known(written, expressed, slots)
    tokens = tuple(table.tokens[word] for word in words)
    counts = {slot: slot.tokens(written, words) or tokens for slot in slots}
    at = words_by_template(run, words, protocol)
    values, coverage, shares, doubts = _added_up(
        store, run, expressed, words, at, counts, on_prompts, counted=counted
    )
    shape = (len(run.evidence.terms), len(texts))
    largest = np.fmax.reduce(list(coverage.values())).reshape(shape) if coverage else np.full(shape, np.nan)
    is_covered = not np.isnan(largest).all()
    preferences = Preferences(
        groups=run.topic.group_names,
        occupations=run.evidence.terms,
        templates=texts,
        values=values.reshape(*shape, -1),
        coverage=largest if is_covered else None,
        left_only=is_covered and is_left_only(run.scoring.family, texts),
    )
    summary = coverage_summary(preferences, coverage)
    return Result(
        preferences,
        words,
        left_out,
        tokens,
        doubts.warnings,
        summary,
        token_shares=shares,
        forbidden=forbidden_words(preferences, doubts.forbidden, run.drawn.counts),
    )


def of_people(run: RunSpec, answers: Result) -> Result:
    """Turn the shares of favourable answers of :attr:`RunSpec.as_scored` into rates of the groups."""
    scored = answers.preferences
    shape = (len(scored.occupations), len(run.drawn.templates), len(run.topic.people))
    coverage = None if scored.coverage is None else scored.coverage.reshape(shape).mean(axis=-1)
    preferences = decided(run, scored.values[..., 0].reshape(shape), coverage, left_only=scored.left_only)
    summary = coverage_summary(preferences, {})
    if summary is not None and answers.coverage is not None:
        summary = summary.model_copy(update={"by_tokens": answers.coverage.by_tokens})
    words = answers.forbidden.words if answers.forbidden else ()
    forbidden = forbidden_words(preferences, words, run.drawn.counts)
    return replace(answers, preferences=preferences, coverage=summary, forbidden=forbidden)


def decided(
    run: RunSpec, people: FloatArray, coverage: FloatArray | None, *, left_only: bool = False
) -> Preferences:
    """Average the rates of people [occupation, template, person] within their groups."""
    ends = np.cumsum([len(group.words) for group in run.topic.groups])[:-1]
    return Preferences(
        groups=run.topic.group_names,
        occupations=run.evidence.terms,
        templates=run.drawn.texts,
        values=np.stack([some.mean(axis=-1) for some in np.split(people, ends, axis=-1)], axis=-1),
        coverage=coverage,
        left_only=left_only,
        people=people,
    )


def _unfinished(run: RunSpec, missing: int) -> RunError:
    return RunError(
        f"The run {run.key} is not finished, because {missing:,} of {run.cells:,} test sentences have not "
        "been scored: finish it on the page 'Run an audit', or with `python -m pcf_core score`."
    )


def _added_up(
    store: Store,
    run: RunSpec,
    expressed: Sequence[str],
    words: Sequence[str],
    by_template: Sequence[Sequence[str]],
    tokens: Mapping[Slot, Sequence[int]],
    on_prompts: Callable[[int], None],
    *,
    counted: bool,
) -> tuple[FloatArray, dict[str, FloatArray], TokenShares | None, Doubts]:
    """Return [cell, group] preferences, coverage [cell] by key, token shares, and doubts about the scores.

    All ``expressed`` words are read, whether they count or not: a run that lacks some is not finished.
    Coverage is empty where undefined, and NaN in cells in which no word has this number of tokens, or the
    probability of one is unknown (:func:`~pcf_core.audit.slots.gather_with_left`).  ``by_template``: the
    words that count in each template, if they differ. ``counted``: whether the words' tokens are known at
    every slot.
    """
    counts = counting(words, by_template or [words])
    family = run.scoring.family
    left_only, lacks_left = is_left_only(family, run.drawn.texts), False
    values = np.empty((run.cells, len(run.topic.groups)))
    coverage: dict[str, FloatArray] = {}
    sums, doubts = TokenSums(run.topic, words), Doubts(run.topic, words)
    columns = [expressed.index(word) for word in words]
    start = 0
    for part in prompt_parts(run):
        rows = slice(start, start := start + len(part))
        if left_only:
            nats, left = gather_with_left(store, run.scoring, part, expressed)
        else:
            nats, left = gather(store, run.scoring, part, expressed), None
        if np.isnan(nats).any():
            lacking = sum(len(block.prompts) for block in missing_blocks(store, run))
            # 0 if another process has just scored them
            raise _unfinished(run, lacking or int(np.isnan(nats).any(axis=1).sum()))
        nats = np.take(nats, columns, axis=1)
        at = np.arange(rows.start, rows.stop)
        there = counts[at % len(counts)]
        scores = nats
        nats = np.where(there, nats, -np.inf) if by_template else nats
        lacks_left |= left_only and left is None
        covered = nats if left is None else np.where(there, np.take(left, columns, axis=1), -np.inf)
        values[rows] = preferences_of(nats, run.topic, words)
        if np.isneginf(nats).all() and len(part) > 1:
            raise RunError(
                f"The model {run.scoring.model} gives the topic's words no probability in any of "
                f"{len(part):,} test sentences, so its scores, or the server that gave them, must be wrong: "
                "delete the result on the page Models, check the model or the server, and score again."
            )
        for slot, chosen in _rows_by_slot(part, tokens).items():
            forbidden = doubts.add(scores[chosen], there[chosen], tokens[slot])
            values[at[chosen][forbidden]] = np.nan
            sums.add(nats[chosen][~forbidden], tokens[slot])
            if counted or not facts_of(family).by_tokens:
                shares = coverage_of(covered[chosen], tokens[slot], family, right_text=lacks_left) or {}
                for key, share in shares.items():
                    of_key = [key in ("all", str(number)) for number in tokens[slot]]
                    any_there = there[chosen][:, of_key].any(axis=-1)
                    coverage.setdefault(key, np.full(run.cells, np.nan))[at[chosen]] = np.where(
                        any_there, share, np.nan
                    )
        on_prompts(start)
    return values, {} if lacks_left else coverage, sums.shares if counted else None, doubts


def _rows_by_slot(
    prompts: Sequence[str], slots: Mapping[Slot, Sequence[int]]
) -> dict[Slot, slice | list[int]]:
    """Return the rows of the prompts with each slot; all rows if there is one slot only."""
    if len(slots) == 1:
        return dict.fromkeys(slots, slice(None))
    at = [Slot.of(prompt) for prompt in prompts]
    return {index: [row for row, one in enumerate(at) if one == index] for index in dict.fromkeys(at)}


def coverage_summary(preferences: Preferences, coverage: Mapping[str, FloatArray]) -> CoverageSummary | None:
    """Summarise [cell] coverage per key; ``None`` if unknown."""
    if preferences.coverage is None or np.isnan(preferences.coverage).all():
        return None
    flagged, unknown = preferences.flagged, int(np.isnan(preferences.coverage).sum())
    lowest = np.argsort(preferences.coverage, axis=None, kind="stable")[: min(MOST_LISTED, flagged.sum())]
    cells = [divmod(int(cell), len(preferences.templates)) for cell in lowest]
    return CoverageSummary(
        by_tokens={
            key: CoverageRange(median=float(np.nanmedian(share)), lowest=float(np.nanmin(share)))
            for key, share in coverage.items()
        },
        cells=flagged.size - unknown,
        flagged=int(flagged.sum()),
        listed=tuple(
            FlaggedCell(
                occupation=preferences.occupations[occupation],
                template=preferences.templates[template],
                coverage=float(preferences.coverage[occupation, template]),
            )
            for occupation, template in cells
        ),
        left_only=preferences.left_only,
        limit=preferences.limit,
        unknown=unknown,
    )


def warnings_of(family: str, tokens: Sequence[int], coverage: CoverageSummary | None) -> tuple[str, ...]:
    """Return the sentences that belong beside every number of this run."""
    warnings = []
    if coverage is not None and coverage.flagged:
        lowest = coverage.listed[0]
        prompt = lowest.template.replace("[X]", lowest.occupation)
        warnings.append(
            f"{seldom_used(coverage)} (all together under {100 * coverage.limit:g} %), so ignore the "
            f"preferences there. The lowest probability is {100 * lowest.coverage:.2g} %, in “{prompt}”."
        )
    if facts_of(family).by_tokens and len(set(tokens)) > 1:
        warnings.append(
            "Words of several tokens are scored with that many masks. Their probabilities depend on the "
            "number of tokens, yet all are added up."
        )
    return tuple(warnings)


def seldom_used(coverage: CoverageSummary) -> str:
    """Return the beginning of the warning about flagged cells; pages write the rest differently."""
    cells = f"{coverage.flagged:,} of {coverage.cells:,} test sentences"
    return f"In {cells} the model almost never uses these words"
