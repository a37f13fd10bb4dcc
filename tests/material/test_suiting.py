"""Sets that suit a topic, the sentences they make, X and Y swapped, and forms of one word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import TopicError
from pcf_core.core.settings import settings
from pcf_core.core.topics import Group, SetCard
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.safety.text import MAX_NAME, NAME
from pcf_core.material.suiting import (
    filled_prompts,
    group_names,
    heaviest_templates,
    names_all_groups,
    probe_prompts,
    rotates_groups,
    spread_terms,
    suiting_sets,
    swapped,
    template_cards,
    with_article,
    word_forms,
)
from pcf_core.material.templates import SHELF, load_templates, make_templates
from pcf_core.material.topics import list_topics, load_topic, make_topic
from tools.write_cued_sets import CUES, words_named

NAMES = [topic.name for topic in list_topics()]


def test_a_set_made_for_a_topic_comes_first_there_and_suits_no_other():
    topic, other = load_topic("religion"), load_topic("age")
    shipped = {name: card for name, card in template_cards().items() if not card.topic}
    cards = {**shipped, "faith": SetCard(title="Faith", form="attributive", topic="religion")}
    assert suiting_sets(topic, cards)[:2] == ("faith", topic.templates)
    assert "faith" not in suiting_sets(other, cards)
    without = {**cards, "faith": SetCard(title="Faith", form="attributive")}
    assert suiting_sets(topic, without)[0] == topic.templates
    assert "faith" in suiting_sets(other, without)


@pytest.mark.parametrize("name", NAMES)
def test_the_named_sets_are_there_and_fit_language_and_position(name):
    """Second opinion on the position: the texts themselves, not what the cards say of them."""
    topic, cards = load_topic(name), template_cards()
    found = suiting_sets(topic, cards)
    made_for = [set_name for set_name, card in cards.items() if card.topic == name]
    assert found[: len(made_for) + 1] == (*made_for, topic.templates)
    assert len(set(found)) == len(found)
    for set_name in found:
        assert cards[set_name].language == topic.language
        templates = load_templates(set_name).templates
        behind_is = [one.text.rstrip(".").endswith((" is [Y]", ", was [Y]")) for one in templates]
        if not cards[set_name].form:
            assert set_name in (*made_for, topic.templates)
        elif topic.position == "predicate":
            nouns = [one.fits == ("noun",) for one in templates]  # "was a [Y]", in a wide set
            assert all(is_there or noun for is_there, noun in zip(behind_is, nouns, strict=True)), set_name
        else:
            assert not any(behind_is), set_name


def test_every_shipped_set_suits_some_topic():
    cards = template_cards()
    assert {name for topic in list_topics() for name in suiting_sets(topic, cards)} == set(SHELF.shipped())


def test_by_hand():
    cards = {
        "a": SetCard(title="a", form="clausal"),
        "b": SetCard(title="b", form="attributive"),
        "c": SetCard(title="c", form="clausal", language="zh-Hant"),
        "d": SetCard(title="d"),
        "e": SetCard(title="e", form="clausal", language="en-GB"),
    }
    topic = load_topic("gender")

    def suits(**facts):
        return suiting_sets(topic.model_copy(update=facts), cards)

    assert suits() == ("a", "e")
    assert suits(templates="e") == ("e", "a")
    assert suits(templates="d") == ("d", "a", "e")
    assert suits(templates="gone", position="predicate") == ("b",)
    assert suits(language="zh") == ("c",)


def test_a_damaged_set_of_ones_own_is_not_named(assets, monkeypatch, tmp_path):
    monkeypatch.setenv("PCF_CACHE", str(tmp_path))
    settings.cache_clear()
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "broken.csv").write_text("template,count\nThe [X] said that [Y],1\n")
    (tmp_path / "templates" / "broken.toml").write_text('title = "Broken')
    (tmp_path / "templates" / "mine.csv").write_text("template,count\nThe [X] said that [Y],1\n")
    (tmp_path / "templates" / "mine.toml").write_text('title = "Mine"\nform = "clausal"\n')
    assert "broken" not in template_cards()
    assert suiting_sets(load_topic("gender"), template_cards())[-1] == "mine"


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
        ("gender-pronouns", ["nurse", "cook"], "only pronouns"),
        ("race-gender", ["nurse"], "has 1 group;"),
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


@pytest.mark.parametrize(
    ("words", "forms"),
    [
        (["he", "him", "king", "his"], [("he", "him", "his")]),
        (["her", "hers", "herself"], [("her", "hers", "herself")]),
        (["man", "woman", "men", "women"], [("man", "men"), ("woman", "women")]),
        (
            ["lady", "ladies", "wives", "wife", "wolf", "wolves"],
            [("lady", "ladies"), ("wives", "wife"), ("wolf", "wolves")],
        ),
        (["heroes", "hero", "heroine", "heros"], [("heroes", "hero", "heros")]),
        (["waitress", "waitresses", "waiter"], [("waitress", "waitresses")]),
        (["prince", "princes", "princess"], [("prince", "princes")]),
        (["Asian", "asian", "asians"], [("Asian", "asian", "asians")]),
        (["child", "children", "child's", "grandchildren"], [("child", "children", "child's")]),
        (["boy", "boys", "boies"], [("boy", "boys")]),
        (["old person", "old people"], [("old person", "old people")]),
        (["king", "queen"], []),
        ([], []),
    ],
)
def test_families(words: list[str], forms: list[tuple[str, ...]]) -> None:
    assert list(word_forms(words)) == forms


def test_of_the_papers_words_the_pronouns_and_men_are_forms() -> None:
    assert set(word_forms(load_topic("gender").words)) == {
        ("him", "his", "himself", "he"),
        ("her", "hers", "herself", "she"),
        ("man", "men"),
        ("ladies", "lady"),
        ("woman", "women"),
    }


@given(st.lists(st.text(max_size=5) | st.sampled_from(["he", "his", "man", "men", "ass", "as", "s"])))
def test_families_are_disjoint_parts_of_the_words(words: list[str]) -> None:
    found = [word for family in word_forms(words) for word in family]
    assert len(found) == len(set(found))
    assert set(found) <= set(words)
    assert all(len(family) > 1 for family in word_forms(words))


@pytest.mark.parametrize("topic", CUES)
def test_sets_that_name_the_choices_name_all_groups_and_others_do_not(topic: str) -> None:
    groups = load_topic(topic)
    choices = load_templates(f"{topic}-choices").texts
    assert names_all_groups(groups, choices)
    assert not names_all_groups(groups, [choices[0].replace(f" {words_named(topic)[0]}", " other")])
    assert not names_all_groups(groups, load_templates(groups.templates).texts)


@pytest.mark.parametrize("topic", ["age", "religion"])
def test_groups_rotate_where_each_stands_at_each_position_equally_often(topic: str) -> None:
    groups, texts = load_topic(topic), load_templates(f"{topic}-choices").texts
    assert rotates_groups(groups, texts)
    assert not rotates_groups(groups, texts[1:]), "one position is missing"
    assert not rotates_groups(groups, texts[:1] * 2), "always the same order"
