"""Measure cells per second of the scorers against loops and minicons, with the same quantity on both sides.

Models have their usual sizes and random weights, prompts the shape of mined templates
(:mod:`benchmarks.sizes`).  A cell is a template × occupation with all words; *several* is the share of words
with more than one token.  Sides alternate, and the fastest round counts.  *Floor* is the time of the needed
FLOPs at the measured rate of a matrix product (:mod:`benchmarks.floor`), as a share of ours; *MB* is peak
memory without the model; *nats* is the largest difference between the sides.

    python -m benchmarks.scoring --quick
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Annotated, Any

import numpy as np
import torch
import typer
from transformers import logging

from benchmarks.floor import gemm_rate, needed_flops, peak_growth
from benchmarks.sides import MINICONS, minicons, naive, word_loop
from benchmarks.sizes import SIZES, build, mined_templates, open_scorer, tokenizer_for
from pcf_core.core.families import Family
from pcf_core.core.records import FloatArray
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.topics import load_topic
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from pcf_core.work.blocks import prompts_a_block

ROUNDS = 3
Side = Callable[[Sequence[str], Sequence[str]], FloatArray]


@dataclass(frozen=True)
class Case:
    """One line of the table.

    ``against``: naive, one by one (naive, one prompt at a time), buckets (ours without prefix trees), word
    loop or minicons.  ``share`` of the words have two or three tokens.  We score ``cells``, a slow side only
    the first ``sample`` (0: all).
    """

    model: str
    against: str
    share: float = 0.0
    dtype: str = "float32"
    their_dtype: str = "float32"
    cells: int = 500
    sample: int = 0


SEVERAL = 0.15
ON_CPU = [
    Case("BERT-base", "naive"),
    Case("BERT-base", "naive", dtype="bfloat16"),
    Case("BERT-base", "naive", dtype="bfloat16", their_dtype="bfloat16"),
    Case("GPT-2 small", "naive"),
    Case("GPT-2 small", "one by one", sample=100),
    Case("GPT-2 small", "buckets"),
    Case("GPT-2 small", "buckets", share=SEVERAL, sample=50),
    Case("T5-base", "naive"),
    Case("T5-base", "word loop", share=SEVERAL, sample=16),
    Case("BERT-base", "minicons", sample=4),
    Case("BERT-base", "minicons", share=SEVERAL, cells=100, sample=4),
    Case("GPT-2 small", "minicons", share=SEVERAL, sample=4),
    *(
        Case(model, "buckets", share=0.2, cells=32, sample=2)
        for model in ("Mamba 2", "Falcon-H1", "Qwen3-Next", "BLOOM")
    ),
]
ON_GPU = [
    Case("BERT-base", "naive", cells=8_000),
    Case("BERT-base", "naive", dtype="bfloat16", their_dtype="bfloat16", cells=8_000),
    Case("LLaMA 1B", "naive", dtype="bfloat16", their_dtype="bfloat16", cells=8_000),
]


@dataclass(frozen=True)
class Measured:
    """Cells per second of both sides; the share of the floor; peak bytes; nats of difference.

    ``several``: the share of words with more than one token.
    """

    ours: float
    theirs: float
    floor: float
    memory: float
    difference: float
    several: float


def prompts_for(cells: int) -> list[str]:
    """Return mined templates, one occupation after the other."""
    terms = load_evidence(load_topic("gender").evidence).terms
    filled = (template.replace("[X]", term) for term in terms for template in mined_templates())
    return list(islice(filled, cells))


def in_shards(scorer: Scorer, prompts: Sequence[str], words: Sequence[str]) -> FloatArray:
    """Return [prompt, word] nats, scored shard by shard like a run."""
    size = prompts_a_block(scorer)
    parts = [scorer.score(prompts[start : start + size], words) for start in range(0, len(prompts), size)]
    return np.concatenate(parts)


def measure(case: Case, device: str, rounds: int, small: bool = False) -> Measured:
    words = load_topic("gender").words
    split = words[:: round(1 / case.share)] if case.share else ()
    prompts = prompts_for(case.cells)
    sample = prompts[: case.sample or None]
    family = SIZES[case.model].family
    tokenizer = tokenizer_for(family, prompts, words, split)
    theirs = loaded = build(case.model, tokenizer, case.dtype, device, small)
    if case.their_dtype != case.dtype:
        theirs = build(case.model, tokenizer, case.their_dtype, device, small)
    scorer = open_scorer(case.model, loaded, case.dtype)
    several = [count > 1 for count in scorer.check(words).tokens.values()]
    scorer.score(prompts[:16], words)
    memory = peak_growth(lambda: in_shards(scorer, prompts, words), device)
    sides = {"ours": lambda: in_shards(scorer, prompts, words)}
    if case.against != "minicons":
        other = their_side(case.against, scorer, theirs, family)
        other(sample[:16], words[:2])
        sides["theirs"] = lambda: other(sample, words)
    seconds, values, rate = take_turns(sides, lambda: gemm_rate(case.dtype, device), rounds)
    if case.against == "minicons":
        seconds["theirs"], values["theirs"] = minicons(theirs, family, sample, words, rounds)
    return Measured(
        len(prompts) / seconds["ours"],
        len(sample) / seconds["theirs"],
        needed_flops(loaded, family, prompts, words) / rate / seconds["ours"],
        memory,
        float(np.abs(values["ours"][: len(sample)] - values["theirs"]).max()),
        float(np.mean(several)),
    )


def their_side(against: str, scorer: Scorer, loaded: Loaded, family: Family) -> Side:
    if against == "buckets":
        buckets: Any = copy.copy(scorer)
        buckets.largest_tree = buckets.deepest = 0
        return partial(in_shards, buckets)
    if against == "one by one":
        return partial(naive, loaded, family, size=1)
    return partial(word_loop if against == "word loop" else naive, loaded, family)


def take_turns(
    sides: dict[str, Callable[[], FloatArray]], measure_rate: Callable[[], float], rounds: int
) -> tuple[dict[str, float], dict[str, FloatArray], float]:
    """Alternate the sides; return fastest seconds, values, and the peak rate of a matrix product."""
    seconds, values, rates = dict.fromkeys(sides, math.inf), {}, []
    for _ in range(rounds):
        rates.append(measure_rate())
        for name, side in sides.items():
            begun = time.perf_counter()
            values[name] = side()
            seconds[name] = min(seconds[name], time.perf_counter() - begun)
    return seconds, values, max(rates)


def line(case: Case, found: Measured) -> str:
    other = case.against if case.against != "naive" else f"naive, {case.their_dtype}"
    return (
        f"{case.model:<12}{found.several:>9.0%}  {case.dtype:<9}{found.ours:>9.1f}  "
        f"{other:<16}{found.theirs:>9.2f}{found.ours / found.theirs:>8.1f}{found.floor:>7.0%}"
        f"{found.memory / 1e6:>8.0f}{found.difference:>9.0e}"
    )


def main(
    quick: Annotated[bool, typer.Option(help="a fifth of the cells, one round")] = False,
    device: Annotated[str, typer.Option(help="cpu, or cuda for the cases of a GPU")] = "cpu",
    threads: Annotated[int, typer.Option(help="CPU threads, 0 for all cores")] = 0,
) -> None:
    """Print the table."""
    if threads or settings().threads:
        torch.set_num_threads(threads or settings().threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    typer.echo(
        f"Protocol exact, {len(load_topic('gender').words)} words a cell, {device}, "
        f"{torch.get_num_threads()} threads"
    )
    typer.echo(
        f"{'model':<12}{'several':>9}  {'dtype':<9}{'cells/s':>9}  {'against':<16}{'cells/s':>9}{'ratio':>8}"
        f"{'floor':>7}{'MB':>8}{'nats':>9}"
    )
    for case in ON_CPU if device == "cpu" else ON_GPU:
        if case.against == "minicons" and not MINICONS.exists():
            typer.echo(f"{case.model:<12}  not against minicons: make .venv-minicons/ready")
            continue
        if quick:
            case = replace(case, cells=case.cells // 5)
        typer.echo(line(case, measure(case, device, 1 if quick else ROUNDS)))


if __name__ == "__main__":
    typer.run(main)
