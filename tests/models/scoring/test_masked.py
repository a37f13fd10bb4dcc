"""Families that fill a gap: masked models, XLNet, encoder–decoders; what one pass serves, worked examples."""

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
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AddedToken,
    ByT5Tokenizer,
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    MBartTokenizer,
    PreTrainedTokenizerFast,
    T5Tokenizer,
    XLNetTokenizer,
)

from pcf_core.core.errors import ModelError
from pcf_core.core.records import FloatArray
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring import seq2seq
from pcf_core.models.scoring.base import open_scorer
from pcf_core.models.scoring.masked import Query
from pcf_core.models.scoring.permutation import PermutationScorer
from pcf_core.models.scoring.seam import Seam
from pcf_core.models.scoring.seq2seq import Question, Seq2SeqScorer, first_token
from pcf_core.models.scoring.trees import Continuations
from tests.models.scoring.conftest import (
    FIRST_MASKED,
    SEQ2SEQ,
    SHORT_CONTEXT,
    Table,
    brute,
    brute_seq2seq,
    changed,
    load_tiny,
    open_loaded,
    open_tiny,
    save,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS, bart_tokenizer, pieces

PROMPT = "The nurse said that [Y]."


def test_the_space_before_the_mask_belongs_to_the_word() -> None:
    """With and without a mask token that takes the space before it, no lone space is left."""
    for name in ("roberta", "mini-bert"):
        lone = load_tiny(name).tokenizer.tokenize("met <mask>")[-2] == "Ġ"
        assert lone == (name == "mini-bert")
        scorer = scorer_of(name)
        (pieces,) = scorer.seam.cut(["The man met [Y]."], ["he"])
        (query,) = scorer._queries(pieces)
        tokens = load_tiny(name).tokenizer.convert_ids_to_tokens(list(query.ids))
        assert tokens[-3:] == ["<mask>", ".", "</s>"]
        assert tokens[-4] != "Ġ"
        assert tokens[query.position] == "<mask>"


def test_each_input_runs_once() -> None:
    """ "mother" and "mothers" share their first inputs only where they have equally many tokens."""
    scorer = scorer_of("bert")
    (pieces,) = scorer.seam.cut([PROMPT], WORDS)
    queries = scorer._queries(pieces)
    beginnings = {(len(ids), ids[:filled]) for ids in pieces.words for filled in range(len(ids))}
    assert len(queries) == len(beginnings)
    assert sum(len(targets) for targets in queries.values()) == sum(map(len, pieces.words))


@pytest.mark.parametrize("name", [*sorted(FIRST_MASKED), "xlnet"])
def test_only_the_position_that_is_read_goes_through_the_head(name: str) -> None:
    scorer = changed(name)
    assert scorer.body is not None
    seen: list[torch.Size] = []
    hook = (
        load_tiny(name)
        .model.get_output_embeddings()
        .register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].shape))
    )
    words = ["he", "woman"]  # of different numbers of tokens: no query serves both
    scorer.score([PROMPT], words)
    hook.remove()
    assert sum(shape[:2].numel() for shape in seen) == sum(scorer.check(words).tokens.values())


def test_model_without_a_mask_token_is_refused() -> None:
    loaded = Loaded(load_tiny("bert").model, load_tiny("gpt2").tokenizer, "cpu")
    with pytest.raises(ModelError, match="no mask token"):
        open_loaded(loaded, "bert")


def test_worked_example_with_masks() -> None:
    names = ["[CLS]", "[MASK]", "[UNK]", "that", "sh", "##e", ".", "a"]
    vocabulary = {name: number for number, name in enumerate(names)}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, mask_token="[MASK]", unk_token="[UNK]")
    cls, mask, that, sh, e, stop = 0, 1, 3, 4, 5, 6

    def seen(input_ids: torch.Tensor, **_: Any) -> list[list[tuple[tuple[int, ...], int]]]:
        return [[(tuple(ids), index) for index in range(len(ids))] for ids in input_ids.tolist()]

    rows = {((cls, that, mask, mask, stop), 2): {sh: 0.2}, ((cls, that, sh, mask, stop), 3): {e: 0.5}}
    scorer = open_loaded(Loaded(Table(len(names), rows, seen), tokenizer, "cpu"), "bert")
    assert scorer.score(["that [Y] ."], ["she"])[0, 0] == pytest.approx(np.log(0.1), abs=1e-5)


# XLNet: what is not filled yet is seen by nobody.


def next_tokens(scorer: PermutationScorer, prompt: str, word: tuple[int, ...], k: int) -> FloatArray:
    """[vocabulary] nats of every token at the place behind ``word``, of ``k`` places in all."""
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    open_places = (scorer.mask,) * (k - len(word))
    ids = pieces.left + word + open_places + pieces.rights[0] + scorer.seam.closing
    query = Query(ids, len(pieces.left) + len(word))
    tokens = np.arange(scorer.vocabulary)
    return scorer._log_probabilities([query], np.zeros_like(tokens), tokens)


NAMES = ("the", "nurse", "said", "that", "old", "doctor", "engineer", "a", "to")
texts = st.lists(st.sampled_from(NAMES), min_size=1).map(" ".join)


@given(
    text=texts,
    right=st.sampled_from(["", ".", " was old"]),
    word=st.lists(st.integers(9, 40), max_size=2).map(tuple),
    k=st.integers(3, 4),
)
def test_probabilities_of_all_tokens_at_a_place_sum_to_one(
    text: str, right: str, word: tuple[int, ...], k: int
) -> None:
    nats = next_tokens(scorer_of("xlnet"), f"{text} [Y]{right}", word, k)
    assert np.logaddexp.reduce(nats) == pytest.approx(0, abs=1e-5)


def test_what_stands_at_an_open_place_is_never_read() -> None:
    """Any token there gives the same numbers; the token before the place does not."""
    scorer = scorer_of("xlnet")
    index = 2
    inputs = scorer._inputs([Query((9, 10, scorer.mask, scorer.mask, 12, 4, 3), index)])
    with torch.inference_mode():
        first = scorer.model(**inputs).logits
        inputs["input_ids"] = torch.tensor([[9, 10, 20, 21, 12, 4, 3]])
        torch.testing.assert_close(scorer.model(**inputs).logits, first)
        inputs["input_ids"] = torch.tensor([[9, 11, 20, 21, 12, 4, 3]])
        assert not torch.allclose(scorer.model(**inputs).logits, first, atol=0.01)


def test_worked_example_with_open_places() -> None:
    names = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    tokenizer = XLNetTokenizer(vocab=[(name, -1.0) for name in [*names, "▁that", "▁sh", "e", ".", "a", "▁"]])
    end, sep, that, sh, e, stop = 3, 4, 9, 10, 11, 12

    def visible(
        input_ids: torch.Tensor, perm_mask: torch.Tensor, target_mapping: torch.Tensor, **_: Any
    ) -> Any:
        assert (perm_mask == perm_mask[:, :1]).all()  # hidden from every token alike
        hidden, places = perm_mask[:, 0].bool().tolist(), target_mapping[:, 0].argmax(dim=1).tolist()
        return [
            [(tuple(None if one else token for token, one in zip(ids, row, strict=True)), index)]
            for ids, row, index in zip(input_ids.tolist(), hidden, places, strict=True)
        ]

    first, second = (that, None, None, stop, sep, end), (that, sh, None, stop, sep, end)
    table = Table(15, {(first, 1): {sh: 0.2}, (second, 2): {e: 0.5}}, visible)
    scorer = open_loaded(Loaded(table, tokenizer, "cpu"), "xlnet")
    assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(0.1, rel=1e-5)


# Encoder–decoder models: what both sides read, and rows that words share.


def tokens_behind(scorer: Seq2SeqScorer, prompt: str, word: tuple[int, ...]) -> FloatArray:
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
    whole = np.logaddexp.reduce(tokens_behind(scorer, prompt, tuple(word)))
    expected = tokens_behind(scorer, prompt, tuple(word[:-1]))[word[-1]] if word else 0.0
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
    assert packs == dict.fromkeys(packs, True) | {"led": False, "switch": False}


def test_words_in_one_row_would_fill_the_experts_of_switch_transformers() -> None:
    """An expert leaves out the tokens of a row beyond its capacity."""
    loaded = SEQ2SEQ["switch"].load()
    for module in loaded.model.modules():
        if hasattr(module, "expert_capacity"):
            module.expert_capacity = 8
    scorer = open_loaded(loaded, "switch")
    want = np.array([[brute_seq2seq(loaded, prompt, word) for word in WORDS] for prompt in PROMPTS])
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), want, atol=1e-4)
    scorer.packs = True
    assert np.abs(scorer.score(PROMPTS, WORDS) - want).max() > 0.1


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
    with pytest.raises(ModelError, match="ByT5's tokenizer has no name"):
        open_loaded(Loaded(model, tokenizer, "cpu"), "t5")


@pytest.mark.parametrize("absent", [False, True])
def test_a_decoder_without_a_start_is_refused(absent: bool) -> None:
    """A T5Config of transformers 5 lacks the attribute where its config.json lacks the entry."""
    loaded = SEQ2SEQ["t5"].load()
    loaded.model.config.decoder_start_token_id = None
    if absent:
        del loaded.model.config.decoder_start_token_id
    with pytest.raises(ModelError, match="set decoder_start_token_id"):
        open_loaded(loaded, "t5")


@pytest.mark.parametrize(("tokenizer", "starts"), [(MBartTokenizer, "ro_RO"), (MBart50Tokenizer, "</s>")])
@pytest.mark.parametrize("stated", [None, 2])
def test_the_decoder_starts_with_the_last_token_of_a_text_in_its_language(
    tokenizer: Any, starts: str, stated: int | None
) -> None:
    """With transformers' own tokenizers; mBART-50 states its end."""
    own = tokenizer(vocab=pieces(["<s>", "<pad>", "</s>", "<unk>"], []), src_lang="ro_RO")
    seam = Seam(own, "m")
    model = SimpleNamespace(config=MBartConfig(decoder_start_token_id=stated))
    assert own.convert_ids_to_tokens(first_token(model, seam, ModelError)) == starts
    labels = torch.tensor([own("he said").input_ids])
    shifted = MBartForConditionalGeneration.prepare_decoder_input_ids_from_labels(model, labels)
    assert shifted[0, 0] == first_token(model, seam, ModelError)
    model.config.decoder_start_token_id = own.convert_tokens_to_ids("en_XX")
    with pytest.raises(ModelError, match=r"it translates \(ro_RO to en_XX\), so .* another question"):
        first_token(model, seam, ModelError)
    model.config.decoder_start_token_id = stated
    model.generation_config = SimpleNamespace(forced_bos_token_id=own.convert_tokens_to_ids("ro_RO"))
    with pytest.raises(ModelError, match=r"it translates \(to ro_RO\), so .* another question"):
        first_token(model, seam, ModelError)


def test_a_tokenizer_that_states_no_language_is_refused() -> None:
    """PLBart's, as it is published."""
    model = load_tiny("plbart").model
    with pytest.raises(ModelError, match="set src_lang in its tokenizer_config"):
        open_loaded(Loaded(model, bart_tokenizer(), "cpu"), "plbart")


def test_a_published_checkpoint_without_a_start_token_is_opened(tmp_path: Path) -> None:
    for name in ("mbart", "mbart-50", "plbart", "led", "switch"):
        spec = resolve(save(load_tiny(name), tmp_path / name))
        assert spec.family == "seq2seq"
        assert spec.context == (0 if name == "switch" else SHORT_CONTEXT)
        assert open_scorer(spec).alone("that [Y].", "he") == pytest.approx(brute(name, "that [Y].", "he"))


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


def test_worked_example_with_sentinels() -> None:
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


def test_worked_example_of_bart() -> None:
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


def test_rows_of_one_pass_of_xlnet_are_asked_for_the_same_place() -> None:
    scorer = SimpleNamespace(mask=9)
    kinds = [PermutationScorer._kind(scorer, Query((1, 9, 9), position)) for position in (1, 2)]  # type: ignore[arg-type]
    assert kinds[0] != kinds[1]
    assert PermutationScorer._kind(scorer, Query((2, 9, 9), 1)) == kinds[0]  # type: ignore[arg-type]
