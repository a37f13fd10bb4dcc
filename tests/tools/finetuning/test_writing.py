"""What the card takes from the base's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.finetuning.writing import front_matter


@pytest.mark.parametrize("card", [None, "# A model\n", "---\ntags:\n- small\n---\n"])
def test_a_base_that_names_no_licence_gives_none(tmp_path: Path, card: str | None) -> None:
    if card is not None:
        (tmp_path / "README.md").write_text(card)
    assert front_matter(tmp_path) == "library_name: transformers\npipeline_tag: text-generation"
