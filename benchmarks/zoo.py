"""Measure how long each trained model of the app takes on *gender*, 120 occupations × 500 mined templates.

Scored is a sample: some occupations with all 500 templates, shard by shard as in a run (prompts are ordered
by occupation, so shards share as many beginnings as in the whole run).  Its time is scaled to 120
occupations. *Floor* is the time of the needed FLOPs at the measured rate of a large matrix product
(:mod:`benchmarks.floor`), as a share of ours; *bare* is the share of that rate that the model's own products
reach, run alone in their shapes and order, which bounds *floor*.  Opening a model is not counted.

    python -m benchmarks.zoo --occupations 1 --model mini-gpt
    python -m benchmarks.zoo --processor --threads 1 --rounds 5
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any

import torch
import typer
from transformers import logging

from benchmarks.floor import Products, gemm_rate, needed_flops
from benchmarks.peer import CLOCKS
from benchmarks.scoring import in_shards
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.loading import load
from pcf_core.models.registry import list_models, resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.work.blocks import prompts_a_block
from tools.ship_results import ZOO

TEMPLATES = 500
SET = "gender-wikipedia"


@dataclass(frozen=True)
class Timed:
    """A model's sample: ``cells`` in ``seconds``; ``floor``: the share of the needed FLOPs in them.

    ``bare``: the share of a large matrix product's rate that the model's own products reach.
    """

    model: str
    parameters: int
    cells: int
    seconds: float
    floor: float
    bare: float

    def minutes(self, cells: int) -> float:
        """Return the minutes for so many cells at the pace of the sample."""
        return self.seconds / self.cells * cells / 60


def prompts_of(occupations: int, templates: int = TEMPLATES) -> tuple[list[str], int]:
    """Return the sample's prompts, occupations spread over the list, and the cells of the whole run."""
    texts = load_templates(SET).templates[:templates]
    terms = load_evidence(load_topic("gender").evidence).terms
    sample = terms[:: -(-len(terms) // occupations)]
    return [text.prompt(term) for term in sample for text in texts], len(terms) * len(texts)


def measure(name: str, prompts: Sequence[str], clock: str, rounds: int) -> Timed:
    """Score the sample in some rounds after a warm-up; return medians.

    ``clock``: ``wall``, or ``processor`` on a machine that does other work.
    """
    spec = resolve(name)
    scorer: Any = open_scorer(spec)
    words = list(scorer.check(load_topic("gender").words).tokens)
    scorer.score(prompts[:16], words)
    with Products(scorer.model) as products:
        next(scorer.batches(prompts[: prompts_a_block(scorer)], words))
    flops = needed_flops(load(spec), spec.family, prompts, words)
    took, floors, reached = [], [], []
    for _ in range(rounds):
        rate = gemm_rate("float32", "cpu", clock=clock)
        begun = CLOCKS[clock]()
        in_shards(scorer, prompts, words)
        took.append(CLOCKS[clock]() - begun)
        floors.append(flops / rate / took[-1])
        reached.append(products.bare_rate(clock) / rate)
    return Timed(name, spec.parameters, len(prompts), median(took), median(floors), median(reached))


def line(found: Timed, cells: int) -> str:
    return (
        f"{found.model:<20}{found.parameters / 1e6:>8.1f} M{found.cells / found.seconds:>10.1f}"
        f"{found.minutes(cells):>10.1f}{found.floor:>8.0%}{found.bare:>8.0%}"
    )


def main(
    occupations: Annotated[int, typer.Option(help="how many of the 120 are scored")] = 2,
    model: Annotated[list[str] | None, typer.Option(help="a model; may be repeated; else all here")] = None,
    threads: Annotated[int, typer.Option(help="CPU threads, 0 for all cores")] = 0,
    rounds: Annotated[int, typer.Option(help="rounds, of which the medians are printed")] = 1,
    processor: Annotated[bool, typer.Option(help="count processor time, on a busy machine")] = False,
) -> None:
    """Print the table."""
    if threads or settings().threads:
        torch.set_num_threads(threads or settings().threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    here = {spec.name for spec in list_models()}
    chosen = model or [name for name in ZOO if name in here]
    prompts, cells = prompts_of(occupations)
    clock = "processor" if processor else "wall"
    typer.echo(
        f"Protocol exact, float32, {torch.get_num_threads()} threads, {clock} time; {len(prompts):,} cells "
        f"scored, minutes scaled to {cells:,}"
    )
    typer.echo(f"{'model':<20}{'size':>10}{'cells/s':>10}{'minutes':>10}{'floor':>8}{'bare':>8}")
    total = 0.0
    for name in chosen:
        found = measure(name, prompts, clock, rounds)
        total += found.minutes(cells)
        typer.echo(line(found, cells))
    typer.echo(f"{'together':<20}{'':>20}{total:>10.1f}")


if __name__ == "__main__":
    typer.run(main)
