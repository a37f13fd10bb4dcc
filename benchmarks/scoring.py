"""Cells per second of both scorers against a naive loop in the papers' manner, the same quantity both sides.

Naive: batches of 16 prompts in the order given, padding, logits at every position, softmax over the whole
vocabulary, probabilities fetched word by word in Python; words of one token.  The models are as large as
BERT-base and GPT-2 small and have random weights.  *Floor* is the time that the needed FLOPs (each prompt's
tokens once through the layers, one position through the head) would take at the measured GEMM rate.

    python -m benchmarks.scoring --cells 480
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
import typer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AddedToken,
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

from pcf_core.models.loading import Loaded
from pcf_core.records import FloatArray, ScoringKey
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.causal import CausalScorer
from pcf_core.scoring.masked import MaskedScorer
from pcf_core.settings import settings
from pcf_core.topics import load_evidence, load_templates, load_topic

ROUNDS = 3
NAIVE_BATCH = 16


@dataclass(frozen=True)
class Row:
    """One line of the table; times in seconds."""

    model: str
    naive: float
    ours: float
    floor: float
    difference: float


def tokenizer_for(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Byte-level BPE that makes each word of ``texts`` one token."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    specials = ["<s>", "</s>", "<pad>", AddedToken("<mask>", lstrip=True, special=True)]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=30_000, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    raw.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        mask_token=AddedToken("<mask>", lstrip=True, special=True),
    )


def build(name: str, tokenizer: PreTrainedTokenizerFast, layers: int) -> tuple[Loaded, Scorer]:
    """A model of random weights in its usual size, and its scorer."""
    torch.manual_seed(0)
    ids = {"pad_token_id": 2, "bos_token_id": 0, "eos_token_id": 1}
    if name == "BERT-base":
        model: Any = BertForMaskedLM(BertConfig(num_hidden_layers=layers, **ids))
    else:
        model = GPT2LMHeadModel(GPT2Config(n_layer=layers, **ids))
    loaded = Loaded(model.eval(), tokenizer, "cpu")
    family = "masked" if name == "BERT-base" else "causal"
    key = ScoringKey(model=name, identity="random", tokenizer="bench", family=family, rules="1")
    return loaded, (MaskedScorer if family == "masked" else CausalScorer)(loaded, key)


@torch.inference_mode()
def naive(loaded: Loaded, prompts: Sequence[str], words: Sequence[str], masked: bool) -> FloatArray:
    """[prompt, word] nats, as the published scripts loop (but with the right tokens, mask and position)."""
    tokenizer, answer = loaded.tokenizer, []
    tokenizer.padding_side = "right" if masked else "left"
    ids = [tokenizer(" " + word, add_special_tokens=False)["input_ids"][0] for word in words]
    for start in range(0, len(prompts), NAIVE_BATCH):
        fill = tokenizer.mask_token if masked else ""
        texts = [prompt.replace("[Y]", fill).rstrip() for prompt in prompts[start : start + NAIVE_BATCH]]
        batch = tokenizer(texts, padding=True, return_tensors="pt")
        inputs = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
        if not masked:
            inputs["position_ids"] = (batch["attention_mask"].cumsum(-1) - 1).clamp(min=0)
        probabilities = loaded.model(**inputs).logits.softmax(-1)
        for row in range(len(texts)):
            where = int((batch["input_ids"][row] == tokenizer.mask_token_id).nonzero()) if masked else -1
            answer.append([math.log(probabilities[row, where, token].item()) for token in ids])
    return np.array(answer)


def needed_flops(loaded: Loaded, prompts: Sequence[str], masked: bool) -> float:
    """Multiplications and additions: every token through the layers once, one position a prompt the head."""
    model = loaded.model
    embeddings = {id(module.weight) for module in model.modules() if isinstance(module, torch.nn.Embedding)}
    layers = sum(p.numel() for p in model.base_model.parameters() if p.ndim == 2 and id(p) not in embeddings)
    fill = loaded.tokenizer.mask_token if masked else ""
    tokens = sum(len(loaded.tokenizer(p.replace("[Y]", fill).rstrip())["input_ids"]) for p in prompts)
    head = int(model.get_output_embeddings().weight.numel())
    return float(2 * (layers * tokens + head * len(prompts)))


def gemm_rate(seconds: float = 0.5) -> float:
    """FLOPs per second of a float32 matrix product in the shape of the models' largest."""
    a, b = torch.randn(1024, 768), torch.randn(768, 3072)
    rates = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        started = time.perf_counter()
        torch.mm(a, b)
        rates.append(2 * 1024 * 768 * 3072 / (time.perf_counter() - started))
    return float(np.median(rates))


def fastest(function: Callable[[], FloatArray]) -> tuple[float, FloatArray]:
    started = time.perf_counter()
    values = function()
    return time.perf_counter() - started, values


def measure(name: str, prompts: Sequence[str], words: Sequence[str], layers: int) -> Row:
    tokenizer = tokenizer_for(
        [prompt.replace("[Y]", word) for word in words for prompt in prompts[:50]] + list(prompts)
    )
    loaded, scorer = build(name, tokenizer, layers)
    masked = name == "BERT-base"
    refused = [word for word, count in scorer.check(words).tokens.items() if count != 1]
    if refused:
        raise ValueError(f"The benchmark's words must be single tokens; {refused} are not.")
    naive(loaded, prompts[:NAIVE_BATCH], words, masked)
    scorer.score(prompts[:NAIVE_BATCH], words)
    times: dict[str, list[float]] = {"naive": [], "ours": []}
    for _ in range(ROUNDS):
        spent, expected = fastest(lambda: naive(loaded, prompts, words, masked))
        times["naive"].append(spent)
        spent, values = fastest(lambda: scorer.score(prompts, words))
        times["ours"].append(spent)
    floor = needed_flops(loaded, prompts, masked) / gemm_rate()
    return Row(name, min(times["naive"]), min(times["ours"]), floor, float(np.abs(values - expected).max()))


def main(
    cells: Annotated[int, typer.Option(help="prompts to score")] = 480,
    layers: Annotated[int, typer.Option(help="layers of both models; 12 is the usual size")] = 12,
    threads: Annotated[int, typer.Option(help="CPU threads, 0 for all cores")] = 0,
) -> None:
    """Print the table."""
    if threads or settings().threads:
        torch.set_num_threads(threads or settings().threads)
    topic = load_topic("gender")
    prompts = [
        template.prompt(term)
        for term in load_evidence(topic.evidence).terms
        for template in load_templates(topic.templates).templates
    ][:cells]
    typer.echo(
        f"{len(prompts)} prompts x {len(topic.words)} words of one token, protocol exact, float32, "
        f"{torch.get_num_threads()} threads"
    )
    typer.echo(
        f"{'model':<14}{'naive cells/s':>15}{'ours cells/s':>15}{'ratio':>8}"
        f"{'of the floor':>14}{'max |diff|':>13}"
    )
    for name in ("BERT-base", "GPT-2 small"):
        row = measure(name, prompts, topic.words, layers)
        typer.echo(
            f"{row.model:<14}{len(prompts) / row.naive:>15.1f}{len(prompts) / row.ours:>15.1f}"
            f"{row.naive / row.ours:>8.2f}{row.floor / row.ours:>14.0%}{row.difference:>13.1e}"
        )


if __name__ == "__main__":
    typer.run(main)
