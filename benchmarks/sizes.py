"""What the benchmarks score: random models in their usual sizes, prompts, words and tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from pcf_core.core.families import FAMILIES, Family
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import TYPES, Loaded
from pcf_core.models.scoring.base import Scorer

# Of the 500 commonest templates for gender that the PVF release mined from Wikipedia, 201 have one word
# between "The [X]" and the last ("that" in two of three), 103 two and 196 three; 170 verbs begin them, "was"
# a quarter; the longer ones begin with 127 pairs.  In all 2,495 words before [Y], 980 distinct beginnings.
LENGTHS, VERBS, PAIRS, NOUNS = (201, 103, 196), 210, 127, 150
LAST = ["that"] * 6 + ["and", "and", "what", "but"]


@dataclass(frozen=True)
class Size:
    """A model: its family, its class and the config options that differ from the class's defaults.

    ``small``: further options of a model of a few thousand weights.
    """

    family: Family
    model: str
    options: dict[str, Any]
    small: dict[str, Any] = field(default_factory=dict)


SIZES = {
    "BERT-base": Size("masked", "BertForMaskedLM", {}),
    "GPT-2 small": Size("causal", "GPT2LMHeadModel", {}),
    "T5-base": Size(
        "seq2seq",
        "T5ForConditionalGeneration",
        {"d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12, "decoder_start_token_id": 2},
    ),
    "LLaMA 1B": Size(
        "causal",
        "LlamaForCausalLM",
        {"hidden_size": 2048, "num_hidden_layers": 16, "intermediate_size": 8192, "vocab_size": 128_256}
        | {"num_attention_heads": 32, "num_key_value_heads": 8},
    ),
    # Models whose beginnings cannot be shared by trees.
    "Mamba 2": Size(
        "causal",
        "Mamba2ForCausalLM",
        {"hidden_size": 768, "num_hidden_layers": 24, "num_heads": 24, "n_groups": 1, "vocab_size": 50_288},
        {"num_heads": 4, "head_dim": 16, "state_size": 8},
    ),
    "Falcon-H1": Size(
        "causal",
        "FalconH1ForCausalLM",
        {"hidden_size": 1024, "intermediate_size": 2048, "num_hidden_layers": 36, "vocab_size": 32_784}
        | {"num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64, "mamba_d_ssm": 1536}
        | {"mamba_n_heads": 24, "mamba_d_head": 64, "mamba_d_state": 128},
        {"head_dim": 16, "mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8},
    ),
    # Half the width of the 80B model, a quarter of its layers and vocabulary, 16 of its 512 experts.
    "Qwen3-Next": Size(
        "causal",
        "Qwen3NextForCausalLM",
        {"hidden_size": 1024, "num_hidden_layers": 12, "num_experts": 16, "num_experts_per_tok": 4}
        | {"linear_num_key_heads": 8, "linear_num_value_heads": 16, "num_attention_heads": 8}
        | {"vocab_size": 37_984},
        {"layer_types": ["linear_attention", "full_attention"], "head_dim": 16, "moe_intermediate_size": 24}
        | {"shared_expert_intermediate_size": 24, "linear_key_head_dim": 8, "linear_value_head_dim": 8},
    ),
    "BLOOM": Size(
        "causal",
        "BloomForCausalLM",
        {"hidden_size": 1024, "n_layer": 24, "n_head": 16, "vocab_size": 250_880},
        {"n_layer": 2, "n_head": 2},
    ),
}


def mined_templates(seed: int = 0) -> list[str]:
    """Return 500 templates of made-up words, with lengths and common beginnings like mined ones."""
    draw = np.random.default_rng(seed)
    chances = 1 / np.arange(1, VERBS + 1) ** 0.3

    def verb() -> str:
        return made_up("v", int(draw.choice(VERBS, p=chances / chances.sum())))

    def noun() -> str:
        return made_up("n", int(draw.integers(NOUNS)))

    drawn = (f"{'was' if draw.random() < 0.5 else verb()} {noun()}" for _ in range(2 * PAIRS))
    pairs = list(dict.fromkeys(drawn))[:PAIRS]
    found: dict[str, None] = {}
    for words, count in enumerate(LENGTHS, start=1):
        wanted = len(found) + count
        while len(found) < wanted:
            body = verb() if words == 1 else pairs[draw.integers(PAIRS)]
            body += f" {noun()}" if words == 3 else ""
            found[f"The [X] {body} {LAST[draw.integers(len(LAST))]} [Y]"] = None
    return list(found)


def made_up(kind: str, number: int) -> str:
    """Return a made-up word of letters only, as tokenizers split digits differently."""
    return kind + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def tokenizer_for(
    family: Family, prompts: Sequence[str], words: Sequence[str], split: Sequence[str]
) -> PreTrainedTokenizerFast:
    """Return a byte-level BPE with one token per word, and two or three for the words of ``split``."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    sentinels = [AddedToken(f"<extra_id_{n}>", lstrip=True, special=True) for n in range(2)]
    mask = AddedToken("<mask>", lstrip=True, special=True)
    trainer = trainers.BpeTrainer(
        vocab_size=30_000,
        special_tokens=[*names.values(), *{"masked": [mask], "seq2seq": sentinels}.get(family, [])],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    whole = [f"a {word}" for word in words if word not in split]
    halves = [f"a {word[: len(word) // 2]}-{word[len(word) // 2 :]}" for word in split]
    raw.train_from_iterator([prompt.replace(" [Y]", "") for prompt in prompts] + whole + halves, trainer)
    frame = {"masked": "<s> $A </s>", "causal": "$A", "seq2seq": "$A </s>"}[family]
    raw.post_processor = processors.TemplateProcessing(single=frame, special_tokens=[("<s>", 0), ("</s>", 1)])
    masked = {"mask_token": mask, "cls_token": "<s>", "sep_token": "</s>"} if family == "masked" else {}
    return PreTrainedTokenizerFast(tokenizer_object=raw, **names, **masked)


def build(name: str, tokenizer: PreTrainedTokenizerFast, dtype: str, device: str, small: bool) -> Loaded:
    """Build a model with random weights; ``small``: a few thousand, to test the benchmark itself."""
    kind = getattr(transformers, SIZES[name].model)
    options = dict(SIZES[name].options)
    if small:
        options |= {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 2000}
        options |= {"intermediate_size": 64, "num_key_value_heads": 2, "initializer_range": 0.3}
        options |= {"d_kv": 16, "d_ff": 64} if SIZES[name].family == "seq2seq" else {}
        options |= SIZES[name].small
    torch.manual_seed(0)
    config = kind.config_class(**{"pad_token_id": 2, "bos_token_id": 0, "eos_token_id": 1, **options})
    return Loaded(kind(config).eval().to(device, TYPES[dtype]), tokenizer, device)


def open_scorer(name: str, loaded: Loaded, dtype: str) -> Scorer:
    """Open this project's scorer with protocol exact."""
    family = SIZES[name].family
    key = ScoringKey(model=name, identity="random", tokenizer="bench", family=family, rules="1", dtype=dtype)
    scorer: Scorer = resolve_name(FAMILIES[family].scorer)(loaded, key)
    return scorer
