"""Encoder–decoder models: sentinels, instructions and masks, token by token from full forward passes."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from pcf_core.core.errors import GenerationError
from pcf_core.core.generation import BLOCK, MissingTexts
from pcf_core.models.folder import describe
from pcf_core.models.generation.seq2seq import Seq2SeqGenerator
from pcf_core.models.loading import Loaded, load
from tests.models.generation.conftest import forward_of, key_of, nothing, require_brute_force
from tests.models.scoring.conftest import MASK, SENTINEL, SHORT_CONTEXT, load_tiny
from tests.models.scoring.tiny_tokenizers import t5_tokenizer

PROMPT = "The nurse said that he was"
SHIPPED = Path(__file__).resolve().parents[3] / "assets" / "models" / "mini-t5"


class Filling(Seq2SeqGenerator):
    """Opened as if it had been trained with sentinels: the twins' weights are random."""

    def _opens_with_sentinel(self) -> bool:
        return True


@functools.cache
def mini_t5() -> Loaded:
    return load(describe(SHIPPED, "mini-t5"), device="cpu")


def plain(loaded: Loaded) -> list[int]:
    return list(loaded.tokenizer(PROMPT, add_special_tokens=False)["input_ids"])


def check(
    generator: Seq2SeqGenerator, loaded: Loaded, source: list[int], start: list[int], before: list[int]
) -> None:
    names = loaded.tokenizer.get_vocab()
    stops = {names["</s>"], *(names[name] for name in names if name.startswith("<extra_id_"))}
    forward = forward_of(loaded, source)
    require_brute_force(generator, PROMPT, start, forward, stops, before, range(0, BLOCK, 4))


@pytest.mark.parametrize("name", sorted(SENTINEL))
def test_instructions_are_the_prompt_alone(name: str) -> None:
    """Random weights do not open with the sentinel, so that these twins are taken for instruction-tuned."""
    loaded = load_tiny(name)
    generator = Seq2SeqGenerator(loaded, key_of("seq2seq"))
    assert generator.gap is None
    end = loaded.tokenizer.get_vocab()["</s>"]
    check(generator, loaded, [*plain(loaded), end], [loaded.model.config.decoder_start_token_id], [])


@pytest.mark.parametrize("name", sorted(SENTINEL))
def test_a_gap_behind_the_prompt_is_filled(name: str) -> None:
    loaded = load_tiny(name)
    names = loaded.tokenizer.get_vocab()
    gap = names["<extra_id_0>"]
    check(
        Filling(loaded, key_of("seq2seq", length=10)),
        loaded,
        [*plain(loaded), gap, names["</s>"]],
        [loaded.model.config.decoder_start_token_id, gap],
        plain(loaded),
    )


@pytest.mark.slow
def test_the_shipped_t5_is_known_for_what_it_was_trained_for() -> None:
    loaded = mini_t5()
    generator = Seq2SeqGenerator(loaded, key_of("seq2seq"))
    gap = loaded.tokenizer.get_vocab()["<extra_id_0>"]
    assert generator.gap == gap
    end = loaded.tokenizer.eos_token_id
    source = [*plain(loaded), gap, end]
    check(generator, loaded, source, [loaded.model.config.decoder_start_token_id, gap], plain(loaded))
    written = generator.generate(PROMPT, 0, BLOCK, nothing)
    assert not any("extra_id" in text for text in written.texts)
    assert written.ends.count("stop") > 12


@pytest.mark.parametrize("name", sorted(MASK))
def test_a_mask_lets_the_decoder_go_on_from_the_prompt(name: str) -> None:
    loaded = load_tiny(name)
    names = loaded.tokenizer.get_vocab()
    around = loaded.tokenizer("")["input_ids"]
    opening, end = around[: around.index(names["</s>"])], around[around.index(names["</s>"]) :]
    text = [*opening, *plain(loaded)]
    check(
        Seq2SeqGenerator(loaded, key_of("seq2seq"), context=SHORT_CONTEXT),
        loaded,
        [*text, names["<mask>"], *end],
        [end[-1], *text],
        text,
    )


def test_order_and_other_prompts_change_nothing() -> None:
    loaded = mini_t5()
    whole = Seq2SeqGenerator(loaded, key_of("seq2seq")).generate(PROMPT, 0, 3 * BLOCK, nothing)
    backwards = Seq2SeqGenerator(loaded, key_of("seq2seq"))
    parts = {}
    for first in (50, 25, 0):
        parts[first] = backwards.generate(PROMPT, first, BLOCK, nothing)
        backwards.generate("She went", 0, BLOCK, nothing)
    assert whole.texts == parts[0].texts + parts[25].texts + parts[50].texts


def test_the_longer_of_both_sides_must_fit() -> None:
    loaded = load_tiny("bart")
    needed = len(plain(loaded)) + 2 + 8  # start token, <s>, the prompt, eight new tokens
    assert Seq2SeqGenerator(loaded, key_of("seq2seq"), context=needed).generate(PROMPT, 0, BLOCK, nothing)
    with pytest.raises(GenerationError, match=f"need {needed} tokens together"):
        Seq2SeqGenerator(loaded, key_of("seq2seq"), context=needed - 1).generate(PROMPT, 0, BLOCK, nothing)


def test_a_decoder_that_does_not_say_how_it_starts_is_refused() -> None:
    loaded = SENTINEL["t5"].load()
    del loaded.model.config.decoder_start_token_id
    with pytest.raises(GenerationError, match="does not state the token with which its decoder starts"):
        Seq2SeqGenerator(loaded, key_of("seq2seq"))


def test_rows_of_the_vocabulary_without_a_token_are_never_written() -> None:
    loaded = load_tiny("t5")
    generator = Seq2SeqGenerator(loaded, key_of("seq2seq", temperature=5.0, top_p=1.0, length=40))
    assert generator.writable == len(t5_tokenizer()) < loaded.model.config.vocab_size
    written = generator._write([MissingTexts(PROMPT, 0)], nothing)
    assert max(token for ids, _ in written for token in ids) < generator.writable
