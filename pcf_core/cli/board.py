"""``board``: calculate the rows of the public board."""

from __future__ import annotations

from pcf_core.cli.console import JsonOption, give, open_store, progress_line
from pcf_core.report.board import add_row, board_panel, board_rows, without_row
from pcf_core.report.panels import text_lines


def board(as_json: JsonOption = False) -> None:
    """Calculate the rows of the public board, for the results that have none yet."""
    store = open_store()
    missing, refused = without_row(store), {}
    with progress_line() as show:
        for number, run in enumerate(missing, start=1):
            if reason := add_row(store, run):
                refused[run.key] = reason
            show(f"{number:,} of {len(missing):,} results")
    rows = board_rows(store)
    document = {"added": len(missing) - len(refused), "rows": len(rows), "refused": refused}
    give(document, as_json, lambda: [*text_lines([board_panel(rows, 0)]), *refused.values()])
