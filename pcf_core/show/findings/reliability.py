"""How far a number holds: models whose truth is known, other seeds of a training, what each supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import Difference
from pcf_core.core.sensitivity import Calibration, SeedSpread
from pcf_core.material.numbers import Check, Numbers, Supported
from pcf_core.show.findings.comparison import WORDS
from pcf_core.show.findings.numbers import count, digits, listed, percent, two_decimals

# Of P(group).  Planted within 1e-5 on the processor that they were made on; on another float32 gave 1.2e-5.
CELL_LIMIT = 5e-5
RISK_LIMIT = 1e-4  # of R, R^p and R^c
SELDOM_CHANGES = "differences of caprice where hardly any sentence changes sides"  # of assets/numbers.toml
OF_ONE_OCCUPATION = "the same differences, of a single occupation"


def calibration_finding(found: Sequence[Calibration]) -> str:
    """Say whether the results in the store hold the planted risks, the largest differences, and their origin.

    Empty without a measurement.
    """
    if not found:
        return ""
    names = listed([one.planted.model for one in found])
    cells = sum(one.planted.cells for one in found)
    risk = max(abs(difference) for one in found for difference in one.differences.values())
    worst = max(found, key=lambda one: one.largest)
    recovers = risk <= RISK_LIMIT and worst.largest <= CELL_LIMIT
    verdict = (
        f"The stored results hold the risks that were planted in {names}."
        if recovers
        else f"The stored results miss the risks that were planted in {names}. Allowed are "
        f"{digits(RISK_LIMIT)} "
        f"for a risk and {digits(CELL_LIMIT)} for a probability."
    )
    return (
        f"{verdict} Measured and planted risks differ by at most {digits(risk)}. Over "
        f"{count(cells, 'cell')}, "
        f"the probability of a group differs by at most {digits(worst.largest)}. That is for "
        f"{worst.planted.model}, “{worst.occupation}” in “{worst.context}”. {_scored(found)}"
    )


def _scored(found: Sequence[Calibration]) -> str:
    """Say which version scored the models, and when the results were written, which may be later."""
    made: dict[str, list[str]] = {}
    for one in found:
        by = f"Version {one.version} of this app" if one.version else "This app"
        when = f"{one.written.day} {one.written:%B %Y}"
        made.setdefault(f"{by} scored {{}}; the results were written on {when}.", []).append(
            one.planted.model
        )
    return " ".join(how.format(listed(names)) for how, names in made.items())


def uncalibrated_note(model: str, reason: str) -> str:
    """Say why nothing is said of a calibration model, and what to do."""
    return f"{model} is not compared with its planted risks yet. {reason}"


def afresh_note() -> str:
    """Say why to score the calibration again, above the commands that do."""
    return (
        "These results are read from the store, which may have come with the app. To check the scorer of "
        "this installation, score again into a folder of its own:"
    )


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
        f"Trained with seed {seeds}, {total.model} has a risk of {_risks(total)}. {_ranges(spreads)} No "
        "range shown here allows for another training."
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
            f"Over {len(total.seeds):,} seeds of its training, {total.model} has a risk of {_risks(total)}. "
            f"{_ranges(spreads)}"
        )
    return (
        f"Other seeds of {total.model} were measured on {total.topic}, {total.templates} and "
        f"{total.evidence} "
        f"with default options alone. There are {len(total.seeds):,} of them. {_ranges(spreads)}"
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
    differ = f" Two trainings may differ by that much ({percent(first.level)}, from so few seeds)."
    said = []
    if within:
        said.append(f"{_differences(within, sizes)} no larger{than}.")
        than = ""
    for names, unlike in ((between, ", but within"), (beyond, ", and beyond")):
        if names:
            bounds = listed([two_decimals(spreads[name].bound) for name in names])
            said.append(f"{_differences(names, sizes)} larger{than}{unlike} {bounds}.{differ}")
            than, differ = "", ""
    if between or beyond:
        said.append(f"What another seed of {other} changes is not known.")
    return " ".join(said)


def _risks(spread: SeedSpread) -> str:
    return listed([two_decimals(risk) for risk in spread.risks])


def _ranges(spreads: Mapping[str, SeedSpread]) -> str:
    """Write all ranges: "The seeds differ by 0.01 in risk, 0.01 in prejudice and under 0.005 in caprice."."""
    parts = [f"{two_decimals(spread.range)} in {WORDS[name]}" for name, spread in spreads.items()]
    return f"The seeds differ by {listed(parts)}."


def _differences(names: Sequence[str], sizes: Mapping[str, float]) -> str:
    """Write sizes of differences and a verb: "The differences in risk (0.05) and caprice (0.01) are"."""
    sized = listed([f"{WORDS[name]} ({two_decimals(sizes[name])})" for name in names])
    return f"The difference in {sized} is" if len(names) == 1 else f"The differences in {sized} are"


COLUMNS = (
    "number",
    "what it supports",
    "what it does not",
    "how many of 100 intervals at 95 % hold the truth, simulated",
)


def supported_rows(numbers: Numbers) -> list[tuple[str, ...]]:
    """Return a row of :data:`COLUMNS` for each number."""
    return [(one.name, one.supports, one.cannot, checks_text(one, numbers)) for one in numbers.number]


def checks_text(one: Supported, numbers: Numbers) -> str:
    """Say how often its intervals held the truth, or its verdicts were wrong, and where that is simulated."""
    files = dict.fromkeys(numbers.source[check.source].file for check in one.checks)
    return f"{'; '.join(map(check_text, one.checks))} ({', '.join(files)})"


def seldom_caprice_note(numbers: Numbers, found: Difference) -> str:
    """Say that a difference of caprice is less sure than its range where few sentences change sides.

    Which of them change sides by chance no interval knows, and no rule tells from these sentences when that
    is so: it is said wherever there is caprice to compare.
    """
    if found.first == found.second == 0:
        return ""
    checks = {check.of: check for one in numbers.number for check in one.checks}
    total, single = (_times(checks[of].held) for of in (SELDOM_CHANGES, OF_ONE_OCCUPATION))
    return (
        "Where few sentences change sides, the range of a difference of caprice holds less often. In "
        f"simulations, {total} of 100 did instead of 95, and of a single occupation {single}."
    )


def _times(share: Sequence[int]) -> str:
    """Write how often of 100: "92 to 94", "94"."""
    return str(share[0]) if share[0] == share[-1] else f"{share[0]} to {share[-1]}"


def check_text(check: Check) -> str:
    """Say how often something held, and in what: "92 to 94: few sentences", "at most 5 wrong: …"."""
    found = check.held or check.wrong
    if len(found) == 1:
        times = f"{'at least' if check.held else 'at most'} {found[0]}"
    else:
        times = _times(found)
    return f"{times}{' wrong' if check.wrong else ''}: {check.of}"


def markdown_table(numbers: Numbers) -> str:
    """Write the table as Markdown, and below it the command behind each source."""
    rows = [
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
        *(f"| {' | '.join(row)} |" for row in supported_rows(numbers)),
    ]
    commands = [f"- `{one.file}`: `{one.command}`" for one in numbers.source.values()]
    return "\n".join([*rows, "", *commands, ""])
