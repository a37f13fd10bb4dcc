"""Other lists of words from one reading: against topics that have only these words, and by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.audit import word_lists as module
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import aggregated, preferences_of
from pcf_core.audit.reading import view_of
from pcf_core.audit.results import load_result
from pcf_core.audit.word_lists import (
    LeftOutWords,
    WordList,
    all_but_one,
    counterparts,
    leave_outs,
    list_risks,
    pronouns_of,
    used_words,
)
from pcf_core.core.risk import Aggregation
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Group, Topic
from pcf_core.material.topics import load_topic
from pcf_core.store.store import Store
from tests.audit.small_runs import score_few

nats = arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(2, 6)), elements=st.floats(-40, 0))


def test_leaving_out_the_word_that_dominates_keeps_what_is_left() -> None:
    """The rest is e⁻⁶⁰ of the whole: a difference of the two would be 0."""
    found = all_but_one(np.array([[0.0, -60.0, -60.0]]))
    assert found[0] == pytest.approx([-60 + np.log(2), 0.0, 0.0])
    assert all_but_one(np.array([[0.0]]))[0, 0] == -np.inf


@given(logs=nats)
def test_all_but_one_by_a_loop(logs: np.ndarray) -> None:
    for aggregation, add in (("sum", np.sum), ("mean", np.mean)):
        found = all_but_one(logs, aggregation)
        for word in range(logs.shape[1]):
            expected = np.log(add(np.exp(np.delete(logs, word, axis=1)), axis=-1))
            np.testing.assert_allclose(found[:, word], expected, rtol=1e-9, atol=1e-9)


def test_counterparts_leave_together_and_lone_words_alone() -> None:
    topic = Topic(
        name="t",
        title="t",
        aligned=True,
        groups=(Group(name="a", words=("he", "king", "actor")), Group(name="b", words=("she", "queen", "x"))),
    )
    words = ("he", "king", "actor", "she", "queen")
    assert counterparts(topic, words) == [("he", "she"), ("king", "queen")]
    assert [(one.name, dict(one.out)) for one in leave_outs(topic, words)] == [
        ("he / she", {0: "he", 1: "she"}),
        ("king / queen", {0: "king", 1: "queen"}),
        ("actor", {0: "actor"}),
    ]
    loose = topic.model_copy(update={"aligned": False})
    assert counterparts(loose, words) == []
    assert [one.name for one in leave_outs(loose, words)] == list(words)


def test_a_group_never_loses_its_last_word() -> None:
    race = load_topic("race")
    assert [one.name for one in leave_outs(race, race.words)] == ["black", "african", "hispanic", "latino"]
    assert leave_outs(load_topic("religion"), load_topic("religion").words) == []


def test_pronouns_are_found_in_any_order_and_language() -> None:
    gender = load_topic("gender")
    assert pronouns_of(gender) == ("he", "she")
    assert pronouns_of(gender.model_copy(update={"groups": gender.groups[::-1]})) == ("she", "he")
    assert pronouns_of(load_topic("gender-zh")) == ("他", "她")
    assert pronouns_of(load_topic("race")) is None


@pytest.mark.parametrize("aggregation", ["sum", "mean"])
@pytest.mark.parametrize("prompts_at_once", [40, 32_768])
@pytest.mark.parametrize("options", [ViewOptions(), ViewOptions(reference="labour", criterion="l2")])
def test_lists_give_what_a_topic_of_only_these_words_gives(
    store: Store,
    aggregation: Aggregation,
    prompts_at_once: int,
    options: ViewOptions,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In parts as in one piece: against preferences of all cells at once, decomposed at once."""
    monkeypatch.setattr(module, "PROMPTS_AT_ONCE", prompts_at_once)
    run = score_few(store)
    view = view_of(run, options)
    words = load_result(store, run).words
    few = WordList("few", (("he", "him", "king"), ("she", "queen")))
    out = LeftOutWords("he / she", {0: "he", 1: "she"})
    read: list[int] = []
    found, without = list_risks(store, run, view, words, [few], [out], aggregation, on_prompts=read.append)
    weight = float(view.occupation_weights.sum())
    rest = tuple(word for word in words if word not in ("he", "she"))
    for risks, kept in ((found["few"], ("he", "him", "king", "she", "queen")), (without["he / she"], rest)):
        assert risks.over(weight) == pytest.approx(
            view.risks(values_of(store, run, kept, aggregation)), abs=1e-12
        )
    assert read[-1] == len(view.rows) * len(run.templates.templates)
    assert all(first < second for first, second in pairwise(read))
    assert (len(read) > 1) is (prompts_at_once == 40)


def values_of(store: Store, run: RunSpec, words: tuple[str, ...], aggregation: Aggregation) -> np.ndarray:
    """[occupation, template, group] of all cells at once."""
    logs = store.gather(run.scoring, run.prompts, words)
    sums = preferences_of(logs, run.topic, words).reshape(len(run.evidence.terms), -1, 2)
    return aggregated(sums, run.topic, words, aggregation)


def test_words_are_used_in_the_order_of_the_topic() -> None:
    topic = load_topic("gender")
    assert used_words(topic, ("she", "king", "he")) == (("king", "he"), ("she",))


def test_a_list_with_a_forbidden_word_in_a_cell_says_so(store: Store) -> None:
    def silent(prompt: str, word: str) -> float:
        return 0.0 if word in ("he", "she") and "nurse said" in prompt else 0.01

    run = score_few(store, chance=silent)
    lists = [
        WordList("two", (("he",), ("she",))),
        WordList("four", (("he", "king"), ("she", "queen"))),
        WordList("others", (("king",), ("queen",))),
    ]
    found, _ = list_risks(store, run, view_of(run, ViewOptions()), ("he", "she"), lists, [])
    assert {name: one.broken for name, one in found.items()} == {"two": 1, "four": 1, "others": 0}
