"""What a local scorer leaves out: logits that are not read, and what stands behind the last attention."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch

from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring import local
from pcf_core.models.scoring.base import PLAIN, Scorer
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.masked import MaskedScorer
from tests.models.scoring.conftest import (
    FIRST_CAUSAL,
    FIRST_MASKED,
    HEADS,
    SMALL,
    brute_force,
    build,
    changed,
    key_of,
    load_tiny,
    open_loaded,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS, gpt2_tokenizer, roberta_tokenizer


@pytest.mark.parametrize("name", sorted(FIRST_CAUSAL | FIRST_MASKED))
def test_the_head_gives_the_same_in_slices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of fewer rows may round in another order; what runs before the head runs once."""
    scorer = changed(name)
    expected, runs = scorer.score(PROMPTS, WORDS), []
    hook = scorer.model.get_input_embeddings().register_forward_hook(lambda *given: runs.append(1))
    once = scorer.score(PROMPTS, WORDS)
    whole = len(runs)
    monkeypatch.setattr(local, "FEWEST_PLACES", 1)
    for number, places in enumerate((2, 5), start=2):
        monkeypatch.setattr(local, "SLICE", places * scorer.vocabulary)
        sliced = scorer.score(PROMPTS, WORDS)
        assert len(runs) == number * whole
        np.testing.assert_allclose(sliced, expected, atol=1e-5, rtol=0)
    hook.remove()
    np.testing.assert_array_equal(once, expected)


@pytest.mark.parametrize("name", ["bert", "mini-bert", "roberta", "albert", "distilbert"])
def test_only_the_place_that_is_read_runs_behind_the_last_attention(name: str) -> None:
    """Where a layer has a module there; ALBERT's layers are all one."""
    scorer = changed(name)
    assert (scorer.last is not None) == (name in ("bert", "mini-bert", "roberta"))
    trimmed = scorer.score(PROMPTS, WORDS)
    scorer.last = None
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), trimmed, atol=1e-5, rtol=0)


def test_a_layer_that_asks_which_text_a_row_is_runs_whole() -> None:
    """X-MOD's adapters stand behind the last attention, one for each text's language."""
    languages = {"languages": ["en_XX"], "default_language": "en_XX"}
    scorer: Any = open_loaded(build("XmodForMaskedLM", roberta_tokenizer, **SMALL, **languages), "xmod")
    assert scorer.last is None
    together = scorer.score(PROMPTS, ("he", "she"))
    alone = [[scorer.alone(prompt, word) for word in ("he", "she")] for prompt in PROMPTS]
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)


# Shortcuts that lose positions: LUKE cuts its answer to the number of tokens; Longformer and BigBird
# pad a text, and cut as many positions off the answer.

LUKE = SMALL | {"entity_vocab_size": 4, "entity_emb_size": 8, "use_entity_aware_attention": False}
BIG_BIRD = SMALL | {"block_size": 8, "num_random_blocks": 1, "attention_type": "block_sparse"}
NURSES = [
    f"The {one} and the {other} said that [Y]" for one in ("nurse", "man", "son") for other in ("she", "he")
]


def require_brute_force(loaded: Loaded, scorer: Scorer, prompts: list[str], words: list[str]) -> None:
    with torch.inference_mode():
        expected = [[brute_force(loaded, "bert", prompt, word) for word in words] for prompt in prompts]
    np.testing.assert_allclose(scorer.score(prompts, words), expected, atol=1e-4, rtol=0)


def test_more_rows_than_tokens_keep_their_positions() -> None:
    loaded = build("LukeForMaskedLM", roberta_tokenizer, **LUKE)
    scorer: Any = open_loaded(loaded, "luke")
    require_brute_force(loaded, scorer, [f"The {n} said [Y]" for n in "abcdefghijklmnopqrstuvwxyz"], ["he"])
    assert scorer.last is None


@pytest.mark.parametrize("window", [4, 16, 32, 64])
def test_a_text_that_needs_padding_keeps_its_positions(window: int) -> None:
    loaded = build("LongformerForMaskedLM", roberta_tokenizer, **SMALL, attention_window=[window] * 2)
    require_brute_force(loaded, open_loaded(loaded, "longformer"), NURSES, ["he", "woman"])


def test_a_text_that_needs_padding_in_long_texts_alone() -> None:
    """BigBird's blocks are sparse beyond 56 tokens here, and 704 as published; the last layer is trimmed."""
    loaded = build("BigBirdForMaskedLM", roberta_tokenizer, **BIG_BIRD)
    scorer: Any = open_loaded(loaded, "big-bird")
    long = [f"The nurse {'and the old man ' * 6}{'very ' * n}said that [Y]" for n in range(3)]
    assert scorer.last is not None
    require_brute_force(loaded, scorer, [NURSES[0], *long], ["he", "woman"])


@pytest.mark.parametrize("body", [True, False])
def test_positions_that_a_pass_does_not_return_are_an_error(body: bool) -> None:
    """Nothing that memory happens to hold becomes a score."""

    class Losing(MaskedScorer):
        def _logits(self, *places: torch.Tensor, **inputs: Any) -> Any:
            for logits in super()._logits(*places, **inputs):
                yield logits[:-1] if self.lose else logits

    Losing.lose = False  # type: ignore[attr-defined]
    scorer: Any = Losing(build("BertForMaskedLM", roberta_tokenizer, **SMALL), key_of("bert"))
    scorer.lose = True
    if not body:
        scorer.body = scorer.last = None
    with pytest.raises(ScoringError, match=r"returned \d positions instead of \d"):
        scorer.score(NURSES, ["he"])


def test_a_logit_that_is_minus_infinity_is_the_only_probability_of_0() -> None:
    loaded = build("BertForMaskedLM", roberta_tokenizer, **SMALL)
    scorer: Any = open_loaded(loaded, "bert")
    ((he,),) = scorer.seam.cut(NURSES[:1], ["he"])[0].words
    with torch.no_grad():
        loaded.model.get_output_embeddings().bias[he] = -torch.inf
    assert np.isneginf(scorer.score(NURSES, ["he", "she"])).tolist() == [[True, False]] * len(NURSES)
    with torch.no_grad():
        loaded.model.get_output_embeddings().bias[he] = torch.inf
    for word in ("he", "she"):  # what an infinite logit would leave to others is not a probability of 0
        with pytest.raises(ScoringError, match=f"NaN for '{word}'"):
            scorer.score(NURSES, [word])


# Models that cannot compute, or name no output layer.


def test_a_model_that_cannot_compute_is_one_sentence() -> None:
    """It is built, and fails in the first forward pass: its heads share another number of keys."""
    loaded = build("Qwen3ForCausalLM", gpt2_tokenizer, **HEADS)
    loaded.model.model.layers[1].self_attn.o_proj = torch.nn.Linear(5, 32)
    with pytest.raises(
        ModelError, match=r"qwen3 cannot compute a forward pass \(RuntimeError: .*config.json"
    ):
        open_loaded(loaded, "qwen3")


def test_what_fails_in_half_precision_alone_is_told_so() -> None:
    """DeepSeek-V4's products have no kernel in float16 on some processors; that float32 works was tried."""
    loaded = build("Qwen3ForCausalLM", gpt2_tokenizer, **HEADS)
    loaded.model.to(torch.float16)

    class Product(torch.nn.Linear):
        def forward(self, states: torch.Tensor) -> torch.Tensor:
            if states.dtype == torch.float16:
                raise RuntimeError("could not create a primitive")
            return super().forward(states)

    loaded.model.model.layers[0].mlp.up_proj.__class__ = Product
    key = key_of("qwen3").model_copy(update={"dtype": "float16"})
    with pytest.raises(
        ModelError, match=r"in float16 on the device cpu \(RuntimeError: could not.*score it in float32"
    ):
        CausalScorer(loaded, key)


REFORMER = {"attention_head_size": 16, "num_hidden_layers": 2, "axial_pos_shape": (16, 25)} | {
    "hidden_size": 32,
    "num_attention_heads": 2,
    "feed_forward_size": 64,
    "axial_pos_embds_dim": (16, 16),
    "attn_layers": ("lsh", "lsh"),
    "num_buckets": 4,
    "is_decoder": False,
}


def test_scores_that_depend_on_random_numbers_are_refused() -> None:
    """Reformer hashes texts that are longer than a chunk, by directions that it draws each time."""
    loaded = build("ReformerForMaskedLM", roberta_tokenizer, **REFORMER, lsh_attn_chunk_length=8)
    with pytest.raises(ScoringError, match="reformer uses random numbers when it reads a text of 31 tokens"):
        open_loaded(loaded, "reformer")


def test_random_numbers_are_refused_in_the_texts_that_need_them() -> None:
    loaded = build("ReformerForMaskedLM", roberta_tokenizer, **REFORMER, lsh_attn_chunk_length=32)
    scorer = open_loaded(loaded, "reformer")
    short, word = "The nurse said that [Y] was old.", "he"
    require_brute_force(loaded, scorer, [short], [word])
    with pytest.raises(ScoringError, match="uses random numbers"):
        scorer.score([f"The nurse {'and the old man ' * 40} said [Y]"], [word])


def test_a_forward_pass_that_fails_later_is_one_sentence() -> None:
    """A table of positions that is shorter than the context says."""
    scorer = open_loaded(
        build("BertForMaskedLM", roberta_tokenizer, **SMALL, max_position_embeddings=40), "bert"
    )
    with pytest.raises(ScoringError, match=r"forward pass of bert failed \(.*shorten the longest prompts"):
        scorer.score([f"The nurse {'and the old man ' * 20} said [Y]"], ["he"])


def test_a_model_without_an_output_layer_takes_its_vocabulary_from_the_configuration() -> None:
    """Perceiver's logits are products with its table of bytes."""
    shape = {"d_model": 32, "d_latents": 32, "num_latents": 8, "num_blocks": 1, "qk_channels": 32}
    heads = dict.fromkeys(("num_self_attention_heads", "num_cross_attention_heads"), 2)
    heads |= {"num_self_attends_per_block": 2, "v_channels": 32}
    loaded = build("PerceiverForMaskedLM", roberta_tokenizer, **shape, **heads)
    assert loaded.model.get_output_embeddings() is None
    require_brute_force(loaded, open_loaded(loaded, "perceiver"), NURSES, ["he", "woman"])


# What was checked when a model was opened.


@pytest.mark.parametrize("name", ["gpt2", "llama", "t5", "bart", "bert", "xlnet"])
def test_what_was_checked_is_recorded(name: str) -> None:
    """Memory is counted from the state of the model, tokens by the tokenizer's own call."""
    traits, loaded = scorer_of(name).traits, load_tiny(name)
    weights = {tensor.data_ptr(): tensor for tensor in loaded.model.parameters()}
    size = sum(tensor.numel() * 4 for tensor in weights.values())
    (number,) = re.findall(r"take ([\d.]+) MB as float32", traits["memory"])
    assert float(number) == pytest.approx(size / 1e6, abs=0.06)
    assert traits["memory"].endswith(" on cpu.")
    tokens = loaded.tokenizer.tokenize(PLAIN[0])
    assert traits["sentence"] == f"{PLAIN[0]!r} has {len(tokens)} tokens: {' '.join(tokens)}"
    reads_one_way = name in ("gpt2", "llama", "t5", "bart")
    assert ("ahead" in traits) == reads_one_way
    if reads_one_way:
        (change,) = re.findall(r"change by (\S+) at most", traits["ahead"])
        assert 0 <= float(change) <= local.LEAST


def test_memory_names_every_type_of_number_that_matters() -> None:
    """Of 2,000 and 30 bytes, but not the mask of one byte."""
    scorer = changed("gpt2")
    scorer.model = torch.nn.Module()
    scorer.model.wide = torch.nn.Parameter(torch.zeros(500))
    scorer.model.narrow = torch.nn.Parameter(torch.zeros(15, dtype=torch.bfloat16))
    scorer.model.register_buffer("mask", torch.zeros(1, dtype=torch.bool))
    assert scorer._memory == "Its weights take 0.0 MB as float32 and bfloat16 on cpu."
