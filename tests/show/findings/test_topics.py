"""Sentences about topics."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.probe import TopicCheck
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Group
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.topics import load_topic, make_topic
from pcf_core.show.findings.topics import (
    effective_words_finding,
    forms_note,
    list_finding,
    low_probes_caution,
    probes_finding,
    same_tokens_cautions,
    topic_finding,
    words_finding,
)

TOPIC = make_topic(
    "t", [Group(name="a", words=("he", "He", "king")), Group(name="b", words=("she", "résumé"))]
)


def check(**facts: object) -> TopicCheck:
    given: dict[str, object] = {
        "tokens": dict.fromkeys(TOPIC.words, 1),
        "refused": {},
        "same": (),
        "texts": ("[Y]", "I [Y]", "You [Y]"),
        "coverage": ({"all": 0.1}, {"all": 0.3}, {"all": 0.00002}),
    }
    return TopicCheck.model_validate(given | facts)


def test_what_a_topic_compares() -> None:
    assert topic_finding(load_topic("gender")) == (
        "It compares male (39 words) and female (39 words). Its words begin a clause, as in "
        "“The nurse said that …”."
    )
    assert topic_finding(load_topic("race")).startswith("It compares 5 groups of 1 to 2 words each.")
    assert "6 groups of 1 word each" in topic_finding(load_topic("religion"))
    many = tuple(Group(name=f"g{n}", words=(str(n),)) for n in range(1200))
    assert "It compares 1,200 groups of 1 word each" in topic_finding(
        TOPIC.model_copy(update={"groups": many})
    )


def test_what_a_list_has() -> None:
    assert list_finding(load_evidence("occupations-bvf")) == (
        "It has 120 terms, without weights of its own: accountant, administrator, advisor, …"
    )
    two = make_evidence("two", ["nurse", "cook"], weights=[1, 2])
    assert list_finding(two) == "It has 2 terms, each with a weight of the list's own: nurse, cook."


def test_how_many_words_can_be_scored() -> None:
    assert words_finding("M", TOPIC, check(), (), ()) == "M can score all 5 words, each of one token."
    refused = check(tokens={"he": 1, "He": 1, "king": 2}, refused={"she": "unk", "résumé": "unk"})
    never, left_out = (
        [LeftOut(name=word, reason="r") for word in words]
        for words in (("she", "résumé"), ("king", "she", "résumé"))
    )
    assert words_finding("M", TOPIC, refused, never, left_out) == (
        "M can score 3 of 5 words. Single-token scoring would leave out 1 of these. No word "
        "of b is left, so that nothing can be compared."
    )
    long = check(tokens=dict.fromkeys(TOPIC.words, 2))
    everything = [LeftOut(name=word, reason="2 tokens") for word in TOPIC.words]
    assert words_finding("M", TOPIC, long, (), everything) == (
        "M can score all 5 words. Single-token scoring would leave out 5 of these. No word of "
        "a and b would be left, so that nothing could be compared under it."
    )
    counterpart = [*left_out, LeftOut(name="he", reason="its counterpart 'she' is left out")]
    assert "leave out 2 of these, 1 of them for their counterparts." in words_finding(
        "M", TOPIC, refused, never, counterpart
    )
    same = check(tokens=dict.fromkeys(TOPIC.words, 1) | {"He": 2}, same=(("he", "He"),))
    once = [LeftOut(name="He", reason="the model reads it as 'he', which counts once")]
    assert words_finding("M", TOPIC, same, once, once) == (
        "M can score all 5 words; those that count have one token."
    )
    none = check(tokens={}, refused=dict.fromkeys(TOPIC.words, "unk"))
    assert words_finding("M", TOPIC, none, never, never) == "M can score none of the 5 words."
    assert probes_finding("M", none.model_copy(update={"coverage": ({}, {}, {})})) == ""


def test_how_many_words_a_topic_has_in_effect() -> None:
    """Shares of .6, .3 and .1 are those of 1 / .46 = 2.2 words; older checks have none and say nothing."""
    found = check(shares={"he": 0.6, "king": 0.1, "she": 0.3})
    assert found.effective_words == pytest.approx(1 / 0.46)
    assert effective_words_finding("M", found) == (
        "For M these 3 words count as 2.2 of equal probability (the effective number of words). “he”, “she” "
        "and “king” have 100 % of their probability, averaged over the sentences."
    )
    shares = {"he": 0.995, "king": 0.003, "she": 0.002}
    assert effective_words_finding("M", check(shares=shares)).endswith(
        "“he” has over 99 % of their probability, averaged over the sentences."
    )
    many = check(shares={f"w{n}": 0.05 for n in range(20)})
    assert "count as 20 of equal probability" in effective_words_finding("M", many)
    assert effective_words_finding("M", many).endswith(
        "19 of them have 95 % of their probability, averaged over the sentences."
    )
    assert effective_words_finding("M", check()) == ""
    assert effective_words_finding("M", check(shares={"he": 1.0})) == ""


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=12), st.floats(0.05, 1))
def test_the_effective_number_lies_between_one_and_all_and_the_fewest_words_are_named(
    parts: list[float], mass: float
) -> None:
    shares = {f"w{n}": part / sum(parts) for n, part in enumerate(parts)}
    found = check(shares=shares)
    assert found.effective_words is not None
    assert 1 <= found.effective_words <= len(parts) + 1e-9
    named = found.most_of(mass - 1e-9)
    assert sum(shares[word] for word in named) >= mass - 1e-6
    assert sum(shares[word] for word in named[:-1]) < mass


def test_how_much_of_the_probability_the_words_get() -> None:
    assert probes_finding("M", check()) == (
        "On 3 sentences, M gives the words together a median probability of 10 %. The least "
        "is about 1 in 50,000, the most 30 %."
    )
    by_tokens = check(coverage=({"1": 0.5, "2": 0.1}, {"1": 0.7, "2": 0.1}, None))
    assert probes_finding("M", by_tokens) == (
        "On 3 sentences, M gives the words of 1 token together a median probability of 60 %. "
        "The least is 50 %, the most 70 %. Words of other numbers of tokens get less, each "
        "kind by itself."
    )
    assert "not defined" in probes_finding("M", check(coverage=(None, None, None)))


def test_low_coverage_is_a_caution_where_it_is_the_rule() -> None:
    assert low_probes_caution("M", check()) == ""
    low = check(coverage=({"all": 1e-6}, {"all": 0.3}, {"all": 0.00002}))
    assert (
        "On 2 of 3 sentences all of them together get a probability below 1 in 10,000."
    ) in low_probes_caution("M", low)
    assert low_probes_caution("M", check(coverage=(None, None, None))) == ""


def test_words_of_the_same_tokens_are_told_by_where_they_stand() -> None:
    assert same_tokens_cautions("M", TOPIC, check()) == []
    across, within = same_tokens_cautions("M", TOPIC, check(same=(("he", "He"), ("king", "she"))))
    assert "words of different groups as the same: king = she." in across
    assert within.startswith("M reads these as the same word: he = He. The first of each counts, once.")


def test_forms_are_a_note() -> None:
    assert forms_note(()) == ""
    assert "he = his; man = men. Each counts" in forms_note((("he", "his"), ("man", "men")))
    assert "and 2 more" in forms_note([("a", "as")] * 10)
