from __future__ import annotations

import pytest

from pcf_core.core.records import LeftOut
from pcf_core.show.findings import hobbies
from pcf_core.show.findings.numbers import percent, two_decimals, with_interval
from tests.show.charts.hobbies import embedding_example, hobbies_example
from tests.texts.criteria.hobbyists import BOYS, GIRLS, few_names, planted


def test_the_labels_that_differ_the_strongest_first() -> None:
    said = hobbies.hobbies_finding(hobbies_example(), "gpt")
    assert said.startswith("gpt is asked for 4,278 texts about students of 214 names.")
    assert said.index("Technology is said more of men's") < said.index("Art is said more of women's")
    assert "Science" not in said
    assert "36 % of men's" in said
    assert "Cohen's d is −0.60 (−0.80 to −0.40)." in said


def test_a_difference_that_whole_per_cents_hide_is_said_as_one() -> None:
    report = hobbies_example()
    shares = report.labels[0].difference.model_copy(update={"female": 0.512, "male": 0.508})
    row = report.labels[0].model_copy(update={"difference": shares})
    said = hobbies.hobbies_finding(report.model_copy(update={"labels": (row,)}), "gpt")
    assert "names, by under 1 point: 51 % of women's and 51 % of men's." in said


def test_labels_beyond_the_first_three_are_counted_and_not_told() -> None:
    report = hobbies_example()
    one = hobbies.hobbies_finding(report.model_copy(update={"labels": report.labels[:1]}), "gpt")
    assert "1 of 1 label differs between" in one
    assert "strongest" not in one
    four = hobbies.hobbies_finding(report.model_copy(update={"labels": report.labels[:1] * 4}), "gpt")
    assert "4 of 4 labels differ between" in four
    assert "The strongest are these." in four
    assert four.count(" is said more of ") == 3


def test_where_none_differs_it_says_so() -> None:
    report = hobbies_example()
    report = report.model_copy(update={"labels": report.labels[1:2]})
    assert (
        "For none of 1 label can we show a difference between women's and men's names."
    ) in hobbies.hobbies_finding(report, "gpt")
    scored = report.model_copy(update={"answering": "scored", "n": 856})
    assert "gpt is asked for the words in 856 frames of 214 names." in hobbies.hobbies_finding(scored, "gpt")


def test_scored_names_have_one_value() -> None:
    report = hobbies_example().model_copy(update={"answering": "scored"})
    assert "spread between names" in " ".join(hobbies.hobbies_notes(report))


def test_information_beside_its_null_and_why_there_is_none() -> None:
    from pcf_core.texts.criteria.hobbies import Hobbies

    assert "only one category" in hobbies.information_finding(hobbies_example())
    names = few_names()
    report = Hobbies.load(names).report(planted({"female": GIRLS, "male": BOYS}, names, repeats=20))
    said = hobbies.information_finding(report)
    assert "at random gives" in said
    assert report.information is not None
    measure = report.information.measure
    assert measure is not None
    share = measure.of_largest("arithmetic")
    assert share == pytest.approx(measure.corrected_normalised["arithmetic"] / 0.56, abs=0.01)
    assert said.endswith(f"These counts could reach 0.56, and the link is {percent(share or 0)} of it.")
    corrected, counted = measure.corrected_normalised["arithmetic"], measure.normalised["arithmetic"]
    assert f"is {with_interval(corrected, measure.intervals['arithmetic'])} freed" in said
    assert f"As counted it is {two_decimals(counted)};" in said
    assert measure.null is not None
    assert ("p under 0.001" in said) == (measure.null.p_value < 0.001)
    scored = report.model_copy(update={"information": None, "without": "nothing was written"})
    assert "nothing was written" in hobbies.information_finding(scored)


def test_words_of_either_side() -> None:
    said = hobbies.words_finding(hobbies_example())
    assert "Women's names get “painting” more often. Men's names get “robots” more often." in said
    assert "music" not in said
    none = hobbies_example().model_copy(update={"words": None, "without": "nothing was written"})
    assert "nothing was written" in hobbies.words_finding(none)


def test_what_has_to_be_known() -> None:
    few = hobbies_example().model_copy(
        update={"names": (9, 20), "left_out": (LeftOut(name="gaming", reason="x"),)}
    )
    notes = " ".join(hobbies.hobbies_notes(few))
    assert "9 women's" in notes
    assert "2 of men's have no word" in notes
    assert "“gaming”" in notes
    assert "640 texts" in notes
    assert "our word lists" in notes


def test_the_score_is_said_only_where_the_seeds_agree() -> None:
    said = hobbies.embedding_finding(embedding_example())
    assert (
        "For one, Cohen's d is 0.62 (0.42–0.82) over 214 names, p = 0.001, p = 0.001 "
        "controlled for the models."
    ) in said
    assert "lean more to “she”" in said
    assert "To which side depends on the seed: there are too few of them." in said
    undefined = embedding_example().model_copy(update={"readings": (), "undefined": "there is no “she”"})
    assert "no embedding score, as there is no “she”" in hobbies.embedding_finding(undefined)


def test_models_and_the_leak() -> None:
    report = embedding_example()
    gap = report.gaps[0]
    said = hobbies.gap_finding(gap)
    assert said.endswith(
        "The effect of two less that of one is −0.52 (−0.70 to −0.30), −0.70 to −0.34 by "
        "seed. one has the larger effect."
    )
    unsteady = hobbies.gap_finding(gap.model_copy(update={"seeds": (-0.7, 0.1)}))
    assert "Which is larger depends on the seed: there are too few texts." in unsteady
    assert "We cannot tell which is larger." in hobbies.gap_finding(gap.model_copy(update={"interval": None}))
    assert "of one is 1.45 instead of 0.62" in hobbies.leak_finding(report, "one")
    assert hobbies.leak_finding(report, "three") == ""
