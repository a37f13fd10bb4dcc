"""What transformers knows to be wrong with a tokenizer: corrected where it corrects, and part of the key."""

from __future__ import annotations

import json
import logging
import shutil
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer

from pcf_core.core.run import ModelSpec
from pcf_core.models.folder import describe, is_corrected, tokenizer_files, tokenizer_hash
from pcf_core.models.loading import load, load_tokenizer
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.models.tokenizer_faults import CORRECTED_NOTE, LARGE, LOGGERS, WRONG_TOKENS, _correction, heard
from tests.models.adapter_files import write_adapter
from tests.models.conftest import edit, write_gpt2

OTHER = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPLIT = "fooBar"  # one piece by the pattern of another model, two by Mistral's


def splitting(pattern: str) -> dict[str, Any]:
    return {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
        ],
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A large byte-level vocabulary with "fooBar" as one token, as ``tokenizer.json``."""
    vocabulary = {letter: rank for rank, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("o", "o"), ("f", "oo"), ("B", "a"), ("Ba", "r"), ("foo", "Bar")]
    for first, second in merges:
        vocabulary[first + second] = len(vocabulary)
    while len(vocabulary) <= LARGE:
        vocabulary[f"<{len(vocabulary)}>"] = len(vocabulary)
    raw = Tokenizer(models.BPE(vocabulary, merges))
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(OTHER), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    raw.decoder = decoders.ByteLevel()
    return raw.to_str()


def folder_of(folder: Path, text: str, version: str | None = "4.57.0", kind: str = "mistral") -> Path:
    folder.mkdir(exist_ok=True)
    config = {"model_type": kind, "vocab_size": LARGE + 1}
    config |= {} if version is None else {"transformers_version": version}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(text)
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "TokenizersBackend"}')
    return folder


def changed(text: str, **values: Any) -> str:
    return json.dumps(json.loads(text) | values)


def tokens_of(folder: Path, **options: Any) -> list[str]:
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **options)
    tokens: list[str] = tokenizer.tokenize(SPLIT)
    return tokens


def test_the_types_and_the_pattern_are_transformers() -> None:
    types, pattern = _correction()
    assert {"mistral", "mistral3", "ministral", "pixtral"} <= types
    assert pre_tokenizers.Split(Regex(pattern), "isolated").pre_tokenize_str("fooBar 12") == [
        ("foo", (0, 3)), ("Bar", (3, 6)), (" ", (6, 7)), ("1", (7, 8)), ("2", (8, 9)),
    ]  # fmt: skip


@pytest.mark.parametrize(("version", "kind"), [*product(["4.57.0", "5.0.0.dev0", None], ["mistral"])])
def test_a_wrong_pattern_is_corrected_as_transformers_would(
    version: str | None, kind: str, written: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "m", written, version, kind)
    assert is_corrected(folder)
    assert (tokens_of(folder), tokens_of(folder, fix_mistral_regex=True)) == ([SPLIT], ["foo", "Bar"])


@pytest.mark.parametrize(
    ("version", "kind", "values"),
    [
        ("5.0.0", "mistral", {}),
        ("4.57.0", "llama", {}),
        ("4.57.0", "mistral", {"pre_tokenizer": splitting(_correction()[1])}),
    ],
)
def test_where_the_correction_changes_nothing_there_is_none(
    version: str, kind: str, values: dict[str, Any], written: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "m", changed(written, **values), version, kind)
    assert not is_corrected(folder)
    assert tokens_of(folder) == tokens_of(folder, fix_mistral_regex=True)


def test_a_small_vocabulary_and_one_that_is_corrected_by_its_own_settings_keep_their_keys(
    written: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "m", written)
    edit(folder, "tokenizer_config.json", fix_mistral_regex=True)
    assert (is_corrected(folder), tokens_of(folder)) == (False, ["foo", "Bar"])
    small = json.loads(written)["model"]
    small["vocab"] = dict(list(small["vocab"].items())[:300])
    assert not is_corrected(folder_of(tmp_path / "small", changed(written, model=small)))


def test_other_models_are_not_read_for_it(tmp_path: Path) -> None:
    """Most models are decided by their configuration alone."""
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "transformers_version": "4.9"}')
    (tmp_path / "tokenizer.json").mkdir()  # which cannot be read
    assert not is_corrected(tmp_path)


@pytest.fixture
def mistral(written: str, tmp_path: Path) -> Path:
    """A model of weights and configuration that say Mistral, with such a tokenizer."""
    from transformers import MistralConfig, MistralForCausalLM

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    MistralForCausalLM(
        MistralConfig(**sizes, num_key_value_heads=1, vocab_size=LARGE + 1, bos_token_id=0, eos_token_id=0)
    ).save_pretrained(tmp_path / "m")
    folder_text = (tmp_path / "m" / "config.json").read_text()
    folder_of(tmp_path / "m", written)
    (tmp_path / "m" / "config.json").write_text(folder_text)
    return edit(tmp_path / "m", transformers_version="4.57.0")


def test_the_correction_is_in_the_key_the_notes_and_the_traits(mistral: Path) -> None:
    spec = describe(mistral, "m")
    plain = tokenizer_hash(tokenizer_files(mistral, "m"))
    assert spec.tokenizer != plain
    assert spec.notes == CORRECTED_NOTE
    loaded = load(spec, "cpu")
    assert loaded.tokenizer.tokenize(SPLIT) == ["foo", "Bar"]
    assert load_tokenizer(spec).tokenize(SPLIT) == ["foo", "Bar"]
    assert loaded.notes == (CORRECTED_NOTE,)
    assert open_scorer(spec).traits["tokenizer"] == CORRECTED_NOTE
    right = describe(edit(mistral, "tokenizer.json", pre_tokenizer=splitting(_correction()[1])), "m")
    assert right.tokenizer == tokenizer_hash(tokenizer_files(mistral, "m"))
    assert (right.notes, load(right, "cpu").notes) == ("", ())


def test_the_tokenizer_of_an_adapter_is_corrected_by_the_configuration_of_its_base(
    mistral: Path, written: str, tmp_path: Path
) -> None:
    """It stands beside no configuration, and the merged model is one of the installed transformers."""
    adapter = write_adapter(tmp_path / "lora", str(mistral), load(describe(mistral, "m"), "cpu"), ("q_proj",))
    borrowed = resolve(str(adapter))
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(mistral / file, adapter / file)
    own = resolve(str(adapter))
    assert own.tokenizer == borrowed.tokenizer == describe(mistral, "m").tokenizer
    assert load_tokenizer(own).tokenize(SPLIT) == ["foo", "Bar"]
    loaded = load(own, "cpu")
    assert (loaded.tokenizer.tokenize(SPLIT), loaded.notes) == (["foo", "Bar"], (CORRECTED_NOTE,))
    edit(adapter, "tokenizer.json", pre_tokenizer=splitting(_correction()[1]))
    right = resolve(str(adapter))
    assert right.tokenizer == tokenizer_hash(tokenizer_files(adapter, "lora"))
    assert load(right, "cpu").notes == ()


def test_a_model_without_a_fault_has_no_note(tmp_path: Path) -> None:
    spec: ModelSpec = describe(write_gpt2(tmp_path / "m"), "m")
    assert "tokenizer" not in open_scorer(spec).traits


# Warnings.


def test_what_transformers_says_of_wrong_tokens_is_kept_and_not_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    order, fallback = WRONG_TOKENS.values()
    logger = logging.getLogger(LOGGERS[0])
    before = logger.level, logger.propagate, list(logger.handlers)
    with heard() as found:
        logger.warning("Could not reorder vocab using converter for X due to y.")
        logger.warning("Could not reorder vocab using converter for X due to y.")
        logger.warning("Something else.")
        warnings.warn("the byte fallback option which is not implemented", stacklevel=1)
    assert found == [order, fallback]
    assert (logger.level, logger.propagate, logger.handlers) == before
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("part", WRONG_TOKENS)
def test_transformers_still_warns_in_these_words(part: str) -> None:
    import transformers

    root = Path(transformers.__file__).parent
    files = [root / f"{name.partition('.')[2]}.py" for name in LOGGERS]
    assert any(part in path.read_text(encoding="utf8") for path in files)
