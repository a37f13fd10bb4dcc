"""Measure how often verdicts on a limit are wrong under early stopping, and how much scoring it saves.

Models of 15 occupations with known truth (:mod:`benchmarks.coverage`) are looked at after 25, 50 and 100
templates, heaviest first, with the intervals of :mod:`pcf_core.measure.limits` and one limit.

- *At the truth*: the limit is the true figure, the hardest case: every verdict but *cannot tell* means that
  an interval misses the truth.  5 of 100 runs may be wrong; docs/gate.md gives the share by population (more
  where intervals undercover, docs/measured-coverage.md).
- *0.1 above* and *0.1 below*: how often the verdict is right, wrong or open, and after how many templates.

``--shipped`` uses the shipped runs over 100 templates instead: how far the figures of a look are from those
of all templates, and how often its 95 % interval contains them.

    python -m benchmarks.gate --replications 1000
    python -m benchmarks.gate --replications 300 --leans one-sided
    python -m benchmarks.gate --replications 300 --neutral
    python -m benchmarks.gate --replications 300 --neutral --skewed
    python -m benchmarks.gate --replications 300 --neutral --copies 3
    python -m benchmarks.gate --shipped
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
import typer

from benchmarks.coverage import SYMBOLS, Cell, Leans, Population, contexts_of, shared, weights_worth
from pcf_core.audit.gate import scoring_order
from pcf_core.audit.results import load_result
from pcf_core.core.records import FloatArray
from pcf_core.core.settings import settings
from pcf_core.measure.bootstrap import RISKS, risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.limits import limit_verdict, resamples_for, stages
from pcf_core.measure.resampling import TemplateUnit, effective_number
from pcf_core.store.store import Store

TEMPLATES, PREJUDICES, WORTH = 100, (0.02, 0.2, 0.5), (None, 14.0)
ERROR, AWAY = 0.05, 0.1
Ends = tuple[float, float]


def looked_at(
    values: FloatArray, weights: FloatArray, seed: int, families: Sequence[str] = ()
) -> Iterator[tuple[int, Mapping[str, Ends]]]:
    """Yield the number of templates of each look, and the ends of its intervals by quantity."""
    for stage in stages(weights, ERROR, early=True, families=families):
        some = slice(stage.templates)
        found = risk_intervals(
            values[:, some],
            TemplateUnit.templates(weights[some], families[some]),
            np.ones(len(values)),
            Criterion(),
            resamples=resamples_for(stage.error),
            level=1 - stage.error,
            seed=seed,
        ).intervals
        yield stage.templates, {name: (found[name][0].low, found[name][0].high) for name in RISKS}


def decided(looks: Sequence[tuple[int, Mapping[str, Ends]]], name: str, limit: float) -> tuple[str, int]:
    """Return the first verdict other than *cannot tell*, and its number of templates."""
    for templates, ends in looks:
        verdict = limit_verdict(*ends[name], limit)
        if verdict != "cannot tell":
            return verdict, templates
    return "cannot tell", looks[-1][0]


def measure(
    cell: Cell, replications: int, contexts: Population | None = None, leans: Leans = "two-sided"
) -> list[str]:
    """Return a table row for each quantity; ``contexts``: with any leans.  Copies are scored together."""
    population = (contexts or contexts_of()).with_prejudice(cell.prejudice, leans)
    copies, truths = population.copies, population.truths()
    weights = shared(weights_worth(cell.templates, cell.effective), copies)
    labels = [str(row // copies) for row in range(weights.size)] if copies > 1 else []
    generator = np.random.default_rng(3)
    runs = []
    for seed in range(replications):
        s = population.drawn(1, cell.templates, generator)[0]
        runs.append(list(looked_at(np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1), weights, seed, labels)))
    return [
        f"{cell.name} {symbol} | {' | '.join(cells_of(runs, name, truths[name]))} |"
        for symbol, name in zip(SYMBOLS, RISKS, strict=True)
    ]


def cells_of(
    runs: Sequence[Sequence[tuple[int, Mapping[str, Ends]]]], name: str, truth: float
) -> Iterator[str]:
    """Yield a row's cells: per cent wrong at the truth, then right / wrong and templates on both sides."""
    said = [decided(looks, name, truth)[0] for looks in runs]
    yield f"{100 * np.mean([verdict != 'cannot tell' for verdict in said]):.1f}"
    for limit, right, wrong in ((truth + AWAY, "within", "exceeds"), (truth - AWAY, "exceeds", "within")):
        if limit < 0:
            yield "–"
            continue
        found = [decided(looks, name, limit) for looks in runs]
        counts = Counter(verdict for verdict, _ in found)
        share = {verdict: 100 * count / len(found) for verdict, count in counts.items()}
        taken = np.mean([templates for _, templates in found])
        yield f"{share.get(right, 0):.0f} / {share.get(wrong, 0):.1f}, {taken:.0f}"


HEAD = "| T | weights | R^p | of | wrong at the truth, % | 0.1 above: right / wrong, % and T | 0.1 below |"


def shipped() -> Iterator[str]:
    """Yield a table: distance of the first looks' figures from those of all templates."""
    store = Store.open(settings().cache, settings().results, settings().scores)
    errors: dict[int, list[FloatArray]] = {}
    held: dict[int, list[list[bool]]] = {}
    counted: dict[int, float] = {}
    for info in store.runs():
        run = info.run
        if run.plan is not None or len(run.templates.templates) != TEMPLATES or len(run.evidence.terms) < 100:
            continue
        counts = run.templates.counts
        order = scoring_order(run.templates.texts, counts)
        values, weights = load_result(store, run).preferences.values[:, order], counts[order]
        whole = figures(values, weights)
        for stage in stages(weights, ERROR, early=True)[:-1]:
            size = stage.templates
            part, unit = values[:, :size], TemplateUnit.templates(weights[:size])
            ends = risk_intervals(part, unit, np.ones(len(part)), Criterion()).intervals
            errors.setdefault(size, []).append(figures(part, weights[:size]) - whole)
            held.setdefault(size, []).append(
                [
                    ends[name][0].low <= figure <= ends[name][0].high
                    for name, figure in zip(RISKS, whole, strict=True)
                ]
            )
            counted[size] = effective_number(weights[:size])
    yield "| templates | count as | runs | error of R, R^p, R^c (root mean square) | 95 % intervals hold, % |"
    yield "|---" * 5 + "|"
    for size, several in errors.items():
        off = ", ".join(f"{error:.3f}" for error in np.sqrt(np.mean(np.square(several), axis=0)))
        hold = ", ".join(f"{100 * share:.0f}" for share in np.mean(held[size], axis=0))
        yield f"| {size} | {counted[size]:.1f} | {len(several)} | {off} | {hold} |"


def figures(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return R, R^p and R^c of [occupation, template, group] preferences with equal occupations."""
    found = total(decompose(values, weights, Criterion()), np.ones(len(values)))
    return np.array([getattr(found, name) for name in RISKS])


def main(
    replications: Annotated[int, typer.Option(help="simulated models of each row")] = 1000,
    common: Annotated[float, typer.Option(help="share of the variance that moves all occupations")] = 0.5,
    leans: Annotated[str, typer.Option(help="two-sided or one-sided")] = "two-sided",
    neutral: Annotated[bool, typer.Option(help="models without any prejudice alone")] = False,
    skewed: Annotated[bool, typer.Option(help="contexts with a skewed effect")] = False,
    copies: Annotated[int, typer.Option(help="near-copies of each template, as a family")] = 1,
    of_shipped: Annotated[bool, typer.Option("--shipped", help="the shipped runs instead")] = False,
) -> None:
    """Print the table, in Markdown."""
    if of_shipped:
        for line in shipped():
            typer.echo(line)
        return
    if leans not in ("two-sided", "one-sided"):
        raise typer.BadParameter("leans are two-sided or one-sided")
    shape: Leans = "one-sided" if leans == "one-sided" else "two-sided"
    contexts = contexts_of(common, skewed=skewed, copies=copies)
    typer.echo(f"{HEAD}\n{'|---' * HEAD.count(' | ')}|---|")
    for worth in WORTH:
        for prejudice in (0.0,) if neutral else PREJUDICES:
            for line in measure(Cell(TEMPLATES, worth, prejudice), replications, contexts, shape):
                typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
