"""Models under the same choices: what they share, and their places."""

from __future__ import annotations

from pcf_core.core.sensitivity import BASE, BASE_KEY, Sensitivities, Sensitivity, Variant


def way(name: str, risk: float, dimension: str = "words", **more: str) -> Variant:
    facts = {"kind": "choice", **more}
    return Variant.model_validate(
        {
            "dimension": dimension,
            "name": name,
            "overall_risk": risk,
            "prejudice_risk": risk / 2,
            "caprice_risk": risk / 2,
            **facts,
        }
    )


def table(base: float, **risks: float) -> Sensitivity:
    variants = tuple(way(name, risk) for name, risk in risks.items())
    return Sensitivity(run="abc", base=way(BASE, base, BASE, kind="base"), variants=variants)


def test_values_and_places_of_the_models_that_can_be_read_so() -> None:
    found = Sensitivities(
        {"one": table(0.5, few=0.1), "two": table(0.4, few=0.3, mean=0.2), "three": table(0.5)}
    )
    assert found.ranks(BASE_KEY) == {"one": 1, "two": 3, "three": 1}
    assert found.values(("words", "few", "")) == {"one": 0.1, "two": 0.3}
    assert found.ranks(("words", "few", "")) == {"one": 2, "two": 1}
    assert found.values(("words", "mean", ""), "prejudice_risk") == {"two": 0.1}


def test_an_extreme_has_a_label_and_a_key_of_its_own() -> None:
    low = way("one pair left out", 0.1, end="lowest")
    assert low.label == "one pair left out, lowest"
    assert low.key != way("one pair left out", 0.1, end="highest").key


def test_scripts_and_long_lists_are_no_choices() -> None:
    found = Sensitivity(
        run="abc",
        base=way(BASE, 0.5, BASE, kind="base"),
        variants=(way("few", 0.1), way("script for gender", 0.2, kind="script"), way("x", 0.3, kind="each")),
    )
    assert [one.name for one in found.choices] == ["few"]
