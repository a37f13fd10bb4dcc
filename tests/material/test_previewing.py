"""The sentences that a topic's words would be asked in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.topics import Group
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.suiting import filled_prompts, heaviest_templates, probe_prompts, spread_terms
from pcf_core.material.templates import load_templates, make_templates
from pcf_core.material.topics import make_topic

SET = make_templates("set", [("The [X] ran as [Y]", 1), ("The [X] said that [Y]", 5), ("[X], who is [Y]", 1)])


def test_the_heaviest_come_first_and_ties_stay_as_they_are() -> None:
    assert [template.text for template in heaviest_templates(SET, 2)] == [
        "The [X] said that [Y]",
        "The [X] ran as [Y]",
    ]


def test_terms_lie_at_even_distances() -> None:
    assert spread_terms(make_evidence("list", list("abcdefg")), 3) == ("a", "c", "e")
    assert spread_terms(make_evidence("list", ["a"]), 3) == ("a",)


def test_each_template_has_another_term_and_then_they_begin_again() -> None:
    assert probe_prompts(SET, make_evidence("list", ["nurse", "cook"]), 5) == (
        "The nurse said that [Y]",
        "The cook ran as [Y]",
        "nurse, who is [Y]",
        "The cook said that [Y]",
        "The nurse ran as [Y]",
    )


def test_ten_probes_of_what_is_shipped_differ_in_both() -> None:
    prompts = probe_prompts(load_templates("gender-wikipedia-100"), load_evidence("occupations-bvf"))
    assert len(set(prompts)) == 10
    assert all(prompt.count("[Y]") == 1 and "[X]" not in prompt for prompt in prompts)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 30))
def test_as_many_as_there_can_be_and_none_twice(texts: int, terms: int, number: int) -> None:
    templates = make_templates("set", [(f"[X] {place} [Y]", place + 1) for place in range(texts)])
    evidence = make_evidence("list", [f"t{place}" for place in range(terms)])
    prompts = probe_prompts(templates, evidence, number)
    assert len(prompts) == len(set(prompts)) == min(number, texts * terms)


def test_every_word_is_put_into_every_sentence() -> None:
    topic = make_topic("t", [Group(name="a", words=("he", "his")), Group(name="b", words=("she",))])
    assert filled_prompts(topic, SET.templates[:1], ["nurse"]) == (
        ("a", "he", "The nurse ran as he"),
        ("a", "his", "The nurse ran as his"),
        ("b", "she", "The nurse ran as she"),
    )
