"""FairPair: phrases and categories of words that either side has more often."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pcf_core.show.charts import theme
from pcf_core.texts.fairpair.records import Side, WordDifference, WordReport

MOST_PHRASES = 12  # a side
SIDES: tuple[Side, Side] = ("original", "prompt")


def phrase_dots(report: WordReport, most: int = MOST_PHRASES) -> go.Figure:
    """Draw the strongest phrases of either side by |z|, at their log-odds; 0 is as often on both.

    Filled marks differ beyond chance over all phrases that were tested, hollow ones do not.
    """
    styles = theme.group_styles([report.original, report.counterpart])
    chosen = [row for side in SIDES for row in _strongest(report, side, most)]
    rows = sorted(chosen, key=lambda row: -row.log_odds)
    keys = {row.words: str(place) for place, row in enumerate(rows)}
    figure = go.Figure()
    for side in reversed(SIDES):
        name = _name(report, side)
        style, shown = styles[name], [row for row in rows if row.more_in == side]
        if not shown:
            continue
        figure.add_trace(
            go.Scatter(
                x=[row.log_odds for row in shown],
                y=[keys[row.words] for row in shown],
                mode="markers",
                marker={
                    "symbol": [style.marker + ("" if row.differs else "-open") for row in shown],
                    "color": style.color,
                    "size": 10,
                    "line": {"width": 2, "color": style.color},
                },
                customdata=[_details(row, report) for row in shown],
                hovertemplate="%{customdata}<extra></extra>",
                name=f"more in texts for {theme.text(name, 20)}",
            )
        )
    figure.add_vline(x=0, line={"width": 1, "dash": "dot", "color": theme.MUTED})
    figure.update_xaxes(
        title_text=f"log-odds δ (0 = as often)<br>→ more in texts for {theme.text(report.counterpart, 20)}",
        nticks=7,
    )
    figure.update_yaxes(theme.name_axis({key: theme.text(words, 24) for words, key in keys.items()}))
    figure.update_yaxes(range=[max(1, len(keys)) - 0.5, -0.5], showgrid=True)
    if not rows:
        figure.add_annotation(
            x=0.5, y=0.5, xref="paper", yref="paper", text="no phrase to compare", showarrow=False
        )
    return theme.base_layout(
        figure, 178 + 20 * max(4, len(keys)), view=" ".join(keys), legend=True, margin=theme.BELOW_BUTTONS
    )


def category_bars(report: WordReport) -> go.Figure:
    """Draw shares of either side's texts with a word of each category; a star where they differ."""
    styles = theme.group_styles([report.original, report.counterpart])
    keys = {row.name: str(place) for place, row in enumerate(report.categories)}
    figure = go.Figure()
    for side, texts in (("original", report.original_texts), ("prompt", report.prompt_texts)):
        name = report.original if side == "original" else report.counterpart
        counts = [int(getattr(row, side)) for row in report.categories]
        figure.add_trace(
            go.Bar(
                orientation="h",
                x=[100 * count / max(1, texts) for count in counts],
                y=list(keys.values()),
                marker=theme.bar_marker(styles[name]),
                customdata=[f"{count:,} of {texts:,} texts" for count in counts],
                hovertemplate="%{x:.3g} %<br>%{customdata}<extra>%{fullData.name}</extra>",
                name=f"texts for {theme.text(name, 20)}",
            )
        )
    labels = {
        keys[row.name]: theme.text(row.title, 22) + (" *" if row.differs else "") for row in report.categories
    }
    figure.update_xaxes(title_text="texts with a word of the category, % → more", rangemode="tozero")
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(range=[max(1, len(keys)) - 0.5, -0.5])
    return theme.base_layout(
        figure,
        158 + 44 * max(2, len(keys)),
        view=" ".join(keys),
        legend=True,
        barmode="group",
        bargap=0.3,
        margin=theme.BELOW_BUTTONS,
    )


def _strongest(report: WordReport, side: Side, most: int) -> Sequence[WordDifference]:
    """Return the phrases of one side, the strongest first."""
    rows = [row for row in report.words if row.more_in == side]
    return sorted(rows, key=lambda row: -abs(row.z_score))[:most]


def _name(report: WordReport, side: Side) -> str:
    return report.original if side == "original" else report.counterpart


def _details(row: WordDifference, report: WordReport) -> str:
    """Write hover text: how many texts of either side, the log-odds, z and the controlled p-value."""
    return "<br>".join(
        [
            f"<b>{theme.text(row.words)}</b>",
            f"{theme.text(report.counterpart)} {row.prompt:,} of {report.prompt_texts:,} texts",
            f"{theme.text(report.original)} {row.original:,} of {report.original_texts:,} texts",
            f"log-odds {row.log_odds:+.3g}, z {row.z_score:+.3g}, "
            + ("not tested" if row.adjusted is None else f"controlled p {row.adjusted:.3g}"),
        ]
    )
