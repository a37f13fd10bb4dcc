"""Coreference: every rule accepts its own kind of sentence and refuses the sentence it is there for.

In this one file, because the same sentences, turned a little, prove one rule and the next.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.coreference import RULES, Verdict, judge
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import GENDERS
from tests.mining.hand import tree


def pair(text: str) -> tuple[Tree, int, int]:
    """A tree with its pair: the words marked ``<`` and ``>``."""
    marked = tree(text)
    subject = next(token for token, word in enumerate(marked.words) if word.startswith("<"))
    pronoun = next(token for token, word in enumerate(marked.words) if word.startswith(">"))
    plain = tuple(word.lstrip("<>") for word in marked.words)
    return (
        replace(marked, words=plain, lemmas=tuple(word.lstrip("<>") for word in marked.lemmas)),
        subject,
        pronoun,
    )


def he(word: str = ">he", *, head: int, root: int) -> str:
    """``he would go``, a clause that depends on the token ``root``; ``head``: the place of *go*."""
    return f"; {word} he PRP {head} nsubj; would would MD {head} aux; go go VB {root} ccomp"


ACCEPTED = {
    "a title and a name (the papers' example)": (
        "Detective Detective NNP 2 nmod:desc; <Smith Smith NNP 3 nsubj; said say VBD 0 root"
        + he(head=6, root=3),
        "name",
    ),
    "a name with its parts behind it": (
        "<John John NNP 3 nsubj; Smith Smith NNP 1 flat; said say VBD 0 root" + he(head=6, root=3),
        "name",
    ),
    "a family name alone": ("<Okonkwo Okonkwo NNP 2 nsubj; said say VBD 0 root" + he(head=5, root=2), "name"),
    "a noun for a person": (
        "The the DT 2 det; <nurse nurse NN 3 nsubj; said say VBD 0 root" + he(">she", head=6, root=3),
        "noun",
    ),
    "the same pronoun": ("<She she PRP 2 nsubj; said say VBD 0 root" + he(">she", head=5, root=2), "pronoun"),
    "an adverbial clause": (
        "<Smith Smith NNP 2 nsubj; left leave VBD 0 root; because because IN 6 mark; >he he PRP 6 nsubj;"
        "was be VBD 6 cop; tired tired JJ 2 advcl",
        "name",
    ),
    "a coordinated clause": (
        "<Smith Smith NNP 2 nsubj; left leave VBD 0 root; and and CC 5 cc; >he he PRP 5 nsubj;"
        "slept sleep VBD 2 conj",
        "name",
    ),
    "a clause set beside": (
        "<Smith Smith NNP 3 nsubj; was be VBD 3 cop; tired tired JJ 0 root; , , , 6 punct;"
        ">he he PRP 6 nsubj;"
        "said say VBD 3 parataxis",
        "name",
    ),
    "a predicate that shares the subject": (
        "<Smith Smith NNP 2 nsubj; came come VBD 0 root; and and CC 4 cc; said say VBD 2 conj"
        + he(head=7, root=4),
        "name",
    ),
    "a passive subject": (
        "<Smith Smith NNP 3 nsubj:pass; was be VBD 3 aux:pass; fired fire VBN 0 root;"
        "because because IN 6 mark;"
        ">he he PRP 6 nsubj; slept sleep VBD 3 advcl",
        "name",
    ),
    "a clause in front": (
        "When when WRB 3 advmod; >he he PRP 3 nsubj; arrived arrive VBD 6 advcl; , , , 6 punct;"
        "<Smith Smith NNP 6 nsubj; slept sleep VBD 0 root",
        "name",
    ),
    "another of the other gender": (
        "<John John NNP 2 nsubj; told tell VBD 0 root; Mary Mary NNP 2 iobj" + he(head=6, root=2),
        "name",
    ),
    "another who is not addressed but only in a phrase": (
        "<Smith Smith NNP 2 nsubj; read read VBD 0 root; the the DT 4 det; works work NNS 2 obj;"
        "of of IN 6 case;"
        "Jones Jones NNP 4 nmod" + he(head=9, root=2),
        "name",
    ),
    "another in front": (
        "After after IN 2 case; Jones Jones NNP 5 obl; , , , 5 punct; <Smith Smith NNP 5 nsubj;"
        "said say VBD 0 root" + he(head=8, root=5),
        "name",
    ),
    "a coordinated clause has a parallel subject": (
        "<Smith Smith NNP 2 nsubj; sang sing VBD 0 root; with with IN 4 case; Jones Jones NNP 2 obl;"
        "and and CC 7 cc; >he he PRP 7 nsubj; slept sleep VBD 2 conj",
        "name",
    ),
    "a place is nobody": (
        "<Smith Smith NNP 2 nsubj; wrote write VBD 0 root; in in IN 4 case; Fleetwick Fleetwick NNP 2 obl"
        + he(head=7, root=2),
        "name",
    ),
    "a quotation that is over": (
        "<Smith Smith NNP 2 nsubj; joined join VBD 0 root; the the DT 5 det; `` `` `` 5 punct;"
        "Club Club NNP 2 obj;"
        "'' '' '' 5 punct" + he(head=9, root=2),
        "name",
    ),
    "a possessive behind the subject": (
        "<Smith Smith NNP 2 nsubj; lost lose VBD 0 root; >his his PRP$ 4 nmod:poss; keys key NNS 2 obj",
        "name",
    ),
    "a possessive in a phrase in front": (
        "In in IN 3 case; >his his PRP$ 3 nmod:poss; career career NN 6 obl; , , , 6 punct;"
        "<Smith Smith NNP 6 nsubj;"
        "drank drink VBD 0 root",
        "name",
    ),
    "the + title + name": (
        "The the DT 3 det; novelist novelist NN 3 compound; <Smith Smith NNP 4 nsubj; said say VBD 0 root"
        + he(head=7, root=4),
        "name",
    ),
    "no abbreviation": (
        "<JFK JFK NNP 3 nsubj; Smith Smith NNP 1 flat; said say VBD 0 root" + he(head=6, root=3),
        "name",
    ),
}

REFUSED = {
    "no pronoun of a gender": (
        "<Smith Smith NNP 2 nsubj; said say VBD 0 root; >they they PRP 5 nsubj; would would MD 5 aux;"
        "go go VB 2 ccomp",
        "the word is not he or she as a subject, nor his or her",
    ),
    "an object": (
        "<Smith Smith NNP 2 nsubj; said say VBD 0 root; Ann Ann NNP 5 nsubj; had have VBD 5 aux;"
        "hit hit VBN 2 ccomp;"
        ">him he PRP 5 obj",
        "the word is not he or she as a subject, nor his or her",
    ),
    "her as an object": (
        "<She she PRP 2 nsubj; said say VBD 0 root; Tom Tom NNP 4 nsubj; hit hit VBD 2 ccomp;"
        ">her she PRP 4 obj",
        "the word is not he or she as a subject, nor his or her",
    ),
    "no subject": (
        "We we PRP 2 nsubj; told tell VBD 0 root; <Smith Smith NNP 2 obj" + he(head=6, root=2),
        "the other word is not the subject of a clause",
    ),
    "beside the subject's predicate": (
        "As as IN 3 mark; <Smith Smith NNP 3 nsubj; left leave VBD 6 advcl; , , , 6 punct;"
        ">he he PRP 6 nsubj;"
        "slept sleep VBD 0 root",
        "the pronoun does not stand below the subject's predicate",
    ),
    "inside the subject": (
        "The the DT 2 det; <man man NN 5 nsubj; >he he PRP 4 nsubj; hated hate VBD 2 acl:relcl;"
        "left leave VBD 0 root",
        "the pronoun does not stand below the subject's predicate",
    ),
    "in the same clause": (
        "<Smith Smith NNP 3 nsubj; >he he PRP 3 nsubj; said say VBD 0 root",
        "the pronoun stands in the subject's own clause",
    ),
    "a clause broken off": (
        "<Smith Smith NNP 6 nsubj; >he he PRP 3 nsubj; went go VBD 4 ccomp; said say VBD 6 reparandum;"
        "well well RB 6 advmod;"
        "left leave VBD 0 root",
        "the sentence is broken off",
    ),
    "a person is owned": (
        "<Smith Smith NNP 2 nsubj; met meet VBD 0 root; >his his PRP$ 4 nmod:poss; brother brother NN 2 obj",
        "what the possessive owns is a person or the predicate",
    ),
    "the predicate is owned": (
        "<Smith Smith NNP 4 nsubj; was be VBD 4 cop; >his his PRP$ 4 nmod:poss; downfall downfall NN 0 root",
        "what the possessive owns is a person or the predicate",
    ),
    "a possessive in front without a comma": (
        "In in IN 3 case; >his his PRP$ 3 nmod:poss; absence absence NN 5 obl; <Smith Smith NNP 5 nsubj;"
        "drank drink VBD 0 root",
        "the possessive goes before the subject without a comma",
    ),
    "the pronoun is quoted": (
        "<Smith Smith NNP 2 nsubj; said say VBD 0 root; , , , 2 punct; “ `` `` 7 punct" + he(head=7, root=2),
        "one of both is quoted",
    ),
    "the subject is quoted": (
        "“ `` `` 3 punct; <Smith Smith NNP 3 nsubj; lied lie VBD 0 root; , , , 6 punct; ” '' '' 3 punct;"
        ">he he PRP 7 nsubj; said say VBD 3 parataxis",
        "one of both is quoted",
    ),
    "a colon and speech": (
        "<Smith Smith NNP 2 nsubj; said say VBD 0 root; : : : 2 punct" + he(head=6, root=2),
        "one of both is quoted",
    ),
    "the first person": (
        "<I I PRP 2 nsubj; said say VBD 0 root" + he(head=5, root=2),
        "the subject is another pronoun",
    ),
    "an expletive": (
        "<It it PRP 2 nsubj; seems seem VBZ 0 root" + he(head=5, root=2),
        "the subject is another pronoun",
    ),
    "a relative": (
        "Smith Smith NNP 0 root; <who who WP 3 nsubj; said say VBD 1 acl:relcl" + he(head=6, root=3),
        "the subject is another pronoun",
    ),
    "somebody": (
        "<Someone someone NN 2 nsubj; said say VBD 0 root" + he(head=5, root=2),
        "the noun is not a person's",
    ),
    "the plural": (
        "The the DT 2 det; <nurses nurse NNS 3 nsubj; said say VBD 0 root" + he(">she", head=6, root=3),
        "the subject is not one person",
    ),
    "what is said of several": (
        "<student student NN 4 nsubj; descriptions description NNS 1 nmod; are be VBP 4 cop; good good JJ 0"
        " root" + he(head=7, root=4),
        "the verb is of several",
    ),
    "another's body": (
        "The the DT 2 det; <doctor doctor NN 3 nsubj; touched touch VBD 0 root; >her her PRP$ 5 nmod:poss;"
        "arm arm NN 3 obj",
        "what the possessive owns may be another's",
    ),
    "speech in marks that are two words": (
        "<Smith Smith NNP 2 nsubj; wrote write VBD 0 root; ` ` `` 5 punct; ` ` `` 5 punct; Oh oh UH 2 obj"
        + he(head=8, root=2),
        "one of both is quoted",
    ),
    "two subjects": (
        "<Smith Smith NNP 4 nsubj; and and CC 3 cc; Jones Jones NNP 1 conj; said say VBD 0 root"
        + he(head=7, root=4),
        "the subject is not one person",
    ),
    "nobody": (
        "No no DT 2 det; <nurse nurse NN 3 nsubj; said say VBD 0 root" + he(">she", head=6, root=3),
        "the subject is not one person",
    ),
    "a thing": (
        "The the DT 2 det; <report report NN 3 nsubj; said say VBD 0 root" + he(head=6, root=3),
        "the noun is not a person's",
    ),
    "an organisation": (
        "Acme Acme NNP 2 compound; <Corporation Corporation NNP 3 nsubj; said say VBD 0 root"
        + he(head=6, root=3),
        "the name is not a person's",
    ),
    "an organisation named like a person": (
        "Johns John NNP 3 compound; Hopkins Hopkins NNP 3 compound; <University University NNP 4 nsubj;"
        "said say VBD 0 root" + he(head=7, root=4),
        "the name is not a person's",
    ),
    "an abbreviation": (
        "<BBC BBC NNP 2 nsubj; said say VBD 0 root" + he(head=5, root=2),
        "the name is not a person's",
    ),
    "a place": (
        "<Paris Paris NNP 2 nsubj; hoped hope VBD 0 root" + he(head=5, root=2),
        "the name is not a person's",
    ),
    "a month": (
        "<September September NNP 2 nsubj; came come VBD 0 root" + he(head=5, root=2),
        "the name is not a person's",
    ),
    "the + name": (
        "The the DT 2 det; <Titanic Titanic NNP 3 nsubj; sank sink VBD 0 root" + he(head=6, root=3),
        "the name is not a person's",
    ),
    "the other pronoun": (
        "<She she PRP 2 nsubj; said say VBD 0 root" + he(head=5, root=2),
        "the genders differ",
    ),
    "a title of the other gender": (
        "Mrs. Mrs. NNP 2 nmod:desc; <Smith Smith NNP 3 nsubj; said say VBD 0 root" + he(head=6, root=3),
        "the genders differ",
    ),
    "a given name of the other gender": (
        "<Mary Mary NNP 3 nsubj; Smith Smith NNP 1 flat; said say VBD 0 root" + he(head=6, root=3),
        "the genders differ",
    ),
    "a noun of the other gender": (
        "The the DT 2 det; <actress actress NN 3 nsubj; said say VBD 0 root" + he(head=6, root=3),
        "the genders differ",
    ),
    "one who is told": (
        "The the DT 2 det; <nurse nurse NN 3 nsubj; told tell VBD 0 root; the the DT 5 det;"
        "doctor doctor NN 3 iobj" + he(">she", head=8, root=3),
        "another person may be meant",
    ),
    "an object with a name": (
        "<John John NNP 2 nsubj; hit hit VBD 0 root; Bill Bill NNP 2 obj; because because IN 6 mark;"
        ">he he PRP 6 nsubj; lied lie VBD 2 advcl",
        "another person may be meant",
    ),
    "an oblique": (
        "<John John NNP 2 nsubj; spoke speak VBD 0 root; with with IN 4 case; Bill Bill NNP 2 obl"
        + he(head=7, root=2),
        "another person may be meant",
    ),
    "an object before a coordinated clause": (
        "<Smith Smith NNP 2 nsubj; hit hit VBD 0 root; Jones Jones NNP 2 obj; and and CC 6 cc;"
        ">he he PRP 6 nsubj; fell fall VBD 2 conj",
        "another person may be meant",
    ),
    "an agent": (
        "<John John NNP 3 nsubj:pass; was be VBD 3 aux:pass; told tell VBN 0 root; by by IN 5 case;"
        "Bill Bill NNP 3 obl:agent" + he(head=8, root=3),
        "another person may be meant",
    ),
    "a possessor in the subject": (
        "John John NNP 3 nmod:poss; 's 's POS 1 case; <brother brother NN 4 nsubj; said say VBD 0 root"
        + he(head=7, root=4),
        "another person may be meant",
    ),
    "another in the subject": (
        "The the DT 2 det; <son son NN 5 nsubj; of of IN 4 case; Bill Bill NNP 2 nmod; said say VBD 0 root"
        + he(head=8, root=5),
        "another person may be meant",
    ),
    "another subject between": (
        "<John John NNP 2 nsubj; said say VBD 0 root; Bill Bill NNP 4 nsubj; knew know VBD 2 ccomp"
        + he(head=7, root=4),
        "another person may be meant",
    ),
    "the one whom the clause describes": (
        "<John John NNP 2 nsubj; read read VBD 0 root; works work NNS 2 obj; of of IN 5 case;"
        "Bill Bill NNP 3 nmod;"
        "whom who WP 8 obj; >he he PRP 8 nsubj; liked like VBD 5 acl:relcl",
        "another person may be meant",
    ),
    "anybody before a possessive": (
        "After after IN 2 case; Jones Jones NNP 5 obl; , , , 5 punct; <Smith Smith NNP 5 nsubj;"
        "lost lose VBD 0 root;"
        ">his his PRP$ 7 nmod:poss; keys key NNS 5 obj",
        "another person may be meant",
    ),
    "a pronoun that is told": (
        "<She she PRP 2 nsubj; told tell VBD 0 root; her she PRP 2 iobj" + he(">she", head=6, root=2),
        "another pronoun means somebody else",
    ),
    "a pronoun in an infinitive": (
        "<Mom mom NN 2 nsubj; tried try VBD 0 root; to to TO 4 mark; get get VB 2 xcomp; her she PRP 4 obj"
        + he(">she", head=8, root=4),
        "another pronoun means somebody else",
    ),
    "a possessor who may be the subject of the talk": (
        "His his PRP$ 2 nmod:poss; <father father NN 3 nsubj; said say VBD 0 root" + he(head=6, root=3),
        "the subject holds a pronoun of the same gender",
    ),
    "a judge's ruling": (
        "The the DT 2 det; <judge judge NN 3 nsubj; held hold VBD 0 root" + he(head=6, root=3),
        "the subject speaks of somebody else",
    ),
    "a pronoun that went before": (
        "He he PRP 2 nsubj; hoped hope VBD 0 root; <Smith Smith NNP 4 nsubj; knew know VBD 2 ccomp"
        + he(head=7, root=4),
        "a pronoun goes before the subject",
    ),
}


@pytest.mark.parametrize(("text", "kind"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(text: str, kind: str) -> None:
    sentence, subject, pronoun = pair(text)
    assert judge(sentence, subject, pronoun) == Verdict(True, kind)


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, reason: str) -> None:
    sentence, subject, pronoun = pair(text)
    assert judge(sentence, subject, pronoun) == Verdict(False, reason)


def test_every_rule_refuses_a_sentence_that_all_others_before_it_pass() -> None:
    """No rule is idle."""
    refusing = set()
    for text, _ in REFUSED.values():
        refusing.add(next(rule for rule in RULES if rule(*pair(text))))
    assert refusing == set(RULES)


WORDS = st.sampled_from(
    [
        ("he", "he", "PRP", "nsubj"),
        ("she", "she", "PRP", "nsubj"),
        ("him", "he", "PRP", "obj"),
        ("her", "she", "PRP", "iobj"),
        ("his", "his", "PRP$", "nmod:poss"),
        ("her", "her", "PRP$", "nmod:poss"),
        ("Okonkwo", "Okonkwo", "NNP", "nsubj"),
        ("nurse", "nurse", "NN", "obl"),
        ("nurse", "nurse", "NN", "nsubj"),
        ("doctors", "doctor", "NNS", "nmod"),
        ("said", "say", "VBD", "ccomp"),
        ("left", "leave", "VBD", "advcl"),
        ("slept", "sleep", "VBD", "conj"),
        ("keys", "key", "NNS", "obj"),
        ("”", "”", "''", "punct"),
        ("of", "of", "IN", "case"),
    ]
)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any tree of a few words: each hangs on an earlier one of a random order."""
    rows = draw(st.lists(WORDS, min_size=2, max_size=9))
    order = draw(st.permutations(range(len(rows))))
    heads = list(range(len(rows)))
    for place, token in enumerate(order[1:], start=1):
        heads[token] = order[draw(st.integers(0, place - 1))]
    words, lemmas, tags, relations = zip(*rows, strict=True)
    relations = tuple("root" if heads[token] == token else relations[token] for token in range(len(rows)))
    return Tree(words, lemmas, tags, tuple(heads), relations)


def mirrored(sentence: Tree) -> Tree:
    """The same with the genders of all pronouns changed."""
    other = {"he": "she", "she": "he", "him": "her", "his": "her"}

    def turned(word: str, tag: str) -> str:
        return ("his" if tag == "PRP$" else "him") if word == "her" else other.get(word, word)

    return replace(sentence, words=tuple(map(turned, sentence.words, sentence.tags)))


@given(trees(), st.data())
def test_the_rules_treat_both_genders_alike(sentence: Tree, data: st.DataObject) -> None:
    places = st.integers(0, len(sentence) - 1)
    subject, pronoun = data.draw(places), data.draw(places)
    verdict = judge(sentence, subject, pronoun)
    assert judge(mirrored(sentence), subject, pronoun) == verdict
    if verdict.accepted:
        assert sentence.words[pronoun] in GENDERS
        assert sentence.has(subject, "nsubj")
        assert sentence.heads[subject] in set(sentence.subtree(sentence.root)) - set(
            sentence.subtree(pronoun)
        )
        assert verdict.reason in ("pronoun", "name", "noun")


@pytest.mark.parametrize(("subject", "accepted"), [("He he PRP", True), ("Smith Smith NNP", False)])
def test_beside_he_whom_a_clause_tells_of_is_not_its_subject(subject: str, accepted: bool) -> None:
    """He met Jones, whom he hired: he is not Jones; of Smith, Jones may have hired somebody."""
    sentence = tree(
        f"{subject} 2 nsubj; met meet VBD 0 root; Jones Jones NNP 2 obj; whom whom WP 6 obj;"
        "he he PRP 6 nsubj; hired hire VBD 3 acl:relcl"
    )
    assert judge(sentence, 0, 4).accepted == accepted


def test_a_place_with_its_region_is_nobody() -> None:
    sentence = tree(
        "Smith Smith NNP 2 nsubj; left leave VBD 0 root; for for IN 4 case; Rowena Rowena NNP 2 obl;"
        ", , , 6 punct; Jerome Jerome NNP 4 appos; where where WRB 9 advmod; he he PRP 9 nsubj;"
        "taught teach VBD 6 acl:relcl"
    )
    assert judge(sentence, 0, 7).accepted


@pytest.mark.parametrize(("relation", "accepted"), [("obj", False), ("nmod", True)])
def test_who_does_something_to_him_is_somebody_else(relation: str, accepted: bool) -> None:
    """If he was late, Jones called him: he is not Jones."""
    sentence = tree(
        "If if IN 4 mark; he he PRP 4 nsubj; was be VBD 4 cop; late late JJ 7 advcl; , , , 4 punct;"
        f"Jones Jones NNP 7 nsubj; called call VBD 0 root; him he PRP 7 {relation}"
    )
    assert judge(sentence, 5, 1).accepted == accepted


def test_joined_places_of_a_clause_with_where_are_nobody() -> None:
    sentence = tree(
        "He he PRP 2 nsubj; left leave VBD 0 root; for for IN 4 case; Rowena Rowena NNP 2 obl;"
        "and and CC 6 cc; Jerome Jerome NNP 4 conj; where where WRB 9 advmod; he he PRP 9 nsubj;"
        "taught teach VBD 6 acl:relcl"
    )
    assert judge(sentence, 0, 7).accepted
