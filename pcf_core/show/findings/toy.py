"""The made-up examples of *How it works* in sentences."""

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
    """Say why an example has caprice or none; "" without risk."""
    if toy.overall_risk == 0:
        return ""
    if toy.caprice_risk > 0:
        return say("caprice", two_groups=len(toy.groups) == 2)
    return say("same_lean", sd=toy.stereotype_sd) if toy.stereotype_sd > 0 else say("agreement")


def two_models_finding(models: Sequence[ToyRisk]) -> str:
    """Say how the risk of each of several models splits."""
    return say("models", models=models)


def older_finding(models: Sequence[ToyRisk], biases: Sequence[float], deviations: Sequence[float]) -> str:
    """State the older measures: distance of the mean from neutral, and mean distance as a share of it."""
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
    """State the distance of a drawn reference model's prejudice from its closed form."""
    return say("reference", contexts=contexts, name=name, shown=shown, expected=expected)


def flow_finding(toys: Sequence[ToyRisk]) -> str:
    """Say what becomes of a small matrix, and name its riskiest occupation."""
    riskiest = max(toys, key=lambda toy: toy.overall_risk)
    return say("flow", cells=sum(len(toy.contexts) for toy in toys), risks=len(toys), riskiest=riskiest)
