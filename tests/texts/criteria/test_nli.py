"""The NLI labeller against transformers' zero-shot pipeline, on a tiny model with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from transformers import BertForSequenceClassification, pipeline

from pcf_core.core.errors import ModelError
from pcf_core.texts.criteria.nli import Nli
from tests.texts.criteria.nli_folder import LABELS, TEXTS, write_nli


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
