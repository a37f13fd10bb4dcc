"""What is written as TOML is read back as it was."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.shelves import toml_lines, toml_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = (
    TEXTS
    | st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = PLAIN | st.lists(PLAIN) | st.dictionaries(TEXTS, PLAIN)


def test_a_worked_example() -> None:
    facts = {"title": 'a "quoted" \\ one', "many": 3, "files": ("a", "b"), "words": {"EWT": 2, "of GUM": 1}}
    assert toml_lines(facts) == (
        'title = "a \\"quoted\\" \\\\ one"\n'
        "many = 3\n"
        'files = [\n  "a",\n  "b",\n]\n'
        'words = { EWT = 2, "of GUM" = 1 }\n'
    )


@given(st.dictionaries(TEXTS, VALUES))
def test_the_standard_library_reads_it_back(facts: dict[str, object]) -> None:
    assert tomllib.loads(toml_lines(facts)) == facts


@pytest.mark.parametrize(("value", "error"), [(None, TypeError), (float("nan"), ValueError)])
def test_what_has_no_form_is_refused(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        toml_value(value)
