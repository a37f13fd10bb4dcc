"""The public board: a row for each result, calculated once, so that a page opens thousands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import pcf_core
from pcf_core.audit.baseline import NEUTRAL_LISTS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Refused, Report, Results
from pcf_core.core.run import RunSpec
from pcf_core.report.panels import Panel
from pcf_core.show.overview import ModelRow, board_finding, whom_preferred
from pcf_core.store.store import Store

if TYPE_CHECKING:
    import pandas as pd

NAME = f"board-{pcf_core.__version__}"  # another version may calculate other figures
HOW = """
A risk is 0 if the model is even, and 1 if it always prefers the same group. The range is the one across all
sentences of this kind (95 %). Compare risks only within one topic and one set of sentences. Click a column's
heading to sort; search with the magnifying glass above the table.
"""


@dataclass(frozen=True)
class BoardRow:
    """A finished result and its figures."""

    run: RunSpec
    figures: ModelRow


def runs_of_board(store: Store) -> list[RunSpec]:
    """Return the finished runs of the board, those on neutral subjects left out."""
    runs = (info.run for info in store.runs() if info.complete)
    return [run for run in runs if run.evidence.name not in NEUTRAL_LISTS]


def without_row(store: Store) -> list[RunSpec]:
    """Return the runs that have no row yet."""
    stored = set(store.documents(NAME))
    return [run for run in runs_of_board(store) if run.kept_as not in stored]


def add_row(store: Store, run: RunSpec) -> str:
    """Calculate and store the row of a run; return the reason if it cannot be read, else ""."""
    opened = Results(store).open(run, ViewOptions(protocol=run.scoring.protocol), brief=True)
    if isinstance(opened, Report):
        store.save_document(run.kept_as, NAME, asdict(ModelRow.of(run.scoring.label, opened.report)))
        return ""
    reason = opened.reason if isinstance(opened, Refused) else "its scores are incomplete"
    store.save_document(run.kept_as, NAME, {"reason": reason})
    return reason


def board_rows(store: Store) -> list[BoardRow]:
    """Load the rows, topic by topic and lowest risk first; unreliable ones come last."""
    stored = set(store.documents(NAME))
    rows = []
    for run in runs_of_board(store):
        body = store.load_document(run.kept_as, NAME) if run.kept_as in stored else None
        if body and "reason" not in body:
            rows.append(BoardRow(run, ModelRow(**body)))
    return sorted(rows, key=lambda row: (row.run.topic.title, row.figures.says_little, row.figures.overall))


def board_panel(rows: Sequence[BoardRow], missing: int = 0) -> Panel:
    """Show every result; ``missing``: how many have no row yet."""
    models = {row.figures.model for row in rows}
    topics = {row.run.topic.hash for row in rows}
    return Panel(
        findings=[board_finding(len(rows), len(models), len(topics), missing)],
        how=HOW,
        table=lambda: board_table(rows),
        table_title="Risk by model and topic",
    )


def board_table(rows: Sequence[BoardRow]) -> pd.DataFrame:
    """Make the table of the board, without unreliable numbers."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "model": row.figures.model,
                "topic": row.run.topic.name,
                "risk": None if row.figures.says_little else row.figures.overall,
                "from": None if row.figures.says_little else row.figures.low,
                "to": None if row.figures.says_little else row.figures.high,
                "prefers": whom_preferred(row.figures),
                "templates": row.run.templates.name,
            }
            for row in rows
        ]
    ).astype({"risk": float, "from": float, "to": float} if rows else {})
