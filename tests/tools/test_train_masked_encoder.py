"""The tool that gives a sentence encoder a masked head: rows, masks, a small training, the comparison."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from tools.mini_models.text import DEFAULT_FILES
from tools.train_masked_encoder import (
    ID,
    NAME,
    Passage,
    Recipe,
    Rows,
    bits_a_character,
    masked,
    passages,
    prepare,
    train,
)

WORDS = ["the", "nurse", "engineer", "secretary", "captain", "said", "that", "he", "she", "."]

OPENING = "The engineer said . " * 6  # so that the first pronoun has enough before it


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A tiny BERT of random weights with a WordPiece tokenizer whose special ids are BERT's."""
    vocabulary = {"[PAD]": 0, "[UNK]": 100, **ID}
    free = list(range(1, 100)) + list(range(104, 1000))
    vocabulary |= {f"[unused{number}]": number for number in free}
    vocabulary |= {word: 1000 + place for place, word in enumerate(WORDS)}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", ID["[CLS]"]), ("[SEP]", ID["[SEP]"])]
    )
    folder = tmp_path / "encoder"
    PreTrainedTokenizerFast(
        tokenizer_object=raw, cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", unk_token="[UNK]",
        pad_token="[PAD]",
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(0)
    shape = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=128,
    )  # fmt: skip
    BertModel(shape, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """Documents in the files that the tool reads, each of one sentence again and again."""
    folder = tmp_path / "corpora"
    folder.mkdir()
    for number, name in enumerate(DEFAULT_FILES):
        lines = [
            json.dumps({"id": f"{number}-{one}", "text": OPENING + "The nurse said that she . " * 40})
            for one in range(60)
        ]
        with gzip.open(folder / name, "wt", encoding="utf8") as file:
            file.write("\n".join(lines))
    return folder


def test_masks_are_a_share_of_the_row_and_the_last_word_of_a_short_one(encoder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    rows = torch.full((40, 16), 1003)
    rows[:, 0], rows[:, -1] = ID["[CLS]"], ID["[SEP]"]
    given, chosen = masked(rows, 0.25, tokenizer, torch.Generator().manual_seed(0))
    assert int(chosen.sum()) == 160
    assert chosen[:, -2].all()
    assert not chosen[:, [0, -1]].any()
    assert (given[~chosen] == rows[~chosen]).all()
    assert 0.65 < float((given[chosen] == ID["[MASK]"]).float().mean()) < 0.95


def test_a_training_goes_on_to_a_model_that_predicts_better(
    encoder: Path, corpora: Path, tmp_path: Path
) -> None:
    work, out = tmp_path / "work", tmp_path / "models"
    prepare(encoder, corpora, work)
    rows = Rows(work, Recipe(8192), Tokenizer.from_file(str(encoder / "tokenizer.json")))
    assert {tuple(row[[0, -1]]) for row in rows.at(0)} == {(ID["[CLS]"], ID["[SEP]"])}
    assert np.array_equal(rows.at(1), rows.at(1))
    train(encoder, tokens=12 * 4096, work=work, out=out, threads=1)
    facts = json.loads((out / NAME / "training.json").read_text())
    assert facts["held_out_loss"][-1][1] < np.log(10)  # better than a guess among the words of the text
    card = (out / NAME / "README.md").read_text()
    assert facts["weights_sha256"] in card
    assert facts["encoder_sha256"] in card
    chosen = passages(corpora, 3)
    assert chosen
    better = bits_a_character(out / NAME, chosen)
    assert 0 < np.mean(better) < np.log2(1010) / 3


def test_only_whole_lower_case_words_are_asked_for(corpora: Path) -> None:
    for passage in passages(corpora, 5):
        assert isinstance(passage, Passage)
        assert len(passage.words) == 60
        assert {passage.words[place] for place in passage.asked} <= {
            "nurse",
            "engineer",
            "said",
            "that",
            "she",
        }
