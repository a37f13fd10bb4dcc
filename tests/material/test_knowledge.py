"""Knowledge sets: the shipped ones, and what a set may not be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.errors import InputError, TopicError
from pcf_core.core.knowledge import Fact
from pcf_core.material.knowledge import OWN, list_knowledge, load_knowledge, make_knowledge
from tests.material.kinds import SKY

ROOT = Path(__file__).resolve().parents[2]
SUN = Fact(subject="Sun", right=("star",), wrong=("planet", "moon"))
TEXT = "The [X] is a [Y]"
SHIPPED = ("continents", "animals", "capitals", "opposites")


def test_the_shipped_sets_have_sixty_facts_and_eight_templates_each() -> None:
    found = list_knowledge()
    assert tuple(one.name for one in found) == SHIPPED
    for one in found:
        assert load_knowledge(one.name) == one
        assert len(one.facts) >= 60
        assert len(one.templates) >= 8
        assert one.source
        assert one.notes
        assert len(one.prompts) == len(one.facts) * len(one.templates)
        assert all(" " not in word for word in one.words)


def test_the_continents_and_animals_are_evenly_spread() -> None:
    """So that whoever always gives the same answer is right as often as chance."""
    for name, each in (("continents", 20), ("animals", 12)):
        facts = load_knowledge(name).facts
        for answer in facts[0].answers:
            assert sum(fact.right == (answer,) for fact in facts) == each


def test_the_opposites_are_asked_in_both_directions() -> None:
    facts = {fact.subject: fact for fact in load_knowledge("opposites").facts}
    for fact in facts.values():
        assert any(fact.subject in facts[word].right for word in fact.right if word in facts)
        assert not set(fact.wrong) & {fact.subject}


def test_words_are_those_of_all_facts_once() -> None:
    found = make_knowledge("sky", [TEXT], [SUN, Fact(subject="Moon", right=("moon",), wrong=("star",))])
    assert found.words == ("star", "planet", "moon")
    assert tuple(found.prompts) == ("The Sun is a [Y]", "The Moon is a [Y]")


def test_the_hash_is_of_what_decides_a_number() -> None:
    one = make_knowledge("sky", [TEXT], [SUN], title="The sky")
    assert one.hash == make_knowledge("other", [TEXT], [SUN.model_copy(update={"weight": 3.0})]).hash
    assert one.hash != make_knowledge("sky", ["A [X] is a [Y]"], [SUN]).hash
    swapped = SUN.model_copy(update={"right": ("star", "planet"), "wrong": ("moon",)})
    assert one.hash != make_knowledge("sky", [TEXT], [swapped]).hash


def test_texts_are_normalised() -> None:
    fact = Fact(subject=" Cafe\u0301 ", right=("a  place",), wrong=("b",))
    found = make_knowledge("sky", [" The [X] is [Y] "], [fact])
    assert found.templates == ("The [X] is [Y]",)
    assert found.facts[0] == Fact(subject="Café", right=("a place",), wrong=("b",))


@pytest.mark.parametrize(
    ("templates", "facts", "said"),
    [
        ([], [SUN], "no templates"),
        ([TEXT], [], "no facts"),
        (["The [X] is"], [SUN], r"exactly one \[X\]"),
        ([TEXT, TEXT], [SUN], "template 'The .* appears twice"),
        ([TEXT], [SUN, SUN], "subject 'Sun' appears twice"),
        ([TEXT], [SUN.model_copy(update={"right": ()})], "'Sun' has no right answer"),
        ([TEXT], [SUN.model_copy(update={"wrong": ()})], "'Sun' has no wrong answer"),
        ([TEXT], [SUN.model_copy(update={"wrong": ("Star",)})], "'Star' appears twice among the answers"),
        ([TEXT], [SUN.model_copy(update={"right": ("[Y]",)})], "bracket"),
        ([TEXT], [SUN.model_copy(update={"subject": " "})], "subject is empty"),
        ([TEXT], [SUN.model_copy(update={"weight": -1.0})], "weight of 'Sun' is -1"),
        ([TEXT], [SUN.model_copy(update={"weight": 0.0})], "sum to 0"),
        ([TEXT], [SUN.model_copy(update={"wrong": tuple(map(str, range(5000)))})], "5,001 different"),
    ],
)
def test_what_a_set_may_not_be(
    templates: list[str], facts: list[Fact], said: str, refusal: Callable[[InputError], str]
) -> None:
    with pytest.raises(TopicError, match=said) as error:
        make_knowledge("sky", templates, facts)
    refusal(error.value)


def test_a_file_of_ones_own_needs_templates_and_facts_alone(tmp_path: Path) -> None:
    path = tmp_path / "My sky.toml"
    path.write_text(
        f"templates = [{json.dumps(TEXT)}]\n"
        '[[facts]]\nsubject = "Sun"\nright = ["star"]\nwrong = ["planet"]\nweight = 2\n'
    )
    found = load_knowledge(path)
    assert (found.name, found.title, found.facts[0].weight) == ("my-sky", "My sky", 2.0)


def test_the_example_of_the_documentation_is_a_set(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf8")
    path = tmp_path / "own.toml"
    path.write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf8")
    asked = load_knowledge(path)
    assert [fact.weight for fact in asked.facts] == [1.0, 2.0]
    table = tmp_path / "own.csv"
    table.write_text(text.partition("```csv\n")[2].partition("```")[0], encoding="utf8")
    assert load_knowledge(table).hash == asked.hash


def test_an_unknown_name_lists_what_is_shipped() -> None:
    with pytest.raises(TopicError, match="animals, capitals, continents and opposites"):
        load_knowledge("rivers")


CSV = (
    "template,subject,right,wrong,weight\n"
    "The [X] is a [Y],,,,\n"
    '"It is said that ""the [X]"" is a [Y]",,,,\n'
    ",Sun,star,planet|moon,\n"
    ",Mars,planet | world,star,2.5\n"
)


def test_a_table_has_a_row_for_each_template_and_each_fact() -> None:
    found = OWN.read_upload([("The sky.csv", CSV.encode())])
    assert (found.name, found.title) == ("the-sky", "The sky")
    assert (found.templates, found.facts) == (SKY.templates, SKY.facts)
    assert found.hash == SKY.hash
    bare = "right,wrong,subject,template\n,,,[X] is [Y]\n\na,b,c,\n,,,\n"
    assert OWN.read_upload([("bare.csv", bare.encode())]).facts == (
        Fact(subject="c", right=("a",), wrong=("b",)),
    )
