"""One cell: groups by model, words by group."""

from __future__ import annotations

import pytest

from pcf_core.show.charts.cell import WordProbability, cell_bars, word_bars

WORDS = [
    WordProbability("her", "female", 0.013),
    WordProbability("he", "male", 0.41),
    WordProbability("<she>", "female", 0.22),
    WordProbability("man", "male", 0.003),
]


def test_groups_stand_side_by_side_for_each_model() -> None:
    figure = cell_bars(
        {"one": {"male": 0.7, "female": 0.3}, "<two>": {"female": 0.877, "male": 0.123}}, neutral=0.5
    )
    assert figure.layout.xaxis.ticktext == ("0 %", "25 %", "50 %", "75 %", "100 %")
    one, two = figure.data
    assert dict(zip(one.y, one.x, strict=True)) == {"0": 0.7, "1": 0.3}
    assert dict(zip(two.y, two.x, strict=True)) == {"0": 0.123, "1": 0.877}
    assert figure.layout.yaxis.labelalias == {"0": "male", "1": "female"}
    assert two.name == "&lt;two&gt;"
    assert one.marker.pattern.shape != two.marker.pattern.shape
    assert two.text == ("88 %", "12 %")
    assert figure.layout.barmode == "group"
    assert figure.layout.shapes[0].x0 == 0.5


def test_neutral_is_drawn_only_where_given() -> None:
    assert not cell_bars({"one": {"male": 0.7, "female": 0.3}}).layout.shapes


def test_words_fall_by_probability_and_keep_their_group() -> None:
    figure = word_bars(WORDS, top=3)
    assert list(figure.layout.yaxis.labelalias.values()) == ["he", "&lt;she&gt;", "her"]
    by_group = {trace.name: dict(zip(trace.y, trace.x, strict=True)) for trace in figure.data}
    assert by_group == {"female": {"1": 0.22, "2": 0.013}, "male": {"0": 0.41}}
    assert len({trace.marker.color for trace in figure.data}) == 2
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 2


def test_small_probabilities_are_written_as_odds() -> None:
    assert cell_bars({"one": {"male": 0.0000674, "female": 0.9999326}}).data[0].text == (
        "about 1 in 15,000",
        "over 99 %",
    )
    rare = word_bars([WordProbability("man", "male", 0.000033)])
    assert rare.data[0].customdata == ("about 1 in 30,000",)
    ticks = dict(zip(rare.layout.xaxis.tickvals, rare.layout.xaxis.ticktext, strict=True))
    assert list(ticks.values()) == ["0", "1 in 100,000", "1 in 50,000", "1 in 33,000"]
    assert list(ticks) == pytest.approx([0, 1e-5, 2e-5, 3e-5])


@pytest.mark.parametrize(
    ("largest", "written"),
    [
        (0.41, ("0", "20 %", "40 %")),
        (1.0, ("0", "50 %", "100 %")),
        (0.013, ("0", "1 in 200", "1 in 100")),
        (0.09, ("0", "5 %")),
    ],
)
def test_the_axis_of_words_has_few_digits(largest: float, written: tuple[str, ...]) -> None:
    assert word_bars([WordProbability("man", "male", largest)]).layout.xaxis.ticktext == written


@pytest.mark.parametrize("words", [[], WORDS[:1]])
def test_few_words_can_be_drawn(words: list[WordProbability]) -> None:
    assert len(word_bars(words).data) == len(words)
