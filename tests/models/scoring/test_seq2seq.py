"""Encoder–decoder models: what both sides read, rows that words share, and the worked examples."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AddedToken, ByT5Tokenizer, PreTrainedTokenizerFast, T5Tokenizer

from pcf_core.core.errors import ModelError
from pcf_core.core.records import FloatArray
from pcf_core.models.loading import Loaded
from pcf_core.models.scoring import seq2seq
from pcf_core.models.scoring.seq2seq import Question, Seq2SeqScorer
from pcf_core.models.scoring.trees import Continuations
from tests.models.scoring.conftest import (
    SEQ2SEQ,
    SHORT_CONTEXT,
    Table,
    brute_seq2seq,
    load_tiny,
    open_loaded,
    open_tiny,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS, bart_tokenizer

NAMES = ("the", "nurse", "said", "that", "old", "doctor", "engineer", "a", "to")
texts = st.lists(st.sampled_from(NAMES), min_size=1).map(" ".join)


def next_tokens(scorer: Seq2SeqScorer, prompt: str, word: tuple[int, ...]) -> FloatArray:
    """[vocabulary] nats of ``word`` and every token behind it."""
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    question = scorer._question(prompt, pieces, {})
    words = [(*word, token) for token in range(scorer.vocabulary)]
    return scorer._read([Question(question.source, question.start, Continuations.of(words))], len(words))[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t5", "bart"])
@given(
    text=texts, right=st.sampled_from(["", ".", " was old"]), word=st.lists(st.integers(0, 40), max_size=2)
)
def test_probabilities_sum_to_one_over_all_entries(name: str, text: str, right: str, word: list[int]) -> None:
    """Σ_v P(w v) = P(w), the entries of T5's output that have no token included."""
    scorer = scorer_of(name)
    assert scorer.vocabulary == len(scorer.seam.tokenizer) + (28 if name == "t5" else 0)
    prompt = f"{text} [Y]{right}"
    whole = np.logaddexp.reduce(next_tokens(scorer, prompt, tuple(word)))
    expected = next_tokens(scorer, prompt, tuple(word[:-1]))[word[-1]] if word else 0.0
    assert whole == pytest.approx(expected, abs=1e-5)


def source_of(loaded: Loaded, prompt: str) -> list[str]:
    scorer = open_loaded(loaded, "t5")
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    ids = scorer._question(prompt, pieces, {}).source
    return list(loaded.tokenizer.convert_ids_to_tokens(list(ids)))


def test_the_sentinel_stands_for_the_word_as_in_training() -> None:
    """A full stop keeps its token, where the tokenizer would write a space between the two."""
    written = load_tiny("t5").tokenizer.tokenize("met a <extra_id_0>.")
    assert written[-3:] == ["<extra_id_0>", "▁", "."]
    assert source_of(load_tiny("t5"), "met a [Y].") == ["▁met", "▁a", "<extra_id_0>", ".", "</s>"]
    assert source_of(load_tiny("t5"), "met a [Y] was")[-3:] == ["<extra_id_0>", "▁was", "</s>"]
    assert source_of(load_tiny("t5"), "[Y] was")[0] == "<extra_id_0>"


@pytest.mark.parametrize("lstrip", [True, False])
def test_one_mask_stands_for_a_word_and_its_space(lstrip: bool) -> None:
    tokenizer = copy.deepcopy(bart_tokenizer())
    tokenizer.mask_token = AddedToken("<mask>", lstrip=lstrip, special=True)
    loaded = Loaded(load_tiny("bart").model, tokenizer, "cpu")
    tokens = source_of(loaded, "that [Y].")
    assert (tokens[0], tokens[-4] == "Ġ", tokens[-3:]) == ("<s>", False, ["<mask>", ".", "</s>"])


def test_no_name_of_a_special_token_in_a_word() -> None:
    assert "special token" in scorer_of("t5").check(["<extra_id_0>"]).refused["<extra_id_0>"]


def test_words_share_a_row_where_that_is_exact() -> None:
    packs = {name: scorer_of(name).packs for name in SEQ2SEQ}
    assert packs == dict.fromkeys(packs, True) | {"led": False}


@pytest.mark.parametrize(
    ("name", "swap", "wrong"),
    [
        ("t5", "_reordered", lambda depths, module, arguments, bias: bias),
        ("umt5", "_reordered", lambda depths, module, arguments, bias: bias),
        ("bart", "_with_positions", lambda depths, module, arguments, options: (arguments, options)),
    ],
)
def test_positions_that_count_slots_are_found_out(
    name: str, swap: str, wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seq2seq, swap, wrong)
    assert not open_tiny(name).packs


@pytest.mark.parametrize("name", sorted(SEQ2SEQ))
def test_the_encoder_reads_each_prompt_once_and_the_head_what_is_needed(name: str) -> None:
    scorer, loaded = scorer_of(name), load_tiny(name)
    rows: list[int] = []
    heads: list[int] = []
    hooks = [
        loaded.model.get_encoder().register_forward_pre_hook(
            lambda module, arguments, options: rows.append(len(options["input_ids"])), with_kwargs=True
        ),
        loaded.model.get_output_embeddings().register_forward_pre_hook(
            lambda module, arguments: heads.append(arguments[0].numel() // arguments[0].shape[-1])
        ),
    ]
    scorer.score(PROMPTS, WORDS)
    for hook in hooks:
        hook.remove()
    assert sum(rows) == len(PROMPTS)
    table = scorer.seam.cut(PROMPTS, WORDS)
    beginnings = [{ids[:n] for ids in one.words for n in range(len(ids))} for one in table]
    if scorer.packs:
        assert sum(heads) == sum(map(len, beginnings))


def test_more_words_than_the_decoder_has_positions() -> None:
    """A tree has the depth of its longest word, however many slots it fills."""
    loaded = load_tiny("bart")
    words = [f"{a}{b}{c}xyz" for a in "abcdef" for b in "hijkl" for c in "mnop"]
    prompt = "The nurse said that [Y]"
    scorer = open_tiny("bart", context=SHORT_CONTEXT)
    (pieces,) = scorer.seam.cut([prompt], words)
    assert len(scorer._question(prompt, pieces, {}).behind.ids) > SHORT_CONTEXT
    values = scorer.score([prompt], words)
    for word in words[::31]:
        assert values[0, words.index(word)] == pytest.approx(brute_seq2seq(loaded, prompt, word), abs=1e-4)


def test_a_model_with_nothing_to_put_at_the_gap_is_refused() -> None:
    bare = PreTrainedTokenizerFast(tokenizer_object=bart_tokenizer().backend_tokenizer, unk_token="<unk>")
    with pytest.raises(ModelError, match="neither the sentinel <extra_id_0> nor a mask token"):
        open_loaded(Loaded(load_tiny("bart").model, bare, "cpu"), "bart")


def test_bytes_of_byt5_are_refused() -> None:
    """Its sentinels count down from 258 and have no name in the tokenizer, whose <extra_id_0> is another."""
    tokenizer = ByT5Tokenizer()
    model = copy.deepcopy(load_tiny("t5").model)
    model.resize_token_embeddings(len(tokenizer))
    with pytest.raises(ModelError, match="ByT5's tokenizer does not name"):
        open_loaded(Loaded(model, tokenizer, "cpu"), "t5")


@pytest.mark.parametrize("absent", [False, True])
def test_a_decoder_without_a_start_is_refused(absent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A T5Config of transformers 5 lacks the attribute where its config.json lacks the entry."""
    config = load_tiny("t5").model.config
    monkeypatch.setattr(config, "decoder_start_token_id", None)
    if absent:
        monkeypatch.delattr(config, "decoder_start_token_id")
    with pytest.raises(ModelError, match="set decoder_start_token_id"):
        open_tiny("t5")


def test_traits_say_what_stands_at_the_gap() -> None:
    assert "reads <extra_id_0> in place of the word." in scorer_of("t5").traits["gap"]
    traits = scorer_of("led").traits
    assert "forced along the text on the left" in traits["gap"]
    assert "cannot share one" in traits["batching"]


def table_scorer(tokenizer: Any, vocabulary: int, start: int, rows: Any, protocol: str = "exact") -> Any:
    """Probabilities given per encoder's text and decoder's beginning."""

    def seen(
        decoder_input_ids: torch.Tensor,
        use_cache: bool,
        input_ids: Any = None,
        encoder_outputs: Any = None,
        attention_mask: Any = None,
    ) -> list[list[Any]]:
        sources = (encoder_outputs if input_ids is None else input_ids).tolist()
        return [
            [(tuple(source), tuple(ids[: index + 1])) for index in range(len(ids))]
            for source, ids in zip(sources, decoder_input_ids.tolist(), strict=True)
        ]

    table = Table(vocabulary, rows, seen)
    table.config = SimpleNamespace(decoder_start_token_id=start)  # type: ignore[assignment]
    table.get_encoder = lambda: lambda input_ids, attention_mask: input_ids  # type: ignore[assignment]
    return open_loaded(Loaded(table, tokenizer, "cpu"), "t5", protocol)


def test_worked_example_of_the_docstring() -> None:
    names = ["<pad>", "</s>", "<unk>", "▁that", "▁sh", "e", ".", "a", "▁", "<extra_id_1>", "<extra_id_0>"]
    tokenizer = T5Tokenizer(vocab=[(name, -1.0) for name in names], extra_ids=2)
    pad, end, that, sh, e, stop, one, zero = 0, 1, 3, 4, 5, 6, 9, 10
    source, start = (that, zero, stop, end), (pad, zero)
    rows = {
        (source, start): {sh: 0.2},
        (source, (*start, sh)): {e: 0.5},
        (source, (*start, sh, e)): {one: 0.8},
    }
    for protocol, expected in (("exact", 0.1), ("exact-boundary", 0.08)):
        scorer = table_scorer(tokenizer, len(names) + 3, pad, rows, protocol)
        assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(expected, rel=1e-5)


def test_the_example_with_a_mask() -> None:
    """BART: the decoder says the text on the left behind </s> <s> before it says the word."""
    tokenizer = bart_tokenizer()
    names = tokenizer.get_vocab()
    that, she = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("that", " she"))
    assert len(she) == 2
    source = (names["<s>"], *that, names["<mask>"], names["."], names["</s>"])
    start = (names["</s>"], names["<s>"], *that)
    rows = {(source, start): {she[0]: 0.2}, (source, (*start, she[0])): {she[1]: 0.5}}
    scorer = table_scorer(tokenizer, len(names), names["</s>"], rows)
    assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(0.1, rel=1e-5)
