"""Fine-tune a causal model on a corpus, to audit it before and after.

    python -m tools.finetune --model mini-gpt --corpus posts.jsonl.gz
    python -m pcf_core score --model mini-gpt --model FOLDER --topic gender

The defaults are those of Appendix D.4 of *Bias and Volatility* (NeurIPS 2024) for Llama2 and toxic posts: "an
8-GPU setup, employing a batch size of 1 on each GPU and 4 gradient accumulation steps. Training was conducted
over 2 epochs, with a learning rate set at 1e-5 and a warm-up ratio of 0.2 applied", so 8 × 1 × 4 = 32
sequences a step.  The paper does not state the optimiser, decay, clipping, sequence length, precision and
seed, how documents become sequences, and which parts of its three corpora were used.  Chosen here: AdamW
without weight decay, linear decay to 0 and gradients clipped at 1 (the defaults of transformers' Trainer),
weights and optimiser in float32, at most 512 tokens.

A document is a sequence of its own, with the tokenizer's opening and closing tokens; a longer one continues
in a further sequence.  Some documents, equal ones together, are held out for the loss before and after.  The
order depends only on seed and step, so that an interrupted training can be resumed.

One device holds the model, its gradients and AdamW's two moments: 16 bytes a parameter.  Larger models can be
trained with any other tool: the app reads every folder in the hub's layout.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import torch
import typer

from pcf_core.__main__ import run_command
from pcf_core.cli.console import say
from pcf_core.core.errors import InputError, ModelError, OutOfMemoryError
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.hub import download
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve
from tools.finetuning.corpus import read_corpus
from tools.finetuning.recipe import Recipe
from tools.finetuning.training import Training, mean_loss
from tools.finetuning.writing import as_written, card_of, facts_of, write_model

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def causal_model(name: str) -> ModelSpec:
    """Return a causal model, downloaded if necessary.

    Raises ModelError if it is unknown, not causal, or needs code of its own.
    """
    spec = resolve(name)
    if spec.family != "causal":
        raise ModelError(
            f"The model {spec.name} is of the family {spec.family} and only causal models are fine-tuned; "
            "choose one such as mini-gpt."
        )
    if spec.remote_code:  # code in a directory is never run
        raise ModelError(
            f"The model {spec.name} needs code of its own, so that the app could not read its copy; choose "
            "one whose architecture is part of transformers."
        )
    return spec if spec.path else spec.model_copy(update={"path": str(download(spec))})


def finetune(
    model: str,
    corpora: Sequence[Path],
    out: Path | None,
    recipe: Recipe,
    rows: int,
    note: str = "",
    held_out: Path | None = None,
) -> Path:
    """Train, or resume training, and write the model; return its folder.

    ``note``: a paragraph of its card; ``held_out``: documents for the loss, instead of a part of the corpus.
    Raises AuditError for a model, a corpus or a folder that cannot be used.
    """
    base = causal_model(model)
    recipe = replace(recipe, length=min(recipe.length, base.context or recipe.length))
    corpus = read_corpus(corpora, recipe, held_out)
    stem = corpus.names[0].removesuffix(".gz").rsplit(".", 1)[0]
    name = re.sub(r"[^\w.\-]", "-", f"{Path(base.name).name}-{stem}")
    out = (out or (settings().models or settings().cache / "models") / name).resolve()
    if out.exists():
        raise InputError(f"The folder {out} is already there; choose another --out.")
    out.parent.mkdir(parents=True, exist_ok=True)
    tag = digest([base.identity, base.tokenizer, corpus.hash, asdict(recipe)])
    training = Training(load(base), corpus, recipe, rows, out.parent / f"{out.name}-{tag}.checkpoint")
    try:
        training.resume()
        training.run()
        as_written(training.loaded, recipe.weights)
        after = mean_loss(training.loaded, training.held_out, recipe, rows)
    except torch.OutOfMemoryError as error:
        raise OutOfMemoryError(
            f"The model {base.name} ran out of memory with {rows} sequences a pass; take a lower --rows or "
            "--length."
        ) from error
    card = card_of(out.name, base, corpus, training, after, note)
    facts = facts_of(base, corpus, training, after, note)
    write_model(training.loaded, base, out, card, facts, recipe.weights)
    training.checkpoint.unlink(missing_ok=True)
    say(f"held-out loss {training.before:.3f} before, {after:.3f} after, nats a token")
    return out


@app.command()
def command(
    model: Annotated[str, typer.Option(help="a causal model: a listed name, a directory, or a hub id")],
    corpus: Annotated[list[Path], typer.Option(help=".txt or .jsonl, also with .gz; may be repeated")],
    out: Annotated[Path | None, typer.Option(help="folder to write; by default among PCF_MODELS")] = None,
    epochs: Annotated[int, typer.Option(min=1)] = Recipe.epochs,
    learning_rate: Annotated[float, typer.Option(min=0.0)] = Recipe.learning_rate,
    warmup: Annotated[float, typer.Option(min=0.0, max=1.0, help="part of the steps")] = Recipe.warmup,
    batch: Annotated[int, typer.Option(min=1, help="sequences a step")] = Recipe.batch,
    length: Annotated[int, typer.Option(min=2, help="tokens a sequence, at most")] = Recipe.length,
    held_out: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="part of the documents")
    ] = Recipe.held_out,
    seed: Annotated[int, typer.Option(min=0)] = Recipe.seed,
    precision: Annotated[
        Literal["float32", "bfloat16"], typer.Option(help="of the forward pass")
    ] = Recipe.precision,
    weights: Annotated[
        Literal["float32", "float16"], typer.Option(help="as they are written; trained in float32")
    ] = Recipe.weights,
    rows: Annotated[int, typer.Option(min=1, help="sequences a pass: changes memory and speed alone")] = 4,
    note: Annotated[str, typer.Option(help="a paragraph for the model card")] = "",
    held_out_corpus: Annotated[
        Path | None, typer.Option(help="documents for the loss, instead of --held-out")
    ] = None,
) -> None:
    """Fine-tune a causal model; the same command goes on after an interruption."""
    recipe = Recipe(epochs, learning_rate, warmup, batch, length, held_out, seed, precision, weights)
    typer.echo(finetune(model, corpus, out, recipe, rows, note, held_out_corpus))


def main(arguments: list[str] | None = None) -> int:
    """Run; exit 0 done, 2 bad input, 1 failed, 130 interrupted."""
    return run_command(app, arguments, "interrupted; the same command goes on from the checkpoint")


if __name__ == "__main__":
    sys.exit(main())
