"""A run's preferences with what has to be said about them, kept so that pages open at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcf_core.audit.words import assemble, preferences_from
from pcf_core.errors import RunError
from pcf_core.records import LeftOut, Preferences, Protocol, RunSpec, Scored
from pcf_core.store import Store

LOW_COVERAGE = 1e-4
RESULT_VERSION = 1  # raise it when kept preferences or their warnings would come out differently


@dataclass(frozen=True)
class Result:
    """A run's preferences with what has to be said about them."""

    preferences: Preferences
    words: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    tokens: tuple[int, ...]
    warnings: tuple[str, ...]


def check_protocol(run: RunSpec, protocol: Protocol) -> None:
    """Refuse to read whole words as words that end, and the other way round: they are different scores.

    Raises:
        RunError: the run was scored under another protocol.
    """
    scored = run.scoring.protocol
    if scored != ("exact" if protocol == "single-token" else protocol):
        raise RunError(
            f"The run {run.key} was scored with the protocol {scored} and cannot be read as {protocol}; "
            f"score it with --protocol {protocol}, or read it as it is."
        )


def result_name(run: RunSpec, protocol: Protocol) -> str:
    """Name of the kept aggregates: all that decides them beside the run key."""
    aligned = "-aligned" if protocol == "single-token" and run.topic.aligned else ""
    return f"preferences-{RESULT_VERSION}-{protocol}{aligned}"


def load_result(store: Store, run: RunSpec, protocol: Protocol = "exact") -> Result:
    """A run's preferences: from the kept aggregates, else assembled from the words and kept.

    Raises:
        RunError: the run is not finished, or was scored under another protocol.
    """
    check_protocol(run, protocol)
    name = result_name(run, protocol)
    shape = (len(run.evidence.terms), len(run.templates.templates))
    kept = store.load_result(run.key, name)
    if kept is not None:
        columns, facts = kept
        coverage = columns.get("coverage")
        preferences = Preferences(
            groups=run.topic.group_names,
            occupations=run.evidence.terms,
            templates=run.templates.texts,
            values=np.stack([columns[f"group_{i}"] for i in range(len(run.topic.groups))], axis=-1).reshape(
                *shape, -1
            ),
            coverage=None if coverage is None else coverage.reshape(shape),
        )
        left_out = tuple(LeftOut(**item) for item in facts["left_out"])
        return Result(
            preferences,
            tuple(facts["words"]),
            left_out,
            tuple(facts["tokens"]),
            tuple(facts["warnings"]),
        )
    scored = assemble(store, run, protocol)
    preferences = preferences_from(scored)
    result = Result(
        preferences,
        scored.words,
        scored.left_out,
        tuple(int(count) for count in scored.tokens),
        warnings_of(scored),
    )
    columns = {f"group_{i}": preferences.values[..., i].ravel() for i in range(len(preferences.groups))}
    if preferences.coverage is not None:
        columns["coverage"] = preferences.coverage.ravel()
    store.save_result(
        run.key,
        name,
        columns,
        {
            "words": list(result.words),
            "left_out": [item.model_dump() for item in result.left_out],
            "tokens": list(result.tokens),
            "warnings": list(result.warnings),
        },
    )
    return result


def warnings_of(scored: Scored) -> tuple[str, ...]:
    """Sentences that belong beside every number of this run."""
    warnings = []
    if scored.coverage:
        largest = np.max(np.stack(list(scored.coverage.values())), axis=0)
        low = int((largest < LOW_COVERAGE).sum())
        if low:
            warnings.append(
                f"In {low:,} of {largest.size:,} cells the topic's words together get less than "
                f"{LOW_COVERAGE:g} of the probability: preferences there say little."
            )
    if scored.run.scoring.family == "masked" and len(set(scored.tokens.tolist())) > 1:
        warnings.append(
            "Words of several tokens are scored with as many masks; their probabilities are conditional on "
            "the number of tokens and are added up to preferences all the same."
        )
    return tuple(warnings)
