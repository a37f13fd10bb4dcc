"""An NLI labeller is named before it is loaded and kept by that name; it labels as transformers' pipeline."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from transformers import BertForSequenceClassification, pipeline

from pcf_core.core.errors import ModelError
from pcf_core.texts.criteria.experiments import load_experiment, material_of, restore_experiment
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.labels import NliWhenNeeded, choose_labeller, restore_labeller
from pcf_core.texts.criteria.nli import Nli
from tests.texts.criteria.nli_folder import LABELS, TEXTS, write_nli


def test_what_is_chosen_kept_and_needed_is_one_model(tmp_path: Path) -> None:
    folder = str(write_nli(tmp_path / "an nli"))
    opened = Nli.open(LABELS, folder)
    for labeller in (choose_labeller(f"nli:{folder}", LABELS), restore_labeller(opened.name, LABELS)):
        assert labeller.name == opened.name
        np.testing.assert_array_equal(labeller.shares(TEXTS), opened.shares(TEXTS))
        assert labeller.label == opened.label


def test_hobbies_keep_which_model_labels_them(tmp_path: Path) -> None:
    made = load_experiment("hobbies", labeller=f"nli:{write_nli(tmp_path / 'nli')}")
    again = restore_experiment("hobbies", material_of(made))
    assert isinstance(made, Hobbies)
    assert isinstance(again, Hobbies)
    assert again.material == made.material
    assert made.material.labeller.startswith("nli ")
    assert material_of(made) != material_of(load_experiment("hobbies"))


def test_a_model_that_has_changed_since_is_refused(tmp_path: Path) -> None:
    folder = write_nli(tmp_path / "nli")
    with pytest.raises(ModelError, match="is not the one that was asked for"):
        NliWhenNeeded(LABELS, str(folder), f"nli {folder} 0123456789ab").shares(TEXTS)


def test_choosing_brings_no_torch(tmp_path: Path) -> None:
    folder = write_nli(tmp_path / "nli")
    code = (
        "import sys; from pcf_core.texts.criteria.experiments import load_experiment, material_of, "
        f"restore_experiment; made = load_experiment('hobbies', labeller='nli:{folder}'); "
        "restore_experiment('hobbies', material_of(made)); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


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
            judged = judge(text, candidate_labels=titles, multi_label=False)
            scores = dict(zip(judged["labels"], judged["scores"], strict=True))
            assert row == pytest.approx([scores[title] for title in titles], abs=1e-5)
    assert labeller.shares([]).shape == (0, 6)


def test_models_that_cannot_label_are_refused(tmp_path: Path) -> None:
    moods, pickled, bare = (tmp_path / name for name in ("moods", "pickled", "bare"))
    write_nli(moods, {0: "good", 1: "bad"})
    (write_nli(pickled) / "model.safetensors").rename(pickled / "pytorch_model.bin")
    model = BertForSequenceClassification.from_pretrained(write_nli(bare))
    model.bert.save_pretrained(tmp_path / "body")
    (bare / "model.safetensors").write_bytes((tmp_path / "body" / "model.safetensors").read_bytes())
    for folder, sentence in ((moods, "entailment"), (pickled, "safetensors"), (bare, "lack")):
        with pytest.raises(ModelError, match=sentence):
            Nli.open(LABELS, str(folder), "cpu")
