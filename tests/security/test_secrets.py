"""Tokens and keys: in no sentence, log, address, manifest, report or list of processes."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.errors import CorpusError, ModelError, SettingsError, reason_of
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.core.topics import Evidence, Template, TemplateSet
from pcf_core.material.topics import load_topic
from pcf_core.mining.corpora import hub as corpora_hub
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.report.documents import report_document
from pcf_core.store.storage import ObjectStorage, UnreachableError, storage_of
from pcf_core.store.store import Store
from pcf_core.work import launch
from pcf_core.work.queue import Queue
from pcf_core.work.requests import submit_run, submit_words
from pcf_core.work.worker import Worker
from tests.models.fake_servers import always, serving
from tests.models.scoring.conftest import load_tiny

KEY = "sk-live-0123456789abcdef"
SIGNED = "https://cdn.example/file?X-Amz-Credential=AKIA123&X-Amz-Signature=f00d"


@pytest.fixture
def keyed(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("PCF_ENDPOINT_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("PCF_ENDPOINT_KEY", KEY)
    monkeypatch.setenv("HF_TOKEN", KEY)
    settings.cache_clear()
    return settings()


def test_the_key_is_in_no_word_about_the_settings(keyed: Settings) -> None:
    assert KEY not in repr(keyed) + str(keyed) + keyed.model_dump_json()


@pytest.mark.parametrize("name", ["PCF_ENDPOINT_KEY", "PCF_ENDPOINT_URL"])
def test_a_key_that_cannot_be_used_is_not_said_back(
    keyed: Settings, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, f"http://user:{KEY}\n@host/?é")
    settings.cache_clear()
    with pytest.raises(SettingsError) as refusal:
        settings()
    assert KEY not in str(refusal.value)


def test_a_worker_is_told_by_its_environment_and_not_by_its_arguments(
    keyed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every user of a machine can read the arguments of every process."""
    told: dict[str, Any] = {}

    def started(command: Any, **options: Any) -> None:
        told.update(command=command, **options)
        raise OSError("not here")

    monkeypatch.setattr(launch.subprocess, "Popen", started)
    keyed.cache.mkdir(parents=True)
    with pytest.raises(Exception, match="No worker could be started"):
        launch._start(keyed, launch.COMMAND)
    assert told["env"]["PCF_ENDPOINT_KEY"] == KEY
    assert KEY not in " ".join(told["command"])


def test_the_key_is_in_no_file_and_no_report(
    keyed: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A worker scores a run behind the endpoint, is refused by one that says the key back, and fails in a way
    that nobody thought of: nothing in the cache, the log or the report has it.
    """
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr("pcf_core.models.endpoint.PAUSES", ())
    store, queue, topic = Store.open(keyed.cache), Queue.open(keyed.catalogue), load_topic("gender")
    with serving(load_tiny("llama")) as server:
        monkeypatch.setenv("PCF_ENDPOINT_URL", server.url)
        settings.cache_clear()
        run = build_run(
            resolve("endpoint:tiny"),
            topic,
            Evidence(name="two", title="Two", terms=("nurse", "engineer")),
            TemplateSet(name="one", title="One", templates=(Template(text="The [X] said that [Y]"),)),
        )
        jobs = [submit_run(store, queue, run, run.cells)]
        Worker(store, queue, settings()).run(until_idle=True)
        server.fault = always(401, {"error": {"message": f"wrong key {KEY}"}})
        jobs.append(submit_words(queue, "endpoint:tiny", topic, "The nurse said that [Y]"))
        Worker(store, queue, settings()).run(until_idle=True)
        assert server.keys == {f"Bearer {KEY}"}
    jobs.append(submit_words(queue, "endpoint:tiny", topic, "The nurse met [Y]"))
    Worker(store, queue, settings(), open_nothing).run(until_idle=True)
    done, refused, broken = (queue.get(job.id) for job in jobs)
    assert (done.state, refused.state, broken.state) == ("done", "failed", "failed")
    assert "wrong key …" in str(refused.error)
    assert "unexpected: ZeroDivisionError" in str(broken.error)
    document = report_document(report(load_result(store, run), run, ViewOptions()))
    assert KEY not in json.dumps(document, default=str)
    files = [path for path in keyed.cache.rglob("*") if path.is_file()]
    assert {"worker.log", "catalogue.sqlite", "endpoints.json"} <= {path.name for path in files}
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in caplog.text


def open_nothing(spec: ModelSpec, protocol: str) -> Scorer:
    raise ZeroDivisionError(f"{spec.name} {protocol}")


@pytest.mark.parametrize(
    "url", [f"memory://me:{KEY}@bucket/x", f"memory://me:a/{KEY}@bucket/x", f"memory://bucket/x?key={KEY}"]
)
def test_credentials_of_object_storage_are_cut_out(url: str) -> None:
    class Broken:
        def cat_file(self, path: str) -> bytes:
            raise PermissionError(f"403 for {url}")

    with pytest.raises(UnreachableError) as refusal:
        ObjectStorage(Broken(), "bucket/x", url).read("a")  # type: ignore[arg-type]
    assert KEY not in str(refusal.value)


def test_credentials_of_a_protocol_that_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refusal:
        storage_of(tmp_path, f"nonsense://me:{KEY}@bucket/x")
    assert KEY not in str(refusal.value)


def test_signed_addresses_of_the_hub_are_cut_out() -> None:
    problem = OSError(f"403 Client Error: Forbidden for url: {SIGNED} (try again)")
    assert "f00d" not in reason_of(problem) + str(corpora_hub._sentence("a/b", problem))
    assert "cdn.example/file?… (try again)" in reason_of(problem)
    assert isinstance(corpora_hub._sentence("a/b", problem), CorpusError)
    assert reason_of(ModelError("Is it there? Yes.")) == "Is it there? Yes."
