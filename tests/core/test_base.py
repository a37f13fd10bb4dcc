"""What holds of every record, and the hash behind every key."""

from __future__ import annotations

import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from pcf_core.core.errors import TopicError
from pcf_core.core.records import LeftOut, Record, digest, made


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
def test_a_digest_does_not_depend_on_the_order_of_keys(value: dict[str, object]) -> None:
    assert digest(value) == digest(dict(reversed(list(value.items()))))


def test_records_are_frozen_and_refuse_unknown_fields() -> None:
    record = LeftOut(name="x", reason="no group has it")
    with pytest.raises(ValidationError):
        record.reason = "another"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        LeftOut(name="x", reason="no group has it", colour="blue")  # type: ignore[call-arg]


class Sample(Record):
    """Fields of the kinds that records have."""

    kind: Literal["", "new", "old"] = "new"
    share: float = Field(0, ge=0, le=1)
    number: int = Field(0, lt=2**63)
    words: tuple[str, ...] = ()
    inner: LeftOut | None = None
    even: bool = False


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "odd"}, "x.toml: kind must be one of '', new, old; got 'odd': correct it."),
        ({"share": 2}, "x.toml: share must be at most 1; got 2: correct it."),
        ({"share": math.nan}, "x.toml: share must be at most 1; got nan: correct it."),
        ({"share": [1]}, "x.toml: share must be a number; got a list: correct it."),
        (
            {"number": 10**5000},
            "x.toml: number must be below 9,223,372,036,854,775,808; got a number of very",
        ),
        ({"number": 1.5}, "x.toml: number must be a whole number; got 1.5: correct it."),
        ({"words": {"a": 1}}, "x.toml: words must be a list; got a table: correct it."),
        (
            {"words": ["a", None]},
            "x.toml: words.1 must be a text in quotation marks; got nothing: correct it.",
        ),
        ({"words": ["a", 3.0]}, "x.toml: words.1 must be a text in quotation marks; got 3: correct it."),
        ({"inner": {"name": "a"}}, "x.toml: inner.reason is missing: write it."),
        ({"even": "x" * 99}, f"x.toml: even must be true or false; got '{'x' * 57}...': correct it."),
        ({"a\nb": 1}, "x.toml: 'a\\nb' is not known here: leave it out."),
        ("text", "x.toml: it must be a table; got 'text': correct it."),
    ],
)
def test_what_a_record_refuses_is_a_sentence(given: object, said: str) -> None:
    with pytest.raises(TopicError) as refused:
        made(Sample, given, "x.toml", TopicError)
    assert str(refused.value).startswith(said)
    assert str(refused.value).endswith(".")


def test_a_record_is_made_of_what_fits() -> None:
    found = made(Sample, {"words": ["a"], "inner": {"name": "b", "reason": "c"}}, "x.toml", TopicError)
    assert found == Sample(words=("a",), inner=LeftOut(name="b", reason="c"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(2**9_000) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(sorted(Sample.model_fields)) | st.text()


@given(st.dictionaries(FIELDS, VALUES, max_size=4) | VALUES)
def test_whatever_comes_is_refused_in_one_printable_sentence(given_: object) -> None:
    try:
        made(Sample, given_, "x.toml", TopicError)
    except TopicError as refused:
        said = str(refused)
        assert said.isprintable()
        assert said.endswith(".")
        assert len(said) < 700
