"""What a model knows, fact by fact: a bar to the mean score, and lighter on to knowledge."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pcf_core.core.knowledge import FactKnowledge
from pcf_core.show.charts import theme

AXIS = "score of p(right) (0 = never, 1 = always) → better known"
MOST_FACTS = 20
OTHERS = theme.OKABE_ITO[1]


def knowledge_bars(facts: Sequence[FactKnowledge]) -> go.Figure:
    """Draw the first ``MOST_FACTS`` facts from top to bottom in the order given.

    The bar is E_t J(p), its lighter extension the confidence gap, so that its end is J(E_t p).  A white
    circle stands where guessing is, a diamond where the same answers are with other subjects.
    """
    shown = list(enumerate(facts[:MOST_FACTS]))
    keys = [str(place) for place, _ in shown]
    details = [_details(fact) for _, fact in shown]
    figure = go.Figure()
    for name, values, opacity, pattern in (
        ("mean score over contexts", [fact.mean_score for _, fact in shown], 1.0, ""),
        ("confidence gap", [fact.confidence_gap for _, fact in shown], 0.7, "/"),
    ):
        figure.add_trace(
            go.Bar(
                orientation="h",
                y=keys,
                x=values,
                marker={
                    "color": theme.ACCENT,
                    "opacity": opacity,
                    "pattern": {"shape": pattern, "fillmode": "replace"},
                    "line": {"color": theme.ACCENT, "width": 1},
                },
                customdata=details,
                hovertemplate="%{customdata}<extra></extra>",
                name=name,
            )
        )
    marks: tuple[tuple[str, list[float | None], str, str, str], ...] = (
        ("guessing", [fact.chance for _, fact in shown], "circle", "white", theme.MUTED),
        ("with other subjects", [fact.elsewhere for _, fact in shown], "diamond", OTHERS, "white"),
    )
    for name, places, symbol, color, edge in marks:  # seen on a bar as well as beside it
        figure.add_trace(
            go.Scatter(
                y=keys,
                x=places,
                mode="markers",
                marker={"symbol": symbol, "size": 10, "color": color, "line": {"width": 1.5, "color": edge}},
                customdata=details,
                hovertemplate="%{customdata}<extra></extra>",
                name=name,
            )
        )
    labels = {key: theme.text(fact.subject) for key, (_, fact) in zip(keys, shown, strict=True)}
    figure.update_xaxes(title_text=AXIS, range=[0, 1.02])
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(autorange="reversed")
    return theme.base_layout(
        figure,
        150 + 24 * len(shown),
        view=" ".join(fact.subject for _, fact in shown),
        legend=True,
        barmode="stack",
        bargap=0.35,
    )


def _details(fact: FactKnowledge) -> str:
    found = fact.interval
    bounds = "" if found is None else f" ({found.low:.3g}–{found.high:.3g})"
    lines = [
        f"<b>{theme.text(fact.subject)}</b>: {theme.text(', '.join(fact.right))}",
        f"knowledge {fact.knowledge:.3g}{bounds}",
        f"mean score {fact.mean_score:.3g}, confidence gap {fact.confidence_gap:.3g}",
        f"guessing {fact.chance:.3g}",
    ]
    if fact.elsewhere is not None:
        lines.append(f"with other subjects {fact.elsewhere:.3g}")
    return "<br>".join(lines)
