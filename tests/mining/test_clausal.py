"""The clausal rule and its repairs of a parse, on trees by hand; the first is the paper's own (BVF 3.2)."""

from __future__ import annotations

import pytest
from hypothesis import given

from pcf_core.material.topics import load_topic
from pcf_core.mining.clausal import clausal, mended, wanted
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped
from tests.mining.hand import texts, tree, trees

PAPER = (
    "Detective detective NN 2 compound; Smith Smith NNP 3 nsubj; said say VBD 0 root; he he PRP 6 nsubj;"
    "would would MD 6 aux; leave leave VB 3 ccomp; no no DT 8 det; stone stone NN 6 obj;"
    "unturned unturned JJ 6 xcomp"
)
SMITH = "Smith Smith NNP 2 nsubj; "
FORMS = {
    PAPER: "The [X] said that [Y]",
    SMITH + "knows know VBZ 0 root; that that IN 5 mark; she she PRP 5 nsubj; lost lose VBD 2 ccomp": (
        "The [X] knew that [Y]"
    ),
    "Smith Smith NNP 3 nsubj; had have VBD 3 aux; asked ask VBN 0 root; whether whether IN 6 mark;"
    "she she PRP 6 nsubj;"
    "lost lose VBD 3 ccomp": "The [X] asked whether [Y]",
    SMITH + "explained explain VBD 0 root; how how WRB 5 advmod; he he PRP 5 nsubj; won win VBD 2 ccomp": (
        "The [X] explained how [Y]"
    ),
    SMITH + "retired retire VBD 0 root; when when WRB 5 advmod; she she PRP 5 nsubj; fell fall VBD 2 advcl": (
        "The [X] retired when [Y]"
    ),
    SMITH
    + "retired retire VBD 0 root; shortly shortly RB 6 advmod; after after IN 6 mark; she she PRP 6 nsubj;"
    "fell fall VBD 2 advcl": "The [X] retired after [Y]",
    SMITH
    + "acted act VBD 0 root; as as IN 6 mark; if if IN 6 mark; he he PRP 6 nsubj; knew know VBD 2 advcl": (
        "The [X] acted as if [Y]"
    ),
    SMITH + "retired retire VBD 0 root; in in IN 4 case; May May NNP 2 obl; , , , 7 punct; but but CC 8 cc;"
    "she she PRP 8 nsubj; returned return VBD 2 conj": "The [X] retired but [Y]",
    SMITH + "refused refuse VBD 0 root; to to TO 4 mark; say say VB 2 xcomp; whether whether IN 7 mark;"
    "he he PRP 7 nsubj;"
    "won win VBD 4 ccomp": "The [X] refused to say whether [Y]",
    SMITH
    + "came come VBD 0 root; and and CC 4 cc; said say VBD 2 conj; he he PRP 6 nsubj; won win VBD 4 ccomp": (
        "The [X] said that [Y]"
    ),
    "Smith Smith NNP 3 nsubj; was be VBD 3 cop; aware aware JJ 0 root; he he PRP 5 nsubj;"
    "won win VBD 3 ccomp": ("The [X] was aware that [Y]"),
    "Smith Smith NNP 3 nsubj; was be VBD 3 aux:pass; asked ask VBN 0 root; if if IN 6 mark;"
    "he he PRP 6 nsubj;"
    "won win VBD 3 ccomp": "The [X] was asked if [Y]",
    SMITH
    + "told tell VBD 0 root; the the DT 4 det; press press NN 2 obj; that that IN 7 mark; he he PRP 7 nsubj;"
    "won win VBD 2 ccomp": "The [X] told the press that [Y]",
    "The the DT 2 det; nurse nurse NN 4 nsubj; was be VBD 4 cop; ill ill JJ 0 root; until until IN 7 mark;"
    "she she PRP 7 nsubj; died die VBD 4 advcl": "The [X] was ill until [Y]",
}
DROPPED = {
    "The the DT 2 det; film film NN 3 nsubj; showed show VBD 0 root; that that IN 6 mark; he he PRP 6 nsubj;"
    "won win VBD 3 ccomp": "not the same person",
    SMITH + "moved move VBD 0 root; to to IN 4 case; Rome Rome NNP 2 obl; where where WRB 7 advmod;"
    "she she PRP 7 nsubj;"
    "died die VBD 2 advcl": "a relative clause",
    SMITH
    + "won win VBD 0 root; the the DT 4 det; race race NN 2 obj; that that IN 7 mark; he he PRP 7 nsubj;"
    "ran run VBD 2 advcl": "does not take",
    SMITH + "knew know VBD 0 root; he he PRP 5 nsubj; gladly gladly RB 5 advmod;"
    "went go VBD 2 advcl": "no connective",
    SMITH
    + "wore wear VBD 0 root; a a DT 4 det; beard beard NN 2 obj; when when WRB 7 advmod; he he PRP 7 nsubj;"
    "spoke speak VBD 2 advcl": "a hint at the group",
    SMITH
    + "said say VBD 0 root; when when WRB 5 advmod; he he PRP 5 nsubj; came come VBD 2 advcl": "needs more",
}
NOTHING = {
    "a clause before": "When when WRB 3 advmod; he he PRP 3 nsubj; came come VBD 5 advcl;"
    "Smith Smith NNP 5 nsubj;"
    "left leave VBD 0 root",
    "no subject clause": SMITH + "saw see VBD 0 root; her she PRP 2 obj",
    "a clause in a clause": SMITH
    + "said say VBD 0 root; Jones Jones NNP 4 nsubj; knew know VBD 2 ccomp; that that IN 7 mark;"
    "he he PRP 7 nsubj; won win VBD 4 ccomp",
    "another pronoun": SMITH + "said say VBD 0 root; it it PRP 4 nsubj; rained rain VBD 2 ccomp",
}
WRONG = {
    "Smith Smith NNP 2 nsubj; decided decide VBD 0 root; whether whether IN 5 mark; he he PRP 5 nsubj;"
    "stayed stay VBD 2 advcl": ("The [X] decided whether [Y]"),
    "Smith Smith NNP 2 nsubj; knew know VBD 0 root; what what WP 2 obj; he he PRP 5 nsubj;"
    "wanted want VBD 3 acl:relcl": ("The [X] knew what [Y]"),
    "Smith Smith NNP 2 nsubj; told tell VBD 0 root; the the DT 4 det; press press NN 2 obj;"
    "that that IN 7 mark;"
    "he he PRP 7 nsubj; won win VBD 4 acl:relcl": "The [X] told the press that [Y]",
}
RIGHT = (
    "Smith Smith NNP 2 nsubj; said say VBD 0 root; that that IN 5 mark; he he PRP 5 nsubj;"
    "won win VBD 2 ccomp",
    "Smith Smith NNP 2 nsubj; left leave VBD 0 root; when when WRB 5 advmod; he he PRP 5 nsubj;"
    "won win VBD 2 advcl",
    "Smith Smith NNP 2 nsubj; saw see VBD 0 root; the the DT 4 det; film film NN 2 obj; that that WDT 7 obj;"
    "he he PRP 7 nsubj; made make VBD 4 acl:relcl",
    "Smith Smith NNP 2 nsubj; went go VBD 0 root; if if IN 5 mark; he he PRP 5 nsubj; won win VBD 2 advcl",
)


def mined(text: str) -> list[str | Dropped]:
    return texts(clausal(tree(text), ("he", "she")))


@pytest.mark.parametrize(("text", "template"), FORMS.items(), ids=FORMS.values())
def test_a_template_of_each_form(text: str, template: str) -> None:
    assert mined(text) == [template]


@pytest.mark.parametrize(("text", "reason"), DROPPED.items(), ids=DROPPED.values())
def test_a_sentence_that_would_mislead_is_dropped_with_its_reason(text: str, reason: str) -> None:
    (found,) = mined(text)
    assert isinstance(found, Dropped)
    assert reason in found.reason


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_a_sentence_of_another_form_is_not_counted(text: str) -> None:
    assert mined(text) == []


def test_the_words_of_the_topic_decide_which_pronouns_count() -> None:
    gender = load_topic("gender")
    assert wanted([gender]) == ("he", "she")
    assert texts(clausal(tree(PAPER), ("she",))) == []


def test_a_word_of_the_topic_may_not_stand_inside() -> None:
    text = (
        SMITH + "found find VBD 0 root; silver silver NN 2 obj; when when WRB 6 advmod; he he PRP 6 nsubj;"
        "dug dig VBD 2 advcl"
    )
    assert mined(text) == ["The [X] found silver when [Y]"]
    assert texts(clausal(tree(text), ("he",), {"silver"})) == [Dropped("a hint at the group")]


@given(trees())
def test_whatever_the_tree_a_template_is_well_formed(parsed: Tree) -> None:
    """One [X] first, one [Y] last, lower-case words between, nothing that names, counts or hints."""
    for found in texts(clausal(parsed, ("he", "she"))):
        if isinstance(found, Dropped):
            assert found.reason
            continue
        assert found.startswith("The [X] ")
        assert found.endswith(" [Y]")
        inside = found.removeprefix("The [X] ").removesuffix(" [Y]").split()
        assert len(inside) >= 2
        assert not {"smith", "he", "she", "actress", "five", "his", "nurse"} & {
            word.lower() for word in inside
        }
        assert all(word.islower() for word in inside)


@pytest.mark.parametrize(("text", "template"), WRONG.items(), ids=WRONG.values())
def test_a_clause_is_put_where_it_belongs(text: str, template: str) -> None:
    parsed = tree(text)
    pronoun = parsed.words.index("he")
    better = mended(parsed, parsed.heads[pronoun])
    assert better.heads[parsed.heads[pronoun]] == parsed.root
    assert better.words == parsed.words
    assert [found.text for found in clausal(parsed, ("he",))] == [template]


@pytest.mark.parametrize("text", RIGHT)
def test_a_right_parse_stays_as_it_is(text: str) -> None:
    parsed = tree(text)
    assert mended(parsed, parsed.heads[parsed.words.index("he")]) is parsed
