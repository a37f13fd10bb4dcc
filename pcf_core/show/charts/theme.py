"""Colours, marks and the layout that all charts share.

The page's theme, light or dark, sets text colours and background.  A model has a colour, a marker and a
pattern, so that colour alone never matters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import plotly.graph_objects as go

from pcf_core.core.frame import without_frame
from pcf_core.core.run import split_label
from pcf_core.show.findings.numbers import people, words_of
from pcf_core.show.names import with_titles

# Okabe and Ito's colours, with olive and a light green for their two oranges, the second group's, and
# grey for black, invisible on a dark page.  The first four have a contrast of 3:1 on both.
MODEL_COLORS = ("#0072B2", "#009E73", "#998C00", "#CC79A7", "#56B4E9", "#66CC77", "#7F7F7F", "#F0E442")
MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
PATTERNS = ("", "/", "x", "-", "\\", "|", "+", ".")

# ColorBrewer's PuOr, eleven stops from 0 (orange) over neutral to 1 (purple).
DIVERGING = (
    *("#7f3b08", "#b35806", "#e08214", "#fdb863", "#fee0b6", "#f7f7f7"),
    *("#d8daeb", "#b2abd2", "#8073ac", "#542788", "#2d004b"),
)
ACCENT = "#0072B2"
CONTRAST = "#009E73"  # against the accent
# The parts of a risk, in colours that no model has.
PREJUDICE = "#5F6B7A"
SHARED = "#A9B2BD"  # the part of prejudice that all occupations share
CAPRICE = "#9C6B1E"
MUTED = "#7F7F7F"
GRID = "rgba(127, 127, 127, 0.25)"

# Groups may be drawn beside models, so they have other colours, chosen so that the first
# five differ from one another and from the models' also for colour-blind readers (Machado et al. 2009,
# doi:10.1109/TVCG.2009.113), other markers, and the patterns in reverse.
# The first is the purple, the second the orange of the diverging scale.
GROUP_COLORS = ("#6644EE", "#A0522D", "#3399EE", "#775577", "#DD11BB", "#00AA44", "#446688", "#999933")
GROUP_MARKERS = (
    *("triangle-down", "pentagon", "star-diamond", "hourglass"),
    *("bowtie", "hexagram", "triangle-left", "triangle-right"),
)
GROUP_PATTERNS = tuple(reversed(PATTERNS))

MAX_HEIGHT = 640
LABEL_LENGTH = 40


@dataclass(frozen=True)
class ModelStyle:
    """The look of a model or group in every chart."""

    color: str
    marker: str
    pattern: str


# Indices in MODEL_COLORS and MARKERS of the shipped models; no two share both.
SHIPPED = {
    "SmolLM2-135M-Instruct-Q4_1": (0, 0),
    "Gemma-3-270M-Q4_K_M": (1, 1),
    "minilm-masked": (2, 2),
    "mini-gpt": (3, 3),
    "mini-bert": (4, 4),
    "mini-t5": (5, 5),
    "mini-xlnet": (6, 6),
    "mini-gpt-s": (5, 7),
    "mini-gpt-l": (2, 5),
    "mini-gpt-skewed": (1, 5),
    "mini-gpt-balanced": (0, 6),
    "mini-gpt-s-q4_0": (6, 1),
    "planted-causal": (6, 7),
    "planted-masked": (4, 0),
}
HASHED = 7  # colours for other models: the last one is hard to see on white


def model_styles(names: Sequence[str]) -> dict[str, ModelStyle]:
    """Return a style per name; a model has the same colour everywhere, in every precision and frame.

    Shipped models have their own colour and marker, others get theirs from a hash of the name.  If two in a
    picture have one colour, the later one takes the next marker and pattern.
    """
    styles: dict[str, ModelStyle] = {}
    taken: dict[int, set[int]] = {}
    for name in dict.fromkeys(names):
        model = without_frame(split_label(name)[0])
        seed = int.from_bytes(sha256(model.encode()).digest()[:8], "big")
        hue, mark = SHIPPED.get(model, (seed % HASHED, seed // HASHED % len(MARKERS)))
        marks = taken.setdefault(hue, set())
        while mark in marks and len(marks) < len(MARKERS):
            mark = (mark + 1) % len(MARKERS)
        marks.add(mark)
        styles[name] = ModelStyle(MODEL_COLORS[hue], MARKERS[mark], PATTERNS[mark])
    return styles


def group_styles(groups: Sequence[str]) -> dict[str, ModelStyle]:
    """Return a style per group by position: purple, orange, then others, none a model's."""
    styles = {}
    for index, name in enumerate(dict.fromkeys(groups)):
        mark = (index + index // len(GROUP_MARKERS)) % len(GROUP_MARKERS)
        styles[name] = ModelStyle(
            GROUP_COLORS[index % len(GROUP_COLORS)], GROUP_MARKERS[mark], GROUP_PATTERNS[mark]
        )
    return styles


def columns(label: str) -> int:
    """Return a label's width in columns; a Chinese, Japanese or Korean character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in label)


def text(label: object, length: int = LABEL_LENGTH) -> str:
    """Return a label, titles instead of names, as plotly text of at most ``length`` columns, never markup.

    HTML, the dollar sign (LaTeX) and the per cent sign (hover templates) become entities.
    """
    plain = " ".join(with_titles(str(label)).split())
    if columns(plain) > length:
        plain = plain[: fitting(plain, length - 1)].rstrip() + "…"
    for character, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("$", "&#36;"),
        ("%", "&#37;"),
    ):
        plain = plain.replace(character, entity)
    return plain


def fitting(label: str, width: int) -> int:
    """Count how many of a label's first characters fit into ``width`` columns."""
    return sum(columns(label[:end]) <= width for end in range(1, len(label) + 1))


def group(name: str, length: int = LABEL_LENGTH) -> str:
    """Return a group's readable name as plain text for plotly: men, not male."""
    return text(people(name), length)


def probability_of(name: str) -> str:
    """Return "P(words for …)" of a group, as plain text for plotly."""
    return f"P({text(words_of(name))})"


def lines(label: object, width: int = 20, most: int = 2) -> str:
    """Break a label into ``most`` lines of about ``width`` columns: at spaces, hyphens, or anywhere."""
    plain = " ".join(with_titles(str(label)).split())
    if columns(plain) <= width or most < 2:
        return text(plain, width)
    end = fitting(plain, width)
    spaces = [index for index in range(end, 1, -1) if plain[index] == " "]
    fits = [index for index in spaces if columns(plain[index + 1 :]) <= width]
    fits.sort(key=lambda index: plain[index - 1] != ":")
    breaks = (index for index in range(end, 1, -1) if index in spaces or plain[index - 1] == "-")
    first = fits[0] if fits else next(breaks, end)
    return f"{text(plain[:first], width)}<br>{lines(plain[first:].strip(), width, most - 1)}"


def short_template(template: str) -> str:
    """Shorten a template to a tick label: "The [X] said that [Y]." becomes "… said that"."""
    label = re.sub(r"^The \[X\]|\[X\]", "…", template)
    label = re.sub(r"(?<!\s)\s*+\[Y\]\s*[.!?。！？]?\s*$", "", label)
    return label.replace("[Y]", "___")


def diverging(neutral: float) -> list[list[Any]]:
    """Return a colour scale from 0 to 1 with its middle stop at ``neutral`` (0 < neutral < 1)."""
    half = len(DIVERGING) // 2
    below = [neutral * step / half for step in range(half)]
    above = [neutral + (1 - neutral) * step / half for step in range(half)]
    return [[position, color] for position, color in zip([*below, *above, 1.0], DIVERGING, strict=True)]


def shades(colors: Sequence[str]) -> list[list[Any]]:
    """Return a colour scale with even steps from 0 to 1."""
    return [[index / (len(colors) - 1), color] for index, color in enumerate(colors)]


def probability_axis(words: str, neutral: float, **bar: Any) -> dict[str, Any]:
    """Return a colour axis from 0 to 1 with neutral in the middle; ``bar``: properties of the colour bar."""
    ticks = apart(neutral, 0.16)
    named = neutral in ticks
    title = f"probability of {words}{'' if named else f' ({neutral:.2g} is neutral)'}"
    return {
        "colorscale": diverging(neutral),
        "cmin": 0,
        "cmax": 1,
        "colorbar": {
            **color_bar(title),
            "tickvals": ticks,
            "ticktext": ["0", *([f"{neutral:.2g} neutral"] if named else ()), "1"],
            **bar,
        },
    }


def apart(neutral: float, room: float) -> list[float]:
    """Return the ticks 0, neutral and 1, without neutral if it is closer than ``room`` to an end."""
    return [0, neutral, 1] if room <= neutral <= 1 - room else [0, 1]


def color_bar(title: str) -> dict[str, Any]:
    """Return a horizontal colour bar with its title above."""
    index = {"orientation": "h", "thickness": 10, "len": 0.8, "x": 0, "xanchor": "left", "xpad": 0}
    return {**index, "title": {"text": title, "side": "top", "font": {"size": 12}}}


def name_axis(labels: Mapping[str, str]) -> dict[str, Any]:
    """Return an axis of names from plotly labels by data value; equal labels stay two rows."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(labels),
        "labelalias": dict(labels),
        "showgrid": False,
    }


def bar_marker(style: ModelStyle) -> dict[str, Any]:
    """Return a bar's marker: colour and pattern on the page's background."""
    return {
        "color": style.color,
        "pattern": {"shape": style.pattern, "fillmode": "replace"},
        "line": {"color": style.color, "width": 1},
    }


# Pixels between title and plot, where plotly's buttons and names of panels are.
ABOVE_PLOT, BELOW_PANEL_NAMES = 6, 24
SIGNED: Mapping[str, Any] = {"tickformat": "+.2~g", "labelalias": {"+0": "0"}}  # of a signed axis
EDGE = 0.03  # of an axis of risks, beyond its ends, so that marks at 0 and 1 are whole
RISKS: Mapping[str, str] = {
    "overall_risk": "risk → more",
    "prejudice_risk": "prejudice → more",
    "caprice_risk": "caprice → more",
}


def risk_axis(values: Iterable[float | None], unit: float = 1.0) -> dict[str, Any]:
    """Return the range of an axis of risks: 0 to 1 (times ``unit``), longer only if a value lies outside."""
    drawn = [value for value in values if value is not None]
    low, high = min([0.0, *drawn]), max([unit, *drawn])
    return {"range": [low - EDGE * unit, high + EDGE * unit]}


def base_layout(
    figure: go.Figure,
    height: float,
    *,
    view: str = "",
    legend: bool | None = None,
    top: float = ABOVE_PLOT,
    right: float = 12,
    tallest: float = MAX_HEIGHT,
    **layout: Any,
) -> go.Figure:
    """Apply the layout that all charts share, in place, and return the figure.

    ``height``: pixels, at most ``tallest``.  ``view``: zoom is kept while this stays the same.  ``legend``:
    ``None`` for plotly's choice.  ``top``, ``right``: margins in pixels.
    """
    figure.update_layout(
        height=min(tallest, round(height)),
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        margin={"l": 8, "r": right, "t": top, "b": 8},
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "x": 0,
            "xanchor": "left",
            "bgcolor": "rgba(0, 0, 0, 0)",
        },
        showlegend=legend,
        uirevision=view or "constant",
        hovermode="closest",
        dragmode=False,  # scrolling scrolls the page; buttons zoom
        modebar={"bgcolor": "rgba(0, 0, 0, 0)", "color": GRID, "activecolor": "rgba(127, 127, 127, 1)"},
    )
    axis = {"automargin": True, "zeroline": False, "gridcolor": GRID, "tickfont": {"size": 11}}
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes({**axis, "title": {"font": {"size": 12}}})
    figure.update_layout(**layout)
    return figure


# Columns, font sizes and heights of the title, the subtitle and the source above the plot.
TITLE_LENGTH = 60
TITLE_COLUMNS, TITLE_SIZE, TITLE_LINE = 45, 14, 18
DRAWN_COLUMNS, DRAWN_SIZE = 56, 12
SOURCE_COLUMNS, SOURCE_SIZE = 58, 11
TITLE_ROOM = 6 + 2 * TITLE_LINE  # pixels of a one-line title with its source
SEPARATOR = " · "


def heading(sentence: str) -> str:
    """Return a short title from a picture's alternative text."""
    return sentence if len(sentence) <= TITLE_LENGTH else sentence.split(",")[0]


def titled(
    figure: go.Figure, drawn: str, source: str = "", claim: str = "", *, width: int = SOURCE_COLUMNS
) -> go.Figure:
    """Write title, subtitle and source into a figure without a title, in place, so that a file has them.

    ``claim``: what the figure shows, its title; ``drawn``: what is drawn, its subtitle, or its title without
    a claim; at most 60 characters each.  ``source``: program, topic and material, in lines of ``width``
    columns.  The figure grows by what they need; its plot keeps its size.
    """
    if figure.layout.title.text:
        return figure
    # Plotly's subtitle would push the title out of the figure when it is drawn again.
    written = _balanced(claim or drawn, TITLE_COLUMNS)
    if claim and drawn:
        written += _smaller(_balanced(drawn, DRAWN_COLUMNS), DRAWN_SIZE)
    if source:
        written += _smaller(_balanced(source, width, SEPARATOR), SOURCE_SIZE)
    more = written.count("<br>")
    room = 6 + TITLE_LINE * (1 + more)
    top = (figure.layout.margin.t or 0) + room
    height = (figure.layout.height or MAX_HEIGHT) + room
    figure.update_layout(
        title={
            "text": written,
            "font": {"size": TITLE_SIZE},
            **{"x": 0, "xref": "container", "xanchor": "left"},
            **{"y": 1, "yref": "container", "yanchor": "top"},
            "pad": {"l": 2, "t": 14 if more else 4},  # plotly lifts texts of several lines by 10 pixels
        },
        margin={"t": top},
        height=height,
    )
    bar = figure.layout.coloraxis.colorbar
    if bar.y == 1 and bar.yanchor == "bottom":
        # Placed by the plot, its title would lift the figure's; placed by the figure it needs a baseline.
        bar.update(yref="container", yanchor="top", y=1 - (room + 8) / height)
        bar.title.text += "<br> "
    return figure


def _smaller(text: str, size: int) -> str:
    return f'<br><span style="font-size: {size}px; font-weight: normal">{text}</span>'


def _balanced(label: str, width: int, separator: str = " ") -> str:
    """Break a label into two lines of similar length at a ``separator``, preferably after a comma."""
    plain = " ".join(with_titles(label).split())
    parts = plain.split(separator)
    halves = [
        (separator.join(parts[:index]), separator.join(parts[index:])) for index in range(1, len(parts))
    ]
    fitting_halves = [pair for pair in halves if max(map(columns, pair)) <= width]
    if columns(plain) <= width or not fitting_halves:
        return lines(plain, width)
    best = min(fitting_halves, key=lambda pair: (not pair[0].endswith((",", ":")), max(map(columns, pair))))
    return "<br>".join(text(half, width) for half in best)
