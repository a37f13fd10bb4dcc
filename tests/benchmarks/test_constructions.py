"""The measurement of constructions: whose judgement counts, and what is summed up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.constructions import Judged, gap_judged, gum_judged, main, says, table
from benchmarks.coreference import Sentence, places
from pcf_core.texts.criteria.rates import wilson
from tests.mining.hand import tree

TEXT = "Smith ended his career"
ENDED = tree(
    "Smith Smith NNP 2 nsubj; ended end VBD 0 root; his his PRP$ 4 nmod:poss; career career NN 2 obj"
)
SURGEON = tree("Smith Smith NNP 4 nsubj; was be VBD 4 cop; a a DT 4 det; surgeon surgeon NN 0 root")
ROW = {"Text": TEXT, "Pronoun-offset": "12", "A": "Smith", "A-offset": "0", "B": "career", "B-offset": "16"}


@pytest.mark.parametrize(("chain", "right"), [("1", True), ("2", False)])
def test_a_possessive_is_right_where_it_shares_the_subjects_chain(chain: str, right: bool) -> None:
    chains = {0: frozenset({"1"}), 2: frozenset({chain})}
    sentence = Sentence(TEXT, ENDED, places(ENDED.words, TEXT), chains)
    assert list(gum_judged([(sentence, [ENDED])])) == [Judged("possessive", "GUM", True, right)]
    assert list(gum_judged([(Sentence(TEXT, ENDED, sentence.starts, {}), [ENDED])])) == []


def test_a_noun_is_right_where_the_annotators_say_it_of_the_subject() -> None:
    text = "Smith was a surgeon"
    sentence = Sentence(text, SURGEON, places(SURGEON.words, text), {})
    assert list(gum_judged([(sentence, [SURGEON])])) == [Judged("noun", "GUM", True, True)]
    assert not says(ENDED, "noun", 0, 3)


def test_annotators_say_a_joined_noun_of_the_subject_and_of_whom_who_stands_for() -> None:
    joined = tree(
        "Smith Smith NNP 4 nsubj; was be VBD 4 cop; a a DT 4 det; surgeon surgeon NN 0 root; and and CC 6 cc;"
        "actor actor NN 4 conj"
    )
    assert says(joined, "noun-elsewhere", 0, 5)
    who = tree(
        "Jones Jones NNP 2 nsubj; met meet VBD 0 root; Smith Smith NNP 2 obj; who who WP 8 nsubj;"
        "was be VBD 8 cop; a a DT 8 det; deaf deaf JJ 8 amod; surgeon surgeon NN 3 acl:relcl"
    )
    assert [says(who, "noun-elsewhere", subject, 7) for subject in (0, 2)] == [False, True]
    assert [says(who, "adjective-elsewhere", subject, 6) for subject in (0, 2)] == [False, True]


@pytest.mark.parametrize("label", [True, False])
def test_gaps_label_of_the_name_decides(label: bool) -> None:
    row = ROW | {"A-coref": str(label).upper(), "B-coref": "FALSE"}
    assert list(gap_judged([(row, [ENDED])])) == [Judged("possessive", "GAP", True, label)]


def test_a_construction_is_enough_from_its_precision_and_its_lower_bound() -> None:
    rows = table([Judged("possessive", "GUM", True, one > 0) for one in range(100)])
    assert (rows["possessive"]["right"], rows["possessive"]["accepted"]) == (99, 100)
    assert rows["possessive"]["lower"] == round(wilson(99, 100)[0], 4)
    assert rows["possessive"]["enough"]
    assert not table([Judged("noun", "GUM", True, True)] * 30)["noun"]["enough"]
    assert "attributive" not in rows


def test_nothing_is_measured_without_the_corpora(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main("", tmp_path, ["dev"])
    said = capsys.readouterr()
    assert "Nothing is measured" in said.err
    assert said.out == "" or json.loads(said.out)
