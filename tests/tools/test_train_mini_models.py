"""The training tool: rows are a function of seed and step; a tiny run ends in a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from string import ascii_lowercase

import numpy as np
import pytest
import typer
from tokenizers import Tokenizer, models

from pcf_core.models.registry import resolve
from tools import train_mini_models as tool
from tools.mini_models.architectures import hub_tokenizer
from tools.mini_models.rows import PRONOUNS, Batches, Recipe
from tools.mini_models.text import BOS, EOS, VOCABULARY, is_held_out

SENTENCES = {
    "He": "he worked as an engineer in the town, and his brother said that he liked his work there.",
    "She": "she worked as a nurse in the town, and her sister said that she liked her work there.",
}
TOKENS = 1024  # a step


@pytest.fixture(scope="module", autouse=True)
def small_batches() -> Iterator[None]:
    """A quarter of the tokens a step, an eighth of the held-out windows: the rest is as in every training."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tools.mini_models.cards.WINDOWS", 64)
        for name, usual in tool.RECIPES.items():
            patch.setitem(tool.RECIPES, name, replace(usual, batch_tokens=TOKENS))
        yield


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 400 short lives, prepared."""
    folder, random = tmp_path_factory.mktemp("training"), Random(0)
    with (folder / "tiny_bios.jsonl").open("w") as file:
        for number in range(400):
            pronoun = ("He", "She")[number % 2]
            middle = " ".join("".join(random.choices(ascii_lowercase, k=7)) for _ in range(40))
            text = f"Person {number} was born in {1900 + number % 90} near {middle}. " + (
                f"{pronoun} was there when {SENTENCES[pronoun]} His or Her friends came. " * 6
            )
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")
    tool.prepare(corpora=folder, files=["tiny_bios.jsonl"], work=folder / "work")
    return folder / "work"


@pytest.fixture(scope="module")
def of_seed_2(work: Path, small_batches: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model of another seed than the usual."""
    folder = tmp_path_factory.mktemp("seed-2")
    tool.train("mini-gpt-s", tokens=TOKENS, work=work, out=folder, threads=1, seed=2)
    return folder


def recipe(name: str, **changes: object) -> Recipe:
    return Recipe(name, tokens=8192, batch_tokens=2048, **changes)  # type: ignore[arg-type]


def test_a_document_in_a_hundred_is_held_out() -> None:
    share = np.mean([is_held_out(str(number)) for number in range(20_000)])
    assert 0.008 < share < 0.012


def test_rows_depend_on_seed_and_step_alone(work: Path) -> None:
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    first, second = (Batches(work, recipe("mini-gpt"), raw) for _ in range(2))
    for step in (3, 0, 3):
        rows, share = first.rows(step)
        assert np.array_equal(rows, second.rows(step)[0])
        assert share == 0.25
        assert (rows[:, 0] == BOS).all()
    assert not np.array_equal(first.rows(0)[0], first.rows(1)[0])
    another = Batches(work, recipe("mini-gpt", seed=1), raw)
    assert not np.array_equal(first.rows(0)[0], another.rows(0)[0])


def test_a_half_is_asked_for_in_that_part_of_the_batches_and_no_row_is_another(work: Path) -> None:
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    long = replace(recipe("mini-t5"), tokens=200 * 2048)
    batches = Batches(work, replace(long, half_share=0.6), raw)
    usual = Batches(work, long, raw)
    shares = []
    for step in range(200):
        rows, share = batches.rows(step)
        shares.append(share)
        assert np.array_equal(rows, usual.rows(step)[0])
    assert set(shares) == {0.5, 0.25}
    assert 0.5 < shares.count(0.5) / 200 < 0.7


def test_the_last_phase_ends_in_the_first_pronoun(work: Path) -> None:
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    batches = Batches(work, recipe("mini-bert", last_tokens=4096, last_share=1.0), raw)
    rows, share = batches.rows(recipe("mini-bert").steps)
    pronouns = {raw.token_to_id(piece) for piece in PRONOUNS}
    assert share == 1 / rows.shape[1]
    assert set(rows[:, -2].tolist()) <= pronouns
    assert not pronouns & set(rows[:, 1:-2].ravel().tolist())
    assert (rows[:, -1] == EOS).all()


def test_the_rate_rises_stays_falls_and_begins_again_lower_for_the_last_phase() -> None:
    long = Recipe("mini-bert", tokens=4096 * 1000, last_tokens=4096 * 100)
    rates = [tool.rate(step, long.steps, long) for step in range(long.all_steps)]
    assert rates[0] < rates[30] == rates[500] == 1.0 > rates[900] > rates[999]
    assert rates[1000] == pytest.approx(long.last_rate)
    assert rates[-1] == pytest.approx(long.last_rate / 100)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("mini-gpt-s", "causal"),
        pytest.param("mini-bert", "masked", marks=pytest.mark.slow),
        pytest.param("mini-t5", "seq2seq", marks=pytest.mark.slow),
        pytest.param("mini-xlnet", "permutation", marks=pytest.mark.slow),
    ],
)
def test_a_tiny_run_ends_in_a_model_with_its_card(
    work: Path, name: tool.MiniModel, family: str, tmp_path: Path
) -> None:
    tool.train(name, tokens=TOKENS, work=work, out=tmp_path, last_tokens=TOKENS, threads=1)
    spec = resolve(str(tmp_path / name))
    weights = hashlib.sha256((tmp_path / name / "model.safetensors").read_bytes()).hexdigest()
    card = (tmp_path / name / "README.md").read_text()
    assert spec.family == family
    assert weights in card
    assert f"{TOKENS + TOKENS * (family != 'causal'):,} tokens" in card
    facts = json.loads((tmp_path / name / "training.json").read_text())
    assert facts["weights_sha256"] == weights
    assert facts["recipe"]["name"] == name
    assert facts["device"] in ("cpu", "cuda")
    assert facts["text_tokens"] == len(np.load(work / "stream.npy", mmap_mode="r"))
    assert facts["same_rows"] == [], "no usual recipe is so short"
    if family == "seq2seq":
        tokenizer = json.loads((tmp_path / name / "tokenizer.json").read_text())
        sentinels = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
        assert sentinels["<extra_id_0>"] == VOCABULARY, "what the tokenizer writes is what was trained"
    again = tmp_path / "again"
    tool.train(name, tokens=TOKENS, work=work, out=again, last_tokens=TOKENS, threads=1)
    assert resolve(str(again / name)).identity == spec.identity, "a finished run is only saved again"


def test_another_seed_is_another_model_beside_the_first(work: Path, of_seed_2: Path) -> None:
    tool.train("mini-gpt-s", tokens=TOKENS, work=work, out=of_seed_2, threads=1)
    first, second = (resolve(str(of_seed_2 / name)) for name in ("mini-gpt-s", "mini-gpt-s-seed2"))
    assert first.identity != second.identity
    facts = json.loads((of_seed_2 / "mini-gpt-s-seed2" / "training.json").read_text())
    assert facts["recipe"]["seed"] == 2


def test_a_checkpoint_of_another_recipe_is_not_gone_on_with(
    work: Path, of_seed_2: Path, tmp_path: Path
) -> None:
    with pytest.raises(typer.BadParameter, match="of another recipe: remove it"):
        tool.train("mini-gpt-s", tokens=8192, work=work, out=tmp_path, threads=1, seed=2)


def test_nothing_is_trained_on_a_text_that_is_not_prepared(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="run the command prepare first"):
        tool.train("mini-gpt-s", work=tmp_path)


@pytest.mark.parametrize("name", list(tool.RECIPES))
def test_what_nobody_asks_for_is_as_the_recipe_says(
    work: Path, name: tool.MiniModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SeenError(Exception):
        pass

    def stop(work: Path, recipe: Recipe, raw: Tokenizer) -> None:
        raise SeenError(recipe)

    wanted = replace(tool.RECIPES[name], matrix_rate=0.013, tokens=4_321)
    monkeypatch.setitem(tool.RECIPES, name, wanted)
    monkeypatch.setattr(tool, "Batches", stop)
    with pytest.raises(SeenError) as caught:
        tool.train(name, tokens=0, work=work, last_tokens=-1, threads=1, seed=0, matrix_rate=0.0)
    assert caught.value.args == (wanted,)


def test_a_tokenizer_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="must have 8,192 pieces and has 1"):
        hub_tokenizer("mini-t5", Tokenizer(models.WordLevel({"a": 0}, unk_token="a")))


def test_the_sizes_read_the_same_rows(work: Path) -> None:
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    sizes: tuple[tool.MiniModel, ...] = ("mini-gpt-s", "mini-gpt", "mini-gpt-l")
    small, middle, large = (Batches(work, tool.RECIPES[name], raw) for name in sizes)
    for step in (0, 17):
        assert np.array_equal(small.rows(step)[0], middle.rows(step)[0])
        assert np.array_equal(large.rows(step)[0], middle.rows(step)[0])
