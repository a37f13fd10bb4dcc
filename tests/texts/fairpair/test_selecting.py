"""Some prompts of a set: facts before frames, in the order of the set."""

from __future__ import annotations

import pytest

from pcf_core.core.errors import PromptError
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import Prompt, PromptSet

SET = PromptSet(
    name="own",
    title="Own",
    version="1",
    names=("John", "Jane"),
    prompts=tuple(
        Prompt(text=f"John {fact} {frame}.", category=category, fact=f"{category} {fact}")
        for category in ("work", "home")
        for fact in ("sits", "stands")
        for frame in (1, 2, 3)
    ),
)


def test_a_category_gives_each_fact_once_before_any_twice() -> None:
    found = selected(SET, ["home"], 3)
    assert found.texts == ("John sits 1.", "John sits 2.", "John stands 1.")
    assert selected(SET, ["home"], 2).texts == ("John sits 1.", "John stands 1.")
    assert found.name == "own"
    assert found.hash != SET.hash


def test_all_is_the_set_itself() -> None:
    assert selected(SET) == SET
    assert selected(SET, most=100) == SET


def test_so_many_of_every_category_of_the_shipped_set() -> None:
    whole = load_prompts("common-sents-1")
    found = selected(whole, most=2)
    counts = {
        category: sum(prompt.category == category for prompt in found.prompts)
        for category in whole.categories
    }
    assert set(counts.values()) == {2}
    assert len({prompt.fact for prompt in found.prompts}) == len(found.prompts)
    assert [text for text in whole.texts if text in found.texts] == list(found.texts)


def test_refusals() -> None:
    with pytest.raises(PromptError, match="no category 'play'; use work and home"):
        selected(SET, ["play"])
    with pytest.raises(PromptError, match="At least one prompt"):
        selected(SET, most=0)
