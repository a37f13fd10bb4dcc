"""A user's own figures: what is read, and every refusal in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.errors import AuditError, EvidenceError
from pcf_core.core.records import LeftOut
from pcf_core.material.factors import load_own_factor, read_own_factor


def test_values_weights_and_what_has_none() -> None:
    text = "occupation,value,weight\nNurse,3.5,100\nengineer,-2e3,\n clerk ,,7\n"
    own = read_own_factor("pay gap.csv", text.encode())
    assert own.title == "pay gap"
    assert own.values == {"nurse": 3.5, "engineer": -2000}
    assert own.weights == {"nurse": 100}
    assert own.left_out == (LeftOut(name="clerk", reason="the file gives it no value"),)


def test_columns_in_any_order_and_without_weights() -> None:
    own = read_own_factor("a.csv", "\ufeffvalue,term\n1,nurse\n".encode())
    assert (own.values, own.weights) == ({"nurse": 1.0}, {})


def test_the_hash_follows_what_is_drawn() -> None:
    one = read_own_factor("a.csv", b"occupation,value\nnurse,1\nclerk,2\n")
    same = read_own_factor("a.csv", b"occupation,value\nclerk,2.0\nnurse,1\n")
    other = read_own_factor("a.csv", b"occupation,value,weight\nnurse,1,5\nclerk,2,\n")
    assert one.hash == same.hash
    assert one.hash != other.hash
    assert one.hash != read_own_factor("b.csv", b"occupation,value\nnurse,1\nclerk,2\n").hash
    assert one.hash != read_own_factor("a.csv", b"occupation,value\nnurse,1\nclerk,2\ncook,\n").hash


def test_the_smallest_and_the_largest_sizes_are_read() -> None:
    own = read_own_factor("a.csv", b"occupation,value,weight\nnurse,1e-9,1e12\nclerk,-1e12,1e-9\ncook,0,1\n")
    assert own.values == {"nurse": 1e-9, "clerk": -1e12, "cook": 0}
    assert own.weights == {"nurse": 1e12, "clerk": 1e-9, "cook": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("occupation,value\n", "gives no occupation a value"),
        ("occupation,value\nnurse,\n", "gives no occupation a value"),
        ("occupation,wage\nnurse,1\n", "must name occupation and value"),
        ("occupation,value\nnurse,1,2\n", "has 3 cells"),
        ("occupation,value\nnurse,many\n", "line 2: the value 'many' is not a number"),
        ("occupation,value\nnurse,nan\n", "the value 'nan' is not a number"),
        ("occupation,value\nnurse,inf\n", "the value 'inf' is not a number"),
        ("occupation,value\nnurse,1\nNurse,2\n", "stands twice"),
        ("occupation,value,weight\nnurse,1,0\n", "the weight '0' is not above 0"),
        ("occupation,value,weight\nnurse,1,-2\n", "the weight '-2' is not above 0"),
        ("occupation,value\nnurse,1e308\n", "line 2: the value '1e308' is too large; sizes between"),
        ("occupation,value\nnurse,-1e308\n", "the value '-1e308' is too large"),
        ("occupation,value\nnurse,3e-320\n", "the value '3e-320' is too close to 0"),
        ("occupation,value,weight\nnurse,1,1e308\n", "the weight '1e308' is too large"),
        ("occupation,value,weight\nnurse,1,1e-10\n", "the weight '1e-10' is too close to 0"),
        ("occupation,value\n,1\n", "the occupation is empty"),
        ("occupation,value\n" + "a" * 300 + ",1\n", "over 200 characters"),
        ("occupation,value\n" + "".join(f"w{i},1\n" for i in range(20_001)), "at most 20,000 are read"),
    ],
)
def test_a_refusal_is_one_sentence(text: str, said: str, refusal: Callable[[AuditError], str]) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_own_factor("mine.csv", text.encode())
    assert said in refusal(caught.value)


@pytest.mark.parametrize("name", ["mine.xlsx", "mine", "../../mine.txt"])
def test_another_kind_of_file_is_refused(name: str, refusal: Callable[[AuditError], str]) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_own_factor(name, b"occupation,value\nnurse,1\n")
    assert "is no .csv file" in refusal(caught.value)


def test_bytes_that_are_no_text_and_names_that_lead_out(refusal: Callable[[AuditError], str]) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_own_factor("mine.csv", b"occupation,value\nn\xffrse,1\n")
    assert "not UTF-8" in refusal(caught.value)
    own = read_own_factor("../../etc/x\x00y.csv", b"occupation,value\nnurse,1\n")
    assert own.values == {"nurse": 1.0}


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "prestige.csv"
    path.write_text("occupation,value\nnurse,66\n")
    assert load_own_factor(path).title == "prestige"
