"""Exact names of models and template sets become titles where people read, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.preferences import build_run
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import list_template_sets, load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.names import known_models
from pcf_core.models.public import public_models
from pcf_core.models.registry import resolve
from pcf_core.show.charts import theme
from pcf_core.show.names import (
    Titles,
    _titles,
    sentence_with_titles,
    set_title,
    speak_of,
    speaking_of,
    unique_titles,
    with_titles,
    worded,
)
from pcf_core.show.wording import sentences

SMOLLM2, GEMMA = "SmolLM2-135M-Instruct-Q4_1", "Gemma-3-270M-Q4_K_M"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (SMOLLM2, "SmolLM2 135M Instruct"),
        (f"{GEMMA} (bfloat16)", "Gemma 3 270M (bfloat16)"),
        (
            f"The risk of {GEMMA}: 0.46, of {SMOLLM2}.",
            "The risk of Gemma 3 270M: 0.46, of SmolLM2 135M Instruct.",
        ),
        ("mini-bert · gender-wikipedia-100", "Mini BERT · 100 sentence beginnings from Wikipedia"),
        ("gender-wikipedia", "752 sentence beginnings from Wikipedia"),
    ],
)
def test_names_in_a_text_become_titles(text: str, written: str) -> None:
    assert with_titles(text) == written


@pytest.mark.parametrize(
    "text",
    [
        f"imported:{SMOLLM2}@1f3a9c20",
        f"cache/{SMOLLM2}/tokens",
        f"--model={SMOLLM2}",
        "gender-wikipedia-100@1234abcd",
        "gender-wikipedia-20",  # made by a cut
        "gender-wikipedia.csv",
        "calibration",  # a word, too
        "my-own-model",
        "HuggingFaceTB/SmolLM2-135M-Instruct",  # its title is that of the public copy
    ],
)
def test_other_names_stay(text: str) -> None:
    assert with_titles(text) == text


def test_no_two_names_have_one_title_and_no_title_is_a_name() -> None:
    titles, _ = _titles(settings().assets)
    assert len(set(titles.values())) == len(titles)
    names = {model.name for model in (*public_models(), *known_models())}
    assert not names & set(titles.values())
    assert {model.name for model in public_models()} <= set(titles)


def test_every_shipped_set_has_a_title_that_a_reader_understands() -> None:
    for templates in list_template_sets():
        title = set_title(templates)
        assert " " in title
        assert "mined" not in title
        assert "heaviest" not in title


def test_an_earlier_result_of_a_set_has_the_title_of_today() -> None:
    (old,) = [one for one in list_template_sets() if one.name == "gender-wikipedia-100"]
    assert set_title(old.model_copy(update={"title": "Wikipedia, gender (mined)"})) == set_title(old)
    assert set_title(old.model_copy(update={"name": "mine", "title": "My sentences"})) == "My sentences"


def test_a_title_that_several_names_have_is_told_by_the_name() -> None:
    titles = unique_titles(
        {"one": "Same", "two": "Same", "other": "Other", "other@1f3a": "Other", "Name": "", "like": "Name"}
    )
    assert dict(titles.by_name) == {
        "one": "Same (one)",
        "two": "Same (two)",
        "other": "Other",
        "other@1f3a": "Other (other@1f3a)",
        "Name": "Name",
        "like": "Name (like)",
    }


@given(st.dictionaries(st.text("ab@", min_size=1, max_size=3), st.text("ab@", max_size=3)))
def test_names_and_their_unique_titles_lead_to_each_other(named: dict[str, str]) -> None:
    titles = unique_titles(named)
    assert len({titles(name) for name in named}) == len(named)
    assert [titles.name(titles(name)) for name in named] == list(named)


def test_a_name_without_a_title_is_shown_as_it_is() -> None:
    assert Titles()("unknown") == Titles().name("unknown") == "unknown"


@given(st.text(max_size=60))
def test_what_is_written_once_stays(text: str) -> None:
    once = with_titles(f"{text} {SMOLLM2}")
    assert with_titles(once) == once


def test_a_sentence_quotes_the_title_of_a_set() -> None:
    quoted = "In “100 sentence beginnings from Wikipedia” SmolLM2 135M Instruct is closer."
    assert sentence_with_titles(f"In gender-wikipedia-100 {SMOLLM2} is closer.") == quoted
    assert sentence_with_titles(f"In “gender-wikipedia-100” {SMOLLM2} is closer.") == quoted
    assert sentence_with_titles(quoted) == quoted


WRITTEN = "An occupation: [P] is preferred in 2 of 24 occupations (occupations-bvf, occupation_weights)."
ABOUT = "A matter: Emily is favoured in 2 of 24 matters (occupations-bvf, occupation_weights)."


RATES = {  # where a group is named, no sentence says that it is favoured: that may be chance
    "A prefers White people in all 24 occupations, B prefers Black people in 2 and White people in 22.": (
        "A gives White people the higher rate in all 24 matters, "
        "B gives Black people the higher rate in 2 and White people in 22."
    ),
    "It does not prefer White people or Black people, and no group is preferred.": (
        "It does not give White people or Black people the higher rate, and no group has the higher rate."
    ),
    "occupations in which Black people are preferred": "matters in which Black people have the higher rate",
    "A prefers White people to Black people in 20 of 24 occupations.": (
        "A gives White people a higher rate than Black people in 20 of 24 matters."
    ),
    "It prefers Black people most for a loan.": (
        "It gives Black people the higher rate, above all for a loan."
    ),
    "preferred in, of 24": "higher rate in, of 24",
    "The order that it prefers": "The order that it favours",
}


def test_sentences_are_about_the_terms_people_and_decisions_of_a_run() -> None:
    decided = build_run(
        resolve("mini-gpt"),
        load_topic("people-race"),
        load_evidence("matters"),
        load_templates("decisions"),
    )
    other = decided.model_copy(update={"evidence": load_evidence("occupations-bvf")})
    with speaking_of(decided):
        assert worded(WRITTEN) == ABOUT
    with speaking_of(decided, other):
        assert worded(WRITTEN) == WRITTEN
    with speaking_of():  # as a page does, which learns its run later
        speak_of(decided)
        assert worded(WRITTEN) == ABOUT
        quoted = "An occupation, of “120 occupations (BVF)”, prefers “what it prefers”."
        assert worded(quoted) == "A matter, of “120 occupations (BVF)”, favours “what it prefers”."
        for text, about_decisions in RATES.items():
            assert worded(text) == about_decisions
            assert worded(about_decisions) == about_decisions
    assert worded(WRITTEN) == WRITTEN


def test_sentences_and_charts_have_titles() -> None:
    said = sentences("models")("risk_of_one", model=SMOLLM2, risk="0.30")
    assert said == "The discrimination risk of SmolLM2 135M Instruct is 0.30."
    assert theme.text(GEMMA) == "Gemma 3 270M"
    assert theme.lines(f"{GEMMA} · gender-fiction-25", 16, most=3) == (
        "Gemma 3 270M ·<br>25 sentence<br>beginnings from…"
    )
