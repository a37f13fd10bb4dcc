"""What the parts of the tab How it works share: sliders, key figures, picture and table of an example."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.page import chart, draw_table
from pcf_core.measure.toy import ToyRisk
from pcf_core.report.records import KeyFigure
from pcf_core.show.findings.numbers import two_decimals


def slider(label: str, key: str, value: float, help_text: str) -> float:
    """Draw a slider of a share between 0 and 1."""
    return float(st.slider(label, 0.0, 1.0, value, 0.05, key=key, bind="query-params", help=help_text))


def tell(how: str, figure: Callable[[], go.Figure], alt: str, key: str, table: pd.DataFrame) -> None:
    """Draw the picture, and under it how to read it and its data."""
    chart(figure(), key, alt)
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(how)
    with right:
        draw_table(table, key)


def risk_row(toys: Sequence[ToyRisk], overall: str = "Risk r") -> list[KeyFigure]:
    """Return risk, prejudice, caprice and the s.d. beside it, of one example."""
    toy = toys[0]
    return [
        KeyFigure(overall, two_decimals(toy.overall_risk), "Mean of J over contexts: 0 is even, 1 the most."),
        KeyFigure("Prejudice", two_decimals(toy.prejudice_risk), "J of the mean stereotype, 0 to r."),
        KeyFigure("Caprice", two_decimals(toy.caprice_risk), "The rest, 0 to r: the Jensen gap."),
        KeyFigure("Stereotype s.d.", two_decimals(toy.stereotype_sd), "How much s moves with the context."),
    ]


def steps_table(toys: Sequence[ToyRisk]) -> pd.DataFrame:
    """Make a table of every step of the examples, a row a context."""
    return pd.DataFrame(
        [
            {
                "of": toy.name,
                "context": context,
                "weight": float(toy.weights[place]),
                **{f"p({group})": float(toy.preferences[place, y]) for y, group in enumerate(toy.groups)},
                **{f"s({group})": float(toy.stereotypes[place, y]) for y, group in enumerate(toy.groups)},
                "J": float(toy.risks[place]),
            }
            for toy in toys
            for place, context in enumerate(toy.contexts)
        ]
    )
