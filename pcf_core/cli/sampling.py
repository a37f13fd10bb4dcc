"""``score --samples``: risks of models without probabilities, from answers that are drawn and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcf_core.audit.options import ViewOptions
from pcf_core.cli.console import counted, give, one_or_all, open_store, progress_line, say
from pcf_core.core.settings import settings
from pcf_core.models.names import ENDPOINT
from pcf_core.report.documents import report_document
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from pcf_core.work.sampled import Sampling, sampled_reports
from pcf_core.work.text_audits import estimate_writing


def sample_now(several: Sequence[Sampling], within: float | None, *, as_json: bool) -> None:
    """Write the missing texts, with the costs first, and print the estimated risks."""
    store, documents, lines = open_store(), list[dict[str, Any]](), list[str]()
    for sampling in several:
        say(cost_note(sampling, store))
        with progress_line() as show:
            for number, result in sampled_reports(
                sampling,
                store,
                ViewOptions(),
                within,
                counted(show, sampling.key.model, "texts"),
            ):
                count, report = number, result
        name = sampling.key.model
        decoding = sampling.key.decoding
        documents.append(
            {"model": name, "samples": count, "temperature": decoding.temperature} | report_document(report)
        )
        unpinned = ", unpinned" if name.startswith(ENDPOINT) else ""
        label = f"{name} (sampled, n = {count}, temperature {decoding.temperature:g}{unpinned})"

        from pcf_core.cli.panels import matrix_lines

        lines += matrix_lines(label, report)
    give(one_or_all(documents), as_json, lambda: lines)


def cost_note(sampling: Sampling, store: Store) -> str:
    """Say how many texts a request needs, how many tokens these have, and what they cost."""
    cost = estimate_writing([sampling.request()], store, Queue.open(settings().catalogue))
    parts = [f"{cost.missing:,} texts", f"{cost.prompt_tokens:,} tokens read"]
    parts.append(f"at most {cost.tokens:,} written")
    if cost.seconds is not None:
        parts.append(f"{'at least' if cost.limited else 'about'} {cost.seconds / 60:,.0f} min")
    if cost.cost is not None:
        parts.append(f"at most {cost.cost:,.2f} at the prices that are set")
    return f"{sampling.key.model}: {', '.join(parts)}"
