from __future__ import annotations

import math

import numpy as np
import pytest

from pcf_core.core.errors import CriteriaError
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.records.independence import HobbiesReport
from tests.texts.criteria.hobbyists import BOYS, EVEN, FEMALE, GIRLS, MALE, few_names, planted

NAMES = few_names()
HOBBIES = Hobbies.load(NAMES)


def report(texts: dict[str, list[str]]) -> HobbiesReport:
    return HOBBIES.report(texts)


def test_it_is_an_experiment() -> None:
    experiment: Experiment = HOBBIES
    asks = experiment.asks("instruction")
    assert [ask.cell for ask in asks] == [*FEMALE, *MALE]
    assert asks[0].prompt == "Mary"
    assert "hobbies" in asks[0].system
    (first, *_) = experiment.asks("continuation")
    assert "Mary" in first.prompt
    assert first.system == ""
    assert experiment.material.hash == Hobbies.load(NAMES).material.hash


def test_planted_chances_are_recovered_within_their_intervals() -> None:
    found = report(planted({"female": GIRLS, "male": BOYS}, NAMES, repeats=40))
    for label, woman, man in zip(found.labels, GIRLS, BOYS, strict=True):
        interval = label.difference.interval
        assert interval is not None
        assert interval.low - 0.03 <= woman - man <= interval.high + 0.03, label.name
    assert {label.name for label in found.labels if label.difference.differs} >= {"technology", "art"}
    information = found.information
    assert information is not None
    assert information.measure is not None
    assert information.measure.depends
    assert sum(map(sum, information.counts)) == found.n == 24 * 40
    assert found.words is not None
    assert {"gadgets", "painting"} <= {row.word for row in found.words.words if row.differs}


def test_without_a_difference_none_is_found_though_names_have_whims() -> None:
    found = report(planted({"female": EVEN, "male": EVEN}, NAMES, repeats=20, seed=4, whim=0.8))
    assert not any(label.difference.differs for label in found.labels)
    assert found.information is not None
    assert found.information.measure is not None
    assert not found.information.measure.depends


def test_pronouns_and_names_are_not_seen() -> None:
    """The same hobbies for both genders, told with pronouns and names: nothing differs at all."""
    texts = {
        name: [f"{name} loves {hobby}. {pronoun} is a {noun}." for hobby in ("coding", "tennis")]
        for names, pronoun, noun in ((FEMALE, "She", "girl"), (MALE, "He", "boy"))
        for name in names
    }
    found = report(texts)
    assert all(label.difference.difference == 0 for label in found.labels)
    assert found.words is not None
    assert {row.word for row in found.words.words} == {
        "loves",
        "coding",
        "tennis",
    }
    assert all(row.difference == 0 for row in found.words.words)


def test_texts_without_a_word_are_counted_and_left_out() -> None:
    texts = planted({"female": EVEN, "male": EVEN}, NAMES, repeats=4)
    texts["Mary"] = ["", "…", "12"]
    texts["James"][0] = " "
    found = report(texts)
    assert found.invalid == (3, 1)
    assert found.n == 24 * 4 - 4 - 1
    assert found.names == (11, 12)


def test_it_survives_json() -> None:
    found = report(planted({"female": GIRLS, "male": BOYS}, NAMES, repeats=5))
    assert HobbiesReport.model_validate_json(found.model_dump_json()) == found


def test_one_label_alone_has_no_information() -> None:
    found = report({name: ["loves chess and coding"] for name in (*FEMALE, *MALE)})
    assert found.information is not None
    assert found.information.measure is None
    assert "one category" in found.information.undefined


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({}, "no text"),
        ({"Zoe": ["x"]}, "no cell"),
        ({"Mary": ["chess"]}, "male"),
        ({"Mary": ["chess"], "John": [""]}, "male"),
    ],
)
def test_what_cannot_be_read_is_refused(texts: dict[str, list[str]], reason: str) -> None:
    with pytest.raises(CriteriaError, match=reason):
        report(texts)


def scores(seed: int = 0, lean: float = 0.0) -> dict[str, list[float]]:
    generator = np.random.default_rng(seed)
    found = {}
    for ask in HOBBIES.scored_asks():
        nats = generator.normal(-8, 1, size=len(ask.words))
        nats[:6] += lean if ask.cell.split("|")[0] in MALE else 0.0
        found[ask.cell] = nats.tolist()
    return found


def test_scores_are_shares_of_probability() -> None:
    asks = HOBBIES.scored_asks()
    assert len(asks) == 24 * 4
    assert asks[0].cell == "Mary|1"
    assert asks[0].text.count("[Y]") == 1
    found = HOBBIES.scored_report(scores(lean=1.0))
    first = np.array([np.exp(nats) for cell, nats in scores(lean=1.0).items() if cell.startswith("Mary|")])
    share = (first[:, :6].sum(axis=1) / first.sum(axis=1)).mean()
    only = {cell: nats for cell, nats in scores(lean=1.0).items() if cell.split("|")[0] in ("Mary", "John")}
    assert HOBBIES.scored_report(only).labels[0].difference.female == pytest.approx(share)
    assert found.labels[0].name == "technology"
    assert found.labels[0].difference.differs
    assert found.labels[0].difference.difference < 0
    assert sum(label.difference.female for label in found.labels) == pytest.approx(1)
    assert found.answering == "scored"
    assert found.words is None
    assert found.without
    assert HobbiesReport.model_validate_json(found.model_dump_json()) == found


def test_words_that_a_model_cannot_express_are_left_out() -> None:
    given = scores()
    given["Mary|1"][0] = math.nan
    found = HOBBIES.scored_report(given)
    assert [entry.name for entry in found.left_out] == ["computers"]
    for nats in given.values():
        nats[1:6] = [math.nan] * 5
    assert "technology" not in {label.name for label in HOBBIES.scored_report(given).labels}
    for nats in given.values():
        nats[6:30] = [math.nan] * 24
    with pytest.raises(CriteriaError, match="fewer than two labels"):
        HOBBIES.scored_report(given)


@pytest.mark.parametrize("score", [-math.inf, math.inf])
def test_a_frame_without_a_finite_score_is_refused_by_its_name(score: float) -> None:
    given = scores()
    given["Mary|2"] = [score] * 36
    with pytest.raises(CriteriaError, match=r"The largest score of 'Mary\|2' in the hobbies is -?inf: give"):
        HOBBIES.scored_report(given)
    given["Mary|2"] = [-math.inf] * 35 + [-1.0]  # a chance of 0 for all others
    assert HOBBIES.scored_report(given).n == len(given)


def test_scores_of_another_shape_are_refused() -> None:
    with pytest.raises(CriteriaError, match="36 words"):
        HOBBIES.scored_report({"Mary|1": [0.0]})
    with pytest.raises(CriteriaError, match="no cell"):
        HOBBIES.scored_report({"Mary": [0.0] * 36})
