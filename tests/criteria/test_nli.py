"""The NLI labeller against transformers' zero-shot pipeline, on a tiny model with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast, pipeline

from pcf_core.criteria.nli import Nli
from pcf_core.errors import ModelError
from tests.criteria.hobbyists import SAID, material

LABELS = material().labels
TEXTS = [f"enjoys {said} every day" for said in SAID.values()] + ["", "reads novels " * 40]
CLASSES = {0: "contradiction", 1: "neutral", 2: "entailment"}


def write_nli(folder: Path, classes: dict[int, str] = CLASSES) -> Path:
    words = sorted({word for text in TEXTS for word in text.split()})
    words += ["This", "example", "is", "work", ".", *(w for label in LABELS for w in label.title.split())]
    raw = Tokenizer(
        models.WordLevel(
            {
                word: place
                for place, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(words)])
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
            label2id={title: place for place, title in classes.items()},
            initializer_range=0.8,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_it_agrees_with_the_zero_shot_pipeline(tmp_path: Path) -> None:
    folder = write_nli(tmp_path / "nli")
    labeller = Nli.open(LABELS, str(folder), "cpu")
    shares = labeller.shares(TEXTS)
    assert np.allclose(shares.sum(axis=1), 1)
    assert shares.std(axis=0).max() > 0.01  # the random weights tell texts apart
    judge = pipeline("zero-shot-classification", model=str(folder), device="cpu")
    titles = [label.title for label in LABELS]
    for text, row in zip(TEXTS, shares, strict=True):
        if text:  # the pipeline takes no empty text
            said = judge(text, candidate_labels=titles, multi_label=False)
            scores = dict(zip(said["labels"], said["scores"], strict=True))
            assert row == pytest.approx([scores[title] for title in titles], abs=1e-5)
    assert labeller.shares([]).shape == (0, 6)


def test_a_model_without_entailment_is_refused(tmp_path: Path) -> None:
    folder = write_nli(tmp_path / "moods", {0: "good", 1: "bad"})
    with pytest.raises(ModelError, match="entailment"):
        Nli.open(LABELS, str(folder), "cpu")


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = write_nli(tmp_path / "nli")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="safetensors"):
        Nli.open(LABELS, str(folder), "cpu")


def test_weights_without_the_head_are_refused(tmp_path: Path) -> None:
    folder = write_nli(tmp_path / "nli")
    model = BertForSequenceClassification.from_pretrained(folder)
    model.bert.save_pretrained(tmp_path / "bare")
    (folder / "model.safetensors").write_bytes((tmp_path / "bare" / "model.safetensors").read_bytes())
    with pytest.raises(ModelError, match="lack"):
        Nli.open(LABELS, str(folder), "cpu")
