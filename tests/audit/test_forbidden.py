"""Cells in which the model forbids a word: no preference, counted, named, and in no figure."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.fakes import Probability
from pcf_core.audit.case import restricted
from pcf_core.audit.comparing import common_part, compared
from pcf_core.audit.forbidden import FORBIDS_A_WORD, complete, filled, lacking
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import RunView, read_with, report
from pcf_core.audit.results import COUNTED_FORBIDDEN, kept_name, load_result, recomputed_result
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.core.errors import RunError, TemplateError
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.report.documents import cell_table, report_document
from pcf_core.store.store import Store
from tests.audit.test_preferences import run_of, scored

TERMS = ("nurse", "doctor", "clerk", "pilot", "cook", "judge")
NURSE = "The nurse felt that [Y]"  # a rare one


def small(family: str = "masked") -> RunSpec:
    """Six occupations in ten templates."""
    evidence = Evidence(name="six", title="Six", source="s", terms=TERMS)
    return run_of(family).model_copy(update={"evidence": evidence})


def likely(prompt: str, word: str) -> float:
    """From 1 to 20 %, by prompt and word, the same in every process."""
    return (1 + sum(place * byte for place, byte in enumerate(f"{prompt}|{word}".encode(), 1)) % 20) / 100


def blocking(*blocked: tuple[str, str]) -> Probability:
    """Give no probability to pairs of a prompt and a word, "" for all prompts."""
    return lambda prompt, word: 0.0 if {(prompt, word), ("", word)} & set(blocked) else likely(prompt, word)


def cells_of(run: RunSpec, templates: range, terms: tuple[str, ...]) -> list[tuple[str, str]]:
    texts = [run.templates.texts[index] for index in templates]
    return [(text.replace("[X]", term), "she") for text in texts for term in terms]


# Which occupations and templates remain.


@given(
    arrays(bool, st.tuples(st.integers(1, 7), st.just(4))), arrays(np.float64, 4, elements=st.floats(0, 9))
)
def test_what_remains_has_a_preference_everywhere(without: np.ndarray, counts: np.ndarray) -> None:
    rows, columns = complete(without, counts)
    assert not without[np.ix_(rows, columns)].any()
    assert without.any() or (rows.all() and columns.all())


def test_the_emptiest_lines_go_first() -> None:
    """A whole row goes instead of every column; a column that lacks half instead of many rows."""
    without = np.zeros((6, 5), dtype=bool)
    without[2] = True
    without[:4, 1] = True
    rows, columns = complete(without)
    assert rows.tolist() == [True, True, False, True, True, True]
    assert columns.tolist() == [True, False, True, True, True]


def test_a_rare_template_goes_before_an_occupation_and_a_common_one_behind() -> None:
    """One of five templates lacks two of six occupations, of whose sentences it is 1 %, or 96 %."""
    without = np.zeros((6, 5), dtype=bool)
    without[:2, 3] = True
    for count, left in ((0.04, (6, 4)), (96.0, (4, 5))):
        rows, columns = complete(without, [1, 1, 1, count, 1])
        assert (rows.sum(), columns.sum()) == left


def test_only_cells_without_a_preference_are_filled() -> None:
    values = np.array([[[0.2, 0.8], [np.nan, np.nan]]])
    assert filled(values).tolist() == [[[0.2, 0.8], [0.5, 0.5]]]
    assert lacking(values).tolist() == [[False, True]]
    whole = values[:, :1]
    assert filled(whole) is whole


# A run.


def figures_by_hand(result: Result, run: RunSpec, rows: list[int], columns: list[int]) -> list[float]:
    values = result.preferences.values[np.ix_(rows, columns)]
    weights = run.templates.counts[columns]
    risks = total(decompose(values, weights, Criterion()), np.ones(len(rows)))
    return [risks.overall_risk, risks.prejudice_risk, risks.caprice_risk]


def test_a_cell_with_a_forbidden_word_has_no_preference_and_is_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = scored(store, small(), blocking((NURSE, "she")), monkeypatch)
    result = load_result(store, run)
    nurse, felt = TERMS.index("nurse"), run.templates.texts.index("The [X] felt that [Y]")
    assert np.argwhere(lacking(result.preferences.values)).tolist() == [[nurse, felt]]
    found = report(result, run, ViewOptions(), resamples=50)
    assert found.forbidden is not None
    assert found.forbidden.words == ("she",)
    assert (found.forbidden.cells, found.forbidden.total, found.forbidden.counted) == (1, 60, 54)
    assert (found.says_little, found.forbidden.templates) == (False, ("The [X] felt that [Y]",))
    others = [index for index in range(10) if index != felt]
    by_hand = figures_by_hand(result, run, list(range(6)), others)
    assert [found.overall_risk, found.prejudice_risk, found.caprice_risk] == pytest.approx(by_hand, abs=1e-12)
    assert found.template_weights[felt] == 0
    assert ("The [X] felt that [Y]", FORBIDS_A_WORD) in {(item.name, item.reason) for item in found.left_out}
    (said_so,) = (warning for warning in found.warnings if "no probability at all to" in warning)
    assert "In 1 of 60 test sentences" in said_so
    assert "All figures leave out 1 template, so that no such sentence remains" in said_so
    table = cell_table(result.preferences, found)
    (empty,) = (
        table[table.probability.isna()][["occupation", "template"]].drop_duplicates().to_numpy().tolist()
    )
    assert empty == ["nurse", "The [X] felt that [Y]"]
    assert table.forbidden.sum() == 2
    json.dumps(report_document(found), allow_nan=False)


def test_an_occupation_without_preferences_is_left_out_and_not_every_template(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of()
    cells = [(text.replace("[X]", "nurse"), "queen") for text in run.templates.texts]
    run = scored(store, run, blocking(*cells), monkeypatch)
    found = report(load_result(store, run), run, ViewOptions(), resamples=20)
    assert found.forbidden is not None
    assert (found.forbidden.occupations, found.forbidden.templates) == (("nurse",), ())
    assert len(found.occupations) == len(run.evidence.terms) - 1
    assert not any("figure for their weight" in warning for warning in found.warnings)


@pytest.mark.parametrize("unit", ["template", "counts-only", "counts-only-mentions"])
def test_no_interval_draws_a_template_that_is_left_out(
    unit: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same as of a run that never had the template."""
    run = scored(store, small(), blocking((NURSE, "she")), monkeypatch)
    options = ViewOptions.model_validate({"unit": unit})
    found = report(load_result(store, run), run, options, resamples=400)
    chosen = [item for item in run.templates.templates if item.text != "The [X] felt that [Y]"]
    other = run.model_copy(
        update={"templates": run.templates.model_copy(update={"templates": tuple(chosen)})}
    )
    alone = report(load_result(store, other), other, options, resamples=400)
    for name in ("overall_risk", "prejudice_risk", "caprice_risk"):
        assert getattr(found, name) == pytest.approx(getattr(alone, name), abs=1e-12)
        one, two = found.interval(name), alone.interval(name)
        assert one is not None
        assert two is not None
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=0.02)
    assert found.effective_templates == pytest.approx(alone.effective_templates)


@pytest.mark.parametrize("words", [("she",), ("she", "queen")])
def test_with_too_many_there_is_no_figure_but_a_reason(
    words: tuple[str, ...], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = scored(store, small(), blocking(*(("", word) for word in words)), monkeypatch)
    result = load_result(store, run)
    assert result.says_little
    found = report(result, run, ViewOptions(), resamples=20)
    assert found.says_little
    document = json.loads(json.dumps(report_document(found), allow_nan=False))
    assert [document[name] for name in ("overall_risk", "prejudice_risk", "caprice_risk")] == [None] * 3
    assert (document["reliable"], document["intervals"], document["corrected"]) == (False, {}, None)
    assert document["forbidden"] == {
        "words": list(words), "cells": 60, "total": 60, "occupations": [], "templates": [], "counted": 0,
    }  # fmt: skip
    assert {row["overall_risk"] for row in document["occupations"]} == {None}
    (said,) = (warning for warning in document["warnings"] if "no probability at all to" in warning)
    assert said.startswith("In 60 of 60 test sentences")
    assert "there is no risk" in said
    assert load_result(store, run).warnings == result.warnings == recomputed_result(store, run).warnings
    few = restricted(result, run, run.templates.texts[:2], [1, 1], ViewOptions(), resamples=20)
    assert isnan(few.overall_risk)
    with pytest.raises(RunError, match="In 60 of 60 test sentences"):
        _ = RunView(run, result, ViewOptions()).matrix
    with pytest.raises(RunError, match="In 60 of 60 test sentences"):
        sensitivity(store, run, ViewOptions())


def test_scattered_cells_that_leave_less_than_half_are_too_many(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three of 60 cells are five per cent; in another template and occupation each they cost much more."""
    run = small()
    cells = [
        cell
        for index in range(3)
        for cell in cells_of(run, range(7 + index, 8 + index), TERMS[index : index + 1])
    ]
    run = scored(store, run, blocking(*cells), monkeypatch)
    found = load_result(store, run).forbidden
    assert found is not None
    assert (found.cells, len(found.templates), found.counted, found.too_many) == (3, 3, 42, False)
    assert found.model_copy(update={"counted": 29}).too_many


def test_a_sentence_without_any_probability_has_no_preference_either(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = blocking(*((NURSE, word) for word in ("he", "she", "king", "queen")))
    run = scored(store, small(), cell, monkeypatch)
    found = load_result(store, run).forbidden
    assert found is not None
    assert (found.words, found.cells) == (("he", "king", "she", "queen"), 1)


def test_if_no_sentence_with_a_weight_remains_the_run_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The template that is left out is read with other counts, in which it has all weight."""
    run = scored(store, small(), blocking((NURSE, "she")), monkeypatch)
    result, templates = load_result(store, run), run.templates
    counted = tuple(
        item.model_copy(update={"count": float("felt" in item.text)}) for item in templates.templates
    )
    other = read_with(run, templates.model_copy(update={"templates": counted}))
    with pytest.raises(TemplateError, match="No sentence with a weight can be counted"):
        report(result, other, ViewOptions())
    equal = report(result, other, ViewOptions(template_weighting="equal"), resamples=20)
    assert equal.overall_risk > 0


def test_two_models_are_compared_where_both_have_preferences(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = scored(store, small(), blocking((NURSE, "she")), monkeypatch)
    other = scored(store, small("causal"), lambda prompt, word: likely(word, prompt), monkeypatch)
    first, second = (RunView(run, load_result(store, run), ViewOptions()) for run in (one, other))
    found = compared(first, second, ViewOptions(), resamples=50, permutations=50)
    assert (len(found.templates), len(found.occupations)) == (9, 6)
    alone = report(first.result, one, ViewOptions())
    assert found.differences["overall_risk"].first == pytest.approx(alone.overall_risk)
    assert np.isfinite(common_part(second, first, ViewOptions()).values).all()
    none = replace(
        first, result=load_result(store, scored(store, small("t5"), blocking(("", "he")), monkeypatch))
    )
    with pytest.raises(RunError, match="no probability at all to 'he'"):
        compared(none, second, ViewOptions())


def test_sensitivity_counts_the_same_cells(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = scored(store, small(), blocking((NURSE, "she")), monkeypatch)
    table, found = sensitivity(store, run, ViewOptions()), report(load_result(store, run), run, ViewOptions())
    assert table.base.overall_risk == pytest.approx(found.overall_risk)
    assert all(np.isfinite(one.overall_risk) for one in table.variants)
    assert {"he and she only", "the 3 most common sentences"} <= {one.name for one in table.variants}


def test_a_result_of_an_earlier_version_that_counts_such_cells_is_computed_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = scored(store, small(), blocking((NURSE, "she")), monkeypatch)
    today = load_result(store, run)
    name = kept_name(store, run, "exact")
    columns, facts = store.load_result(run.kept_as, name) or ({}, {})
    assert facts["forbidden"] == ["she"]
    del facts["forbidden"]
    facts["warnings"] = [f"{COUNTED_FORBIDDEN} 'she' in 1 of 60 test sentences, so a preference of 0 or 1"]
    earlier = {key: np.nan_to_num(values, nan=0.5) for key, values in columns.items()}
    store.save_result(run.kept_as, name, earlier, facts)
    again = load_result(store, run)
    assert again.forbidden == today.forbidden
    assert np.array_equal(again.preferences.values, today.preferences.values, equal_nan=True)
