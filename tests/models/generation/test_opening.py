"""From a model to its generator."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from pcf_core.core.errors import GenerationError
from pcf_core.core.generation import BLOCK, Decoding, GenerationKey
from pcf_core.models.generation.local import CausalGenerator
from pcf_core.models.generation.opening import open_generator
from pcf_core.models.generation.seq2seq import Seq2SeqGenerator
from pcf_core.models.registry import resolve
from tests.models.generation.conftest import nothing
from tests.models.scoring.conftest import load_tiny


@pytest.mark.parametrize(("name", "kind"), [("mini-gpt", CausalGenerator), ("mini-t5", Seq2SeqGenerator)])
def test_shipped_models_write(name: str, kind: type) -> None:
    decoding = Decoding(length=5)
    generator = open_generator(resolve(name), decoding)
    assert isinstance(generator, kind)
    assert generator.key == GenerationKey.of(resolve(name), decoding)
    found = generator.generate("She is a", 0, BLOCK, nothing)
    assert len(set(found.texts)) > 5
    assert sum(text.startswith(" ") for text in found.texts) > BLOCK / 2


@pytest.mark.parametrize("name", ["mini-bert", "mini-xlnet"])
def test_models_that_fill_gaps_are_refused_before_they_are_loaded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.models.loading.load", lambda spec: pytest.fail("it was loaded"))
    with pytest.raises(GenerationError, match="it fills a gap and cannot write a text"):
        open_generator(resolve(name), Decoding())


def test_a_chat_models_key_is_known_without_its_tokenizer(tmp_path: Path) -> None:
    """A directory with a template: the key names it, and the generator asks with it."""
    loaded = load_tiny("qwen2")
    tokenizer = copy.deepcopy(loaded.tokenizer)
    tokenizer.chat_template = "user: {{ messages[0]['content'] }} it:"
    loaded.model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    generator = open_generator(resolve(str(tmp_path)), Decoding(length=3))
    assert isinstance(generator, CausalGenerator)
    assert generator.key.chat_template != ""
    assert tokenizer.decode(generator.prompt_ids("he was")) == "user: he was it:"
