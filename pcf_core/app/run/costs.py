"""The costs of a request on the page Run an audit, and the question before a long one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from pcf_core.app.caching import kept, open_queue, open_store
from pcf_core.app.run.request import Plan, draw_refusal, requested_run
from pcf_core.app.scoring import submit
from pcf_core.app.widgets import plain, plain_titled, size_text
from pcf_core.core.errors import AuditError
from pcf_core.core.records import digest
from pcf_core.core.run import RunSpec
from pcf_core.models.names import KnownModel
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count, listed
from pcf_core.work.estimate import RECENT_JOBS, Estimate, estimate, estimate_declared, in_all
from pcf_core.work.sampled import sampled_estimate

TEST_SENTENCE = "A test sentence is one sentence with one occupation in it."
LONG_SECONDS = 600.0  # longer requests need a second press
LONG_REQUEST = "long_request"  # session key: the request that waits for it


@dataclass(frozen=True)
class Costs:
    """What several runs cost; ``unfetched``: of models that are not here.

    ``missing``: test sentences that a run lacks, by its key, except if its sampling plan may end earlier.
    """

    each: Sequence[Estimate] = ()
    unfetched: Sequence[Estimate] = ()
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> Estimate:
        """The costs of all runs, one after another."""
        return in_all((*self.each, *self.unfetched))


def costs_of(runs: Sequence[RunSpec], unfetched: Sequence[tuple[RunSpec, KnownModel]] = ()) -> Costs:
    """Estimate runs, and ``unfetched`` ones from what is declared of their models."""
    finished = [job.id for job in open_queue().list(RECENT_JOBS) if job.state == "done"]
    each = [_cached_estimate(run, open_store().shards(run.scoring), finished) for run in runs]
    return Costs(
        each=each,
        unfetched=[estimate_declared(run, model.parameters, open_queue()) for run, model in unfetched],
        missing={run.key: cost.missing for run, cost in zip(runs, each, strict=True) if not cost.at_most},
    )


@kept(slots=64)
def _cached_estimate(run: RunSpec, shards: Sequence[str], finished: Sequence[int]) -> Estimate:
    of_run = sampled_estimate if run.scoring.sampled else estimate
    return of_run(run, open_store(), open_queue())


def queue_all(plan: Plan, missing: Mapping[str, int]) -> bool:
    """Queue every run that lacks test sentences; return whether all are queued, and draw why not."""
    wanted, refused = [run for run in plan.runs if missing.get(run.key) != 0], False
    for run, _ in plan.unfetched:
        try:
            wanted.append(requested_run(plan.request, run.scoring.model, None))
        except AuditError as error:
            draw_refusal(run.scoring.model, error)
            refused = True
    try:
        for run in wanted:
            submit(run, missing.get(run.key))
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return False
    return not refused


def draw_costs(
    costs: Costs, runs: Sequence[RunSpec], unfetched: Sequence[tuple[RunSpec, KnownModel]]
) -> None:
    """Draw test sentences, time, memory and disk: a line per model, and the sum."""
    estimates = [*costs.each, *costs.unfetched]
    if len(estimates) > 1 and costs.total.missing:
        total = costs.total
        st.markdown(f"**In all** · {cost_text(total)}", help=f"{TEST_SENTENCE} {total.basis}")
    for run, cost in zip([*runs, *(run for run, _ in unfetched)], estimates, strict=True):
        model = f"**{plain_titled(run.scoring.name)}** · calculated in {run.scoring.dtype}"
        basis = f"{TEST_SENTENCE} {cost.basis}" if cost.missing else None
        st.markdown(f"{model} · {cost_text(cost)}", help=basis)
    if unfetched:
        names = plain_titled(listed([run.scoring.model for run, _ in unfetched]))
        st.caption(
            f"Estimated from the declared size, because the weights are not on this machine: {names}. They "
            "are downloaded first; the page *Models* says what each model needs."
        )


def cost_text(cost: Estimate) -> str:
    """Write a cost: "2,400 test sentences · about 26 s · 40 MB memory · 1 MB disk"."""
    if not cost.missing:
        return "the result is here already"
    most = "at most " if cost.at_most else ""
    parts = [f"{most}{count(cost.missing, 'test sentence')}", time_text(cost)]
    if cost.texts:
        return " · ".join([*parts, cost.texts])
    parts += [f"{size_text(cost.memory_bytes)} memory", f"{size_text(cost.disk_bytes)} disk"]
    return " · ".join(parts)


def time_text(cost: Estimate) -> str:
    """Write a time and how sure it is: "about 26 s", "roughly 2.0 h", "at most 5 min"."""
    if cost.seconds is None:
        return "time unknown"
    how = "at least" if cost.at_least else "about"
    how = "roughly" if cost.guessed else "at most" if cost.at_most else how
    return f"{how} {duration(cost.seconds)}"


@dataclass(frozen=True)
class Start:
    """A way to start: its costs, and a function that queues it and returns whether all of it is queued."""

    costs: Callable[[], Estimate]
    enqueue: Callable[[], bool]


def start_or_ask(pressed: bool, runs: Sequence[str], whole: Start, shorter: tuple[str, Start] | None) -> bool:
    """Start a request if its button was ``pressed``; if it is long, ask first.  Return whether all is queued.

    ``runs``: keys that identify the request.  ``shorter``: label and start of a short request instead.
    """
    state, request = st.session_state, digest(list(runs))
    if pressed:
        if not is_long(whole.costs()):
            return whole.enqueue()
        state[LONG_REQUEST] = request
    if state.get(LONG_REQUEST) != request:
        return False
    cost = whole.costs()
    chosen: Start | None = None
    with st.container(border=True):
        st.markdown(
            f":material/schedule: **{count(cost.missing, 'test sentence')}, {time_text(cost)}: start now?** "
            "You can use the other pages meanwhile. If you cancel, what is finished is kept."
        )
        with st.container(horizontal=True):
            if st.button("Start", key="start_long", type="primary", icon=":material/play_arrow:"):
                chosen = whole
            if shorter is not None:
                words, short = shorter
                seconds = short.costs().seconds
                time = "" if seconds is None else f": {duration(seconds)}"
                if st.button(f"{words}{time}", key="start_short", icon=":material/bolt:"):
                    chosen = short
            st.button("Do not start", key="start_none", on_click=state.pop, args=(LONG_REQUEST, None))
    if chosen is None or not chosen.enqueue():
        return False
    state.pop(LONG_REQUEST, None)
    return True


def is_long(cost: Estimate) -> bool:
    """Return whether a request takes more than ten minutes; an unknown time does not count as long."""
    return cost.seconds is not None and cost.seconds > LONG_SECONDS
