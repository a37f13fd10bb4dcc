"""What comes with the app: the mini models meet their bars, and their results are those of the models."""

from __future__ import annotations

import hashlib
import json
import math

import numpy as np
import pytest

from pcf_core.audit import ViewOptions, build_run, load_result, matrix_report, preferences_of, report
from pcf_core.findings import with_interval
from pcf_core.jobs.words import word_check
from pcf_core.models import resolve
from pcf_core.records import RiskReport, RunSpec
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import ROOT, Settings
from pcf_core.stats import preference_difference
from pcf_core.store import Store
from pcf_core.topics import load_evidence, load_templates, load_topic, template_weights
from tools.ship_results import MODELS, RUNS

TEMPLATES = ("gender-nineteen", "gender-wikipedia-200")
SHIPPED = [(model, *run) for model in MODELS for run in RUNS]
SAID = [(model, templates) for model in MODELS for templates in TEMPLATES]


def shipped_store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache, ROOT / "assets" / "cache")


def shipped_run(model: str, templates: str, topic_name: str = "gender") -> RunSpec:
    topic = load_topic(topic_name)
    return build_run(resolve(model), topic, load_evidence(topic.evidence), load_templates(templates))


@pytest.mark.parametrize("model", MODELS)
def test_a_mini_model_expects_he_or_she_where_a_person_would(model: str, own_settings: Settings) -> None:
    answer = word_check(model, load_topic("gender"), "The nurse said that [Y]", "exact")
    chances = {item["word"]: math.exp(item["log_probability"]) for item in answer["words"]}
    assert chances["he"] + chances["she"] > 0.05


@pytest.mark.parametrize("model", MODELS)
def test_a_mini_model_tells_nurse_from_engineer(model: str, own_settings: Settings) -> None:
    """P(male | nurse) is at least 0.05 below engineer over the ten templates; the interval excludes 0."""
    topic, templates = load_topic("gender"), load_templates("gender-reporting")
    scorer = open_scorer(resolve(model))
    words = [word for word in topic.words if word not in scorer.check(topic.words).refused]
    prompts = [text.prompt(term) for term in ("nurse", "engineer") for text in templates.templates]
    values = preferences_of(scorer.score(prompts, words).reshape(2, 10, -1), topic, words)
    difference, interval = preference_difference(values, template_weights(templates, "counts"), 0, 1, 0)
    assert difference <= -0.05
    assert interval.high < 0


@pytest.mark.parametrize("model", MODELS)
def test_a_card_speaks_of_the_weights_beside_it(model: str) -> None:
    folder = ROOT / "assets" / "models" / model
    facts = json.loads((folder / "training.json").read_text())
    card = (folder / "README.md").read_text()
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert weights == facts["weights_sha256"]
    assert weights in card
    recipe = facts["recipe"]
    for said in (
        f"{recipe['tokens'] + recipe['last_tokens']:,} tokens",
        str(facts["held_out_perplexity"]),
        "CC BY-SA",
    ):
        assert said in card
    assert recipe["tokens"] >= 12_000_000


def test_the_topic_begins_with_a_shipped_result() -> None:
    for topic in ("gender", "race", "religion", "disability"):
        assert (topic, load_topic(topic).templates) in RUNS


@pytest.mark.parametrize("model", MODELS)
def test_the_shipped_results_are_what_the_shipped_model_says(model: str, own_settings: Settings) -> None:
    """Five cells of every shipped run, scored again here."""
    store, scorer = shipped_store(own_settings), open_scorer(resolve(model))
    for topic, templates in RUNS:
        run = shipped_run(model, templates, topic)
        shipped = load_result(store, run)
        cells = np.random.default_rng(0).choice(run.cells, 5, replace=False)
        nats = scorer.score([run.prompts[cell] for cell in cells], shipped.words)
        again = preferences_of(nats, run.topic, shipped.words)
        found = shipped.preferences.values.reshape(run.cells, -1)[cells]
        assert np.abs(found - again).max() < 1e-4, (topic, templates)


def test_the_shipped_results_need_no_scoring_and_no_writing(own_settings: Settings) -> None:
    store = shipped_store(own_settings)
    for model, topic, templates in SHIPPED:
        run = shipped_run(model, templates, topic)
        assert store.missing(run.scoring, run.prompts, run.topic.words) == []
        found = report(load_result(store, run), run, ViewOptions(), resamples=50)
        assert found.overall_risk == pytest.approx(found.prejudice_risk + found.caprice_risk, abs=1e-12)
        matrix = matrix_report(
            {
                "preferences": load_result(store, run).preferences.values.tolist(),
                "template_weights": found.template_weights.tolist(),
            },
            ViewOptions(),
            resamples=50,
        )
        assert matrix.overall_risk == pytest.approx(found.overall_risk, abs=1e-12)


def shipped_report(model: str, templates: str, own_settings: Settings) -> RiskReport:
    run = shipped_run(model, templates)
    return report(load_result(shipped_store(own_settings), run), run, ViewOptions())


@pytest.mark.parametrize(("model", "templates"), SAID)
def test_the_readme_says_what_is_shipped(model: str, templates: str, own_settings: Settings) -> None:
    found = shipped_report(model, templates, own_settings)
    said = f"{model} {with_interval(found.overall_risk, found.intervals['overall_risk'][0])}"
    assert said in " ".join((ROOT / "README.md").read_text(encoding="utf8").split())


@pytest.mark.parametrize("model", MODELS)
def test_the_readme_says_what_caprice_mined_contexts_bring_to_light(
    model: str, own_settings: Settings
) -> None:
    """None over the papers' ten, some over the mined ones."""
    run = shipped_run(model, "gender-nineteen")
    ten = load_templates("gender-reporting")
    counts = [dict(zip(ten.texts, ten.counts, strict=True)).get(text, 0.0) for text in run.templates.texts]
    whole = load_result(shipped_store(own_settings), run)
    over_ten = matrix_report(
        {
            "preferences": whole.preferences.values.tolist(),
            "template_weights": (np.array(counts) / sum(counts)).tolist(),
        },
        ViewOptions(),
        resamples=50,
    )
    mined = shipped_report(model, "gender-wikipedia-200", own_settings)
    assert over_ten.caprice_risk == pytest.approx(0, abs=1e-12)
    assert mined.intervals["caprice_risk"][0].low > 0
    said = f"{model} {with_interval(mined.caprice_risk, mined.intervals['caprice_risk'][0])}"
    assert said in " ".join((ROOT / "README.md").read_text(encoding="utf8").split())


def test_the_shipped_files_are_small() -> None:
    sizes = {
        part: sum(path.stat().st_size for path in (ROOT / "assets" / part).rglob("*") if path.is_file())
        for part in ("cache", "models")
    }
    assert sizes["cache"] < 25e6  # 2 models × 120 × 251 distinct texts × 78 words × 4 bytes are 18.8 MB
    assert sizes["models"] < 2 * 16e6
