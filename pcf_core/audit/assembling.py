"""From the words' log-probabilities in the store to a run's preferences, some shards at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.parts import missing_blocks, prompt_parts
from pcf_core.audit.words import BY_TOKENS, counts_hold, coverage_of, preferences_of, select_words
from pcf_core.errors import RunError, TemplateError
from pcf_core.records import (
    CoverageRange,
    CoverageSummary,
    FlaggedCell,
    FloatArray,
    LeftOut,
    Preferences,
    Protocol,
    RunSpec,
    SelfAudit,
)
from pcf_core.store import Store

MOST_LISTED = 100


@dataclass(frozen=True)
class Result:
    """A run's preferences with what has to be said about them.

    ``tokens``: per word of ``words``.  ``coverage`` is ``None`` where none is defined, ``self_audit`` where
    nothing was scored for the run itself.
    """

    preferences: Preferences
    words: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    tokens: tuple[int, ...]
    warnings: tuple[str, ...]
    coverage: CoverageSummary | None = None
    self_audit: SelfAudit | None = None


def assemble(
    store: Store,
    run: RunSpec,
    protocol: Protocol = "exact",
    on_prompts: Callable[[int], None] = lambda prompts: None,
) -> Result:
    """Add a run's words up to preferences; of the words themselves only some shards are held at a time.

    ``on_prompts`` is called with how many prompts have been read so far; what it raises ends the reading.

    Tokens are counted behind a space.  Where a template has none before ``[Y]``, and a word may have others
    there, the counts do not hold: coverage by the number of tokens is not given, ``single-token`` is refused.

    Raises:
        RunError: some of its cells are not scored yet, or have no preference.
        TemplateError: ``single-token`` and a template at whose ``[Y]`` the counts do not hold.
    """
    table = store.known_words(run.scoring)
    unknown = [word for word in run.topic.words if word not in table.tokens and word not in table.refused]
    missing = 0 if unknown else sum(len(block.prompts) for block in missing_blocks(store, run))
    if unknown or missing:
        raise RunError(
            f"The run {run.key} is not finished: {missing or run.cells:,} of {run.cells:,} cells are not "
            "scored; score it first (the page Score, or `python -m pcf_core score`)."
        )
    words, left_out = select_words(run.topic, table, protocol)
    texts = run.drawn.texts
    counted = counts_hold(texts, run.topic, table)
    if protocol == "single-token" and not counted:
        raise TemplateError(
            "The protocol single-token counts a word's tokens behind a space, but a template has none before "
            "[Y], where this model may write words otherwise; read this run with the protocol exact."
        )
    tokens = tuple(table.tokens[word] for word in words)
    values, coverage = _added_up(store, run, words, tokens, on_prompts, with_coverage=counted)
    shape = (len(run.evidence.terms), len(texts))
    largest = np.max(np.stack(list(coverage.values())), axis=0).reshape(shape) if coverage else None
    preferences = Preferences(
        groups=run.topic.group_names,
        occupations=run.evidence.terms,
        templates=texts,
        values=values.reshape(*shape, -1),
        coverage=largest,
    )
    summary = coverage_summary(preferences, coverage)
    return Result(
        preferences, words, left_out, tokens, warnings_of(run.scoring.family, tokens, summary), summary
    )


def _added_up(
    store: Store,
    run: RunSpec,
    words: Sequence[str],
    tokens: Sequence[int],
    on_prompts: Callable[[int], None],
    *,
    with_coverage: bool,
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """[cell, group] preferences and, per key, the coverage of each cell; empty where it is not defined."""
    right = any(not text.endswith("[Y]") for text in run.drawn.texts)
    family = run.scoring.family
    values = np.empty((run.cells, len(run.topic.groups)))
    coverage: dict[str, FloatArray] = {}
    start = 0
    for part in prompt_parts(run):
        rows = slice(start, start := start + len(part))
        nats = store.gather(run.scoring, part, words)
        if np.isnan(nats).any():
            raise RunError(
                f"A shard of the run {run.key} was damaged while it was read; score the run again."
            )
        values[rows] = preferences_of(nats, run.topic, words)
        none = np.isnan(values[rows]).any(axis=-1)
        if none.any():
            raise RunError(
                f"The model {run.scoring.model} gives no word of the topic any probability in {none.sum():,} "
                f"cells, the first of them {part[int(none.argmax())]!r}: there is nothing to compare; leave "
                "such templates out."
            )
        shares = (
            coverage_of(nats, tokens, family, right) if with_coverage or family not in BY_TOKENS else None
        )
        for key, share in (shares or {}).items():
            coverage.setdefault(key, np.empty(run.cells))[rows] = share
        on_prompts(start)
    return values, coverage


def coverage_summary(preferences: Preferences, coverage: Mapping[str, FloatArray]) -> CoverageSummary | None:
    """Sum up [cell] coverage per key; ``None`` where none is defined."""
    if preferences.coverage is None:
        return None
    flagged = preferences.flagged
    lowest = np.argsort(preferences.coverage, axis=None, kind="stable")[: min(MOST_LISTED, flagged.sum())]
    cells = [divmod(int(cell), len(preferences.templates)) for cell in lowest]
    return CoverageSummary(
        by_tokens={
            key: CoverageRange(median=float(np.median(share)), lowest=float(share.min()))
            for key, share in coverage.items()
        },
        cells=flagged.size,
        flagged=int(flagged.sum()),
        listed=tuple(
            FlaggedCell(
                occupation=preferences.occupations[occupation],
                template=preferences.templates[template],
                coverage=float(preferences.coverage[occupation, template]),
            )
            for occupation, template in cells
        ),
    )


def warnings_of(family: str, tokens: Sequence[int], coverage: CoverageSummary | None) -> tuple[str, ...]:
    """Sentences that belong beside every number of this run."""
    warnings = []
    if coverage is not None and coverage.flagged:
        lowest = coverage.listed[0]
        warnings.append(
            f"In {coverage.flagged:,} of {coverage.cells:,} cells the topic's words together get less than "
            f"{coverage.limit:g} of the probability: preferences there say little. The lowest is "
            f"{lowest.occupation!r} in {lowest.template!r}, {lowest.coverage:.2g}."
        )
    if family in BY_TOKENS and len(set(tokens)) > 1:
        warnings.append(
            "Words of several tokens are scored with as many masks; their probabilities are conditional on "
            "the number of tokens and are added up to preferences all the same."
        )
    return tuple(warnings)
