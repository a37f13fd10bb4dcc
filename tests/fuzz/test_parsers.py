"""1,000 inputs for every parser of foreign input: an answer or one sentence, and nothing half done.

All of them take some three minutes of processor time and are slow; a sample is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings

from pcf_core.core.errors import AuditError
from pcf_core.core.settings import Settings
from tests.fuzz.parsers import PARSERS

SAMPLE = 15
MANY = 1_000  # each run draws others, so that runs add up: more at once add little to a few hundred
LONGEST = 2_000  # characters of a sentence


@pytest.fixture
def untouched(own_settings: Settings) -> Iterator[Path]:
    """The cache, in which parsing leaves nothing."""
    yield own_settings.cache
    assert not own_settings.cache.exists() or not any(own_settings.cache.rglob("*"))


def throw(name: str, examples: int) -> None:
    """So many inputs at one parser; what is refused is refused in a sentence that can be shown."""
    parser = PARSERS[name]

    @hypothesis_settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(parser.inputs)
    def throw_one(thrown: Any) -> None:
        try:
            parser.parse(thrown)
        except AuditError as refusal:
            sentence = str(refusal)
            assert sentence
            assert "\n" not in sentence
            assert len(sentence) <= LONGEST
            sentence.encode()  # what cannot be encoded cannot be sent to a browser

    throw_one()


@pytest.mark.parametrize("name", PARSERS)
def test_a_sample(name: str, untouched: Path) -> None:
    throw(name, SAMPLE)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", PARSERS)
def test_many(name: str, untouched: Path) -> None:
    throw(name, MANY)
