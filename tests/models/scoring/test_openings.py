"""What stands before a text: the key's tokens, and those that a model clearly expects."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, processors
from transformers import PreTrainedTokenizerFast

from pcf_core.core.errors import ModelError, OutOfMemoryError, ScoringError
from pcf_core.core.run import Opening, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.beginnings import CLEARLY, NOTES
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import list_models, resolve
from pcf_core.models.scoring.base import PLAIN, open_scorer
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.openings import Openings
from tests.models.conftest import use
from tests.models.scoring.conftest import (
    GPT2,
    Table,
    brute_force,
    build,
    key_of,
    load_tiny,
    open_loaded,
    save,
    scorer_of,
)
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS, gpt2_tokenizer

END = "<|endoftext|>"
TEXTS = (*PROMPTS, "[Y] was old.")


def opened_by(tokenizer: Any, token: str) -> PreTrainedTokenizerFast:
    """The same tokenizer, which puts a token before each text, or none."""
    raw = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    number = tokenizer.convert_tokens_to_ids(token) if token else 0
    specials = [(token, number)] if token else []
    raw.post_processor = processors.TemplateProcessing(
        single=f"{token} $A" if token else "$A", special_tokens=specials
    )
    roles = {name: getattr(tokenizer, name) for name in ("bos_token", "eos_token", "unk_token")}
    return PreTrainedTokenizerFast(tokenizer_object=raw, **roles)


def asked(loaded: Loaded, name: str, opening: Opening, protocol: str = "exact") -> CausalScorer:
    key = key_of(name, protocol).model_copy(update={"opening": opening})
    return CausalScorer(loaded, key)


@pytest.mark.parametrize("protocol", ["exact", "exact-boundary"])
@pytest.mark.parametrize(("name", "opening"), [("gpt2", (END,)), ("qwen2", (END,)), ("llama", ("</s>",))])
@torch.inference_mode()
def test_the_tokens_of_a_key_stand_before_every_text(name: str, opening: Opening, protocol: str) -> None:
    """As if the tokenizer put them there, whose scores are those of a brute force."""
    loaded = load_tiny(name)
    own = dataclasses.replace(loaded, tokenizer=opened_by(loaded.tokenizer, (opening or ("",))[0]))
    scorer = asked(loaded, name, opening, protocol)
    values = scorer.score(TEXTS, WORDS)
    np.testing.assert_array_equal(values, open_loaded(own, name, protocol).score(TEXTS, WORDS))
    assert scorer.key.opening == opening
    if protocol == "exact":
        for row in (0, 4, 6):
            expected = [brute_force(own, name, TEXTS[row], word) for word in WORDS]
            np.testing.assert_allclose(values[row], expected, atol=1e-4)
    assert not np.allclose(values, scorer_of(name, protocol).score(TEXTS, WORDS), atol=0.01)
    assert scorer.sentence_opening is None


def test_a_key_may_take_the_tokenizers_token_away() -> None:
    loaded = load_tiny("llama")
    bare = dataclasses.replace(loaded, tokenizer=opened_by(loaded.tokenizer, ""))
    scorer = asked(loaded, "llama", ())
    np.testing.assert_array_equal(
        scorer.score(PROMPTS, WORDS), open_loaded(bare, "llama").score(PROMPTS, WORDS)
    )
    assert scorer.traits["opening"].startswith(
        "No token is put before a text. A word that begins a text is scored after <s>. Plain sentences are "
    )
    assert scorer.traits["opening"].endswith(" after <s>, as its tokenizer has it.")


def test_a_token_that_the_tokenizer_lacks_is_refused() -> None:
    with pytest.raises(ModelError, match=r"^The tokenizer of gpt2 lacks <bos>, with which its texts were to"):
        asked(load_tiny("gpt2"), "gpt2", ("<bos>",))


# What a model expects.  Of a model whose probabilities are given, everything can be worked out by hand.

SPOILED = "~"  # the token that has all the rest of the probability
SPACE = "\u0120\u0120"  # a token of no sentence


def expecting(token: str, tokenizer: Any, lost: float) -> Loaded:
    """A model that gives every token the same probability in a text after ``token`` ("" for none).

    In other texts they have ``lost`` nats less.
    """
    own, size = tokenizer, len(tokenizer)
    first = own.convert_tokens_to_ids(token) if token else None
    specials = set(own.all_special_ids)
    share = 1 - np.exp(-lost) * (size - 1) / size

    def seen(input_ids: torch.Tensor, **_: Any) -> list[list[str]]:
        as_expected = [
            ids[0] == first if first is not None else ids[0] not in specials for ids in input_ids.tolist()
        ]
        return [["expected" if one else "spoiled"] * input_ids.shape[1] for one in as_expected]

    spoiled = {"spoiled": {own.convert_tokens_to_ids(SPOILED): float(share)}}
    return Loaded(Table(size, spoiled if lost else {}, seen), own, "cpu")


BARE, ENDED = gpt2_tokenizer(), opened_by(gpt2_tokenizer(), END)


@pytest.mark.parametrize("lost", [0.0, 0.4, CLEARLY - 0.01, CLEARLY + 0.01, 10.5])
@pytest.mark.parametrize(
    ("tokenizer", "token", "opening"),
    [(BARE, END, (END,)), (BARE, "", None), (ENDED, END, None), (ENDED, "", ())],
)
def test_what_plain_sentences_show_is_part_of_the_key(
    tokenizer: Any, token: str, opening: Opening, lost: float
) -> None:
    """38,115 is the perplexity of Gemma 4 without its BOS token, 10.5 nats per token."""
    scorer = open_loaded(expecting(token, tokenizer, lost), "gpt2")
    wanted = opening if lost > CLEARLY else None
    assert scorer.key.opening == wanted
    assert scorer.key.hash == key_of("gpt2").model_copy(update={"opening": wanted}).hash
    begins = (token == END) if lost > CLEARLY else (tokenizer is ENDED)
    assert scorer.seam.opening == ((BARE.eos_token_id,) if begins else ())
    assert f" {lost:.2f} nats per token " in scorer.traits["opening"]
    value = scorer.score(["The nurse said that [Y]"], ["he"])[0, 0]
    assert value == pytest.approx(-np.log(len(BARE)) - (0 if begins == (token == END) else lost), abs=1e-5)


def test_a_lack_of_memory_says_nothing_about_a_model() -> None:
    seam = open_loaded(expecting(END, BARE, 10.5), "gpt2").seam

    def failing(error: ScoringError) -> Openings:
        def read(*_: Any) -> Any:
            raise error

        return Openings(seam, read)

    assert failing(ScoringError("unreadable")).nats == {}
    with pytest.raises(OutOfMemoryError):
        _ = failing(OutOfMemoryError("full")).nats


def test_a_token_that_is_neither_bos_nor_eos_opens_no_text() -> None:
    """As SmolLM2's ``<|endoftext|>``; what it would change is said."""
    own = PreTrainedTokenizerFast(
        tokenizer_object=BARE.backend_tokenizer, bos_token=SPACE, extra_special_tokens=[END]
    )
    scorer = open_loaded(expecting(END, own, 2.0), "gpt2")
    assert scorer.key == key_of("gpt2")
    assert scorer.seam.opening == ()
    assert scorer.traits["opening"] == (
        f"No token is put before a text. A word that begins a text is scored after {SPACE}. Plain sentences "
        f"are 2.00 nats per token likelier after {END}, which its tokenizer names neither BOS nor EOS."
    )
    assert scorer.sentence_opening is not None
    assert scorer.sentence_opening.token == END


def test_a_token_that_the_model_lacks_is_not_read() -> None:
    """An index beyond the weights ends all work on a GPU."""
    loaded = load_tiny("gpt2")
    raw = Tokenizer.from_str(loaded.tokenizer.backend_tokenizer.to_str())
    own = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<bos>", eos_token=END)
    assert own.bos_token_id == len(BARE)
    scorer = open_loaded(dataclasses.replace(loaded, tokenizer=own), "gpt2")
    assert set(scorer.openings.nats) == {(), (BARE.eos_token_id,)}


def test_the_figures_leave_out_first_tokens() -> None:
    """Against plain forward passes of one sentence each."""
    loaded = load_tiny("llama")
    found = scorer_of("llama").openings.nats
    assert set(found) == {(1,), (), (2,)}
    for opening, mean in found.items():
        nats: list[float] = []
        for text in PLAIN:
            ids = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
            with torch.inference_mode():
                logits = loaded.model(input_ids=torch.tensor([[*opening, *ids]])).logits[0]
            logs = logits.double().log_softmax(-1)[len(opening) :]
            nats += [float(logs[index - 1, ids[index]]) for index in range(1, len(ids))]
        assert mean == pytest.approx(np.mean(nats), abs=1e-4)


@pytest.mark.parametrize("context", [3, 20])
def test_a_model_that_cannot_read_plain_sentences_keeps_its_tokenizers_opening(context: int) -> None:
    scorer = open_loaded(load_tiny("gpt2"), "gpt2", context=context)
    assert scorer.openings.nats == {}
    assert scorer.key == key_of("gpt2")
    assert scorer.traits["opening"] == (
        "No token is put before a text. A word that begins a text is scored after <|endoftext|>."
    )


# What was found is noted, and known to every later request.


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, own_settings: Settings) -> list[tuple[int, ...]]:
    """The openings after which plain sentences are read; after END they are made likelier by 3 nats."""
    openings: list[tuple[int, ...]] = []
    real = Openings._mean

    def mean(self: Openings, opening: tuple[int, ...], unread: int = 0) -> float:
        openings.append(opening)
        return real(self, opening, unread) + (3.0 if opening == (BARE.eos_token_id,) else 0.0)

    monkeypatch.setattr(Openings, "_mean", mean)
    return openings


def test_a_model_is_asked_once(
    read: list[tuple[int, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_settings: Settings
) -> None:
    folder = save(load_tiny("gpt2"), tmp_path / "models" / "tiny")
    spec = resolve(folder)
    assert spec.opening is None
    scorer = open_scorer(spec)
    assert scorer.key.opening == (END,)
    assert read == [(), (BARE.eos_token_id,)]
    assert json.loads((own_settings.cache / NOTES).read_text()) == {
        f"{spec.identity}|{spec.tokenizer}": f'["{END}"]'
    }
    known = resolve(folder)
    assert known == spec.model_copy(update={"opening": (END,)})
    again = open_scorer(known)
    assert (again.key, open_scorer(spec).key) == (scorer.key, scorer.key)
    assert len(read) == 2
    np.testing.assert_array_equal(again.score(PROMPTS, WORDS), scorer.score(PROMPTS, WORDS))
    use(monkeypatch, PCF_MODELS=str(tmp_path / "models"))
    assert {one.name: one.opening for one in list_models()}["tiny"] == (END,)


def test_the_tokenizers_opening_is_noted_too(tmp_path: Path, own_settings: Settings) -> None:
    spec = resolve(save(load_tiny("gpt2"), tmp_path / "tiny"))
    open_scorer(spec)
    assert set(json.loads((own_settings.cache / NOTES).read_text()).values()) == {"null"}
    assert resolve(spec.path) == spec


def test_what_was_not_found_is_not_noted(tmp_path: Path, own_settings: Settings) -> None:
    loaded = build("GPT2LMHeadModel", gpt2_tokenizer, **GPT2, max_position_embeddings=8)
    assert open_scorer(resolve(save(loaded, tmp_path / "tiny"))).key.opening is None
    assert not (own_settings.cache / NOTES).exists()


@pytest.mark.slow
def test_shipped_models_keep_the_keys_of_what_is_shipped(own_settings: Settings) -> None:
    specs = [spec for spec in list_models() if spec.family == "causal" and spec.kind != "public"]
    assert len(specs) > 5
    assert [open_scorer(spec).key for spec in specs] == [ScoringKey.of(spec) for spec in specs]


@pytest.mark.slow
def test_a_model_trained_with_bos_gets_it_back(tmp_path: Path, own_settings: Settings) -> None:
    """mini-gpt with a tokenizer that leaves its BOS token out has the scores of mini-gpt."""
    from pcf_core.models.loading import load

    spec = resolve("mini-gpt")
    loaded = load(spec)
    bare = dataclasses.replace(loaded, tokenizer=opened_by(loaded.tokenizer, ""))
    scorer, own = (open_scorer(resolve(save(bare, tmp_path / "bare"))), open_scorer(spec))
    assert (own.key.opening, scorer.key.opening) == (None, ("<s>",))
    np.testing.assert_array_equal(scorer.score(TEXTS, WORDS[:4]), own.score(TEXTS, WORDS[:4]))
    assert "less likely after no token, as its tokenizer has it." in scorer.traits["opening"]
