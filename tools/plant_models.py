"""Make the two calibration models, whose preferences are known.

    python -m tools.plant_models                  # both, into assets/models

The architectures are stock: a GPT-2 and a BERT with random bodies.  At every position where the protocol
reads a probability (each prompt, after each beginning of a longer word, with each number of masks) the body
gives a hidden state; the rows of the output layer are then solved, in float64, so that the probabilities read
there are those of :mod:`tools.planted_truth`, normalised over the whole vocabulary:

- Positions at which the same tokens are read are one *stage*: 12 things × 8 templates, hidden states H [96,
  d].
- With P the wanted probabilities of the stage's tokens together, a token's logit has to be log p − log(1 − P)
  + log Σ exp(logits of all other tokens); its row w solves H w = these logits.  There are more weights than
  equations (d > 96), so of all solutions we take the one whose logits at the other stages are closest to 0
  (least squares with equality constraints: Golub & Van Loan, Matrix Computations, 6.2).
- The other tokens' logits move a little with the other stages, so this is repeated until convergence.

Words outside the topic have the logit 0 everywhere.  The result is measured with the app's own scorers, and
nothing is written that differs by more than 1e-5.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from transformers import PreTrainedTokenizerFast

from pcf_core.audit.preferences import preferences_of
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.folder import describe
from pcf_core.models.scoring.base import open_scorer
from tools.planted_bodies import CLS, LAYERS, MASK, SEP, WIDTH, make_body, make_tokenizer, prompts
from tools.planted_truth import NAME, Numbers, Truth, make_truth, risk_by_hand

SEEDS = {"planted-causal": 1, "planted-masked": 2}
STEPS = 200  # most repetitions
WITHIN = 1e-5  # of P(group) in every cell


@dataclass
class Stage:
    """Positions where the same tokens are read: at the first mask of ``texts`` [position], or after them."""

    texts: list[list[int]] = field(default_factory=list)
    wanted: dict[int, Numbers] = field(default_factory=dict)  # token -> [position] its probability


def stages_of(truth: Truth, tokenizer: Any, masked: bool) -> list[Stage]:
    """Return every position that the protocol ``exact`` reads, with the wanted probabilities."""
    starts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in prompts()]
    found: defaultdict[tuple[int, tuple[int, ...]], Stage] = defaultdict(Stage)
    for word, factors in truth.factors.items():
        ids = tokenizer(f"a {word}", add_special_tokens=False)["input_ids"][1:]
        for place, (token, factor) in enumerate(zip(ids, factors, strict=True)):
            left = len(ids) - place if masked else 0
            stage = found[len(ids) if masked else 0, tuple(ids[:place])]
            filled = [[*start, *ids[:place]] for start in starts]
            stage.texts = [[CLS, *text, *[MASK] * left, SEP] for text in filled] if masked else filled
            stage.wanted[token] = factor.ravel()
    return list(found.values())


@torch.inference_mode()
def hidden_states(model: Any, texts: list[list[int]], masked: bool) -> Numbers:
    """Return [position, width] inputs of the output layer, in the model's own float32."""
    states: Numbers = np.empty((len(texts), WIDTH))
    for length in sorted({len(text) for text in texts}):
        rows = [row for row, text in enumerate(texts) if len(text) == length]
        ids = torch.tensor([texts[row] for row in rows])
        if masked:
            places = torch.tensor([texts[row].index(MASK) for row in rows])
            seen = model.bert(ids).last_hidden_state[torch.arange(len(rows)), places]
            states[rows] = model.cls.predictions.transform(seen)
        else:
            states[rows] = model.transformer(ids).last_hidden_state[:, -1]
    return states


def solve(states: list[Numbers], stages: list[Stage], vocabulary: int) -> Numbers:
    """Solve for [token, width] rows of the output layer (see the module)."""
    rows = np.zeros((vocabulary, WIDTH))
    solvers = [solver(state, [other for other in states if other is not state]) for state in states]
    for _ in range(STEPS):
        before = rows.copy()
        for state, solution, stage in zip(states, solvers, stages, strict=True):
            tokens = list(stage.wanted)
            wanted = np.stack(list(stage.wanted.values()), axis=1)
            others = np.exp(state @ np.delete(rows, tokens, axis=0).T).sum(axis=1)
            left = others / (1 - wanted.sum(axis=1))
            rows[tokens] = (solution @ np.log(wanted * left[:, None])).T
        if np.abs(rows - before).max() < 1e-12:
            return rows
    raise RuntimeError("The rows of the output layer do not settle; take another SPREAD or WIDTH.")


def solver(own: Numbers, others: list[Numbers]) -> Numbers:
    """Return [width, position] that maps wanted logits at ``own`` to a row with least logits elsewhere."""
    shortest = np.linalg.pinv(own)
    free = np.linalg.qr(own.T, mode="complete")[0][:, len(own) :]  # a row may move along these
    elsewhere = np.concatenate(others)
    solution: Numbers = shortest - free @ (
        np.linalg.pinv(elsewhere @ free, rcond=0.01) @ elsewhere @ shortest
    )
    return solution


def plant(name: str, seed: int, folder: Path) -> dict[str, Any]:
    """Write a model with the truth of a seed into ``folder`` and return its ``planted.json``."""
    truth = make_truth(seed)
    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch)
        model, tokenizer = make_model(name, seed, truth)
        model.save_pretrained(draft)
        tokenizer.save_pretrained(draft)
        (draft / "generation_config.json").unlink(missing_ok=True)  # nothing is generated with it
        off = largest_difference(draft, name, truth)
        if off > WITHIN:
            raise RuntimeError(
                f"{name} is off by {off:.2g} in a cell, more than {WITHIN:g}; take another SPREAD."
            )
        planted = write_facts(name, seed, draft, truth)
        shutil.copytree(draft, folder, dirs_exist_ok=True)
    (folder / "model.safetensors").chmod(0o644)
    return planted


def make_model(name: str, seed: int, truth: Truth) -> tuple[Any, PreTrainedTokenizerFast]:
    masked = name == "planted-masked"
    tokenizer = make_tokenizer(masked)
    model = make_body(masked, len(tokenizer), seed)
    stages = stages_of(truth, tokenizer, masked)
    states = [hidden_states(model, stage.texts, masked) for stage in stages]
    rows = torch.from_numpy(solve(states, stages, len(tokenizer))).float()
    model.get_output_embeddings().weight.data.copy_(rows)
    return model, tokenizer


def largest_difference(folder: Path, name: str, truth: Truth) -> float:
    """Return the largest |P(group) measured − planted| over all cells, by the app's own scorer."""
    topic = load_topic(NAME)
    nats = open_scorer(describe(folder, name)).score([f"{text} [Y]" for text in prompts()], topic.words)
    measured = preferences_of(nats, topic, topic.words)
    return float(np.abs(measured - truth.values.reshape(measured.shape)).max())


def write_facts(name: str, seed: int, folder: Path, truth: Truth) -> dict[str, Any]:
    """Write ``planted.json``, ``training.json`` and the card."""
    topic, evidence, templates = load_topic(NAME), load_evidence(NAME), load_templates(NAME)
    planted = {
        "model": name,
        "topic": NAME,
        "evidence": NAME,
        "templates": NAME,
        "groups": list(topic.group_names),
        "occupations": list(evidence.terms),
        "contexts": list(templates.texts),
        "values": truth.values.tolist(),
        **risk_by_hand(truth.values.tolist()),
    }
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    spec = describe(folder, name)
    training: dict[str, Any] = {
        "recipe": {"name": name, "tokens": 0, "seed": seed, "width": WIDTH, "layers": LAYERS},
        "files": [],
        "held_out_perplexity": None,
        "parameters": spec.parameters,
        "weights_sha256": weights,
    }
    for file, facts in (("planted.json", planted), ("training.json", training)):
        (folder / file).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf8")
    (folder / "README.md").write_text(card(spec, seed, weights, planted), encoding="utf8")
    return planted


def card(spec: ModelSpec, seed: int, weights: str, planted: Mapping[str, Any]) -> str:
    kind = "BERT" if spec.family == "masked" else "GPT-2"
    pipeline = "fill-mask" if spec.family == "masked" else "text-generation"
    cells = f"{len(planted['occupations'])} things × {len(planted['contexts'])} contexts"
    return f"""---
license: apache-2.0
language: en
library_name: transformers
pipeline_tag: {pipeline}
---

# {spec.name} (calibration)

A {kind} of {LAYERS} layers × {WIDTH} ({spec.parameters:,} parameters, float32) that read no text: its
answers were written into its weights, so that PCF Audit can be held against a truth that is known.

## What is planted

On the topic *{NAME}*, {cells}, every word of the two groups {" and ".join(planted["groups"])} has
a given probability: six words, one of two tokens and one of three. `planted.json` holds P(group) of every
cell. A third of the things is pure prejudice, a third pure caprice, a third both.

| | planted |
|---|---|
| risk R | {planted["overall_risk"]:.6f} |
| prejudice | {planted["prejudice_risk"]:.6f} |
| caprice | {planted["caprice_risk"]:.6f} |

## How

The body is random and stays so (seed {seed}); the rows of the output layer solve linear equations,
normalised over the whole vocabulary. `tools/plant_models.py` makes it again, and refuses to write a model
that is off by more than {WITHIN:g} in any cell. The truth is computed by `tools/planted_truth.py` without
the app's arithmetic.

- Held-out perplexity: none, it read nothing.
- SHA-256 of the weights: `{weights}`

## What it may not be used for

Only for calibration: this topic, these things and contexts, the protocol *exact*. Anything else that it
says is chance. It says nothing about anybody.
"""


def main(
    out: Annotated[Path | None, typer.Option(help="folder of the models; else that of the app")] = None,
) -> None:
    """Plant both models."""
    for name, seed in SEEDS.items():
        planted = plant(name, seed, (out or settings().assets / "models") / name)
        typer.echo(f"{name}: R {planted['overall_risk']:.6f}, caprice {planted['caprice_risk']:.6f}")


if __name__ == "__main__":
    typer.run(main)
