"""The word lists and the forms of words: they hold what they must, and do not contradict themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.mining.chinese import words as chinese_words
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import (
    hints,
    is_same_name,
    lexicon,
    name_of,
    names_a_person,
    naming,
    plural,
    verb_forms,
)
from pcf_core.mining.predicates import preposition, starts_with_vowel
from pcf_core.mining.verb_groups import finite, lemma_of
from pcf_core.mining.verbs import past_participle, past_tense
from tests.mining.hand import tree

GIVEN = Path(__file__).resolve().parents[3] / "shared" / "data" / "names" / "us_given_names.csv"
VERBS = sorted({verb for lemmas in lexicon().lemmas.values() for verb in lemmas})
CHINESE = chinese_words()


def test_every_occupation_of_the_papers_is_a_person() -> None:
    missing = [term for term in load_evidence("occupations-bvf").terms if lexicon().person(term) is None]
    assert missing == []


def test_every_gender_word_is_a_hint() -> None:
    words = [word for word in load_topic("gender").words if hints([word]) is None]
    assert words == []


def test_which_words_hint_at_a_group() -> None:
    of_one_gender = ["pregnant", "beard", "mrs", "widowed", "skirts", "maternity"]
    of_one_gender += ["ex-husband", "mother-to-be", "beard-trimming"]
    of_a_group = ["muslim", "catholic", "deaf", "black", "indian", "german", "church", "sign-language"]
    plain = ["book", "press", "school", "role", "old", "aware", "war", "first"]
    hint = "a hint at the group"
    assert {hints(["wore", word]) for word in of_one_gender} == {hint}
    assert {hints([word], groups=True) for word in of_a_group} == {hint}
    assert {hints([word], [word]) for word in of_a_group} == {hint}
    assert {hints([word], groups=True) for word in plain} == {None}


@pytest.mark.parametrize(
    "pair", ["nurse nurses", "secretary secretaries", "coach coaches", "boy boys", "policeman policemen"]
)
def test_plurals(pair: str) -> None:
    noun, expected = pair.split()
    assert plural(noun) == expected
    assert lexicon().person(expected) in (noun, None)


FORMS = (
    "hope hoping; hop hopping; die dying; be being; see seeing; go goes; have has; say says; study studies; "
    "watch watches; admit admitting; visit visiting; play playing; focus focuses"
)


@pytest.mark.parametrize(("verb", "form"), [pair.split() for pair in FORMS.split(";")])
def test_forms_of_verbs(verb: str, form: str) -> None:
    assert form in verb_forms(verb)


@given(st.sampled_from(VERBS))
def test_every_form_of_a_listed_verb_leads_back_to_it(verb: str) -> None:
    for form in verb_forms(verb):
        assert verb in lexicon().lemmas[form]


@given(st.sampled_from(VERBS))
def test_all_tenses_of_a_verb_meet_in_one_form(verb: str) -> None:
    """present, perfect, progressive and emphatic give the same group, which is the simple past."""
    third, gerund = (next(form for form in verb_forms(verb) if form.endswith(end)) for end in ("s", "ing"))
    if verb == "be":
        return
    rows = {
        f"Smith NNP 2 nsubj; {third} {verb} VBZ 0 root",
        f"Smith NNP 3 nsubj; has have VBZ 3 aux; {past_participle(verb)} {verb} VBN 0 root",
        f"Smith NNP 3 nsubj; is be VBZ 3 aux; {gerund} {verb} VBG 0 root",
        f"Smith NNP 3 nsubj; did do VBD 3 aux; {verb} {verb} VB 0 root",
    }
    groups = {finite(parsed, parsed.root) for parsed in map(tree, rows)}
    assert groups == {(past_tense(verb),)} or len(lexicon().lemmas[third] + lexicon().lemmas[gerund]) > 2


@pytest.mark.parametrize(
    ("form", "lemma", "found"),
    [
        ("hoping", "hop", "hope"),
        ("found", "found", "found"),
        ("found", "find", "find"),
        ("found", "fount", "find"),
    ],
)
def test_the_lemma_of_a_parser_counts_where_it_fits_the_form(form: str, lemma: str, found: str) -> None:
    assert lemma_of(tree(f"Smith NNP 2 nsubj; {form} {lemma} VBD 0 root"), 1) == found


def test_a_preposition_has_all_its_words() -> None:
    parsed = tree("left leave VBD 0 root; because IN 4 case; of IN 2 fixed; rain NN 1 obl")
    assert preposition(parsed, 3) == "because of"


def test_which_words_are_spoken_with_a_vowel() -> None:
    vowel = ("apple", "hour", "heir", "uninvited", "honest", "idea", "unimportant")
    consonant = ("house", "university", "one", "useful", "european", "unit", "year")
    assert all(map(starts_with_vowel, vowel))
    assert not any(map(starts_with_vowel, consonant))


def test_no_verb_both_stands_alone_and_needs_an_object() -> None:
    lists = lexicon().lists
    assert lists["alone"] & lists["needs_object"] == set()


def test_relatives_are_named_by_words_that_tell_no_gender() -> None:
    general = lexicon().general
    assert hints(general.values()) is None
    assert [word for word in general if hints([word]) is None and word not in ("fiancé", "fiancée")] == []


def test_kinds_are_no_persons() -> None:
    assert [word for word in lexicon().lists["kinds"] if lexicon().person(word)] == []


def test_no_word_is_of_both_genders_or_a_person_and_a_thing() -> None:
    lists = naming()
    assert not lists.male & lists.female
    assert not lists.title_male & lists.title_female
    assert not lists.title & (lists.title_male | lists.title_female)
    assert not (lists.title | lists.title_male | lists.title_female) & lists.organisation
    assert all(0 <= share <= 1 for share in lists.given.values())


@pytest.mark.skipif(not GIVEN.is_file(), reason="the given names of ../shared are not here")
def test_given_names_are_the_shares_of_their_source() -> None:
    with GIVEN.open(encoding="utf8", newline="") as file:
        births = {
            row["name"].lower(): (int(row["female_count"]), int(row["male_count"]))
            for row in csv.DictReader(file)
        }
    assert naming().given.keys() == births.keys()
    for name, (female, male) in births.items():
        assert naming().given[name] == pytest.approx(female / (female + male), abs=6e-4)


def test_a_name_has_its_parts_in_order() -> None:
    sentence = tree("Dr. NNP 2 nmod:desc; John NNP 0 root; Smith NNP 2 flat; ill JJ 2 amod")
    assert name_of(sentence, 1) == [0, 1, 2]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("John NNP 3 nsubj; Smith NNP 4 flat", True),
        ("Mary NNP 3 nsubj; Smith NNP 4 flat", False),
        ("Mr. NNP 5 nmod:desc; Smith NNP 3 nsubj", True),
        ("the DT 5 det; smith NN 3 nsubj", False),
    ],
)
def test_names_of_which_one_holds_the_other_are_one_persons(other: str, same: bool) -> None:
    sentence = tree(f"John NNP 3 nsubj; Smith NNP 1 flat; left leave VBD 0 root; {other}")
    second = next(token for token in (3, 4) if sentence.has(token, "nsubj"))
    assert is_same_name(sentence, 0, second) == is_same_name(sentence, second, 0) == same


@pytest.mark.parametrize(("word", "person"), [("Hartley", True), ("umbrella", False)])
def test_a_word_in_lower_case_is_nobodys_name(word: str, person: bool) -> None:
    sentence: Tree = tree(f"The the DT 2 det; nice JJ 3 amod; {word} NNP 4 nsubj; fell fall VBD 0 root")
    assert names_a_person(sentence, 2) == person


# Chinese.


def test_the_verbs_of_the_shipped_templates_are_verbs_of_saying() -> None:
    shipped = [template.text for template in load_templates("gender-zh-reporting").templates]
    verbs = {text.removeprefix("这位[X]").removesuffix("[Y]").rstrip("，") for text in shipped}
    assert len(verbs) == 10
    assert verbs <= CHINESE.saying


def test_the_words_of_a_chinese_gender_and_occupation_are_persons() -> None:
    assert set(load_evidence("occupations-zh").terms) <= CHINESE.person
    male, female = (
        {word for word in group.words if len(word) > 1} for group in load_topic("gender-zh").groups
    )
    assert male <= CHINESE.male
    assert female <= CHINESE.female
    assert not CHINESE.male & CHINESE.female


def test_nothing_that_is_kept_in_chinese_hints_at_a_gender_or_is_a_person() -> None:
    kept = CHINESE.saying | CHINESE.negation | CHINESE.aspect | CHINESE.before_saying | set(CHINESE.own)
    kept |= {thing for things in CHINESE.own.values() for thing in things}
    assert not [word for word in kept if {"男", "女", "他", "她", "父", "母", "妻", "夫"} & set(word)]
    for name in ("saying", "negation", "cut", "aspect", "one"):
        assert not getattr(CHINESE, name) & CHINESE.person
