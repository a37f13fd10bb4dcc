"""Texts begin with the token that scoring found, or would find, to be expected before a sentence."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pcf_core.core.errors import OpeningError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings
from pcf_core.models.generation.base import open_generator
from pcf_core.models.generation.local import CausalGenerator
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.models.scoring.openings import Openings
from pcf_core.store.store import Store
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.text_audit import writing_key
from pcf_core.work.text_audits import TextsAsked, generate_missing
from tests.models.generation.conftest import forward_of, key_of, nothing, open_causal, require_brute_force
from tests.models.scoring.conftest import load_tiny, save, scorer_of
from tests.models.scoring.test_frames import load_style
from tests.models.scoring.test_openings import END, opened_by

PROMPT = "The nurse said that he was"
DECODING = Decoding(length=4, temperature=0)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, own_settings: Settings) -> list[tuple[int, ...]]:
    """The openings after which plain sentences are read; after any token they are made likelier by 3 nats."""
    openings: list[tuple[int, ...]] = []
    real = Openings._mean

    def mean(self: Openings, opening: tuple[int, ...], unread: int = 0) -> float:
        openings.append(opening)
        return real(self, opening, unread) + 3.0 * bool(opening)

    monkeypatch.setattr(Openings, "_mean", mean)
    return openings


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_sentences_are_as_likely_as_in_scoring(name: str) -> None:
    found = open_causal(load_tiny(name)).openings.nats
    assert found == pytest.approx(scorer_of(name).openings.nats, abs=1e-4)


def test_the_tokens_of_a_key_stand_before_the_prompt() -> None:
    loaded = load_tiny("gpt2")
    key = key_of().model_copy(update={"opening": (END,)})
    generator = CausalGenerator(loaded, key)
    start = [loaded.tokenizer.eos_token_id, *loaded.tokenizer(PROMPT)["input_ids"]]
    assert generator.key == key
    require_brute_force(
        generator, PROMPT, start, forward_of(loaded), {loaded.tokenizer.eos_token_id}, start, range(3)
    )
    assert open_causal(loaded).key == key_of()


def test_only_a_bare_text_of_a_chat_model_has_an_opening(read: list[tuple[int, ...]]) -> None:
    loaded = load_style("chatml")
    usual = open_causal(loaded, 400, chat_template="hash")
    assert usual.key == key_of(chat_template="hash")
    assert read == []
    bare = usual.with_system("", TextFrame(kind="bare"))
    (token,) = bare.key.opening or ()
    assert bare.prompt_ids(PROMPT)[0] == loaded.tokenizer.convert_tokens_to_ids(token)
    again = usual.with_system("").prompt_ids(PROMPT)
    spec = ModelSpec(
        name="tiny", family="causal", path="", identity="tiny", tokenizer="tiny", chat_template="1"
    )
    asked = writing_key(
        spec.model_copy(update={"opening": (token,)}), DECODING, CriteriaOptions(frame="bare")
    )
    assert asked.opening == bare.key.opening
    assert (again, again[0] == bare.prompt_ids(PROMPT)[0]) == (usual.prompt_ids(PROMPT), False)


def test_no_text_is_stored_under_the_key_that_was_asked_for(
    read: list[tuple[int, ...]], tmp_path: Path, own_settings: Settings
) -> None:
    """What writing finds is noted, and scoring finds it there."""
    folder, store = save(load_tiny("gpt2"), tmp_path / "tiny"), Store.open(own_settings.cache)

    def asked() -> TextsAsked:
        return TextsAsked(key=GenerationKey.of(resolve(folder), DECODING), prompts=(PROMPT,), count=1)

    before = asked()
    with pytest.raises(
        OpeningError, match=r"expects <\|endoftext\|> before a text.*: start the job again\.$"
    ):
        generate_missing(before, store)
    assert store.texts(before.key, PROMPT, 1) is None
    times = len(read)
    assert asked().key == before.key.model_copy(update={"opening": (END,)})
    assert generate_missing(asked(), store) == 1
    assert open_scorer(resolve(folder)).key.opening == (END,)
    assert len(read) == times


@pytest.mark.slow
def test_a_model_trained_with_bos_gets_it_back(tmp_path: Path, own_settings: Settings) -> None:
    """mini-gpt with a tokenizer that leaves its BOS token out writes what mini-gpt writes."""
    from pcf_core.models.loading import load

    spec = resolve("mini-gpt")
    loaded = load(spec)
    bare = dataclasses.replace(loaded, tokenizer=opened_by(loaded.tokenizer, ""))
    generator = open_generator(resolve(save(bare, tmp_path / "bare")), DECODING)
    own = open_generator(spec, DECODING)
    assert (own.key, generator.key.opening) == (GenerationKey.of(spec, DECODING), ("<s>",))
    assert generator.generate(PROMPT, 0, 1, nothing) == own.generate(PROMPT, 0, 1, nothing)
