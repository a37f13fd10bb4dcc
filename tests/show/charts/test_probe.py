"""The words of one sentence: a panel a group, a mark a model."""

from __future__ import annotations

import pytest

from pcf_core.show.charts.cell import probe_words
from pcf_core.show.charts.theme import MAX_HEIGHT
from tests.show.charts.probed import answer


def test_each_mark_stands_at_its_word() -> None:
    """Words are ordered by what any model gives most; one that a model gives nothing has no mark of it."""
    figure = probe_words(
        {
            "one": answer({"male": {"he": 0.2, "<king>": 0.3}, "female": {"she": 0.1}}),
            "<two>": answer({"male": {"he": 0.4, "<king>": 0.0}, "female": {"she": 0.5}}),
        }
    )
    assert figure.layout.yaxis.labelalias == {"0": "he", "1": "&lt;king&gt;"}
    assert figure.layout.yaxis2.labelalias == {"0": "she"}
    marks = {(t.name, t.yaxis): dict(zip(t.y, t.x, strict=True)) for t in figure.data}
    assert marks == {
        ("one", "y"): {"0": pytest.approx(0.2), "1": pytest.approx(0.3)},
        ("one", "y2"): {"0": pytest.approx(0.1)},
        ("&lt;two&gt;", "y"): {"0": pytest.approx(0.4)},
        ("&lt;two&gt;", "y2"): {"0": pytest.approx(0.5)},
    }
    assert [trace.showlegend for trace in figure.data] == [True, False, True, False]
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert {axis.type for axis in figure.select_xaxes()} == {"log"}
    assert [note.text for note in figure.layout.annotations] == ["male", "female"]


@pytest.mark.parametrize(("groups", "shown"), [(2, 8), (3, 8), (7, 3), (20, 2)])
def test_many_groups_show_fewer_words_each(groups: int, shown: int) -> None:
    words = {f"group {g}": {f"word {g} {n}": 0.5 / (n + 1) for n in range(9)} for g in range(groups)}
    figure = probe_words({"one": answer(words)})
    assert [len(trace.x) for trace in figure.data] == [shown] * groups
    assert figure.layout.height <= MAX_HEIGHT


def test_nothing_to_draw_is_an_empty_picture() -> None:
    assert sum(len(t.x) for t in probe_words({"one": answer({"male": {"he": 0.0}})}).data) == 0
