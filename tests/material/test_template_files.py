"""Template sets as CSV, as Parquet and with cards: written, of other tools, and damaged."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.core.settings import ROOT
from pcf_core.core.topics import MinedTemplate, SetCard
from pcf_core.material import template_files as template_parquet
from pcf_core.material.safety.reading import MAX_BYTES
from pcf_core.material.safety.text import FORMULA_STARTS
from pcf_core.material.template_files import card_text, csv_bytes, make_card, parquet_bytes
from pcf_core.material.templates import load_card, load_mined, load_templates, make_mined
from tests.material.mined_sets import cards, mined_sets, small
from tests.material.test_malformed_files import try_to_load
from tests.quick import scaled

TEXTS = ["The [X] said that [Y]", "The [X] felt that [Y]"]


def refused(refusal, path):
    """Both ways to read the file refuse it with the same sentence."""
    sentences = []
    for load in (load_mined, load_templates):
        with pytest.raises(TemplateError) as caught:
            load(path)
        sentences.append(refusal(caught.value))
    assert sentences[0] == sentences[1]
    return sentences[0]


PUBLISHED = ROOT.parent / "shared" / "data" / "pvf_release" / "template"
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(mined=mined_sets())
def test_csv_and_its_card_give_back_what_was_written(mined, folder):
    path = folder / "own.csv"
    path.write_bytes(csv_bytes(mined))
    path.with_suffix(".toml").write_text(card_text(mined.card), encoding="utf8")
    assert load_mined(path) == mined
    assert load_templates(path) == mined.templates_only


@QUICK
@given(mined=mined_sets())
def test_parquet_gives_back_what_was_written_and_carries_the_card(mined, folder):
    path = folder / "alone.parquet"
    path.write_bytes(parquet_bytes(mined))
    kept = load_mined(path)
    assert kept.card == mined.card
    assert kept.templates == mined.templates
    assert load_templates(path).templates == mined.templates_only.templates


@QUICK
@given(mined=mined_sets())
def test_no_cell_is_a_formula(mined):
    rows = list(csv.reader(io.StringIO(csv_bytes(mined).decode(), newline="")))
    assert len(rows) == len(mined.templates) + 1
    assert not any(cell.startswith(FORMULA_STARTS) for row in rows for cell in row)


def test_a_template_that_begins_like_a_formula(tmp_path):
    mined = make_mined(
        "own", [MinedTemplate(text="=[X]+[Y]"), MinedTemplate(text="'-[X] [Y]")], SetCard(title="own")
    )
    path = tmp_path / "own.csv"
    path.write_bytes(csv_bytes(mined))
    assert path.read_text().splitlines()[1:] == ["'=[X]+[Y],1,0,,", "''-[X] [Y],1,0,,"]
    assert load_mined(path).templates == mined.templates


def test_families_are_a_column_only_where_there_are_some(tmp_path, refusal):
    path = tmp_path / "own.csv"
    said, *rest = small().templates
    mined = make_mined("own", [said.model_copy(update={"family": "=say"}), *rest], small().card)
    path.write_bytes(csv_bytes(mined))
    header, first, second, *_ = path.read_text().splitlines()
    assert header == "template,count,documents,sources,examples,family"
    assert first.endswith(",'=say")
    assert second.endswith(",")
    assert b"family" not in csv_bytes(small())
    assert "family" not in pq.read_schema(io.BytesIO(parquet_bytes(small()))).names
    json_file = tmp_path / "own.json"
    json_file.write_text(json.dumps([{"template": text, "family": 1} for text in TEXTS]))
    assert load_templates(json_file).families == ("1", "1")
    path.write_text(f"template,family\n{TEXTS[0]},a\n{TEXTS[0]},a\n{TEXTS[1]},a\n")
    assert load_templates(path).families == ("a", "a")
    path.write_text(f"template,family\n{TEXTS[0]},a\n{TEXTS[0]},b\n")
    assert "has the family 'b', but 'a' in an earlier row" in refused(refusal, path)
    path.write_text(f"template,family\n{TEXTS[0]},a\x07\n")
    assert f"the family of {TEXTS[0]!r}" in refused(refusal, path)


def test_a_set_in_toml_holds_its_card_and_its_templates(tmp_path, refusal):
    path = tmp_path / "own.toml"
    path.write_text(
        'title = "Ours"\nform = "clausal"\n'
        '[[templates]]\ntemplate = "The [X] said that [Y]"\ncount = 2.5\nfamily = "say"\n'
        '[[templates]]\ntemplate = "The [X] had said that [Y]"\ncount = 4\nfamily = "say"\n'
    )
    mined = load_mined(path)
    assert (mined.name, mined.card.title) == ("own", "Ours")
    assert [(one.text, one.count, one.family, one.fits) for one in mined.templates] == [
        ("The [X] said that [Y]", 2.5, "say", ("pronoun",)),
        ("The [X] had said that [Y]", 4, "say", ("pronoun",)),
    ]
    assert load_templates(path) == mined.templates_only
    for wrong in ('title = "Ours"\n', "templates = []\n", 'templates = ["The [X] said that [Y]"]\n'):
        path.write_text(wrong)
        assert "own.toml must hold its templates as tables: write [[templates]]" in refused(refusal, path)
    path.write_text("[[templates]]\ncount = 1\n")
    assert "own.toml" in refused(refusal, path)
    path.write_text('titel = "Ours"\n')
    assert "titel" in refused(refusal, path)
    (tmp_path / "set.csv").write_text("template\nThe [X] said that [Y]\n")
    (tmp_path / "set.toml").write_text('title = "Ours"\n[[templates]]\ntemplate = "The [X] saw [Y]"\n')
    assert "templates" in refused(refusal, tmp_path / "set.csv"), "a card has none"


@pytest.mark.parametrize("start", [sign for sign in FORMULA_STARTS if not sign.isspace()])
def test_each_sign_survives_the_round_trip(start, tmp_path):
    texts = [f"{start}[X] said [Y]", f"'{start}[X] said [Y]", f"''{start}[X] said [Y]"]
    mined = make_mined("own", [MinedTemplate(text=text) for text in texts], SetCard(title="own"))
    path = tmp_path / "own.csv"
    path.write_bytes(csv_bytes(mined))
    assert f"\n{start}" not in path.read_text()
    assert [template.text for template in load_mined(path).templates] == texts


def test_the_five_columns_by_hand(tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(csv_bytes(small()))
    assert path.read_text().splitlines()[:2] == [
        "template,count,documents,sources,examples",
        "The [X] said that [Y],10,7,enwiki:8;simplewiki:2,enwiki-1@10;enwiki-2@0;simplewiki-9@4",
    ]
    path.write_text('Examples,T,Times,Sources\n"a@1;b%3B@2","The [X], who came, is [Y]",2.5,"a:b:1;c:2"\n')
    (one,) = load_mined(path).templates
    assert one == MinedTemplate(
        text="The [X], who came, is [Y]",
        count=2.5,
        sources={"a:b": 1, "c": 2},
        examples=("a@1", "b;@2"),
    )


@pytest.mark.parametrize(
    "header",
    ["T,distribution", "template,proportion", "template,frequency", "template,times", "count , Template"],
)
def test_the_published_forms(header, tmp_path):
    path = tmp_path / "own.csv"
    cells = ["0.45 ", TEXTS[0]] if header.startswith("count") else [TEXTS[0], "0.45 "]
    path.write_text(f"{header}\n{','.join(cells)}\n")
    assert [(item.text, item.count) for item in load_templates(path).templates] == [(TEXTS[0], 0.45)]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="../shared is not there")
@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.csv")), ids=lambda path: path.stem)
def test_every_published_file_is_read_whole(path):
    templates = load_templates(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert len(templates.templates) == len(rows)
    assert templates.counts.sum() == pytest.approx(sum(float(row[1]) for row in rows))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("template,count,documents\nThe [X] said [Y],1,2.5\n", "documents has '2.5'"),
        ("template,count,documents\nThe [X] said [Y],1,-2\n", "has the count -2"),
        (f"template,count,documents\nThe [X] said [Y],1,{2**63}\n", "at least 0"),
        ("template,count,sources\nThe [X] said [Y],1,enwiki\n", "sources has 'enwiki'"),
        ("template,count,sources\nThe [X] said [Y],1,enwiki:-1\n", "has the count -1"),
        ("template,count,examples\nThe [X] said [Y],1,a;b;c;d\n", "4 examples"),
    ],
)
def test_origins_that_cannot_be(text, part, tmp_path, refusal):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(TemplateError) as caught:
        load_mined(path)
    sentence = refusal(caught.value)
    assert sentence.startswith("bad.csv")
    assert part in sentence


def test_a_source_that_stands_twice_is_added_up(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("template,count,sources\nThe [X] said [Y],3,a:1;b:5;a:2\n")
    assert load_mined(path).templates[0].sources == {"a": 3, "b": 5}
    path = tmp_path / "twice.parquet"
    sources = pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))
    pq.write_table(pa.table({"template": TEXTS[:1], "count": [3], "sources": sources}), path)
    assert load_mined(path).templates[0].sources == {"a": 3}
    long = {"x" * 200 + "1": 1, "x" * 200 + "2": 2}
    (one,) = make_mined("own", [MinedTemplate(text=TEXTS[0], sources=long)], SetCard(title="own")).templates
    assert one.sources == {"x" * 200: 3}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_huge_file_is_not_read(ending, tmp_path, refusal):
    path = tmp_path / f"huge{ending}"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "has 33,554,433 bytes; at most 33,554,432 are allowed." in refused(refusal, path)


@pytest.mark.slow
def test_a_large_set_is_read(tmp_path):
    rows = (f"The [X] of {i} said that [Y],{i + 1}\n" for i in range(100_000))
    path = tmp_path / "large.csv"
    path.write_text("template,count\n" + "".join(rows))
    templates = load_templates(path)
    assert len(templates.templates) == 100_000
    assert templates.counts.sum() == 100_000 * 100_001 / 2


def test_references_that_cannot_be_printed_are_kept_readable():
    given_ = MinedTemplate(text=TEXTS[0], sources={"a\nb": 1}, examples=("\ud800@1", "x" * 300, ""))
    (one,) = make_mined("own", [given_], SetCard(title="own")).templates
    assert one.sources == {"a?b": 1}
    assert one.examples == ("?@1", "x" * 200)


def test_another_ending_is_refused(tmp_path):
    path = tmp_path / "own.xlsx"
    path.write_text("template,count\n")
    with pytest.raises(
        TemplateError,
        match=r"own\.xlsx is there, but a template set is read from a \.toml or .* or \.parquet file",
    ):
        load_mined(Path(path))


@given(cards())
def test_a_card_as_toml_is_the_same_card(card):
    checked = make_card(card.model_dump())
    assert SetCard.model_validate({"title": "", **tomllib.loads(card_text(checked))}) == checked


@pytest.mark.parametrize(
    ("table", "part"),
    [
        ({"title": 3}, "title must be a text in quotation marks; got 3: correct it."),
        ({"title": "a", "documents": "many"}, "documents must be a whole number; got 'many'"),
        ({"title": "a", "documents": -1}, "documents must be at least 0; got -1"),
        (
            {"title": "a", "documents": -(10**400)},
            "documents must be at least 0; got a number of very many digits",
        ),
        ({"title": "a", "words": 2**63}, "words must be below 9,223,372,036,854,775,808; got 9,"),
        ({"title": "a", "cut": float("inf")}, "cut must be a finite number; got inf"),
        ({"title": "a", "kept": 1.5}, "kept must be at most 1; got 1.5"),
        ({"title": "a", "kept": float("nan")}, "kept must be at most 1; got nan"),
        (
            {"title": "a", "form": "relative"},
            "form must be one of '', clausal, attributive, decision; got 'relative'",
        ),
        ({"title": "a", "language": "english please"}, "the language"),
        ({"title": "a\x00b"}, "control characters"),
        ({"title": "a", "history": "done"}, "history must be a list; got 'done'"),
        ({}, "title is missing: write it."),
    ],
)
def test_what_a_card_may_not_say(table, part, refusal):
    with pytest.raises(TemplateError) as caught:
        make_card(table)
    assert part in refusal(caught.value)


def test_the_card_beside_a_file_goes_before_the_one_within(tmp_path, refusal):
    path = tmp_path / "own.parquet"
    path.write_bytes(parquet_bytes(small()))
    assert load_card(path) == small().card
    path.with_suffix(".toml").write_text('title = "Beside"\nlicence = "MIT"\n')
    assert load_card(path) == SetCard(title="Beside", licence="MIT")
    assert load_templates(path).title == "Beside"
    path.with_suffix(".toml").write_text('titel = "Beside"\n')
    assert "own.toml has the unknown key 'titel'" in refused(refusal, path)


def test_a_topic_of_the_same_name_is_no_card(tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(csv_bytes(small()))
    shipped = ROOT / "assets" / "topics" / "gender.toml"
    path.with_suffix(".toml").write_bytes(shipped.read_bytes())
    assert load_card(path) == SetCard(title="own")


@pytest.mark.parametrize("card", ["{", "3", "[" * 100_000, json.dumps({"title": ["a"]})])
def test_a_damaged_card_within_a_file(card, tmp_path, refusal):
    table = pa.table({"template": TEXTS, "count": [1, 2]}).replace_schema_metadata({"card": card})
    path = tmp_path / "own.parquet"
    pq.write_table(table, path)
    if card.startswith('{"'):
        assert "own.parquet: title must be a text" in refused(refusal, path)
    else:
        assert load_card(path) == SetCard(title="own")


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
        ({"template": TEXTS, "count": [1, 2], "count ": [1, 2]}, "names the column 'count' twice"),
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


@settings(max_examples=scaled(100), deadline=None)
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
    assert "has 1,000 rows and 10 MiB of data" in refusal(caught.value)


@pytest.mark.slow
def test_very_many_empty_values_are_not_written_out(tmp_path, refusal):
    path = tmp_path / "nulls.parquet"
    many = 20_000_000
    examples = pa.ListArray.from_arrays(pa.array([0, many], pa.int32()), pa.nulls(many, pa.string()))
    pq.write_table(pa.table({"template": TEXTS[:1], "count": [1.0], "examples": examples}), path)
    assert path.stat().st_size < 2**16
    assert "610 MiB of data" in refused(refusal, path)


@pytest.mark.parametrize("sources", [[[1, 2]], [["ab"]], [[{"key": "a", "value": 1}]]])
def test_lists_that_are_no_sources(sources, tmp_path, refusal):
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.table({"template": TEXTS[:1], "count": [3], "sources": sources}), path)
    with pytest.raises(TemplateError) as caught:
        load_mined(path)
    assert "write each source with its count" in refusal(caught.value)
