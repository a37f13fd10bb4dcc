"""``score --samples``: risks of models without probabilities, from answers that are drawn and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcf_core.audit.answers import writing_key
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results
from pcf_core.cli.console import give, one_or_all, open_store, progress_line, say
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.report.documents import report_document
from pcf_core.show.findings.notes import duration, progress_note
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.sampled import sample_run, sampled_estimate, samples_of


def sample_now(runs: Sequence[RunSpec], within: float | None, *, as_json: bool) -> None:
    """Write the missing texts, with the costs first, and print the estimated risks."""
    from pcf_core.cli.panels import run_lines  # plotly and pandas

    store, options, documents, lines = open_store(), ViewOptions(), list[dict[str, Any]](), list[str]()
    for run in runs:
        done = _sampled(run, store, within)
        item = Results(store).report(done, options)
        how = {"model": done.scoring.model, "samples": samples_of(done)}
        how |= {"temperature": writing_key(done).decoding.temperature}
        documents.append({"run": item.key} | how | report_document(item.report))
        lines += run_lines(store, item, options, None)
    give(one_or_all(documents), as_json, lambda: lines)


def _sampled(run: RunSpec, store: Store, within: float | None) -> RunSpec:
    cost, model = sampled_estimate(run, store, Queue.open(settings().catalogue)), run.scoring.model
    how = "at least" if cost.at_least else "about"
    time = "" if cost.seconds is None else f", {how} {duration(cost.seconds)}"
    say(f"{model}: {cost.texts}{time}")
    with progress_line() as show:
        return sample_run(run, store, lambda at: show(f"{model}: {progress_note(at)}"), within=within)
