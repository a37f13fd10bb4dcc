"""Intersections: groups that are products of groups."""

import itertools
import json
import math
import re

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.topics import Group
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic, product_groups


def no_topic(name):
    raise AssertionError(f"no topic is asked for, {name} was")


def made(factors, language="en"):
    groups = product_groups(factors, language, no_topic, "own.toml")
    return [(group.name, group.words) for group in groups]


def test_the_worked_example():
    black = {"name": "black", "words": ["black", "african"]}
    assert made([["white", black], ["man", "woman"]]) == [
        ("white-man", ("white man",)),
        ("white-woman", ("white woman",)),
        ("black-man", ("black man", "african man")),
        ("black-woman", ("black woman", "african woman")),
    ]


def test_languages_without_spaces_have_none():
    age = [{"name": "old", "words": ["老"]}, {"name": "young", "words": ["年轻"]}]
    sex = [{"name": "man", "words": ["男人"]}, {"name": "woman", "words": ["女人"]}]
    assert [words for _, words in made([age, sex], "zh-Hans")] == [
        ("老男人",),
        ("老女人",),
        ("年轻男人",),
        ("年轻女人",),
    ]


LETTERS = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3, unique=True), min_size=2, max_size=3
)


@given(st.lists(LETTERS, min_size=2, max_size=3))
def test_every_word_is_one_of_each_factor_in_order_and_none_is_missing(lists):
    """Second opinion: words are read back, part by part, instead of joined."""
    factors = [
        [{"name": f"g{i}", "words": [f"{word}{i}" for word in words]} for i, words in enumerate(factor)]
        for factor in lists
    ]
    groups = product_groups(factors, "en", no_topic, "own.toml")
    assert len(groups) == math.prod(len(factor) for factor in factors)
    read = set()
    for group in groups:
        places = [int(place) for place in re.findall(r"\d", group.name)]
        for word in group.words:
            parts = tuple(word.split(" "))
            for part, place, factor in zip(parts, places, factors, strict=True):
                assert part in factor[place]["words"]
            read.add(parts)
    all_words = [[word for group in factor for word in group["words"]] for factor in factors]
    assert read == set(itertools.product(*all_words))
    assert sum(len(group.words) for group in groups) == len(read)


def test_a_file_names_shipped_topics_and_lists_groups(tmp_path):
    path = tmp_path / "ages.toml"
    path.write_text('position = "predicate"\nproduct = ["age", ["nurse", "engineer"]]')
    topic = load_topic(path)
    age = load_topic("age")
    assert topic.groups[0] == Group(name="young-nurse", words=("young nurse", "youthful nurse"))
    assert len(topic.groups) == 2 * len(age.groups)
    (tmp_path / "ages.json").write_text(json.dumps({"product": ["age", ["nurse", "engineer"]]}))
    assert load_topic(tmp_path / "ages.json").groups == topic.groups


def test_race_and_gender_is_grammatical_behind_is():
    topic = load_topic("race-gender")
    races = [group.name for group in load_topic("race").groups]
    assert topic.group_names == tuple(f"{race}-{sex}" for race in races for sex in ("man", "woman"))
    for word in topic.words:
        article, adjective, _ = word.split(" ")
        assert article == ("an" if adjective[0] in "AIaeiou" else "a")
    assert all(text.endswith("is [Y]") for text in load_templates(topic.templates).texts)
