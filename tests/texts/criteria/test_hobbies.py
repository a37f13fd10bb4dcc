from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import false_discovery_control, mannwhitneyu

from pcf_core.core.errors import CriteriaError
from pcf_core.core.settings import settings
from pcf_core.core.topics import whole_word_prompt
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.hobbies import Hobbies, hobby_words, load_hobbies
from pcf_core.texts.criteria.labels import Lexicon, clear_label
from tests.texts.criteria.hobbyists import BOYS, EVEN, FEMALE, GIRLS, MALE, few_names, material, planted

NAMES = few_names()
HOBBIES = Hobbies.load(NAMES)


def test_it_is_an_experiment() -> None:
    experiment: Experiment = HOBBIES
    asks = experiment.asks("instruction")
    assert [ask.cell for ask in asks] == [*FEMALE, *MALE]
    assert asks[0].prompt == "Mary"
    assert "hobbies" in asks[0].system
    (first, *_) = experiment.asks("continuation")
    assert "Mary" in first.prompt
    assert first.system == ""


def test_planted_chances_are_recovered_within_their_intervals() -> None:
    report = HOBBIES.report(planted({"female": GIRLS, "male": BOYS}, NAMES, repeats=40))
    for label, woman, man in zip(report.labels, GIRLS, BOYS, strict=True):
        interval = label.difference.interval
        assert interval.low - 0.03 <= woman - man <= interval.high + 0.03, label.name
    assert {label.name for label in report.labels if label.difference.differs} >= {"technology", "art"}
    information = report.information
    assert information.measure.depends
    assert sum(map(sum, information.counts)) == report.n == 24 * 40
    assert {"gadgets", "painting"} <= {row.word for row in report.words.words if row.differs}


def test_without_a_difference_none_is_found_though_names_have_whims() -> None:
    report = HOBBIES.report(planted({"female": EVEN, "male": EVEN}, NAMES, repeats=20, seed=4, whim=0.8))
    assert not any(label.difference.differs for label in report.labels)
    assert not report.information.measure.depends


def test_pronouns_and_names_are_not_seen() -> None:
    """The same hobbies for both genders, told with pronouns and names: nothing differs at all."""
    texts = {
        name: [f"{name} loves {hobby}. {pronoun} is a {noun}." for hobby in ("coding", "tennis")]
        for names, pronoun, noun in ((FEMALE, "She", "girl"), (MALE, "He", "boy"))
        for name in names
    }
    report = HOBBIES.report(texts)
    assert all(label.difference.difference == 0 for label in report.labels)
    assert {row.word for row in report.words.words} == {"loves", "coding", "tennis"}
    assert all(row.difference == 0 for row in report.words.words)


def test_texts_without_a_word_are_counted_and_left_out() -> None:
    texts = planted({"female": EVEN, "male": EVEN}, NAMES, repeats=4)
    texts["Mary"] = ["", "…", "12"]
    texts["James"][0] = " "
    report = HOBBIES.report(texts)
    assert report.invalid == (3, 1)
    assert report.n == 24 * 4 - 4 - 1
    assert report.names == (11, 12)


def test_one_label_alone_has_no_information() -> None:
    report = HOBBIES.report({name: ["loves chess and coding"] for name in (*FEMALE, *MALE)})
    assert report.information.measure is None
    assert "one category" in report.information.undefined


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({}, "No text about"),
        ({"Zoe": ["x"]}, "has no prompt"),
        ({"Mary": ["chess"]}, "male"),
        ({"Mary": ["chess"], "John": [""]}, "male"),
    ],
)
def test_what_cannot_be_read_is_refused(texts: dict[str, list[str]], reason: str) -> None:
    with pytest.raises(CriteriaError, match=reason):
        HOBBIES.report(texts)


def scores(seed: int = 0, lean: float = 0.0) -> dict[str, list[float]]:
    generator = np.random.default_rng(seed)
    nats_of = {}
    for ask in HOBBIES.scored_asks():
        nats = generator.normal(-8, 1, size=len(ask.words))
        nats[:6] += lean if ask.cell.split("|")[0] in MALE else 0.0
        nats_of[ask.cell] = nats.tolist()
    return nats_of


def test_scores_are_shares_of_probability() -> None:
    asks = HOBBIES.scored_asks()
    assert len(asks) == 24 * 4
    assert asks[0].cell == "Mary|1"
    assert asks[0].text.count("[Y]") == 1
    report = HOBBIES.scored_report(scores(lean=1.0))
    first = np.array([np.exp(nats) for cell, nats in scores(lean=1.0).items() if cell.startswith("Mary|")])
    share = (first[:, :6].sum(axis=1) / first.sum(axis=1)).mean()
    only = {cell: nats for cell, nats in scores(lean=1.0).items() if cell.split("|")[0] in ("Mary", "John")}
    assert HOBBIES.scored_report(only).labels[0].difference.female == pytest.approx(share)
    assert report.labels[0].name == "technology"
    assert report.labels[0].difference.differs
    assert report.labels[0].difference.difference < 0
    assert sum(label.difference.female for label in report.labels) == pytest.approx(1)
    assert report.answering == "scored"
    assert report.words is None
    assert report.without


def test_words_that_a_model_cannot_express_are_left_out() -> None:
    given = scores()
    given["Mary|1"][0] = math.nan
    report = HOBBIES.scored_report(given)
    assert [entry.name for entry in report.left_out] == ["computers"]
    for nats in given.values():
        nats[1:6] = [math.nan] * 5
    assert "technology" not in {label.name for label in HOBBIES.scored_report(given).labels}
    for nats in given.values():
        nats[6:30] = [math.nan] * 24
    with pytest.raises(CriteriaError, match="fewer than two hobby labels"):
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
    with pytest.raises(CriteriaError, match="has no prompt"):
        HOBBIES.scored_report({"Mary": [0.0] * 36})


def test_the_shipped_material() -> None:
    made = material()
    titles = ["Technology", "Science", "Sport", "Art", "Literature", "Volunteer work"]
    assert [label.title for label in made.labels] == titles
    assert set(made.prompts) == {"instruction", "continuation"}
    assert all("{name}" in each.prompt for each in made.prompts.values())
    for frame in made.frames:
        assert "{name}" in frame
        assert frame.count("[Y]") == 1
        assert not any(whole_word_prompt(frame)[1:])  # no letters touch the gap
    for part in ("words", "answers"):
        once = Counter(word for label in made.labels for word in set(getattr(label, part)))
        assert set(once.values()) == {1}, part
    assert len({len(label.answers) for label in made.labels}) == 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [("[[labels]]", "[[names]]", "names"), ("\ntitle = ", "\ntitel = ", "is damaged: restore it")],
)
def test_a_damaged_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, sentence: str
) -> None:
    text = (settings().assets / "criteria" / "hobbies-1.toml").read_text(encoding="utf8")
    (tmp_path / "criteria").mkdir()
    (tmp_path / "criteria" / "hobbies-1.toml").write_text(text.replace(old, new), encoding="utf8")
    own = settings().model_copy(update={"assets": tmp_path})
    monkeypatch.setattr("pcf_core.texts.criteria.hobbies.settings", lambda: own)
    with pytest.raises(CriteriaError, match=rf"hobbies-1\.toml.*{sentence}"):
        load_hobbies(few_names())


def test_the_published_slip_of_four_labels_is_not_reproduced() -> None:
    """The paper names six; its script has no Sport and no Art, so that a text on football is of another."""
    labels = material().labels
    clear = clear_label(Lexicon(labels).shares(["plays football", "paints and dances"]))
    assert [labels[index].title for index in clear] == ["Sport", "Art"]


OF_WOMEN = [["paints and reads", "paints chess"], ["paints", "reads"], ["paints paints", "runs"]] * 3
OF_MEN = [["runs", "runs chess"], ["runs and reads", "chess"], ["paints", "runs"]] * 3


def test_uses_texts_and_the_test_of_names() -> None:
    compared = hobby_words(OF_WOMEN, OF_MEN, least_texts=2)
    words = {row.word: row for row in compared.words}
    assert set(words) == {"paints", "reads", "chess", "runs"}  # "and" says little
    paints = words["paints"]
    assert (paints.uses, paints.texts) == ((15, 3), (12, 3))
    assert paints.difference == 12 / 18 - 3 / 18
    shares = [np.array([1, 0.5, 0.5] * 3), np.array([0, 0, 0.5] * 3)]
    assert np.isclose(paints.p_value, mannwhitneyu(*shares).pvalue)
    adjusted = false_discovery_control([row.p_value for row in compared.words])
    assert np.allclose(adjusted, [row.adjusted for row in compared.words])
    assert compared.tested == 4
    assert compared.found == sum(row.differs for row in compared.words)


def test_rare_words_are_not_tested() -> None:
    compared = hobby_words(OF_WOMEN, OF_MEN, least_texts=10)
    assert {row.word for row in compared.words} == {"paints", "runs"}
    assert hobby_words(OF_WOMEN, OF_MEN, least_texts=99).words == ()


def test_a_word_of_every_text_tells_nothing() -> None:
    (row,) = hobby_words([["chess"], ["chess"]], [["chess"]], least_texts=1).words
    assert (row.difference, row.p_value) == (0, 1)


def test_equal_shares_of_names_with_other_numbers_of_texts_are_equal() -> None:
    """Six sixths added up are less than 1, which would part names by how many texts they have."""
    (row,) = hobby_words([["chess"] * 6] * 8, [["chess"] * 5] * 8, least_texts=1).words
    assert (row.difference, row.p_value) == (0, 1)
