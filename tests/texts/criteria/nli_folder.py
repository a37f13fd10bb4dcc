"""A tiny NLI model with random weights, as a folder."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from tests.texts.criteria.hobbyists import SAID, material

LABELS = material().labels
TEXTS = [f"enjoys {said} every day" for said in SAID.values()] + ["", "reads novels " * 40]
CLASSES = {0: "contradiction", 1: "neutral", 2: "entailment"}


def write_nli(folder: Path, classes: dict[int, str] = CLASSES) -> Path:
    words = sorted({word for text in TEXTS for word in text.split()})
    words += ["This", "example", "is", "work", ".", *(w for label in LABELS for w in label.title.split())]
    raw = Tokenizer(
        models.WordLevel(
            {
                word: index
                for index, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(words)])
            },
            unk_token="[UNK]",
        )
    )
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=64,
    )
    torch.manual_seed(0)
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(raw.get_vocab()),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
            id2label=classes,
            label2id={title: index for index, title in classes.items()},
            initializer_range=0.8,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
