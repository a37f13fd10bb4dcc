"""Ready comparisons: buttons that choose, queue and open Compare, what is said there, and series."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from pcf_core.app.widgets import plain
from pcf_core.audit.comparing import compared, controlled
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.results import load_result
from pcf_core.audit.sampling import planned
from pcf_core.core.errors import RunError, StoreError
from pcf_core.core.risk import Comparison
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.core.settings import ROOT, settings
from pcf_core.models.presets import Claim, Preset, preset_of, presets
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.show.findings.comparison import change_finding, claim_finding, order_finding
from pcf_core.show.findings.models import risk_with_interval
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer, fill
from tests.models.conftest import safetensors, write_model
from tests.models.scoring.conftest import GROUPED, build
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer
from tests.pages.opened import App, open_app, own_queue, own_store, set_environment
from tests.pages.walks import assert_walk

NAMES = (
    "mini-bert",
    "mini-gpt",
    "mini-gpt-balanced",
    "mini-gpt-l",
    "mini-gpt-s",
    "mini-gpt-skewed",
    "mini-t5",
    "mini-xlnet",
)
TEMPLATES, OCCUPATIONS = "gender-heatmap", "few"
HERE = {"templates": TEMPLATES, "evidence": OCCUPATIONS}
TERMS = ["nurse", "engineer", "clerk", "teacher", "carpenter"]


def make_zoo(folder: Path, monkeypatch: pytest.MonkeyPatch, names: Sequence[str] = NAMES) -> Path:
    """Use a folder of assets whose models are these alone, each with weights of its own."""
    for path in (ROOT / "assets").iterdir():
        if path.name not in ("models", "public.toml", "evidence", "cache"):
            (folder / path.name).symlink_to(path)
    (folder / "evidence").mkdir()
    for path in (ROOT / "assets" / "evidence").iterdir():
        (folder / "evidence" / path.name).symlink_to(path)
    terms = ", ".join(f'"{term}"' for term in TERMS)
    (folder / "evidence" / f"{OCCUPATIONS}.toml").write_text(
        f'name = "{OCCUPATIONS}"\ntitle = "A few"\nsource = "made up"\nterms = [{terms}]\n'
    )
    for number, name in enumerate(names):
        write_model(folder / "models" / name, fill=number)
    monkeypatch.setenv("PCF_ASSETS", str(folder))
    settings.cache_clear()
    return folder


def score_zoo(store: Store, names: Sequence[str], templates: str = TEMPLATES) -> dict[str, RunSpec]:
    """Score a few cells of some of them with the fake scorer."""
    return {name: fill(store, name, templates, OCCUPATIONS) for name in names}


SIZE = ("mini-gpt-s", "mini-gpt", "mini-gpt-l")
BY_SIZE = {"model": list(SIZE), "compare_view": "along an axis", **HERE}


@pytest.fixture
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "assets").mkdir()
    return make_zoo(tmp_path / "assets", monkeypatch)


@pytest.fixture
def store(zoo: Path) -> Store:
    return own_store()


def preset(name: str) -> Preset:
    return next(preset for preset in presets() if preset.name == name)


def comparisons(store: Store, runs: dict[str, RunSpec], chosen: Preset) -> tuple[Comparison, ...]:
    """What the sentences are made of, without the app."""

    def read(name: str) -> RunView:
        return RunView(runs[name], load_result(store, runs[name]), ViewOptions())

    return controlled([compared(read(one), read(other), ViewOptions()) for one, other in chosen.compared])


@pytest.mark.slow
@pytest.mark.parametrize("page", ["overview", "compare"])
def test_a_button_chooses_queues_what_is_missing_and_opens_compare(store: Store, page: str) -> None:
    score_zoo(store, ["mini-gpt", "mini-gpt-s"])
    app = open_app(page, model=["mini-gpt"], weights="employment", **HERE)
    assert_walk(app, f"sizes are compared from {page}", "preset_size", "preset_size")
    assert app.titles == ["Compare"]
    assert app.multiselect(key="model").value == list(SIZE)


def test_size_is_told_from_the_smallest_to_the_largest(store: Store) -> None:
    runs = score_zoo(store, SIZE)
    app = open_app("compare", **BY_SIZE, compare_axis="size")
    chosen = preset("size")
    for pair, comparison in zip(chosen.pair, comparisons(store, runs, chosen), strict=True):
        assert change_finding(pair, comparison) in app.texts
        assert pair.claim is None or claim_finding(pair.claim, comparison) in app.captions
    positions = [app.texts.index(pair.change) for pair in chosen.pair]
    assert positions == sorted(positions)
    assert "corrected for the 3 comparisons (Holm's method)" in app.captions
    assert "a difference between them may not be due to their size" in app.captions
    assert "nothing follows about size itself" not in app.texts
    app.multiselect(key="model").set_value(list(SIZE[:2])).run()
    assert "nothing follows about size itself" in app.texts
    assert "may not be due to their size" not in app.captions


def test_one_with_results_for_few_sentences_chooses_them_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assets").mkdir()
    make_zoo(tmp_path / "assets", monkeypatch, (*NAMES, "mini-gpt-s-q4_0"))
    set_environment(monkeypatch, READ_ONLY="1")
    score_zoo(own_store(), ["mini-gpt"])
    app = open_app("compare", model=["mini-gpt"], topic="gender", **HERE)
    app.button(key="preset_compressed").click().run()
    assert app.multiselect(key="model").value == ["mini-gpt-s", "mini-gpt-s-q4_0"]
    chosen = preset("compressed")
    assert [app.session_state[key] for key in ("topic", "templates")] == [chosen.topic, chosen.templates]


def test_an_adapter_is_compared_with_its_base(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No list names them: the adapter says what it changes."""
    pytest.importorskip("peft", reason="adapters need requirements-peft.txt")
    own = tmp_path / "own" / "tuned-model"
    own.mkdir(parents=True)
    (own / "adapter_config.json").write_text('{"peft_type": "LORA", "base_model_name_or_path": "mini-gpt"}')
    safetensors(own / "adapter_model.safetensors", {"base_model.model.a.lora_A.weight": [8, 4]})
    monkeypatch.setenv("PCF_MODELS", str(own.parent))
    settings.cache_clear()
    runs = score_zoo(store, ["mini-gpt"])
    title = plain("mini-gpt + tuned-model: with and without the adapter")
    assert title not in [button.label for button in open_app("compare", model=["mini-gpt"], **HERE).button]
    runs |= score_zoo(store, ["tuned-model"])
    ready = preset_of(["mini-gpt", "tuned-model"])
    assert ready is not None
    app = open_app(
        "compare", model=list(ready.models), compare_view="along an axis", compare_axis="models", **HERE
    )
    assert title in [button.label for button in app.button]
    (comparison,) = comparisons(store, runs, ready)
    assert change_finding(ready.pair[0], comparison) in app.texts
    assert "another training may give another difference" in app.captions
    said = "An adapter was merged into its base: mini-gpt + tuned-model."
    assert said in " ".join(open_app("overview", model=list(ready.models), **HERE).captions.split())


def test_the_axis_speaks_where_a_comparison_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> Comparison:
        raise RunError("These runs have no group in common.")

    monkeypatch.setattr("pcf_core.app.data.Loaded.compare", refuse)
    score_zoo(store, SIZE)
    app = open_app("compare", **BY_SIZE, compare_axis="size")
    assert "These runs have no group in common." in [info.value.replace("\\", "") for info in app.info]
    assert "nothing follows about size itself" in app.texts


def test_skewed_and_balanced_are_both_held_against_the_same_model(store: Store) -> None:
    chosen = preset("skewed-balanced")
    runs = score_zoo(store, chosen.models)
    app = open_app("compare", model=list(chosen.models), compare_view="along an axis", **HERE)
    for pair, comparison in zip(chosen.pair, comparisons(store, runs, chosen), strict=True):
        assert change_finding(pair, comparison) in app.texts
        assert re.search(
            rf"{re.escape(pair.first)} prefers? a different group from {re.escape(pair.second)}", app.texts
        )
        assert pair.claim is None or claim_finding(pair.claim, comparison) in app.captions
    assert "corrected for the 3 comparisons (Holm's method)" in app.captions
    table = app.table_with("adjusted_p_value")
    assert list(table["quantity"]) == ["Risk R", "Prejudice", "Caprice"] * 3
    for row, comparison in zip(table.iloc[::3].itertuples(), comparisons(store, runs, chosen), strict=True):
        total = comparison.differences["overall_risk"]
        assert (row.difference, row.adjusted_p_value) == pytest.approx((total.value, total.adjusted))
        command = f"compare {comparison.first.run} {comparison.second.run}"
        assert any(command in code.value for code in app.code)


@pytest.mark.slow
def test_families_are_in_an_order_as_far_as_the_test_tells(store: Store) -> None:
    chosen = preset("families")
    runs = score_zoo(store, chosen.models)
    app = open_app("compare", model=list(chosen.models), over="both", compare_view="along an axis", **HERE)
    risks = {
        run.key: risk_with_interval(report(load_result(store, run), run, ViewOptions()), "both")
        for run in runs.values()
    }
    assert order_finding(comparisons(store, runs, chosen), risks) in app.texts


def test_a_comparison_whose_models_are_not_all_at_hand_is_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assets").mkdir()
    assets = make_zoo(tmp_path / "assets", monkeypatch, ["mini-gpt", "mini-gpt-s"])
    app = open_app("overview", model=["mini-gpt"], **HERE)
    assert "Ready comparisons" not in app.texts
    write_model(assets / "models" / "mini-gpt-l", fill=9)
    app.run()
    assert "Ready comparisons" in app.texts
    assert [button.key for button in app.button if str(button.key).startswith("preset_")] == ["preset_size"]


def test_a_family_that_the_protocol_does_not_fit_is_said(store: Store, zoo: Path) -> None:
    config = {"architectures": ["BertForMaskedLM"], "model_type": "bert", "max_position_embeddings": 128}
    (zoo / "models" / "mini-bert" / "config.json").write_text(json.dumps(config))
    app = open_app("compare", model=["mini-gpt"], protocol="exact-boundary", **HERE)
    app.press("preset_families")
    jobs = own_queue().list(10)
    assert {job.payload["model"] for job in jobs} == {"mini-gpt", "mini-t5", "mini-xlnet"}
    assert "mini-bert" in app.infos


def write_seeds(zoo: Path, run: RunSpec) -> None:
    """Seeds of mini-gpt-s, measured on what a run has, far apart in each risk; its own R is not asked for."""
    hashes = {"topic": run.topic, "templates": run.templates, "evidence": run.evidence}
    names = {key: item.name for key, item in hashes.items()}
    risks = [
        {"seed": seed, "overall_risk": 0.3 + seed, "prejudice_risk": 2 * seed, "caprice_risk": 3 * seed}
        for seed in (0, 1, 2)
    ]
    measured = names | {f"{key}_hash": item.hash for key, item in hashes.items()} | {"risks": risks}
    model = {"model": "mini-gpt-s", "identity": run.scoring.identity}
    seeds = {**model, "seeds": [0, 1, 2], "measured": [measured]}
    (zoo / "models" / "mini-gpt-s" / "seeds.json").write_text(json.dumps(seeds))


@pytest.mark.slow
def test_the_spread_over_seeds_stands_beside_what_it_was_measured_on(store: Store, zoo: Path) -> None:
    write_seeds(zoo, score_zoo(store, SIZE)["mini-gpt-s"])
    spread = (
        "Mini GPT Small has a risk of 0.30, 1.30 and 2.30. "
        "The seeds differ by 2.00 in risk, 4.00 in prejudice and 6.00 in caprice."
    )
    note = f"Trained with seed 0, 1 or 2, {spread}"
    for page in ("risk", "overview"):
        assert note in open_app(page, model=["mini-gpt-s"], unit="counts-only", **HERE).captions
        assert note not in open_app(page, model=["mini-gpt"], **HERE).captions
    assert note not in open_app("risk", model=["mini-gpt-s"], template_weights="equal", **HERE).captions
    here = open_app("compare", **BY_SIZE)
    assert here.texts.count("no larger than between seeds of Mini GPT Small.") == 2, "of the pairs it is in"
    assert f"Over 3 seeds of its training, {spread}" in here.captions
    elsewhere = open_app("compare", **BY_SIZE, template_weights="equal")
    measured = "Mini GPT Small was trained with 3 seeds, but these were scored only on gender with"
    assert measured in elsewhere.captions
    assert "between seeds of" not in elsewhere.texts
    assert "another random seed may change this" in elsewhere.captions


def test_a_claim_is_held_against_the_spread_of_its_own_quantity(
    store: Store, zoo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(claim: Claim, comparison: Comparison, spreads: Sequence[SeedSpread]) -> str:
        return f"Spreads: {', '.join(f'{spread.quantity} {spread.range:.0f}' for spread in spreads)}."

    monkeypatch.setattr("pcf_core.app.compare.axis.claim_finding", told)
    write_seeds(zoo, score_zoo(store, SIZE)["mini-gpt-s"])
    here = open_app("compare", **BY_SIZE).captions
    assert "Spreads: overall_risk 2, prejudice_risk 4, caprice_risk 6." in here
    assert "Spreads: ." in open_app("compare", **BY_SIZE, template_weights="equal").captions


def test_damaged_seeds_are_a_sentence_on_the_page(store: Store, zoo: Path) -> None:
    score_zoo(store, ["mini-gpt-s"])
    (zoo / "models" / "mini-gpt-s" / "seeds.json").write_text("{}")
    app = open_app("risk", model=["mini-gpt-s"], **HERE)
    assert "The file seeds.json of the model mini-gpt-s cannot be read" in app.captions


def test_runs_that_drew_some_templates_are_scored_whole_first(store: Store) -> None:
    many = "gender-nineteen"
    runs = score_zoo(store, SIZE[:2], many)
    scoring = ScoringKey.of(resolve("mini-gpt-l"), "exact")
    run = runs["mini-gpt"].model_copy(update={"scoring": scoring})
    drawn = planned(run, 0.1)
    score_run(drawn, store, lambda spec, protocol: fake_scorer(drawn.scoring, drawn.topic))
    assert len(drawn.drawn.templates) < 19
    app = open_app("compare", **{**BY_SIZE, "templates": many})
    assert "Not compared, because results are missing: mini-gpt-l." in app.captions
    app.press("score_missing")
    assert [job.key for job in own_queue().list(10)] == [run.key]


def test_a_store_that_refuses_is_an_error_on_compare(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(run: RunSpec) -> int:
        raise StoreError("The cache folder is read-only; let it be written.")

    monkeypatch.setattr("pcf_core.app.scoring.submit", refuse)
    score_zoo(store, ["mini-gpt"])
    app = open_app("overview", model=["mini-gpt"], **HERE)
    app.press("preset_size")
    assert app.titles == ["Compare"]
    assert "The cache folder is read-only" in app.errors
    assert not app.run().error


REVISION = "0123456789abcdef0123456789abcdef01234567"
SIZES = {"1m": 32, "2m": 64}  # by the hidden size
TINY = tuple(f"tiny/{size}{kind}" for size in SIZES for kind in ("", "-chat"))
FACTS = """family = "causal"
architecture = "LlamaForCausalLM"
context = 400
language = "en"
verified = "twin"
source = "https://example.org/card"
group = "Current"
"""


def registry() -> str:
    models = [
        f'[[model]]\nname = "tiny/{size}{kind}"\ntitle = "Tiny"\nparameters = {10**6 * number}\n{FACTS}'
        for number, size in enumerate(SIZES, 1)
        for kind in ("", "-chat")
    ]
    pairs = [f'[[series.pair]]\nbase = "tiny/{size}"\naligned = "tiny/{size}-chat"\n' for size in SIZES]
    return "".join([*models, '[[series]]\nname = "tiny"\ntitle = "Tiny"\n', *pairs])


@pytest.fixture
def tiny_zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Assets whose registry declares the series, and an empty cache of the hub; no downloads."""
    (tmp_path / "assets").mkdir()
    folder = make_zoo(tmp_path / "assets", monkeypatch, ["mini-gpt"])
    (folder / "models.toml").unlink()
    (folder / "models.toml").write_text(registry())
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    set_environment(monkeypatch, ALLOW_HUB="0")
    return folder


@pytest.fixture
def fetched(tiny_zoo: Path, tmp_path: Path) -> None:
    """The four models in the hub's cache, with random weights: a Llama of two sizes, each of two seeds."""
    for name in TINY:
        size = SIZES[name.split("/")[1].removesuffix("-chat")]
        options = GROUPED | {"hidden_size": size}
        loaded = build("LlamaForCausalLM", gpt2_tokenizer, **options)
        if name.endswith("-chat"):
            torch.manual_seed(11)
            for parameter in loaded.model.parameters():
                parameter.data += 0.2 * torch.randn_like(parameter)
        repository = tmp_path / "hub" / f"models--{name.replace('/', '--')}"
        (repository / "refs").mkdir(parents=True)
        (repository / "refs" / "main").write_text(REVISION)
        snapshot = repository / "snapshots" / REVISION
        loaded.model.save_pretrained(snapshot)
        loaded.tokenizer.save_pretrained(snapshot)


def press_score(app: App) -> list[RunSpec]:
    """Press Score, and return the runs that are queued."""
    app.press("score_button")
    store = own_store()
    jobs = own_queue().list(20, kind="score")
    return [store.load_run(job.payload["run"]) for job in reversed(jobs)]


@pytest.mark.usefixtures("fetched")
def test_a_series_is_scored_with_one_press_and_compared_size_by_size(
    tiny_zoo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tiny random models all the way: chosen and queued on Score, scored for real, two lines on Compare."""
    app = open_app(
        "score",
        score_templates=HERE["templates"],
        score_evidence=HERE["evidence"],
        score_topic="gender-pronouns",
    )
    app.selectbox(key="score_series").set_value("Tiny").run()
    assert app.multiselect(key="score_model").value == list(TINY)
    assert app.selectbox(key="score_series").value is None
    runs = press_score(app)
    assert [run.scoring.model for run in runs] == list(TINY)
    assert f"**In all** · {sum(run.cells for run in runs):,} test sentences" in app.texts
    store = own_store()
    for run in runs[:3]:
        score_run(run, store, open_scorer)
    here = HERE | {"topic": "gender-pronouns"}
    overview = open_app("overview", model=["tiny/1m"], **here)
    (button,) = (one for one in overview.button if one.key == "preset_aligned-tiny")
    assert button.label.replace("\\", "") == "Tiny: base and aligned"
    assert [preset.models for preset in presets([run.scoring.model for run in runs[:3]])] == [TINY[:2]]
    score_run(runs[3], store, open_scorer)
    overview = open_app("overview", model=["tiny/1m"], **here)
    overview.press("preset_aligned-tiny")
    assert overview.titles == ["Compare"]
    assert "after alignment, at" not in overview.texts, "these models hardly use the words"
    monkeypatch.setattr("pcf_core.core.run.MOST_FLAGGED", 1.0)
    overview = open_app("overview", model=["tiny/1m"], **here)
    overview.press("preset_aligned-tiny")
    assert overview.segmented_control(key="compare_axis").value == "base and aligned"
    assert "Tiny: base and aligned" in overview.texts
    pressed = next(one for one in overview.button if one.key == "preset_aligned-tiny")
    assert pressed.proto.icon == ":material/check:"
    for size in ("1,000,000", "2,000,000"):
        assert f"after alignment, at {size} parameters. It is " in overview.texts
    assert "How alignment changes the risk" in overview.texts
    assert "Figure 8 of the BVF paper" not in overview.captions, "its topic is another one"
    axis, differences = (frame.value for frame in overview.dataframe[1:])
    assert list(axis["line"]) == ["Tiny, base", "Tiny, base", "Tiny, aligned", "Tiny, aligned"]
    assert list(axis["place"]) == [1e6, 2e6, 1e6, 2e6]
    assert list(differences["first"]) == ["tiny/1m-chat"] * 3 + ["tiny/2m-chat"] * 3
    assert list(differences["difference"]) == pytest.approx(
        [
            value
            for aligned, base in ((2, 0), (3, 1))
            for name in ("overall_risk", "prejudice_risk", "caprice_risk")
            for value in [axis[name][aligned] - axis[name][base]]
        ]
    )
    assert differences["adjusted_p_value"].notna().all()
    traces = [chart.proto.spec for chart in overview.get("plotly_chart")]
    assert sum("lines+markers" in trace for trace in traces) == 2


def test_a_series_that_is_not_here_is_estimated_by_what_is_declared(
    tiny_zoo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked until Score is pressed; what cannot be fetched is a sentence then."""
    app = open_app("score", score_templates=HERE["templates"], score_evidence=HERE["evidence"])
    monkeypatch.setattr(
        "pcf_core.app.run.request.resolve_to_score", lambda name: pytest.fail(f"{name} was asked for")
    )
    app.selectbox(key="score_series").set_value("Tiny").run()
    (total,) = [line for line in app.texts.splitlines() if line.startswith("**In all**")]
    assert "roughly" in total, "nothing was scored on this machine"
    assert "Estimated from the declare" in app.captions
    assert not app.error


@pytest.mark.usefixtures("tiny_zoo")
def test_what_the_hub_does_not_give_is_a_sentence_a_model() -> None:
    app = open_app("score", score_model=[*TINY], **{f"score_{key}": value for key, value in HERE.items()})
    assert not app.error
    assert press_score(app) == []
    assert len(app.error) == 4
    assert "downloads are off: switch PCF_ALLOW_HUB on" in app.errors


@pytest.mark.usefixtures("tiny_zoo")
def test_compare_says_which_series_there_are() -> None:
    score_zoo(own_store(), ["mini-gpt"])
    app = open_app(
        "compare", model=["mini-gpt"], compare_view="along an axis", compare_axis="base and aligned", **HERE
    )
    assert "Choose base and aligned checkpoints of one series in the sidebar: Tiny." in app.infos
    (link,) = (link.proto for link in app.get("page_link") if link.proto.page == "run_an_audit")
    assert link.query_string.count("score_model=") == 4


@pytest.mark.usefixtures("tiny_zoo")
def test_a_choice_is_a_series_only_whole_size_by_size() -> None:
    assert preset_of(TINY[::-1]) is not None
    assert preset_of(TINY[:2]) is not None
    assert preset_of(TINY[:3]) is None
    assert preset_of(TINY[1:3]) is None
    assert "aligned-tiny" not in [preset.name for preset in presets()]
