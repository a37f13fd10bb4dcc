"""The same two models in other sentences: finished runs that differ from theirs in the template set alone.

Which of two models has the higher risk may depend on the sentences, and whoever reads one set sees no sign of
that.  So an order is told together with what the other sets say that both models are scored on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from pcf_core.audit.comparing import risk_difference
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import Reading
from pcf_core.audit.results import load_result
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import Difference
from pcf_core.core.run import RunSpec, version_name
from pcf_core.store.store import Store


@dataclass(frozen=True)
class OtherSentences:
    """The risks of two models in one template set, tested.

    ``name``: that of the set, with its hash where several have the name.  ``risk``: the difference of R,
    first less second; ``little``: whether the figures of either say little, so that nothing is answered.
    """

    name: str
    runs: tuple[RunSpec, RunSpec]
    risk: Difference
    little: tuple[bool, bool]


def answers_elsewhere(
    store: Store,
    first: RunSpec,
    second: RunSpec,
    options: ViewOptions,
    on_set: Callable[[str], None] = lambda name: None,
) -> list[OtherSentences]:
    """Test the models of two runs in every other set of the store, by the names of the sets.

    Sets that cannot be read under these options are left out.  ``on_set`` is told each set's name before it
    is read.
    """
    pairs = elsewhere((info.run for info in store.runs() if info.complete), first, second)
    named = Counter(run.templates.name for run in (first, *(runs[0] for runs in pairs)))
    answers: list[OtherSentences] = []
    for runs in pairs:
        on_set(runs[0].templates.name)
        with suppress(AuditError):
            answer, templates = answer_in(store, runs, options), runs[0].templates
            several = named[templates.name] > 1
            answers.append(replace(answer, name=version_name(templates)) if several else answer)
    return answers


def answer_in(store: Store, runs: tuple[RunSpec, RunSpec], options: ViewOptions) -> OtherSentences:
    """Test which of two finished runs on the same templates has the higher risk.

    Raises
    ------
    AuditError
        They cannot be read so, or not be compared.
    """
    one, other = (load_result(store, run, options.protocol, options.aggregation) for run in runs)
    readings = Reading(runs[0], one, options), Reading(runs[1], other, options)
    return OtherSentences(
        name=runs[0].templates.name,
        runs=runs,
        risk=risk_difference(*readings, options),
        little=(one.says_little, other.says_little),
    )


def elsewhere(runs: Iterable[RunSpec], first: RunSpec, second: RunSpec) -> list[tuple[RunSpec, RunSpec]]:
    """Return the pairs of runs that are like two runs but for their templates, by the name of these.

    Topic, occupations and how each model was scored are the same.  A set that is a part of the one shown, or
    of which that is a part, is no other: it would only confirm it.  Draws of a sampling plan are another
    sample in each run and are left out too.

    Parameters
    ----------
    runs
        Finished ones; of several of one model on the same texts, the first.
    first, second
        The two runs; on different templates, topics or occupations they have no such pairs.
    """
    if _asked(first) != _asked(second) or first.templates.hash != second.templates.hash:
        return []
    shown, models = set(first.templates.texts), (_scored(first), _scored(second))
    by_set: dict[str, dict[tuple[str, bool], RunSpec]] = {}
    for run in runs:
        if _scored(run) in models and _asked(run) == _asked(first) and run.plan is None:
            by_set.setdefault(run.templates.hash, {}).setdefault(_scored(run), run)
    pairs = [(of_set[models[0]], of_set[models[1]]) for of_set in by_set.values() if len(of_set) == 2]
    others = [pair for pair in pairs if not _is_part(set(pair[0].templates.texts), shown)]
    return sorted(others, key=lambda pair: pair[0].templates.name)


def _asked(run: RunSpec) -> tuple[str, str]:
    return run.topic.hash, run.evidence.hash


def _scored(run: RunSpec) -> tuple[str, bool]:
    return run.scoring.hash, run.scoring.imported


def _is_part(one: set[str], other: set[str]) -> bool:
    """Tell whether either of two sets of templates stands in the other whole."""
    return one <= other or other <= one
