"""architectures.csv records what the scorer does with every text architecture of transformers."""

from __future__ import annotations

from pathlib import Path

import pytest
import transformers

from tests.models.scoring.architectures import PAGE, RIGHT, page, read_table, row_of, types

ROWS = read_table()
NAMES = [f"{family}:{kind}" for family, kind in types()]
OUTCOMES = (RIGHT, "refused: ", "not built: ")


def test_the_table_is_of_the_installed_transformers() -> None:
    """In the order of its types; the page in the docs is made of it."""
    assert list(ROWS) == NAMES
    text = PAGE.read_text(encoding="utf8")
    assert text == page(ROWS.values())
    assert f"transformers {transformers.__version__}," in text


def test_no_score_in_the_table_is_wrong() -> None:
    """Right, refused in a sentence, or not built, for a reason; in both precisions."""
    assert not [row for row in ROWS.values() if not row.float32.startswith(OUTCOMES)]
    right = [row for row in ROWS.values() if row.float32 == RIGHT]
    assert not [row for row in right if not row.bfloat16.startswith((RIGHT, "refused: "))]
    assert len(right) > len(ROWS) / 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what transformers says about its own classes
@pytest.mark.usefixtures("own_settings")
@pytest.mark.parametrize("name", NAMES)
def test_an_architecture_is_scored_as_the_table_says(name: str, tmp_path: Path) -> None:
    family, _, kind = name.partition(":")
    assert row_of(family, kind, tmp_path) == ROWS.get(name), (
        "run python -m tests.models.scoring.architectures"
    )
