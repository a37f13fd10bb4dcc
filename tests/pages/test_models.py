"""The page Models: what is at hand, known and left out, one model with its needs and runs, and fetching."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.app.models.details import LOOKED_AT
from pcf_core.audit.baseline import baseline_run
from pcf_core.core.settings import settings
from pcf_core.models.names import KnownModel
from pcf_core.store.store import Store
from tests.conftest import MINI_MODELS
from tests.pages.opened import ROOT, App, claimed_job, open_app, own_queue, set_environment, usual_run
from tests.pages.walks import assert_state, assert_walk

pytestmark = pytest.mark.usefixtures("same_memory")
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
CODED = {"group": "Chinese", "family": "masked", "remote_code": True, "verified": "sources", "context": 0}
KNOWN = tuple(
    KnownModel.model_validate({**FACTS, **facts})
    for facts in (
        {"name": "org/plain"},
        {"name": "org/gated", "gated": True, "parameters": 10**12},
        {"name": "org/coded", **CODED, "advice": "Serve it elsewhere."},
    )
)
SMOLLM2, GEMMA = "SmolLM2-135M-Instruct-Q4_1", "Gemma-3-270M-Q4_K_M"


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
    set_environment(monkeypatch, ASSETS=str(folder), ALLOW_HUB="0")
    yield folder
    settings.cache_clear()


@pytest.fixture
def fetchable(assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with downloads and the shipped list of public models, none of which is here."""
    (assets / "public.toml").symlink_to(ROOT / "assets" / "public.toml")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    set_environment(monkeypatch, ALLOW_HUB="1")


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("three are known", {}),
        ("those of a group", {"model_group": "Chinese"}),
        ("none is so small", {"model_memory": "3"}),
        ("half as large", {"model_memory": "3", "model_dtype": "bfloat16", "model_family": "causal"}),
        ("one at hand", {"model_details": "mini-gpt"}),
        ("a gated one", {"model_details": "org/gated"}),
        ("one with code", {"model_details": "org/coded"}),
    ],
)
def test_what_is_at_hand_and_known(assets: Path, name: str, link: dict[str, str]) -> None:
    assert_state(open_app("models", **link), f"models {name}")


def test_code_that_the_operator_has_allowed_is_said(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, REMOTE_CODE="org/coded", ALLOW_HUB="1")
    app = open_app("models", model_details="org/coded")
    assert "which the operator has allowed" in app.texts
    assert "downloaded from the hub when it is first scored" in app.texts


def test_runs_are_shown_with_their_self_audit(full_store: Store) -> None:
    app = open_app("models", model_details="mini-gpt")
    labels = [box.label.replace("\\", "") for box in app.expander]
    title = "gender · gender-nineteen · occupations-bvf · whole words"
    assert sum(label.startswith(title) for label in labels) == 1
    assert "noise floor" not in app.table[-1].value.index
    facts = look_at_runs(app, full_store, "mini-gpt").table[-1].value["value"]
    assert facts["tokens per word"].startswith("78 words are scored")
    assert "noise floor" in facts
    assert any(link.proto.page == "risk" for link in app.get("page_link"))


def look_at_runs(app: App, store: Store, model: str) -> App:
    for info in store.runs():
        if info.run.scoring.name == model:
            app.session_state[f"{LOOKED_AT}{info.run.key}"] = True
    return app.run()


def test_runs_of_neutral_subjects_stand_last_and_say_what_they_are(full_store: Store) -> None:
    """They have the topic and the templates of the run beside them, and are another answer."""
    neutral = baseline_run(usual_run("mini-gpt"))
    assert neutral is not None
    full_store.save_run(neutral, {}, complete=False)
    labels = [box.label.replace("\\", "") for box in open_app("models", model_details="mini-gpt").expander]
    labels = [label for label in labels if "gender-nineteen" in label]
    assert len(labels) > 1
    assert labels[-1].startswith("neutral subjects · gender · gender-nineteen")
    assert not any("neutral" in label for label in labels[:-1])


def test_folders_are_checked_and_those_that_cannot_be_used_are_named(
    assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own" / "broken").mkdir(parents=True)
    (tmp_path / "own" / "broken" / "config.json").write_text("{")
    set_environment(monkeypatch, MODELS=str(tmp_path / "own"))
    folder = str(ROOT / "assets" / "models" / "mini-bert")
    assert_walk(open_app("models"), "a folder is typed", ("set", "model_other", folder))


def test_without_models_or_registry_the_page_says_so(assets: Path) -> None:
    (assets / "models.toml").unlink()
    (assets / "models").rename(assets / "hidden")
    app = open_app("models")
    assert_state(app, "models none at hand")
    app.text_input(key="model_other").set_value("nobody").run()
    assert "known are none" in app.errors


def test_a_scored_model_that_is_gone_still_shows_its_runs(assets: Path, full_store: Store) -> None:
    run = usual_run("mini-gpt")
    gone = run.model_copy(update={"scoring": run.scoring.model_copy(update={"model": "org/gone"})})
    late = gone.model_copy(update={"templates": run.templates.model_copy(update={"templates": ()})})
    full_store.save_run(gone, {})
    full_store.save_run(late, {}, complete=False)
    app = open_app("models", model_details="org/gone")
    assert "downloads are off" in app.errors
    labels = [box.label for box in app.expander]
    assert [sum(key in label for label in labels) for key in (gone.key, late.key)] == [1, 1]
    assert "Not finished." not in app.captions
    assert "Not finished." in look_at_runs(app, full_store, "org/gone").captions


# ------------------------------------------------------------------------------- fetching the weights


@pytest.mark.usefixtures("fetchable")
def test_weights_are_fetched_with_one_press_and_other_terms_accepted_with_a_tick() -> None:
    assert_walk(open_app("models", model_details=SMOLLM2), "an open model is fetched", f"fetch_{SMOLLM2}")
    for name, what in ((GEMMA, "a model with terms of its own"), ("org/plain", "a model with terms unread")):
        app = open_app("models", model_details=name)
        assert app.button(key=f"fetch_{name}").disabled
        assert_walk(app, f"{what} is fetched", ("set", f"accept_{name}", True), f"fetch_{name}")


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
        assert not [key for key in page.button_keys if key.startswith("fetch_")]


@pytest.mark.usefixtures("fetchable")
def test_what_failed_is_said_with_a_button_that_goes_on() -> None:
    open_app("models", model_details=SMOLLM2).press(f"fetch_{SMOLLM2}")
    queue = own_queue()
    job = claimed_job()
    queue.progress(job.id, 40_000_000, job.total, 2e6, "somebody")
    app = open_app("models", model_details=SMOLLM2)
    reason = "The hub cannot be reached: check the network."
    assert_walk(
        app,
        "a fetch fails and goes on",
        ("do", lambda: queue.fail(job.id, reason, "somebody")),
        f"retry_{job.id}",
    )
