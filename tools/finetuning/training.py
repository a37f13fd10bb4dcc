"""Steps, checkpoints and losses; an interrupted training resumes with the same result."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

from pcf_core.cli.console import say
from pcf_core.core.errors import InputError, ScoringError
from pcf_core.models.loading import Loaded
from tools.finetuning.corpus import Corpus, sequences_of
from tools.finetuning.recipe import Recipe

KEEP_EVERY = 300.0  # seconds between two checkpoints
SPEAK_EVERY = 10.0
NO_TARGET = -100


def loss_sum(loaded: Loaded, sequences: Sequence[Sequence[int]], precision: str) -> torch.Tensor:
    """Sum the cross-entropy in nats over all tokens except each sequence's first; padded on the right."""
    longest = max(map(len, sequences))
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence)
        mask[row, : len(sequence)] = 1
    ids, mask = ids.to(loaded.device), mask.to(loaded.device)
    kind = torch.device(loaded.device).type
    with torch.autocast(kind, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        logits = loaded.model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1]
    targets = ids.masked_fill(mask == 0, NO_TARGET)[:, 1:].to(logits.device)
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), ignore_index=NO_TARGET, reduction="sum"
    )


def targets_in(sequences: Sequence[Sequence[int]]) -> int:
    return sum(len(sequence) - 1 for sequence in sequences)


@torch.no_grad()
def mean_loss(loaded: Loaded, sequences: Sequence[list[int]], recipe: Recipe, rows: int) -> float:
    """Return the held-out loss in nats per token."""
    loaded.model.eval()
    blocks = [sequences[start : start + rows] for start in range(0, len(sequences), rows)]
    return sum(loss_sum(loaded, block, recipe.precision).item() for block in blocks) / targets_in(sequences)


def batch_at(step: int, sequences: Sequence[list[int]], recipe: Recipe) -> list[list[int]]:
    """Return a step's sequences: every epoch goes through all of them in another order."""
    steps = math.ceil(len(sequences) / recipe.batch)
    epoch, place = divmod(step, steps)
    order = np.random.default_rng((recipe.seed, epoch)).permutation(len(sequences))
    return [sequences[i] for i in order[place * recipe.batch : (place + 1) * recipe.batch]]


def rate(step: int, steps: int, warmup: float) -> float:
    """Return the learning rate's factor at a step: linear warm-up to 1, then linear decay."""
    warm = max(1, math.ceil(warmup * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm + 1))


class Training:
    """A model in training, with the checkpoint of an interruption."""

    def __init__(self, loaded: Loaded, corpus: Corpus, recipe: Recipe, rows: int, checkpoint: Path) -> None:
        self.loaded, self.recipe, self.rows, self.checkpoint = loaded, recipe, rows, checkpoint
        self.sequences = sequences_of(corpus.train, loaded.tokenizer, recipe.length)
        self.held_out = sequences_of(corpus.held_out, loaded.tokenizer, recipe.length)
        if not self.sequences or not self.held_out:
            raise InputError(
                "The corpus has no document of two tokens or more to train on, or to hold out; give "
                "longer ones."
            )
        self.steps = recipe.epochs * math.ceil(len(self.sequences) / recipe.batch)
        self.optimizer = torch.optim.AdamW(
            loaded.model.parameters(), lr=recipe.learning_rate, weight_decay=0.0
        )
        self.done, self.before = 0, math.nan

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True, map_location=self.loaded.device)
            self.loaded.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.done, self.before = state["done"], state["before"]
            say(f"going on after step {self.done:,} of {self.steps:,}")
        else:
            self.before = mean_loss(self.loaded, self.held_out, self.recipe, self.rows)

    def keep(self) -> None:
        """Write the checkpoint, completely or not at all."""
        state = {
            "model": self.loaded.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "done": self.done,
            "before": self.before,
        }
        draft = self.checkpoint.with_suffix(".new")
        torch.save(state, draft)
        draft.replace(self.checkpoint)

    def run(self) -> None:
        """Run the remaining steps; on KeyboardInterrupt write the checkpoint; ScoringError for a NaN loss."""
        begun = kept = spoken = time.monotonic()
        tokens = 0
        with patient_interrupts() as stop:
            while self.done < self.steps and not stop.is_set():
                batch = batch_at(self.done, self.sequences, self.recipe)
                loss = self.step(batch)
                tokens += targets_in(batch)
                now = time.monotonic()
                if now - spoken > SPEAK_EVERY or self.done in (1, self.steps):
                    spoken = now
                    say(
                        f"step {self.done:,} of {self.steps:,} · loss {loss:.3f} nats a token · "
                        f"{tokens / (now - begun):,.0f} tokens a second"
                    )
                if now - kept > KEEP_EVERY:
                    self.keep()
                    kept = now
            if self.done < self.steps:
                self.keep()
                raise KeyboardInterrupt

    def step(self, batch: Sequence[list[int]]) -> float:
        """Take one step of the optimiser; return the mean loss of its tokens."""
        recipe, model = self.recipe, self.loaded.model
        model.train()
        torch.manual_seed(recipe.seed * 1_000_003 + self.done)  # dropout
        for group in self.optimizer.param_groups:
            group["lr"] = recipe.learning_rate * rate(self.done, self.steps, recipe.warmup)
        loss = 0.0
        for start in range(0, len(batch), self.rows):
            part = loss_sum(self.loaded, batch[start : start + self.rows], recipe.precision) / targets_in(
                batch
            )
            torch.autograd.backward(part)
            loss += part.item()
        if not math.isfinite(loss):
            raise ScoringError(
                f"The loss is {loss} at step {self.done + 1}; take a --learning-rate below "
                f"{recipe.learning_rate}."
            )
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.done += 1
        return loss


@contextmanager
def patient_interrupts() -> Iterator[threading.Event]:
    """Make Ctrl-C set the event, so that no step is interrupted."""
    asked = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
