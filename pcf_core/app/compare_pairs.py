"""Base against aligned along size: two joined lines a series, and what alignment changes at each size.

Which checkpoint is the aligned one of which is declared in ``assets/models.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pcf_core.app.compare_tables import SEVERAL_COLUMNS
from pcf_core.app.data import Loaded
from pcf_core.app.page import draw_table, picture
from pcf_core.app.roles import may_audit
from pcf_core.app.text import plain
from pcf_core.audit.comparing import controlled
from pcf_core.core.risk import AxisPoint, Comparison, Over
from pcf_core.core.run import model_label
from pcf_core.models.names import all_series, known_model, split_name
from pcf_core.report.comparison import RISKS, several_table
from pcf_core.report.loaded import LoadedRun
from pcf_core.show.charts.axis import change_panels
from pcf_core.show.findings.numbers import count, listed


@dataclass(frozen=True)
class Size:
    """A declared pair in one precision: the runs of its two checkpoints, as far as they are loaded.

    ``line`` names its series, with the precision where that is not float32; ``parameters`` are those of
    either checkpoint, as declared.
    """

    line: str
    parameters: float
    base: LoadedRun | None
    aligned: LoadedRun | None


def sizes_of(loaded: Loaded) -> list[Size]:
    """List the pairs of which a checkpoint is loaded, series after series, sizes rising."""
    found: list[Size] = []
    dtypes = dict.fromkeys(item.run.scoring.dtype for item in loaded.runs.values())
    for series in all_series():
        for dtype in dtypes:
            for pair in series.pair:
                base, aligned = (loaded_run(loaded, name, dtype) for name in (pair.base, pair.aligned))
                known = known_model(pair.base)
                if known and (base or aligned):
                    line = model_label(series.title, dtype)
                    found.append(Size(line, float(known.parameters), base, aligned))
    return found


def loaded_run(loaded: Loaded, model: str, dtype: str) -> LoadedRun | None:
    """Find the run of a checkpoint in a precision, at whatever revision."""
    for item in loaded.runs.values():
        key = item.run.scoring
        if split_name(key.model).model == model and key.dtype == dtype:
            return item
    return None


def changes(loaded: Loaded) -> list[tuple[Size, Comparison]]:
    """Compare each aligned checkpoint with its base, controlled for being several.

    A pair of which one is not scored, or has drawn some of its templates, is left out.

    Raises
    ------
    AuditError
        Two runs that have nothing in common.
    """
    found = [
        (size, loaded.compare(size.aligned, size.base))
        for size in sizes_of(loaded)
        if size.base and size.aligned and not (size.base.run.plan or size.aligned.run.plan)
    ]
    told = controlled([comparison for _, comparison in found])
    return [(size, comparison) for (size, _), comparison in zip(found, told, strict=True)]


def change_point(size: Size, comparison: Comparison, over: Over) -> AxisPoint:
    """Make the point of a difference, with its interval over what the sidebar asks for."""
    found = {name: comparison.differences[name].interval(over) for name in RISKS}
    return AxisPoint(
        line=size.line,
        place=size.parameters,
        values={name: comparison.differences[name].value for name in RISKS},
        intervals={name: interval for name, interval in found.items() if interval is not None},
    )


def draw_changes(found: Sequence[tuple[Size, Comparison]], over: Over) -> None:
    """Draw the differences of aligned and base with their intervals."""
    points = [change_point(size, comparison, over) for size, comparison in found]
    if not points:
        return
    st.markdown("**What alignment changes**")
    checkpoints = count(len(points), "aligned checkpoint")
    alt = f"R, prejudice and caprice of {checkpoints} less those of the base, with intervals"
    picture(partial(change_panels, points, "parameters (log) → larger"), "change_panels", alt)


def draw_no_pairs() -> None:
    """Say which series there are, and where one is scored with one press."""
    series = all_series()
    if not series:
        st.info("The registry declares no pairs of base and aligned checkpoints.", icon=":material/info:")
        return
    titles = listed([plain(one.title) for one in series])
    st.info(
        f"Choose base and aligned checkpoints of one series in the sidebar: {titles}.", icon=":material/info:"
    )
    if may_audit():
        st.page_link(
            "pages/run_an_audit.py",
            label=f"Score {plain(series[-1].title)}, base and aligned",
            icon=":material/play_arrow:",
            query_params={"score_model": [*series[-1].models]},
        )


def draw_changes_table(found: Sequence[tuple[Size, Comparison]], over: Over) -> None:
    """Draw the rows of the differences, the aligned checkpoint first."""
    if found:
        table = several_table([comparison for _, comparison in found], over)
        draw_table(table, "base_and_aligned", SEVERAL_COLUMNS, "The differences of aligned and base")
