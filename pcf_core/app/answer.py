"""A page's answer block: lines around the picture, caveats, and links to other sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import streamlit as st

from pcf_core.app.addresses import Place, parameters_for
from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import FIRST, SECOND
from pcf_core.app.data import Loaded, listed_models, must_wait, results
from pcf_core.app.links import draw_link
from pcf_core.app.lists import Stamp, is_present, present_templates, stamp_of, templates_name
from pcf_core.app.notes import other_scales
from pcf_core.app.page import labelled
from pcf_core.app.present import is_presented
from pcf_core.app.widgets import plain
from pcf_core.audit.baseline import OtherScales
from pcf_core.audit.comparing import alike, answer_in, rewordings
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Report, is_kept, kept_name
from pcf_core.core.errors import AuditError
from pcf_core.core.run import RunSpec
from pcf_core.report.answer import (
    Pair,
    answer_from,
    answered_models,
    caveats_of,
    compared_models,
    name_beside,
    standing_of,
    tested,
)
from pcf_core.show.answer import ANSWER, Alone, Answer, Reworded
from pcf_core.show.compare import Standing, differing_first

COMPARE = Place("compare")
SETS = 512  # cached comparisons of two models
MOST_CELLS = 100_000  # read for this line if no preferences are stored: 2 s of CPU
RunPair = tuple[RunSpec, RunSpec]
Alike = Callable[[Iterable[RunSpec], Sequence[RunSpec]], list[tuple[RunSpec, ...]]]


@dataclass(frozen=True)
class Elsewhere:
    """How the models compare in other sentences; ``name``: of that template set in addresses."""

    standing: Standing
    name: str


@dataclass(frozen=True)
class Block:
    """The answer about a page's models, how they compare ``here``, and in other sentences by title."""

    loaded: Loaded
    answer: Answer
    here: Standing | None
    others: Mapping[str, Elsewhere]


def answer_block(loaded: Loaded) -> Block:
    """Work out the answer about the loaded models."""
    pair = compared_models(loaded)
    scales, others = OtherScales(), dict[str, Elsewhere]()
    if pair is not None and loaded.remember(tested, pair)[0] is not None:
        scales, others = other_scales(loaded, pair), _others(loaded, pair)
    here, _ = standing_of(loaded, scales)
    standings = {called: one.standing for called, one in others.items()}
    caveats = caveats_of(loaded, open_store(), listed_models())
    answer = answer_from(loaded, caveats, scales, standings, _alone(loaded), _reworded(loaded))
    return Block(loaded, answer, here, others)


def draw_answer(block: Block, *above: str) -> None:
    """Draw the answer and the lines labelled ``above``, all lines while presenting; nothing if unreliable."""
    if not block.loaded.reliable.runs:
        return
    first, *others = block.answer.lines.items()
    st.markdown(f"##### {plain(first[1])}")
    labelled({label: line for label, line in others if label in above or is_presented()})


def draw_rest(block: Block, *above: str) -> None:
    """Draw the remaining lines, and a link to the sentences that differ most."""
    if is_presented():
        return
    drawn = {ANSWER, *above}
    labelled({label: line for label, line in block.answer.lines.items() if label not in drawn})
    if block.here is None or not block.others:
        return
    standings = {called: one.standing for called, one in block.others.items()}
    name = block.others[differing_first(block.here, standings)[0]].name
    pair = block.here.names
    models = dict(zip((FIRST, SECOND), pair, strict=True))
    address = {**block.loaded.choice.parameters, **parameters_for(pair), **models, "templates": name}
    draw_link(COMPARE, "See that comparison", address, ":material/compare_arrows:")


def draw_caveats(answer: Answer, *more: str) -> None:
    """Draw the caveats of an answer, and ``more``."""
    if sentences := list(filter(None, [*answer.caveats, *more])):
        st.caption("  \n".join(map(plain, sentences)))


def keys_beside(loaded: Loaded) -> tuple[str, ...]:
    """Return the keys of the runs on other sentences that the answer mentions."""
    names = answered_models(loaded)
    several = [*_read_elsewhere(loaded, names), *islice(_read_elsewhere(loaded, names, rewordings), 1)]
    return tuple(run.key for runs in several for run in runs)


def _others(loaded: Loaded, pair: Pair) -> dict[str, Elsewhere]:
    """Compare two of the loaded models in other sentences."""
    options, store, others = loaded.options, open_store(), dict[str, Elsewhere]()
    for one, other in _read_elsewhere(loaded, pair):
        with suppress(AuditError):
            stored = tuple(kept_name(store, run, options.protocol) for run in (one, other))
            standing = _standing((one, other), pair, options, stored, stamp_of("factors"))
            others[name_beside(one.templates, others)] = Elsewhere(standing, templates_name(one))
    return others


def _alone(loaded: Loaded) -> dict[str, Alone]:
    """Read a single loaded model in other sentences; return nothing for several models."""
    names, others = list(loaded.reliable.runs), dict[str, Alone]()
    if len(names) != 1:
        return others
    for (run,) in _read_elsewhere(loaded, names):
        opened = results().open(run, loaded.options, brief=True)
        if isinstance(opened, Report):
            others[name_beside(run.templates, others)] = Alone.of(names[0], opened.report)
    return others


def _reworded(loaded: Loaded) -> Reworded | None:
    """Read the models in some of their sentences, said in several ways."""
    names = answered_models(loaded)
    for several in _read_elsewhere(loaded, names, rewordings):
        opened = [results().open(run, loaded.options, brief=True) for run in several]
        reports = {
            name: one.report for name, one in zip(names, opened, strict=True) if isinstance(one, Report)
        }
        return Reworded.of(several[0].templates, reports)
    return None


def _read_elsewhere(
    loaded: Loaded, names: Sequence[str], chosen: Alike = alike
) -> Iterator[tuple[RunSpec, ...]]:
    """Yield the models' runs on other sentences that can be read without waiting for the worker."""
    if not names:
        return
    store, options, cells = open_store(), loaded.options, 0
    finished = (info.run for info in store.runs() if info.complete)
    for several in chosen(finished, [loaded.runs[name].run for name in names]):
        if not is_present(several[0]):  # earlier texts of this set
            continue
        shown = present_templates(several[0])  # with today's counts, as in the link
        runs = tuple(run.model_copy(update={"templates": shown.templates}) for run in several)
        with suppress(AuditError):
            new = sum(run.cells for run in runs if not is_kept(store, run, options.protocol))
            if cells + new <= MOST_CELLS and not any(must_wait(run, "preferences", options) for run in runs):
                cells += new
                yield runs


@kept(slots=SETS)
def _standing(
    runs: RunPair, names: Pair, options: ViewOptions, stored: tuple[str, ...], statistics: Stamp
) -> Standing:
    """Compare two runs; ``stored`` and ``statistics`` are there only for the cache key."""
    answer = answer_in(open_store(), runs, options)
    return Standing.of_other(names, answer)
