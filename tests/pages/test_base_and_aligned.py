"""Base against aligned along size: a series of tiny random models, from one press on Score to Compare."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pcf_core.core.run import RunSpec
from pcf_core.models.presets import preset_of, presets
from pcf_core.models.scoring.opening import open_scorer
from pcf_core.work.scoring import score_run
from tests.models.scoring.conftest import GROUPED, build
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer
from tests.pages.opened import App, open_app, own_queue, own_store, set_environment
from tests.pages.zoo import HERE, make_zoo, score_zoo

REVISION = "0123456789abcdef0123456789abcdef01234567"
SIZES = {"1m": 32, "2m": 64}  # by the hidden size
MODELS = tuple(f"tiny/{size}{kind}" for size in SIZES for kind in ("", "-chat"))
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
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Assets whose registry declares the series, and an empty cache of the hub; no downloads."""
    (tmp_path / "assets").mkdir()
    folder = make_zoo(tmp_path / "assets", monkeypatch, ["mini-gpt"])
    (folder / "models.toml").unlink()
    (folder / "models.toml").write_text(registry())
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    set_environment(monkeypatch, ALLOW_HUB="0")
    return folder


@pytest.fixture
def fetched(zoo: Path, tmp_path: Path) -> None:
    """The four models in the hub's cache, with random weights: a Llama of two sizes, each of two seeds."""
    for name in MODELS:
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
def test_a_series_is_scored_with_one_press_and_compared_size_by_size(zoo: Path) -> None:
    """Tiny random models all the way: chosen and queued on Score, scored for real, two lines on Compare."""
    app = open_app(
        "score",
        score_templates=HERE["templates"],
        score_evidence=HERE["evidence"],
        score_topic="gender-pronouns",
    )
    app.selectbox(key="score_series").set_value("Tiny").run()
    assert app.multiselect(key="score_model").value == list(MODELS)
    assert app.selectbox(key="score_series").value is None
    runs = press_score(app)
    assert [run.scoring.model for run in runs] == list(MODELS)
    assert f"**In all** · {sum(run.cells for run in runs):,} cells" in app.texts
    store = own_store()
    for run in runs[:3]:
        score_run(run, store, open_scorer)
    here = HERE | {"topic": "gender-pronouns"}
    overview = open_app("overview", model=["tiny/1m"], **here)
    (button,) = (one for one in overview.button if one.key == "preset_aligned-tiny")
    assert button.label.replace("\\", "") == "Tiny: base and aligned"
    assert [preset.models for preset in presets([run.scoring.model for run in runs[:3]])] == [MODELS[:2]]
    score_run(runs[3], store, open_scorer)
    overview = open_app("overview", model=["tiny/1m"], **here)
    overview.press("preset_aligned-tiny")
    assert overview.titles == ["Compare"]
    assert overview.segmented_control(key="compare_axis").value == "base and aligned"
    assert "Tiny: base and aligned" in overview.texts
    pressed = next(one for one in overview.button if one.key == "preset_aligned-tiny")
    assert pressed.proto.icon == ":material/check:"
    for size in ("1,000,000", "2,000,000"):
        assert f"after alignment, at {size} parameters. It is " in overview.texts
    assert "What alignment changes" in overview.texts
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
    zoo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked until Score is pressed; what cannot be fetched is a sentence then."""
    app = open_app("score", score_templates=HERE["templates"], score_evidence=HERE["evidence"])
    monkeypatch.setattr(
        "pcf_core.app.run.request.resolve_to_score", lambda name: pytest.fail(f"{name} was asked for")
    )
    app.selectbox(key="score_series").set_value("Tiny").run()
    (total,) = [line for line in app.texts.splitlines() if line.startswith("**In all**")]
    assert "roughly" in total, "nothing was scored on this machine"
    assert "By what is declared of them" in app.captions
    assert not app.error


@pytest.mark.usefixtures("zoo")
def test_what_the_hub_does_not_give_is_a_sentence_a_model() -> None:
    app = open_app("score", score_model=[*MODELS], **{f"score_{key}": value for key, value in HERE.items()})
    assert not app.error
    assert press_score(app) == []
    assert len(app.error) == 4
    assert "downloads are off (PCF_ALLOW_HUB)" in app.errors


@pytest.mark.usefixtures("zoo")
def test_compare_says_which_series_there_are() -> None:
    score_zoo(own_store(), ["mini-gpt"])
    app = open_app(
        "compare", model=["mini-gpt"], compare_view="along an axis", compare_axis="base and aligned", **HERE
    )
    assert "Choose base and aligned checkpoints of one series in the sidebar: Tiny." in app.infos
    (link,) = (link.proto for link in app.get("page_link") if link.proto.page == "run_an_audit")
    assert link.query_string.count("score_model=") == 4


@pytest.mark.usefixtures("zoo")
def test_a_choice_is_a_series_only_whole_size_by_size() -> None:
    assert preset_of(MODELS[::-1]) is not None
    assert preset_of(MODELS[:2]) is not None
    assert preset_of(MODELS[:3]) is None
    assert preset_of(MODELS[1:3]) is None
    assert "aligned-tiny" not in [preset.name for preset in presets()]
