"""Order, rate and loss of the steps."""

from __future__ import annotations

import pytest
import torch

from pcf_core.models.loading import load
from pcf_core.models.registry import resolve
from tools.finetuning.recipe import Recipe
from tools.finetuning.training import batch_at, loss_sum, rate


def test_every_epoch_goes_through_all_sequences_in_an_order_of_its_own() -> None:
    sequences = [[i, i] for i in range(10)]
    recipe = Recipe(batch=4)
    batches = [batch_at(step, sequences, recipe) for step in range(6)]
    assert [len(batch) for batch in batches] == [4, 4, 2] * 2
    epochs = [[row for batch in part for row in batch] for part in (batches[:3], batches[3:])]
    assert sorted(epochs[0]) == sorted(epochs[1]) == sequences
    assert epochs[0] != epochs[1]


def test_the_rate_rises_over_the_warm_up_and_falls_to_nearly_nothing() -> None:
    rates = [rate(step, 10, 0.2) for step in range(10)]
    assert rates == pytest.approx([1 / 2, 1, *(n / 9 for n in range(8, 0, -1))])
    assert rate(0, 1, 0.2) == 1.0


def test_the_loss_is_that_of_each_sequence_alone_whatever_stands_beside_it() -> None:
    loaded = load(resolve("mini-gpt"))
    sequences = [[0, 50, 60, 70, 80], [0, 90, 100], [0, 7]]
    with torch.no_grad():
        together = loss_sum(loaded, sequences, "float32").item()
        alone = 0.0
        for ids in sequences:
            logs = loaded.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
            alone -= sum(logs[i, ids[i + 1]].item() for i in range(len(ids) - 1))
    assert together == pytest.approx(alone, rel=1e-6)
