"""Encoder–decoder models: exact against a brute force, with sentinels and with a mask."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AddedToken, ByT5Tokenizer, PreTrainedTokenizerFast, T5Tokenizer

from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring import seq2seq
from pcf_core.models.scoring.opening import open_scorer
from pcf_core.models.scoring.seq2seq import Question, Seq2SeqScorer
from pcf_core.models.scoring.trees import Continuations
from tests.models.scoring.seq2seq_models import (
    CONTEXT,
    MASK,
    SENTINEL,
    SEQ2SEQ,
    bart_tokenizer,
    brute_seq2seq,
    t5_tokenizer,
    tiny_bart,
    tiny_led,
    tiny_t5,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS

PROMPTS = (*PROMPTS, "[Y] was old.")
PROMPT = "The nurse said that [Y] was old."


def scorer_of(loaded: Loaded, protocol: str = "exact", **options: Any) -> Seq2SeqScorer:
    key = ScoringKey(
        model="tiny", identity="tiny", tokenizer="tiny", family="seq2seq", rules="1", protocol=protocol
    )
    return Seq2SeqScorer(loaded, key, **options)


def brute_table(loaded: Loaded, **options: Any) -> FloatArray:
    return np.array(
        [[brute_seq2seq(loaded, prompt, word, **options) for word in WORDS] for prompt in PROMPTS]
    )


@pytest.fixture(params=sorted(SEQ2SEQ))
def loaded(request: pytest.FixtureRequest) -> Loaded:
    return SEQ2SEQ[str(request.param)]()


# ---------------------------------------------------------------------------------- against a brute force


def test_every_cell_equals_the_brute_force(loaded: Loaded) -> None:
    """Words of 1–4 tokens and more, with and without text on the right."""
    scorer = scorer_of(loaded)
    expected = brute_table(loaded)
    assert {1, 2, 3} <= set(scorer.check(WORDS).tokens.values())
    assert max(scorer.check(WORDS).tokens.values()) > 3
    assert np.ptp(expected, axis=0).min() > 0.5  # nats: every word feels the text
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", sorted(SENTINEL))
def test_boundary_multiplies_by_the_closing_sentinel(name: str) -> None:
    loaded = SENTINEL[name]()
    values = scorer_of(loaded, "exact-boundary").score(PROMPTS, WORDS)
    np.testing.assert_allclose(values, brute_table(loaded, closing=True), atol=1e-4, rtol=0)


def test_plain_rows_give_the_same(loaded: Loaded) -> None:
    scorer = scorer_of(loaded)
    shared = scorer.score(PROMPTS, WORDS)
    assert scorer.alone(PROMPT, "stepmother") == pytest.approx(
        float(scorer.score([PROMPT], ["stepmother"])[0, 0]), abs=1e-5
    )
    scorer.packs = False
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), shared, atol=1e-5, rtol=0)


@pytest.mark.slow
def test_a_cell_does_not_depend_on_its_batch(loaded: Loaded) -> None:
    """Prompts of mixed lengths together, then one by one, and with batches of another size."""
    many = [prompt.replace("The", f"The {'very ' * (n % 5)}old") for n in range(20) for prompt in PROMPTS]
    together = scorer_of(loaded).score(many, WORDS)
    alone = scorer_of(loaded)
    for row in range(0, len(many), 17):
        np.testing.assert_allclose(alone.score([many[row]], WORDS)[0], together[row], atol=2e-5, rtol=0)
        np.testing.assert_allclose(
            alone.score([many[row]], WORDS[4:5])[0], together[row, 4:5], atol=2e-5, rtol=0
        )
    small = scorer_of(loaded, batch_tokens=128)
    assert len(list(small.batches(many, WORDS))) > len(list(alone.batches(many, WORDS)))
    np.testing.assert_allclose(small.score(many, WORDS), together, atol=2e-5, rtol=0)


# ---------------------------------------------------------------------------------------------- properties

NAMES = ("the", "nurse", "said", "that", "old", "doctor", "engineer", "a", "to")
texts = st.lists(st.sampled_from(NAMES), min_size=1).map(" ".join)


def next_tokens(scorer: Seq2SeqScorer, prompt: str, word: tuple[int, ...]) -> FloatArray:
    """[vocabulary] nats of ``word`` and every token behind it."""
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    asked = scorer._question(prompt, pieces, {})
    words = [(*word, token) for token in range(scorer.vocabulary)]
    return scorer._read([Question(asked.source, asked.start, Continuations.of(words))], len(words))[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t5", "bart"])
@given(
    text=texts, right=st.sampled_from(["", ".", " was old"]), word=st.lists(st.integers(0, 40), max_size=2)
)
def test_probabilities_sum_to_one_over_all_entries(name: str, text: str, right: str, word: list[int]) -> None:
    """Σ_v P(w v) = P(w), the entries of T5's output that have no token included."""
    scorer = scorer_of(SEQ2SEQ[name]())
    assert scorer.vocabulary == len(scorer.seam.tokenizer) + (28 if name == "t5" else 0)
    prompt = f"{text} [Y]{right}"
    whole = np.logaddexp.reduce(next_tokens(scorer, prompt, tuple(word)))
    expected = next_tokens(scorer, prompt, tuple(word[:-1]))[word[-1]] if word else 0.0
    assert whole == pytest.approx(expected, abs=1e-5)


def test_probabilities_of_one_token_words_sum_to_at_most_one(loaded: Loaded) -> None:
    scorer = scorer_of(loaded)
    tokenizer = scorer.seam.tokenizer
    names = {tokenizer.decode([token]).strip() for token in range(len(tokenizer))}
    counts = scorer.check(sorted(name for name in names if name.isalnum())).tokens
    words = [word for word, count in counts.items() if count == 1]
    assert len(words) > 5
    assert np.all(np.exp(scorer.score(PROMPTS, words).astype(float)).sum(axis=1) <= 1 + 1e-5)


# ------------------------------------------------------------------------------------- what the model reads


def source_of(loaded: Loaded, prompt: str) -> list[str]:
    scorer = scorer_of(loaded)
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    ids = scorer._question(prompt, pieces, {}).source
    return list(loaded.tokenizer.convert_ids_to_tokens(list(ids)))


def test_the_sentinel_stands_for_the_word_as_in_training() -> None:
    """A full stop keeps its token, where the tokenizer would write a space between the two."""
    written = tiny_t5().tokenizer.tokenize("met a <extra_id_0>.")
    assert written[-3:] == ["<extra_id_0>", "▁", "."]
    assert source_of(tiny_t5(), "met a [Y].") == ["▁met", "▁a", "<extra_id_0>", ".", "</s>"]
    assert source_of(tiny_t5(), "met a [Y] was")[-3:] == ["<extra_id_0>", "▁was", "</s>"]
    assert source_of(tiny_t5(), "[Y] was")[0] == "<extra_id_0>"


@pytest.mark.parametrize("lstrip", [True, False])
def test_one_mask_stands_for_a_word_and_its_space(lstrip: bool) -> None:
    tokenizer = copy.deepcopy(bart_tokenizer())
    tokenizer.mask_token = AddedToken("<mask>", lstrip=lstrip, special=True)
    loaded = Loaded(tiny_bart().model, tokenizer, "cpu")
    tokens = source_of(loaded, "that [Y].")
    assert (tokens[0], tokens[-4] == "Ġ", tokens[-3:]) == ("<s>", False, ["<mask>", ".", "</s>"])


def test_text_on_the_right_is_conditioned_on(loaded: Loaded) -> None:
    ends = ["", ".", " and the nurse"]
    values = scorer_of(loaded).score([f"The man met [Y]{end}" for end in ends], ["she"])
    assert len(np.unique(values.round(4))) == 3


def test_no_name_of_a_special_token_in_a_word() -> None:
    assert "special token" in scorer_of(tiny_t5()).check(["<extra_id_0>"]).refused["<extra_id_0>"]


# ---------------------------------------------------------------------------------------------------- speed


def test_words_share_a_row_where_that_is_exact() -> None:
    packs = {name: scorer_of(load()).packs for name, load in SEQ2SEQ.items()}
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
    assert not scorer_of(SEQ2SEQ[name]()).packs


def test_the_encoder_reads_each_prompt_once_and_the_head_what_is_asked(loaded: Loaded) -> None:
    scorer = scorer_of(loaded)
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
    loaded = tiny_bart()
    words = [f"{a}{b}{c}xyz" for a in "abcdef" for b in "hijkl" for c in "mnop"]
    prompt = "The nurse said that [Y]"
    scorer = scorer_of(loaded, context=CONTEXT)
    (pieces,) = scorer.seam.cut([prompt], words)
    assert len(scorer._question(prompt, pieces, {}).behind.ids) > CONTEXT
    values = scorer.score([prompt], words)
    for word in words[::31]:
        assert values[0, words.index(word)] == pytest.approx(brute_seq2seq(loaded, prompt, word), abs=1e-4)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["t5", "bart"])
def test_narrow_dtypes_share_too(name: str, dtype: torch.dtype) -> None:
    wide = SEQ2SEQ[name]()
    narrow = Loaded(copy.deepcopy(wide.model).to(dtype), wide.tokenizer, "cpu")
    scorer = scorer_of(narrow)
    assert scorer.packs
    difference = np.abs(scorer.score(PROMPTS, WORDS) - scorer_of(wide).score(PROMPTS, WORDS))
    assert 0 < difference.max() < 2


# ------------------------------------------------------------------------------------ opening, and bad input


@pytest.mark.parametrize("name", ["t5", "t5-gated", "bart"])
def test_a_saved_model_scores_as_the_one_in_memory(name: str, tmp_path: Path) -> None:
    """A head of its own stays one, and T5 1.1's is not scaled."""
    loaded = SEQ2SEQ[name]()
    loaded.model.save_pretrained(tmp_path)
    loaded.tokenizer.save_pretrained(tmp_path)
    spec = resolve(str(tmp_path))
    assert spec.family == "seq2seq"
    scorer = open_scorer(spec)
    assert type(scorer) is Seq2SeqScorer
    np.testing.assert_allclose(
        scorer.score(PROMPTS, WORDS), scorer_of(loaded).score(PROMPTS, WORDS), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("name", sorted(MASK))
def test_boundary_needs_sentinels(name: str) -> None:
    with pytest.raises(ModelError, match=r"counts the sentinel behind a word.*no sentinels; use exact"):
        scorer_of(MASK[name](), "exact-boundary")


def test_a_model_with_nothing_to_put_at_the_gap_is_refused() -> None:
    bare = PreTrainedTokenizerFast(tokenizer_object=bart_tokenizer().backend_tokenizer, unk_token="<unk>")
    with pytest.raises(ModelError, match="neither the sentinel <extra_id_0> nor a mask token"):
        scorer_of(Loaded(tiny_bart().model, bare, "cpu"))


def test_bytes_of_byt5_are_refused() -> None:
    """Its sentinels count down from 258 and have no name in the tokenizer, whose <extra_id_0> is another."""
    tokenizer = ByT5Tokenizer()
    model = copy.deepcopy(tiny_t5().model)
    model.resize_token_embeddings(len(tokenizer))
    with pytest.raises(ModelError, match="ByT5's tokenizer does not name"):
        scorer_of(Loaded(model, tokenizer, "cpu"))


@pytest.mark.parametrize("absent", [False, True])
def test_a_decoder_without_a_start_is_refused(absent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A T5Config of transformers 5 lacks the attribute where its config.json lacks the entry."""
    config = tiny_t5().model.config
    monkeypatch.setattr(config, "decoder_start_token_id", None)
    if absent:
        monkeypatch.delattr(config, "decoder_start_token_id")
    with pytest.raises(ModelError, match="set decoder_start_token_id"):
        scorer_of(tiny_t5())


@pytest.mark.parametrize(("load", "more"), [(tiny_t5, 2), (tiny_bart, 3)])
def test_too_long_a_prompt_is_refused_with_its_longest_word(load: Callable[[], Loaded], more: int) -> None:
    """T5's encoder holds the text, the gap and </s>; BART's both sides hold one token more."""
    text = "The nurse said " * 10
    tokens = len(load().tokenizer(text.rstrip(), add_special_tokens=False)["input_ids"]) + more
    scorer_of(load(), context=tokens).score([f"{text}[Y]"], ["he"])
    with pytest.raises(TemplateError, match=f"needs {tokens} tokens with its longest word, but the context"):
        scorer_of(load(), context=tokens - 1).score([f"{text}[Y]"], ["he"])


def test_out_of_memory_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = scorer_of(tiny_t5())

    def full(*arguments: Any, **options: Any) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(tiny_t5().model.get_encoder(), "forward", full)
    with pytest.raises(ScoringError, match="ran out of memory"):
        scorer.score([PROMPT], ["he"])


def test_traits_say_what_stands_at_the_gap() -> None:
    assert "reads <extra_id_0> in place of the word." in scorer_of(tiny_t5()).traits["gap"]
    traits = scorer_of(tiny_led()).traits
    assert "forced along the text on the left" in traits["gap"]
    assert "cannot share one" in traits["batching"]


# ------------------------------------------------------------------------------------------ worked example


class Table(torch.nn.Module):
    """Probabilities given per encoder's text and decoder's beginning; no body, nothing to share."""

    def __init__(
        self,
        vocabulary: int,
        start: int,
        rows: dict[tuple[tuple[int, ...], tuple[int, ...]], dict[int, float]],
    ) -> None:
        super().__init__()
        self.head = torch.nn.Linear(1, vocabulary)
        self.vocabulary = vocabulary
        self.rows = rows
        self.base_model, self.dtype = self, torch.float32
        self.config = SimpleNamespace(decoder_start_token_id=start)

    def get_output_embeddings(self) -> torch.nn.Linear:
        return self.head

    def get_decoder(self) -> None:
        return None

    def get_encoder(self) -> Callable[..., torch.Tensor]:
        return lambda input_ids, attention_mask: input_ids

    def forward(
        self,
        decoder_input_ids: torch.Tensor,
        input_ids: torch.Tensor | None = None,
        encoder_outputs: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        use_cache: bool = False,
    ) -> Any:
        sources = encoder_outputs if input_ids is None else input_ids
        assert sources is not None
        logits = torch.zeros(*decoder_input_ids.shape, self.vocabulary)
        for row, (source, ids) in enumerate(zip(sources.tolist(), decoder_input_ids.tolist(), strict=True)):
            for position in range(len(ids)):
                given = self.rows.get((tuple(source), tuple(ids[: position + 1])), {})
                rest = (1 - sum(given.values())) / (self.vocabulary - len(given))
                logits[row, position] = torch.full((self.vocabulary,), rest).log()
                for token, probability in given.items():
                    logits[row, position, token] = np.log(probability)
        return SimpleNamespace(logits=logits)


def test_worked_example_of_the_docstring() -> None:
    names = ["<pad>", "</s>", "<unk>", "▁that", "▁sh", "e", ".", "a", "▁", "<extra_id_1>", "<extra_id_0>"]
    tokenizer = T5Tokenizer(vocab=[(name, -1.0) for name in names], extra_ids=2)
    pad, end, that, sh, e, stop, one, zero = 0, 1, 3, 4, 5, 6, 9, 10
    source = (that, zero, stop, end)
    table = Table(
        len(names) + 3,
        pad,
        {
            (source, (pad, zero)): {sh: 0.2},
            (source, (pad, zero, sh)): {e: 0.5},
            (source, (pad, zero, sh, e)): {one: 0.8},
        },
    )
    for protocol, expected in (("exact", 0.1), ("exact-boundary", 0.08)):
        scorer = scorer_of(Loaded(table, tokenizer, "cpu"), protocol)
        assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(expected, rel=1e-5)


def test_the_example_with_a_mask() -> None:
    """BART: the decoder says the text on the left behind </s> <s> before it says the word."""
    tokenizer = bart_tokenizer()
    names = tokenizer.get_vocab()
    that, she = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("that", " she"))
    assert len(she) == 2
    source = (names["<s>"], *that, names["<mask>"], names["."], names["</s>"])
    start = (names["</s>"], names["<s>"], *that)
    table = Table(
        len(names), names["</s>"], {(source, start): {she[0]: 0.2}, (source, (*start, she[0])): {she[1]: 0.5}}
    )
    scorer = scorer_of(Loaded(table, tokenizer, "cpu"))
    assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(0.1, rel=1e-5)


def test_tiny_tokenizers_write_words_as_sentencepiece_does() -> None:
    assert t5_tokenizer().tokenize("The nurse said that she") == [
        "▁The",
        "▁nurse",
        "▁said",
        "▁that",
        "▁s",
        "he",
    ]
