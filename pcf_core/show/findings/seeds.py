"""Sentences about one recipe trained with several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import Difference
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.show.findings.comparison import WORDS
from pcf_core.show.findings.numbers import listed, number, percent

NAMES = WORDS | {"overall_risk": "R"}


def seeds_note(spreads: Mapping[str, SeedSpread]) -> str:
    """Say what the same training gives with other seeds, beside intervals that do not allow for it.

    Parameters
    ----------
    spreads
        Of R, prejudice and caprice of one model, by quantity.
    """
    total = spreads["overall_risk"]
    seeds = listed([str(seed) for seed in total.seeds], "or")
    return (
        f"Trained with seed {seeds}, {total.model} has R {_risks(total)}: a range of {_ranges(spreads)}. No "
        "interval here allows for another training."
    )


def seeds_spread(spreads: Mapping[str, SeedSpread], *, here: bool) -> str:
    """Say what another seed of a training changes, before differences are held against it.

    Parameters
    ----------
    spreads
        Of R, prejudice and caprice of one model, by quantity.
    here
        Whether they were measured on the same topic, templates and occupations, read by default options;
        elsewhere nothing is held against them.
    """
    total = spreads["overall_risk"]
    if here:
        return (
            f"Over {len(total.seeds):,} seeds of its training, {total.model} has R {_risks(total)}: a range "
            f"of {_ranges(spreads)}."
        )
    return (
        f"What another seed of the training changes was measured for {total.model} on {total.topic}, "
        f"{total.templates} and {total.evidence} with default options alone: over {len(total.seeds):,} seeds "
        f"a range of {_ranges(spreads)}."
    )


def seeds_finding(
    spreads: Mapping[str, SeedSpread], other: str, differences: Mapping[str, Difference]
) -> str:
    """Say how large differences of two models are beside what another seed of the one changes.

    The spreads are those of one of the two: nothing is said of how far trainings of the ``other`` differ.

    Parameters
    ----------
    spreads
        Of R, prejudice and caprice of one of the two models, by quantity, measured on what the differences
        are of.
    other
        The name of the other one.
    differences
        Of the two models, by quantity.
    """
    first = spreads["overall_risk"]
    sizes = {name: abs(differences[name].value) for name in spreads}
    within = [name for name in spreads if sizes[name] <= spreads[name].range]
    between = [name for name in spreads if name not in within and sizes[name] <= spreads[name].bound]
    beyond = [name for name in spreads if name not in (*within, *between)]
    than = f" than between seeds of {first.model}"
    differ = f" two trainings may differ ({percent(first.level)}, from so few seeds)"
    said = []
    if within:
        said.append(f"{_differences(within, sizes)} no larger{than}.")
        than = ""
    for names, unlike in ((between, ", but within"), (beyond, ", and beyond")):
        if names:
            bounds = listed([number(spreads[name].bound) for name in names])
            said.append(f"{_differences(names, sizes)} larger{than}{unlike} the {bounds} by which{differ}.")
            than, differ = "", " they may differ"
    if between or beyond:
        said.append(f"What another seed of {other} changes is not in that.")
    return " ".join(said)


def _risks(spread: SeedSpread) -> str:
    return listed([number(risk) for risk in spread.risks])


def _ranges(spreads: Mapping[str, SeedSpread]) -> str:
    """Write all ranges: "0.0131 in R, 0.0123 in prejudice and 0.00283 in caprice"."""
    return listed([f"{number(spread.range)} in {NAMES[name]}" for name, spread in spreads.items()])


def _differences(names: Sequence[str], sizes: Mapping[str, float]) -> str:
    """Write sizes of differences and a verb: "The differences in R (0.05) and caprice (0.001) are"."""
    sized = listed([f"{NAMES[name]} ({number(sizes[name])})" for name in names])
    return f"The difference in {sized} is" if len(names) == 1 else f"The differences in {sized} are"
