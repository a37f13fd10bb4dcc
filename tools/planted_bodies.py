"""Calibration models before planting: hand-made tokenizers and random stock bodies."""

from __future__ import annotations

from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from tools.planted_truth import NAME, tokens_of

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = range(5)
OTHERS = ("a", "red", "green", "old", "new", "here", "bright", "dull", ".", ",")  # nothing is planted on them
WIDTH, LAYERS, HEADS, POSITIONS = 256, 2, 4, 24
SPREAD = 0.5  # of the random weights, wide enough with tanh that no two contexts look alike
ATTENTIVE = 0.2  # times that of queries and keys, or each position would attend to one other


def prompts() -> list[str]:
    """Return all prompts up to ``[Y]``, by thing, then template."""
    templates = load_templates(NAME).templates
    texts = [template.prompt(term) for term in load_evidence(NAME).terms for template in templates]
    return [text.removesuffix(" [Y]") for text in texts]


def make_tokenizer(masked: bool) -> PreTrainedTokenizerFast:
    """Make a tokenizer that divides topic words as ``SPLIT`` does, and has one token for other words.

    It is WordPiece, as in BERT (``##`` continues a word), or SentencePiece (``▁`` is the space).
    """
    plain = list(dict.fromkeys([*OTHERS, *(word for text in prompts() for word in text.split())]))
    topic = [tokens_of(word) for word in load_topic(NAME).words]
    first, later = ("", "##") if masked else ("▁", "")
    pieces = [f"{first}{word}" for word in [*plain, *(tokens[0] for tokens in topic)]]
    pieces += [f"{later}{token}" for tokens in topic for token in tokens[1:]]
    vocabulary = [*SPECIALS, *pieces]
    if masked:
        raw = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
        raw.normalizer = normalizers.BertNormalizer(lowercase=False)
        raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        raw.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
        )
    else:
        raw = Tokenizer(models.Unigram([(piece, -1.0) for piece in vocabulary], unk_id=UNK))
        raw.pre_tokenizer = pre_tokenizers.Metaspace()
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    if masked:
        names |= {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    else:
        names |= {"bos_token": "[CLS]", "eos_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=POSITIONS, **names)


def make_body(masked: bool, vocabulary: int, seed: int) -> Any:
    """Make a stock model with random weights, before its output layer is solved."""
    torch.manual_seed(seed)
    shared = {"initializer_range": SPREAD, "tie_word_embeddings": False, "vocab_size": vocabulary}
    if masked:
        sizes = {"hidden_size": WIDTH, "intermediate_size": WIDTH, "max_position_embeddings": POSITIONS}
        layers = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "type_vocab_size": 1}
        ids = {"pad_token_id": PAD, "bos_token_id": None, "eos_token_id": None}
        model = BertForMaskedLM(BertConfig(hidden_act="tanh", **sizes, **layers, **ids, **shared))
        attention = [layer.attention.self for layer in model.bert.encoder.layer]
        looks = [part.weight for each in attention for part in (each.query, each.key)]
    else:
        sizes = {"n_embd": WIDTH, "n_inner": WIDTH, "n_positions": POSITIONS}
        layers = {"n_layer": LAYERS, "n_head": HEADS}
        ids = {"pad_token_id": PAD, "bos_token_id": CLS, "eos_token_id": SEP}
        model = GPT2LMHeadModel(GPT2Config(activation_function="tanh", **sizes, **layers, **ids, **shared))
        looks = [layer.attn.c_attn.weight[:, : 2 * WIDTH] for layer in model.transformer.h]
    with torch.no_grad():
        for weight in looks:
            weight *= ATTENTIVE
    return model.eval()
