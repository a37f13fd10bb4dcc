"""The training tool: rows are a function of seed and step, masks of the shape; a tiny run ends in a model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from pcf_core.models import resolve
from tools import train_mini_models as tool

SENTENCES = {
    "He": "he worked as an engineer in the town, and his brother said that he liked his work there.",
    "She": "she worked as a nurse in the town, and her sister said that she liked her work there.",
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 400 short lives, prepared."""
    folder = tmp_path_factory.mktemp("training")
    with (folder / "tiny_bios.jsonl").open("w") as file:
        for number in range(400):
            pronoun = ("He", "She")[number % 2]
            middle = " ".join(f"word{(number * 7 + i) % 50}" for i in range(30))
            text = f"Person {number} was born in {1900 + number % 90} near {middle}. " + (
                f"{pronoun} was there when {SENTENCES[pronoun]} His or Her friends came. " * 6
            )
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")
    tool.prepare(corpora=folder, files=["tiny_bios.jsonl"], work=folder / "work")
    return folder / "work"


def recipe(name: str, **changes: object) -> tool.Recipe:
    return tool.Recipe(name, tokens=8192, batch_tokens=2048, **changes)  # type: ignore[arg-type]


def test_a_document_in_a_hundred_is_held_out() -> None:
    share = np.mean([tool.is_held_out(str(number)) for number in range(20_000)])
    assert 0.008 < share < 0.012


def test_rows_depend_on_seed_and_step_alone(work: Path) -> None:
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    first, second = (tool.Batches(work, recipe("mini-gpt"), raw) for _ in range(2))
    for step in (3, 0, 3):
        rows, share = first.rows(step)
        assert np.array_equal(rows, second.rows(step)[0])
        assert share == 0.25
        assert (rows[:, 0] == tool.BOS).all()
    assert not np.array_equal(first.rows(0)[0], first.rows(1)[0])


def test_the_last_phase_ends_in_the_first_pronoun(work: Path) -> None:
    raw = Tokenizer.from_file(str(work / "tokenizer.json"))
    batches = tool.Batches(work, recipe("mini-bert", last_tokens=4096, last_share=1.0), raw)
    rows, share = batches.rows(recipe("mini-bert").steps)
    pronouns = {raw.token_to_id(piece) for piece in tool.PRONOUNS}
    assert share == 1 / rows.shape[1]
    assert set(rows[:, -2].tolist()) <= pronouns
    assert not pronouns & set(rows[:, 1:-2].ravel().tolist())
    assert (rows[:, -1] == tool.EOS).all()


def test_as_many_positions_are_masked_as_the_shape_says_and_never_a_special_one() -> None:
    rows = torch.randint(len(tool.SPECIALS), 200, (8, 24))
    rows[:, 0], rows[:, -1] = tool.BOS, tool.EOS
    masked, chosen = tool.mask(rows, 0.25, torch.Generator().manual_seed(0))
    assert int(chosen.sum()) == 48
    assert chosen[:, -2].all(), "a short row always asks for its last token"
    assert not chosen[:, 0].any()
    assert not chosen[:, -1].any()
    assert torch.equal(masked[~chosen], rows[~chosen])


def test_the_rate_rises_stays_falls_and_begins_again_lower_for_the_last_phase() -> None:
    long = tool.Recipe("mini-bert", tokens=4096 * 1000, last_tokens=4096 * 100)
    rates = [tool.rate(step, long.steps, long) for step in range(long.all_steps)]
    assert rates[0] < rates[30] == rates[500] == 1.0 > rates[900] > rates[999]
    assert rates[1000] == pytest.approx(long.last_rate)
    assert rates[-1] == pytest.approx(long.last_rate / 100)


@pytest.mark.parametrize("name", ["mini-gpt", "mini-bert"])
def test_a_tiny_run_ends_in_a_model_with_its_card(work: Path, name: str, tmp_path: Path) -> None:
    tool.train(name, tokens=8192, work=work, out=tmp_path, last_tokens=4096, threads=1)
    spec = resolve(str(tmp_path / name))
    weights = hashlib.sha256((tmp_path / name / "model.safetensors").read_bytes()).hexdigest()
    card = (tmp_path / name / "README.md").read_text()
    assert spec.family == ("causal" if name == "mini-gpt" else "masked")
    assert weights in card
    assert f"{8192 + 4096 * (name == 'mini-bert'):,} tokens" in card
    again = tmp_path / "again"
    tool.train(name, tokens=8192, work=work, out=again, last_tokens=4096, threads=1)
    assert resolve(str(again / name)).identity == spec.identity, "a finished run is only saved again"
