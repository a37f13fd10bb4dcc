"""What is known of a set: as TOML, beside a file and within one."""

import json
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from pcf_core.core.errors import TemplateError
from pcf_core.core.settings import ROOT
from pcf_core.core.topics import SetCard
from pcf_core.material.template_files import card_text, csv_bytes, make_card, parquet_bytes
from pcf_core.material.templates import load_card, load_templates
from tests.material.mined_sets import cards, small
from tests.material.set_files import TEXTS, refused


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
        ({"title": "a", "form": "relative"}, "form must be one of '', clausal, attributive; got 'relative'"),
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
