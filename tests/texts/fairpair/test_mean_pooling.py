"""Vectors of texts against a brute force: one text a pass, hidden states of the model with its head."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from pcf_core.core.errors import FairPairError, ModelError, ScoringError
from pcf_core.core.records import FloatArray
from pcf_core.models.loading import load_body
from pcf_core.models.registry import resolve
from pcf_core.texts.fairpair import mean_pooling
from pcf_core.texts.fairpair.dissimilarity import EmbeddingDistance, encoder_key, open_encoder
from pcf_core.texts.fairpair.mean_pooling import MeanPooling

TEXTS = [" She is kind.", " He reads a book about trains.", "", "She is kind!", " She is kind.\n", "…"]
FOLDER = Path(resolve("mini-bert").path)


@pytest.fixture(scope="module")
def encoder() -> MeanPooling:
    found = open_encoder(encoder_key("embedding"))
    assert isinstance(found, MeanPooling)
    return found


def brute(texts: list[str], folder: Path = FOLDER) -> FloatArray:
    """[text, dimension] by the library alone: no pieces, so for short texts."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    found = []
    for text in texts:
        read = tokenizer(text, return_special_tokens_mask=True)
        with torch.inference_mode():
            states = model(torch.tensor([read["input_ids"]]), output_hidden_states=True).hidden_states[-1][0]
        own = states[torch.tensor(read["special_tokens_mask"]) == 0].double()
        found.append(own.mean(dim=0).numpy() if len(own) else np.zeros(states.shape[1]))
    return np.stack(found)


def test_vectors_are_those_of_a_brute_force(encoder: MeanPooling) -> None:
    found = encoder(TEXTS)
    assert found.shape == (len(TEXTS), 256)
    np.testing.assert_allclose(found, brute(TEXTS), atol=1e-5)
    assert not found[TEXTS.index("")].any()


def test_the_distance_is_half_the_chord_of_the_brute_force(encoder: MeanPooling) -> None:
    texts = [text for text in TEXTS if text]
    vectors = brute(texts)
    cosines = np.array([[a @ b / np.sqrt(a @ a * (b @ b)) for b in vectors] for a in vectors])
    found = EmbeddingDistance(encoder).matrix(texts, texts)
    np.testing.assert_allclose(found, np.sqrt(np.maximum(1 - cosines, 0) / 2), atol=1e-3)
    assert found[0, 1] > found[0, 3] > 0  # other words are farther than another mark


def test_batches_change_no_vector(encoder: MeanPooling, monkeypatch: pytest.MonkeyPatch) -> None:
    together = encoder(TEXTS)
    monkeypatch.setattr(mean_pooling, "BATCH_TOKENS", 1)
    np.testing.assert_allclose(encoder(TEXTS), together, atol=1e-5)


def test_a_long_text_is_read_in_pieces_and_its_mean_goes_over_all_tokens(encoder: MeanPooling) -> None:
    around = len(encoder.seam.opening) + len(encoder.seam.closing)
    assert encoder.longest + around == 128  # of mini-bert's configuration
    short = MeanPooling(load_body(resolve("mini-bert")), "mini-bert", context=around + 4)
    text = " She saw the small dog run home again today"
    (ids,) = short.seam.encode([text])
    pieces = [ids[start : start + 4] for start in range(0, len(ids), 4)]
    assert len(pieces) > 2
    expected = sum(encoder._sums([piece])[0] for piece in pieces) / len(ids)
    np.testing.assert_allclose(short([text])[0], expected, atol=1e-5)
    assert encoder([text * 60]).any()


def test_special_tokens_that_a_text_spells_out_are_left_out(encoder: MeanPooling) -> None:
    (name,) = (encoder.seam.specials[one] for one in encoder.seam.opening)
    np.testing.assert_allclose(encoder([f"{name}She is kind."]), encoder(["She is kind."]), atol=1e-5)
    assert not encoder([name]).any()


def test_a_context_without_room_is_refused() -> None:
    with pytest.raises(FairPairError, match="can take 2 tokens, of which 2 are special"):
        MeanPooling(load_body(resolve("mini-bert")), "mini-bert", context=2)


def test_a_broken_encoder_is_told(encoder: MeanPooling, monkeypatch: pytest.MonkeyPatch) -> None:
    own = load_body(resolve("mini-bert"))
    with torch.no_grad():
        own.model.get_input_embeddings().weight.fill_(float("nan"))
    with pytest.raises(ScoringError, match="mini-bert returned NaN"):
        MeanPooling(own, "mini-bert")(["a"])

    def full(**_: object) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(encoder, "model", full)
    with pytest.raises(ScoringError, match="ran out of memory"):
        encoder._sums([(5,)])


# ------------------------------------------------------------------------------------- which models


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The shipped model as encoders are published: the body alone, under the name of the bare class."""
    folder = tmp_path / "bare"
    shutil.copytree(FOLDER, folder)
    (weights,) = folder.glob("*.safetensors")
    body = {
        name.removeprefix("bert."): tensor
        for name, tensor in load_file(weights).items()
        if name.startswith("bert.")
    }
    save_file(body, weights, {"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["BertModel"]}))
    return folder


def test_a_checkpoint_without_a_head_or_a_pooler_gives_the_same_vectors(
    bare: Path, encoder: MeanPooling
) -> None:
    key = encoder_key(f"embedding:{bare}")
    assert key.model == f"masked:{bare}"
    np.testing.assert_allclose(open_encoder(key)(TEXTS), encoder(TEXTS), atol=1e-6)


def test_a_body_with_missing_weights_is_refused(bare: Path) -> None:
    (weights,) = bare.glob("*.safetensors")
    body = load_file(weights)
    del body["encoder.layer.0.output.dense.weight"]
    save_file(body, weights, {"format": "pt"})
    with pytest.raises(ModelError, match=r"lack 1 tensors .*use a whole checkpoint"):
        open_encoder(encoder_key(f"embedding:{bare}"))


def test_an_encoder_that_has_changed_is_refused() -> None:
    with pytest.raises(ModelError, match="mini-bert has changed since it was requested"):
        open_encoder(encoder_key("embedding").model_copy(update={"identity": "before"}))


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (
            "embedding:mini-gpt",
            "The model mini-gpt is causal, and an encoder has to read a text in both directions",
        ),
        ("embedding:mini-t5", "The model mini-t5 is seq2seq"),
        ("embedding:causal:mini-gpt", "is causal"),
        ("embedding:endpoint:gpt", "is an endpoint's"),
    ],
)
def test_what_is_no_encoder_is_refused(choice: str, sentence: str) -> None:
    with pytest.raises(FairPairError, match=sentence):
        encoder_key(choice)


def test_an_unknown_encoder_is_refused_by_the_name_that_was_typed() -> None:
    with pytest.raises(ModelError, match="There is no model named 'none-such': choose one of"):
        encoder_key("embedding:none-such")
