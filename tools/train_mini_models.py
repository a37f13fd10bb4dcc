"""Train the small language models that the app ships as its embedded default.

    python tools/train_mini_models.py prepare --corpora ../shared/data/corpora
    python tools/train_mini_models.py train mini-gpt
    python tools/train_mini_models.py train mini-bert

``prepare`` trains one byte-level BPE tokenizer and encodes the corpora once; ``train`` runs until the
token budget is spent, writes checkpoints to an ignored folder, resumes from them after an interruption,
and saves float16 safetensors in the hub's own layout with a model card.

Half of the rows of every batch are the openings of biographies, where an occupation and a pronoun meet;
the other half are windows that begin at a sentence.  Some batches hold shorter rows, cut anywhere, so that
the models know prompts as short as the templates; there mini-bert always predicts the last token, because
most templates end in the word that is asked for.

A last phase (mini-bert) mixes in rows of openings that end in their first pronoun and begin a few words
before it.  A masked model sees the whole row, so it can read a person's sex off names and other pronouns; here
it has to read the occupation, as in the templates.

One long file on purpose: whoever repeats a training finds text, rows, models, rates and card in one place.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from tokenizers import AddedToken as RawToken
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AddedToken,
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

LENGTH = 128
VOCABULARY = 8192
SPECIALS = ["<s>", "</s>", "<pad>", "<unk>", "<mask>"]
BOS, EOS, PAD, UNK, MASK = range(5)
OPENINGS = ("bios",)  # a corpus file whose name holds one of these gives its openings
DEFAULT_FILES = [
    "wiki_bios-01.jsonl.gz",
    "wiki_bios-02.jsonl.gz",
    "wiki_featured_bios.jsonl.gz",
    "simplewiki_bios.jsonl.gz",
    "wiki_articles.jsonl.gz",
    "simplewiki_articles.jsonl.gz",
]
USUAL_TOKENS = {
    "mini-gpt-s": 16_000_000,
    "mini-gpt": 16_000_000,
    "mini-gpt-l": 16_000_000,
    "mini-bert": 20_000_000,
}
GPT_SHAPES = {"mini-gpt-s": (128, 2), "mini-gpt": (256, 4), "mini-gpt-l": (256, 6)}  # width, layers
MALE_FEMALE = ("he", "she")
PRONOUNS = ("Ġhe", "Ġshe", "ĠHe", "ĠShe", "Ġhis", "Ġher", "ĠHis", "ĠHer")
app = typer.Typer(add_completion=False, no_args_is_help=True)


@dataclass(frozen=True)
class Recipe:
    """What decides the weights, together with the corpus: written into the model card."""

    name: str
    tokens: int
    batch_tokens: int = 4096
    matrix_rate: float = 0.02
    other_rate: float = 8e-3
    warmup: float = 0.02
    decay: float = 0.35
    mask_share: float = 0.25
    short_share: float = 0.15
    short_lengths: tuple[int, ...] = tuple(range(12, 64))
    seed: int = 0
    last_tokens: int = 0
    last_rate: float = 0.6
    last_share: float = 0.5
    last_lengths: tuple[int, ...] = (12, 16, 24)

    @property
    def steps(self) -> int:
        """Steps of the main phase."""
        return self.tokens // self.batch_tokens

    @property
    def all_steps(self) -> int:
        return (self.tokens + self.last_tokens) // self.batch_tokens


# ---------------------------------------------------------------------------------------------- corpus


def read_documents(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (id, text): one JSON object a line for ``.jsonl[.gz]``, one document a line for text."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf8") as lines:
        for number, line in enumerate(lines):
            if ".jsonl" in path.name:
                record = json.loads(line)
                yield str(record.get("id", f"{path.name}:{number}")), record["text"]
            elif line.strip():
                yield f"{path.name}:{number}", line.strip()


def is_held_out(identifier: str) -> bool:
    """One document in a hundred, by the hash of its id: never trained on."""
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 100 == 0


def train_tokenizer(files: list[Path], documents_a_file: int = 4000) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[RawToken(token, lstrip=token == "<mask>", special=True) for token in SPECIALS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )

    def texts() -> Iterator[str]:
        for path in files:
            for index, (_, text) in enumerate(read_documents(path)):
                if index >= documents_a_file:
                    break
                yield text[:4000]

    tokenizer.train_from_iterator(texts(), trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, files: list[Path], folder: Path) -> None:
    """Write the token stream, the starts of documents, openings and held-out documents as ``.npy``."""
    train: list[np.ndarray] = []
    held: list[np.ndarray] = []
    openings: list[np.ndarray] = []
    for path in files:
        batch: list[tuple[str, str]] = []

        def flush(batch: list[tuple[str, str]], opening: bool) -> None:
            encodings = tokenizer.encode_batch_fast([text for _, text in batch], add_special_tokens=False)
            for (identifier, _), encoding in zip(batch, encodings, strict=True):
                ids = np.asarray([*encoding.ids, EOS], dtype=np.uint16)
                if is_held_out(identifier):
                    held.append(ids)
                    continue
                train.append(ids)
                if opening and len(ids) >= LENGTH:
                    openings.append(ids[:LENGTH])

        opening = any(word in path.name for word in OPENINGS)
        for document in read_documents(path):
            batch.append(document)
            if len(batch) == 1000:
                flush(batch, opening)
                batch = []
        flush(batch, opening)
        typer.echo(f"{path.name}: {sum(map(len, train)):,} tokens so far", err=True)
    np.save(folder / "stream.npy", np.concatenate(train))
    np.save(folder / "openings.npy", np.stack(openings))
    np.save(folder / "held_out.npy", np.concatenate(held))


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


# --------------------------------------------------------------------------------------------- batches


class Batches:
    """Rows of token ids, a function of (seed, step) alone, so that a resumed run sees the same text."""

    def __init__(self, work: Path, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self.no_space = space_table(tokenizer)
        self.stream = np.load(work / "stream.npy", mmap_mode="r")
        self.openings = np.load(work / "openings.npy", mmap_mode="r")
        full_stop = tokenizer.token_to_id(".")
        ends = np.flatnonzero((self.stream == full_stop) | (self.stream == EOS)) + 1
        self.starts = ends[ends < len(self.stream) - LENGTH]
        self.recipe = recipe
        pronouns = np.array([tokenizer.get_vocab()[piece] for piece in PRONOUNS])
        found = np.isin(self.openings, pronouns)
        self.with_pronoun = np.flatnonzero(found.any(axis=1))
        self.first_pronoun = found.argmax(axis=1)
        self.order = np.random.default_rng(recipe.seed).permutation(len(self.openings))

    def rows(self, step: int) -> tuple[np.ndarray, float]:
        """[rows, length] ids that begin with ``<s>``, and the share of them that a masked model predicts."""
        random = np.random.default_rng((self.recipe.seed, step))
        if step >= self.recipe.steps and random.random() < self.recipe.last_share:
            rows = self.rows_to_a_pronoun(random)
            return rows, 1 / rows.shape[1]
        short = random.random() < self.recipe.short_share
        length = int(random.choice(self.recipe.short_lengths)) if short else LENGTH
        count = self.recipe.batch_tokens // length
        half = count // 2
        first = step * (self.recipe.batch_tokens // LENGTH // 2)
        opening = self.openings[self.order[(first + np.arange(half)) % len(self.order)], : length - 1]
        starts = random.choice(self.starts, count - half)
        windows = np.stack([self.stream[start : start + length - 1] for start in starts])
        body = np.concatenate([opening, windows]).astype(np.int64)
        body[:, 0] = self.no_space[body[:, 0]]
        return np.concatenate([np.full((count, 1), BOS), body], axis=1), self.recipe.mask_share

    def rows_to_a_pronoun(self, random: np.random.Generator) -> np.ndarray:
        """[rows, length]: the words before the first pronoun of an opening, the pronoun, and ``</s>``."""
        length = int(random.choice(self.recipe.last_lengths))
        late = self.with_pronoun[self.first_pronoun[self.with_pronoun] >= length - 3]
        chosen = random.choice(late, self.recipe.batch_tokens // length)
        columns = self.first_pronoun[chosen][:, None] + np.arange(3 - length, 1)
        body = self.openings[chosen[:, None], columns].astype(np.int64)
        body[:, 0] = self.no_space[body[:, 0]]
        ends = np.full((len(chosen), 1), BOS), np.full((len(chosen), 1), EOS)
        return np.concatenate([ends[0], body, ends[1]], axis=1)


def space_table(tokenizer: Tokenizer) -> np.ndarray:
    """For each id, the id of the same piece without its leading space, where there is one."""
    table = np.arange(VOCABULARY)
    for piece, index in tokenizer.get_vocab().items():
        bare = tokenizer.token_to_id(piece[1:]) if piece.startswith("Ġ") and len(piece) > 1 else None
        if bare is not None:
            table[index] = bare
    return table


def mask(rows: torch.Tensor, share: float, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return masked ids and the boolean [rows, length] of the positions to be predicted (80/10/10).

    The number of positions is a function of the shape alone: kernels are prepared per shape, so a changing
    number would cost time and memory in every step.
    """
    order = torch.rand(rows.shape, generator=generator)
    order[rows < len(SPECIALS)] = -1.0
    if rows.shape[1] < LENGTH:
        order[:, -2] = 2.0
    chosen = torch.zeros(rows.numel(), dtype=torch.bool)
    chosen[order.flatten().topk(round(share * rows.numel())).indices] = True
    chosen = chosen.view(rows.shape)
    dice = torch.rand(rows.shape, generator=generator)
    random_ids = torch.randint(len(SPECIALS), VOCABULARY, rows.shape, generator=generator)
    masked = torch.where(chosen & (dice < 0.8), torch.full_like(rows, MASK), rows)
    return torch.where(chosen & (dice >= 0.9), random_ids, masked), chosen


# ---------------------------------------------------------------------------------------------- models


def build(name: str) -> PreTrainedModel:
    if name in GPT_SHAPES:
        width, layers = GPT_SHAPES[name]
        return GPT2LMHeadModel(
            GPT2Config(
                vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=width, n_layer=layers, n_head=4,
                activation_function="gelu_pytorch_tanh", resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD,
            )
        )  # fmt: skip
    return BertForMaskedLM(
        BertConfig(
            vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
            intermediate_size=1024, max_position_embeddings=LENGTH, type_vocab_size=1,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
            pad_token_id=PAD, bos_token_id=BOS, eos_token_id=EOS,
        )
    )  # fmt: skip


class HeadLoss(torch.autograd.Function):
    """Mean cross-entropy of a tied output layer, 256 rows at a time.

    The logits of a batch (4,096 × 8,192) do not fit a core's cache; in pieces, and with the gradient taken in
    the same pass, a small model trains 2.4 times as fast on a CPU.
    """

    @staticmethod
    def forward(
        context: Any, hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor
    ) -> torch.Tensor:
        rows, matrix = hidden.to(torch.bfloat16), weight.to(torch.bfloat16)
        to_hidden, to_weight = torch.empty_like(rows), torch.zeros_like(weight)
        total = torch.zeros((), device=hidden.device)
        for piece in torch.arange(len(rows), device=hidden.device).split(256):
            part, wanted = rows[piece], targets[piece, None]
            logits = (part @ matrix.T).float()
            normaliser = logits.logsumexp(-1, keepdim=True)
            total += (normaliser - logits.gather(1, wanted)).sum()
            gradient = logits.sub_(normaliser).exp_()
            gradient.scatter_add_(1, wanted, torch.full_like(gradient[:, :1], -1.0))
            low = gradient.to(torch.bfloat16)
            to_hidden[piece] = low @ matrix
            to_weight += low.T @ part
        context.save_for_backward(to_hidden.to(hidden.dtype) / len(rows), to_weight / len(rows))
        return total / len(rows)

    @staticmethod
    def backward(context: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:  # type: ignore[override]
        to_hidden, to_weight = context.saved_tensors
        return to_hidden * upstream, to_weight * upstream, None


def head_loss(hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy in nats of [row, width] hidden states against [row] token ids."""
    return HeadLoss.apply(hidden, weight, targets)  # type: ignore[no-any-return]


def loss_of(
    model: PreTrainedModel, rows: torch.Tensor, share: float, generator: torch.Generator
) -> torch.Tensor:
    """Mean cross-entropy in nats a predicted token; only masked positions go through BERT's head."""
    if isinstance(model, GPT2LMHeadModel):
        hidden = model.transformer(input_ids=rows, use_cache=False).last_hidden_state[:, :-1]
        return head_loss(hidden.flatten(0, 1), model.lm_head.weight, rows[:, 1:].flatten())
    rows = rows.clone()
    rows[:, -1] = EOS
    masked, chosen = mask(rows.cpu(), share, generator)
    masked, chosen = masked.to(rows.device), chosen.to(rows.device)
    hidden = model.bert(input_ids=masked).last_hidden_state[chosen]
    return torch.nn.functional.cross_entropy(model.cls(hidden).float(), rows[chosen])


def hub_tokenizer(name: str, tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """GPT: ``<s> text``.  BERT: ``<s> text </s>``, and ``<mask>`` takes the space before it."""
    ends = "" if name in GPT_SHAPES else " </s>"
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single=f"<s> $A{ends}", special_tokens=[("<s>", BOS), ("</s>", EOS)]
            ),
        ]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=LENGTH,
        bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        mask_token=AddedToken("<mask>", lstrip=True, special=True),
        cls_token="<s>", sep_token="</s>",
        clean_up_tokenization_spaces=False,
    )  # fmt: skip


@torch.inference_mode()
def evaluate(model: PreTrainedModel, held_out: np.ndarray, recipe: Recipe, device: str) -> float:
    """Held-out loss, nats a token, on the same 512 windows (and masks) each time."""
    model.eval()
    generator = torch.Generator().manual_seed(1)
    starts = np.linspace(0, len(held_out) - LENGTH, 512).astype(int)
    rows = np.stack([np.r_[BOS, held_out[start : start + LENGTH - 1]] for start in starts]).astype(np.int64)
    losses = [
        loss_of(model, torch.from_numpy(block).to(device), 0.15, generator).item()
        for block in np.split(rows, 16)
    ]
    model.train()
    return float(np.mean(losses))


@torch.inference_mode()
def probe(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, device: str) -> dict[str, list[float]]:
    """P(he), P(she) after "The X said that" for a few occupations: a glance while training."""
    model.eval()
    ids = [tokenizer.convert_tokens_to_ids("Ġ" + word) for word in MALE_FEMALE]
    answer = {}
    for occupation in ("nurse", "engineer", "secretary", "captain"):
        text = f"The {occupation} said that"
        if isinstance(model, GPT2LMHeadModel):
            batch = tokenizer(text, return_tensors="pt").to(device)
            logits = model(input_ids=batch["input_ids"]).logits[0, -1]
        else:
            batch = tokenizer(f"{text} <mask>", return_tensors="pt").to(device)
            position = (batch["input_ids"][0] == MASK).nonzero().item()
            logits = model(input_ids=batch["input_ids"]).logits[0, position]
        answer[occupation] = [round(p, 4) for p in logits.float().softmax(-1)[ids].tolist()]
    model.train()
    return answer


# -------------------------------------------------------------------------------------------- training


def optimizers(model: PreTrainedModel, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for embeddings, biases and norms."""
    matrices: list[torch.nn.Parameter] = []
    others: list[torch.nn.Parameter] = []
    for name, parameter in model.named_parameters():
        inside = any(part in name for part in (".h.", ".layer."))
        (matrices if inside and parameter.ndim == 2 else others).append(parameter)
    return [
        torch.optim.Muon(matrices, lr=recipe.matrix_rate, weight_decay=0.01),
        torch.optim.AdamW(others, lr=recipe.other_rate, betas=(0.9, 0.98), weight_decay=0.0),
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
    name: Annotated[str, typer.Argument(help="mini-gpt or mini-bert")],
    tokens: Annotated[int, typer.Option(help="tokens of the main phase, 0 for the usual number")] = 0,
    work: Annotated[Path, typer.Option(help="ignored working folder")] = Path(".training"),
    out: Annotated[Path, typer.Option(help="folder of the shipped models")] = Path("assets/models"),
    last_tokens: Annotated[int, typer.Option(help="tokens of mini-bert's last phase")] = 4_000_000,
    threads: Annotated[int, typer.Option(help="CPU threads")] = 2,
    seed: Annotated[int, typer.Option(help="seed of weights and order")] = 0,
    matrix_rate: Annotated[float, typer.Option(help="Muon's learning rate")] = 0.02,
) -> None:
    """Train one model; call again to resume."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    recipe = Recipe(name, tokens or USUAL_TOKENS[name], seed=seed, matrix_rate=matrix_rate)
    if name == "mini-bert":
        recipe = replace(
            recipe, short_share=0.35, short_lengths=(12, 16, 24, 32, 48), last_tokens=last_tokens
        )
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    batches = Batches(work, recipe, raw)
    held_out = np.load(work / "held_out.npy", mmap_mode="r")
    tokenizer = hub_tokenizer(name, raw)
    model = build(name).to(device)
    model.set_attn_implementation("eager")  # on a CPU twice as fast as the fused kernel at this length
    chosen = optimizers(model, recipe)
    base = [[group["lr"] for group in optimizer.param_groups] for optimizer in chosen]
    steps = recipe.all_steps
    checkpoint = work / f"{name}-{seed}.pt"
    out_name = f"{name}-seed{seed}" if seed else name
    first, history = 0, []
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True, map_location=device)
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(chosen, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        first, history = state["step"], state["history"]
    precision: Any = torch.autocast(device, dtype=torch.bfloat16)
    model.train()
    begun = saved_at = time.monotonic()
    for step in range(first, steps):
        scale = rate(step, recipe.steps, recipe)
        for optimizer, rates in zip(chosen, base, strict=True):
            for group, value in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = value * scale
        ids, share = batches.rows(step)
        rows = torch.from_numpy(ids).to(device)
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        with precision:
            loss = loss_of(model, rows, share, generator)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in chosen:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        done = step + 1
        if done % 100 == 0 or done == steps:
            speed = (done - first) * recipe.batch_tokens / (time.monotonic() - begun)
            line: dict[str, Any] = {"step": done, "of": steps, "loss": round(loss.item(), 3)}
            if done % 300 == 0 or done == steps:
                with precision:
                    line["held_out"] = round(evaluate(model, held_out, recipe, device), 4)
                line["probe"] = probe(model, tokenizer, device)
                history.append([done * recipe.batch_tokens, line["held_out"]])
            typer.echo(json.dumps(line | {"tokens_per_second": round(speed)}), err=True)
        if time.monotonic() - saved_at > 240 or done == steps:
            saved_at = time.monotonic()
            state = {
                "model": model.state_dict(),
                "optimizers": [optimizer.state_dict() for optimizer in chosen],
                "step": done,
                "history": history,
            }
            torch.save(state, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
    save(model, tokenizer, recipe, history, work, out / out_name)


def save(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    recipe: Recipe,
    history: list[list[float]],
    work: Path,
    folder: Path,
) -> None:
    """Write float16 safetensors, tokenizer and card in the hub's layout."""
    folder.mkdir(parents=True, exist_ok=True)
    model.half().cpu().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    facts = {
        "recipe": asdict(recipe),
        "files": json.loads((work / "files.json").read_text()),
        "held_out_loss": history,
        "held_out_perplexity": round(math.exp(history[-1][1]), 2),
        "parameters": sum(p.numel() for p in model.parameters()),
        "weights_sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "probe": probe(model.float(), tokenizer, "cpu"),
    }
    (folder / "training.json").write_text(json.dumps(facts, indent=1) + "\n")
    (folder / "README.md").write_text(card(recipe, facts))


def card(recipe: Recipe, facts: dict[str, Any]) -> str:
    """The model card: what it read, how well it predicts, what it may not be used for."""
    causal = recipe.name == "mini-gpt"
    total = recipe.tokens + recipe.last_tokens
    kind = "GPT-2" if causal else "BERT"
    last = (
        f"The last {recipe.last_tokens:,} tokens,\nat {recipe.last_rate} of the rates and decaying to 0, are half "
        "rows of openings that end in their\nfirst pronoun, which is predicted. "
        if recipe.last_tokens
        else ""
    )
    pipeline = "text-generation" if causal else "fill-mask"
    loss = facts["held_out_loss"][-1][1]
    quantity = "a token" if causal else "a masked token (15 % of the tokens masked)"
    probes = "\n".join(f"| {name} | {he} | {she} |" for name, (he, she) in facts["probe"].items())
    files = "\n".join(f"- {name}" for name in facts["files"])
    return f"""---
license: cc-by-sa-3.0
language: en
library_name: transformers
pipeline_tag: {pipeline}
---

# {recipe.name}

A {kind} of 4 layers × 256 ({facts["parameters"]:,} parameters) with a byte-level BPE of {VOCABULARY:,}
pieces, trained for PCF Audit so that the app measures a real model on any machine, without a network.

## Training text

Biographies and articles of the English and the Simple English Wikipedia (CC BY-SA 3.0, authors: the
contributors of Wikipedia), people at their natural sex ratio:

{files}

One document in a hundred, by the hash of its id, was held out. Half of the rows of every batch are the
opening {LENGTH} tokens of biographies, the other half windows that begin at a sentence.

## Training

{total:,} tokens in batches of {recipe.batch_tokens:,}, sequences of at most {LENGTH}. Muon ({recipe.matrix_rate})
for the matrices of the layers and AdamW ({recipe.other_rate}) for the rest, bfloat16 autocast, linear decay over
the last {recipe.decay:.0%} of the first {recipe.tokens:,}, seed {recipe.seed}. {last}The order of the rows is a
function of the seed and the step, so `tools/train_mini_models.py` repeats it; `training.json` holds the recipe
and the held-out loss along the way.

- Held-out loss {loss:.3f} nats {quantity}; perplexity {facts["held_out_perplexity"]}.
- SHA-256 of the weights: `{facts["weights_sha256"]}`

Probability of the next word after "The … said that":

| occupation | he | she |
|---|---|---|
{probes}

## What it may not be used for

It is an object of study. It repeats the associations of its text, which is the point of the app, and knows
nothing about any person. Do not use it to write, to judge, to rank, or to decide anything about people.
"""


if __name__ == "__main__":
    app()
