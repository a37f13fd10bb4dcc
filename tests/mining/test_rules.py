"""Which rule a topic needs; the rules on sentences of our own through a real parser."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Group, Topic
from pcf_core.material.topics import load_topic, make_topic
from pcf_core.mining.rules import Rule, rule_for
from pcf_core.mining.verb_groups import Dropped
from tests.mining.hand import texts, tree

RACE = make_topic(
    "race",
    [Group(name="a", words=("white",)), Group(name="b", words=("Black", "African"))],
    position="predicate",
)

CLAUSAL = {
    "Detective Smith said he would leave no stone unturned.": "The [X] said that [Y]",
    "In May 1990, Miller announced that she would leave the company.": "The [X] announced that [Y]",
    "Anna Berg has often claimed that she never met him.": "The [X] claimed that [Y]",
    "Carter believes that he was treated badly.": "The [X] believed that [Y]",
    "The nurse explained that she had worked all night.": "The [X] explained that [Y]",
    "Mr. Dale retired when he was seventy.": "The [X] retired when [Y]",
    "Lopez resigned in 1974 because she was ill.": "The [X] resigned because [Y]",
    "Taylor did not know that he had won.": "The [X] did not know that [Y]",
}
ATTRIBUTIVE = {
    "Three inspectors were appointed in May.": "The [X], who was appointed, is [Y]",
    "The teachers participate in the programme every year.": "The [X], who participated, is [Y]",
    "A young doctor died during the siege.": "The [X], who died, was [Y]",
    "The soldiers were killed near the river.": "The [X], who was killed, was [Y]",
}
EMPTY = (
    "He likes the sea.",
    "When she arrived, the bus was late.",
    "The film shows that he was wrong.",
    "The river is long.",
)


def test_the_position_of_a_topic_decides_the_rule() -> None:
    clausal, attributive = rule_for([load_topic("gender")]), rule_for([RACE])
    assert (clausal.name, clausal.wanted[:4]) == ("clausal", ("he", "she", "his", "her"))
    assert {"woman", "man"} <= set(clausal.wanted)
    assert rule_for([load_topic("gender")], ["clause"]).wanted == ("he", "she")
    assert rule_for([NOUNS]).wanted == ("man", "woman")
    assert attributive.name == "attributive"
    assert {"nurse", "nurses"} <= set(attributive.wanted)


@pytest.mark.parametrize("make", [lambda: rule_for([load_topic("gender")]), lambda: rule_for([RACE])])
def test_a_rule_travels_to_a_worker(make: Callable[[], Rule]) -> None:
    rule = make()
    assert pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301


def test_the_words_of_the_topics_are_kept_out_of_their_templates() -> None:
    parsed = tree("The the DT 2 det; pilot pilot NN 3 nsubj; wore wear VBD 0 root; white white NN 3 obj")
    assert texts(rule_for([RACE]).skeletons(parsed)) == [Dropped("a hint at the group")]


UNREAD = make_topic("own", [Group(name="a", words=("that one",)), Group(name="b", words=("hers",))])
NOUNS = make_topic("own", [Group(name="a", words=("man",)), Group(name="b", words=("woman",))])
FRENCH = make_topic("fr", [Group(name="a", words=("il",)), Group(name="b", words=("elle",))], language="fr")


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([], "no topic"),
        ([load_topic("gender"), RACE], "one position"),
        ([UNREAD], "in the constructions that are on by themselves"),
        ([FRENCH], "language fr"),
        ([load_topic("gender-zh")], "No construction of Chinese is on by itself"),
    ],
)
def test_topics_that_no_rule_fits_are_refused(topics: list[Topic], message: str) -> None:
    with pytest.raises(TopicError, match=message):
        rule_for(topics)


@pytest.fixture(scope="module")
def parse() -> Callable[[str], list[str]]:
    """Templates of a text by either rule, through the product's parser."""
    from pcf_core.mining.parser.pipeline import open_pipeline

    pipeline = open_pipeline("en-mini")
    rules = rule_for([load_topic("gender")]), rule_for([RACE])

    def templates(text: str) -> list[str]:
        trees = [parsed for parts in pipeline.trees([text]) for parsed in parts]
        found = [found for parsed in trees for rule in rules for found in texts(rule.skeletons(parsed))]
        return [template for template in found if isinstance(template, str)]

    return templates


@pytest.mark.parametrize(
    ("text", "template"), (CLAUSAL | ATTRIBUTIVE).items(), ids=(CLAUSAL | ATTRIBUTIVE).values()
)
def test_a_sentence_gives_its_template(parse: Callable[[str], list[str]], text: str, template: str) -> None:
    assert template in parse(text)


@pytest.mark.parametrize("text", EMPTY)
def test_a_sentence_of_another_form_gives_none(parse: Callable[[str], list[str]], text: str) -> None:
    assert parse(text) == []
