"""Tokenizers that are only a file of SentencePiece or tiktoken: read as by the libraries that made them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.models.folder import describe
from pcf_core.models.loading import load_tokenizer
from tests.models.conftest import edit, write_model
from tests.models.scoring.tiny_tokenizers import CORPUS

NEEDED = "not installed here: pip install -r requirements-tokenizers.txt"
TEXT = "the nurse said that he was old"
ENDS = {"bos_id": 1, "eos_id": 2}
FILES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("spm.model", "DebertaV2Tokenizer", "DebertaV2ForMaskedLM", {"pad_id": 0, "unk_id": 3, **ENDS}),
    ("sentencepiece.model", "RemBertTokenizer", "RemBertForMaskedLM", {}),
    ("sentencepiece.bpe.model", "XLMRobertaTokenizer", "XLMRobertaForMaskedLM", {}),
    ("spiece.model", "T5Tokenizer", "T5ForConditionalGeneration", {"pad_id": 0, "unk_id": 3, **ENDS}),
    ("tokenizer.model", "LlamaTokenizer", "LlamaForCausalLM", {"model_type": "bpe", "byte_fallback": True}),
]  # fmt: skip
TYPES = {
    "DebertaV2": "deberta-v2",
    "RemBert": "rembert",
    "XLMRoberta": "xlm-roberta",
    "T5": "t5",
    "Llama": "llama",
}
TOKENS = [*(bytes([byte]) for byte in range(256)), b"he", b" he", b"th", b"the", b" the"]


def folder_with(path: Path, file: str, tokenizer: str, architecture: str) -> Path:
    """A model directory whose only vocabulary will be ``file``."""
    kind = next(kind for name, kind in TYPES.items() if architecture.startswith(name))
    folder = write_model(path, {"architectures": [architecture], "model_type": kind})
    (folder / "tokenizer.json").unlink()
    (folder / file).write_bytes(b"")
    return edit(folder, "tokenizer_config.json", tokenizer_class=tokenizer)


@pytest.mark.parametrize(("file", "tokenizer", "architecture", "options"), FILES)
def test_a_file_of_sentencepiece_is_read_as_by_its_library(
    file: str, tokenizer: str, architecture: str, options: dict[str, Any], tmp_path: Path
) -> None:
    library = pytest.importorskip("sentencepiece", reason=f"sentencepiece is {NEEDED}")
    folder = folder_with(tmp_path / "m", file, tokenizer, architecture)
    size = 380 if options.get("byte_fallback") else 120
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_prefix=str(tmp_path / "trained"),
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    (tmp_path / "trained.model").rename(folder / file)
    theirs = library.SentencePieceProcessor(model_file=str(folder / file))
    ours = load_tokenizer(describe(folder, "m"))
    assert ours.tokenize(TEXT) == theirs.encode(TEXT, out_type=str)


@pytest.mark.parametrize("file", ["tiktoken.model", "tokenizer.model"])
def test_a_file_of_tiktoken_is_read_under_either_name(file: str, tmp_path: Path) -> None:
    pytest.importorskip("tiktoken", reason=f"tiktoken is {NEEDED}")
    folder = folder_with(tmp_path / "m", file, "PreTrainedTokenizerFast", "LlamaForCausalLM")
    lines = [f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(TOKENS)]
    (folder / file).write_text("".join(lines))
    tokenizer = load_tokenizer(describe(folder, "m"))
    assert tokenizer.tokenize("the he") == ["the", "Ġhe"]
    assert tokenizer("the he")["input_ids"] == [259, 257]


@pytest.mark.parametrize(
    ("content", "library"), [(b"IQ== 0\nIg== 1\n", "tiktoken"), (b"\n\x0e\n\x05<unk>\x15", "sentencepiece")]
)
def test_what_is_missing_is_named_by_what_the_file_holds(
    content: bytes, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path / "m", "tokenizer.model", "LlamaTokenizer", "LlamaForCausalLM")
    (folder / "tokenizer.model").write_bytes(content)
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda name: None)
    with pytest.raises(
        ModelError, match=rf"is tokenizer.model, which needs the library {library}: install it"
    ):
        describe(folder, "m")


def test_a_vocabulary_under_a_name_that_its_class_does_not_read_is_named(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece", reason=f"sentencepiece is {NEEDED}")
    folder = folder_with(tmp_path / "m", "sentencepiece.model", "LlamaTokenizer", "LlamaForCausalLM")
    with pytest.raises(
        ModelError, match=r"read from sentencepiece\.model: .* reads tokenizer\.json, tokenizer\.model"
    ):
        load_tokenizer(describe(folder, "m"))
