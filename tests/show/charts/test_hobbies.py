from __future__ import annotations

import pytest

from pcf_core.show.charts.independence import (
    embedding_dots,
    hobby_word_dots,
    label_bars,
    label_effects,
    mean_scores,
    word_counts,
)
from tests.show.charts.hobbies import difference, embedding_example, hobbies_example, hobby_words_example


def test_bars_are_the_means_and_stars_what_differs() -> None:
    figure = label_bars(hobbies_example())
    women, men = figure.data
    assert women.x == pytest.approx((30, 30, 30))
    assert men.x == pytest.approx((36, 29.8, 25))
    labels = figure.layout.yaxis.labelalias
    assert [label.endswith("*") for label in labels.values()] == [True, False, True]


def test_effects_have_whiskers_and_hollow_marks_where_nothing_is_shown() -> None:
    report = hobbies_example()
    figure = label_effects({"one": report, "two": report})
    first, second = figure.data
    assert list(first.x) == [-0.6, 0.02, 0.5]
    assert [symbol.endswith("-open") for symbol in first.marker.symbol] == [False, True, False]
    assert first.error_x.array == pytest.approx((0.2, 0.2, 0.2))
    assert all(low < high for low, high in zip(first.y, second.y, strict=True))


def test_a_label_without_d_has_no_mark() -> None:
    report = hobbies_example()
    without = report.labels[0].model_copy(update={"difference": difference(None)})
    figure = label_effects({"one": report.model_copy(update={"labels": (without, *report.labels[1:])})})
    assert len(figure.data[0].x) == 2


def test_words_stand_on_the_side_that_has_them_more() -> None:
    women, men = hobby_word_dots(hobby_words_example()).data
    assert list(men.x) == [-4]
    assert women.x == pytest.approx((3, 0.1))
    assert [symbol.endswith("-open") for symbol in women.marker.symbol] == [False, True]
    assert "<b>music" not in str(women.customdata).replace("<b>&lt;b&gt;music", "")


def test_the_score_shows_both_versions_and_every_seed() -> None:
    headline, published, seeds = embedding_dots(embedding_example()).data
    assert headline.x == pytest.approx((0.62, 0.1))
    assert published.x == pytest.approx((1.45, 0.95))
    assert [symbol.endswith("-open") for symbol in headline.marker.symbol] == [False, True]
    assert len(seeds.x) == 8
    assert list(headline.y) == ["0", "2"]
    assert list(published.y) == ["1", "3"]


def test_word_counts_are_those_of_all_texts_the_most_used_first() -> None:
    women, men = word_counts(hobby_words_example()).data
    assert list(women.x) == [80, 10, 40]  # painting and robots 100 times each, music 78
    assert list(men.x) == [20, 90, 38]
    few = word_counts(hobby_words_example(), most=1)
    assert set(few.layout.yaxis.labelalias.values()) == {"painting", "robots"}, "the most used of either"


def test_mean_scores_have_gendered_words_in_them() -> None:
    report = embedding_example()
    *lines, women, men = mean_scores(report).data
    published = report.of("all words")
    assert list(women.x) == [one.difference.female for one in published]
    assert list(men.x) == [one.difference.male for one in published]
    assert [list(line.x) for line in lines] == [[low, high] for low, high in zip(men.x, women.x, strict=True)]


def test_without_an_axis_the_chart_is_empty() -> None:
    empty = embedding_example().model_copy(update={"readings": (), "undefined": "no she"})
    assert all(not trace.x for trace in embedding_dots(empty).data)
