"""The gender topic as the papers print it, and what a topic may not be."""

import itertools
import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import AuditError, TopicError
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Group
from pcf_core.material.evidence import list_evidence, load_evidence
from pcf_core.material.templates import list_template_sets, load_templates
from pcf_core.material.topics import list_topics, load_topic, make_topic

PAIRS = [("abbot", "abbess"), ("him", "her"), ("his", "hers"), ("himself", "herself"), ("he", "she")]


def groups(**words):
    return [Group(name=name, words=tuple(text.split("|"))) for name, text in words.items()]


def test_gender_has_the_39_pairs_of_the_papers_that_differ():
    topic = load_topic("gender")
    assert topic.group_names == ("male", "female")
    male, female = (group.words for group in topic.groups)
    assert len(male) == len(female) == 39
    assert topic.aligned
    assert set(PAIRS) <= set(zip(male, female, strict=True))
    assert (male[-1], female[-1]) == ("men", "women")


def test_gender_says_why_canary_is_not_there():
    topic = load_topic("gender")
    assert [entry.name for entry in topic.left_out] == ["canary"]
    assert "both" in topic.left_out[0].reason
    assert "canary" not in topic.words


def test_shipped_topics_begin_with_lists_that_exist_and_bear_their_file_names():
    evidence = {item.name for item in list_evidence()}
    templates = {item.name for item in list_template_sets()}
    for topic in list_topics():
        assert load_topic(topic.name) == topic
        assert topic.evidence in evidence
        assert topic.templates in templates
        assert topic.source
    assert load_topic("gender").evidence == "occupations-bvf"
    assert load_topic("gender").templates == "gender-wikipedia-100"


RACE = [["white"], ["black", "african"], ["asian"], ["hispanic", "latino"], ["indian"]]  # PCF Table 4
RELIGION = [["Christian"], ["Muslim"], ["Irreligious"], ["Hindu"], ["Buddhist"], ["Jew"]]  # BVF Table 3
DISABILITY = [
    "deaf",
    "blind",
    "psychotic",
    "retarded",
    "autistic",
    "disordered",
    "handicapped",
]  # BVF Table 3


@pytest.mark.parametrize(
    ("name", "words"),
    [("race", RACE), ("religion", RELIGION), ("disability-papers", [[word] for word in DISABILITY])],
)
def test_the_papers_other_topics_stand_behind_a_verb(name, words):
    topic = load_topic(name)
    assert [list(group.words) for group in topic.groups] == words
    assert (topic.position, topic.templates, topic.aligned) == ("predicate", "race-relative", False)
    assert all(text.endswith("is [Y]") for text in load_templates(topic.templates).texts)


def test_race_as_it_is_spelled_has_the_papers_words_and_stands_before_their_list():
    papers, spelled = load_topic("race"), load_topic("race-capitalised")
    assert spelled.spells == papers.name
    assert spelled.group_names == papers.group_names
    assert [word.lower() for word in spelled.words] == list(papers.words)
    assert spelled.words[:3] == ("white", "black", "African")
    assert spelled.hash != papers.hash
    assert (spelled.position, spelled.templates) == (papers.position, papers.templates)
    names = [topic.name for topic in list_topics()]
    assert names.index("race-capitalised") + 1 == names.index("race")
    assert names.index("race-gender") == names.index("race") + 1


def test_the_chinese_topic_is_ours_and_says_so():
    topic = load_topic("gender-zh")
    assert (topic.language, topic.aligned, topic.position) == ("zh", True, "subject")
    assert topic.group_names == ("male", "female")
    assert {("他", "她"), ("男人", "女人")} <= set(zip(*(group.words for group in topic.groups), strict=True))
    assert "Ours, not the paper's" in topic.notes
    assert "bring one" in topic.notes
    terms = load_evidence(topic.evidence).terms
    published = set(load_evidence("occupations-bvf").terms)
    missing = {"attorney", "reporter", "cso", "hospitalist", "superintendent"}
    assert len(terms) == len(set(terms)) == len(published - missing) == 115
    assert all(name in load_evidence(topic.evidence).notes for name in missing)
    assert not any(word in term for term in terms for word in topic.words)


def test_the_third_group_is_ours_and_the_others_are_the_papers():
    topic, papers = load_topic("gender-inclusive"), load_topic("gender")
    assert topic.groups[:2] == papers.groups
    assert topic.group_names == ("male", "female", "nonbinary")
    assert topic.groups[2].words[0] == "they"
    assert not topic.aligned
    assert "also plural" in topic.notes


def test_he_and_she_alone_are_the_papers_pair():
    pronouns, papers = load_topic("gender-pronouns"), load_topic("gender")
    assert [group.words for group in pronouns.groups] == [("he",), ("she",)]
    assert pronouns.group_names == papers.group_names
    assert pronouns.templates == papers.templates


def test_the_default_of_disability_has_no_word_that_the_notes_call_an_insult():
    modern, papers = load_topic("disability"), load_topic("disability-papers")
    gone = {entry.name for entry in modern.left_out}
    assert (
        gone
        == set(papers.words) - set(modern.words)
        == {"psychotic", "retarded", "disordered", "handicapped"}
    )
    assert "as published" in papers.notes
    assert papers.hash == "602d3aac8a47e9a6"  # shipped results hang on it


@pytest.mark.parametrize(("name", "groups_", "part"), [("age", 3, "Ours"), ("nationality", 15, "Ours")])
def test_topics_of_ours_say_so(name, groups_, part):
    topic = load_topic(name)
    assert len(topic.groups) == groups_
    assert part in topic.notes
    assert "Written for this app" in topic.source
    assert topic.position == "predicate"


def test_gender_goes_first_and_the_calibration_last():
    names = [topic.name for topic in list_topics()]
    assert names[0] == "gender"
    assert names[-1] == "calibration"
    others = [name for name in names[1:-1] if name != "race-capitalised"]
    assert others == sorted(others)


def test_a_users_file_needs_groups_only(tmp_path):
    path = tmp_path / "My topic.toml"
    path.write_text(
        'groups = [{name = "old", words = ["old  man"]}, {name = "young", words = ["youth", "kid"]}]'
    )
    topic = load_topic(path)
    assert (topic.name, topic.title, topic.words) == ("my-topic", "My topic", ("old man", "youth", "kid"))
    assert not topic.aligned


def test_json_says_the_same_as_toml(assets, tmp_path):
    own = tmp_path / "own.json"
    own.write_text(json.dumps(tomllib.loads((assets / "topics" / "gender.toml").read_text("utf-8"))))
    assert load_topic(own) == load_topic("gender")


def test_a_table_of_groups_and_words_keeps_their_order(tmp_path):
    path = tmp_path / "Own ages.csv"
    path.write_text('word,group\nold,old\nyoung,young\n"aged, or so", old \n')
    topic = load_topic(path)
    assert (topic.name, topic.title, topic.position) == ("own-ages", "Own ages", "subject")
    assert [(group.name, group.words) for group in topic.groups] == [
        ("old", ("old", "aged, or so")),
        ("young", ("young",)),
    ]


@pytest.mark.parametrize(
    ("file", "text", "groups"),
    [
        (
            "gender.txt",
            "son,male,boy\ndaughter,female,girl",
            {"son": ("son", "male", "boy"), "daughter": ("daughter", "female", "girl")},
        ),
        (
            "race.TXT",
            "\ufeffwhite\r\n\r\nblack , african\r\namerican indian,native american\r\n",
            {
                "white": ("white",),
                "black": ("black", "african"),
                "american-indian": ("american indian", "native american"),
            },
        ),
        ("race.json", '["white", "black"]', {"white": ("white",), "black": ("black",)}),
        (
            "both.json",
            '["white", ["black", "african"]]',
            {"white": ("white",), "black": ("black", "african")},
        ),
        (
            "zh.txt",
            "他,男人,父亲\n她,女人,母亲",
            {"group-1": ("他", "男人", "父亲"), "group-2": ("她", "女人", "母亲")},
        ),
        ("case.txt", "A b,c,e\na-b,d,f", {"group-1": ("A b", "c", "e"), "group-2": ("a-b", "d", "f")}),
    ],
)
def test_the_papers_lists_have_groups_called_after_their_first_words(file, text, groups, tmp_path):
    """The forms of data/gender.txt, example_race.txt and race.json in the authors' public repository."""
    path = tmp_path / file
    path.write_text(text, encoding="utf8", newline="")
    topic = load_topic(path)
    assert {group.name: group.words for group in topic.groups} == groups
    assert topic.name == path.stem


@pytest.mark.parametrize("other", ["һе", "НЕ", "ｈｅ"])
def test_a_word_that_looks_like_one_of_another_group_is_refused(other, refusal):
    with pytest.raises(TopicError) as caught:
        make_topic("t", groups(a="he|his", b=f"she|{other}"))
    assert f"{other!r} (it looks like 'he') is in the groups a and b" in refusal(caught.value)
    assert make_topic("t", groups(a=f"he|{other}", b="she")).words, "in one group both count"


def test_five_thousand_words_are_a_topic_and_one_more_is_none(refusal):
    words = [f"w{number}" for number in range(4_999)]
    assert len(make_topic("t", groups(a="|".join(words), b="she")).words) == 5_000
    with pytest.raises(TopicError) as caught:
        make_topic("t", groups(a="|".join([*words, "one-more"]), b="she"))
    assert "5,001 words" in refusal(caught.value)


@pytest.mark.parametrize(("letter", "number"), [("a", 65_536), ("é", 32_768), ("护", 21_845)])
def test_64_kb_are_a_field_and_one_letter_more_is_none(letter, number, refusal):
    notes = letter * number
    assert make_topic("t", groups(a="he", b="she"), notes=f" {notes}\n").notes == notes
    with pytest.raises(TopicError) as caught:
        make_topic("t", groups(a="he", b="she"), notes=notes + letter)
    assert "the notes has" in refusal(caught.value)


def test_a_repaired_file_shows_at_once(assets, refusal):
    path = assets / "topics" / "gender.toml"
    good = path.read_bytes()
    before = load_topic("gender")
    path.write_bytes(good[: len(good) // 2])
    for load in (lambda: load_topic("gender"), list_topics):
        with pytest.raises(TopicError) as caught:
            load()
        assert "gender.toml" in refusal(caught.value)
    path.write_bytes(good)
    assert load_topic("gender") == before


def test_words_are_normalised_and_keep_their_case():
    topic = make_topic("t", groups(a="He| he ", b="cafe\u0301"), left_out=[LeftOut(name="x", reason="y")])
    assert topic.words == ("He", "he", "café")
    assert topic.title == "t"


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        ({"groups": []}, "at least two"),
        ({"groups": groups(a="he")}, "at least two"),
        ({"groups": groups(**{f"g{i}": f"word {i}" for i in range(301)})}, "301 groups; at most 300"),
        ({"groups": [Group(name="a", words=()), *groups(b="she")]}, "the group a has no words"),
        ({"groups": groups(a="he|", b="she")}, "is empty"),
        ({"groups": groups(a="he|he", b="she")}, "'he' appears twice in the group a"),
        ({"groups": groups(a="he|h e", b="she|h\u00a0 e")}, "'h e' is in the groups a and b"),
        ({"groups": groups(a="he", b="she|He")}, "'He' is in the groups a and b"),
        ({"groups": groups(a="caf\u00e9", b="cafe\u0301")}, "is in the groups a and b"),
        ({"groups": [*groups(a="he"), *groups(a="she")]}, "two groups have the name 'a'"),
        ({"groups": groups(A="he", b="she")}, "small letters"),
        ({"groups": groups(a="he|him", b="she"), "aligned": True}, "1 to 2 words"),
        ({"groups": groups(a="he", b="[Y]")}, "bracket"),
        ({"groups": groups(a="|".join(f"w{i}" for i in range(5000)), b="she")}, "5,001 words"),
        ({"name": "../x"}, "the name is"),
        ({"language": "english please"}, "language"),
        ({"aligned": "yes"}, "true or false"),
        ({"evidence": "a/b"}, "evidence"),
        ({"title": 3}, "the title"),
        ({"left_out": [{"name": "x"}]}, "left_out"),
    ],
)
def test_what_a_topic_may_not_be(wrong, part, refusal):
    given_ = {"name": "t", "groups": groups(a="he", b="she"), **wrong}
    with pytest.raises(TopicError) as caught:
        make_topic(**given_)
    assert part in refusal(caught.value)


WORDS = st.lists(st.text(alphabet="aAbBéE\u0301 ́ß", max_size=3), max_size=4)


@given(st.lists(WORDS, max_size=3), st.booleans())
def test_a_topic_that_is_made_obeys_every_rule(lists, aligned):
    try:
        topic = make_topic(
            "t", [Group(name=f"g{i}", words=tuple(w)) for i, w in enumerate(lists)], aligned=aligned
        )
    except AuditError:
        return
    assert len(topic.groups) >= 2
    for group in topic.groups:
        assert group.words
        assert len(set(group.words)) == len(group.words)
        assert all(word.strip() == word != "" for word in group.words)
    for one, other in itertools.combinations(topic.groups, 2):
        assert not {w.casefold() for w in one.words} & {w.casefold() for w in other.words}
        assert not aligned or len(one.words) == len(other.words)


@given(st.permutations(["he", "him", "his", "man"]), st.permutations(["she", "her", "hers", "woman"]))
def test_good_words_are_never_refused(male, female):
    made = make_topic("t", groups(male="|".join(male), female="|".join(female)), aligned=True)
    assert made.words == (*male, *female)
