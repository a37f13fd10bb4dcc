"""What a model's name says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError
from pcf_core.core.families import LOCAL_FAMILIES
from pcf_core.models.names import ModelName, split_name


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("mini-gpt", ModelName("mini-gpt")),
        ("org/name", ModelName("org/name")),
        ("masked:org/name", ModelName("org/name", "masked")),
        ("org/name@v1.0", ModelName("org/name", None, "v1.0")),
        ("causal:org/name@refs/pr/1", ModelName("org/name", "causal", "refs/pr/1")),
        ("seq2seq:/models/a@b", ModelName("/models/a@b", "seq2seq")),
        ("a@b", ModelName("a@b")),
        ("other:org/name", ModelName("other:org/name")),
        ("endpoint:org/name", ModelName("endpoint:org/name")),
        ("", ModelName("")),
    ],
)
def test_parts(text: str, named: ModelName) -> None:
    assert split_name(text) == named


@pytest.mark.parametrize(
    "revision", ["", " ", "-x", "../main", "a..b", "a//b", "/a", "a/", "a b", "a@b", "x" * 129, "a\0"]
)
def test_what_cannot_be_a_revision_is_refused(revision: str) -> None:
    with pytest.raises(ModelError, match="cannot be a revision: give a branch, a tag or a commit"):
        split_name(f"org/name@{revision}")


@given(
    st.from_regex(r"[a-z]{1,5}/[a-z0-9]{1,8}", fullmatch=True),
    st.sampled_from([None, *LOCAL_FAMILIES]),
    st.from_regex(r"([a-z0-9]{1,8}(/[a-z0-9]{1,3})?)?", fullmatch=True),
)
def test_a_name_is_the_sum_of_its_parts(model: str, family: str | None, revision: str) -> None:
    prefix = f"{family}:" if family else ""
    pinned = f"{model}@{revision}" if revision else model
    named = split_name(prefix + pinned)
    assert (named.family, named.pinned, named.is_hub_id) == (family, pinned, True)
