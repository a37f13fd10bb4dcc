"""Sentences about the examples of the page that explains the mathematics."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.measure.decomposition import RiskTotal
from pcf_core.measure.reference_models import ToyRisk
from pcf_core.show.wording import sentences

say = sentences("toy")


def parts_finding(risk: ToyRisk | RiskTotal) -> str:
    """Say how the risk of an example splits."""
    return say("no_risk") if risk.overall_risk == 0 else say("parts", risk=risk)


def caprice_finding(toy: ToyRisk) -> str:
    """Say why an example has caprice, or has none; empty where it has no risk."""
    if toy.overall_risk == 0:
        return ""
    if toy.caprice_risk > 0:
        return say("caprice", two_groups=len(toy.groups) == 2)
    return say("same_lean", sd=toy.stereotype_sd) if toy.stereotype_sd > 0 else say("agreement")


def two_models_finding(models: Sequence[ToyRisk]) -> str:
    """Say how the risk of each of several models splits."""
    return say("models", models=models)


def older_finding(models: Sequence[ToyRisk], biases: Sequence[float], deviations: Sequence[float]) -> str:
    """Say what the older measures say of the same models.

    Parameters
    ----------
    models
        The examples.
    biases
        Per model the distance of the mean preference from neutral.
    deviations
        Per model the mean distance of the preferences from neutral, as a share of neutral.
    """
    return say(
        "older",
        biases=[
            say("bias_for", bias=bias, model=model.name) for model, bias in zip(models, biases, strict=True)
        ],
        distances=[
            say("distance_for", share=deviation, model=model.name)
            for model, deviation in zip(models, deviations, strict=True)
        ],
    )


def reference_finding(name: str, contexts: int, shown: float, expected: float) -> str:
    """Say how far the prejudice of a drawn reference model lies from its closed form.

    Parameters
    ----------
    name
        Of the reference model.
    contexts
        That it was drawn in.
    shown
        R^p of the draw.
    expected
        R^p of the model itself.
    """
    return say("reference", contexts=contexts, name=name, shown=shown, expected=expected)


def flow_finding(toys: Sequence[ToyRisk]) -> str:
    """Say what becomes of the cells of a small matrix, and name its riskiest occupation."""
    riskiest = max(toys, key=lambda toy: toy.overall_risk)
    return say("flow", cells=sum(len(toy.contexts) for toy in toys), risks=len(toys), riskiest=riskiest)
