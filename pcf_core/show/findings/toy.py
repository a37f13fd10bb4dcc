"""Sentences about the examples of the page that explains the mathematics."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.measure.toy import SimplexRisk, ToyRisk
from pcf_core.show.findings.numbers import count, listed, people, percent, two_decimals


def toy_finding(toy: ToyRisk) -> str:
    """Say how often each context puts the first group's words, and what that makes of risk."""
    group = toy.groups[0]
    cases = [
        f"{round(100 * float(share)):,} of 100 times in {context}"
        for share, context in zip(toy.preferences[:, 0], toy.contexts, strict=True)
    ]
    return f"For the {toy.name}, the model favours {people(group)} {listed(cases)}. {parts_finding(toy)}"


def parts_finding(toy: ToyRisk) -> str:
    """Say how the risk of an example splits, and what its caprice, or the lack of it, means."""
    if toy.overall_risk == 0:
        return "Every context is neutral: there is no risk."
    share = toy.prejudice_risk / toy.overall_risk
    sentence = (
        f"The risk is {two_decimals(toy.overall_risk)}: {percent(share)} is prejudice "
        f"({two_decimals(toy.prejudice_risk)}), {percent(1 - share)} caprice "
        f"({two_decimals(toy.caprice_risk)})."
    )
    if toy.caprice_risk > 0:
        unlike = "disagree about the group that comes first" if len(toy.groups) == 2 else "do not lean alike"
        return f"{sentence} There is caprice because the contexts {unlike}."
    if toy.stereotype_sd > 0:
        return (
            f"{sentence} There is no caprice, because every context leans the same way. Still the stereotype "
            f"moves, with a standard deviation of {two_decimals(toy.stereotype_sd)}."
        )
    return f"{sentence} There is no caprice, because all contexts agree."


def two_models_finding(
    models: Sequence[ToyRisk], biases: Sequence[float], deviations: Sequence[float]
) -> str:
    """Say what the older measures and the split say of the same models.

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
    split = " ".join(
        f"{model.name} has a risk of {two_decimals(model.overall_risk)}: "
        f"{two_decimals(model.prejudice_risk)} "
        f"prejudice and {two_decimals(model.caprice_risk)} caprice."
        for model in models
    )
    return (
        f"The mean preference is off neutral by {listed(told)}. The mean distance from neutral is "
        f"{listed(distances)}. Neither tells a fixed lean from one that changes; the split does. {split}"
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
        f"With ever more contexts it would be {two_decimals(expected)}. The mean of a few contexts is never "
        "quite neutral, so few contexts alone make some prejudice."
    )


def flow_finding(toys: Sequence[ToyRisk], prejudice: float, caprice: float) -> str:
    """Name the riskiest occupation of a small matrix, and its R = R^p + R^c."""
    riskiest = max(toys, key=lambda toy: toy.overall_risk)
    cells = sum(len(toy.contexts) for toy in toys)
    return (
        f"{count(cells, 'preference')} become {count(len(toys), 'risk')}; the largest is that of the "
        f"{riskiest.name}, {two_decimals(riskiest.overall_risk)}. At last they become one number: "
        f"R = {two_decimals(prejudice + caprice)}, of which {two_decimals(prejudice)} is prejudice and "
        f"{two_decimals(caprice)} caprice."
    )


def simplex_finding(risk: SimplexRisk) -> str:
    """Say which group each context of the example puts first, and what is left of it in the mean."""
    toy = risk.example
    leaders = [
        f"{context} {'is neutral' if value <= 0 else f'leans to {toy.groups[place]}'}"
        for context, place, value in zip(
            toy.contexts,
            toy.stereotypes.argmax(axis=1).tolist(),
            toy.stereotypes.max(axis=1).tolist(),
            strict=True,
        )
    ]
    sentence = listed(leaders)
    return f"{sentence[0].upper()}{sentence[1:]}. {parts_finding(toy)}"
