"""Template sets as CSV and Parquet: round trips, the published forms, cells that are no formulas, damage.

In this one file, because both forms have to keep the same promises.
"""

import csv
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from pcf_core.core.errors import TemplateError
from pcf_core.core.settings import ROOT
from pcf_core.core.topics import MinedTemplate, SetCard
from pcf_core.material.safety.reading import MAX_BYTES
from pcf_core.material.safety.text import FORMULA_STARTS
from pcf_core.material.template_files import card_text, csv_bytes, parquet_bytes
from pcf_core.material.templates import load_mined, load_templates, make_mined
from tests.material.mined_sets import mined_sets, small
from tests.material.set_files import TEXTS, refused

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
        ("template,proportion,count\nThe [X] said [Y],1,2\n", "must name template and count"),
        ("template,count,documents\nThe [X] said [Y],1,2.5\n", "documents has '2.5'"),
        ("template,count,documents\nThe [X] said [Y],1,-2\n", "counts -2 documents"),
        (f"template,count,documents\nThe [X] said [Y],1,{2**63}\n", "from 0 up"),
        ("template,count,sources\nThe [X] said [Y],1,enwiki\n", "sources has 'enwiki'"),
        ("template,count,sources\nThe [X] said [Y],1,enwiki:-1\n", "counts -1"),
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
    assert "has 33,554,433 bytes; at most 33,554,432 are read." in refused(refusal, path)


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
    path = tmp_path / "own.tsv"
    path.write_text("template\tcount\n")
    with pytest.raises(TemplateError, match=r"\.csv or \.parquet"):
        load_mined(Path(path))
