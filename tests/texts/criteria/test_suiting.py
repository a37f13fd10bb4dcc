"""How a model is asked where nobody says otherwise: one line of the table after the other."""

from __future__ import annotations

import pytest

from pcf_core.core.families import Family
from pcf_core.core.run import ModelSpec
from pcf_core.texts.criteria.experiment import suited
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording


def spec(family: Family, chat: str = "") -> ModelSpec:
    return ModelSpec(name="m", family=family, path="", identity="i", tokenizer="t", chat_template=chat)


@pytest.mark.parametrize(
    ("family", "chat", "told", "asked"),
    [
        ("causal", "hash", ("written", "instruction"), ("written", "instruction")),
        ("endpoint", "server", ("written", "instruction"), ("written", "instruction")),
        ("endpoint", "", ("written", "continuation"), ("written", "continuation")),
        ("causal", "", ("written", "continuation"), ("scored", None)),
        ("seq2seq", "hash", ("written", "continuation"), ("scored", None)),
        ("masked", "", ("scored", None), ("scored", None)),
        ("permutation", "", ("scored", None), ("scored", None)),
    ],
)
def test_what_a_model_can_do_decides(
    family: Family,
    chat: str,
    told: tuple[Answering, Wording | None],
    asked: tuple[Answering, Wording | None],
) -> None:
    expected: dict[ExperimentName, tuple[Answering, Wording | None]] = {
        "anecdotes": told,
        "hobbies": told,
        "questions": asked,
        "tasks": asked,
    }
    for name, way in expected.items():
        found = suited(spec(family, chat), name)
        assert (found.answering, found.wording) == way
        assert found.reason.startswith("m ")


def test_a_choice_leaves_the_wording_alone() -> None:
    assert suited(spec("causal", "hash"), "tasks", "scored").answering == "scored"
    assert suited(spec("causal"), "tasks", "written").wording == "continuation"
    assert suited(spec("causal", "hash"), "tasks", "written").wording == "instruction"
    assert "as was asked for" in suited(spec("causal"), "tasks", "scored").reason
