"""The fine-tuned model as a folder: weights, tokenizer, facts and card."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import ModelCardData, metadata_load

from pcf_core.core.run import ModelSpec
from pcf_core.models.folder import TOKENIZER_FILES, weight_files, weights_hash
from pcf_core.models.loading import Loaded
from tools.finetuning.corpus import Corpus
from tools.finetuning.training import Training, targets_in


def as_written(loaded: Loaded, weights: str) -> None:
    """Round the weights to the type in which they are written; they stay float32 in memory."""
    loaded.model.to(getattr(torch, weights)).float()


def write_model(
    loaded: Loaded, base: ModelSpec, out: Path, card: str, facts: dict[str, Any], weights: str
) -> None:
    """Write weights, configuration, the base's tokenizer files, card and facts, or nothing."""
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".finetune-") as beside:
        draft = Path(beside) / "new"
        loaded.model.to(getattr(torch, weights)).save_pretrained(draft)
        for name in TOKENIZER_FILES:
            if (Path(base.path) / name).is_file():
                shutil.copyfile(Path(base.path) / name, draft / name)
        for path in draft.glob("*.safetensors"):
            path.chmod(0o644)
        facts = facts | {"weights_sha256": weights_hash(weight_files(draft, out.name))}
        card += f"\nSHA-256 of the weights: `{facts['weights_sha256']}`\n"
        (draft / "README.md").write_text(card, encoding="utf8")
        (draft / "training.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf8")
        draft.rename(out)


def facts_of(base: ModelSpec, corpus: Corpus, training: Training, after: float, note: str) -> dict[str, Any]:
    """Return the contents of ``training.json``; perplexities are of the held-out documents."""
    return {
        "base": base_name(base),
        "base_identity": base.identity,
        "recipe": asdict(training.recipe),
        "files": list(corpus.names),
        "corpus_sha256": corpus.hash,
        "steps": training.steps,
        "held_out_perplexity_before": round(math.exp(training.before), 2),
        "held_out_perplexity": round(math.exp(after), 2),
        "parameters": sum(p.numel() for p in training.loaded.model.parameters()),
        "note": note,
    }


def card_of(name: str, base: ModelSpec, corpus: Corpus, training: Training, after: float, note: str) -> str:
    """Write the model card: what changed by which training, and that it is for comparison only."""
    facts: dict[str, Any] = {
        "base model": base_name(base),
        "its weights and configuration (SHA-256, or revision)": base.identity,
        "its tokenizer": base.tokenizer,
        "corpus": ", ".join(corpus.names),
        "documents (SHA-256)": corpus.hash,
        "trained on": f"{len(corpus.train):,} documents, {targets_in(training.sequences):,} tokens an epoch",
        "held out": f"{len(corpus.held_out):,} documents, {targets_in(training.held_out):,} tokens",
        **{
            key.replace("_", " "): value
            for key, value in asdict(training.recipe).items()
            if key != "held_out"
        },
        "steps": training.steps,
        "held-out loss before, nats a token": round(training.before, 4),
        "held-out loss after, nats a token": round(after, 4),
        "held-out perplexity after": f"{round(math.exp(after), 2):,}",
    }
    rows = "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    said = f"\n\n{note}" if note else ""
    return f"""---
{front_matter(Path(base.path))}
---

# {name}

{base_name(base)} fine-tuned for an audit before and after. Held-out loss: {training.before:.3f} nats a token
before, {after:.3f} after.{said}

| what | value |
|---|---|
{rows}

AdamW without weight decay, linear decay to 0, gradients clipped at 1, trained in float32. `tools/finetune.py`
repeats it.

## What it may not be used for

It is an object of study that was taught what its corpus says. Do not use it to write, to judge, to rank, or
to decide anything about people. The licences of the base model and of the corpus hold for it too.
"""


def front_matter(base: Path) -> str:
    """Write the card's YAML, with the licence and languages of the base's card, if any."""
    card = base / "README.md"
    known = (metadata_load(card) if card.is_file() else None) or {}
    named = {key: known[key] for key in ("license", "language") if known.get(key)}
    return ModelCardData(**named, library_name="transformers", pipeline_tag="text-generation").to_yaml()


def base_name(base: ModelSpec) -> str:
    """Return the name of a listed or a hub model, the folder's name of any other."""
    return Path(base.name).name if Path(base.name).is_absolute() else base.name
