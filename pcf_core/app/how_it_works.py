"""The tab How it works, in parts: each a finding, figures, what can be moved, a picture and its data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pcf_core.app.how_it_works_matrices import draw_hair, draw_references, draw_three
from pcf_core.app.page import draw_figures, finding
from pcf_core.app.toys import risk_row, slider, steps_table, tell
from pcf_core.app.widgets import choose_one
from pcf_core.core.settings import ROOT
from pcf_core.measure.toy import criterion_curve, older_bias, older_deviation, toy_risk, two_models
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.toy import jensen_curve
from pcf_core.show.findings.numbers import percent, signed, two_decimals
from pcf_core.show.findings.toy import toy_finding, two_models_finding

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


def draw_one() -> None:
    """Draw two contexts that the reader moves."""
    said, figures = st.container(), st.container()
    columns = st.columns(3)
    with columns[0]:
        first = slider("Context 1: share of he", "p_first", 0.9, "P(male) after “The nurse said that …”.")
    with columns[1]:
        second = slider(
            "Context 2: share of he", "p_second", 0.35, "P(male) after “The nurse was told that …”."
        )
    with columns[2]:
        weight = slider(
            "Weight of context 1", "w_first", 0.5, "How often context 1 occurs; the rest is context 2."
        )
    toy = toy_risk(
        "nurse", ("male", "female"), ("context 1", "context 2"), [first, second], [weight, 1 - weight]
    )
    with said:
        finding(toy_finding(toy))
    with figures:
        draw_figures(risk_row([toy]))
    alt = "The criterion J over the stereotype, with two contexts, their mean, prejudice and caprice"
    tell(HOW_ONE, lambda: jensen_curve([toy], criterion_curve()), alt, "one_occupation", steps_table([toy]))


def draw_two() -> None:
    """Draw M1 and M2."""
    models = two_models()
    biases, deviations = [older_bias(model) for model in models], [older_deviation(model) for model in models]
    finding(two_models_finding(models, biases, deviations))
    draw_figures(
        [
            KeyFigure(
                f"Risk R · {model.name}",
                two_decimals(model.overall_risk),
                "Mean of J over contexts: 0 is neutral, 1 the most.",
                f"prejudice {two_decimals(model.prejudice_risk)}, caprice {two_decimals(model.caprice_risk)}",
            )
            for model in models
        ]
        + [
            KeyFigure(
                f"Older measures · {model.name}",
                signed(bias),
                "Mean preference less ½: 0 is neutral. Below it the mean distance from ½, as a share of ½.",
                f"deviation {percent(deviation)}",
            )
            for model, bias, deviation in zip(models, biases, deviations, strict=True)
        ]
    )
    alt = "The criterion J over the stereotype, a panel each for the models M1 and M2"
    make = partial(jensen_curve, models, criterion_curve())
    tell(HOW_TWO, make, alt, "two_models", steps_table(models))


def draw_glossary() -> None:
    """Draw the glossary."""
    _, _, text = GLOSSARY.read_text(encoding="utf8").split("\n\n", 2)
    st.markdown(text)


PARTS: dict[str, Callable[[], None]] = {
    "one occupation": draw_one,
    "two models": draw_two,
    "reference models": draw_references,
    "hair colour": draw_hair,
    "three groups": draw_three,
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
