"""Models under a few choices, as the audit would give them."""

from __future__ import annotations

from pcf_core.core.sensitivity import BASE, Sensitivities, Sensitivity, Variant


def way(dimension: str, name: str, risk: float, kind: str = "choice", end: str = "") -> Variant:
    return Variant.model_validate(
        {
            "dimension": dimension,
            "name": name,
            "kind": kind,
            "end": end,
            "overall_risk": risk,
            "prejudice_risk": risk - 0.1,
            "caprice_risk": 0.1,
            "stereotype_sd": 0.2,
            "note": "<i>60 %</i>",
        }
    )


def table(base: float) -> Sensitivity:
    return Sensitivity(
        run="abc",
        base=way(BASE, BASE, base, "base"),
        variants=(
            way("words", "he and she only", base + 0.1),
            way("words", "one pair left out", base - 0.2, end="lowest"),
            way("words", "one pair left out", base + 0.2, end="highest"),
            way("words", "without he / she", base - 0.2, "each"),
            way("criterion", "l1", base + 0.05),
            way("published scripts", "script for gender", base - 0.05, "script"),
        ),
    )


def sensitivities_example() -> Sensitivities:
    """Two models, one of them with a name that must not become markup."""
    return Sensitivities({"one": table(0.5), "<b>two</b>": table(0.6)})
