"""Two runs on what they share: the numbers of their reports, and clear refusals where they share nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.case import restricted
from pcf_core.audit.comparing import compared
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import Reading, report
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import EvidenceError, RunError
from pcf_core.core.run import RunSpec, SamplingPlan
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import make_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer

TEXTS = (
    "The [X] said that [Y]",
    "The [X] felt that [Y]",
    "The [X] knew that [Y]",
    "The [X] told me that [Y]",
)
TERMS = ("nurse", "engineer", "clerk")
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


@pytest.fixture
def store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache)


def read(
    store: Store,
    model: str,
    texts: Sequence[str] = TEXTS,
    terms: Sequence[str] = TERMS,
    topic: str = "gender",
) -> Reading:
    """A small run scored by the fake; counts are 1, 2, 3, … in the order of ``TEXTS``."""
    chosen = load_topic(topic)
    templates = make_templates("few", [(text, TEXTS.index(text) + 1.0) for text in texts])
    run = build_run(resolve(model), chosen, make_evidence("few", list(terms)), templates)
    score_run(run, store, lambda spec, protocol: fake_scorer(run.scoring, chosen))
    return Reading(run, load_result(store, run), ViewOptions())


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(template_weighting="equal", scale="bvf", criterion="l2"),
        ViewOptions(occupation_weights="employment", reference="labour"),
    ],
)
def test_figures_are_those_of_the_two_reports(store: Store, options: ViewOptions) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    found = compared(one, other, options, resamples=20, permutations=20)
    for side, item in (("first", one), ("second", other)):
        own = report(item.result, item.run, options, resamples=20)
        for risk in RISKS:
            assert getattr(found.differences[risk], side) == pytest.approx(getattr(own, risk), abs=1e-12)
            for row, theirs in zip(found.occupations, own.occupations, strict=True):
                assert row.occupation == theirs.occupation
                assert row.weight == pytest.approx(theirs.weight)
                assert getattr(row.differences[risk], side) == pytest.approx(getattr(theirs, risk), abs=1e-12)
        assert found.criterion == own.criterion
        assert found.effective_templates == pytest.approx(own.effective_templates)
    assert not found.first.templates_left_out
    assert found.first.name == "mini-bert"


def test_only_what_both_have_is_compared_and_the_rest_is_counted(store: Store) -> None:
    one = read(store, "mini-bert", TEXTS[:3], TERMS)
    other = read(store, "mini-gpt", TEXTS[:0:-1], ("pilot", "clerk", "nurse"))
    found = compared(one, other, ViewOptions(), resamples=20, permutations=20)
    assert found.templates == TEXTS[1:3]
    assert [row.occupation for row in found.occupations] == ["nurse", "clerk"]
    assert (found.first.templates_left_out, found.first.occupations_left_out) == (1, 1)
    assert (found.second.templates_left_out, found.second.occupations_left_out) == (1, 1)
    said = " ".join(found.warnings)
    assert "1 of mini-bert and 1 of mini-gpt are left out" in said
    np.testing.assert_allclose(found.template_weights, [0.4, 0.6])
    narrowed = restricted(other.result, other.run, TEXTS[1:3], [2, 3], ViewOptions(), resamples=20)
    by_name = {row.occupation: row for row in narrowed.occupations}
    for row in found.occupations:
        assert row.differences["overall_risk"].second == pytest.approx(by_name[row.occupation].overall_risk)


def test_other_counts_and_documents_of_the_second_are_said(store: Store) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")

    def warned(options: ViewOptions, **change: float) -> str:
        changed = tuple(template.model_copy(update=change) for template in other.run.templates.templates)
        templates = other.run.templates.model_copy(update={"templates": changed})
        run = other.run.model_copy(update={"templates": templates})
        found = compared(one, replace(other, run=run), options, resamples=9, permutations=9)
        return " ".join(found.warnings)

    assert "have other" not in warned(ViewOptions())
    said = warned(ViewOptions(), count=2.0, documents=5)
    assert "3 of 4 templates have other counts in mini-gpt: both runs are read with those of few" in said
    said = warned(ViewOptions(unit="counts-only"), documents=5)
    assert "4 of 4 templates have other numbers of documents in mini-gpt" in said
    assert "have other" not in warned(ViewOptions(), documents=5)
    assert "have other" not in warned(ViewOptions(template_weighting="equal"), count=2.0)


def test_groups_in_another_order_are_the_same_groups(store: Store) -> None:
    """Read against the labour force: against an even split exchanged groups would have the same risks."""
    options = ViewOptions(reference="labour")
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    topic = other.run.topic.model_copy(update={"groups": other.run.topic.groups[::-1]})
    preferences = replace(
        other.result.preferences,
        groups=topic.group_names,
        values=other.result.preferences.values[..., ::-1],
    )
    turned = Reading(
        other.run.model_copy(update={"topic": topic}),
        replace(other.result, preferences=preferences),
        ViewOptions(),
    )
    straight = compared(one, other, options, resamples=20, permutations=20)
    crossed = compared(one, turned, options, resamples=20, permutations=20)
    assert crossed.differences == straight.differences


def test_one_model_twice_has_two_names(store: Store) -> None:
    found = compared(
        read(store, "mini-gpt"),
        read(store, "mini-gpt", TEXTS[:3]),
        ViewOptions(),
        resamples=9,
        permutations=9,
    )
    assert found.first.name != found.second.name
    assert {found.first.model, found.second.model} == {"mini-gpt"}
    assert all(found.differences[risk].verdict == "equal" for risk in RISKS)


def test_what_may_cause_a_difference_is_said(store: Store) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    fewer = replace(other.result, words=other.result.words[:-1], warnings=("Something is flagged.",))
    found = compared(one, replace(other, result=fewer), ViewOptions(), resamples=9, permutations=9)
    said = " ".join(found.warnings)
    assert "78 for mini-bert, 77 for mini-gpt" in said
    assert "mini-gpt: Something is flagged." in said
    assert "4 templates count as 3.3" in said
    found = compared(
        one,
        replace(other, options=ViewOptions(protocol="single-token")),
        ViewOptions(),
        resamples=9,
        permutations=9,
    )
    assert "mini-gpt as single-token" in " ".join(found.warnings)


def test_runs_that_share_nothing_are_refused(store: Store) -> None:
    one = read(store, "mini-bert", TEXTS[:2], TERMS[:2])
    for other, said in (
        (one, "cannot be compared with itself"),
        (read(store, "mini-gpt", TEXTS[2:], TERMS[:2]), "no template in common"),
        (read(store, "mini-gpt", TEXTS[:2], TERMS[2:]), "no occupation in common"),
        (race(store), "other groups"),
    ):
        with pytest.raises(RunError, match=said):
            compared(one, other, ViewOptions())
    unknown = read(store, "mini-bert", TEXTS, ("wizard", "sage")), read(store, "mini-gpt", TEXTS, ("wizard",))
    with pytest.raises(EvidenceError):
        compared(*unknown, ViewOptions(reference="labour"))


def race(store: Store) -> Reading:
    topic = load_topic("race")
    templates = make_templates("few", [(text, 1.0) for text in TEXTS[:2]])
    run = build_run(resolve("mini-gpt"), topic, make_evidence("few", list(TERMS)), templates)

    score_run(run, store, lambda spec, protocol: fake_scorer(run.scoring, topic))
    return Reading(run, load_result(store, run), ViewOptions())


def test_draws_of_a_plan_are_refused_until_they_are_all_templates(store: Store) -> None:
    one, other = read(store, "mini-bert"), read(store, "mini-gpt")
    partly = with_times(planned(other.run, 0.05), (1, 1, 0, 0))
    with pytest.raises(RunError, match="sampling plan"):
        compared(one, replace(other, run=partly), ViewOptions())
    whole = with_times(planned(other.run, 0.05), (1, 2, 3, 4))
    found = compared(one, replace(other, run=whole), ViewOptions(), resamples=9, permutations=9)
    assert found.templates == TEXTS


def with_times(run: RunSpec, times: tuple[int, ...]) -> RunSpec:
    return run.model_copy(update={"plan": SamplingPlan(within=0.05, times=times)})
