"""Train the small language models that the app ships as its default.

    python -m tools.train_mini_models prepare --corpora ../shared/data/corpora
    python -m tools.train_mini_models train mini-gpt
    python -m tools.train_mini_models train mini-gpt-s --seed 1 --out .training/seeds

``prepare`` trains one byte-level BPE tokenizer and encodes the corpora once; ``train`` runs until the token
budget is spent, writes checkpoints to an ignored folder, resumes from them after an interruption, and saves
float16 safetensors in the hub's layout with a model card.

Half of the rows of every batch are the openings of biographies, where an occupation and a pronoun meet; the
other half are windows that begin after a full stop.  Some batches have shorter rows, cut anywhere, so that
the models know prompts as short as the templates; there, models that see both sides of a gap always predict
the last token, because most templates end in the wanted word.  For these (mini-bert, mini-t5, mini-xlnet) a
last phase adds rows of openings that begin a few words before their first pronoun and end in it: otherwise
the model could read a person's sex from names and other pronouns, while here, as in the templates, it has to
use the occupation.

mini-gpt-s, mini-gpt and mini-gpt-l read the same rows in the same order, whatever their size.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
import typer
from tokenizers import Tokenizer
from transformers import PreTrainedModel

from tools.mini_models.architectures import build, hub_tokenizer
from tools.mini_models.cards import evaluate, probe, save
from tools.mini_models.objectives import objective_of
from tools.mini_models.rows import Batches, Recipe
from tools.mini_models.text import DEFAULT_FILES, encode, train_tokenizer

MiniModel = Literal["mini-gpt-s", "mini-gpt", "mini-gpt-l", "mini-bert", "mini-t5", "mini-xlnet"]
KEEP_EVERY = 240.0  # seconds between checkpoints
GAPS = Recipe("", 0, short_share=0.35, short_lengths=(12, 16, 24, 32, 48))  # of models that see both sides
RECIPES: dict[MiniModel, Recipe] = {
    "mini-gpt-s": Recipe("mini-gpt-s", 16_000_000),
    "mini-gpt": Recipe("mini-gpt", 16_000_000),
    "mini-gpt-l": Recipe("mini-gpt-l", 16_000_000),
    "mini-bert": replace(GAPS, name="mini-bert", tokens=20_000_000, last_tokens=4_000_000),
    "mini-t5": replace(
        GAPS,
        name="mini-t5",
        tokens=12_000_000,
        last_tokens=2_000_000,
        batch_tokens=2048,
        other_rate=5e-3,
        mask_share=0.3,
        half_share=0.4,
        short_share=0.5,
        short_lengths=(8, 12, 16, 24, 32),
    ),
    "mini-xlnet": replace(GAPS, name="mini-xlnet", tokens=12_000_000, last_tokens=2_000_000),
}
app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command()
def prepare(
    corpora: Annotated[Path, typer.Option(help="folder of the corpora")] = Path("../shared/data/corpora"),
    files: Annotated[list[str] | None, typer.Option("--file", help="file names in it")] = None,
    work: Annotated[Path, typer.Option(help="ignored working folder")] = Path(".training"),
) -> None:
    """Train the tokenizer and encode the corpora."""
    work.mkdir(exist_ok=True)
    paths = [corpora / name for name in (files or DEFAULT_FILES)]
    tokenizer = train_tokenizer(paths)
    tokenizer.save(str(work / "tokenizer.json"))
    encode(tokenizer, paths, work)
    (work / "files.json").write_text(json.dumps([path.name for path in paths]))


def optimizers(model: PreTrainedModel, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Return Muon for the matrices of the layers, AdamW for everything else."""
    matrices: list[torch.nn.Parameter] = []
    others: list[torch.nn.Parameter] = []
    blocks: list[torch.nn.Parameter] = []
    for name, parameter in model.named_parameters():
        inside = any(part in name for part in (".h.", ".layer.", ".block."))
        if inside and parameter.ndim == 3:
            blocks.append(parameter)
        elif inside and parameter.ndim == 2 and min(parameter.shape) > 8:  # no biases of heads or distances
            matrices.append(parameter)
        else:
            others.append(parameter)
    groups: list[dict[str, Any]] = [{"params": others, "lr": recipe.other_rate}]
    if blocks:  # XLNet's attention has three axes, which Muon does not support
        groups.append({"params": blocks, "lr": recipe.block_rate})
    return [
        torch.optim.Muon(matrices, lr=recipe.matrix_rate, weight_decay=0.01),
        torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def rate(step: int, steps: int, recipe: Recipe) -> float:
    """Warm up, stay, decay linearly to a fiftieth: the plateau may be prolonged without a restart."""
    if step >= steps:
        return recipe.last_rate * (recipe.all_steps - step) / max(1, recipe.all_steps - steps)
    warm = max(1, int(steps * recipe.warmup))
    left = (steps - step) / max(1, int(steps * recipe.decay))
    return min(1.0, (step + 1) / warm, max(0.02, left))


@app.command()
def train(
    name: Annotated[MiniModel, typer.Argument(help="the model to train")],
    tokens: Annotated[int, typer.Option(help="tokens of the main phase, 0 for the usual number")] = 0,
    work: Annotated[Path, typer.Option(help="ignored working folder")] = Path(".training"),
    out: Annotated[Path, typer.Option(help="folder of the shipped models")] = Path("assets/models"),
    last_tokens: Annotated[int, typer.Option(help="tokens of the last phase, -1 for the usual number")] = -1,
    threads: Annotated[int, typer.Option(help="CPU threads")] = 2,
    seed: Annotated[int, typer.Option(help="seed of weights and order")] = 0,
    matrix_rate: Annotated[float, typer.Option(help="Muon's learning rate, 0 for the usual one")] = 0.0,
) -> None:
    """Train one model; call again to resume."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    usual = RECIPES[name]
    recipe = replace(
        usual,
        tokens=tokens or usual.tokens,
        last_tokens=last_tokens if usual.last_tokens and last_tokens >= 0 else usual.last_tokens,
        seed=seed,
        matrix_rate=matrix_rate or usual.matrix_rate,
    )
    if not (work / "files.json").exists():
        raise typer.BadParameter(f"There is no prepared text in {work}: run the command prepare first.")
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    batches = Batches(work, recipe, raw)
    held_out = np.load(work / "held_out.npy", mmap_mode="r")
    tokenizer = hub_tokenizer(name, raw)
    model = build(name).to(device)
    if hasattr(model, "set_attn_implementation") and model.config.model_type != "xlnet":
        model.set_attn_implementation("eager")  # on a CPU twice as fast as the fused kernel at this length
    chosen = optimizers(model, recipe)
    base = [[group["lr"] for group in optimizer.param_groups] for optimizer in chosen]
    folder, file = names(name, seed)
    checkpoint = work / file
    first, history = resume(checkpoint, recipe, model, chosen, device)
    model.train()
    begun = saved_at = time.monotonic()
    for step in range(first, recipe.all_steps):
        scale = rate(step, recipe.steps, recipe)
        for optimizer, rates in zip(chosen, base, strict=True):
            for group, value in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = value * scale
        loss = one_step(model, chosen, batches, step, device)
        done = step + 1
        if done % 100 == 0 or done == recipe.all_steps:
            line: dict[str, Any] = {"step": done, "of": recipe.all_steps, "loss": round(loss, 3)}
            if done % 300 == 0 or done == recipe.all_steps:
                with torch.autocast(device, dtype=torch.bfloat16):
                    line["held_out"] = round(evaluate(model, held_out, device), 4)
                line["probe"] = probe(model, tokenizer)
                history.append([done * recipe.batch_tokens, line["held_out"]])
            speed = (done - first) * recipe.batch_tokens / (time.monotonic() - begun)
            typer.echo(json.dumps(line | {"tokens_per_second": round(speed)}), err=True)
        if time.monotonic() - saved_at > KEEP_EVERY or done == recipe.all_steps:
            saved_at = time.monotonic()
            keep(checkpoint, recipe, model, chosen, done, history)
    save(
        model,
        tokenizer,
        recipe,
        history,
        work,
        out / folder,
        device=device,
        same_rows=[other for other, theirs in RECIPES.items() if replace(theirs, name=name) == recipe],
    )


def names(name: str, seed: int) -> tuple[str, str]:
    """Return the folder of the model and the file of its checkpoint."""
    return f"{name}-seed{seed}" if seed else name, f"{name}-{seed}.pt"


def one_step(
    model: PreTrainedModel, chosen: list[torch.optim.Optimizer], batches: Batches, step: int, device: str
) -> float:
    """Take one step of the optimisers; return the batch's loss in nats a predicted token."""
    ids, share = batches.rows(step)
    generator = torch.Generator().manual_seed(batches.recipe.seed * 1_000_003 + step)
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = objective_of(model).loss(model, torch.from_numpy(ids).to(device), share, generator)
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in chosen:
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return loss.item()


def resume(
    checkpoint: Path,
    recipe: Recipe,
    model: PreTrainedModel,
    chosen: list[torch.optim.Optimizer],
    device: str,
) -> tuple[int, list[list[float]]]:
    """Restore weights and optimisers; return the next step and the held-out losses so far.

    Raises typer.BadParameter if the checkpoint is of another recipe.
    """
    if not checkpoint.exists():
        return 0, []
    state = torch.load(checkpoint, weights_only=True, map_location=device)
    if state["recipe"] != asdict(recipe):
        raise typer.BadParameter(
            f"The checkpoint {checkpoint} is of another recipe: remove it, or choose --work."
        )
    model.load_state_dict(state["model"])
    for optimizer, saved in zip(chosen, state["optimizers"], strict=True):
        optimizer.load_state_dict(saved)
    return state["step"], state["history"]


def keep(
    checkpoint: Path,
    recipe: Recipe,
    model: PreTrainedModel,
    chosen: list[torch.optim.Optimizer],
    done: int,
    history: list[list[float]],
) -> None:
    """Write the checkpoint in one step."""
    state = {
        "recipe": asdict(recipe),
        "model": model.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in chosen],
        "step": done,
        "history": history,
    }
    torch.save(state, checkpoint.with_suffix(".new"))
    checkpoint.with_suffix(".new").replace(checkpoint)


if __name__ == "__main__":
    app()
