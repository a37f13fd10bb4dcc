"""Template sets as Parquet: of other tools, damaged, and those that unpack to too much."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedTemplate, SetCard
from pcf_core.material import template_files as template_parquet
from pcf_core.material.template_files import parquet_bytes
from pcf_core.material.templates import load_mined
from tests.material.mined_sets import small
from tests.material.set_files import TEXTS, refused
from tests.material.test_malformed_files import try_to_load


def test_a_parquet_file_of_other_tools(tmp_path):
    """Texts for sources and examples, as in CSV; structs; whole counts; nulls; columns in another order."""
    path = tmp_path / "other.parquet"
    for sources in (
        pa.array(["a:1;b:2", None]),
        pa.array([{"a": 1, "b": 2}, {"a": None, "b": None}]),
        pa.array([[("a", 1), ("b", 2)], []], pa.map_(pa.string(), pa.int64())),
    ):
        for examples in (pa.array(["x@1;y@2", None]), pa.array([["x@1", "y@2"], None])):
            columns = {
                "Frequency": [3, 1],
                "examples": examples,
                "T": TEXTS,
                "documents": pa.array([2, None], pa.float64()),
                "sources": sources,
            }
            pq.write_table(pa.table(columns), path)
            mined = load_mined(path)
            assert mined.card == SetCard(title="other")
            assert mined.templates == (
                MinedTemplate(
                    text=TEXTS[0], count=3, documents=2, sources={"a": 1, "b": 2}, examples=("x@1", "y@2")
                ),
                MinedTemplate(text=TEXTS[1], count=1),
            )


@pytest.mark.parametrize(
    ("columns", "part"),
    [
        ({"template": TEXTS}, "must name template and count"),
        ({"template": TEXTS, "count": [1, 2], "count ": [1, 2]}, "must name template and count"),
        ({"template": TEXTS, "count": [1.0, None]}, "row 2: the count"),
        ({"template": TEXTS, "count": ["1", "many"]}, "row 2: the count 'many'"),
        ({"template": [TEXTS[0], None], "count": [1, 2]}, "quotation marks"),
        ({"template": [1, 2], "count": [1, 2]}, "quotation marks"),
        ({"template": TEXTS, "count": [float("nan"), 1]}, "has the count nan"),
        ({"template": [], "count": []}, "no templates"),
    ],
)
def test_what_a_parquet_file_may_not_hold(columns, part, tmp_path, refusal):
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.table(columns), path)
    assert part in refused(refusal, path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"template,count\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_what_is_no_parquet_file(content, tmp_path, refusal):
    path = tmp_path / "bad.parquet"
    path.write_bytes(content)
    assert "not a readable Parquet file" in refused(refusal, path)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_damaged_parquet_file_is_one_sentence_or_a_set(data, folder, refusal):
    content = parquet_bytes(small())
    start = data.draw(st.integers(0, len(content) - 1))
    length = data.draw(st.integers(1, 40))
    content = content[:start] + data.draw(st.binary(max_size=40)) + content[start + length :]
    path = folder / "damaged.parquet"
    path.write_bytes(content)
    mined = try_to_load(load_mined, path, refusal)
    assert mined is None or mined.templates


def test_a_parquet_file_that_unpacks_to_too_much_is_not_unpacked(tmp_path, refusal, monkeypatch):
    path = tmp_path / "many.parquet"
    path.write_bytes(parquet_bytes(small()))
    monkeypatch.setattr(template_parquet, "MAX_ROWS", 3)
    assert "has 4 rows" in refused(refusal, path)


def texts_written_out(name, texts, rows):
    """A file of a few kilobytes whose column holds the same long text in every row."""
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([texts]))
    columns = {"template": [f"The [X] of {i} said that [Y]" for i in range(rows)], "count": [1.0] * rows}
    return pa.table(columns | {name: repeated})


@pytest.mark.parametrize("name", ["template", "examples", "sources"])
def test_a_text_that_stands_very_often_is_not_written_out(name, tmp_path, refusal, monkeypatch):
    path = tmp_path / "often.parquet"
    pq.write_table(texts_written_out(name, "a" * 10_000, 1000), path)
    monkeypatch.setattr(template_parquet, "MAX_UNPACKED", 2**20)
    with pytest.raises(TemplateError) as caught:
        load_mined(path)
    assert path.stat().st_size < 2**16
    assert "has 1,000 rows, 10 MiB unpacked" in refusal(caught.value)


@pytest.mark.slow
def test_very_many_empty_values_are_not_written_out(tmp_path, refusal):
    path = tmp_path / "nulls.parquet"
    many = 20_000_000
    examples = pa.ListArray.from_arrays(pa.array([0, many], pa.int32()), pa.nulls(many, pa.string()))
    pq.write_table(pa.table({"template": TEXTS[:1], "count": [1.0], "examples": examples}), path)
    assert path.stat().st_size < 2**16
    assert "610 MiB unpacked" in refused(refusal, path)


@pytest.mark.parametrize("sources", [[[1, 2]], [["ab"]], [[{"key": "a", "value": 1}]]])
def test_lists_that_are_no_sources(sources, tmp_path, refusal):
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.table({"template": TEXTS[:1], "count": [3], "sources": sources}), path)
    with pytest.raises(TemplateError) as caught:
        load_mined(path)
    assert "write a source with its count" in refusal(caught.value)
