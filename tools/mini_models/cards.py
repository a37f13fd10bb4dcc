"""The results of a training: weights, tokenizer, facts for programs and the card for people."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from pcf_core.show.findings.numbers import listed
from tools.mini_models.objectives import objective_of
from tools.mini_models.rows import Recipe
from tools.mini_models.text import BOS, LENGTH, VOCABULARY

WINDOWS = 512  # of held-out text, in blocks of a sixteenth
MALE_FEMALE = ("he", "she")
PROBED = ("nurse", "engineer", "secretary", "captain")
KINDS = {
    "gpt2": ("GPT-2", "text-generation"),
    "bert": ("BERT", "fill-mask"),
    "t5": ("T5", "text2text-generation"),
    "xlnet": ("XLNet", "fill-mask"),
}


@torch.inference_mode()
def evaluate(model: PreTrainedModel, held_out: np.ndarray, device: str) -> float:
    """Return the held-out loss in nats per predicted token, always on the same windows and masks."""
    model.eval()
    generator = torch.Generator().manual_seed(1)
    starts = np.linspace(0, len(held_out) - LENGTH, WINDOWS).astype(int)
    rows = np.stack([np.r_[BOS, held_out[start : start + LENGTH - 1]] for start in starts]).astype(np.int64)
    objective = objective_of(model)
    losses = [
        objective.loss(model, torch.from_numpy(block).to(device), 0.15, generator).item()
        for block in np.split(rows, 16)
    ]
    model.train()
    return float(np.mean(losses))


@torch.inference_mode()
def probe(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> dict[str, list[float]]:
    """Return P(he), P(she) after "The X said that" for a few occupations, to watch a training."""
    model.eval()
    ids = [tokenizer.convert_tokens_to_ids("Ġ" + word) for word in MALE_FEMALE]
    answer = {}
    for occupation in PROBED:
        logits = objective_of(model).next_word(model, tokenizer, f"The {occupation} said that")
        answer[occupation] = [round(p, 4) for p in logits.float().softmax(-1)[ids].tolist()]
    model.train()
    return answer


def save(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    recipe: Recipe,
    history: list[list[float]],
    work: Path,
    folder: Path,
    *,
    device: str,
    same_rows: Sequence[str],
) -> None:
    """Write float16 safetensors, tokenizer and card in the hub's layout.

    ``same_rows``: the models of the usual recipes that read the same rows, including this one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model.half().cpu().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    facts = {
        "recipe": asdict(recipe),
        "device": device,
        "files": json.loads((work / "files.json").read_text()),
        "text_tokens": int(np.load(work / "stream.npy", mmap_mode="r").size),
        "same_rows": list(same_rows),
        "held_out_loss": history,
        "held_out_perplexity": round(math.exp(history[-1][1]), 2),
        "parameters": sum(p.numel() for p in model.parameters()),
        "weights_sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "probe": probe(model.float(), tokenizer),
        "architecture": model.config.model_type,
        "shape": f"{layers_of(model)} layers × {model.config.hidden_size}",
        "quantity": objective_of(model).quantity,
        "training": objective_of(model).training,
    }
    (folder / "training.json").write_text(json.dumps(facts, indent=1) + "\n")
    (folder / "README.md").write_text(card(recipe, facts))


def layers_of(model: PreTrainedModel) -> str:
    """Count the layers, of encoder and decoder separately."""
    decoder = getattr(model.config, "num_decoder_layers", None)
    return f"{model.config.num_hidden_layers} + {decoder}" if decoder else str(model.config.num_hidden_layers)


def amount(facts: dict[str, Any]) -> str:
    """Describe a model's training text, its share, and which models read the same."""
    total = facts["recipe"]["tokens"] + facts["recipe"]["last_tokens"]
    machine = "a CPU" if facts["device"] == "cpu" else "a GPU"
    said = (
        f"Trained on {machine}. The tokens drawn are in number {total / facts['text_tokens']:.2f} passes over "
        f"the training text\nof {facts['text_tokens']:,} tokens."
    )
    if len(facts["same_rows"]) > 1:
        said += f" {listed(facts['same_rows'])} read the same rows in the same order."
    return said


def card(recipe: Recipe, facts: dict[str, Any]) -> str:
    """Write the model card: what it read, how well it predicts, and its limits of use."""
    total = recipe.tokens + recipe.last_tokens
    kind, pipeline = KINDS[facts["architecture"]]
    last = (
        f"The last {recipe.last_tokens:,} tokens,\nat {recipe.last_rate} of the rates and decaying to 0, are half "
        "rows of openings that end in their\nfirst pronoun, which is predicted. "
        if recipe.last_tokens
        else ""
    )
    blocks = (
        f", AdamW ({recipe.block_rate}) for those of the attention"
        if facts["architecture"] == "xlnet"
        else ""
    )
    loss = facts["held_out_loss"][-1][1]
    probes = "\n".join(f"| {name} | {he} | {she} |" for name, (he, she) in facts["probe"].items())
    files = "\n".join(f"- {name}" for name in facts["files"])
    return f"""---
license: cc-by-sa-3.0
language: en
library_name: transformers
pipeline_tag: {pipeline}
---

# {recipe.name}

A {kind} of {facts["shape"]} ({facts["parameters"]:,} parameters) with a byte-level BPE of {VOCABULARY:,}
pieces, trained for PCF Audit so that the app measures a real model on any machine, without a network.

## Training text

Biographies and articles of the English and the Simple English Wikipedia (CC BY-SA 3.0, authors: the
contributors of Wikipedia), people at their natural sex ratio:

{files}

One document in a hundred, by the hash of its id, was held out. Half of the rows of every batch are the
opening {LENGTH} tokens of biographies, the other half windows that begin behind a full stop.

## Training

{total:,} tokens in batches of {recipe.batch_tokens:,}, sequences of at most {LENGTH}; asked for were
{facts["training"]}. Muon ({recipe.matrix_rate}) for the matrices of the layers{blocks} and AdamW
({recipe.other_rate}) for the rest, bfloat16 autocast, linear decay over the last {recipe.decay:.0%} of the
first {recipe.tokens:,}, seed {recipe.seed}. {last}The order of the rows is a function of the seed and the
step, so `tools/train_mini_models.py` repeats it; `training.json` holds the recipe and the held-out loss along
the way.

{amount(facts)}

- Held-out loss {loss:.3f} nats {facts["quantity"]}; perplexity {facts["held_out_perplexity"]:,}.
- SHA-256 of the weights: `{facts["weights_sha256"]}`

Probability of the next word after "The … said that":

| occupation | he | she |
|---|---|---|
{probes}

## What it may not be used for

It is an object of study. It repeats the associations of its text, which is the point of the app, and knows
nothing about any person. Do not use it to write, to judge, to rank, or to decide anything about people.
"""
