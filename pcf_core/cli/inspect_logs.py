"""``import`` of a log of Inspect: its texts are kept, and read by FairPair or by the criteria."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pcf_core.cli.console import give, must_record, open_store, record, say
from pcf_core.report.criteria import criteria_document
from pcf_core.report.fairpair import fairpair_document
from pcf_core.show.findings.imported import inspected_note


def import_inspect_log(data: bytes, files: Sequence[Path], as_json: bool) -> None:
    """Keep the texts of a log and give what they say."""
    from pcf_core.cli.criteria import Put
    from pcf_core.cli.criteria import run_now as read_criteria
    from pcf_core.cli.fairpair import run_now as read_fairpair
    from pcf_core.cli.panels import criteria_lines, fairpair_lines
    from pcf_core.texts.inspected.log import read_log
    from pcf_core.work.inspecting import ReadAsFairPair, import_log, key_of

    log, store = read_log(data), open_store()
    key = key_of(log)
    must_record()
    arrived = import_log(store, log, files)
    record("imported", "texts", f"{key.model} {log.eval_id}")
    say(inspected_note(key))
    if isinstance(arrived.read_as, ReadAsFairPair):
        one = arrived.read_as
        result, _ = read_fairpair(store, one.asked, one.material)
        report, lines = fairpair_document(result, result.reports), partial(fairpair_lines, [result])
    else:
        answers, _ = read_criteria(
            store, Put(arrived.read_as.asked, arrived.read_as.material, inspected_note(key))
        )
        report, lines = criteria_document(answers), partial(criteria_lines, [answers])
    document = {
        "log": {
            "model": log.model,
            "served": list(log.served),
            "created": log.created.isoformat(),
            "eval_id": log.eval_id,
            "task": log.task.audit,
        },
        "model": key.model,
        "texts": arrived.texts,
        "new_texts": arrived.new,
        "report": report,
    }
    give(document, as_json, lines)
