"""The tab How it works, in parts: each an answer, what can be moved, a picture, figures and its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.page import draw_figures, draw_table, finding, picture
from pcf_core.app.widgets import choose_one
from pcf_core.core.settings import ROOT
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.reference_models import (
    REFERENCE_MODELS,
    ToyRisk,
    criterion_curve,
    draw,
    older_bias,
    older_deviation,
    reference_risks,
    simplex_risk,
    toy_risk,
    two_models,
)
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.toy import jensen_curve, reference_tiles, risk_flow, simplex
from pcf_core.show.findings.numbers import percent, signed, two_decimals
from pcf_core.show.findings.toy import (
    caprice_finding,
    flow_finding,
    older_finding,
    parts_finding,
    reference_finding,
    two_models_finding,
)

OCCUPATIONS, SEED = 20, 1
HOW_REFERENCES = """
Each tile is a model made up to have a known risk, drawn at random: rows are occupations, columns contexts,
the colour is the preference. *Stereotyped* has one colour a row: all prejudice. *Randomly stereotyped* is as
certain but changes with every context: nearly all caprice. Move the number of contexts: the fewer, the more
prejudice the two random models seem to have: the mean of a few contexts is never quite neutral.
"""
HOW_HAIR = """
Read from top to bottom: the model's preference for blue hair in each context, then J of each, how far it
lies from an even split on a scale to 1. The bars are each occupation's mean of J over the contexts, split
into prejudice and caprice; the last bar is the mean of the occupations. The 0.6 of the doctor is the authors'
own number, the others are made up.
"""
HOW_THREE = """
Every point of the triangle is a preference: in a corner one group gets everything, in the middle all get the
same. The colour is J there, lowest in the middle. The contexts are two marks, the star is their mean: where
J at the star is lower than the mean of J at the marks, the rest is caprice. The norms l1 and l2 count
every group above neutral, max only the furthest.
"""
GLOSSARY = ROOT / "docs" / "glossary.md"
HOW_ONE = """
Each mark is a context. Its **preference** p, read on the upper scale, becomes a **stereotype** s on the lower
one: an even split is 0. The V is the **criterion** J: how far s lies from 0, whichever side. The star is the
mean of the contexts: its height is the **risk**, and the V below it is what is left when stereotypes are
averaged first, **prejudice**. The dotted stretch between them is the Jensen gap, **caprice**. Move both
contexts to one side of 0 and it closes.
"""
HOW_TWO = """
The papers' own example. Each panel is a model, each mark one of its three contexts; the star is their mean,
its height the risk. M1 says the same three times, so its marks lie on each other. Both stars are
equally high; below that of M1 is prejudice alone, below that of M2 caprice alone.
"""


def slider(label: str, key: str, value: float, help_text: str) -> float:
    """Draw a slider of a share between 0 and 1."""
    return float(st.slider(label, 0.0, 1.0, value, 0.05, key=key, bind="query-params", help=help_text))


def tell(
    how: str,
    make: partial[go.Figure],
    alt: str,
    key: str,
    table: pd.DataFrame,
    figures: Sequence[KeyFigure],
    *sentences: str,
) -> None:
    """Draw the picture, and under it sentences, figures, how to read it and its data."""
    picture(make, key, alt)
    finding(*sentences)
    draw_figures(figures)
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(how)
    with right:
        draw_table(table, key)


def _risk_row(toy: ToyRisk) -> list[KeyFigure]:
    """Return risk, prejudice, caprice and the s.d. beside it, of one example."""
    return [
        KeyFigure("Risk r", two_decimals(toy.overall_risk), "Mean of J over contexts, 0 to 1: 0 is even."),
        KeyFigure("Prejudice", two_decimals(toy.prejudice_risk), "J of the mean stereotype, 0 to r."),
        KeyFigure("Caprice", two_decimals(toy.caprice_risk), "The rest, 0 to r: the Jensen gap."),
        KeyFigure("Stereotype s.d.", two_decimals(toy.stereotype_sd), "How much s moves with the context."),
    ]


def _steps_table(toys: Sequence[ToyRisk]) -> pd.DataFrame:
    """Make a table of every step of the examples, a row a context."""
    return pd.DataFrame(
        [
            {
                "of": toy.name,
                "context": context,
                "weight": float(toy.weights[index]),
                **{f"p({group})": float(toy.preferences[index, y]) for y, group in enumerate(toy.groups)},
                **{f"s({group})": float(toy.stereotypes[index, y]) for y, group in enumerate(toy.groups)},
                "J": float(toy.risks[index]),
            }
            for toy in toys
            for index, context in enumerate(toy.contexts)
        ]
    )


def _draw_references() -> None:
    """Draw the reference models, in as many contexts as the reader likes."""
    above = st.container()
    contexts = int(
        st.slider(
            "Contexts",
            2,
            60,
            10,
            key="contexts",
            bind="query-params",
            help="In how many contexts each model is seen.",
        )
    )
    rng = np.random.default_rng(SEED)
    draws = {name: draw(name, OCCUPATIONS, contexts, 2, rng) for name in REFERENCE_MODELS}
    shown = {
        name: total(decompose(values, np.ones(contexts), Criterion()), np.ones(OCCUPATIONS))
        for name, values in draws.items()
    }
    closed = reference_risks(2)
    name = REFERENCE_MODELS[-1]
    with above:
        finding(reference_finding(name, contexts, shown[name].prejudice_risk, closed[name].prejudice_risk))
    figures = [
        KeyFigure(
            name,
            two_decimals(risk.overall_risk),
            "Risk R of this draw: 0 is neutral, 1 the most. Below it its two parts.",
            f"prejudice {two_decimals(risk.prejudice_risk)}, caprice {two_decimals(risk.caprice_risk)}",
        )
        for name, risk in shown.items()
    ]
    table = pd.DataFrame(
        [
            {
                "model": name,
                **{f"{part.removesuffix('_risk')}, drawn": getattr(shown[name], part) for part in vars(risk)},
                **{f"{part.removesuffix('_risk')}, exact": getattr(risk, part) for part in vars(risk)},
            }
            for name, risk in closed.items()
        ]
    )
    alt = "Heat maps of the preferences of the four reference models"
    tiles = {name: values[..., 0] for name, values in draws.items()}
    tell(HOW_REFERENCES, partial(reference_tiles, tiles, "male"), alt, "reference_models", table, figures)


def _draw_hair() -> None:
    """Draw the way from a matrix of preferences for blue or pink hair to one number."""
    above = st.container()
    first = slider("Blue for the doctor in context 1", "p_blue", 0.6, "The note's example is 0.6.")
    contexts = ("context 1", "context 2", "context 3")
    rows = {"doctor": [first, 0.45, 0.75], "teacher": [0.2, 0.35, 0.3], "pilot": [0.95, 0.05, 0.5]}
    toys = [toy_risk(name, ("blue", "pink"), contexts, row) for name, row in rows.items()]
    matrix = np.array([toy.preferences for toy in toys])
    whole = total(decompose(matrix, np.ones(len(contexts)), Criterion()), np.ones(len(toys)))
    with above:
        finding(parts_finding(whole))
    doctor = toys[0]
    figures = [
        KeyFigure("p(blue)", two_decimals(first), "Preference of the doctor in context 1, 0 to 1."),
        KeyFigure("s(blue)", signed(float(doctor.stereotypes[0, 0])), "Its stereotype, −1 to 1."),
        KeyFigure("J", two_decimals(float(doctor.risks[0])), "Its risk, 0 to 1: 0 is neutral."),
        KeyFigure("Risk R", two_decimals(whole.overall_risk), "Mean over contexts and occupations, 0 to 1."),
    ]
    alt = "A matrix of preferences, the matrix of their risks, and bars of the occupations' risks"
    tell(
        HOW_HAIR,
        partial(risk_flow, toys, whole.prejudice_risk, whole.caprice_risk),
        alt,
        "hair_colour",
        _steps_table(toys),
        figures,
        flow_finding(toys),
    )


def _draw_three() -> None:
    """Draw three groups: two contexts that lean to different ones."""
    above = st.container()
    columns = st.columns(3)
    with columns[0]:
        first = slider("Context 1: lean to A", "lean_first", 0.8, "0 is neutral, 1 puts only A's words.")
    with columns[1]:
        second = slider("Context 2: lean to B", "lean_second", 0.5, "0 is neutral, 1 puts only B's words.")
    with columns[2]:
        name = choose_one(
            "Criterion",
            ["max", "l2", "l1"],
            default="max",
            key="toy_criterion",
            help="How the stereotypes of three groups become one number; with two groups all agree.",
        )
    criterion, corners = Criterion.parse(name), np.eye(3)
    leans = np.array([[first], [second]])
    toy = toy_risk(
        "example",
        ("A", "B", "C"),
        ("context 1", "context 2"),
        leans * corners[:2] + (1 - leans) / 3,
        None,
        criterion,
    )
    risk = simplex_risk(toy, criterion)
    with above:
        finding(parts_finding(toy))
    alt = "A triangle of all preferences for three groups, coloured by the criterion, with two contexts"
    tell(
        HOW_THREE,
        partial(simplex, risk, f"J ({name})"),
        alt,
        "three_groups",
        _steps_table([toy]),
        _risk_row(toy),
        caprice_finding(toy),
    )


def _draw_one() -> None:
    above = st.container()
    columns = st.columns(3)
    with columns[0]:
        first = slider("He in context 1", "p_first", 0.9, "P(male) after “The nurse said that …”.")
    with columns[1]:
        second = slider("He in context 2", "p_second", 0.35, "P(male) after “The nurse was told that …”.")
    with columns[2]:
        weight = slider(
            "Weight of context 1", "w_first", 0.5, "How often context 1 occurs; the rest is context 2."
        )
    toy = toy_risk(
        "nurse", ("male", "female"), ("context 1", "context 2"), [first, second], [weight, 1 - weight]
    )
    with above:
        finding(parts_finding(toy))
    alt = "How two contexts become a risk, by the criterion J over the stereotype: prejudice and caprice"
    tell(
        HOW_ONE,
        partial(jensen_curve, [toy], criterion_curve()),
        alt,
        "one_occupation",
        _steps_table([toy]),
        _risk_row(toy),
        caprice_finding(toy),
    )


def _draw_two() -> None:
    models = two_models()
    biases, deviations = [older_bias(model) for model in models], [older_deviation(model) for model in models]
    finding(two_models_finding(models))
    figures = [
        KeyFigure(
            f"Risk R · {model.name}",
            two_decimals(model.overall_risk),
            "Mean of J over contexts: 0 is neutral, 1 the most.",
            f"prejudice {two_decimals(model.prejudice_risk)}, caprice {two_decimals(model.caprice_risk)}",
        )
        for model in models
    ] + [
        KeyFigure(
            f"Older measures · {model.name}",
            signed(bias),
            "Mean preference less ½: 0 is neutral. Below it the mean distance from ½, as a share of ½.",
            f"deviation {percent(deviation)}",
        )
        for model, bias, deviation in zip(models, biases, deviations, strict=True)
    ]
    alt = "How contexts become a risk, by the criterion J over the stereotype: the models M1 and M2"
    make = partial(jensen_curve, models, criterion_curve())
    older = older_finding(models, biases, deviations)
    tell(HOW_TWO, make, alt, "two_models", _steps_table(models), figures, older)


def draw_glossary() -> None:
    """Draw the glossary."""
    _, _, text = GLOSSARY.read_text(encoding="utf8").split("\n\n", 2)
    st.markdown(text)


PARTS: dict[str, Callable[[], None]] = {
    "one occupation": _draw_one,
    "two models": _draw_two,
    "reference models": _draw_references,
    "hair colour": _draw_hair,
    "three groups": _draw_three,
}


def draw_how_it_works() -> None:
    """Draw the tab."""
    part = choose_one(
        "Part",
        list(PARTS),
        default="one occupation",
        key="how_part",
        help="Made-up examples to move, from one occupation to three groups.",
    )
    PARTS[part]()
