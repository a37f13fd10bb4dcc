"""The tab How it works: each part has an answer, controls, a picture, figures and data."""

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
from pcf_core.report.loaded import PROGRAM
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
Each tile is an invented model with a known risk. Rows are occupations, columns are sentences, and the colour
is the preference. *Stereotyped* has one colour in each row, so its risk is all prejudice. *Randomly
stereotyped* is just as certain, but changes with every sentence, so its risk is nearly all caprice. With
fewer sentences, the two random models seem to have more prejudice, because the mean of a few sentences is
never quite neutral.
"""
HOW_HAIR = """
Read from top to bottom. First comes the model's preference for blue hair in each sentence, then the distance
of each preference from an even split (J, from 0 to 1). The bars are the mean of J for each occupation, split
into prejudice and caprice. The last bar is the mean over occupations. The doctor's 0.6 is the authors' own
number; the others are invented.
"""
HOW_THREE = """
Every point of the triangle is a preference. In a corner one group gets everything; in the middle all groups
get the same. The colour shows J, which is lowest in the middle. The two marks are sentences, and the star is
their mean. If J at the star is lower than the mean of J at the marks, the difference is caprice. The norms l1
and l2 count every group above neutral; max counts only the highest.
"""
GLOSSARY = ROOT / "docs" / "glossary.md"
HOW_ONE = """
Each coloured mark is a sentence. The upper scale shows the model's **preference** in that sentence, and the
lower scale shows the same as a **stereotype**, which is 0 for an even split. The solid V-shaped line is the
**criterion**: the distance of the stereotype from 0, on either side. The star is the mean of the sentences,
and its height is the **risk**. The solid bar under the star, up to the V-shaped line, is **prejudice**, a
fixed preference: the part that remains when stereotypes are averaged first. The striped bar above it, up to
the star, is **caprice**, a preference that depends on the sentence (the Jensen gap). If you move both
sentences to one side of 0, caprice disappears.
"""
HOW_TWO = """
This is the papers' own example. Each panel is a model, and each mark is one of its three sentences. The star
is their mean, and its height is the risk. M1 has the same preference in all three, so its marks lie on each
other. Both stars are equally high, but the risk of M1 is all prejudice and that of M2 all caprice.
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
    picture(make, key, alt, source=f"{PROGRAM} · made-up example")
    finding(*sentences)
    draw_figures(figures)
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(how)
    with right:
        draw_table(table, key)


def _risk_row(toy: ToyRisk) -> list[KeyFigure]:
    """Return key figures of one example: risk, prejudice, caprice and standard deviation."""
    return [
        KeyFigure("Risk r", two_decimals(toy.overall_risk), "Mean of J over sentences, from 0 (even) to 1."),
        KeyFigure("Prejudice", two_decimals(toy.prejudice_risk), "J of the mean stereotype, at most r."),
        KeyFigure("Caprice", two_decimals(toy.caprice_risk), "The rest of r: the Jensen gap."),
        KeyFigure("Stereotype s.d.", two_decimals(toy.stereotype_sd), "How much s depends on the sentence."),
    ]


def _steps_table(toys: Sequence[ToyRisk]) -> pd.DataFrame:
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
    above = st.container()
    contexts = int(
        st.slider(
            "Sentences",
            2,
            60,
            10,
            key="contexts",
            bind="query-params",
            help="How many sentences each model gets.",
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
            "The risk of this draw, from 0 (neutral) to 1, with its two parts below.",
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
    """Draw how a matrix of preferences for blue or pink hair becomes one number."""
    above = st.container()
    first = slider("Blue for the doctor in sentence 1", "p_blue", 0.6, "0.6 in the note's example.")
    contexts = ("sentence 1", "sentence 2", "sentence 3")
    rows = {"doctor": [first, 0.45, 0.75], "teacher": [0.2, 0.35, 0.3], "pilot": [0.95, 0.05, 0.5]}
    toys = [toy_risk(name, ("blue", "pink"), contexts, row) for name, row in rows.items()]
    matrix = np.array([toy.preferences for toy in toys])
    whole = total(decompose(matrix, np.ones(len(contexts)), Criterion()), np.ones(len(toys)))
    with above:
        finding(parts_finding(whole))
    doctor = toys[0]
    figures = [
        KeyFigure("p(blue)", two_decimals(first), "The doctor's preference in sentence 1, 0 to 1."),
        KeyFigure("s(blue)", signed(float(doctor.stereotypes[0, 0])), "Its stereotype, −1 to 1."),
        KeyFigure("J", two_decimals(float(doctor.risks[0])), "Its risk, 0 to 1: 0 is neutral."),
        KeyFigure("Risk R", two_decimals(whole.overall_risk), "Mean over sentences and occupations, 0 to 1."),
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
    above = st.container()
    columns = st.columns(3)
    with columns[0]:
        first = slider("Sentence 1: A", "lean_first", 0.8, "0 is neutral, 1 means only A's words.")
    with columns[1]:
        second = slider("Sentence 2: B", "lean_second", 0.5, "0 is neutral; at 1 only B's words come.")
    with columns[2]:
        name = choose_one(
            "Criterion",
            ["max", "l2", "l1"],
            default="max",
            key="toy_criterion",
            help="How several groups become one score. With two groups, all three agree.",
        )
    criterion, corners = Criterion.parse(name), np.eye(3)
    leans = np.array([[first], [second]])
    toy = toy_risk(
        "example",
        ("A", "B", "C"),
        ("sentence 1", "sentence 2"),
        leans * corners[:2] + (1 - leans) / 3,
        None,
        criterion,
    )
    risk = simplex_risk(toy, criterion)
    with above:
        finding(parts_finding(toy))
    alt = "A triangle of all preferences for three groups, coloured by the criterion, with two sentences"
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
        first = slider("Men in sentence 1", "p_first", 0.9, "After “The nurse said that …”.")
    with columns[1]:
        second = slider("Men in sentence 2", "p_second", 0.35, "After “The nurse was told that …”.")
    with columns[2]:
        weight = slider(
            "Share of sentence 1", "w_first", 0.5, "How often sentence 1 occurs; the rest is sentence 2."
        )
    toy = toy_risk(
        "nurse", ("male", "female"), ("sentence 1", "sentence 2"), [first, second], [weight, 1 - weight]
    )
    with above:
        finding(parts_finding(toy))
    alt = "How two sentences become a risk, by the criterion J over the stereotype: prejudice and caprice"
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
            "Mean of J over sentences, from 0 (neutral) to 1.",
            f"prejudice {two_decimals(model.prejudice_risk)}, caprice {two_decimals(model.caprice_risk)}",
        )
        for model in models
    ] + [
        KeyFigure(
            f"Older measures · {model.name}",
            signed(bias),
            "Mean preference minus ½: 0 is neutral. Below: the mean distance from ½, as a share of ½.",
            f"deviation {percent(deviation)}",
        )
        for model, bias, deviation in zip(models, biases, deviations, strict=True)
    ]
    alt = "How sentences become a risk, by the criterion J over the stereotype: the models M1 and M2"
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
        help="Invented examples that you can change, from one occupation to three groups.",
    )
    PARTS[part]()
