"""Fine-tune a causal model on a corpus, to audit it before and after.

    python -m tools.finetune --model mini-gpt --corpus posts.jsonl.gz
    python -m pcf_core score --model mini-gpt --model FOLDER --topic gender

The defaults are what Appendix D.4 of *Bias and Volatility* (NeurIPS 2024) says of Llama2 and toxic posts:
"an 8-GPU setup, employing a batch size of 1 on each GPU and 4 gradient accumulation steps. Training was
conducted over 2 epochs, with a learning rate set at 1e-5 and a warm-up ratio of 0.2 applied".  That is
8 × 1 × 4 = 32 sequences a step.  The paper is silent on the optimiser, decay, clipping, sequence length,
precision and seed, on how documents become sequences, and on which parts of its three corpora were used.
Taken here: AdamW without weight decay, linear decay to 0 and gradients clipped at 1 (the defaults of
transformers' Trainer), weights and optimiser in float32, at most 512 tokens.

A document is a sequence of its own, with the tokenizer's opening tokens before it and its closing token
behind it; what is longer goes on in a further sequence.  Some documents, equal ones together, are held out
for the loss before and after.  The order is a function of seed and step alone, so that an interrupted
training goes on as if it had not been.

One device holds the model, its gradients and AdamW's two moments: 16 bytes a parameter.  For larger models,
train with any other tool: the app takes every folder in the hub's layout.

Corpus, training and card stand in this one file, as a tool that is read on its own.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
import typer
from huggingface_hub import ModelCardData, metadata_load

from pcf_core.__main__ import run_command
from pcf_core.commands.console import say
from pcf_core.errors import InputError, ModelError, OutOfMemoryError, ScoringError
from pcf_core.models import resolve
from pcf_core.models.folder import TOKENIZER_FILES
from pcf_core.models.hub import download
from pcf_core.models.identity import weights_hash
from pcf_core.models.loading import Loaded, load
from pcf_core.models.weights import weight_files
from pcf_core.records import ModelSpec, digest
from pcf_core.settings import settings

SUFFIXES = (".txt", ".jsonl")
KEEP_EVERY = 300.0  # seconds between two checkpoints
SPEAK_EVERY = 10.0
NO_TARGET = -100
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@dataclass(frozen=True)
class Recipe:
    """What decides the weights, together with model and corpus; see the file's docstring for the defaults."""

    epochs: int = 2
    learning_rate: float = 1e-5
    warmup: float = 0.2
    batch: int = 32
    length: int = 512
    held_out: float = 0.05
    seed: int = 0
    precision: Literal["float32", "bfloat16"] = "float32"
    weights: Literal["float32", "float16"] = "float32"


# ---------------------------------------------------------------------------------------------- corpus


@dataclass(frozen=True)
class Corpus:
    """Documents, split; ``hash`` is the SHA-256 over all of them in their order, whatever held them."""

    names: tuple[str, ...]
    hash: str
    train: tuple[str, ...]
    held_out: tuple[str, ...]


def read_corpus(paths: Sequence[Path], recipe: Recipe, held_out: Path | None = None) -> Corpus:
    """Read and split; the held-out ones are chosen by their hash with the seed, equal ones together.

    With a file ``held_out`` its documents are held out, and all others are trained on.

    Raises:
        InputError: a file that cannot be read, or fewer than two different documents.
    """
    documents = [text for path in paths for text in read_documents(path)]
    total = hashlib.sha256()
    for text in documents:
        total.update(f"{text}\0".encode())
    if held_out is not None:
        apart = tuple(read_documents(held_out))
        return Corpus(tuple(path.name for path in paths), total.hexdigest(), tuple(documents), apart)
    distinct = sorted(set(documents), key=lambda text: digest([recipe.seed, text]))
    if len(distinct) < 2:
        raise InputError(
            f"The corpus {', '.join(map(str, paths))} must have at least 2 different documents, because one "
            f"is held out, and has {len(distinct)}; give one document a line, or more of them."
        )
    share = math.ceil(recipe.held_out * len(distinct))
    held = set(distinct[: min(max(1, share), len(distinct) - 1)])
    return Corpus(
        names=tuple(path.name for path in paths),
        hash=total.hexdigest(),
        train=tuple(text for text in documents if text not in held),
        held_out=tuple(sorted(held)),
    )


def read_documents(path: Path) -> list[str]:
    """Documents of ``.txt`` (paragraphs, or lines where no line is blank) or ``.jsonl``, either with ``.gz``.

    Raises:
        InputError: another kind of file, not there, damaged, not UTF-8, or a line without a text.
    """
    kind = path.with_suffix("") if path.suffix == ".gz" else path
    if kind.suffix not in SUFFIXES:
        raise InputError(
            f"The corpus {path} must be a file of the kind {' or '.join(SUFFIXES)}, or such a file with .gz; "
            "convert it."
        )
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf8") as file:
            text = file.read()
    except FileNotFoundError as error:
        raise InputError(f"There is no corpus {path}; give a text or JSONL file.") from error
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"The corpus {path} cannot be read ({error}); give UTF-8 text.") from error
    if kind.suffix == ".jsonl":
        texts = [text_of(line, f"{path}, line {number}") for number, line in enumerate(text.split("\n"), 1)]
    else:
        blank = re.compile(r"\n[^\S\n]*\n")
        texts = blank.split(text) if blank.search(text.strip()) else text.split("\n")
    return [stripped for text in texts if (stripped := text.strip())]


def text_of(line: str, place: str) -> str:
    """The field ``text`` of a JSON object; empty for an empty line."""
    if not line.strip():
        return ""
    try:
        return str.strip(json.loads(line)["text"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"The corpus has no text at {place}: each line must be a JSON object with a string in the field "
            "'text'."
        ) from error


def sequences_of(documents: Sequence[str], tokenizer: Any, length: int) -> list[list[int]]:
    """Token ids of the documents, cut into pieces of at most ``length`` and at least two tokens."""
    end = tokenizer.eos_token_id
    pieces = []
    for text in documents:
        ids = tokenizer(text, verbose=False)["input_ids"]
        if end is not None and ids[-1:] != [end]:
            ids = [*ids, end]
        pieces += [ids[start : start + length] for start in range(0, len(ids), length)]
    return [piece for piece in pieces if len(piece) > 1]


# -------------------------------------------------------------------------------------------- training


def loss_sum(loaded: Loaded, sequences: Sequence[Sequence[int]], precision: str) -> torch.Tensor:
    """Sum of the cross-entropy over all tokens but each sequence's first, nats; padded on the right."""
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
    """Held-out loss, nats a token."""
    loaded.model.eval()
    blocks = [sequences[start : start + rows] for start in range(0, len(sequences), rows)]
    return sum(loss_sum(loaded, block, recipe.precision).item() for block in blocks) / targets_in(sequences)


def batch_at(step: int, sequences: Sequence[list[int]], recipe: Recipe) -> list[list[int]]:
    """The sequences of a step: every epoch goes through all of them in an order of its own."""
    steps = math.ceil(len(sequences) / recipe.batch)
    epoch, place = divmod(step, steps)
    order = np.random.default_rng((recipe.seed, epoch)).permutation(len(sequences))
    return [sequences[i] for i in order[place * recipe.batch : (place + 1) * recipe.batch]]


def rate(step: int, steps: int, warmup: float) -> float:
    """The part of the learning rate at a step: a linear rise to 1 over the warm-up, then a linear fall."""
    warm = max(1, math.ceil(warmup * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm + 1))


class Training:
    """A model on its way, with the checkpoint that an interruption leaves behind."""

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
        """Write the checkpoint; it is never there by half."""
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
        """All steps that are left.

        Raises:
            KeyboardInterrupt: after the checkpoint was written.
            ScoringError: the loss is no number any more.
        """
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
        """One step of the optimiser; the mean loss of its tokens."""
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
    """Ctrl-C sets the event and breaks no step in two."""
    asked = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


# ---------------------------------------------------------------------------------------------- result


def causal_model(name: str) -> ModelSpec:
    """The model, with its weights at hand.

    Raises:
        ModelError: unknown, not causal, or in need of code of its own.
    """
    spec = resolve(name)
    if spec.family != "causal":
        raise ModelError(
            f"The model {spec.name} is of the family {spec.family} and only causal models are fine-tuned; "
            "choose one such as mini-gpt."
        )
    if spec.remote_code:  # its copy would be a directory with code of its own, which is never run
        raise ModelError(
            f"The model {spec.name} needs code of its own, so that the app could not read its copy; choose "
            "one whose architecture is part of transformers."
        )
    return spec if spec.path else spec.model_copy(update={"path": str(download(spec))})


def as_written(loaded: Loaded, weights: str) -> None:
    """Round the weights to the type in which they are written; they stay float32 in memory."""
    loaded.model.to(getattr(torch, weights)).float()


def write_model(
    loaded: Loaded, base: ModelSpec, out: Path, card: str, facts: dict[str, Any], weights: str
) -> None:
    """Weights, configuration, the base's own tokenizer files, card and facts; never there by half."""
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
    """What ``training.json`` keeps, for programs; perplexities are of the held-out documents."""
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
    """The model card: what was changed by what, and that it is for comparison only."""
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
    """The card's YAML: licence and languages are those that the base's card names, if it names any."""
    card = base / "README.md"
    known = (metadata_load(card) if card.is_file() else None) or {}
    named = {key: known[key] for key in ("license", "language") if known.get(key)}
    return ModelCardData(**named, library_name="transformers", pipeline_tag="text-generation").to_yaml()


def base_name(base: ModelSpec) -> str:
    """The name of a listed or a hub model, the folder's name of any other."""
    return Path(base.name).name if Path(base.name).is_absolute() else base.name


def finetune(
    model: str,
    corpora: Sequence[Path],
    out: Path | None,
    recipe: Recipe,
    rows: int,
    note: str = "",
    held_out: Path | None = None,
) -> Path:
    """Train, or go on training, and write the model; the folder.

    ``note``: a paragraph of its card; ``held_out``: documents for the loss, instead of a part of the corpus.

    Raises:
        AuditError: a model, a corpus or a folder that cannot be used.
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
