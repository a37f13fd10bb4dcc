"""Whatever tense a clause is in, its verb group comes out in the past."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import lexicon, verb_forms
from pcf_core.mining.verb_groups import Refused, finite, lemma_of
from pcf_core.mining.verbs import past_participle, past_tense
from tests.mining.hand import tree

GROUPS = {
    "says say VBZ 0 root": "said",
    "say say VBP 0 root": "said",
    "shook shook VBP 0 root": "shook",
    "found found VBP 0 root": "founded",
    "told tell VBD 0 root": "told",
    "were be VBP 3 cop; sure sure JJ 0 root": "was",
    "has have VBZ 3 aux; written write VBN 0 root": "wrote",
    "had have VBD 4 aux; never never RB 4 advmod; seen see VBN 0 root": "never saw",
    "is be VBZ 3 aux; hoping hope VBG 0 root": "hoped",
    "does do VBZ 4 aux; n't not RB 4 advmod; know know VB 0 root": "did not know",
    "did do VBD 3 aux; know know VB 0 root": "knew",
    "has have VBZ 4 aux; not not RB 4 advmod; come come VBN 0 root": "did not come",
    "was be VBD 4 aux; not not RB 4 advmod; working work VBG 0 root": "did not work",
    "are be VBP 3 aux:pass; elected elect VBN 0 root": "was elected",
    "has have VBZ 4 aux; been be VBN 4 aux:pass; elected elect VBN 0 root": "was elected",
    "is be VBZ 4 aux:pass; not not RB 4 advmod; known know VBN 0 root": "was not known",
    "can can MD 4 aux; not not RB 4 advmod; go go VB 0 root": "could not go",
    "will will MD 3 aux; resign resign VB 0 root": "would resign",
    "may may MD 4 aux; have have VB 4 aux; gone go VBN 0 root": "might have gone",
    "will will MD 4 aux; be be VB 4 aux:pass; heard hear VBN 0 root": "would be heard",
    "must must MD 5 aux; have have VB 5 aux; been be VBN 5 cop; ill ill JJ 0 root": "must have been",
    "is be VBZ 3 aux; going go VBG 0 root; to to TO 5 mark; leave leave VB 3 xcomp": "was going",
}


def with_subject(rows: str) -> Tree:
    head = next(n for n, row in enumerate(rows.split(";"), 2) if row.split()[3] == "0")
    return tree(f"Smith Smith NNP {head} nsubj; {rows}")


@pytest.mark.parametrize(("rows", "expected"), GROUPS.items(), ids=GROUPS.values())
def test_a_verb_group_in_the_past(rows: str, expected: str) -> None:
    parsed = with_subject(rows)
    assert " ".join(finite(parsed, parsed.root)) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Smith Smith NNP 2 nsubj; winning win VBG 0 root", "no finite verb"),
        ("Smith Smith NNP 2 nsubj; taken take VBN 0 root", "no finite verb"),
        ("does do VBZ 3 aux; Smith Smith NNP 3 nsubj; know know VB 0 root", "inversion"),
        (
            "Smith Smith NNP 4 nsubj; no no DT 3 advmod; longer long RBR 4 advmod; knew know VBD 0 root",
            "negation",
        ),
        ("Smith Smith NNP 3 nsubj; is be VBZ 3 aux; snoring snort VBG 0 root", "unsure"),
    ],
)
def test_what_has_no_past_is_refused(text: str, reason: str) -> None:
    parsed = tree(text)
    with pytest.raises(Refused, match=reason):
        finite(parsed, parsed.root)


def test_a_lemma_that_does_not_fit_the_form_is_put_right() -> None:
    parsed = tree("Smith Smith NNP 3 nsubj; was be VBD 3 aux; hoping hop VBG 0 root")
    assert lemma_of(parsed, 2) == "hope"
    assert finite(parsed, 2) == ("hoped",)


def test_a_form_that_two_verbs_share_keeps_the_lemma_of_the_parser() -> None:
    found = "Smith Smith NNP 2 nsubj; found {} VBD 0 root"
    assert lemma_of(tree(found.format("found")), 1) == "found"
    assert lemma_of(tree(found.format("find")), 1) == "find"
    assert lemma_of(tree(found.format("fount")), 1) == "find"


VERBS = sorted({verb for lemmas in lexicon().lemmas.values() for verb in lemmas})


@given(st.sampled_from(VERBS))
def test_all_tenses_of_a_verb_meet_in_one_form(verb: str) -> None:
    """present, perfect, progressive and emphatic give the same group, which is the simple past."""
    third, gerund = (next(form for form in verb_forms(verb) if form.endswith(end)) for end in ("s", "ing"))
    if verb == "be":
        return
    rows = {
        f"{third} {verb} VBZ 0 root",
        f"has have VBZ 3 aux; {past_participle(verb)} {verb} VBN 0 root",
        f"is be VBZ 3 aux; {gerund} {verb} VBG 0 root",
        f"did do VBD 3 aux; {verb} {verb} VB 0 root",
    }
    groups = set()
    for row in rows:
        parsed = with_subject(row)
        groups.add(finite(parsed, parsed.root))
    assert groups == {(past_tense(verb),)} or len(lexicon().lemmas[third] + lexicon().lemmas[gerund]) > 2


@given(st.sampled_from(VERBS))
def test_every_form_of_a_listed_verb_leads_back_to_it(verb: str) -> None:
    for form in verb_forms(verb):
        assert verb in lexicon().lemmas[form]


JOINED = "Smith Smith NNP 3 nsubj:pass; was be VBD 3 aux:pass; tried try VBN 0 root; and and CC 5 cc; {}"


@pytest.mark.parametrize(
    ("second", "group"),
    [
        ("shot shoot VBN 3 conj", "was shot"),
        ("fled flee VBD 3 conj", "fled"),
        ("has have VBZ 6 aux; fled flee VBN 3 conj", "fled"),
    ],
)
def test_a_second_verb_shares_the_helper_it_needs(second: str, group: str) -> None:
    parsed = tree(JOINED.format(second))
    assert " ".join(finite(parsed, len(parsed) - 1)) == group
