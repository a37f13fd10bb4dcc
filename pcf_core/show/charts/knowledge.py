"""What a model knows, fact by fact: a bar to the mean score, and lighter on to knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from pcf_core.core.knowledge import FactKnowledge
from pcf_core.show.charts import marks, theme

AXIS = "score of p(right) (0 = never, 1 = always) → better known"
MOST_FACTS = 20
OTHERS = theme.OKABE_ITO[1]


def knowledge_bars(facts: Sequence[FactKnowledge]) -> go.Figure:
    """Draw the first ``MOST_FACTS`` facts from top to bottom in the order given.

    The bar is E_t J(p), its lighter extension the confidence gap, so that its end is J(E_t p).  A white
    circle stands where guessing is, a diamond where the same answers are with other subjects.
    """
    shown = list(facts[:MOST_FACTS])
    keys = [str(place) for place in range(len(shown))]
    details = [_details(fact) for fact in shown]
    figure = go.Figure()
    for name, values, opacity, pattern in (
        ("mean score over contexts", [fact.mean_score for fact in shown], 1.0, ""),
        ("confidence gap", [fact.confidence_gap for fact in shown], 0.7, "/"),
    ):
        style = theme.ModelStyle(theme.ACCENT, "", pattern)
        figure.add_trace(marks.bars(values, keys, name, style, opacity=opacity, hover=details))
    for name, places, symbol, color, edge in (
        ("guessing", [fact.chance for fact in shown], "circle", "white", theme.MUTED),
        ("with other subjects", [fact.elsewhere for fact in shown], "diamond", OTHERS, "white"),
    ):
        seen: dict[str, Any] = {"line": {"width": 1.5, "color": edge}}  # on a bar as well as beside it
        figure.add_trace(
            marks.dots(places, keys, name, color=color, symbol=symbol, marker=seen, hover=details)
        )
    figure.update_xaxes(title_text=AXIS, range=[0, 1.02])
    marks.name_rows(figure, {key: theme.text(fact.subject) for key, fact in zip(keys, shown, strict=True)})
    view = " ".join(fact.subject for fact in shown)
    height = 150 + 24 * len(shown)
    return theme.base_layout(figure, height, view=view, legend=True, barmode="stack", bargap=0.35)


def _details(fact: FactKnowledge) -> str:
    return (
        f"<b>{theme.text(fact.subject)}</b>: {theme.text(', '.join(fact.right))}"
        f"<br>knowledge {fact.knowledge:.3g}{marks.within(fact.interval, between='–')}"
        f"<br>mean score {fact.mean_score:.3g}, confidence gap {fact.confidence_gap:.3g}"
        f"<br>guessing {fact.chance:.3g}"
        + ("" if fact.elsewhere is None else f"<br>with other subjects {fact.elsewhere:.3g}")
    )
