"""Derived aggregates: kept, checked, and computed again when damaged."""

from __future__ import annotations

import os
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pcf_core.store.results import encode_result, read_result, result_path
from pcf_core.store.store import Store

DTYPES = [np.float64, np.float32, np.int64, np.int32, np.bool_]


@given(
    st.integers(0, 8).flatmap(
        lambda rows: st.dictionaries(
            st.text("abcdef_", min_size=1, max_size=5),
            st.sampled_from(DTYPES).flatmap(lambda dtype: arrays.arrays(dtype, rows)),
            min_size=1,
            max_size=4,
        )
    ),
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3))),
)
def test_columns_and_facts_come_back(columns: dict[str, np.ndarray], facts: dict[str, object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.parquet"
        path.write_bytes(encode_result(columns, facts))
        found = read_result(path)
    assert found is not None
    again, metadata = found
    assert metadata == facts
    assert list(again) == list(columns)
    for name, column in columns.items():
        assert again[name].dtype == column.dtype
        np.testing.assert_array_equal(again[name], column)


def test_other_programs_read_it(store: Store, root: Path) -> None:
    columns = {"p": np.array([0.25, 0.75]), "n": np.array([1, 2])}
    assert store.save_result("abc123", "preferences-exact", columns, {"words": ["he"]})
    table = pd.read_parquet(root / "results" / "abc123" / "preferences-exact.parquet")
    assert table.to_dict("list") == {"p": [0.25, 0.75], "n": [1, 2]}


def test_numbers_are_split_by_byte_and_the_rest_is_not() -> None:
    """A preference has few bytes that repeat; what is counted repeats as a whole."""
    values = np.random.default_rng(0).random(4000)
    whole = encode_result({"p": values, "n": np.zeros(4000, dtype=np.int64)}, {})
    encodings = [
        set(pq.ParquetFile(BytesIO(whole)).metadata.row_group(0).column(column).encodings)
        for column in range(2)
    ]
    assert "BYTE_STREAM_SPLIT" in encodings[0]
    assert "BYTE_STREAM_SPLIT" not in encodings[1]
    assert len(whole) < values.nbytes


def test_every_damaged_byte_gives_the_same_numbers_or_none(tmp_path: Path) -> None:
    """A byte of the file that decides no number may change unnoticed; a number never does."""
    path = tmp_path / "r.parquet"
    columns = {"p": np.linspace(0, 1, 7), "n": np.arange(7)}
    whole = encode_result(columns, {"words": ["he", "she"]})
    refused = 0
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :])
        found = read_result(path)
        if found is None:
            refused += 1
        else:
            assert found[1] == {"words": ["he", "she"]}
            for name, column in columns.items():
                np.testing.assert_array_equal(found[0][name], column)
    assert refused > len(whole) / 30


def test_nothing_kept_is_none_and_saving_replaces(store: Store) -> None:
    assert store.load_result("abc123", "numbers") is None
    assert not store.has_result("abc123", "numbers")
    store.save_result("abc123", "numbers", {"a": np.arange(2)}, {})
    assert store.has_result("abc123", "numbers")
    store.save_result("abc123", "numbers", {"a": np.arange(3)}, {"again": True})
    found = store.load_result("abc123", "numbers")
    assert (found[0]["a"].tolist(), found[1]) == ([0, 1, 2], {"again": True})


def test_the_shipped_layer_answers_where_the_cache_is_damaged(tmp_path: Path) -> None:
    Store.open(tmp_path / "shipped").save_result("abc123", "numbers", {"a": np.arange(2)}, {})
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    assert store.load_result("abc123", "numbers") is not None
    store.save_result("abc123", "numbers", {"a": np.arange(3)}, {})
    (tmp_path / "cache" / "results" / "abc123" / "numbers.parquet").write_bytes(b"ruined")
    found = store.load_result("abc123", "numbers")
    assert found[0]["a"].tolist() == [0, 1]


@pytest.mark.parametrize("name", ["../escape", "", "a/b", ".hidden", "x" * 101])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        result_path(tmp_path, "abc123", name)
    with pytest.raises(ValueError, match="not a name"):
        result_path(tmp_path, name, "numbers")


def test_arrays_that_are_no_columns_are_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="columns of one length"):
        store.save_result("abc123", "numbers", {"a": np.arange(2), "b": np.arange(3)}, {})
    with pytest.raises(ValueError, match="columns of one length"):
        store.save_result("abc123", "numbers", {"a": np.zeros((2, 2))}, {})


def test_documents_come_back_from_either_layer_and_a_damaged_one_is_none(tmp_path: Path) -> None:
    Store.open(tmp_path / "shipped").save_document("abc123", "report", {"F": 1.5, "words": ["née"]})
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    assert store.load_document("abc123", "report") == {"F": 1.5, "words": ["née"]}
    assert store.load_document("abc123", "other") is None
    store.save_document("abc123", "report", {"F": 2})
    assert store.load_document("abc123", "report") == {"F": 2}
    path = tmp_path / "cache" / "results" / "abc123" / "report.json"
    path.write_bytes(path.read_bytes().replace(b"2", b"3", 1))
    assert store.load_document("abc123", "report") == {"F": 1.5, "words": ["née"]}


def test_documents_of_a_name_are_listed_the_newest_first(tmp_path: Path) -> None:
    shipped, cache = Store.open(tmp_path / "shipped"), tmp_path / "cache"
    shipped.save_document("c0", "report", {})
    store = Store.open(cache, [tmp_path / "shipped"])
    assert store.documents("other") == ()
    for age, key in enumerate(("a1", "b2")):
        store.save_document(key, "report", {})
        os.utime(cache / "results" / key / "report.json", (1000 + age, 1000 + age))
    store.save_document("d3", "other", {})
    assert store.documents("report") == ("c0", "b2", "a1")


def test_the_state_of_documents_is_another_once_one_comes_changes_or_goes(tmp_path: Path) -> None:
    Store.open(tmp_path / "shipped").save_document("c0", "report", {})
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])

    def states() -> tuple[object, ...]:
        return store.document_states("report"), store.document_state("c0", "report")

    seen = [states()]
    assert states() == seen[0]
    store.save_document("a1", "report", {})
    seen.append(states())
    store.save_document("c0", "report", {"F": 1})
    seen.append(states())
    store.save_document("c0", "report", {"F": 2})
    seen.append(states())
    (tmp_path / "cache" / "results" / "a1" / "report.json").unlink()
    seen.append(states())
    assert len({several for several, _ in seen}) == len(seen)
    assert [one for _, one in seen[:2]] == [seen[0][1]] * 2, "of another document"
    assert len({one for _, one in seen}) == 3
    assert store.document_states("other") == ()
    assert store.document_state("a1", "other") == (None, None)


def test_a_document_that_json_cannot_say_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.save_document("abc123", "report", {"F": float("nan")})
    with pytest.raises(ValueError, match="not a name"):
        store.save_document("..", "report", {})
