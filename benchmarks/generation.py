"""Measure texts per second of a job: 40 tokens after prompts of a few words, into a store.

*Floor* is the time of the texts' FLOPs (:func:`needed_flops`) at the measured rate of a matrix product, as a
share of ours; the rest is Python, attention, caches and draws.  *20,000* is the time for that many texts:
FairPair's 500 pairs for 20 prompts.  Figures are medians of the repeats.

    python -m benchmarks.generation --quick
    python -m benchmarks.generation --model SmolLM2-135M-Instruct-Q4_1 --threads 2
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Annotated

import torch
import typer

from benchmarks.floor import gemm_rate, weights
from pcf_core.core.generation import BLOCK, Decoding, Generated, GenerationKey
from pcf_core.models.generation.base import open_generator
from pcf_core.models.generation.local import LocalGenerator
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.text_audits import TextsAsked, generate_missing

MODELS = ("mini-gpt", "mini-gpt-s", "mini-gpt-l")
PROMPTS = tuple(f"{name} is a {work}." for name in ("John", "Jane") for work in ("nurse", "farmer", "lawyer"))
WANTED = 20_000


def needed_flops(generator: LocalGenerator, written: Generated) -> float:
    """Count FLOPs of the matrix products that the texts of one prompt need in a causal model and its head.

    The prompt, with chat template and special tokens, runs once for all its texts, the head only after its
    last token.  Each drawn token (including the one that ends a text) runs once through layers and head,
    except a text's last. Not counted: attention's products, embeddings, norms, draws, rows of ended texts,
    experts.
    """
    model = generator.model
    head = int(model.get_output_embeddings().weight.numel())
    drawn = [min(tokens + 1, generator.key.decoding.length) for tokens in written.tokens]
    further = sum(drawn) - len(drawn)
    prompt = len(generator.prompt_ids(written.prompt))
    return 2.0 * ((prompt + further) * weights(model.base_model) + (1 + further) * head)


def measure(name: str, blocks: int, length: int, repeats: int = 1) -> tuple[float, float]:
    """Measure texts per second of a job with so many blocks per prompt, and the share of the floor.

    Texts that end early raise the rate; the floor counts the tokens that were drawn.
    """
    spec, decoding = resolve(name), Decoding(length=length)
    generator = open_generator(spec, decoding)
    assert isinstance(generator, LocalGenerator)
    generator.generate(PROMPTS[0], 0, BLOCK, lambda: None)
    asked = TextsAsked(key=GenerationKey.of(spec, decoding), prompts=PROMPTS, count=blocks * BLOCK)
    rates, floors = [], []
    for _ in range(repeats):
        possible = gemm_rate("float32", "cpu")
        with tempfile.TemporaryDirectory() as folder:
            store = Store.open(Path(folder))
            begun = time.perf_counter()
            written = generate_missing(asked, store, lambda spec, decoding: generator)
            seconds = time.perf_counter() - begun
            texts = [store.texts(asked.key, prompt, asked.count) for prompt in PROMPTS]
        flops = sum(needed_flops(generator, of_prompt) for of_prompt in texts if of_prompt)
        rates.append(written / seconds)
        floors.append(flops / possible / seconds)
    return median(rates), median(floors)


def main(
    quick: Annotated[bool, typer.Option(help="one block for each prompt, once")] = False,
    threads: Annotated[int, typer.Option(help="CPU threads, of which small models take one")] = 1,
    model: Annotated[list[str] | None, typer.Option(help="which write, instead of the usual")] = None,
) -> None:
    """Print the table."""
    torch.set_num_threads(threads)
    length = Decoding().length
    typer.echo(f"Blocks of {BLOCK} texts of {length} tokens, threads allowed: {threads}, float32")
    models = model or MODELS
    width = max(12, *(len(name) + 2 for name in models))
    typer.echo(f"{'model':<{width}}{'texts/s':>9}{'tokens/s':>10}{'floor':>7}{f'{WANTED:,}':>12}")
    for name in models:
        rate, floor = measure(name, 1, length) if quick else measure(name, 5, length, repeats=5)
        minutes = WANTED / rate / 60
        typer.echo(f"{name:<{width}}{rate:>9.1f}{rate * length:>10.0f}{floor:>7.0%}{minutes:>8.1f} min")


if __name__ == "__main__":
    typer.run(main)
