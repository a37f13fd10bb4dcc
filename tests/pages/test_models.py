"""The page Models: models at hand and known, fetching; results, their journal, and the pinned model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pcf_core.app.models.details import LOOKED_AT
from pcf_core.app.roles import recorded
from pcf_core.audit.baseline import baseline_run
from pcf_core.core.settings import settings
from pcf_core.material.topics import copied, load_topic, save_topic
from pcf_core.models.names import KnownModel
from pcf_core.models.registry import resolve
from pcf_core.store.journal import FILE_NAME, Journal
from pcf_core.store.store import Store
from pcf_core.work.people import Person
from pcf_core.work.requests import submit_run
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
    assert "downloaded from the hub for its first audit" in app.texts


def test_runs_are_shown_with_their_self_audit(full_store: Store) -> None:
    app = open_app("models", model_details="mini-gpt")
    labels = [box.label.replace("\\", "") for box in app.expander]
    title = "Gender · 19 sentence beginnings from the papers · 120 occupations (BVF) · whole words"
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
    labels = [label for label in labels if "19 sentence beginnings" in label]
    assert len(labels) > 1
    assert labels[-1].startswith("neutral subjects · Gender · 19 sentence beginnings")
    assert not any("neutral" in label for label in labels[:-1])


def test_folders_are_checked_and_those_that_cannot_be_used_are_named(
    assets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own" / "broken").mkdir(parents=True)
    (tmp_path / "own" / "broken" / "config.json").write_text("{")
    set_environment(monkeypatch, MODELS=str(tmp_path / "own"))
    folder = str(ROOT / "assets" / "models" / "mini-bert")
    assert_walk(open_app("models"), "a folder is typed", ("set", "model_other", folder))


def test_a_typed_model_is_drawn_in_its_form_with_the_next_step(assets: Path) -> None:
    """Once: the field below, which has the same model, says where it is."""
    app = open_app("models", model_other="mini-bert", model_details="mini-bert")
    (link,) = (one.proto for one in app.get("page_link") if "Run an audit of" in one.proto.label)
    assert (link.page, link.query_string) == ("run_an_audit", "score_model=mini-bert")
    assert "This model is shown at the top of the page." in app.captions
    assert "Downloads are off" in app.captions


def test_an_endpoint_without_an_address_says_which_settings_it_needs(assets: Path) -> None:
    app = open_app("models")
    app.text_input(key="endpoint_address").set_value("http://gpu host:8000/v1").run()
    (lines,) = (code.value for code in app.code if "PCF_ENDPOINT_URL" in code.value)
    assert lines.splitlines()[0] == "PCF_ENDPOINT_URL='http://gpu host:8000/v1'"
    assert "PCF_ENDPOINT_KEY is not set" in app.captions


def test_an_endpoint_with_an_address_leads_to_an_audit_of_its_model(
    assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = resolve("mini-gpt").model_copy(update={"name": "endpoint:llama", "family": "endpoint"})
    monkeypatch.setattr("pcf_core.app.models.details.resolve", lambda name: spec)
    set_environment(monkeypatch, ENDPOINT_URL="http://localhost:1/v1", ENDPOINT_KEY="secret")
    app = open_app("models")
    assert app.text_input(key="endpoint_address").disabled
    app.text_input(key="endpoint_model").set_value("llama").run()
    links = [one.proto.query_string for one in app.get("page_link") if "llama" in one.proto.label]
    assert links == ["score_model=endpoint%3Allama"]
    assert "PCF_ENDPOINT_KEY is set" in app.captions
    assert "secret" not in f"{app.said}{app.code}"


def test_a_viewer_reads_whom_to_ask(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, READ_ONLY="1", ALLOWED_MODELS="mini-*")
    app = open_app("models")
    assert "send its hub id, or its files, to the operator" in app.texts
    assert "send its address and the name of the model to the operator" in app.texts
    assert "Only these models are allowed: mini-*." in app.captions
    assert "endpoint_address" not in {field.key for field in app.text_input}


def test_without_models_or_registry_the_page_says_so(assets: Path) -> None:
    (assets / "models.toml").unlink()
    (assets / "models").rename(assets / "hidden")
    app = open_app("models")
    assert_state(app, "models none at hand")
    app.text_input(key="model_other").set_value("nobody").run()
    assert "There is no model named 'nobody'" in app.errors


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
    assert "The operator allows only these models: mini-*." in app.infos
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


BOTH = ["mini-bert", "mini-gpt"]


def rows_with(app: App, column: str) -> list[dict[str, Any]]:
    """The rows of the first table with a column."""
    return [dict(row) for row in app.table_with(column).to_dict("records")]


def keys_of(app: App, beginning: str) -> list[str]:
    return [key for key in app.button_keys if key.startswith(beginning)]


def choose(key: str) -> App:
    app = open_app("models")
    assert not keys_of(app, "delete_run_"), "nothing is chosen"
    return app.selectbox(key="kept_run").select(key).run()


def test_every_run_stands_there_with_date_owner_and_size(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    infos = full_store.own_runs()
    queue = own_queue().acting_for(Person(address="Ann@example.org"))
    monkeypatch.setattr("pcf_core.work.queue.check_may_ask", lambda *_: None)
    queue.submit("score", infos[0].run.key, {}, total=0)
    rows = rows_with(open_app("models"), "run")
    assert [row["run"] for row in rows] == [info.run.key for info in infos]
    assert [row["owner"] for row in rows] == ["ann@example.org", ""]
    assert [row["size"] for row in rows] == [full_store.size_of_run(info.run.key) for info in infos]
    assert [row["date"] for row in rows] == [info.created for info in infos]
    set_environment(monkeypatch, READ_ONLY="1")
    app = choose(infos[0].run.key)
    assert "owner" not in rows_with(app, "run")[0], "a viewer is not told who asked"
    assert not keys_of(app, "delete_run_")


def test_the_second_press_deletes_one_run_and_the_journal_tells_it(full_store: Store) -> None:
    first, second = full_store.own_runs()
    app = choose(first.run.key)
    assert "The journal has no entries yet" in app.captions
    assert len(full_store.own_runs()) == 2, "the first press opens the question"
    app.press(f"delete_run_{first.run.key}")
    assert not app.error
    assert [info.run.key for info in full_store.own_runs()] == [second.run.key]
    assert [row["run"] for row in rows_with(app, "run")] == [second.run.key]
    assert not keys_of(app, "delete_run_")
    assert not full_store.missing(second.run.scoring, second.run.prompts, second.run.topic.words)
    (entry,) = rows_with(open_app("models"), "did")
    assert (entry["number"], entry["did"], entry["what"], entry["who"]) == (1, "deleted", "run", "")
    assert str(entry["name"]).startswith(first.run.key)


def test_a_run_that_is_being_scored_is_not_deleted(full_store: Store) -> None:
    run = full_store.own_runs()[0].run
    submit_run(full_store, own_queue(), run, 0)
    assert "cancel its job" in choose(run.key).press(f"delete_run_{run.key}").errors
    assert run.key in {info.run.key for info in full_store.own_runs()}


# ------------------------------------------------------------------------------------------ the pin


def pin(model: str) -> App:
    app = open_app("models", model_details=model)
    return app.press(keys_of(app, "pin_")[0])


def pair(app: App) -> list[str]:
    return [app.selectbox(key=f"compare_{side}").value for side in ("first", "second")]


def compare_from_risk(models: list[str]) -> App:
    return open_app("risk", model=models).switch_page("pages/compare.py").run()


def test_compare_opens_against_the_pinned_model_that_has_results(full_store: Store) -> None:
    assert pair(compare_from_risk(BOTH)) == BOTH
    pin("mini-bert")
    assert pair(compare_from_risk(BOTH)) == BOTH[::-1]
    app = compare_from_risk(["mini-gpt"])
    assert pair(app) == BOTH[::-1]
    assert app.multiselect(key="model").value == BOTH[::-1]
    assert app.query_params["model"] == BOTH[::-1], "a copied link says it"
    assert not app.link_warnings
    assert pair(open_app("compare", model=BOTH)) == BOTH, "a link from elsewhere goes before"
    pin("mini-t5")
    app = compare_from_risk(BOTH)
    assert pair(app) == app.multiselect(key="model").value == BOTH


def test_a_pin_is_let_go_again_and_a_viewer_has_none(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = pin("mini-bert")
    for label in ("Unpin", "Pin"):
        (key,) = keys_of(app, "pin_")
        assert app.button(key=key).label == label
        app.press(key)
    set_environment(monkeypatch, READ_ONLY="1")
    assert not keys_of(open_app("models", model_details="mini-bert"), "pin_")


# ------------------------------------------------------------------------------------------ the journal


def test_what_was_refused_is_not_recorded_and_what_cannot_be_recorded_not_done(full_store: Store) -> None:
    first, second = (info.run.key for info in full_store.own_runs())
    app = choose(first)
    full_store.delete_run(first)
    app.press(f"delete_run_{first}")
    assert Journal(settings().cache).read().entries == ()
    app = choose(second)
    Path(Journal(settings().cache).path).unlink(missing_ok=True)
    (settings().cache / FILE_NAME).mkdir()
    assert app.press(f"delete_run_{second}").error
    assert second in {info.run.key for info in full_store.own_runs()}


def test_an_altered_journal_is_said(full_store: Store) -> None:
    journal = Journal(settings().cache)
    for name in ("pets", "<b>cats</b>"):
        journal.add("ann@example.org", "changed", "topic", name)
    assert "The journal has 2 entries, each of which follows" in open_app("models").captions
    path = Path(journal.path)
    path.write_bytes(path.read_bytes().replace(b"pets", b"dogs"))
    app = open_app("models")
    assert "was changed after it was written" in app.captions + app.errors


def test_a_viewer_has_no_journal(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal(settings().cache).add("ann@example.org", "changed", "topic", "pets")
    set_environment(monkeypatch, READ_ONLY="1")
    app = open_app("models")
    assert not [frame for frame in app.dataframe if "did" in frame.value.columns]
    assert "ann@example.org" not in app.captions + app.errors


def test_a_topic_that_is_changed_is_recorded() -> None:
    """By the one way in which pages change what is kept."""
    topic = copied(load_topic("gender"))
    recorded("changed", "topic", topic.name, save_topic, topic)
    (entry,) = Journal(settings().cache).read().entries
    assert (entry.did, entry.what, entry.name) == ("changed", "topic", topic.name)
