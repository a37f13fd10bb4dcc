"""Sentences about stories by profession and hobbies by name: numbers beside chance, and whose they are."""

from __future__ import annotations

from functools import cache

import pytest

from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.show.findings import independence
from pcf_core.show.findings.numbers import percent, two_decimals, with_interval
from pcf_core.show.findings.provenance import source_of
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.records.independence import (
    NOT_WRITTEN,
    SCORED_LABEL,
    STORIES_LABEL,
    AnecdotesReport,
    HobbiesReport,
    SharedValue,
)
from pcf_core.texts.criteria.records.quantities import MutualInformation
from tests.show.charts.texts import anecdotes_example, embedding_example, hobbies_example, information_example
from tests.texts.criteria.hobbyists import BOYS, GIRLS, few_names, planted


def stories(**more: object) -> AnecdotesReport:
    return anecdotes_example().model_copy(update=more)


def unshown() -> MutualInformation:
    found = information_example()
    assert found.null is not None
    chance = found.null.model_copy(update={"p_value": 0.3})
    below = dict.fromkeys(found.normalised, -0.01)
    return found.model_copy(update={"null": chance, "corrected_normalised": below})


def passing() -> MutualInformation:
    """Of which the interval goes beyond the most."""
    wide = dict.fromkeys(information_example().normalised, Interval(low=0.15, high=0.6, unit="text"))
    return information_example().model_copy(update={"intervals": wide})


def untold() -> MutualInformation:
    """One story for each profession."""
    found = information_example()
    assert found.null is not None
    level = found.null.model_copy(update={"varies": False})
    return found.model_copy(update={"n": 12, "null": level})


def beyond(value: float, low: float, high: float, *, line: bool = True) -> AnecdotesReport:
    further = SharedValue(value=value, interval=Interval(low=low, high=high))
    return anecdotes_example(line=line).model_copy(update={"exaggeration": further})


def hobbies(**more: object) -> HobbiesReport:
    return hobbies_example().model_copy(update=more)


@cache
def measured() -> HobbiesReport:
    names = few_names()
    return Hobbies.load(names).report(planted({"female": GIRLS, "male": BOYS}, names, repeats=20))


def points(female: float, male: float) -> HobbiesReport:
    first = hobbies_example().labels[0]
    shares = first.difference.model_copy(update={"female": female, "male": male})
    return hobbies(labels=(first.model_copy(update={"difference": shares}),))


def examples() -> dict[str, object]:
    none = stories(
        clear_only=None,
        undefined=(LeftOut(name="clear_only", reason="no story tells a gender"),),
        stereotype_rate=None,
        exaggeration=None,
    )
    few = stories(
        clear_only=information_example().model_copy(update={"n": 30, "rows": 4}),
        empty=1,
        professions_left_out=tuple(LeftOut(name=name, reason="no story") for name in "abcd"),
        words_left_out=(LeftOut(name="abbess", reason="no token"),),
    )
    anecdotes = {
        "written": anecdotes_example(),
        "scored": anecdotes_example(scored=True).model_copy(update={"label": SCORED_LABEL}),
        "not shown": stories(clear_only=unshown()),
        "untold": stories(clear_only=untold()),
        "passing the most": stories(clear_only=passing()),
        "nothing": none,
        "few": few,
        "less far": beyond(-0.08, -0.1, -0.06, line=False),
        "by chance": beyond(-0.01, -0.05, 0.03),
        "no single profession": stories(professions=anecdotes_example().professions[2:]),
        "a line that may be a copy": stories(
            line=anecdotes_example().line.model_copy(  # type: ignore[union-attr]
                update={"interval": Interval(over="occupations", low=0.9, high=1.4)}
            )
        ),
    }
    labels = hobbies_example().labels
    several = {
        "written": hobbies_example(),
        "one label": hobbies(labels=labels[:1]),
        "none differs": hobbies(labels=labels[1:2]),
        "four labels": hobbies(labels=labels[:1] * 4),
        "under a point": points(0.512, 0.508),
        "scored": hobbies(answering="scored", n=856, words=None, information=None, without=NOT_WRITTEN),
        "few names": hobbies(names=(9, 20), left_out=(LeftOut(name="gaming", reason="x"),)),
        "measured": measured(),
    }
    vectors = embedding_example()
    undefined = vectors.model_copy(update={"readings": (), "undefined": "there is no “she”"})
    gap = vectors.gaps[0]
    return {
        "stories": {
            name: independence.anecdotes_finding(report, "mini") for name, report in anecdotes.items()
        },
        "stories in short": {
            name: independence.anecdotes_answer(report, "mini") for name, report in anecdotes.items()
        },
        "beyond the world": {
            name: independence.amplification_finding(report) for name, report in anecdotes.items()
        },
        "notes on stories": {name: independence.reading_notes(report) for name, report in anecdotes.items()},
        "hobbies": {name: independence.hobbies_finding(report, "gpt") for name, report in several.items()},
        "information": {name: independence.information_finding(report) for name, report in several.items()},
        "words": {name: independence.words_finding(report) for name, report in several.items()},
        "notes on hobbies": {name: independence.hobbies_notes(report) for name, report in several.items()},
        "vectors": [
            independence.embedding_finding(report)
            for report in (vectors, undefined, vectors.model_copy(update={"readings": ()}))
        ],
        "gaps": [
            independence.gap_finding(one)
            for one in (
                gap,
                gap.model_copy(update={"seeds": (-0.7, 0.1)}),
                gap.model_copy(update={"interval": None}),
            )
        ],
        "several models": [
            sentence
            for alike in (True, False)
            for sentence in independence.embedding_findings(
                _Result(vectors.model_copy(update={"gaps": ()}), alike)  # type: ignore[arg-type]
            )[1:]
        ],
        "leaks": [independence.leak_finding(vectors, model) for model in ("one", "three")],
    }


class _Result:
    """What a finding reads of a result of several models."""

    def __init__(self, report: object, alike: bool) -> None:
        self.report = report
        self.asked = type("Asked", (), {"alike": alike})


def test_the_headline_says_whose_numbers_they_are() -> None:
    assert independence.anecdotes_finding(anecdotes_example(), "m").endswith(source_of(STORIES_LABEL))
    scored = anecdotes_example(scored=True).model_copy(update={"label": SCORED_LABEL})
    assert independence.anecdotes_finding(scored, "m").endswith(source_of(SCORED_LABEL))
    assert "alse discover" not in independence.amplification_finding(scored), "nothing is tested"
    assert independence.reading_notes(anecdotes_example(scored=True)) == []


@pytest.mark.parametrize(
    ("value", "low", "high", "said"),
    [
        (0.05, 0.03, 0.07, "5 (3–7) percentage points more common"),
        (-0.08, -0.1, -0.06, "8 (6–10) percentage points less common"),
        (-0.01, -0.05, 0.03, "1 (−3 to 5) percentage points less common"),
    ],
)
def test_a_distance_from_the_world_turns_its_interval_with_it(
    value: float, low: float, high: float, said: str
) -> None:
    found = independence.amplification_finding(beyond(value, low, high))
    assert said in found
    assert ("That may be chance." in found) == (low <= 0 <= high)


def test_a_dependence_is_told_only_beyond_chance() -> None:
    depends = "Gender depends on the profession, by more than chance."
    assert depends in independence.anecdotes_finding(anecdotes_example(), "m")
    said = independence.anecdotes_finding(stories(clear_only=unshown()), "m")
    assert depends not in said
    assert "We cannot show that gender depends on the profession." in said
    assert "other totals" in independence.profession_link_finding(passing())
    assert "other totals" not in independence.profession_link_finding(information_example())


def test_labels_that_differ_come_the_strongest_first_with_their_side() -> None:
    said = independence.hobbies_finding(hobbies_example(), "gpt")
    assert said.index("Technology is more common with men's") < said.index("Art is more common with women's")
    assert "Science" not in said, "which does not differ"
    four = independence.hobbies_finding(hobbies(labels=hobbies_example().labels[:1] * 4), "gpt")
    assert four.count(" is more common with ") == 3


def test_words_stand_on_their_side_and_only_beyond_chance() -> None:
    said = independence.words_finding(hobbies_example())
    assert (
        "women's names more often contain “painting”. Texts for men's names more often contain “robots”."
        in said
    )
    assert "music" not in said


def test_information_beside_its_null() -> None:
    report = measured()
    said = independence.information_finding(report)
    assert report.information is not None
    measure = report.information.measure
    assert measure is not None
    share = measure.of_largest("arithmetic")
    assert share == pytest.approx(measure.corrected_normalised["arithmetic"] / 0.56, abs=0.01)
    assert said.endswith(
        f"The largest possible value with these counts is 0.56, and the link is {percent(share or 0)} of it."
    )
    corrected, counted = measure.corrected_normalised["arithmetic"], measure.normalised["arithmetic"]
    assert f"is {with_interval(corrected, measure.intervals['arithmetic'])}, corrected for chance." in said
    assert f"Without the correction it is {two_decimals(counted)};" in said
    assert measure.null is not None
    assert ("p under 0.001" in said) == (measure.null.p_value < 0.001)


def test_the_score_has_a_side_only_where_the_seeds_agree() -> None:
    said = independence.embedding_finding(embedding_example())
    assert said.count("are closer to “she”") == 1
    assert said.count("the direction depends on the seed") == 1
    gap = embedding_example().gaps[0]
    assert "one has the larger effect." in independence.gap_finding(gap)
    turned = gap.model_copy(
        update={"difference": 0.52, "interval": Interval(low=0.3, high=0.7), "seeds": (0.3, 0.7)}
    )
    assert "two has the larger effect." in independence.gap_finding(turned)


def test_stories_in_short_leave_the_link_to_its_picture() -> None:
    short = independence.anecdotes_answer(anecdotes_example(), "m")
    whole = independence.anecdotes_finding(anecdotes_example(), "m")
    assert "The link between" not in short
    assert whole.count("The link between") == 1
    assert whole.startswith(short.removesuffix(source_of(STORIES_LABEL)))


def test_the_words_named_are_the_first_of_the_picture() -> None:
    """However clear others are: a reader looks at the longest distance."""
    words = hobbies_example().words
    assert words is not None
    first, *_ = words.words
    row = first.model_copy(update={"differs": True, "difference": abs(first.difference)})
    more = [row.model_copy(update={"word": f"w{n}", "difference": n / 100}) for n in range(1, 8)]
    report = hobbies(words=words.model_copy(update={"words": tuple(more), "found": 7, "tested": 7}))
    assert "contain “w7”, “w6”, “w5”, “w4” and “w3”." in independence.words_finding(report)


def test_texts_without_words_are_counted_among_those_written() -> None:
    """As by the embedding score, which learns from all of them."""
    said = independence.hobbies_finding(hobbies(n=95, invalid=(3, 2)), "one")
    assert "wrote 100 texts about students" in said
