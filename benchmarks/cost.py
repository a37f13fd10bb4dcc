"""Estimate the cost of a run of a causal model before it starts: tokens, FLOPs, hours.

    tokens  = distinct beginnings of texts per shard + after each prompt the distinct beginnings of words
    FLOPs   = 2 × parameters × tokens              (a multiplication and an addition per weight and token)
    hours   = FLOPs / (processes × FLOPs per second of one × share of them that is reached) / 3600

All parameters count, although the embedding table is only read and the head runs only where a distribution is
needed: less than 1 % too much for a large model.  Attention is left out.  A process is one GPU or, with
PCF_DEVICE=split, one machine whose GPUs take turns and so are as fast as one.

    python -m benchmarks.cost --model meta-llama/Llama-2-70b-hf --processes 4 --gpus 2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from transformers import AutoTokenizer

from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.seam import Ids, Pieces, Seam


def needed_tokens(opening: Ids, prompts: Sequence[Pieces], shard: int) -> int:
    """Count the tokens that run through the model, for prompts in scoring order.

    ``opening``: precedes each text; ``shard``: prompts per shard, within which beginnings are shared.
    """
    total = 0
    for first in range(0, len(prompts), shard):
        starts: set[Ids] = set()
        for pieces in prompts[first : first + shard]:
            start = opening + pieces.left
            starts |= {start[:length] for length in range(1, len(start) + 1)}
            behind = [word + right for word, right in zip(pieces.words, pieces.rights, strict=True)]
            total += len({ids[:length] for ids in behind for length in range(1, len(ids))})
        total += len(starts)
    return total


def flops(parameters: float, tokens: int) -> float:
    return 2.0 * parameters * tokens


def hours(work: float, processes: int, rate: float, share: float) -> float:
    """Return wall time; ``rate``: peak FLOPs per second of a process, ``share``: the part of it reached."""
    return work / (processes * rate * share) / 3600


def main(
    model: Annotated[str, typer.Option(help="name, folder or hub id; the weights are not needed")],
    topic: Annotated[str, typer.Option(help="a shipped name or a TOML file")] = "gender",
    templates: Annotated[str, typer.Option(help="a shipped name or a CSV file")] = "",
    evidence: Annotated[str, typer.Option(help="a shipped name or a file")] = "",
    processes: Annotated[int, typer.Option(help="GPUs, or machines that split the model")] = 1,
    gpus: Annotated[int, typer.Option(help="GPUs a process")] = 1,
    rate: Annotated[float, typer.Option(help="FLOPs a second of one GPU")] = 989e12,
    share: Annotated[float, typer.Option(help="of it that is reached; `make bench` prints it")] = 0.4,
) -> None:
    """Print the cost of a run."""
    spec, chosen = resolve(model), load_topic(topic)
    seam = Seam(AutoTokenizer.from_pretrained(spec.path or spec.name), spec.name)
    contexts = load_templates(templates or chosen.templates).templates
    terms = load_evidence(evidence or chosen.evidence).terms
    prompts = [context.prompt(term) for term in terms for context in contexts]
    tokens = needed_tokens(seam.opening, seam.cut(prompts, chosen.words), settings().most_prompts)
    work = flops(spec.parameters, tokens)
    wall = hours(work, processes, rate, share)
    typer.echo(
        f"{len(prompts):,} cells, {tokens:,} tokens ({tokens / len(prompts):.1f} a cell), {work:.3g} FLOPs: "
        f"{wall:,.2f} h on {processes * gpus} GPUs, {wall * processes * gpus:,.2f} GPU-hours"
    )


if __name__ == "__main__":
    typer.run(main)
