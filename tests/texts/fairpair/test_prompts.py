"""Common Sents (our reconstruction), and a user's own prompts."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import PerturbationError, PromptError
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.mining.persons import hints
from pcf_core.texts.fairpair.perturbation import Parser, Perturbation
from pcf_core.texts.fairpair.prompts import (
    OWN,
    Draft,
    load_prompts,
    load_prompts_upload,
    selected,
    with_braces,
)
from pcf_core.texts.fairpair.records import PromptSet
from tests.quick import quick

CATEGORIES = {
    "home", "school", "commute", "weekend", "food", "sport", "pets", "travel", "colleagues", "errands",
}  # fmt: skip
# Words of praise, blame and feeling, as sentiment lexicons have them.
PRAISE_AND_BLAME = """
    amazing angry awful bad beautiful best better boring brilliant calm cheerful clever cruel dislikes dull
    easy enjoys excellent fails famous favourite fear friendly fun glad good great happy hard hates kind lazy
    likes lonely love loves nice perfect pleasant poor pretty proud rich sad smart strong stupid successful
    terrible tired ugly weak well wonderful worst wrong
"""
EVALUATIVE = frozenset(PRAISE_AND_BLAME.split())

OCCUPATIONS = b'[occupations]\nframe = "{name} is {occupation}"\nevidence = %s\n'


def load_upload(file_name: str, data: bytes) -> PromptSet:
    return load_prompts_upload([(file_name, data)])


def no_parser() -> Parser:
    raise AssertionError("a shipped prompt needs no parts of speech")


def test_forty_facts_in_five_frames_and_the_occupations() -> None:
    found = load_prompts("common-sents-1")
    counts = Counter(prompt.category for prompt in found.prompts)
    occupations = counts.pop("occupation")
    assert counts == dict.fromkeys(CATEGORIES, 20)
    assert occupations + len(found.left_out) == len(load_evidence("occupations-bvf").terms)
    facts = Counter(prompt.fact for prompt in found.prompts if prompt.category != "occupation")
    assert set(facts.values()) == {5}
    assert len(facts) == 40
    articles = {
        f"John is {each}." for each in ("an accountant", "a CEO", "an underwriter", "a nurse", "an intern")
    }
    assert articles <= set(found.texts)


def test_the_card_says_whose_it_is() -> None:
    found = load_prompts("common-sents-1")
    assert found.title == "Common Sents (our reconstruction)"
    assert found.version == "1"
    assert found.source.startswith("Ours")
    assert "not comparable" in found.notes


def test_no_prompt_stands_twice_and_each_is_one_sentence_about_the_entity() -> None:
    texts = load_prompts("common-sents-1").texts
    assert len(set(texts)) == len(texts) >= 200
    for text in texts:
        assert text.count("John") == 1
        assert re.fullmatch(r"(John|These days, John|Most weeks, John) [^.!?]+\.", text)
        assert len(text.split()) <= 12


def test_no_word_has_a_gender_or_an_evaluation() -> None:
    for prompt in load_prompts("common-sents-1").prompts:
        words = re.findall(r"[a-z]+", prompt.text.removesuffix(".").lower().replace("john", ""))
        assert not EVALUATIVE & set(words), prompt.text
        if prompt.category != "occupation":  # the list of occupations is what is asked about
            assert hints(words, groups=True) is None, prompt.text


@pytest.mark.parametrize(
    "table", quick(["gender", "race-names", "religion", "age"], ("gender", "age").__contains__)
)
@pytest.mark.parametrize("mode", ["whole", "entity"])
def test_every_prompt_changes_and_comes_back(table: str, mode: str, request: pytest.FixtureRequest) -> None:
    parser = no_parser if mode == "whole" else lambda: request.getfixturevalue("parser")
    perturbation = Perturbation.of(table, mode=mode, open_parser=parser)
    first, second = perturbation.entity
    texts = load_prompts("common-sents-1", perturbation.entity).texts
    assert perturbation(texts) == [text.replace(first, second) for text in texts]
    assert perturbation.inverse(perturbation(texts)) == list(texts)


def test_names_can_be_others() -> None:
    found = load_prompts("common-sents-1", ("Greg", "Jamal"))
    assert found.names == ("Greg", "Jamal")
    assert all("Greg" in text and "John" not in text for text in found.texts)
    assert found.hash != load_prompts("common-sents-1").hash
    with pytest.raises(PerturbationError, match="capital"):
        load_prompts("common-sents-1", ("greg", "Jamal"))


# ------------------------------------------------------------------------------------------------- one's own


@pytest.mark.parametrize(
    ("file_name", "data", "texts", "categories"),
    [
        ("own.txt", b"{name} sings.\n\n  {name}  and  Bob \n", ("John sings.", "John and Bob"), ("",)),
        ("Own list.CSV", b'text,category\n"{name}, who sings,",art\n', ("John, who sings,",), ("art",)),
        ("own.csv", b"text\n{name} sings.\n", ("John sings.",), ("",)),
        ("own.toml", b'prompts = ["{name} a", {text = "{name} b", category = "x"}]', ("John a", "John b"),
         ("", "x")),
        ("own.toml", b'frames = ["{name} {fact}!"]\n[facts]\nart = ["sings"]', ("John sings!",), ("art",)),
    ],
)  # fmt: skip
def test_uploads(file_name: str, data: bytes, texts: tuple[str, ...], categories: tuple[str, ...]) -> None:
    found = load_upload(file_name, data)
    assert (found.texts, found.categories) == (texts, categories)
    assert found.name.startswith("own")


def test_an_upload_names_its_entity() -> None:
    data = b'names = ["Ann", "Tom"]\nprompts = ["{name} and {name}"]'
    assert load_upload("own.toml", data).texts == ("Ann and Ann",)


@pytest.mark.parametrize(
    ("file_name", "data", "reason"),
    [
        ("own.pdf", b"", "is not a .toml or .json or .jsonl or .csv or .tsv or .txt file"),
        ("own.txt", b"", "has no prompts"),
        ("own.txt", b"John sings.", r"must have \{name\}"),
        ("own.txt", b"{name} {verb}", "no other braces"),
        ("own.txt", b"{name} sings.\n{name}  sings.", "appears twice"),
        ("own.txt", b"{name} " + b"x" * 1000, "1,007 characters; shorten it to 1,000"),
        ("own.txt", b"{name} \x81", "not UTF-8"),
        ("own.txt", b"".join(b"{name} %d\n" % n for n in range(5001)), "more than 5,000 prompts"),
        ("own.csv", b"who,where\n{name},there\n", "must name text"),
        ("own.toml", b"prompts = 3", "write a list of texts"),
        ("own.toml", b"prompts = [3]", "quotation marks"),
        ("own.toml", b'prompts = [{category = "x"}]', "needs text"),
        ("own.toml", b'prompts = ["{name}"]\nversion = 1', "the version is a number"),
        ("own.toml", b'prompts = ["{name}"]\nname = "A b"', "small letters"),
        ("own.toml", b'prompts = ["{name}"]\nnames = ["Ann"]', "two texts"),
        ("own.toml", b'prompts = ["{name}"]\nnames = ["ann", "Tom"]', "capital"),
        ("own.toml", b'prompts = ["{name}"]\nmore = 1', "unknown key"),
        ("own.toml", b'frames = ["{name} {fact}"]', "write both or neither"),
        ("own.toml", b'frames = ["{name}"]\n[facts]\na = ["x"]', r"must have \{fact\} exactly once"),
        ("own.toml", b'frames = ["{name} {fact}"]\nfacts = ["x"]', "a list for each category"),
        ("own.toml", b'frames = ["{name} {fact}"]\n[facts]\na = "x"', "facts of a must be a list"),
        ("own.toml", OCCUPATIONS % b'"/etc/hosts.txt"', "use a list"),
        ("own.toml", OCCUPATIONS % b'["x"]', "use a list"),
        ("own.toml", b'[occupations]\nevidence = "sports"\nframe = "{name}"', r"occupation\} exactly once"),
        ("own.toml", b'[occupations]\nframe = "{name}"', "needs evidence and frame"),
        ("own.toml", OCCUPATIONS % b'"sports"' + b'written = {x = "y"}', "is not in the list"),
    ],
)  # fmt: skip
def test_an_upload_is_refused_whole_in_one_sentence(file_name: str, data: bytes, reason: str) -> None:
    with pytest.raises(PromptError, match=reason) as refused:
        load_upload(file_name, data)
    assert "\n" not in str(refused.value)


def test_many_frames_of_many_facts_are_not_all_made() -> None:
    frames = ", ".join(f'"{{name}} {{fact}} {n}"' for n in range(5_000))
    facts = ", ".join(f'"fact {n}"' for n in range(5_000))
    with pytest.raises(PromptError, match="more than 5,000"):
        load_upload("own.toml", f"frames = [{frames}]\n[facts]\na = [{facts}]".encode())


@given(st.lists(st.text(max_size=30), max_size=4), st.text(max_size=10))
def test_any_text_is_taken_or_refused(texts: list[str], category: str) -> None:
    try:
        found = OWN.make({"name": "own", "prompts": [Draft(text, category) for text in texts]})
    except PromptError as refused:
        said = str(refused)
    else:
        said = ""
        assert all("John" in text and "{" not in text for text in found.texts)
    assert "\n" not in said


def test_a_set_of_ones_own_is_read_with_other_names(own_settings: Settings) -> None:
    OWN.save(load_upload("mine.txt", b"{name}'s book is red.\n{name} met Johnson."))
    assert load_prompts("mine", ("Greg", "Jamal")).texts == ("Greg's book is red.", "Greg met Johnson.")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1), st.integers(1, 9))
def test_every_fact_is_selected_once_before_any_twice(rows: list[tuple[str, str]], most: int) -> None:
    drafts = [Draft(f"{{name}} {index}", category, fact) for index, (category, fact) in enumerate(rows)]
    prompts = OWN.make({"name": "own", "prompts": drafts})
    part = selected(prompts, ["a"], most) if "a" in prompts.categories else selected(prompts, most=most)
    assert [*part.prompts] == [one for one in prompts.prompts if one in part.prompts]
    for category in part.categories:
        whole, facts = (
            Counter(one.fact for one in some.prompts if one.category == category) for some in (prompts, part)
        )
        assert facts.total() == min(most, whole.total())
        assert all(facts[fact] >= min(whole[fact], max(facts.values()) - 1) for fact in whole)


def test_what_cannot_be_selected_is_refused() -> None:
    prompts = OWN.make({"name": "own", "prompts": [Draft("{name} sings.", "art")]})
    with pytest.raises(PromptError, match="have no category 'pets'; use art"):
        selected(prompts, ["pets"])
    with pytest.raises(PromptError, match="At least one prompt of each category is needed, but 0 were"):
        selected(prompts, most=0)


def test_braces_stand_for_whole_words() -> None:
    assert with_braces("John met Johnson and St-John.", "John") == "{name} met Johnson and St-{name}."
