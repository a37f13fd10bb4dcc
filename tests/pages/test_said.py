"""What pages say beside their figures: intervals, effective templates, coverage, what cannot be scored."""

from __future__ import annotations

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.run import ModelSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.measure.distribution import share_interval
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from pcf_core.show.findings.models import whole_templates_finding
from pcf_core.show.findings.notes import unequal_weights
from pcf_core.show.findings.numbers import people
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.conftest import fill
from tests.pages.opened import open_app, own_store

DOCUMENTS = "gender-simplewiki-25"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("risk", "The 95 % ranges come from resampling whole templates"),
        ("tilt", "The 95 % ranges come from resampling whole templates"),
        ("caprice", "The 95 % ranges of the risk and its parts come from resampling whole templates"),
        ("heat_map", ""),
        ("factors", ""),
    ],
)
def test_a_page_speaks_of_the_intervals_that_it_shows(full_store: Store, page: str, said: str) -> None:
    found = open_app(page, model=["mini-gpt"]).captions
    assert "19 templates count as 5.0" in found
    assert said in found if said else "come from resampling" not in found


@pytest.mark.slow
def test_documents_are_told_from_whole_templates() -> None:
    store = own_store()
    run = fill(store, "mini-gpt", DOCUMENTS)
    result = load_result(store, run)
    usual, whole = (report(result, run, ViewOptions(unit=unit)) for unit in ("counts-only", "template"))
    interval = whole.interval("overall_risk")
    assert interval is not None
    sentence = whole_templates_finding({"mini-gpt": interval})
    fill(store, "mini-gpt")
    for page in ("overview", "risk"):
        app = open_app(page, model=["mini-gpt"], templates=DOCUMENTS, unit="usual")
        assert sentence in app.captions
        assert f"25 templates{unequal_weights(usual)}" in app.captions
        facts = app.open_foot().table[0].value["value"].str.replace("\\", "")
        assert facts["effective number of templates"] == f"{usual.effective_templates:.1f}"
        assert sentence not in open_app(page, model=["mini-gpt"], templates=DOCUMENTS).captions
    asked = {"templates": DOCUMENTS, "unit": "counts-only", "all_runs": "true"}
    overview = open_app("overview", model=["mini-gpt"], **asked)
    # two rows, one a unit each: the second, the run on the usual templates, is "all others"
    drawn = "whiskers come from resampling counts only (documents) for mini-gpt; templates for all others."
    assert drawn in overview.captions


@pytest.mark.slow
def test_the_opening_takes_the_chosen_occupation_and_says_how_sure_it_is(full_store: Store) -> None:
    run = fill(full_store, "mini-gpt")
    result = load_result(full_store, run)
    found = report(result, run, ViewOptions())
    place = result.preferences.occupations.index("nurse")
    male = float(found.template_weights[result.preferences.values[place, :, 0] > 0.5].sum())
    group, share = ("male", male) if male >= 0.5 else ("female", 1 - male)
    sure = share_interval(share, found.effective_templates)
    low, high = (f"{100 * end:.0f}" for end in (sure.low, sure.high))
    app = open_app("tilt", model=["mini-gpt"], occupation="nurse")
    sure_of = f"{people(group)} in {100 * share:.0f} % ({low}–{high} %) of the sentences about “nurse”."
    assert f"mini-gpt expects {sure_of}" in app.texts
    assert "sentences about “nurse”" not in open_app("tilt", model=["mini-gpt"]).texts


@pytest.mark.parametrize("page", ["overview", "risk", "heat_map", "tilt"])
def test_words_that_are_hardly_expected_are_a_warning_at_the_top(page: str) -> None:
    topic = load_topic("gender")
    run = build_run(
        resolve("mini-gpt"), topic, load_evidence(topic.evidence), load_templates("gender-nineteen")
    )

    def opened(spec: ModelSpec, protocol: str) -> Scorer:
        return FakeScorer(lambda prompt, word: 1e-8, key=run.scoring)

    score_run(run, own_store(), opened)
    app = open_app(page, model=["mini-gpt"])
    (warning,) = app.warning
    assert "in 2,280 of 2,280 cells" in warning.value


def test_enough_coverage_is_no_warning(full_store: Store) -> None:
    assert not open_app("risk").warning


def test_what_a_protocol_does_not_allow_is_not_offered(full_store: Store) -> None:
    app = open_app("risk", protocol="exact-boundary")
    assert "**Not scored yet:** mini-gpt with" in app.texts
    assert "*Word scoring:* whole words that end." in app.texts
    assert "mini-bert is a masked model; use exact" in app.infos
    alone = open_app("risk", model=["mini-bert"], protocol="exact-boundary")
    assert "Not scored yet" not in alone.texts
    assert not [button for button in alone.button if button.key == "score_missing"]


def test_the_overview_keeps_its_doors_where_nothing_is_chosen_or_scored() -> None:
    app = open_app("overview")
    for state in ("not scored", "nothing chosen"):
        assert "What is measured" in [head.value for head in app.subheader], state
        assert len(app.get("page_link")) == 5, state  # three doors, Try a sentence and Report
        app.multiselect(key="model").set_value([]).run()
    assert "Choose one or more models" in app.infos


def test_the_distribution_pictures_are_named_as_they_stand_on_a_phone_too(full_store: Store) -> None:
    said = open_app("tilt", model=["mini-gpt"], occupation="nurse").texts
    assert "**First picture**" in said
    assert "**Left**" not in said
