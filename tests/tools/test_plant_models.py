"""The planted models: the truth of a seed is consistent, its risk is right, a model of any seed has it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.material.topics import load_topic
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.models.folder import describe
from pcf_core.models.scoring.base import open_scorer
from tests.quick import scaled
from tools import plant_models as tool
from tools.planted_bodies import make_tokenizer, prompts
from tools.planted_truth import KINDS, make_truth, risk_by_hand, weights

SHARES = st.lists(st.integers(1, 99), min_size=3, max_size=3)  # of three groups
CONTEXTS = st.lists(SHARES, min_size=8, max_size=8)


def test_a_risk_by_hand() -> None:
    """Two things: 0.9 of the time the first group (r = r^p = 0.8), and one that turns in the first context.

    Its s is −0.5 with the weight 0.4 and 0.5 with 0.6: r = 0.5, the mean s is 0.1, so r^p = 0.1, r^c = 0.4.
    """
    fixed, moody = [[0.9, 0.1]] * 8, [[0.25, 0.75]] + [[0.75, 0.25]] * 7
    assert weights()[0] == 0.4
    found = risk_by_hand([fixed, moody])
    assert found["overall_risk"] == pytest.approx(0.65)
    assert found["prejudice_risk"] == pytest.approx(0.45)
    assert found["caprice_risk"] == pytest.approx(0.2)


@given(st.lists(CONTEXTS, min_size=1, max_size=4))
@settings(max_examples=scaled(30))
def test_the_risk_by_hand_is_the_apps(drawn: list[list[list[int]]]) -> None:
    values = np.array(drawn) / np.sum(drawn, axis=-1, keepdims=True)
    found = total(decompose(values, weights(), Criterion()), np.ones(len(values)))
    assert risk_by_hand(values.tolist()) == pytest.approx(asdict(found), abs=1e-12)


@pytest.mark.parametrize("seed", [*tool.SEEDS.values(), 7])
def test_the_truth_of_a_seed_is_consistent(seed: int) -> None:
    truth, topic = make_truth(seed), load_topic("calibration")
    for group, share in zip(topic.groups, np.moveaxis(truth.values, -1, 0), strict=True):
        together = sum(truth.words[word] for word in topic.words)
        np.testing.assert_allclose(sum(truth.words[word] for word in group.words) / together, share)
    for word, factors in truth.factors.items():
        np.testing.assert_allclose(np.prod(factors, axis=0), truth.words[word])
        assert all(((factor > 0) & (factor < 1)).all() for factor in factors)
    assert sum(factors[0] for factors in truth.factors.values()).max() < 1
    assert {len(factors) for factors in truth.factors.values()} == {1, 2, 3}


@pytest.mark.parametrize("seed", [*tool.SEEDS.values(), 7])
def test_a_third_of_the_rows_is_of_each_kind(seed: int) -> None:
    stereotypes = make_truth(seed).stereotypes
    rows = {kind: stereotypes[place :: len(KINDS)] for place, kind in enumerate(KINDS)}
    assert (np.abs(np.sign(rows["prejudice"]).sum(axis=1)) == len(weights())).all()
    np.testing.assert_allclose(rows["caprice"] @ weights(), 0, atol=1e-15)
    for kind in ("caprice", "both"):
        assert (rows[kind].min(axis=1) < 0).all()
        assert (rows[kind].max(axis=1) > 0).all()
    assert (np.abs(rows["both"] @ weights()) > 0.05).all()


@pytest.mark.parametrize("masked", [False, True])
def test_words_have_the_tokens_that_the_truth_speaks_of(masked: bool) -> None:
    tokenizer = make_tokenizer(masked)
    lengths = {
        word: len(tokenizer(f"a {word}", add_special_tokens=False)["input_ids"]) - 1
        for word in load_topic("calibration").words
    }
    assert lengths == {"amber": 1, "honey": 1, "saffron": 3, "violet": 1, "lilac": 1, "lavender": 2}
    assert all(
        tokenizer.unk_token_id not in tokenizer(text, add_special_tokens=False)["input_ids"]
        for text in prompts()
    )


@pytest.mark.parametrize("name", tool.SEEDS)
def test_a_model_of_another_seed_gives_every_word_its_probability(name: str, tmp_path: Path) -> None:
    """Not only the groups' shares: each word's probability, by the app's scorer, from the files written."""
    planted = tool.plant(name, 7, tmp_path)
    assert planted["values"] == make_truth(7).values.tolist()
    words = make_truth(7).words
    nats = open_scorer(describe(tmp_path, name)).score([f"{text} [Y]" for text in prompts()], list(words))
    wanted = np.stack([np.log(found.ravel()) for found in words.values()], axis=1)
    assert np.abs(nats - wanted).max() < 1e-4


def test_a_model_that_is_off_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsolved(states: list[Any], stages: list[Any], vocabulary: int) -> Any:
        return np.zeros((vocabulary, tool.WIDTH))

    monkeypatch.setattr(tool, "solve", unsolved)
    with pytest.raises(RuntimeError, match=r"planted-causal is off by 0\.\d+ in a cell"):
        tool.plant("planted-causal", 1, tmp_path / "model")
    assert not (tmp_path / "model").exists()
