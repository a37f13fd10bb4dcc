"""``journal``: who did what with this cache, as lines, JSON or a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcf_core.cli.console import give, say
from pcf_core.cli.options import JsonOption
from pcf_core.core.settings import settings
from pcf_core.report.documents import journal_document, journal_table
from pcf_core.report.files import check_target, write_csv, write_whole
from pcf_core.show.findings.provenance import journal_finding
from pcf_core.store.journal import Journal


def journal(
    out: Annotated[
        Path | None, typer.Option(help="a CSV file to write instead, the newest entry first")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show who queued, cancelled, imported, deleted, exported or changed something, and when.

    Exit 1 where a line was altered, taken out or put in.
    """
    found = Journal(settings().cache).read()
    if out is not None:
        check_target(out)
        write_whole(out, lambda path: write_csv(journal_table(found), path))
        say(f"wrote {out}")
    else:
        give(
            journal_document(found),
            as_json,
            lambda: [
                f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.who or '–'}  {entry.did}  {entry.what}  {entry.name}"
                for entry in found.entries
            ],
        )
    say(journal_finding(found))
    return 1 if found.damage else 0
