"""Every construction on trees written by hand: what it finds, what fits there, and what it leaves."""

from __future__ import annotations

import pytest
from hypothesis import given

from benchmarks.constructions import lower_bound
from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Part
from pcf_core.material.topics import load_topic
from pcf_core.mining.chains import without_numbers
from pcf_core.mining.constructions import CONSTRUCTIONS, LOWER, PRECISION
from pcf_core.mining.languages import LANGUAGES
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.rules import rule_for
from pcf_core.mining.substitutes import CUT
from pcf_core.mining.verb_groups import Dropped, Found
from tests.mining.hand import texts, tree, trees

TOPIC = frozenset(
    {"he", "she", "his", "her", "him", "himself", "herself", "woman", "man", "deaf", "a muslim"}
)
ENGLISH = LANGUAGES["en"]
SMITH = "Smith Smith NNP 2 nsubj; "
FOUND: dict[str, tuple[str, str, Part, str]] = {
    "fronted": (
        "After after IN 3 mark; she she PRP 3 nsubj; retired retire VBD 6 advcl; , , , 3 punct;"
        "Smith Smith NNP 6 nsubj; moved move VBD 0 root",
        "The [X] moved after [Y]",
        "pronoun",
        "Smith she",
    ),
    "main": (
        "When when WRB 3 advmod; Smith Smith NNP 3 nsubj; retired retire VBD 6 advcl; , , , 3 punct;"
        "she she PRP 6 nsubj; moved move VBD 0 root",
        "When the [X] retired, [Y]",
        "pronoun",
        "Smith she",
    ),
    "embedded": (
        "Rain rain NN 2 nsubj; fell fall VBD 0 root; when when WRB 5 advmod; Smith Smith NNP 5 nsubj;"
        "said say VBD 2 advcl; that that IN 8 mark; he he PRP 8 nsubj; won win VBD 5 ccomp",
        "The [X] said that [Y]",
        "pronoun",
        "Smith he",
    ),
    "participle": (
        SMITH + "resigned resign VBD 0 root; , , , 4 punct; saying say VBG 2 advcl; that that IN 7 mark;"
        "he he PRP 7 nsubj; won win VBD 4 ccomp",
        "The [X] said that [Y]",
        "pronoun",
        "Smith he",
    ),
    "where": (
        SMITH + "moved move VBD 0 root; to to IN 5 case; a a DT 5 det; town town NN 2 obl;"
        "where where WRB 8 advmod; she she PRP 8 nsubj; taught teach VBD 5 acl:relcl",
        "The [X] moved to a town where [Y]",
        "pronoun",
        "Smith she",
    ),
    "numbers": (
        "Smith Smith NNP 5 nsubj; was be VBD 5 cop; 26 26 CD 4 nummod; years year NNS 5 obl;"
        "old old JJ 0 root; when when WRB 8 advmod; he he PRP 8 nsubj; moved move VBD 5 advcl",
        "The [X] was old when [Y]",
        "pronoun",
        "Smith he",
    ),
    "alone": (
        "Smith Smith NNP 3 nsubj; was be VBD 3 cop; ill ill JJ 0 root; - - : 6 punct;"
        "he he PRP 6 nsubj; stayed stay VBD 3 parataxis",
        "The [X] was ill; [Y]",
        "pronoun",
        "Smith he",
    ),
    "possessive": (
        SMITH + "ended end VBD 0 root; his his PRP$ 4 nmod:poss; career career NN 2 obj",
        "The [X] ended [Y] career",
        "determiner",
        "Smith his",
    ),
    "possessive-elsewhere": (
        "Rain rain NN 2 nsubj; fell fall VBD 0 root; when when WRB 5 advmod; Smith Smith NNP 5 nsubj;"
        "left leave VBD 2 advcl; with with IN 8 case; his his PRP$ 8 nmod:poss; bags bag NNS 5 obl",
        "The [X] left with [Y] bags",
        "determiner",
        "Smith his",
    ),
    "possessive-subject": (
        SMITH + "said say VBD 0 root; that that IN 7 mark; his his PRP$ 5 nmod:poss;"
        "health health NN 7 nsubj; had have VBD 7 aux; failed fail VBN 2 ccomp",
        "The [X] said that [Y] health failed",
        "determiner",
        "Smith his",
    ),
    "relative": (
        SMITH + "sold sell VBD 0 root; the the DT 4 det; house house NN 2 obj; that that WDT 8 obj;"
        "he he PRP 8 nsubj; had have VBD 8 aux; built build VBN 4 acl:relcl",
        "The [X] sold the house that [Y]",
        "pronoun",
        "Smith he",
    ),
    "object": (
        SMITH + "said say VBD 0 root; that that IN 6 mark; the the DT 5 det; press press NN 6 nsubj;"
        "hated hate VBD 2 ccomp; him he PRP 6 obj",
        "The [X] said that the press hated [Y]",
        "object",
        "Smith him",
    ),
    "possessive-alone": (
        "Smith Smith NNP 3 nsubj; was be VBD 3 cop; ill ill JJ 0 root; - - : 8 punct;"
        "his his PRP$ 6 nmod:poss; house house NN 8 nsubj; was be VBD 8 cop; empty empty JJ 3 parataxis",
        "The [X] was ill; [Y] house was empty",
        "determiner",
        "Smith his",
    ),
    "object-alone": (
        "Smith Smith NNP 3 nsubj; was be VBD 3 cop; ill ill JJ 0 root; and and CC 6 cc; we we PRP 6 nsubj;"
        "visited visit VBD 3 conj; him he PRP 6 obj",
        "The [X] was ill and people visited [Y]",
        "object",
        "Smith him",
    ),
    "emphatic": (
        "Smith Smith NNP 3 nsubj; herself herself PRP 1 nmod:unmarked; resigned resign VBD 0 root",
        "The [X] [Y] resigned",
        "reflexive",
        "Smith herself",
    ),
    "reflexive": (
        "The the DT 2 det; nurse nurse NN 3 nsubj; devoted devote VBD 0 root; herself herself PRP 3 obj;"
        "to to IN 7 case; the the DT 7 det; cause cause NN 3 obl",
        "The [X] devoted [Y] to the cause",
        "reflexive",
        "nurse herself",
    ),
    "reflexive-elsewhere": (
        SMITH + "left leave VBD 0 root; and and CC 4 cc; kept keep VBD 2 conj; to to IN 6 case;"
        "herself herself PRP 4 obl",
        "The [X] kept to [Y]",
        "reflexive",
        "Smith herself",
    ),
    "noun": (
        "The the DT 2 det; surgeon surgeon NN 6 nsubj; was be VBD 6 cop; a a DT 6 det; young young JJ 6 amod;"
        "woman woman NN 0 root",
        "The [X] was a young [Y]",
        "noun",
        "surgeon woman",
    ),
    "adjective": (
        "The the DT 2 det; pilot pilot NN 4 nsubj; is be VBZ 4 cop; deaf deaf JJ 0 root",
        "The [X] was [Y]",
        "adjective",
        "pilot deaf",
    ),
    "noun-elsewhere": (
        "Rain rain NN 2 nsubj; fell fall VBD 0 root; when when WRB 7 advmod; Smith Smith NNP 7 nsubj;"
        "was be VBD 7 cop; a a DT 7 det; woman woman NN 2 advcl",
        "The [X] was a [Y]",
        "noun",
        "Smith woman",
    ),
    "adjective-elsewhere": (
        "The the DT 2 det; pilot pilot NN 6 nsubj; is be VBZ 6 cop; a a DT 6 det; deaf deaf JJ 6 amod;"
        "singer singer NN 0 root",
        "The [X] was a [Y] person",
        "adjective",
        "pilot deaf",
    ),
    "apposition": (
        "Smith Smith NNP 6 nsubj; , , , 4 punct; a a DT 4 det; woman woman NN 1 appos; , , , 1 punct;"
        "resigned resign VBD 0 root",
        "The [X], a [Y], resigned",
        "noun",
        "Smith woman",
    ),
}
LEFT = {
    "a clause behind a comma may be of somebody further up": (
        "embedded",
        "Ali Ali NNP 2 nsubj; praised praise VBD 0 root; how how WRB 5 advmod; Smith Smith NNP 5 nsubj;"
        "resigned resign VBD 2 ccomp; , , , 9 punct; although although IN 9 mark; she she PRP 9 nsubj;"
        "disagreed disagree VBD 5 advcl",
        "",
    ),
    "who is called is no subject": (
        "adjective",
        "Counselor counselor NN 4 nsubj; are be VBP 4 cop; you you PRP 4 nsubj; deaf deaf JJ 0 root",
        "",
    ),
    "one person are nothing": (
        "adjective",
        "The the DT 2 det; student student NN 4 nsubj; are be VBP 4 cop; deaf deaf JJ 0 root",
        "the verb is of several",
    ),
    "an owner may be another": (
        "possessive",
        SMITH
        + "told tell VBD 0 root; Jones Jones NNP 2 iobj; his his PRP$ 5 nmod:poss; story story NN 2 obj",
        "another person may be meant",
    ),
    "two named places": (
        "where",
        SMITH + "moved move VBD 0 root; between between IN 4 case; Rome Rome NNP 2 obl;"
        "where where WRB 7 advmod; she she PRP 7 nsubj; taught teach VBD 4 acl:relcl",
        "a name inside",
    ),
    "a place that is not the last word": (
        "where",
        SMITH + "moved move VBD 0 root; to to IN 4 case; Rome Rome NNP 2 obl; early early RB 2 advmod;"
        "where where WRB 8 advmod; she she PRP 8 nsubj; taught teach VBD 2 advcl",
        "",
    ),
    "a noun whose article is somebody's": (
        "noun",
        SMITH.replace(" 2 ", " 4 ") + "was be VBD 4 cop; my my PRP$ 4 nmod:poss; woman woman NN 0 root",
        "",
    ),
    "another's reflexive": (
        "reflexive-elsewhere",
        "Actress actress NN 2 nsubj; left leave VBD 0 root; with with IN 4 case; himself himself PRP 2 obl",
        "",
    ),
    "who is met first may be meant": (
        "main",
        "When when WRB 3 advmod; Smith Smith NNP 3 nsubj; met meet VBD 7 advcl; Jones Jones NNP 3 obj;"
        ", , , 3 punct; he he PRP 7 nsubj; left leave VBD 0 root",
        "another person may be meant",
    ),
    "a clause behind is of other rules": (
        "main",
        "Smith Smith NNP 2 nsubj; left leave VBD 0 root; when when WRB 5 advmod; he he PRP 5 nsubj;"
        "fell fall VBD 2 advcl",
        "",
    ),
    "who wants to be a man need not be one": (
        "noun-elsewhere",
        SMITH + "wanted want VBD 0 root; to to TO 6 mark; be be VB 6 cop; a a DT 6 det; man man NN 2 xcomp",
        "",
    ),
    "who wants to be deaf need not be": (
        "adjective-elsewhere",
        SMITH + "wanted want VBD 0 root; to to TO 5 mark; be be VB 5 cop; deaf deaf JJ 2 xcomp",
        "",
    ),
    "a deaf ear is nobody": (
        "adjective-elsewhere",
        SMITH.replace(" 2 ", " 5 ")
        + "was be VBD 5 cop; a a DT 5 det; deaf deaf JJ 5 amod; ear ear NN 0 root",
        "",
    ),
    "a film blames nobody": (
        "reflexive",
        "The the DT 2 det; film film NN 3 nsubj; repeated repeat VBD 0 root; himself himself PRP 3 obj",
        "the noun is not a person's",
    ),
}


def find(name: str, text: str) -> list[Found | Dropped]:
    construction = CONSTRUCTIONS[name]
    return list(construction.find(tree(text), construction.taken(TOPIC), TOPIC))


@pytest.mark.parametrize("name", FOUND)
def test_a_template_of_each_construction(name: str) -> None:
    text, template, fits, pair = FOUND[name]
    (found,) = find(name, text)
    assert isinstance(found, Found)
    assert (found.text, found.fits) == (template, (fits,))
    words = tree(text).words
    assert f"{words[found.subject]} {words[found.word or 0]}" == pair


@pytest.mark.parametrize(("name", "text", "reason"), LEFT.values(), ids=LEFT)
def test_what_would_mislead_is_left_with_its_reason(name: str, text: str, reason: str) -> None:
    found = find(name, text)
    assert [one for one in found if isinstance(one, Found)] == []
    assert all(isinstance(one, Dropped) and reason in one.reason for one in found)
    assert bool(found) == bool(reason)


@pytest.mark.parametrize("relation", ["4 acl:relcl", "2 advcl"])
def test_a_named_place_is_a_place(relation: str) -> None:
    text = (
        SMITH + "moved move VBD 0 root; to to IN 4 case; Rome Rome NNP 2 obl; , , , 8 punct;"
        f"where where WRB 8 advmod; she she PRP 8 nsubj; taught teach VBD {relation}"
    )
    assert texts(find("where", text)) == ["The [X] moved to a place where [Y]"]


def test_a_word_with_its_article_stands_at_y_whole() -> None:
    text = SMITH + "became become VBD 0 root; a a DT 4 det; Muslim Muslim JJ 2 xcomp"
    (found,) = find("noun", text)
    assert isinstance(found, Found)
    assert (found.text, found.fits) == ("The [X] became [Y]", ("phrase",))


@pytest.mark.parametrize(
    ("text", "template"),
    [
        (
            "Rain rain NN 2 nsubj; fell fall VBD 0 root; when when WRB 6 advmod; Smith Smith NNP 6 nsubj;"
            "was be VBD 6 cop; deaf deaf JJ 2 advcl",
            "The [X] was [Y]",
        ),
        (
            "They they PRP 2 nsubj; met meet VBD 0 root; Smith Smith NNP 2 obj; who who WP 7 nsubj;"
            "was be VBD 7 cop; not not RB 7 advmod; deaf deaf JJ 3 acl:relcl",
            "The [X] was not [Y]",
        ),
    ],
)
def test_an_adjective_of_another_clause_is_its_subjects(text: str, template: str) -> None:
    assert texts(find("adjective-elsewhere", text)) == [template]


def test_of_joined_nouns_each_says_who_somebody_was() -> None:
    text = (
        "Smith Smith NNP 4 nsubj; was be VBD 4 cop; a a DT 4 det; nurse nurse NN 0 root; and and CC 6 cc;"
        "{} 4 conj"
    )
    assert texts(find("noun-elsewhere", text.format("man man NN"))) == ["The [X] was a [Y]"]
    assert texts(find("noun-elsewhere", text.format("man man NN").replace("a a DT", "the the DT"))) == []


def test_every_construction_has_a_tree_here() -> None:
    assert set(FOUND) == set(CONSTRUCTIONS) - {"clause", "attributive"}


@pytest.mark.parametrize("name", [name for name, one in CONSTRUCTIONS.items() if one.measured is not None])
def test_on_by_itself_is_what_is_known_to_be_precise(name: str) -> None:
    one = CONSTRUCTIONS[name]
    right, accepted = one.measured or (0, 0)
    assert one.lower == pytest.approx(lower_bound(right, accepted) if accepted else 0.0, abs=1e-6)
    assert one.on == (accepted > 0 and right / accepted >= PRECISION and one.lower >= LOWER)
    assert one.standing.startswith("on" if one.on else "off")


def test_what_is_on_by_itself() -> None:
    subject, predicate = ENGLISH.chosen("subject"), ENGLISH.chosen("predicate")
    assert [one.name for one in subject] == [
        "clause", "where", "alone", "possessive", "possessive-elsewhere", "object-alone", "reflexive", "noun",
        "noun-elsewhere",
    ]  # fmt: skip
    assert [one.name for one in predicate] == ["attributive", "noun", "noun-elsewhere"]


def test_what_a_position_does_not_have_is_refused() -> None:
    with pytest.raises(TopicError, match=r"no construction 'possessive'.*predicates: choose of attributive"):
        ENGLISH.chosen("predicate", ["possessive"])


def test_the_words_that_are_looked_for_are_those_of_the_constructions() -> None:
    gender = load_topic("gender")
    assert rule_for([gender], ["possessive"]).wanted == ("his", "her")
    assert rule_for([gender], ["reflexive", "clause"]).wanted == ("he", "she", "himself", "herself")
    assert "woman" in rule_for([gender], ["noun"]).wanted
    assert "he" not in rule_for([gender], ["noun"]).wanted
    with pytest.raises(TopicError, match="no word that can stand in the constructions that were chosen"):
        rule_for([load_topic("gender-pronouns")], ["possessive"])


def test_a_sentence_gives_what_each_construction_finds_in_it() -> None:
    text = (
        SMITH
        + "ended end VBD 0 root; his his PRP$ 4 nmod:poss; career career NN 2 obj; when when WRB 7 advmod;"
        "he he PRP 7 nsubj; fell fall VBD 2 advcl"
    )
    found = list(rule_for([load_topic("gender")], ["clause", "possessive"]).skeletons(tree(text)))
    assert texts(found) == ["The [X] ended the career when [Y]", "The [X] ended [Y] career"]


@given(trees())
def test_whatever_the_tree_every_template_is_well_formed(parsed: Tree) -> None:
    """One [X] first, one [Y], lower-case words between, nobody named."""
    for one in CONSTRUCTIONS.values():
        for found in one.find(parsed, one.taken(TOPIC), TOPIC):
            if isinstance(found, Dropped):
                assert found.reason
                continue
            assert found.text.startswith("The [X]") or " the [X] " in found.text
            assert found.text.count("[X]") == 1
            assert found.text.count("[Y]") == 1
            plain = found.text[0].lower() + found.text[1:]
            inside = plain.replace("[X]", "").replace("[Y]", "").replace(",", "").split()
            assert all(word.islower() and word.isalpha() for word in inside)
            assert not {"smith", "actress", "five", "self"} & set(inside)


@pytest.mark.parametrize(
    ("phrase", "cut"),
    [
        ("three three CD 4 nummod; books book NNS 2 obj", ["three"]),
        ("one one CD 4 nummod; book book NN 2 obj", []),  # "read book" is no English
        ("books book NNS 2 obj; three three CD 3 nummod", []),  # "books three" counts nothing
        ("a a DT 4 det; lot lot NN 2 obj; of of IN 7 case; ten ten CD 7 nummod; books book NNS 4 nmod", []),
    ],
)
def test_only_numbers_that_a_plural_can_do_without_are_cut(phrase: str, cut: list[str]) -> None:
    found = without_numbers(tree(SMITH + "read read VBD 0 root; " + phrase))
    left_out = [word for word, relation in zip(found.words, found.relations, strict=True) if relation == CUT]
    assert left_out == cut
