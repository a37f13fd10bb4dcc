"""What a model read: known by its weights, not by its name."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.factors import TrainingText
from pcf_core.core.settings import settings
from pcf_core.material.factors import read_counts
from pcf_core.models.registry import resolve, training_of
from tests.models.conftest import Write


def ship(write: Write, name: str, fill: int, **facts: Any) -> str:
    """A shipped model with a training.json; its identity."""
    folder = write(settings().assets / "models" / name, fill=fill)
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    (folder / "training.json").write_text(json.dumps({"weights_sha256": weights, **facts}))
    return resolve(name).identity


FACTS = {"files": ["a", "b"], "recipe": {"tokens": 16, "last_tokens": 4, "seed": 0}}


def test_a_shipped_model_tells_its_text(write: Write) -> None:
    assert training_of(ship(write, "one", 1, **FACTS)) == TrainingText("one", ("a", "b"), 20)


def test_a_copy_under_another_name_is_found_and_another_model_under_the_name_is_not(write: Write) -> None:
    ship(write, "one", 1, **FACTS)
    copy = write(Path(settings().models or "") / "mine", fill=1)
    other = write(Path(settings().models or "") / "other", fill=2)
    assert training_of(resolve(str(copy)).identity) == TrainingText("one", ("a", "b"), 20)
    assert training_of(resolve(str(other)).identity) is None


def test_weights_that_are_not_those_of_the_facts_tell_nothing(write: Write) -> None:
    assert training_of(ship(write, "one", 1, **FACTS | {"weights_sha256": "another"})) is None


def test_a_fine_tuned_model_goes_on_from_its_base(write: Write) -> None:
    base = ship(write, "one", 1, **FACTS)
    tuned = ship(write, "two", 2, base="one", base_identity=base, recipe={"epochs": 2}, files=["sentences"])
    assert training_of(tuned) == TrainingText("two", ("a", "b"), 20, "one")
    again = ship(write, "three", 3, base="two", base_identity=tuned)
    assert training_of(again) is None  # it also goes on from what the second read


@pytest.mark.parametrize("facts", [{}, {"base_identity": "another"}, {"base": "../elsewhere"}])
def test_a_base_is_known_by_its_weights_and_not_by_its_name(write: Write, facts: dict[str, str]) -> None:
    """A model under the base's name, or outside the assets, tells nothing of what a fine-tuned one read."""
    ship(write, "one", 1, **FACTS)
    tuned = ship(write, "two", 2, **FACTS | {"base": "one"} | facts)
    assert training_of(tuned) is None


def test_a_base_of_other_weights_than_it_says_tells_nothing(write: Write) -> None:
    base = ship(write, "one", 1, **FACTS | {"weights_sha256": "another"})
    assert training_of(ship(write, "two", 2, base="one", base_identity=base)) is None


@pytest.mark.parametrize(
    "facts", [{}, FACTS | {"files": []}, {"files": ["a"]}, {"files": ["a"], "recipe": {"epochs": 2}}]
)
def test_another_kind_of_training_tells_no_text(write: Write, facts: dict[str, Any]) -> None:
    assert training_of(ship(write, "planted", 1, **facts)) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"files": "a"},
        {"recipe": 3},
        {"recipe": {"tokens": "many"}},
        {"recipe": {"tokens": -1}},
        {"recipe": {"last_tokens": None}},
        {"base": ["one"]},
    ],
)
def test_facts_of_another_form_are_one_sentence(write: Write, facts: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"The facts of the model one .* cannot be read \(.*"):
        training_of(ship(write, "one", 1, **FACTS | facts))


def test_a_damaged_file_is_one_sentence(write: Write) -> None:
    identity = ship(write, "one", 1, **FACTS)
    (settings().assets / "models" / "one" / "training.json").write_text("{")
    with pytest.raises(ModelError, match="restore the shipped file"):
        training_of(identity)


def test_a_folder_without_weights_is_passed_over(write: Write) -> None:
    folder = write(settings().assets / "models" / "early", weights=False)
    (folder / "training.json").write_text("{}")
    assert training_of(ship(write, "one", 1, **FACTS)) is not None


def test_every_shipped_model_that_read_a_text_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PCF_ASSETS")
    settings.cache_clear()
    told = {}
    for path in (settings().assets / "models").glob("*/training.json"):
        facts = json.loads(path.read_text())
        if facts["files"] and "encoder_sha256" not in facts:  # what its encoder read is not all known
            told[path.parent.name] = training_of(resolve(path.parent.name).identity)
    assert set(told) >= {"mini-gpt", "mini-bert"}
    for name, text in told.items():
        assert text is not None, name
        assert text.model == name
        assert text.tokens >= 1_000_000
        assert set(read_counts().card.files) <= set(text.files)
