"""Sample a scored model, and compare its estimated risks with those of its probabilities.

The proof that a sampled run agrees with a scored one: in each cell of a finished run, n answers are drawn
from the model's own probabilities of the topic's groups, the risks are estimated from their counts
(:mod:`pcf_core.measure.answers`), and ranges over answers must contain the risks of the probabilities.  The
seeds are the numbers of the repetitions, fixed beforehand.

    python -m benchmarks.sampled                       # SmolLM2 on gender, 20 repetitions of 20 answers
    python -m benchmarks.sampled --model mini-gpt
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results
from pcf_core.audit.writing import Matrix
from pcf_core.cli.console import open_store
from pcf_core.core.errors import InputError
from pcf_core.measure.answers import Answers
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.decomposition import decompose

NAMES = {"overall_risk": "risk", "prejudice_risk": "prejudice", "caprice_risk": "caprice"}


def matrix_of(model: str, topic: str) -> Matrix:
    """Return the probabilities of the model's finished run with the topic's own sentences and occupations."""
    store = open_store()
    for info in store.runs():
        run = info.run
        usual = (run.topic.templates, run.topic.evidence) == (run.templates.name, run.evidence.name)
        if run.scoring.name == model and run.topic.name == topic and info.complete and usual:
            return Results(store).reading(run, ViewOptions(protocol=run.scoring.protocol)).matrix
    raise InputError(f"{model} has no finished run of {topic} with its usual sentences and occupations.")


def rows(matrix: Matrix, answers: int, repetitions: int) -> Iterator[str]:
    """Yield a table of estimates, ranges over answers, and whether they contain the scored risks."""
    shares = matrix.occupation_weights / matrix.occupation_weights.sum()
    parts = decompose(matrix.values, matrix.template_weights, matrix.criterion)
    several = (parts.overall, parts.prejudice, parts.caprice)
    scored = dict(zip(RISKS, (float(shares @ one) for one in several), strict=True))
    preferences = matrix.values / matrix.values.sum(axis=2, keepdims=True)
    held = dict.fromkeys(RISKS, 0)
    yield f"| seed | {' | '.join(f'{NAMES[name]} as counted | corrected | range' for name in RISKS)} |"
    yield "|---" * (1 + 3 * len(RISKS)) + "|"
    for seed in range(repetitions):
        counts = np.random.default_rng(seed).multinomial(answers, preferences).astype(np.float64)
        drawn = Answers(counts, matrix.whole, shares, matrix.criterion)
        raw, corrected, ranges = (
            drawn.figures(drawn.parts),
            drawn.figures(drawn.corrected),
            drawn.over_answers(),
        )
        entries = []
        for name in RISKS:
            low, high = ranges[name].low, ranges[name].high
            held[name] += low <= scored[name] <= high
            entries.append(f"{raw[name]:.3f} | {corrected[name]:.3f} | {low:.3f}–{high:.3f}")
        yield f"| {seed} | {' | '.join(entries)} |"
    yield "; ".join(
        f"{NAMES[name]} {scored[name]:.3f} scored, in {held[name]} of {repetitions} ranges" for name in RISKS
    )


def main(
    model: Annotated[str, typer.Option(help="a model with a finished run")] = "SmolLM2-135M-Instruct-Q4_1",
    topic: Annotated[str, typer.Option(help="the topic of the run")] = "gender",
    answers: Annotated[int, typer.Option(help="in each cell")] = 20,
    repetitions: Annotated[int, typer.Option(help="with the seeds 0, 1, 2, …")] = 20,
) -> None:
    """Print the table, in Markdown, each row as soon as it is done."""
    for line in rows(matrix_of(model, topic), answers, repetitions):
        typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
