"""Policies: what may stand in one, and the sentence for what may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.policy import MAX_BYTES, Policy, read_policy
from pcf_core.core.errors import PolicyError
from pcf_core.core.records import made
from pcf_core.core.settings import ROOT

FULL = """
title = "Release"
error = 0.01
cannot_tell = "fail"
stop_early = true

[[contexts]]
topic = "gender"
templates = "gender-nineteen"
weights = "employment"
baseline = "mini-bert"
cannot_tell = "pass"
max = { risk = 0.4, caprice = 1 }
max_increase = { risk = -0.1 }
max_tilt = { female = 0.2, male = 0.3 }

[[contexts]]
topic = "race"
max.prejudice = 0.5
"""


def policy_in(folder: Path, text: str | bytes) -> Policy:
    path = folder / "policy.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_policy(path)


def test_a_full_policy(tmp_path: Path) -> None:
    found = policy_in(tmp_path, FULL)
    one, other = found.contexts
    assert (found.error, found.cannot_tell, found.stop_early) == (0.01, "fail", True)
    assert [(x.quantity, x.group, x.increase, x.limit) for x in one.limits] == [
        ("overall_risk", "", False, 0.4),
        ("caprice_risk", "", False, 1.0),
        ("overall_risk", "", True, -0.1),
        ("tilt", "female", False, 0.2),
        ("tilt", "male", False, 0.3),
    ]
    assert (one.compares, other.compares) == (True, False)
    assert (one.options.occupation_weights, one.options.unit, one.options.scale) == (
        *("employment", "template"),
        "pcf",
    )
    assert found.error_each == pytest.approx(0.01 / 6)


ONE = '[[contexts]]\ntopic = "gender"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "contexts is missing"),
        ("contexts = []", "contexts must have at least 1 entry"),
        ("contexts = 3", "contexts must be a list"),
        ("contexts = [3]", "contexts.0 must be a table"),
        (ONE, "it sets no limit"),
        (ONE + "max = {}", "it sets no limit"),
        (ONE + "max.risk = 1.5", "contexts.0.max.risk must be at most 1; got 1.5"),
        (ONE + "max.risk = -0.1", "must be at least 0"),
        (ONE + "max.risk = nan", "contexts.0.max.risk must be"),
        (ONE + "max.risk = inf", "contexts.0.max.risk must be"),
        (ONE + 'max.risk = "0.4"', "must be a number; got '0.4'"),
        (ONE + "max.risk = true", "must be a number; got true"),
        (ONE + "max.rsik = 0.4", "contexts.0.max.rsik is not known here"),
        (ONE + "max_tilt.male = 2", "must be at most 1"),
        (
            ONE + 'max.risk = 0.4\nbaseline = "mini-gpt"',
            "it names a baseline but no limit that uses it: add max_increase",
        ),
        (ONE + 'cannot_tell = "shrug"\nmax.risk = 1', "must be one of pass, warn, fail; got 'shrug'"),
        ('[[contexts]]\ntopic = "a\\u0000b"\nmax.risk = 1', "characters that cannot be printed"),
        ('title = "\\u001b[31m"\n' + ONE + "max.risk = 1", "characters that cannot be printed"),
        (ONE + "weights = 3\nmax.risk = 1", "must be a text in quotation marks"),
        ("error = 0\n" + ONE + "max.risk = 1", "error must be at least 0.001"),
        ("error = 1\n" + ONE + "max.risk = 1", "error must be at most 0.2"),
        ("stop_early = 1\n" + ONE + "max.risk = 1", "stop_early must be true or false"),
        ('run = "rm -rf /"\n' + ONE + "max.risk = 1", "unknown key 'run'"),
        (f'title = "{"x" * 300}"\n' + ONE + "max.risk = 1", "title must have at most 200 characters"),
        ('[[contexts]]\ntopic = "g"\nmax.risk = 1\n' * 21, "contexts must have at most 20 entries"),
        (
            "".join(
                '[[contexts]]\ntopic = "g"\nmax = {risk = 1, prejudice = 1, caprice = 1}\n' for _ in range(17)
            ),
            "51 limits share one error, and at most 50 can",
        ),
        ("a" + ".a" * 9000 + " = 1", "more than eight parts"),
        ("#" * (MAX_BYTES + 1), "a policy may have at most 65,536"),
        ("contexts = [", "is not valid TOML"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_what_is_no_policy_is_refused_in_a_sentence(tmp_path: Path, text: str | bytes, says: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_in(tmp_path, text)
    said = str(caught.value)
    assert says in said
    assert said.startswith("policy.toml")
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize("path", ["nowhere.toml", "/dev/zero", "."])
def test_what_is_no_file_is_refused(path: str) -> None:
    with pytest.raises(PolicyError):
        read_policy(Path(path))


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["contexts", "title", "error", "x"]), VALUES))
def test_any_table_is_a_policy_or_refused(table: dict[str, object]) -> None:
    with pytest.raises(PolicyError):
        made(Policy, table, "it", PolicyError)


def test_the_example_in_the_documents_is_a_policy() -> None:
    found = read_policy(ROOT / "docs" / "gate-policy.toml")
    assert found.contexts[0].compares
