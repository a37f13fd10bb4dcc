"""X and Y in each other's place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Group
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.safety.text import MAX_NAME, NAME
from pcf_core.material.suiting import group_names, swapped, with_article
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic, make_topic


def test_the_worked_example():
    topic, evidence = swapped(load_topic("race-gender"), load_evidence("occupations-bvf"))
    assert len(topic.groups) == 120
    words = {group.name: group.words for group in topic.groups}
    assert (words["nurse"], words["engineer"]) == (("a nurse",), ("an engineer",))
    assert evidence.terms[:4] == ("white man", "white woman", "black man", "black woman")
    assert "Asian woman" in evidence.terms
    assert evidence.noun == "person"
    text = load_templates(topic.templates).templates[6]
    assert text.prompt("black woman").replace("[Y]", "a nurse") == "The black woman, who came, is a nurse"


def test_pronouns_are_left_out_by_name_and_subject_templates_do_not_stay():
    topic, evidence = swapped(load_topic("gender"), make_evidence("own", ["nurse", "cook"], title="Own"))
    assert not {"he", "him", "his", "himself", "she", "her", "hers", "herself"} & set(evidence.terms)
    assert {"man", "woman", "king"} <= set(evidence.terms)
    assert "Left out: him, his, himself, he, her, hers, herself and she" in evidence.notes
    assert (topic.templates, topic.position, topic.group_names) == ("", "predicate", ("nurse", "cook"))


@pytest.mark.parametrize(
    ("topic", "terms", "part"),
    [
        ("gender-zh", ["nurse", "cook"], "English only"),
        ("gender-pronouns", ["nurse", "cook"], "pronouns alone"),
        ("race-gender", ["nurse"], "has 1 group:"),
        ("race-gender", ["nurse", "Nurse"], "'a Nurse' is in the groups nurse and nurse-2"),
    ],
)
def test_what_cannot_be_swapped(topic, terms, part, refusal):
    with pytest.raises(TopicError) as caught:
        swapped(load_topic(topic), make_evidence("own", terms))
    assert part in refusal(caught.value)


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        (["C developer", "C++ developer", "C# developer"], ["c-developer", "c-developer-2", "c-developer-3"]),
        (["护士", "nurse", "工程师"], ["term", "nurse", "term-2"]),
        (["a-b", "a b 2", "a b"], ["a-b", "a-b-2", "a-b-3"]),  # a number that another term has
        ([f"{'x' * 64} one", f"{'x' * 64} two"], ["x" * 64, f"{'x' * 62}-2"]),
    ],
)
def test_terms_of_one_name_are_numbered(terms, names):
    topic, _ = swapped(load_topic("race-gender"), make_evidence("own", terms))
    assert list(topic.group_names) == names


@given(st.lists(st.text("ab +#é护", min_size=1, max_size=4), max_size=12))
def test_names_of_groups_are_safe_and_differ(terms):
    names = group_names(terms)
    assert len(set(names)) == len(terms)
    assert all(NAME.fullmatch(name) and len(name) <= MAX_NAME for name in names)


AN = "engineer|artist|officer|underwriter|usher|heir|unidentified man|hour|X-ray technician|MRI|HR manager"
A = "nurse|university teacher|European|user|urologist|union leader|hotel owner|ceo|CEO|Ugandan|Roman|MAN"


@pytest.mark.parametrize(
    ("article", "term"), [*(("an", term) for term in AN.split("|")), *(("a", term) for term in A.split("|"))]
)
def test_articles_go_by_the_sound(article, term):
    assert with_article(term) == f"{article} {term}"


def test_an_article_stays():
    assert with_article("a nurse") == "a nurse"
    assert with_article("An heir") == "An heir"


SEVERAL = st.lists(st.from_regex(r"[bcdfg][a-z]{1,5}", fullmatch=True), min_size=2, max_size=4, unique=True)


@given(SEVERAL, SEVERAL)
def test_swapping_twice_brings_the_words_back(words, terms):
    """Terms and groups trade places; what comes back are the same words, a group of its own for each."""
    topic = make_topic("t", [Group(name=f"g{place}", words=(word,)) for place, word in enumerate(words)])
    evidence = make_evidence("e", terms)
    again_topic, again_evidence = swapped(*swapped(topic, evidence))
    assert again_evidence.terms == evidence.terms
    assert tuple(word.removeprefix("a ") for word in again_topic.words) == topic.words
