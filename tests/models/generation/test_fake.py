"""The shipped fake writes what it was given, as often as it was given."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy import stats

from pcf_core.core.generation import BLOCK
from pcf_core.models.generation.fake import FakeGenerator
from tests.models.generation.conftest import nothing

TABLE = {" She was kind.": 0.5, " He worked.": 0.3, "": 0.2}


def test_texts_come_as_often_as_they_were_given() -> None:
    counts = Counter(FakeGenerator(TABLE).generate("x", 0, 5000, nothing).texts)
    observed = [counts[text] for text in TABLE]
    assert stats.chisquare(observed, [5000 * share for share in TABLE.values()]).pvalue > 1e-3


def test_each_prompt_may_have_its_own() -> None:
    fake = FakeGenerator(lambda prompt: {f" {prompt}!": 1.0})
    assert set(fake.generate("Jane", 25, BLOCK, nothing).texts) == {" Jane!"}


def test_ends_tokens_and_indices() -> None:
    found = FakeGenerator(TABLE).generate("x", 25, 50, nothing)
    assert (found.prompt, found.first, len(found.texts)) == ("x", 25, 50)
    assert set(zip(found.texts, found.ends, found.tokens, strict=True)) <= {
        (" She was kind.", "stop", 3),
        (" He worked.", "stop", 2),
        ("", "empty", 0),
    }
    assert FakeGenerator(TABLE).generate("x", 0, 100, nothing).texts[25:75] == found.texts


def test_it_can_be_watched_and_stopped() -> None:
    fake = FakeGenerator(TABLE)
    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fake.generate("x", 0, 100, stop)
    assert fake.written == 2 * BLOCK


def test_what_is_told_first_is_part_of_what_it_answers() -> None:
    fake = FakeGenerator(lambda prompt: {f" {prompt}!": 1.0})
    assert set(fake.with_system("Be brief.").generate("Jane", 0, BLOCK, nothing).texts) == {
        " Be brief.\n\nJane!"
    }
    assert set(fake.generate("Jane", 0, BLOCK, nothing).texts) == {" Jane!"}
