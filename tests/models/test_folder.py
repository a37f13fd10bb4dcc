"""What a model directory is, and every way in which it cannot be one."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from pcf_core.core.errors import ModelError
from pcf_core.core.records import digest
from pcf_core.core.run import ScoringKey
from pcf_core.models.folder import chat_template_hash, describe, read_card, weight_files, weights_hash
from tests.models.conftest import write_model
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer

GPT2 = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_positions": 128}


def test_specification_of_a_directory(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "README.md").write_text(
        "---\nlicense: mit\n# not a heading\n---\n\n# Tiny model\n\nTrained on\nnothing.\n\nMore.\n"
    )
    spec = describe(folder, "m")
    assert spec.family == "causal"
    assert spec.parameters == 3 * 4 + 5
    assert spec.context == 128
    assert spec.dtype == "float32"
    assert (spec.title, spec.notes) == ("Tiny model", "Trained on nothing.")
    assert spec.path == str(folder.resolve())
    assert len(spec.identity) == 64


def test_identity_follows_the_bytes_and_nothing_else(tmp_path: Path) -> None:
    one, same, other = (
        write_model(tmp_path / name, fill=fill) for name, fill in (("a", 0), ("b", 0), ("c", 1))
    )
    (same / "README.md").write_text("# Another card")
    hashes = [describe(folder, "m").identity for folder in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]
    (same / "tokenizer.json").write_text((same / "tokenizer.json").read_text() + " ")
    assert describe(same, "m").tokenizer != describe(one, "m").tokenizer
    assert describe(same, "m").identity == hashes[0]


def test_the_same_weights_with_another_configuration_are_another_model(tmp_path: Path) -> None:
    """Four heads or eight read the same tensors and give other numbers."""
    four, eight = (write_model(tmp_path / str(heads), GPT2 | {"n_head": heads}) for heads in (4, 8))
    specs = [describe(folder, "m") for folder in (four, eight)]
    assert weights_hash(weight_files(four, "m")) == weights_hash(weight_files(eight, "m"))
    assert ScoringKey.of(specs[0]).hash != ScoringKey.of(specs[1]).hash


def test_missing_or_broken_config(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    for text in ("{", "[1]", "\udcff", "[" * 100_000):
        (folder / "config.json").write_bytes(text.encode("utf8", "surrogateescape"))
        with pytest.raises(ModelError, match="JSON"):
            describe(folder, "m")
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"no config\.json"):
        describe(folder, "m")


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_file_that_may_not_be_read(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: str) -> str:
        if path.endswith(file):
            raise PermissionError(13, "Permission denied", path)
        return ""

    monkeypatch.setattr("pcf_core.models.folder._read_hash", forbidden)
    with pytest.raises(
        ModelError, match=r"files of the model m in .* cannot be read \(Permission denied\): let"
    ):
        describe(write_model(tmp_path / "m"), "m")


def test_no_tokenizer(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="has no tokenizer"):
        describe(folder, "m")


@pytest.mark.parametrize(
    ("file", "library"),
    [
        ("spm.model", "sentencepiece"),
        ("sentencepiece.model", "sentencepiece"),
        ("tiktoken.model", "tiktoken"),
    ],
)
def test_a_vocabulary_that_needs_a_library_is_not_called_missing(
    file: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model(tmp_path / "m")
    before = describe(folder, "m").tokenizer
    (folder / file).write_bytes(b"")
    assert describe(folder, "m").tokenizer == before, "where another vocabulary is read, keys stay"
    (folder / "tokenizer.json").unlink()
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=rf"is {file} alone, which needs the library {library}: install it"):
        describe(folder, "m")
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda name: name)
    assert describe(folder, "m").tokenizer != before


@pytest.mark.parametrize("name", ["ByT5Tokenizer", "PerceiverTokenizer", "CanineTokenizer"])
def test_a_tokenizer_of_bytes_needs_no_vocabulary(name: str, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(f'{{"tokenizer_class": "{name}"}}')
    assert describe(folder, "m").family == "causal"
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    with pytest.raises(ModelError, match="has no tokenizer"):
        describe(folder, "m")


def test_card_without_heading(tmp_path: Path) -> None:
    assert read_card(tmp_path) == ("", "")
    (tmp_path / "README.md").write_text("no heading")
    assert read_card(tmp_path) == ("", "")


@pytest.mark.parametrize("name", ["spiece.model", "tokenizer.model", "sentencepiece.bpe.model"])
def test_a_tokenizer_of_sentencepiece_alone_needs_its_library(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model(tmp_path / "m")
    (folder / name).write_bytes(b"")
    assert describe(folder, "m").family == "causal"
    (folder / "tokenizer.json").unlink()
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda library: None)
    with pytest.raises(ModelError, match=f"is {name} alone.*pip install sentencepiece.*tokenizer.json"):
        describe(folder, "m")
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda library: library)
    assert describe(folder, "m").family == "causal"


def test_a_vocabulary_of_words_needs_no_further_library(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "tokenizer.json").rename(folder / "vocab.txt")
    assert describe(folder, "m").family == "causal"


def test_an_answer_becomes_part_of_the_name_only_where_it_was_needed(tmp_path: Path) -> None:
    """One model read in one way has one key, whether or not a user said what could be found out."""
    clear = write_model(tmp_path / "clear")
    assert describe(clear, "m", requested="causal") == describe(clear, "m")
    open_ = write_model(tmp_path / "open", {"architectures": ["BertForMaskedLM", "BertLMHeadModel"]})
    with pytest.raises(ModelError, match="name it masked:m or causal:m"):
        describe(open_, "m")
    asked = describe(open_, "m", requested="masked")
    assert (asked.name, asked.family) == ("masked:m", "masked")
    known = describe(open_, "m", registered="masked")
    assert (known.name, known.family) == ("m", "masked")
    assert describe(open_, "m", requested="masked", registered="masked") == known
    assert describe(open_, "m", requested="causal", registered="masked").name == "causal:m"


def test_own_code_is_said_only_where_the_library_has_none(tmp_path: Path) -> None:
    code = {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}
    own = {"architectures": ["OwnForCausalLM"], "model_type": "own", "auto_map": code}
    assert describe(write_model(tmp_path / "own", own), "m").remote_code
    assert not describe(write_model(tmp_path / "native", GPT2 | {"auto_map": code}), "m").remote_code


# The template that a directory's tokenizer would use, by its hash.


USER = "{{ messages[0]['content'] }}:"


@pytest.mark.parametrize("in_a_file", [True, False])
@pytest.mark.parametrize("template", [USER, {"default": USER, "tool_use": "{{ tools }}"}], ids=["one", "two"])
def test_it_is_the_one_that_transformers_takes(
    tmp_path: Path, template: str | dict[str, str], in_a_file: bool
) -> None:
    tokenizer = copy.deepcopy(gpt2_tokenizer())
    tokenizer.chat_template = template
    tokenizer.save_pretrained(tmp_path, save_jinja_files=in_a_file)
    assert (tmp_path / "chat_template.jinja").exists() == in_a_file
    assert AutoTokenizer.from_pretrained(tmp_path).get_chat_template() == USER
    assert chat_template_hash(tmp_path) == digest(USER)


def test_a_file_of_its_own_comes_first(tmp_path: Path) -> None:
    tokenizer = copy.deepcopy(gpt2_tokenizer())
    tokenizer.chat_template = "old"
    tokenizer.save_pretrained(tmp_path, save_jinja_files=False)
    (tmp_path / "chat_template.jinja").write_text(USER)
    assert AutoTokenizer.from_pretrained(tmp_path).get_chat_template() == USER
    assert chat_template_hash(tmp_path) == digest(USER)


@pytest.mark.parametrize(
    "held",
    [None, {}, [], {"chat_template": None}, {"chat_template": [{"name": "rag", "template": "x"}]}, "{"],
)
def test_none_is_none(tmp_path: Path, held: object) -> None:
    """No file, no template in it, none by the name of default, and a file that is damaged."""
    if held is not None:
        text = held if isinstance(held, str) else json.dumps(held)
        (tmp_path / "tokenizer_config.json").write_text(text)
    assert chat_template_hash(tmp_path) == ""
