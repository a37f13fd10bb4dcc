"""Twins: tiny models with random weights from the config of each architecture, and a brute force.

``TWINS`` is the registry of all; what every family promises is tested over it (test_contract.py).
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from transformers import PreTrainedTokenizerBase

from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.masked import MaskedScorer
from pcf_core.models.scoring.permutation import PermutationScorer
from pcf_core.models.scoring.seq2seq import Seq2SeqScorer
from tests.models.fake_servers import CompletionsServer, point_at, serving, threads_end
from tests.models.scoring.tiny_tokenizers import (
    PROMPTS,
    WORDS,
    bart_tokenizer,
    bert_tokenizer,
    funnel_tokenizer,
    gpt2_tokenizer,
    llama_tokenizer,
    mbart_tokenizer,
    opt_tokenizer,
    roberta_tokenizer,
    t5_tokenizer,
    xlnet_tokenizer,
)

Serve = Callable[..., CompletionsServer]
CONTEXT = 400
SHORT_CONTEXT = 160  # of encoder–decoders
# Classes whose configurations take their own defaults.
BARE = {
    *(f"{name}ForConditionalGeneration" for name in ("T5", "MT5", "UMT5", "SwitchTransformers")),
    *(f"{name}ForConditionalGeneration" for name in ("Bart", "MBart", "PLBart", "LED")),
    "XLNetLMHeadModel",
}


@dataclass(frozen=True)
class Tiny:
    """A tiny model: its class in transformers, and what makes it (with other options of its config)."""

    model: str
    load: Callable[..., Loaded]


def build(
    model: str,
    tokenizer: Callable[[], PreTrainedTokenizerBase],
    *,
    seed: int = 7,
    spare: int = 0,
    own_head: bool = False,
    **options: Any,
) -> Loaded:
    """Weights are drawn wide enough that texts and words differ by nats.

    ``spare`` entries of the vocabulary have no token, as in T5; ``own_head``: as T5 1.1 and mT5 have.
    """
    kind, own = getattr(transformers, model), tokenizer()
    common: dict[str, Any] = {}
    if model not in BARE:
        common = {"max_position_embeddings": CONTEXT, "initializer_range": 0.4}
        common |= {f"{role}_token_id": getattr(own, f"{role}_token_id") for role in ("pad", "bos", "eos")}
    torch.manual_seed(seed)
    made = kind(kind.config_class(**common | {"vocab_size": len(own) + spare} | options)).eval()
    if own_head:
        made.lm_head.weight = torch.nn.Parameter(torch.randn_like(made.lm_head.weight) * 0.3)
    return Loaded(made, own, "cpu")


def twin(model: str, tokenizer: Callable[[], PreTrainedTokenizerBase], **options: Any) -> Tiny:
    return Tiny(model, functools.partial(build, model, tokenizer, **options))


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
GROUPED = SMALL | {"num_key_value_heads": 1}
HEADS = GROUPED | {"head_dim": 16}
GEMMA = HEADS | {"query_pre_attn_scalar": 16, "sliding_window": 8}
HYBRID = GEMMA | {"layer_types": ["sliding_attention", "full_attention"]}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 2}
GPT_NEO: dict[str, Any] = {"hidden_size": 32, "num_layers": 2, "num_heads": 2, "intermediate_size": 64} | {
    "attention_types": [[["global", "local"], 1]]
}
FALCON = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
MODERN = SMALL | {"local_attention": 8, "global_attn_every_n_layers": 2, "cls_token_id": 0, "sep_token_id": 2}
FUNNEL = {"block_sizes": [1, 1, 1], "num_decoder_layers": 1, "d_model": 32, "n_head": 2, "d_head": 16} | {
    "d_inner": 64,
    "initializer_std": 0.4,
}
MAMBA2 = {"hidden_size": 32, "num_hidden_layers": 2, "num_heads": 4, "head_dim": 16, "state_size": 8} | {
    "n_groups": 1,
    "chunk_size": 8,
}
FALCON_H1 = (
    HEADS
    | {"mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8}
    | {"mamba_chunk_size": 8}
)
QWEN3_NEXT = (
    HEADS
    | {"layer_types": ["linear_attention", "full_attention"], "num_experts": 4}
    | {
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 24,
        "shared_expert_intermediate_size": 24,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
    }
)
RELATIVE = SMALL | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 16}

# Those that every test of the family takes; windows are shorter than the prompts unless they are "wide".
FIRST_CAUSAL = {
    "bloom": twin("BloomForCausalLM", gpt2_tokenizer, hidden_size=32, n_layer=2, n_head=2),
    "gpt-neox": twin("GPTNeoXForCausalLM", gpt2_tokenizer, **SMALL),
    "gpt2": twin("GPT2LMHeadModel", gpt2_tokenizer, **GPT2),
    "llama": twin("LlamaForCausalLM", llama_tokenizer, **GROUPED),
    "mistral": twin("MistralForCausalLM", llama_tokenizer, **GROUPED, sliding_window=6),
    "opt": twin("OPTForCausalLM", opt_tokenizer, **SMALL, ffn_dim=64, word_embed_proj_dim=32),
}
FIRST_MASKED = {
    "albert": twin("AlbertForMaskedLM", bert_tokenizer, **SMALL, embedding_size=16),
    "bert": twin("BertForMaskedLM", bert_tokenizer, **SMALL),
    "distilbert": twin("DistilBertForMaskedLM", bert_tokenizer, dim=32, n_layers=2, n_heads=2, hidden_dim=64),
    # A mask token that leaves the space before it alone.
    "mini-bert": twin("BertForMaskedLM", functools.partial(roberta_tokenizer, lstrip=False), **SMALL),
    "roberta": twin("RobertaForMaskedLM", roberta_tokenizer, **SMALL),
}
CAUSAL = FIRST_CAUSAL | {
    "falcon": twin("FalconForCausalLM", gpt2_tokenizer, **FALCON),
    "falcon-alibi": twin("FalconForCausalLM", gpt2_tokenizer, **FALCON, alibi=True),
    "falcon-h1": twin("FalconH1ForCausalLM", llama_tokenizer, **FALCON_H1),
    "gemma2": twin("Gemma2ForCausalLM", llama_tokenizer, **GEMMA),
    "gemma3": twin("Gemma3ForCausalLM", llama_tokenizer, **HYBRID),
    "gemma3-wide": twin("Gemma3ForCausalLM", llama_tokenizer, **HYBRID | {"sliding_window": 300}),
    "glm": twin("GlmForCausalLM", gpt2_tokenizer, **HEADS),
    "gpt-j": twin("GPTJForCausalLM", gpt2_tokenizer, **GPT2, rotary_dim=8),
    "gpt-neo": twin("GPTNeoForCausalLM", gpt2_tokenizer, **GPT_NEO, window_size=8),
    "gpt-neo-wide": twin("GPTNeoForCausalLM", gpt2_tokenizer, **GPT_NEO, window_size=256),
    "granite": twin("GraniteForCausalLM", gpt2_tokenizer, **GROUPED),
    "mamba2": twin("Mamba2ForCausalLM", gpt2_tokenizer, **MAMBA2),
    "mistral-wide": twin("MistralForCausalLM", llama_tokenizer, **GROUPED, sliding_window=300),
    "olmo2": twin("Olmo2ForCausalLM", gpt2_tokenizer, **GROUPED),
    "phi": twin("PhiForCausalLM", gpt2_tokenizer, **SMALL),
    "phi3": twin("Phi3ForCausalLM", llama_tokenizer, **GROUPED),
    "qwen2": twin("Qwen2ForCausalLM", gpt2_tokenizer, **GROUPED),
    "qwen3": twin("Qwen3ForCausalLM", gpt2_tokenizer, **HEADS),
    "qwen3-next": twin("Qwen3NextForCausalLM", gpt2_tokenizer, **QWEN3_NEXT),
    "smollm3": twin("SmolLM3ForCausalLM", gpt2_tokenizer, **GROUPED),
}
MASKED = FIRST_MASKED | {
    "deberta-v2": twin("DebertaV2ForMaskedLM", bert_tokenizer, **RELATIVE),
    "funnel": twin("FunnelForMaskedLM", funnel_tokenizer, **FUNNEL),
    "electra": twin("ElectraForMaskedLM", bert_tokenizer, **SMALL, embedding_size=16),
    "modernbert": twin("ModernBertForMaskedLM", roberta_tokenizer, **MODERN),
    "xlm-roberta": twin("XLMRobertaForMaskedLM", roberta_tokenizer, **SMALL),
}
T5 = {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0} | {
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12,
}
BART = {
    f"{half}_{part}": size
    for half in ("encoder", "decoder")
    for part, size in (("layers", 2), ("attention_heads", 2), ("ffn_dim", 48))
} | {"d_model": 32, "init_std": 0.4, "decoder_start_token_id": 2, "forced_eos_token_id": None}
LANGUAGE = BART | {"max_position_embeddings": SHORT_CONTEXT, "decoder_start_token_id": None}
SENTINEL = {
    # T5 1.0: relu, tied and scaled head; T5 1.1: gated gelu, a head of its own, not scaled.
    "t5": twin("T5ForConditionalGeneration", t5_tokenizer, spare=28, **T5),
    "t5-gated": twin(
        "T5ForConditionalGeneration",
        t5_tokenizer,
        spare=28,
        own_head=True,
        **T5,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
    ),
    "mt5": twin("MT5ForConditionalGeneration", t5_tokenizer, spare=12, own_head=True, **T5),
    # Every layer has a table of distances of its own.
    "umt5": twin("UMT5ForConditionalGeneration", t5_tokenizer, **T5),
    # An expert takes twelve tokens of a row, and leaves out the others: words cannot share a row.
    "switch": twin(
        "SwitchTransformersForConditionalGeneration",
        t5_tokenizer,
        **T5,
        num_experts=2,
        expert_capacity=12,
        num_sparse_encoder_layers=1,
        num_sparse_decoder_layers=1,
    ),
}
MASK = {
    "bart": twin(
        "BartForConditionalGeneration", bart_tokenizer, **BART, max_position_embeddings=SHORT_CONTEXT
    ),
    # The decoder starts with the language in mBART and PLBart, and with the end of a text in mBART-50.
    "mbart": twin("MBartForConditionalGeneration", mbart_tokenizer, **LANGUAGE),
    "mbart-50": twin(
        "MBartForConditionalGeneration", functools.partial(mbart_tokenizer, first=True), **LANGUAGE
    ),
    "plbart": twin("PLBartForConditionalGeneration", mbart_tokenizer, **LANGUAGE),
    # BART whose decoder lets nobody choose the positions: words cannot share a row.
    "led": twin(
        "LEDForConditionalGeneration",
        bart_tokenizer,
        **BART,
        attention_window=4,
        max_encoder_position_embeddings=SHORT_CONTEXT,
        max_decoder_position_embeddings=SHORT_CONTEXT,
    ),
}
SEQ2SEQ = SENTINEL | MASK
XLNET = {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 48, "initializer_range": 0.4}
PERMUTATION = {"xlnet": twin("XLNetLMHeadModel", xlnet_tokenizer, **XLNET)}
TWINS = CAUSAL | MASKED | SEQ2SEQ | PERMUTATION
FIRST = sorted(FIRST_CAUSAL | FIRST_MASKED | SEQ2SEQ | PERMUTATION)
SCORERS: dict[str, Callable[..., Scorer]] = {
    "causal": CausalScorer,
    "masked": MaskedScorer,
    "seq2seq": Seq2SeqScorer,
    "permutation": PermutationScorer,
}


@functools.cache
def load_tiny(name: str) -> Loaded:
    return TWINS[name].load()


def save(loaded: Loaded, folder: Path) -> str:
    """Write model and tokenizer; return the folder's name."""
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    return str(folder)


def family_of(name: str) -> str:
    """The family of a twin; other names are those of masked models."""
    others = {"causal": CAUSAL, "seq2seq": SEQ2SEQ, "permutation": PERMUTATION}
    return next((family for family, twins in others.items() if name in twins), "masked")


def key_of(name: str, protocol: str = "exact") -> ScoringKey:
    family = family_of(name)
    return ScoringKey(model=name, identity=name, tokenizer=name, family=family, rules="1", protocol=protocol)


def open_loaded(loaded: Loaded, name: str, protocol: str = "exact", **options: Any) -> Any:
    return SCORERS[family_of(name)](loaded, key_of(name, protocol), **options)


def open_tiny(name: str, protocol: str = "exact", **options: Any) -> Any:
    return open_loaded(load_tiny(name), name, protocol, **options)


@functools.cache
def scorer_of(name: str, protocol: str = "exact") -> Any:
    """The scorer of a twin, opened once: for tests that change nothing of it."""
    return open_tiny(name, protocol)


def changed(name: str, protocol: str = "exact", **attributes: Any) -> Any:
    """A copy of the scorer of a twin with other attributes, which need no other opening."""
    scorer = copy.copy(scorer_of(name, protocol))
    vars(scorer).update(attributes)
    return scorer


def split_text(tokenizer: Any, prompt: str, word: str) -> tuple[list[int], list[int], list[int]]:
    """Token ids left of the word, of the word and right of it, cut out of the whole text's tokens."""
    left, right = prompt.split("[Y]")
    texts = (left.rstrip(), left + word, left + word + right)
    first, second, whole = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts)
    assert whole[: len(second)] == second
    assert second[: len(first)] == first
    return first, second[len(first) :], whole[len(second) :]


@functools.cache
@torch.inference_mode()
def log_chances(loaded: Loaded, source: tuple[int, ...], decoder: tuple[int, ...]) -> torch.Tensor:
    """Nats [token] of what comes next: the plain forward of one row, which several tests ask for."""
    answer = loaded.model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([decoder]))
    return torch.softmax(answer.logits[0, -1].double(), -1).log()


def brute_seq2seq(loaded: Loaded, prompt: str, word: str, *, closing: bool = False) -> float:
    """Nats of one word: the model's plain forward with the whole softmax, nothing shared or batched."""
    tokenizer = loaded.tokenizer
    left, middle, right = split_text(tokenizer, prompt, word)
    names = tokenizer.get_vocab()
    if "<extra_id_0>" in names:
        source = [*left, names["<extra_id_0>"], *right, names["</s>"]]
        decoder = [loaded.model.config.decoder_start_token_id, names["<extra_id_0>"]]
    else:
        around = tokenizer("")["input_ids"]
        opening, end = around[: around.index(names["</s>"])], around[around.index(names["</s>"]) :]
        source = [*opening, *left, names["<mask>"], *right, *end]
        whole = [[*opening, *left, *middle, *right, *end]]  # what it was trained to write
        decoder = loaded.model.prepare_decoder_input_ids_from_labels(torch.tensor(whole))[0].tolist()
        del decoder[1 + len(opening) + len(left) :]
    total = 0.0
    for token in middle + ([names["<extra_id_1>"]] if closing else []):
        total += float(log_chances(loaded, tuple(source), tuple(decoder))[token])
        decoder.append(token)
    return total


@torch.inference_mode()
def brute_permutation(loaded: Loaded, prompt: str, word: str) -> float:
    """Nats of one word: one open place after the other, hidden cell by cell."""
    left, middle, right = split_text(loaded.tokenizer, prompt, word)
    names = loaded.tokenizer.get_vocab()
    ids = [*left, *middle, *right, names["<sep>"], names["<cls>"]]
    total = 0.0
    for index in range(len(left), len(left) + len(middle)):
        hidden, target = torch.zeros(1, len(ids), len(ids)), torch.zeros(1, 1, len(ids))
        for open_place in range(index, len(left) + len(middle)):
            hidden[0, :, open_place] = 1
        target[0, 0, index] = 1
        # The ids of the open places are left in: whether they are hidden shows in the answer.
        answer = loaded.model(input_ids=torch.tensor([ids]), perm_mask=hidden, target_mapping=target)
        total += float(torch.softmax(answer.logits[0, 0].double(), -1)[ids[index]].log())
    return total


def brute_force(loaded: Loaded, name: str, prompt: str, word: str) -> float:
    """Nats of one word in one prompt: no batch, full softmax, tokens counted by the tokenizer's own call."""
    if name in SEQ2SEQ:
        return brute_seq2seq(loaded, prompt, word)
    if name in PERMUTATION:
        return brute_permutation(loaded, prompt, word)
    left, right = prompt.split("[Y]")
    closing = 0 if name in CAUSAL else 1
    texts = (left.rstrip(), left + word, left + word + right)
    count = [len(loaded.tokenizer(text)["input_ids"]) - closing for text in texts]
    ids = loaded.tokenizer(left + word + right)["input_ids"]
    if name in CAUSAL:
        logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
        targets = range(count[0], count[2])
        return float(sum(torch.softmax(logits[i - 1], -1)[ids[i]].log() for i in targets))
    types = loaded.tokenizer(left + word + right, return_token_type_ids=True)["token_type_ids"]
    options = {"token_type_ids": torch.tensor([types])} if any(types) else {}
    total = 0.0
    for position in range(count[0], count[1]):
        masked = list(ids)
        masked[position : count[1]] = [loaded.tokenizer.mask_token_id] * (count[1] - position)
        logits = loaded.model(input_ids=torch.tensor([masked]), **options).logits[0, position].double()
        total += float(torch.softmax(logits, -1)[ids[position]].log())
    return total


@functools.cache
@torch.inference_mode()
def brute(name: str, prompt: str, word: str) -> float:
    return brute_force(load_tiny(name), name, prompt, word)


def brute_table(name: str, prompts: Any = PROMPTS, words: Any = WORDS) -> np.ndarray:
    return np.array([[brute(name, prompt, word) for word in words] for prompt in prompts])


class Table(torch.nn.Module):
    """A model whose probabilities are given, for the worked examples of docstrings; it has no body.

    ``seen`` makes of the arguments of a forward pass what each position [row][position] sees, and ``rows``
    holds by that the probabilities of some tokens; the others share the rest.
    """

    def __init__(self, vocabulary: int, rows: dict[Any, dict[int, float]], seen: Callable[..., Any]) -> None:
        super().__init__()
        self.head = torch.nn.Linear(1, vocabulary)
        self.vocabulary, self.rows, self.seen = vocabulary, rows, seen
        self.base_model, self.dtype = self, torch.float32

    def get_decoder(self) -> Any:
        return self

    def get_output_embeddings(self) -> torch.nn.Linear:
        return self.head

    def forward(self, **inputs: Any) -> Any:
        seen = self.seen(**inputs)
        logits = torch.zeros(len(seen), len(seen[0]), self.vocabulary)
        for row, positions in enumerate(seen):
            for position, key in enumerate(positions):
                given = self.rows.get(key, {})
                rest = (1 - sum(given.values())) / (self.vocabulary - len(given))
                logits[row, position] = torch.full((self.vocabulary,), rest).log()
                for token, probability in given.items():
                    logits[row, position, token] = np.log(probability)
        return SimpleNamespace(logits=logits)


@pytest.fixture
def _own_folders() -> None:
    """The shipped models, where the tests of what finds models have an empty folder of them."""


@pytest.fixture
def serve(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a server of a tiny model and point the settings at it; all threads end with the test."""
    with threads_end(), ExitStack() as stack:

        def start(model: str = "llama", shape: str = "prompt_logprobs") -> CompletionsServer:
            server = stack.enter_context(serving(load_tiny(model), shape))
            point_at(server, monkeypatch)
            return server

        yield start
