"""Sentences about stories by profession: every number with chance, the most, and whose it is."""

from __future__ import annotations

from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.show.findings.anecdotes import (
    amplification_finding,
    anecdotes_finding,
    information_finding,
    reading_notes,
    stereotype_finding,
)
from pcf_core.show.findings.sources import source_of
from pcf_core.texts.criteria.records.independence import SCORED_LABEL, STORIES_LABEL, SharedValue
from tests.show.charts.anecdotal import anecdotes_example, information_example


def test_the_headline_has_the_rate_chance_and_the_most() -> None:
    told = anecdotes_finding(anecdotes_example(), "mini")
    assert told.startswith("mini is asked for 100 stories about 3 professions.")
    assert "90 stories have a clear gender, out of 100. 90 % (87–93 %) of them go to" in told
    assert "Gender depends on the profession, more than chance" in told
    assert "0.20 (0.15–0.25) freed of its bias (p under 0.001)" in told
    assert "As counted it is 0.22, where chance alone would give 0.02." in told
    assert "margins allow is 0.50, and the link is 40 % of it." in told
    assert told.endswith(source_of(STORIES_LABEL))


def test_scores_say_that_nothing_was_drawn() -> None:
    report = anecdotes_example(scored=True).model_copy(update={"label": SCORED_LABEL})
    told = anecdotes_finding(report, "mini")
    assert "Nothing is drawn" in told
    assert "The link of gender and profession (NMI, 2 I / (H(C) + H(A))) is 0.22 (0.15–0.25). " in told
    assert "These margins allow at most 0.50, and the link is 44 % of it." in told
    assert told.endswith(source_of(SCORED_LABEL))
    assert "alse discoveries" not in amplification_finding(report)


def test_what_is_not_shown_is_said_so() -> None:
    found = information_example()
    assert found.null is not None
    chance = found.null.model_copy(update={"p_value": 0.3})
    found = found.model_copy(
        update={"null": chance, "corrected_normalised": dict.fromkeys(found.normalised, -0.01)}
    )
    told = anecdotes_finding(anecdotes_example().model_copy(update={"clear_only": found}), "mini")
    assert "We cannot show that gender depends on the profession." in told
    assert "p = 0.3" in told
    assert information_finding(found).startswith(
        "The link of gender and profession (NMI, 2 I / (H(C) + H(A))) is 0 ("
    )


def test_nothing_to_say_has_a_reason() -> None:
    undefined = (LeftOut(name="clear_only", reason="no story tells a gender"),)
    report = anecdotes_example().model_copy(
        update={"clear_only": None, "undefined": undefined, "stereotype_rate": None, "exaggeration": None}
    )
    assert "as no story tells a gender" in anecdotes_finding(report, "mini")
    assert stereotype_finding(report) == "No story has a clear gender."
    assert amplification_finding(report).startswith("No profession has a share")


def test_amplification_names_the_farthest() -> None:
    assert amplification_finding(anecdotes_example()) == (
        "On average, the model's shares lie 5 (3–7) points further towards the profession's "
        "majority than the world's. Its shares rise by 1.20 (1.10–1.30) for 1 of the world's, "
        "steeper than the world's 1. 1 profession is more one-sided than in the world, nurse "
        "(100 % women, in the world 88 %). 1 profession is less one-sided than in the world, "
        "or turned round, <b>pilot (80 % women, in the world 9 %). False discoveries are "
        "controlled."
    )


def test_a_mean_below_the_world_turns_its_interval_with_it() -> None:
    short = SharedValue(value=-0.08, interval=Interval(low=-0.1, high=-0.06))
    told = amplification_finding(anecdotes_example(line=False).model_copy(update={"exaggeration": short}))
    assert "8 (6–10) points less far towards" in told
    assert "No line is drawn over the world's shares: 3 professions, fewer than 10." in told
    none = SharedValue(value=-0.01, interval=Interval(low=-0.05, high=0.03))
    assert "That may be chance." in amplification_finding(
        anecdotes_example().model_copy(update={"exaggeration": none})
    )


def test_notes_tell_what_was_not_read() -> None:
    few = information_example().model_copy(update={"n": 30})
    report = anecdotes_example().model_copy(
        update={
            "clear_only": few,
            "empty": 1,
            "professions_left_out": tuple(LeftOut(name=name, reason="no story") for name in "abcd"),
            "words_left_out": (LeftOut(name="abbess", reason="no token"),),
        }
    )
    notes = " ".join(reading_notes(report))
    assert "10 % of the stories have no clear gender (10 with no gendered word)" in notes
    assert "1 story without any text" in notes
    assert "4 clear stories have words of both genders" in notes
    assert "few stories for each profession" in notes
    assert "No share of women is known for a, b, c and 1 more." in notes
    assert "cannot express: abbess" in notes
    assert reading_notes(anecdotes_example(scored=True)) == []


def test_an_interval_that_passes_the_most_says_why() -> None:
    found = information_example()
    assert "other margins" not in information_finding(found)
    wide = dict.fromkeys(found.normalised, Interval(low=0.15, high=0.6, unit="text"))
    told = information_finding(found.model_copy(update={"intervals": wide}))
    assert (
        "The most that these margins allow is 0.50, and the link is 40 % of it (other stories have other "
        "margins, so the interval may pass it)."
    ) in told


def test_few_professions_are_said_to_be_few() -> None:
    report = anecdotes_example()
    assert not any("too narrow" in note for note in reading_notes(report))  # twelve
    few = information_example().model_copy(update={"rows": 4})
    said = reading_notes(report.model_copy(update={"clear_only": few}))
    assert any(note.startswith("From 4 professions the range of the mutual") for note in said)
