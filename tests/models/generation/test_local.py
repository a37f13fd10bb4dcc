"""Causal models: the same texts however they are asked for, and as written down token by token."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from scipy import stats
from transformers.cache_utils import DynamicLayer

from pcf_core.core.errors import GenerationError, ScoringError
from pcf_core.core.generation import BLOCK, Decoding, Generated, GenerationKey, joined, parts
from pcf_core.models.frames import DATE
from pcf_core.models.generation.base import open_generator
from pcf_core.models.generation.local import CausalGenerator, RoomyLayer
from pcf_core.models.generation.seq2seq import Seq2SeqGenerator
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from tests.models.generation.conftest import (
    brute_text,
    exact_distribution,
    forward_of,
    key_of,
    nothing,
    open_causal,
    require_brute_force,
)
from tests.models.scoring.conftest import CAUSAL, FIRST_CAUSAL, build, load_tiny
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer
from tests.quick import quick

PROMPT = "The nurse said that he was"
DECODINGS = [{"temperature": 1.0, "top_p": 0.9}, {"temperature": 0.7, "top_p": 1.0}, {"temperature": 0.0}]


def stops_of(loaded: Loaded) -> set[int]:
    return {loaded.tokenizer.eos_token_id}


def check_against_brute_force(
    generator: CausalGenerator, loaded: Loaded, start: list[int], indices: range, continues: bool = True
) -> None:
    forward, before = forward_of(loaded), start if continues else []
    require_brute_force(generator, PROMPT, start, forward, stops_of(loaded), before, indices)


@pytest.mark.parametrize("name", quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__))
def test_without_a_cache_token_by_token_the_texts_are_the_same(name: str) -> None:
    loaded = load_tiny(name)
    generator = open_causal(loaded)
    check_against_brute_force(generator, loaded, loaded.tokenizer(PROMPT)["input_ids"], range(4))


def test_where_a_memory_cannot_be_repeated_whole_texts_run_again() -> None:
    """States stand in the place of keys and values in Mamba and its kin; all other twins have a cache."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 8}
    loaded = build("MambaForCausalLM", gpt2_tokenizer, **sizes)
    generator = open_causal(loaded)
    assert not generator.caches
    check_against_brute_force(generator, loaded, loaded.tokenizer(PROMPT)["input_ids"], range(4))
    states = {"mamba2", "falcon-h1", "qwen3-next"}
    assert {name for name in CAUSAL if not open_causal(load_tiny(name)).caches} <= states


@pytest.mark.parametrize("decoding", DECODINGS, ids=str)
@pytest.mark.parametrize("name", ["gpt2", "mistral"])
def test_with_other_settings_too(name: str, decoding: dict[str, float]) -> None:
    loaded = load_tiny(name)
    generator = open_causal(loaded, length=14, **decoding)
    check_against_brute_force(generator, loaded, loaded.tokenizer(PROMPT)["input_ids"], range(0, BLOCK, 4))


@pytest.mark.parametrize("name", sorted(FIRST_CAUSAL))
def test_order_interruption_and_other_prompts_change_nothing(name: str) -> None:
    loaded = load_tiny(name)
    whole = open_causal(loaded).generate(PROMPT, 0, 4 * BLOCK, nothing)
    assert len(set(whole.texts)) > 4

    backwards = open_causal(loaded)
    blocks: dict[int, Generated] = {}
    for first in (75, 50, 25, 0):
        blocks[first] = backwards.generate(PROMPT, first, BLOCK, nothing)
        backwards.generate("The engineer told us", first, BLOCK, nothing)
    assert joined([blocks[first] for first in (0, 25, 50, 75)]) == whole

    interrupted = open_causal(loaded)
    calls = 0

    def stop_at_the_fifth() -> None:
        nonlocal calls
        calls += 1
        interrupted.generate("The captain", 0, BLOCK, nothing)  # answered between two tokens
        if calls == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted.generate(PROMPT, 0, 4 * BLOCK, stop_at_the_fifth)
    again = [interrupted.generate(PROMPT, first, BLOCK, nothing) for first in (0, 25, 50, 75)]
    assert joined(again) == whole


RECURRENT = {"falcon-h1", "mamba2", "qwen3-next"}  # whose scans may round by the number of rows
MIXED = {PROMPT: 30, "The engineer told us": 3, "She went to the": 1, "The pilot said that he is": 26}


@pytest.mark.parametrize("name", quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__))
def test_company_changes_nothing(name: str) -> None:
    """Texts of several prompts in one pass, of some alone, and of blocks of their own are the same."""
    generator = open_causal(load_tiny(name))
    wanted = [part for prompt, count in MIXED.items() for part in parts(prompt, 0, count)]
    if name in RECURRENT and not generator.row_invariant:
        assert generator.batches(wanted) == [[part] for part in wanted], "each text is written alone"
        return
    assert generator.row_invariant
    together = [made for batch in generator.batches(wanted) for made in generator.write(batch, nothing)]
    assert len(generator.batches(wanted)) < len(wanted)
    single = open_causal(load_tiny(name))
    by_itself = open_causal(load_tiny(name))
    vars(by_itself)["row_invariant"] = False
    assert by_itself.batches(wanted) == [[part] for part in wanted]
    for made in together:
        count = len(made.texts)
        assert by_itself.generate(made.prompt, made.first, count, nothing) == made
        one = single.generate(made.prompt, made.first + count - 1, 1, nothing)
        assert (one.texts, one.tokens) == (made.texts[-1:], made.tokens[-1:])


@pytest.mark.parametrize("name", ["mini-gpt", "mini-gpt-s"])
def test_company_changes_nothing_of_a_shipped_model(name: str) -> None:
    """Its products are wider than a tiny one's; passes of few rows and of many round each row alike."""
    generator = open_generator(resolve(name), Decoding(length=12))
    assert isinstance(generator, CausalGenerator)
    assert generator.row_invariant
    whole = generator.generate(PROMPT, 0, 8 * BLOCK, nothing)
    for first, count in ((0, 1), (3, 2), (7, 9), (16, 33), (50, 100)):
        few = generator.generate(PROMPT, first, count, nothing)
        assert few.texts == whole.texts[first : first + count]


def test_a_small_model_multiplies_by_onednn_in_passes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In pauses others may ask the same model, or train one; a large one keeps its own products."""
    loaded = load_tiny("gpt2")

    def replaced() -> bool:
        return any("forward" in vars(part) for part in loaded.model.modules())

    for light in (True, False):
        if not light:
            monkeypatch.setattr("pcf_core.models.generation.local.LIGHT", 0)
        generator = open_causal(loaded)
        within: list[bool] = []
        between: list[tuple[bool, bool]] = []
        hook = loaded.model.register_forward_pre_hook(lambda *given, seen=within: seen.append(replaced()))
        generator.generate(
            PROMPT,
            0,
            BLOCK,
            lambda seen=between: seen.append((replaced(), torch.is_inference_mode_enabled())),
        )
        hook.remove()
        assert (set(within), set(between)) == ({light}, {(False, False)})


def test_where_rows_depend_on_how_many_there_are_blocks_are_written_whole() -> None:
    """A product of matrices that rounds by the number of rows: the texts are those of the whole block."""
    generator = open_causal(load_tiny("gpt2"))
    forward = generator._next

    def by_number(state: dict[str, object], drawn: torch.Tensor) -> torch.Tensor:
        return forward(state, drawn) * (1 + len(drawn) / 8)

    generator._next = by_number  # type: ignore[method-assign]
    assert not generator.row_invariant
    whole = generator.generate(PROMPT, 0, BLOCK, nothing)
    for first, count in ((0, 2), (7, 18)):
        assert generator.generate(PROMPT, first, count, nothing).texts == whole.texts[first : first + count]


def test_texts_that_have_ended_leave_the_passes() -> None:
    """What is left is written in fewer rows, and the texts are those of a block of its own."""
    loaded = load_tiny("gpt2")
    logits = forward_of(loaded)(loaded.tokenizer(PROMPT)["input_ids"])
    ending = [int(token) for token in np.argsort(logits)[-4:]]
    generator = open_causal(ending_with(loaded, ending), length=12)
    rows: list[int] = []
    forward = generator._next

    def watched(state: dict[str, object], drawn: torch.Tensor) -> torch.Tensor:
        rows.append(len(drawn))
        return forward(state, drawn)

    assert generator.row_invariant
    generator._next = watched  # type: ignore[method-assign]
    shrinking = generator.generate(PROMPT, 0, 4 * BLOCK, nothing)
    assert len(set(rows)) > 2
    assert rows == sorted(rows, reverse=True)
    whole = open_causal(ending_with(loaded, ending), length=12)
    vars(whole)["row_invariant"] = False
    assert whole.generate(PROMPT, 0, 4 * BLOCK, nothing) == shrinking


def test_long_texts_of_wide_models_are_written_fewer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = open_causal(load_tiny("gpt2"))
    wanted = list(parts(PROMPT, 0, 13 * BLOCK))
    assert [len(batch) for batch in generator.batches(wanted)] == [10, 3]
    monkeypatch.setattr(generator, "most", 128)
    assert [len(batch) for batch in generator.batches(wanted)] == [5, 5, 3]
    monkeypatch.setattr("pcf_core.models.generation.local.MOST_CACHED", 0)
    assert [len(batch) for batch in generator.batches(wanted)] == [1] * 13


def test_a_memory_with_room_holds_what_one_without_holds() -> None:
    """Two prompts of three tokens; rows go and come twice; what is read has no gaps and seldom moves."""
    plain, roomy = DynamicLayer(), RoomyLayer()
    plain.update(*torch.randn(2, 2, 4, 3, 8, generator=(random := torch.Generator().manual_seed(1))))
    roomy.__dict__.update(vars(plain), room=3)
    places = []
    for step in range(9):
        if rows := {0: [0, 1, 1], 5: [2, 0, 0, 1, 2]}.get(step):
            plain.batch_select_indices(torch.tensor(rows))
            roomy.batch_select_indices(torch.tensor(rows))
        new = torch.randn(2, len(plain.keys), 4, 1, 8, generator=random)
        expected, stored = plain.update(*new), roomy.update(*new)
        for old, held in zip(expected, stored, strict=True):
            assert torch.equal(old, held)
            assert held.permute(2, 0, 1, 3).is_contiguous()
        places.append(stored[0].data_ptr())
    assert [address != before for before, address in pairwise(places)] == [
        step in (4, 5, 8) for step in range(1, 9)
    ]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_rows_that_follow_each_other_stay_where_they_are(dtype: torch.dtype) -> None:
    """The first and the last of seven leave, then two in between; what is added goes behind those left."""
    plain, roomy = DynamicLayer(), RoomyLayer()
    random = torch.Generator().manual_seed(2)
    plain.update(*torch.randn(2, 7, 2, 3, 8, generator=random).to(dtype))
    roomy.__dict__.update(vars(plain), room=6)
    first = torch.randn(2, 7, 2, 1, 8, generator=random).to(dtype)
    plain.update(*first)
    roomy.update(*first)
    for rows, stays in (([1, 2, 3, 4, 5], True), ([0, 2, 4], False), ([0, 1, 2], True)):
        before = [held.data_ptr() for held in (roomy.keys, roomy.values)]
        offset = rows[0] * 2 * 8 * dtype.itemsize
        plain.batch_select_indices(torch.tensor(rows))
        roomy.batch_select_indices(torch.tensor(rows))
        after = [held.data_ptr() for held in (roomy.keys, roomy.values)]
        assert (after == [address + offset for address in before]) == stays
        new = torch.randn(2, len(rows), 2, 1, 8, generator=random).to(dtype)
        for old, held in zip(plain.update(*new), roomy.update(*new), strict=True):
            assert torch.equal(old, held)


def test_a_small_model_takes_one_thread_and_gives_the_others_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """In pauses and afterwards other work has as many as before; the texts are the same either way."""
    generator = open_causal(load_tiny("gpt2"))
    alone = generator.generate(PROMPT, 0, BLOCK, nothing)
    used, between = [], []
    forward = generator._next

    def watched(*given: object) -> torch.Tensor:
        used.append(torch.get_num_threads())
        return forward(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(generator, "_next", watched)
    torch.set_num_threads(2)
    try:
        texts = generator.generate(PROMPT, 0, BLOCK, lambda: between.append(torch.get_num_threads()))
        assert torch.get_num_threads() == 2
        monkeypatch.setattr("pcf_core.models.generation.local.LIGHT", 0)
        large = open_causal(load_tiny("gpt2"))
        assert (large.threads, large.most) == (2, 128)
    finally:
        torch.set_num_threads(1)
    assert (set(used), set(between), generator.threads, generator.most) == ({1}, {2}, 1, 256)
    assert texts == alone


@pytest.mark.parametrize(
    "decoding", [{"temperature": 1.0, "top_p": 1.0}, {"temperature": 0.7, "top_p": 0.8}], ids=str
)
def test_the_law_of_the_next_token(decoding: dict[str, float]) -> None:
    """Chi-square of 4,000 texts of one token against the softmax of a plain forward pass."""
    loaded = load_tiny("gpt2")
    generator = open_causal(loaded, length=1, **decoding)
    ids = loaded.tokenizer(PROMPT)["input_ids"]
    exact = exact_distribution(forward_of(loaded)(ids), generator.key.decoding)
    wanted: Counter[str] = Counter()
    for token, probability in enumerate(exact):
        stopped = token in stops_of(loaded)
        text = "" if stopped else loaded.tokenizer.decode([token], clean_up_tokenization_spaces=False)
        wanted[text] += probability
    counts = Counter(generator.generate(PROMPT, 0, 4000, nothing).texts)
    assert set(counts) <= {text for text, probability in wanted.items() if probability > 0}
    common = [text for text, probability in wanted.items() if probability * 4000 >= 5]
    observed = np.array([*(counts[text] for text in common), 0.0])
    expected = np.array([*(wanted[text] * 4000 for text in common), 0.0])
    observed[-1], expected[-1] = 4000 - observed.sum(), 4000 - expected.sum()
    if expected[-1] < 1e-6:
        observed, expected = observed[:-1], expected[:-1]
    assert len(observed) > 3
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_greedy_is_one_text() -> None:
    loaded = load_tiny("gpt2")
    greedy = open_causal(loaded, temperature=0, length=6).generate(PROMPT, 0, BLOCK, nothing)
    assert len(set(greedy.texts)) == 1
    ids = loaded.tokenizer(PROMPT)["input_ids"]
    theirs = loaded.model.generate(torch.tensor([ids]), max_new_tokens=6, do_sample=False, pad_token_id=0)[
        0, len(ids) :
    ]
    assert greedy.texts[0] == loaded.tokenizer.decode(theirs, skip_special_tokens=True)


# Where texts end.


def ending_with(loaded: Loaded, tokens: list[int]) -> Loaded:
    """The same model, whose configuration names these end-of-text tokens."""
    model = copy.copy(loaded.model)
    model.generation_config = copy.deepcopy(loaded.model.generation_config)
    model.generation_config.eos_token_id = tokens
    return Loaded(model, loaded.tokenizer, loaded.device)


@pytest.mark.slow
def test_a_text_ends_at_any_of_the_ending_tokens_and_does_not_hold_it() -> None:
    loaded = load_tiny("gpt2")
    free = open_causal(loaded, length=12).generate(PROMPT, 0, BLOCK, nothing)
    ids = loaded.tokenizer(PROMPT)["input_ids"]

    def by_hand(index: int, stops: set[int]) -> tuple[list[int], bool]:
        return brute_text(key_of(length=12), PROMPT, index, ids, forward_of(loaded), stops)

    common = Counter(token for index in range(BLOCK) for token in by_hand(index, stops_of(loaded))[0][1:])
    ending = [token for token, _ in common.most_common(3)]
    cut = open_causal(ending_with(loaded, ending), length=12).generate(PROMPT, 0, BLOCK, nothing)
    for index in range(BLOCK):
        written, stopped = by_hand(index, {*ending, *stops_of(loaded)})
        assert cut.tokens[index] == len(written) <= free.tokens[index]
        assert free.texts[index].startswith(cut.texts[index])
        assert cut.ends[index] == "empty" or (cut.ends[index] == "stop") == stopped
    assert {"stop", "length"} <= set(cut.ends)


def test_a_model_that_writes_nothing_is_counted() -> None:
    """Greedy, the first token ends the text: 25 empty texts, and no second pass."""
    loaded = load_tiny("gpt2")
    logits = forward_of(loaded)(loaded.tokenizer(PROMPT)["input_ids"])
    silent = open_causal(ending_with(loaded, [logits.index(max(logits))]), temperature=0)
    pause = Mock()
    texts = silent.generate(PROMPT, 0, BLOCK, pause)
    assert (texts.texts, texts.ends, texts.tokens) == (("",) * BLOCK, ("empty",) * BLOCK, (0,) * BLOCK)
    assert not pause.called


# Refusals.


def test_too_long_for_the_context_is_one_sentence() -> None:
    loaded = load_tiny("gpt2")
    needed = len(loaded.tokenizer(PROMPT)["input_ids"]) + 8
    assert len(open_causal(loaded, context=needed).generate(PROMPT, 0, BLOCK, nothing).texts) == BLOCK
    open_causal(loaded, context=needed).check(PROMPT)
    short = open_causal(loaded, context=needed - 1)
    for refuse in (short.check, lambda prompt: short.generate(prompt, 0, BLOCK, nothing)):
        with pytest.raises(GenerationError) as refusal:
            refuse(PROMPT)
        assert str(refusal.value) == (
            f"The prompt '{PROMPT}' and 8 new tokens need {needed} tokens together, but tiny can only "
            f"take {needed - 1}: shorten one of them."
        )


def damaged(loaded: Loaded) -> CausalGenerator:
    broken = Loaded(copy.deepcopy(loaded.model), loaded.tokenizer, "cpu")
    with torch.no_grad():
        broken.model.transformer.ln_f.weight[0] = torch.nan
    return open_causal(broken)


def without_memory(loaded: Loaded) -> CausalGenerator:
    generator = open_causal(loaded)

    def full(*_: object) -> None:
        raise torch.OutOfMemoryError

    generator._next = full  # type: ignore[method-assign,assignment]
    return generator


def told_its_end(loaded: Loaded) -> CausalGenerator:
    return open_causal(loaded).with_system(f"Be {loaded.tokenizer.eos_token}")


SPECIAL = "contains </s>, a special token of tiny: remove it"
# What makes a generator, of which twin, the prompt that it is given, and the sentence that refuses it.
REFUSED: list[tuple[Callable[[Loaded], CausalGenerator], str, str, str]] = [
    (open_causal, "gpt2", "", "A prompt is empty"),
    (open_causal, "gpt2", " \n", "A prompt is empty"),
    (open_causal, "llama", "He was</s>old", SPECIAL),
    (told_its_end, "llama", PROMPT, SPECIAL),
    (damaged, "gpt2", PROMPT, "The model tiny returned NaN for the prompt 'The nurse said that he was'"),
    (without_memory, "gpt2", PROMPT, "ran out of memory with 256 texts at once"),
]


@pytest.mark.parametrize(("make", "name", "prompt", "sentence"), REFUSED)
def test_what_cannot_be_written_is_one_sentence(
    make: Callable[[Loaded], CausalGenerator], name: str, prompt: str, sentence: str
) -> None:
    with pytest.raises((GenerationError, ScoringError), match=sentence):
        make(load_tiny(name)).generate(prompt, 0, BLOCK, nothing)


# Chats.

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'] }} said {{ message['content'] }}."
    "{% endfor %}{% if add_generation_prompt %} He told us{% endif %}"
)


def chatting(name: str, template: str) -> Loaded:
    loaded = load_tiny(name)
    tokenizer = copy.deepcopy(loaded.tokenizer)
    tokenizer.chat_template = template
    return Loaded(loaded.model, tokenizer, loaded.device)


@pytest.mark.parametrize("name", ["llama", "qwen2"])
def test_a_chat_is_asked_as_a_users_message(name: str) -> None:
    loaded = chatting(name, TEMPLATE)
    generator = open_causal(loaded, chat_template="hash")
    conversation = f"{loaded.tokenizer.bos_token}user said {PROMPT}. He told us"
    start = loaded.tokenizer(conversation, add_special_tokens=False)["input_ids"]
    check_against_brute_force(generator, loaded, start, range(6), continues=False)


def test_without_the_key_of_a_template_the_prompt_is_gone_on_from() -> None:
    """A key decides all: what the tokenizer happens to hold does not."""
    plain = open_causal(load_tiny("llama")).generate(PROMPT, 0, BLOCK, nothing)
    assert open_causal(chatting("llama", TEMPLATE)).generate(PROMPT, 0, BLOCK, nothing) == plain


def test_a_template_that_asks_for_the_date_is_told_a_fixed_one() -> None:
    """In Llama 3's manner, and as those that ask without looking."""
    llama = (
        "{%- if strftime_now is defined %}{%- set day = strftime_now('%d %b %Y') %}"
        "{%- else %}{%- set day = 'none' %}{%- endif %}{{ day }}: {{ messages[0]['content'] }}"
    )
    for template in (llama, "{{ strftime_now('%d') }}: {{ messages[0]['content'] }}"):
        loaded = chatting("qwen2", template)
        generator = open_causal(loaded, chat_template="hash")
        assert loaded.tokenizer.decode(generator.prompt_ids("he was")) == f"{DATE}: he was"


SYSTEM = "You are brief."
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
DROPS_SYSTEM = (
    "{{ bos_token }}{% for message in messages if message['role'] == 'user' %}"
    "user said {{ message['content'] }}.{% endfor %} He told us"
)


@pytest.mark.parametrize(
    ("template", "whole"),
    [
        (TEMPLATE, f"system said {SYSTEM}.user said {PROMPT}. He told us"),
        (NO_SYSTEM, f"user said {SYSTEM}\n\n{PROMPT}. He told us"),
        (DROPS_SYSTEM, f"user said {SYSTEM}\n\n{PROMPT}. He told us"),
    ],
    ids=["takes", "refuses", "drops"],
)
def test_what_is_told_first_reaches_the_model(template: str, whole: str) -> None:
    """A message of the system; in front of the user's where a template refuses it, or leaves it out."""
    loaded = chatting("llama", template)
    generator = open_causal(loaded, chat_template="hash").with_system(SYSTEM)
    start = loaded.tokenizer(loaded.tokenizer.bos_token + whole, add_special_tokens=False)["input_ids"]
    check_against_brute_force(generator, loaded, start, range(2), continues=False)


def test_without_messages_it_stands_before_the_prompt() -> None:
    plain = open_causal(load_tiny("gpt2"))
    other = plain.with_system(SYSTEM)
    assert other.prompt_ids(PROMPT) == plain.prompt_ids(f"{SYSTEM}\n\n{PROMPT}")
    assert (plain.key.system, other.key.system) == ("", SYSTEM)
    assert other.model is plain.model
    assert other.with_system("").generate(PROMPT, 0, BLOCK, nothing) == plain.generate(
        PROMPT, 0, BLOCK, nothing
    )


# From a model to its generator.


@pytest.mark.parametrize(("name", "kind"), [("mini-gpt", CausalGenerator), ("mini-t5", Seq2SeqGenerator)])
def test_shipped_models_write(name: str, kind: type) -> None:
    decoding = Decoding(length=5)
    generator = open_generator(resolve(name), decoding)
    assert isinstance(generator, kind)
    assert generator.key == GenerationKey.of(resolve(name), decoding)
    written = generator.generate("She is a", 0, BLOCK, nothing)
    assert len(set(written.texts)) > 5
    assert sum(text.startswith(" ") for text in written.texts) > BLOCK / 2


@pytest.mark.parametrize("name", ["mini-bert", "mini-xlnet"])
def test_models_that_fill_gaps_are_refused_before_they_are_loaded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.models.loading.load", lambda spec: pytest.fail("it was being loaded"))
    with pytest.raises(GenerationError, match="which fills gaps and cannot write a text"):
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
