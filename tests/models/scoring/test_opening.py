"""From a directory to the scorer of its family."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.topics import load_topic
from pcf_core.models.loading import Loaded, load
from pcf_core.models.registry import resolve
from pcf_core.models.scoring import causal
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.opening import open_scorer
from tests.models.scoring.conftest import load_tiny, open_loaded


def saved(loaded: Loaded, folder: Path) -> str:
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.slow
@pytest.mark.parametrize("template", ["[Y] saw the {}", "The {} told the customer that [Y] was late."])
def test_the_bound_of_a_cell_alone_and_in_a_batch(template: str) -> None:
    """That of the docstring of ``Scorer``, where text stands right of the word of a causal model."""
    topic = load_topic("gender")
    scorer = open_scorer(resolve("mini-gpt"))
    words = [word for word in topic.words if word not in scorer.check(topic.words).refused]
    prompts = [template.format(term) for term in load_evidence(topic.evidence).terms * 3][:256]
    together = scorer.score(prompts, words).astype(float)
    for row in range(0, 100, 7):
        apart = np.abs(scorer.score([prompts[row]], words)[0] - together[row])
        assert np.all(apart <= np.maximum(1e-5, 5e-7 * np.abs(together[row])))


# Whether prefix trees are exact is asked once of the same weights in the same program on the same device.


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, own_settings: Settings) -> list[int]:
    """The sizes of trees that models are asked about, with an empty cache."""
    sizes: list[int] = []
    real = CausalScorer._is_exact

    def is_exact(scorer: CausalScorer, size: int) -> bool:
        sizes.append(size)
        return real(scorer, size)

    monkeypatch.setattr(CausalScorer, "_is_exact", is_exact)
    return sizes


def largest_tree(spec: ModelSpec) -> int:
    scorer = open_scorer(spec)
    assert isinstance(scorer, CausalScorer)
    return scorer.largest_tree


def test_a_model_whose_trees_are_exact_is_asked_once(
    asked: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = resolve(saved(load_tiny("llama"), tmp_path / "one"))
    assert [largest_tree(spec) for _ in range(3)] == [256] * 3
    assert asked == [256]
    open_scorer(spec.model_copy(update={"dtype": "bfloat16"}))
    assert asked == [256] * 2, "another type of number is another question"
    monkeypatch.setattr(causal, "program", lambda: ("torch 0.1",))
    open_scorer(spec)
    assert asked == [256] * 3, "and so is another program"
    monkeypatch.setattr(causal, "device_name", lambda device: "another processor")
    open_scorer(spec)
    assert asked == [256] * 4
    other = load_tiny("llama")
    with torch.no_grad():
        moved = next(other.model.parameters())
        moved[0, 0] += 1
        again = resolve(saved(other, tmp_path / "other"))
        moved[0, 0] -= 1
    open_scorer(again)
    assert asked == [256] * 5, "one weight is another"


@pytest.mark.parametrize("name", ["bloom", "falcon-alibi"])
def test_a_no_is_asked_again(name: str, asked: list[int], tmp_path: Path) -> None:
    """Memory may have been short; where a bias counts slots no size is exact."""
    spec = resolve(saved(load_tiny(name), tmp_path))
    assert [largest_tree(spec) for _ in range(2)] == [0, 0]
    assert asked == [256, 128, 64] * 2


def test_a_model_with_code_of_its_own_and_one_made_in_memory_are_asked_each_time(
    asked: list[int], tmp_path: Path
) -> None:
    """Their weights do not tell what they compute."""
    spec = resolve(saved(load_tiny("llama"), tmp_path))
    loaded = load(spec)
    assert loaded.identity == spec.identity
    for _ in range(2):
        open_loaded(replace(loaded, identity=""), "llama")
    assert asked == [256] * 2
    assert not (settings().cache / "trees.json").exists()


@pytest.mark.parametrize("damage", [("exact", "exacT"), ("exact", ""), ("{", ""), ("|", "!")])
def test_a_damaged_note_is_asked_again(damage: tuple[str, str], asked: list[int], tmp_path: Path) -> None:
    spec = resolve(saved(load_tiny("llama"), tmp_path))
    open_scorer(spec)
    notes = settings().cache / "trees.json"
    sound = notes.read_text()
    notes.write_text(sound.replace(*damage))
    assert largest_tree(spec) == 256
    assert asked == [256] * 2
    assert json.loads(sound).items() <= json.loads(notes.read_text()).items()


def test_our_own_code_is_part_of_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"models/one.py": "1", "models/scoring/two.py": "2"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(causal, "PACKAGE", tmp_path)
    before = causal.program.__wrapped__()
    assert before == causal.program.__wrapped__()
    assert before[:2] == (f"torch {torch.__version__}", f"transformers {transformers.__version__}")
    (tmp_path / "models/scoring/two.py").write_text("3")
    assert causal.program.__wrapped__() != before
