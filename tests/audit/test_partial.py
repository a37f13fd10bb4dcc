"""A run that is being scored, read as far as it is complete."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.partial import CompletePart, complete_part, partial_report, range_of_whole
from pcf_core.audit.results import Results
from pcf_core.audit.sampling import planned
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import load_templates
from pcf_core.store.store import Store
from tests.audit.small_runs import FEW, score_few

OPTIONS = ViewOptions()
MANY = make_evidence("many", [f"maker of {thing}s" for thing in ("lamp", "hat", "shoe", "bow", "pot", "net")])


def some_of(run: RunSpec, templates: int) -> RunSpec:
    chosen = run.templates.model_copy(update={"templates": run.templates.templates[:templates]})
    return run.model_copy(update={"templates": chosen})


def with_terms(run: RunSpec, *lists: Evidence) -> RunSpec:
    terms = [term for each in lists for term in each.terms]
    return run.model_copy(update={"evidence": make_evidence("all", terms)})


def part_of(store: Store, run: RunSpec) -> CompletePart:
    part = complete_part(store, run)
    assert part is not None
    return part


def assert_same_figures(store: Store, part: CompletePart, finished: RunSpec) -> None:
    """Compare with a finished run of the same cells, in risks, intervals and every occupation."""
    assert part.run.key == with_terms(finished, part.run.evidence).key
    found, expected = partial_report(store, part, OPTIONS), Results(store).open(finished, OPTIONS, brief=True)
    assert found is not None
    for name in ("overall_risk", "prejudice_risk", "caprice_risk"):
        assert getattr(found.report, name) == pytest.approx(getattr(expected.report, name), abs=1e-12)
    ends, others = (
        [(one.low, one.high) for one in item.report.intervals["overall_risk"]] for item in (found, expected)
    )
    np.testing.assert_allclose(ends, others, atol=1e-12)
    np.testing.assert_allclose(
        found.result.preferences.values, expected.result.preferences.values, atol=1e-12
    )


def test_the_complete_occupations_are_read_as_a_finished_run_of_them_is(store: Store) -> None:
    finished = score_few(store)
    run = with_terms(finished, FEW, MANY)
    part = part_of(store, run)
    assert (part.over, part.done, part.total, part.noun) == ("occupations", 5, 11, "occupation")
    assert part.run.evidence.terms == FEW.terms
    assert_same_figures(store, part, finished)


def test_the_complete_sentences_are_read_where_their_share_is_larger(store: Store) -> None:
    """Another set that has some of the same sentences was scored before."""
    run = score_few(
        store, evidence=make_evidence("one", ["nurse"]), templates=load_templates("gender-nineteen")
    )
    finished = some_of(run.model_copy(update={"evidence": FEW}), 8)
    score_few(store, evidence=FEW, templates=finished.templates)
    run = run.model_copy(update={"evidence": FEW})
    part = part_of(store, run)
    assert (part.over, part.done, part.total) == ("templates", 8, len(run.templates.templates))
    assert part.noun == "sentence"
    assert part.run.templates.texts == finished.templates.texts
    assert_same_figures(store, part, finished)


def test_weights_of_the_list_stay_with_their_occupations(store: Store) -> None:
    score_few(store, evidence=make_evidence("two", FEW.terms[3:]))
    weighted = FEW.model_copy(update={"weights": (1.0, 2.0, 3.0, 4.0, 5.0)})
    part = part_of(store, score_few_run(store).model_copy(update={"evidence": weighted}))
    assert part.run.evidence.weights == (4.0, 5.0)


def score_few_run(store: Store) -> RunSpec:
    """The run of one occupation more, of which only that is scored."""
    return score_few(store, evidence=make_evidence("last", FEW.terms[4:]))


def test_nothing_is_read_of_a_run_of_which_one_occupation_or_none_is_complete(store: Store) -> None:
    run = score_few_run(store)
    assert complete_part(store, run.model_copy(update={"evidence": FEW})) is None
    assert complete_part(store, run.model_copy(update={"evidence": MANY})) is None


def test_a_run_of_draws_is_left_to_its_looks(store: Store) -> None:
    assert complete_part(store, planned(score_few(store), 0.1)) is None


def test_options_that_the_part_cannot_be_read_under_give_no_report(store: Store) -> None:
    part = part_of(store, with_terms(score_few(store), FEW, MANY))
    by_list = OPTIONS.model_copy(update={"occupation_weights": "list"})
    assert partial_report(store, part, by_list) is None


def test_where_the_whole_will_lie_is_said_of_ten_or_more(store: Store) -> None:
    """Over what is missing: occupations, or whole sentences."""
    few = with_terms(score_few(store), FEW, MANY)
    part = part_of(store, few)
    item = partial_report(store, part, OPTIONS)
    assert item is not None
    assert range_of_whole(part, item.report) is None
    twelve = make_evidence("twelve", [f"seller of {number} hats" for number in range(12)])
    part = part_of(store, with_terms(score_few(store, evidence=twelve), twelve, MANY, FEW))
    assert part.done == 17
    item = partial_report(store, part, OPTIONS)
    assert item is not None
    assert range_of_whole(part, item.report) == item.report.interval("overall_risk", "occupations")


def test_nothing_of_a_part_is_stored(store: Store) -> None:
    run = score_few(store)
    three = run.model_copy(update={"evidence": make_evidence("three", FEW.terms[:3])})
    before = sorted(store._root.rglob("*"))
    assert partial_report(store, CompletePart(three, "occupations", 3, 5), OPTIONS) is not None
    assert sorted(store._root.rglob("*")) == before
