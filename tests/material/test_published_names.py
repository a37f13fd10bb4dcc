"""Which printed rows speak of which checkpoint."""

from __future__ import annotations

import pytest

from pcf_core.core.topics import Group
from pcf_core.material.published import (
    published_models,
    published_name,
    published_of_topic,
    published_risks,
    speaks_of,
)
from pcf_core.material.topics import list_topics, load_topic
from pcf_core.models.names import known_models


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
    assert {row.context_source for row in english} >= {"wikipedia", "book", "web page"}


def test_other_words_under_a_papers_name_have_none_of_its_rows() -> None:
    gender = load_topic("gender")
    assert published_of_topic(gender)
    groups = (gender.groups[0], Group(name="female", words=("queen",)))
    assert published_of_topic(gender.model_copy(update={"groups": groups})) == ()
    assert published_of_topic(gender.model_copy(update={"name": "gender-en"})) == ()
