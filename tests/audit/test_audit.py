"""The path from word log-probabilities to a report."""

from __future__ import annotations

import math
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit import reading
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import assemble, coverage_of, preferences_of, select_words
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, result_name
from pcf_core.core.errors import CriterionError, ModelError, RunError, TemplateError
from pcf_core.core.run import RunSpec, TokenTable
from pcf_core.core.topics import Group, Template, Topic
from pcf_core.store.store import Store
from tests.audit.small_runs import score_with_fake

TOPIC = Topic(
    name="toy",
    title="toy",
    groups=(Group(name="male", words=("he", "king")), Group(name="female", words=("she", "queen"))),
    aligned=True,
)


@given(st.lists(st.floats(-60, 0), min_size=8, max_size=8))
def test_preferences_equal_a_loop_over_words(nats: list[float]) -> None:
    logs = np.array(nats).reshape(2, 4)
    found = preferences_of(logs, TOPIC, TOPIC.words)
    for row, cell in zip(logs, found, strict=True):
        male, female = (math.exp(row[0]) + math.exp(row[1])), (math.exp(row[2]) + math.exp(row[3]))
        assert cell[0] == pytest.approx(male / (male + female), abs=1e-9)
        assert cell.sum() == pytest.approx(1)


def test_a_group_without_words_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="'female'"):
        preferences_of(np.log([0.5, 0.5]), TOPIC, ("he", "king"))


def test_single_token_takes_counterparts_along_and_lists_both() -> None:
    table = TokenTable({"he": 1, "king": 1, "she": 1, "queen": 2})
    words, left_out = select_words(TOPIC, table, "single-token")
    assert words == ("he", "she")
    assert [item.name for item in left_out] == ["king", "queen"]
    assert select_words(TOPIC, table, "exact") == (TOPIC.words, ())


def test_refused_words_are_named() -> None:
    table = TokenTable({"he": 1, "she": 1, "queen": 1}, {"king": "unknown"})
    words, left_out = select_words(TOPIC, table, "exact")
    assert words == ("he", "she", "queen")
    assert (left_out[0].name, left_out[0].reason) == ("king", "unknown")


def table_of(spelling: dict[str, str], tokens: dict[str, int] | None = None) -> TokenTable:
    return TokenTable(dict.fromkeys(spelling, 1) | (tokens or {}), {}, spelling)


def topic_of(*groups: tuple[str, ...], aligned: bool = False) -> Topic:
    named = tuple(Group(name=f"g{place}", words=words) for place, words in enumerate(groups))
    return Topic(name="t", title="t", groups=named, aligned=aligned)


def test_words_of_the_same_tokens_count_once() -> None:
    """The docstring's example: .2 / (.2 + .1) = 2/3, where "He" would bring .2 in again: .4 / .5."""
    topic = topic_of(("he", "He", "HE"), ("she",))
    words, left_out = select_words(topic, table_of({"he": "7", "He": "7", "HE": "7", "she": "8"}), "exact")
    assert words == ("he", "she")
    assert [(item.name, item.reason) for item in left_out] == [
        (word, "the model cannot distinguish it from 'he', so they count as one word")
        for word in ("He", "HE")
    ]
    assert preferences_of(np.log([0.2, 0.1]), topic, words) == pytest.approx([2 / 3, 1 / 3])


def test_words_of_several_groups_count_for_none() -> None:
    topic = topic_of(("polish", "Polish"), ("POLISH", "tin"), ("german",))
    spelling = {"polish": "7", "Polish": "7", "POLISH": "7", "tin": "8", "german": "9"}
    words, left_out = select_words(topic, table_of(spelling), "exact")
    assert words == ("tin", "german")
    assert [item.reason for item in left_out] == [
        "the model cannot distinguish it from 'POLISH' of the group 'g1'",
        "the model cannot distinguish it from 'POLISH' of the group 'g1'",
        "the model cannot distinguish it from 'polish' of the group 'g0'",
    ]


def test_single_token_counts_rows_of_the_same_tokens_whole_or_not_at_all() -> None:
    """b is kept in the first row, so the second goes; then c is free to count in the third."""
    topic = topic_of(("a", "c", "C"), ("b", "B", "d"), aligned=True)
    spelling = {"a": "1", "c": "3", "C": "3", "b": "2", "B": "2", "d": "4"}
    words, left_out = select_words(topic, table_of(spelling), "single-token")
    assert words == ("a", "C", "b", "d")
    assert {item.name: item.reason for item in left_out} == {
        "c": "its counterpart 'B' is left out",
        "B": "the model cannot distinguish it from 'b', so they count as one word",
    }
    assert select_words(topic, table_of(spelling), "exact")[0] == ("a", "c", "b", "d")


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=5), min_size=2, max_size=3),
    st.sets(st.integers(0, 5)),
)
def test_a_group_gets_what_its_own_tokens_get_each_once(groups: list[list[int]], untold: set[int]) -> None:
    """A second opinion in sets of token strings; of those whose tokens are not known, every word counts."""
    names = [tuple(f"{group}.{place}" for place in range(len(ids))) for group, ids in enumerate(groups)]
    ids_of = {
        word: ids
        for some, own in zip(names, groups, strict=True)
        for word, ids in zip(some, own, strict=True)
    }
    table = TokenTable(
        dict.fromkeys(ids_of, 1), {}, {word: str(ids) for word, ids in ids_of.items() if ids not in untold}
    )
    topic = topic_of(*names)
    words, left_out = select_words(topic, table, "exact")
    assert {*words, *(item.name for item in left_out)} == set(topic.words)
    assert len(words) + len(left_out) == len(topic.words)
    own = [set(ids) - untold for ids in groups]
    sums = [
        sum(2.0**-one for one in mine - set().union(*(other for other in own if other is not mine)))
        + sum(2.0**-one for one in ids if one in untold)
        for mine, ids in zip(own, groups, strict=True)
    ]
    nats = np.array([-ids_of[word] * math.log(2) for word in words])
    if all(sums):
        assert preferences_of(nats, topic, words) == pytest.approx(np.array(sums) / sum(sums))
    else:
        with pytest.raises(ModelError, match="distinguish from the words of other groups"):
            preferences_of(nats, topic, words)


def test_coverage_is_kept_apart_by_tokens_for_masked_models_only() -> None:
    logs = np.log(np.array([[0.2, 0.1, 0.3]]))
    assert coverage_of(logs, [1, 1, 2], "masked", True) == {
        "1": pytest.approx([0.3]),
        "2": pytest.approx([0.3]),
    }
    assert coverage_of(logs, [1, 1, 2], "causal", False) == {"all": pytest.approx([0.6])}
    assert coverage_of(logs, [1, 1, 2], "causal", True) is None


def test_a_result_is_the_same_from_the_words_and_from_the_kept_aggregates(full_store: Store) -> None:
    info = full_store.runs()[0]
    kept = load_result(full_store, info.run)
    words = info.run.topic.words
    nats = full_store.gather(info.run.scoring, info.run.prompts, words)
    again = preferences_of(nats, info.run.topic, words).reshape(120, 19, 2)
    assert np.array_equal(kept.preferences.values, again)
    assert np.array_equal(assemble(full_store, info.run).preferences.values, again)
    assert kept.preferences.values.shape == (120, 19, 2)
    assert kept.words == info.run.topic.words


def test_dropping_a_word_or_a_template_needs_no_scoring(full_store: Store) -> None:
    run = full_store.runs()[0].run
    groups = tuple(group.model_copy(update={"words": group.words[1:]}) for group in run.topic.groups)
    templates = run.templates.model_copy(update={"templates": run.templates.templates[:4]})
    smaller = run.model_copy(
        update={"topic": run.topic.model_copy(update={"groups": groups}), "templates": templates}
    )
    assert smaller.key != run.key
    assert load_result(full_store, smaller).preferences.values.shape == (120, 4, 2)


def test_a_run_is_not_read_under_a_protocol_it_was_not_scored_with(full_store: Store) -> None:
    run = full_store.runs()[0].run
    with pytest.raises(RunError, match="exact-boundary"):
        load_result(full_store, run, "exact-boundary")
    assert load_result(full_store, run, "single-token").words == run.topic.words


def test_what_decides_the_words_is_part_of_the_kept_result(full_store: Store) -> None:
    run = full_store.runs()[0].run
    loose = run.model_copy(update={"topic": run.topic.model_copy(update={"aligned": False})})
    assert loose.key == run.key
    assert result_name(loose, "single-token") != result_name(run, "single-token")


def test_words_behind_another_character_have_no_coverage_by_tokens(full_store: Store) -> None:
    """Those at the beginning of the text have it: they are counted there."""
    run = next(info.run for info in full_store.runs() if info.run.scoring.family == "masked")

    def scored(text: str) -> RunSpec:
        templates = run.templates.model_copy(update={"templates": (Template(text=text),)})
        one = run.model_copy(update={"templates": templates})
        return score_with_fake(full_store, one)

    glued, opening = scored("the [X] ([Y])"), scored("[Y] met the [X]")
    assert assemble(full_store, glued).preferences.coverage is None
    with pytest.raises(TemplateError, match="space"):
        assemble(full_store, glued, "single-token")
    assert assemble(full_store, opening).preferences.coverage is not None
    assert assemble(full_store, opening, "single-token").words


def test_what_a_topic_leaves_out_and_few_templates_are_in_the_report(full_store: Store) -> None:
    run = full_store.runs()[0].run
    found = report(
        load_result(full_store, run), run, ViewOptions(occupation_weights="employment"), resamples=50
    )
    assert "canary" in {item.name for item in found.left_out}
    said = " ".join(found.warnings)
    assert "about 5 equally common sentences (of 19)" in said
    assert "43 of 120 occupations are left out" in said
    assert "64 % of the list remains" in said


def test_a_reading_works_out_what_is_asked_for_once(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Mock(side_effect=reading.counted_occupations)
    monkeypatch.setattr(reading, "counted_occupations", counted)
    run, options = full_store.runs()[0].run, ViewOptions(occupation_weights="employment")
    read = reading.RunView(run, load_result(full_store, run), options)
    assert counted.call_count == 0
    assert read.view.rows.size == len(read.matrix.occupations) == 77
    assert read.matrix is read.matrix
    assert counted.call_count == 1
    found = report(read.result, run, options, resamples=20)
    assert counted.call_count == 2  # a reading of its own
    for name, value in read.view.risks(read.values).items():
        if name != "stereotype_sd":
            assert value == pytest.approx(getattr(found, name), abs=1e-12)


def test_view_options_change_the_reading_and_not_the_run(full_store: Store) -> None:
    run = full_store.runs()[0].run
    result = load_result(full_store, run)
    plain = report(result, run, ViewOptions(), resamples=50)
    equal = report(result, run, ViewOptions(template_weighting="equal"), resamples=50)
    employed = report(result, run, ViewOptions(occupation_weights="employment"), resamples=50)
    labour = report(result, run, ViewOptions(reference="labour"), resamples=50)
    assert plain.effective_templates == pytest.approx(5, abs=1)
    assert equal.effective_templates == pytest.approx(19)
    assert (len(plain.occupations), len(employed.occupations)) == (120, 77)
    assert {item.name for item in employed.left_out} | {
        row.occupation for row in employed.occupations
    } >= set(run.evidence.terms)
    assert sum(row.weight for row in employed.occupations) == pytest.approx(1)
    assert "administrator" in {item.name for item in labour.left_out}
    assert labour.overall_risk != pytest.approx(plain.overall_risk, abs=1e-6)
    for found in (plain, equal, employed, labour):
        assert found.overall_risk == pytest.approx(found.prejudice_risk + found.caprice_risk, abs=1e-12)


def test_a_matrix_gives_the_papers_example() -> None:
    """PCF's M1 (.6, .6, .6) and M2 (.5, .35, .65): .2 = .2 + 0 and .2 = 0 + .2."""
    matrix = [[[0.6, 0.4]] * 3, [[0.5, 0.5], [0.35, 0.65], [0.65, 0.35]]]
    found = matrix_report({"preferences": matrix, "occupations": ["M1", "M2"]}, ViewOptions())
    first, second = found.occupations
    assert (first.overall_risk, first.prejudice_risk, first.caprice_risk) == pytest.approx((0.2, 0.2, 0))
    assert (second.overall_risk, second.prejudice_risk, second.caprice_risk) == pytest.approx((0.2, 0, 0.2))
    assert (found.overall_risk, found.prejudice_risk, found.caprice_risk) == pytest.approx((0.2, 0.1, 0.1))


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"occupation_weights": "employment"}, "--weights"),
        ({"reference": "labour"}, "--reference"),
        ({"template_weighting": "equal"}, "--template-weights"),
        ({"aggregation": "mean"}, "--aggregation"),
        ({"protocol": "single-token"}, "--protocol"),
        ({"protocol": "exact-boundary"}, "--protocol"),
        ({"unit": "counts-only-mentions"}, "--unit"),
    ],
)
def test_options_that_a_matrix_has_no_use_for_are_refused(option: dict[str, str], says: str) -> None:
    document = {"preferences": [[[0.5, 0.5], [0.2, 0.8]]]}
    with pytest.raises(CriterionError, match=says) as caught:
        matrix_report(document, ViewOptions.model_validate(option), resamples=20)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({}, "preferences"),
        ({"preferences": [[[0.5, 0.4]]]}, "sum"),
        ({"preferences": [[[0.5, 0.5]], [[1.0]]]}, "rectangular"),
        ({"preferences": [[["a", 0.5]]]}, "numbers"),
        ({"preferences": [[[0.5, 0.5]]], "template_weights": [-1.0]}, "weight"),
        ({"preferences": [[[0.5, 0.5]]], "template_weights": [1.0, 1.0]}, "weight"),
        ({"preferences": [[[0.5, 0.5]]], "groups": ["a", "a"]}, "groups"),
        ({"preferences": [[[0.5, 0.5]]], "extra": 1}, "at most"),
        ({"preferences": [[[0.5, 0.5]] * 2], "families": ["a"]}, "2 labels, one for each template; got 1"),
        ({"preferences": [[[0.5, 0.5]] * 2], "families": [1, 2]}, "`families` must be a list of texts"),
        ({"preferences": [[[0.5, 0.5]]], "families": "a"}, "`families` must be a list of texts"),
        ({"preferences": [[[math.nan, 0.5]]]}, "finite"),
        ({"preferences": [[[10**400, 0.5]]]}, "numbers"),
        ({"preferences": [[["0.5", "0.5"]]]}, "numbers"),
        ({"preferences": [[[True, False]]]}, "numbers"),
        ({"preferences": [[[0.5, 0.5]]], "groups": ["a", "\ud800"]}, "printable"),
        ({"preferences": [[[0.5, 0.5]]], "groups": ["a", ""]}, "printable"),
    ],
)
def test_a_matrix_that_cannot_be_used_is_refused_in_one_sentence(
    document: dict[str, object], says: str
) -> None:
    with pytest.raises(CriterionError, match=says) as caught:
        matrix_report(document, ViewOptions())
    assert "\n" not in str(caught.value)
