"""The same two models in other sentences: which runs these are, and that the test is that of a comparison."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pcf_core.audit.comparing import answers_elsewhere, compared, elsewhere, risk_difference
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import Reading
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import make_templates
from pcf_core.store.store import Store
from tests.audit.small_runs import FEW, score_few

TEXTS = [f"The [X] {verb} that [Y]" for verb in ("said", "felt", "knew", "thought", "claimed", "wrote")]
Score = Callable[..., RunSpec]


@pytest.fixture
def store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache)


@pytest.fixture
def score(store: Store, monkeypatch: pytest.MonkeyPatch) -> Score:
    """Score a model on some of the texts, whose counts are their places."""

    def scored(
        model: str, *texts: str, name: str = "", topic: str = "gender", evidence: object = FEW
    ) -> RunSpec:
        chosen = [(text, TEXTS.index(text) + 1.0) for text in texts]
        templates = make_templates(name or f"set-{len(texts)}", chosen)
        return score_few(store, monkeypatch, model, topic, templates, evidence=evidence)  # type: ignore[arg-type]

    return scored


def test_other_sentences_are_those_that_both_models_are_scored_on(score: Score, store: Store) -> None:
    shown = score("mini-bert", *TEXTS[:3]), score("mini-gpt", *TEXTS[:3])
    other = score("mini-bert", *TEXTS[3:], name="z"), score("mini-gpt", *TEXTS[3:], name="z")
    half = score("mini-bert", *TEXTS[2:5], name="a"), score("mini-gpt", *TEXTS[2:5], name="a")
    score("mini-bert", *TEXTS[1:5], name="one-model")
    for model in ("mini-bert", "mini-gpt"):
        score(model, *TEXTS[:2], name="a-part")
        score(model, *TEXTS, name="more")
        score(model, *TEXTS[3:], name="others", evidence=make_evidence("other", ["nurse", "clerk"]))
        score(model, *TEXTS[3:], name="words", topic="gender-pronouns")
    runs = [info.run for info in store.runs()]
    assert elsewhere(runs, *shown) == [half, other], "by name"
    assert elsewhere(runs, *shown[::-1]) == [half[::-1], other[::-1]], "in the order of the two"
    assert elsewhere(runs, shown[0], other[1]) == []
    assert elsewhere(runs, shown[0], shown[0]) == []


def test_sets_of_one_name_are_told_apart(score: Score, store: Store) -> None:
    shown = score("mini-bert", *TEXTS[:3]), score("mini-gpt", *TEXTS[:3])
    for texts, name in ((TEXTS[2:5], "twin"), (TEXTS[3:], "twin"), (TEXTS[1:5], "single")):
        for model in ("mini-bert", "mini-gpt"):
            score(model, *texts, name=name)
    seen: list[str] = []
    found = answers_elsewhere(store, *shown, ViewOptions(), seen.append)
    assert seen == ["single", "twin", "twin"]
    hashes = {other.runs[0].templates.hash for other in found if other.runs[0].templates.name == "twin"}
    assert {other.name for other in found} == {"single", *(f"twin@{name[:8]}" for name in hashes)}
    assert len(hashes) == 2


def test_draws_of_a_plan_are_no_other_sentences(score: Score) -> None:
    shown = score("mini-bert", *TEXTS[:3]), score("mini-gpt", *TEXTS[:3])
    first, second = score("mini-bert", *TEXTS[3:]), score("mini-gpt", *TEXTS[3:])
    assert elsewhere([first, second], *shown) == [(first, second)]
    assert elsewhere([planned(first, 0.05), second], *shown) == []


@pytest.mark.parametrize(
    "options",
    [
        ViewOptions(),
        ViewOptions(margin="0", template_weighting="equal", aggregation="mean"),
        ViewOptions(
            unit="counts-only-mentions", criterion="l2", scale="bvf", occupation_weights="employment"
        ),
    ],
)
def test_the_difference_of_two_risks_is_that_of_the_whole_comparison(
    score: Score, store: Store, options: ViewOptions
) -> None:
    readings = [
        Reading(run, load_result(store, run, options.protocol, options.aggregation), options)
        for run in (score("mini-bert", *TEXTS), score("mini-gpt", *TEXTS))
    ]
    found = risk_difference(readings[0], readings[1], options)
    whole = compared(readings[0], readings[1], options).differences["overall_risk"]
    assert (found.first, found.second) == pytest.approx((whole.first, whole.second), abs=1e-12)
    assert (found.p_value, found.least_p, found.margin) == (whole.p_value, whole.least_p, whole.margin)
    ends = whole.basis.low, whole.basis.high
    assert (found.basis.low, found.basis.high) == pytest.approx(ends, abs=1e-12)
    assert (found.verdict, found.ordered) == (whole.verdict, whole.ordered)
