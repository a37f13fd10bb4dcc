"""Sentences about the examples of the page that explains the mathematics."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.measure.decomposition import RiskTotal
from pcf_core.measure.toy import ToyRisk
from pcf_core.show.findings.numbers import count, listed, percent, two_decimals


def parts_finding(risk: ToyRisk | RiskTotal) -> str:
    """Say how the risk of an example splits."""
    if risk.overall_risk == 0:
        return "Every context is neutral: there is no risk."
    return (
        f"The risk is {two_decimals(risk.overall_risk)}: {two_decimals(risk.prejudice_risk)} is prejudice "
        f"and {two_decimals(risk.caprice_risk)} caprice."
    )


def caprice_finding(toy: ToyRisk) -> str:
    """Say why an example has caprice, or has none; empty where it has no risk."""
    if toy.overall_risk == 0:
        return ""
    if toy.caprice_risk > 0:
        unlike = "disagree about the group that comes first" if len(toy.groups) == 2 else "do not lean alike"
        return f"There is caprice because the contexts {unlike}."
    if toy.stereotype_sd > 0:
        return (
            "There is no caprice, because every context leans the same way. Still the stereotype moves, with "
            f"a standard deviation of {two_decimals(toy.stereotype_sd)}."
        )
    return "There is no caprice, because all contexts agree."


def two_models_finding(models: Sequence[ToyRisk]) -> str:
    """Say how the risk of each of several models splits."""
    return " ".join(
        f"{model.name} has a risk of {two_decimals(model.overall_risk)}: "
        f"{two_decimals(model.prejudice_risk)} prejudice and {two_decimals(model.caprice_risk)} caprice."
        for model in models
    )


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
    names = [model.name for model in models]
    told = [f"{two_decimals(bias)} for {name}" for name, bias in zip(names, biases, strict=True)]
    distances = [
        f"{percent(deviation)} for {name}" for name, deviation in zip(names, deviations, strict=True)
    ]
    return (
        f"The mean preference is off neutral by {listed(told)}. The mean distance from neutral is "
        f"{listed(distances)}. Neither tells a fixed lean from one that changes; the split does."
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
    return (
        f"Seen in {count(contexts, 'context')}, the {name} model has a prejudice of {two_decimals(shown)}. "
        f"With ever more contexts it would be {two_decimals(expected)}."
    )


def flow_finding(toys: Sequence[ToyRisk]) -> str:
    """Say what becomes of the cells of a small matrix, and name its riskiest occupation."""
    riskiest = max(toys, key=lambda toy: toy.overall_risk)
    cells = sum(len(toy.contexts) for toy in toys)
    return (
        f"{count(cells, 'preference')} become {count(len(toys), 'risk')}; the largest is that of the "
        f"{riskiest.name}, {two_decimals(riskiest.overall_risk)}."
    )
