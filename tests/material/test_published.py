"""What the papers print: rows, the models they speak of, and every figure and table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.core.topics import Group
from pcf_core.material.published import (
    printed_items,
    published_criteria,
    published_models,
    published_name,
    published_of_topic,
    published_risks,
    speaks_of,
)
from pcf_core.material.templates import SHELF
from pcf_core.material.topics import list_topics, load_topic
from pcf_core.models.names import known_models

# rows that do not add up beyond rounding, spec/pcf.md (iii)
KNOWN_SLIPS = {("PCF", 1, "Baichuan"), ("BVF", 1, "Baichuan"), ("BVF", 4, "Llama2")}


def test_rows_add_up_but_for_the_known_slips():
    for row in published_risks():
        if (row.paper, row.table, row.model) not in KNOWN_SLIPS:
            assert row.overall_risk == pytest.approx(row.prejudice_risk + row.caprice_risk, abs=1.5e-4), row


def test_a_row_and_its_source():
    row = next(r for r in published_risks() if (r.paper, r.topic, r.model) == ("PCF", "gender", "BERT"))
    assert (row.overall_risk, row.prejudice_risk, row.caprice_risk) == (0.30491, 0.30183, 0.00309)
    assert row.source == "Liu et al. 2024, Prejudice and Caprice (arXiv 2402.15481v1), Table 1"


def test_rows_of_unknown_scale_may_not_be_drawn():
    hidden = {(row.topic, row.table) for row in published_risks() if row.scale == "unknown"}
    assert hidden == {("religion", 3), ("disability-papers", 3)}


def test_two_groups_read_the_same_on_both_scales():
    for row in published_risks():
        assert (row.scale == "equal") == (row.topic == "gender")


@pytest.mark.parametrize(("old", "new"), [(b"0.87032", b"87"), (b"PCF,1", b"XYZ,1"), (b"paper,", b"sheet,")])
def test_a_damaged_file_is_said(old, new, assets, refusal):
    path = assets / "published_risks.csv"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(SettingsError) as caught:
        published_risks()
    assert "published_risks.csv" in refusal(caught.value)


def test_every_entry_has_printed_rows_and_no_model_stands_twice() -> None:
    entries = published_models()
    assert len({entry.model for entry in entries}) == len(entries)
    for entry in entries:
        assert any(speaks_of(row, entry.model) for row in published_risks()), entry.model


def test_the_papers_models_of_the_registry_all_have_an_entry() -> None:
    papers = {model.name for model in known_models() if model.group == "Papers"}
    assert papers <= {entry.model for entry in published_models()}


@pytest.mark.parametrize(
    ("model", "printed"),
    [
        ("openai-community/gpt2", {"GPT-2", "GPT2"}),
        ("causal:openai-community/GPT2@main", {"GPT-2", "GPT2"}),
        ("meta-llama/Llama-2-7b-hf", {"LLaMA2", "Llama2", "llama2"}),
        ("mini-bert", set()),
    ],
)
def test_a_name_is_found_however_it_is_written(model: str, printed: set[str]) -> None:
    assert {row.model for row in published_risks() if speaks_of(row, model)} == printed
    assert (published_name(model) is None) == (not printed)


def test_the_rows_on_disability_belong_to_the_papers_words() -> None:
    rows = published_of_topic(load_topic("disability-papers"))
    assert {(row.paper, row.table, row.model) for row in rows} == {
        ("BVF", 3, model) for model in ("BERT", "GPT2", "T5", "Llama2")
    }
    for name in ("disability", "gender-pronouns", "gender-inclusive", "age", "nationality"):
        assert published_of_topic(load_topic(name)) == ()


@pytest.mark.slow
def test_every_printed_row_speaks_of_a_shipped_topic() -> None:
    shipped = {topic.name: topic for topic in list_topics()}
    for row in published_risks():
        found = shipped.get(row.topic if row.language == "en" else f"{row.topic}-{row.language}")
        assert found is not None, row
        assert row in published_of_topic(found)


def test_a_topic_has_the_rows_of_its_language() -> None:
    english, chinese = (published_of_topic(load_topic(name)) for name in ("gender", "gender-zh"))
    assert {row.language for row in english} == {"en"}
    assert {(row.topic, row.table) for row in chinese} == {("gender", 5)}
    assert len(chinese) == 3
    assert {row.context_source for row in english} >= {"Wikipedia", "book", "web page"}


def test_other_words_under_a_papers_name_have_none_of_its_rows() -> None:
    gender = load_topic("gender")
    assert published_of_topic(gender)
    groups = (gender.groups[0], Group(name="female", words=("queen",)))
    assert published_of_topic(gender.model_copy(update={"groups": groups})) == ()
    assert published_of_topic(gender.model_copy(update={"name": "gender-en"})) == ()


# As the papers number them.
FIGURES = {"PCF": 7, "PVF": 4, "BVF": 16, "FairPair": 6, "Criteria": 5}
TABLES = {"PCF": 6, "PVF": 0, "BVF": 9, "FairPair": 3, "Criteria": 6}


def test_every_figure_and_table_stands_once_by_its_number() -> None:
    expected = {
        (paper, f"{kind} {number}")
        for kind, several in (("Figure", FIGURES), ("Table", TABLES))
        for paper, most in several.items()
        for number in range(1, most + 1)
    }
    found = Counter((item.paper, item.number) for item in printed_items())
    assert set(found) == expected
    assert set(found.values()) == {1}


def test_every_published_value_stands_beside_ours_somewhere() -> None:
    items = printed_items()
    assert {row for item in items for row in item.rows} == set(published_risks())
    named = {name for item in items for name in item.figures}
    known = {row.id for row in published_criteria()}
    assert named <= known
    # What is no part of a figure or table: a mean without a number, and sizes of samples.
    assert known - named == {"I-1", "I-3", "I-5", "M-2"}


def test_a_table_of_templates_names_a_shipped_set() -> None:
    sets = {item.printed_set for item in printed_items()} - {""}
    assert sets == {"gender-nineteen", "race-relative"} <= set(SHELF.shipped())


@pytest.mark.parametrize(
    ("old", "new"),
    [('number = "Table 1"', 'number = "Box 1"'), ('ours = "', 'our = "'), ("[[item]]", "[[x]]")],
)
def test_a_damaged_table_of_figures_is_said(old: str, new: str, assets: Path) -> None:
    path = assets / "published_figures.toml"
    path.write_text(path.read_text(encoding="utf8").replace(old, new), encoding="utf8")
    with pytest.raises(SettingsError, match=r"published_figures\.toml is damaged"):
        printed_items()
