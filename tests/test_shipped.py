"""What comes with the app: the mini models meet their bars, and their results are those of the models."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from pcf_core.app import choice
from pcf_core.app.choice import DEFAULT_MODELS
from pcf_core.audit.baseline import order_on_other_scales
from pcf_core.audit.comparing import compared, controlled
from pcf_core.audit.fitting import are_unequal
from pcf_core.audit.knowledge import missing_answers
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import preferences_of
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result, result_name
from pcf_core.audit.sensitivity import sensitivity_kept
from pcf_core.core.risk import Aggregation, Interval, RiskReport
from pcf_core.core.run import Protocol, RunSpec, ScoringKey
from pcf_core.core.settings import ROOT, Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.templates import load_templates, template_weights
from pcf_core.material.topics import load_topic
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.resampling import TemplateUnit, resampled_template_weights, stretched
from pcf_core.models.facts import seeds_of
from pcf_core.models.presets import presets
from pcf_core.models.registry import list_models, resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.show.findings.comparison import difference_text
from pcf_core.show.findings.numbers import p_value, percent, signed, two_decimals
from pcf_core.store.shards import read_shard
from pcf_core.store.storage import storage_of
from pcf_core.store.store import Store
from tests.quick import quick
from tools.ship_results import (
    BEST_KNOWN,
    CHOICES,
    COPIED,
    COPY,
    FEW,
    KNOWLEDGE,
    NOT_RACE,
    PLANTED,
    PUBLIC,
    QUICK,
    RUNS,
    SPELLINGS,
    USUAL,
    WIDE,
    ZOO,
    Shipped,
)

TEMPLATES = ("gender-nineteen", USUAL[1])
SAID = [(model, templates) for model in QUICK for templates in TEMPLATES]
LARGEST = 47e6  # bytes a model


def shipped_store(own_settings: Settings) -> Store:
    return Store.open(own_settings.cache, [ROOT / "assets" / "cache"])


def shipped_run(model: str, templates: str) -> RunSpec:
    return Shipped(model, "gender", templates).run


def test_pages_and_keys_mean_the_same_counts(own_settings: Settings) -> None:
    """A page reads a shipped result with the lists of today, its key with those that were scored."""
    for info in shipped_store(own_settings).runs():
        run = info.run
        now = {
            "templates": load_templates(run.templates.name),
            "topic": load_topic(run.topic.name),
            "evidence": load_evidence(run.evidence.name),
        }
        assert not run.model_copy(update=now).differing(run), run.key
        assert run.model_copy(update=now).key == run.key


# What the models say is read from their shipped scores, which are held against the models below.


@pytest.mark.parametrize("model", ZOO)
def test_a_mini_model_expects_he_or_she_where_a_person_would(model: str, own_settings: Settings) -> None:
    nats = shipped_store(own_settings).gather(
        shipped_run(model, USUAL[1]).scoring, ["The nurse said that [Y]"], ["he", "she"]
    )
    assert np.exp(nats).sum() > 0.05


@pytest.mark.parametrize("model", BEST_KNOWN)
def test_a_mini_model_tells_nurse_from_engineer(model: str, own_settings: Settings) -> None:
    """P(male | nurse) is at least 0.05 below engineer over the ten templates; the interval excludes 0."""
    topic, templates = load_topic("gender"), load_templates("gender-reporting")
    store, key = shipped_store(own_settings), shipped_run(model, "gender-nineteen").scoring
    words = [word for word in topic.words if word in store.known_words(key).tokens]
    prompts = [text.prompt(term) for term in ("nurse", "engineer") for text in templates.templates]
    values = preferences_of(store.gather(key, prompts, words).reshape(2, 10, -1), topic, words)
    unit = TemplateUnit.templates(template_weights(templates, "counts"))
    gaps = values[0, :, 0] - values[1, :, 0]
    drawn = np.concatenate([rows @ gaps for rows in resampled_template_weights(unit, 2000)])
    assert unit.weights @ gaps <= -0.05
    assert stretched(drawn, 0.95, unit.stretch(0.95))[1] < 0


@pytest.mark.parametrize("model", ZOO)
def test_a_card_speaks_of_the_weights_beside_it(model: str) -> None:
    folder = ROOT / "assets" / "models" / model
    facts = json.loads((folder / "training.json").read_text())
    card = (folder / "README.md").read_text()
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert weights == facts["weights_sha256"]
    assert weights in card
    assert f"{facts['held_out_perplexity']:,}" in card
    assert "CC BY-SA" in card
    if "base" not in facts:
        recipe = facts["recipe"]
        assert f"{recipe['tokens'] + recipe['last_tokens']:,} tokens" in card
        assert recipe["tokens"] >= 12_000_000


def test_the_documents_say_what_compression_did(own_settings: Settings) -> None:
    """To one model: a copy with four bits a weight, and everything else the same."""
    (ready,) = [preset for preset in presets() if preset.name == "compressed"]
    assert ((ready.topic, ready.templates), ready.models) == (FEW, (COPIED, COPY))
    store, runs = shipped_store(own_settings), [Shipped(model, *FEW).run for model in (COPY, COPIED)]
    one, other = (RunView(run, load_result(store, run), ViewOptions()) for run in runs)
    found = compared(one, other, ViewOptions()).differences["overall_risk"]
    assert found.verdict == "first"
    interval = found.interval("templates")
    assert interval is not None
    said = f"raise R by {found.value:.3f} ({interval.low:.3f}–{interval.high:.3f}, p = {found.p_value:.2g})"
    text = " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf8").split())
    assert f"{said}, from {found.second:.3f} to {found.first:.3f}, over" in text


def test_sensitivity_opens_with_shipped_tables(own_settings: Settings) -> None:
    """A change of their rules or of the statistics needs new ones: ``tools.ship_results.tables``."""
    for model in PUBLIC:
        assert sensitivity_kept(shipped_store(own_settings), shipped_run(model, USUAL[1]), ViewOptions())


def test_a_topic_begins_with_a_shipped_result() -> None:
    begun = {(item.topic, item.templates) for item in RUNS}
    for topic in ("gender", *SPELLINGS, *NOT_RACE):
        assert (topic, load_topic(topic).templates) in begun
    assert ("gender", load_topic("gender").templates) == USUAL


def test_the_best_known_and_the_whole_zoo_are_shipped_and_nothing_twice() -> None:
    assert len(set(RUNS)) == len(RUNS)
    assert (DEFAULT_MODELS, choice.BEST_KNOWN) == (QUICK, BEST_KNOWN)
    assert {item.model for item in RUNS if (item.topic, item.templates) == USUAL} == {*PUBLIC, *ZOO}
    listed = {model.name for model in list_models()}
    assert {item.model for item in RUNS} == listed == {*PUBLIC, *ZOO, *PLANTED, COPY}


@pytest.mark.parametrize("model", quick([*ZOO, *PLANTED, COPY], (*QUICK, COPY).__contains__))
def test_the_shipped_results_are_what_the_shipped_model_says(model: str, own_settings: Settings) -> None:
    """Two cells of every shipped run, scored again here."""
    store, scorer = shipped_store(own_settings), open_scorer(resolve(model))
    for item in RUNS:
        if item.model == model:
            run = item.run
            shipped = load_result(store, run)
            cells = np.random.default_rng(0).choice(run.cells, 2, replace=False)
            nats = scorer.score([run.prompts[cell] for cell in cells], shipped.words)
            again = preferences_of(nats, run.topic, shipped.words)
            found = shipped.preferences.values.reshape(run.cells, -1)[cells]
            assert np.abs(found - again).max() < 1e-4, item
            assert shipped.self_audit is not None


def test_the_documents_say_how_the_public_models_compare_with_their_neutral_subjects(
    own_settings: Settings,
) -> None:
    """On one scale for both models, and no order in general: other neutral points do not confirm it."""
    store = shipped_store(own_settings)
    readme, models = (
        " ".join((ROOT / path).read_text(encoding="utf8").split()) for path in ("README.md", "docs/models.md")
    )
    runs = [Shipped(model, *USUAL).run for model in PUBLIC]
    one, other = (RunView(run, load_result(store, run), ViewOptions()) for run in runs)
    scales = order_on_other_scales(store, one, other, ViewOptions())
    assert scales.neutral is not None
    assert scales.labour is not None
    assert scales.employment is not None
    place = scales.neutral.groups.index("male")
    men = [
        percent(float(np.mean([row.shares[side][place] for row in scales.neutral.subjects])))
        for side in (0, 1)
    ]
    for text in (readme, models):
        assert f"Gemma gives men {men[1]}, SmolLM2 {men[0]}." in text
    assert f"For {len(scales.neutral.subjects)} words that name no occupation" in readme
    distance, spread = (scales.neutral.differences[name] for name in ("distance", "spread"))
    for found, between in ((distance, ":"), (spread, ",")):
        said = f"{two_decimals(found.first)} in SmolLM2 and {two_decimals(found.second)} in Gemma"
        tested = f"{between} difference {difference_text(found)}, {p_value(found.p_value)}."
        assert said + tested in readme
        assert said in models
    (either_way,) = {signed(row.without) for row in scales.neutral.subjects}
    assert f"Whichever of these words is left out, the difference is {either_way}." in readme
    labour = scales.labour
    assert f"two apart: {two_decimals(labour.first)} against {two_decimals(labour.second)}." in readme
    employment = scales.employment
    figures = f"{two_decimals(employment.first)} against {two_decimals(employment.second)}."
    assert f"two apart either: {figures}" in readme
    verdicts = (distance.verdict, spread.verdict, labour.verdict, employment.verdict)
    assert verdicts == ("second", "second", "unclear", "unclear"), "what README says of each"


def test_the_shipped_results_need_no_scoring_and_no_writing(own_settings: Settings) -> None:
    store = shipped_store(own_settings)
    for item in RUNS:
        run = item.run
        assert store.missing(run.scoring, run.prompts, run.topic.words) == []
        assert store.has_result(run.key, result_name(run, "exact"))
        result = load_result(store, run)
        found = report(result, run, ViewOptions(), resamples=50)
        assert found.overall_risk == pytest.approx(found.prejudice_risk + found.caprice_risk, abs=1e-12)
        matrix = matrix_report(
            {
                "rates" if run.topic.decides else "preferences": result.preferences.values.tolist(),
                "template_weights": found.template_weights.tolist(),
            },
            ViewOptions(),
            resamples=50,
        )
        assert matrix.overall_risk == pytest.approx(found.overall_risk, abs=1e-12)


def test_nothing_is_shipped_that_no_run_of_the_table_needs(own_settings: Settings) -> None:
    runs = [item.run for item in RUNS]
    assert {info.run.key for info in shipped_store(own_settings).runs()} == {run.key for run in runs}
    shipped = {path.name for path in (ROOT / "assets" / "cache" / "scores").iterdir()}
    assert shipped == {run.scoring.hash for run in runs}


def test_runs_of_the_first_list_of_neutral_subjects_keep_their_keys() -> None:
    """Reports and links name them, though comparisons use the longer list."""
    keys = [Shipped(model, *USUAL, "neutral-subjects").run.key for model in PUBLIC]
    assert keys == ["5c72ac5b19a7b925", "76f5b94d6b6b9757"]


def test_no_score_is_shipped_twice() -> None:
    """Of two that differ in rounding, a report would be made with one and verified with the other."""
    scores = storage_of(ROOT / "assets" / "cache")
    for folder in (ROOT / "assets" / "cache" / "scores").iterdir():
        words_of: defaultdict[str, list[str]] = defaultdict(list)
        for path in folder.glob("*.json"):
            shard = read_shard(scores / folder.name, path.stem)
            for prompt in shard.prompts:
                words_of[prompt] += shard.manifest.words
        assert all(len(set(words)) == len(words) for words in words_of.values()), folder.name


@pytest.mark.parametrize(("model", "facts"), quick(KNOWLEDGE, lambda case: case[1] == "capitals"))
def test_what_the_models_know_is_shipped(model: str, facts: str, own_settings: Settings) -> None:
    store, asked, key = shipped_store(own_settings), load_knowledge(facts), ScoringKey.of(resolve(model))
    assert missing_answers(store, key, asked) == []
    prompts, words = asked.prompts[:2], asked.words[:3]
    found = open_scorer(resolve(model)).score(prompts, words)
    assert store.gather(key, prompts, words) == pytest.approx(found, abs=1e-4)


def documented(value: float, interval: Interval | None) -> str:
    """Write a risk and its interval as the documents do, for readers who check: three significant digits.

    Sentences have two decimals.  All three numbers have the same decimals, no more than one of them needs.
    """
    assert interval is not None
    ends = (value, interval.low, interval.high)
    decimals = 2 - math.floor(math.log10(abs(value)))
    while decimals and all(f"{end:.{decimals}f}".endswith("0") for end in ends):
        decimals -= 1
    whole, low, high = (f"{end:z.{decimals}f}".replace("-", "−") for end in ends)
    return f"{whole} ({low}{' to ' if interval.low < 0 else '–'}{high})"


def shipped_report(model: str, templates: str, own_settings: Settings) -> RiskReport:
    run = shipped_run(model, templates)
    return report(load_result(shipped_store(own_settings), run), run, ViewOptions())


def test_capital_letters_and_the_mean_change_whom_a_public_model_expects(own_settings: Settings) -> None:
    """As the documents say it: white in lower case, black with capital letters, white by the mean."""
    store = shipped_store(own_settings)

    def leader(topic: str, aggregation: Aggregation) -> str:
        run = Shipped(PUBLIC[0], topic, "race-relative").run
        options = ViewOptions(aggregation=aggregation)
        found = report(load_result(store, run, "exact", aggregation), run, options, resamples=20)
        leads = Counter(
            max(row.preferences, key=lambda group: row.preferences[group]) for row in found.occupations
        )
        return leads.most_common(1)[0][0]

    assert leader("race", "sum") == "white"
    assert leader("race-capitalised", "sum") == "black"
    assert leader("race-capitalised", "mean") == leader("race", "mean") == "white"


@pytest.mark.parametrize("protocol", ["exact", "fitting"])
def test_the_order_of_the_public_models_is_that_of_the_words_that_fit(
    protocol: Protocol, own_settings: Settings
) -> None:
    store, options = shipped_store(own_settings), ViewOptions(protocol=protocol)
    runs = [Shipped(model, *USUAL).run for model in PUBLIC]
    first, second = (RunView(run, load_result(store, run, protocol), options) for run in runs)
    found = compared(first, second, options).differences["overall_risk"]
    assert found.verdict == "second"
    apart = {"exact": "0.17", "fitting": "0.16"}[protocol]
    assert f"{-found.value:.2f}" == apart
    assert "(0.17 and 0.16 apart, p = 0.0005)" in (ROOT / "docs" / "models.md").read_text(encoding="utf8")


def test_the_readme_says_what_several_kinds_of_words_change(own_settings: Settings) -> None:
    """Of the public models.  Of all models a few ranges of caprice alone lie apart, by a hair."""
    store, options = shipped_store(own_settings), ViewOptions(protocol="fitting", unit="template")
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf8").split())
    apart = {}
    for model in (*PUBLIC, *ZOO):
        runs = [shipped_run(model, templates) for templates in (WIDE[1], USUAL[1])]
        wide, usual = (report(load_result(store, run, "fitting"), run, options) for run in runs)
        for name in RISKS:
            new, old = (found.intervals[name][0] for found in (wide, usual))
            if (gap := max(old.low - new.high, new.low - old.high)) > 0:
                apart[model, name] = f"{gap:.3f}"
            if model == PUBLIC[0] or (model, name) == (PUBLIC[1], "overall_risk"):
                said = [
                    f"{getattr(found, name):.2f} ({ends.low:.2f}–{ends.high:.2f})"
                    for found, ends in ((wide, new), (usual, old))
                ]
                assert f"{said[0]} instead of {said[1]}" in readme
    gaps = {PUBLIC[1]: "0.002", "mini-gpt": "0.002", "mini-gpt-l": "0.002", "mini-t5": "0.000"}
    assert apart == {(model, "caprice_risk"): gap for model, gap in gaps.items()}


def test_the_readme_says_that_other_sentences_give_another_answer(own_settings: Settings) -> None:
    """Which of the public models is worse: neither in the wide set, though clear in the usual one."""
    store, options = shipped_store(own_settings), ViewOptions(protocol="fitting", unit="template")
    runs = [Shipped(model, *WIDE).run for model in PUBLIC]
    first, second = (RunView(run, load_result(store, run, "fitting"), options) for run in runs)
    found = compared(first, second, options).differences
    assert [found[name].verdict for name in RISKS] == ["unclear", "second", "first"]
    said = [found[name].p_value for name in RISKS]
    assert [f"{p:.2g}" for p in said] == ["0.94", "0.001", "0.0005"]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf8").split())
    assert "the two risks cannot be told apart (p = 0.94)" in readme


ONE_TOKEN_EACH = {("minilm-masked", "race"), *((PUBLIC[1], topic) for topic in ("race", "disability-papers"))}


def test_gender_differs_in_tokens_by_its_list_and_not_by_what_its_words_get(own_settings: Settings) -> None:
    """Of all shipped models; race and religion differ by both, but where each word is one token."""
    store = shipped_store(own_settings)
    for item in RUNS:
        result = load_result(store, item.run)
        if item.topic == "gender":
            assert len(set(result.tokens)) > 1
            assert not are_unequal(result.token_shares), item
        if item.topic in ("race", "religion", "disability-papers"):
            assert are_unequal(result.token_shares) != ((item.model, item.topic) in ONE_TOKEN_EACH), item


def test_the_documents_say_what_the_three_sizes_show(own_settings: Settings) -> None:
    store, options = shipped_store(own_settings), ViewOptions(unit="template")

    def read(model: str) -> RunView:
        run = shipped_run(model, USUAL[1])
        return RunView(run, load_result(store, run), ViewOptions())

    (size,) = [preset for preset in presets() if preset.name == "size"]
    found = controlled([compared(read(one), read(other), options) for one, other in size.compared])
    assert not any(comparison.differences["overall_risk"].ordered for comparison in found)
    text = " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf8").split())
    (size_said,) = [part for part in text.split("- **") if part.startswith("Size**")]
    assert size_said.startswith("Size**: no two of these three checkpoints")
    assert "can be told apart with these sentences." in size_said
    assert not {"highest", "lowest", "rise", "above"} & set(size_said.replace(",", " ").split())


def test_the_seeds_of_a_model_were_measured_as_its_shipped_results_say(own_settings: Settings) -> None:
    """The first seed's risks are those of the model itself; all trainings have a row in its card."""
    spec = resolve("mini-gpt-s")
    seeds = seeds_of(spec)
    assert seeds is not None
    assert len(seeds.seeds) == 3
    (measured,) = [found for found in seeds.measured if found.templates == USUAL[1]]
    found = shipped_report(spec.name, USUAL[1], own_settings)
    first = measured.risks[0]
    assert first.overall_risk == pytest.approx(found.overall_risk, abs=1e-4)
    assert first.prejudice_risk == pytest.approx(found.prejudice_risk, abs=1e-4)
    assert first.caprice_risk == pytest.approx(found.caprice_risk, abs=1e-4)
    values = [[getattr(risk, name) for risk in measured.risks] for name in RISKS]
    total, prejudice, caprice = (max(risks) - min(risks) for risks in values)
    text = " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf8").split())
    assert (
        f"R alone differs between them by up to {total:.3f}, prejudice by {prejudice:.3f} and caprice by "
        f"{caprice:.4f}"
    ) in text
    card = (ROOT / "assets" / "models" / spec.name / "README.md").read_text(encoding="utf8")
    for risk in measured.risks:
        assert f"| {risk.seed} | {risk.overall_risk:.3f} | {risk.prejudice_risk:.3f} |" in card


@pytest.mark.parametrize("model", QUICK)
def test_the_documents_say_what_caprice_mined_contexts_bring_to_light(
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
    mined = shipped_report(model, USUAL[1], own_settings)
    assert over_ten.caprice_risk == pytest.approx(0, abs=1e-12)
    assert mined.intervals["caprice_risk"][0].low > 0
    said = f"{model} {documented(mined.caprice_risk, mined.intervals['caprice_risk'][0])}"
    assert said in " ".join((ROOT / "docs" / "models.md").read_text(encoding="utf8").split())


@pytest.mark.parametrize("topic", CHOICES)
@pytest.mark.parametrize("model", PUBLIC)
def test_public_models_use_the_words_where_the_choices_are_named(
    topic: str, model: str, own_settings: Settings
) -> None:
    result = load_result(shipped_store(own_settings), Shipped(model, topic, f"{topic}-choices").run)
    assert result.preferences.coverage is not None
    used = (result.preferences.coverage >= 0.01).mean()
    notes = load_templates(f"{topic}-choices").notes
    assert used >= 0.95 or f"Gemma 3 270M uses these words in {used:.0%} of the test sentences" in notes


def test_the_shipped_files_are_small() -> None:
    """Models × 120 occupations × 100 templates × 78 words × 4 bytes are 3.7 MB each, 0.8 of it compressed."""
    sizes = {path: path.stat().st_size for path in (ROOT / "assets").rglob("*") if path.is_file()}
    of_models = [
        sum(size for path, size in sizes.items() if folder in path.parents)
        for folder in (ROOT / "assets" / "models").iterdir()
    ]
    assert max(of_models) < LARGEST
    assert sum(of_models) < 130e6
    assert sum(size for path, size in sizes.items() if ROOT / "assets" / "cache" in path.parents) < 71e6
