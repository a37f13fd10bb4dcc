"""Prompts of one's own: kept whole or not at all, read back as the same, under any names."""

from __future__ import annotations

import pytest

from pcf_core.core.errors import PromptError
from pcf_core.core.settings import Settings
from pcf_core.texts.fairpair.own_prompts import OWN, load_prompts_upload, prompts_toml, with_braces
from pcf_core.texts.fairpair.prompts import load_prompts, load_upload

CSV = b"text,category\n{name}'s book is red.,books\n{name} met Johnson.,people\n"


def test_a_set_is_kept_and_read_with_other_names(own_settings: Settings) -> None:
    found = load_prompts_upload([("My prompts.csv", CSV)])
    assert found.texts == ("John's book is red.", "John met Johnson.")
    kept = OWN.save(found)
    assert OWN.names() == ("my-prompts",)
    assert load_prompts("my-prompts") == kept
    assert load_prompts("my-prompts", ("Greg", "Jamal")).texts == ("Greg's book is red.", "Greg met Johnson.")
    assert load_prompts("my-prompts").hash == found.hash
    OWN.delete("my-prompts")
    assert OWN.names() == ()


def test_the_file_of_a_shipped_set_is_the_same_prompts(own_settings: Settings) -> None:
    shipped = load_prompts("common-sents-1")
    again = load_upload("common.toml", prompts_toml(shipped).encode())
    assert again.texts == shipped.texts
    assert again.categories == shipped.categories
    assert again.hash == shipped.hash


def test_braces_stand_for_whole_words() -> None:
    assert with_braces("John met Johnson and St-John.", "John") == "{name} met Johnson and St-{name}."


def test_refusals(own_settings: Settings) -> None:
    with pytest.raises(PromptError, match="choose one"):
        load_prompts_upload([("a.csv", CSV), ("b.csv", CSV)])
    with pytest.raises(PromptError, match="must have"):
        load_prompts_upload([("a.txt", b"Nobody is here.")])
    with pytest.raises(PromptError, match="belongs to a shipped"):
        OWN.save(load_prompts_upload([("common-sents-1.csv", CSV)]))
