"""What the page Tilt says about one occupation."""

from __future__ import annotations

from dataclasses import replace

from pcf_core.app.results.tilt import distribution_sentences
from pcf_core.core.risk import Interval
from tests.show.findings.test_occupations import ONE


def test_an_occupation_is_described_by_the_group_that_leads() -> None:
    """Of nurses, every sentence prefers women, so that "men in 0 %" would be the other group's figure."""
    ends = Interval(low=-0.8, high=-0.6)
    men = replace(ONE, group="male", values=-abs(ONE.values[::-1]) - 0.1, mean=-0.7, mean_interval=ends)
    men = replace(men, leads=False)
    women = replace(men, group="female", values=-men.values[::-1], mean=0.7, leads=True)
    (said,) = distribution_sentences({"m": (men, women)}, 0.05)
    assert "towards women is +0.70" in said
    assert "women get more than an even share, in 100 %" in said
    assert "men get more" not in said.replace("women", "")
