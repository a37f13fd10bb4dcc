"""What a card says of the machine and of how much of the text was read: by hand, and as shipped."""

from __future__ import annotations

import json

import pytest

from pcf_core.core.settings import ROOT
from tools.mini_models.cards import amount
from tools.train_mini_models import RECIPES

FACTS = {
    "recipe": {"tokens": 3_000_000, "last_tokens": 1_000_000},
    "device": "cpu",
    "text_tokens": 8_000_000,
    "same_rows": ["mini-bert"],
}


def test_passes_and_machine_by_hand() -> None:
    assert amount(FACTS) == (
        "Trained on a CPU. The tokens drawn are in number 0.50 passes over the training text\n"
        "of 8,000,000 tokens."
    )
    assert amount({**FACTS, "device": "cuda"}).startswith("Trained on a GPU.")
    assert amount({**FACTS, "same_rows": ["a", "b"]}).endswith(
        "a and b read the same rows in the same order."
    )


@pytest.mark.parametrize("name", RECIPES)
def test_a_shipped_card_says_it_once(name: str) -> None:
    """All were trained on the same text, prepared once, by the usual recipes of the tool."""
    folder = ROOT / "assets" / "models" / name
    facts = json.loads((folder / "training.json").read_text())
    assert (folder / "README.md").read_text().count(amount(facts)) == 1
    assert facts["text_tokens"] == 57_717_417
    causal = name in ("mini-gpt-s", "mini-gpt", "mini-gpt-l")
    assert facts["same_rows"] == (["mini-gpt-s", "mini-gpt", "mini-gpt-l"] if causal else [name])
