"""Words that differ."""

from __future__ import annotations

from pcf_core.texts.fairpair.records import WordDifference


def test_a_word_differs_by_its_controlled_p() -> None:
    row = WordDifference(
        words="a", original=1, prompt=9, log_odds=1.0, z_score=2.5, p_value=0.01, adjusted=0.2
    )
    assert (row.differs, row.more_in) == (False, "prompt")
