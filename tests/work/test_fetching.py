"""Weights are fetched by a job: from a package index and a hub on this machine, in whole and in two goes."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest

from pcf_core.core.errors import InputError, ModelError, RightsError
from pcf_core.core.settings import Settings, settings
from pcf_core.models.offers import is_here, offer_of
from pcf_core.store.store import Store
from pcf_core.work.people import Person
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import submit_fetch
from pcf_core.work.worker import Worker
from tests.models.conftest import safetensors, write_model
from tests.work.stubs import COMMIT, Stub, offer_model, offer_package, serving

GGUF = b"GGUF" + bytes(3_000_000)
PARTS = (GGUF[:2_000_000], GGUF[2_000_000:])
PUBLIC = f"""[[model]]
name = "tiny-public"
title = "Tiny"
packages = ["tiny_one==1.0", "tiny_two==1.0"]
files = ["tiny_one/one.part", "tiny_two/two.part"]
sha256 = "{hashlib.sha256(GGUF).hexdigest()}"
bytes = {len(GGUF)}
family = "causal"
parameters = 100
context = 8
quantization = "Q4_1"
license = "Own"
terms = "https://example.org/terms"
source = "https://example.org/card"
"""


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving() as served:
        yield served


@pytest.fixture
def queue(
    tmp_path: Path, own_settings: Settings, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Queue]:
    """The queue of an app whose package index and hub are the stub; packages go into the test's folder."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "public.toml").write_text(PUBLIC)
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.undo()  # own_settings hides installed packages; these are the test's own
    for name, value in {
        "PCF_ASSETS": str(tmp_path / "assets"),
        "PCF_CACHE": str(tmp_path / "cache"),
        "PCF_SHIPPED_RESULTS": "0",
        "PCF_START_WORKER": "0",
        "PCF_ALLOW_HUB": "1",
        "PIP_INDEX_URL": f"{stub.address}/simple",
        "PIP_TARGET": str(site),
        "PIP_RETRIES": "0",
        "PIP_NO_CACHE_DIR": "1",
        "PYTHONPATH": f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "HF_ENDPOINT": stub.address,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_DISABLE_XET": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", stub.address)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hf" / "hub"))
    settings.cache_clear()
    yield Queue.open(settings().catalogue)
    settings.cache_clear()
    for module in ("tiny_one", "tiny_two"):
        sys.modules.pop(module, None)
    invalidate_caches()


def carried_out(queue: Queue, job: Job) -> Job:
    Worker(Store.open(settings().cache), queue, settings()).run(until_idle=True)
    return queue.get(job.id)


def kept(tmp_path: Path) -> list[str]:
    """What lies in the cache of what is fetched, below its folder."""
    folder = tmp_path / "cache" / "fetched"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_public_model_comes_from_its_packages_and_the_second_go_does_the_rest(
    queue: Queue, stub: Stub, tmp_path: Path
) -> None:
    """The second package is not there at first: one sentence, nothing installed, the first one is kept."""
    first = offer_package(stub, "tiny_one", "one.part", PARTS[0])
    offer = offer_of("tiny-public")
    assert (offer.size, offer.license, offer.terms) == ("3 MB", "Own", "https://example.org/terms")
    with pytest.raises(InputError, match=r"has its own terms: read https://example\.org/terms"):
        submit_fetch(queue, offer, accepted=False)
    job = submit_fetch(queue, offer, accepted=True)
    assert submit_fetch(queue, offer, accepted=True).id == job.id
    failed = carried_out(queue, job)
    assert failed.state == "failed"
    assert failed.error.startswith("The packages of tiny-public could not be installed (pip: ERROR: ")
    assert "check the network and try again" in failed.error
    assert len(failed.error.splitlines()) == 1
    assert not is_here("tiny-public")
    assert list((tmp_path / "site").iterdir()) == []
    assert kept(tmp_path) == ["tiny-public", f"tiny-public/{Path(first).name}"]
    offer_package(stub, "tiny_two", "two.part", PARTS[1])
    done = carried_out(queue, queue.retry(job.id))
    assert (done.state, done.error, done.total) == ("done", None, len(GGUF))
    assert done.result == {"said": "tiny-public is installed; it is described on https://example.org/card."}
    assert stub.times(first) == 1
    assert is_here("tiny-public")
    assert kept(tmp_path) == []


def files_of(tmp_path: Path) -> dict[str, bytes]:
    """A model in two shards of 2 and 24 MB."""
    folder = write_model(tmp_path / "model", weights=False)
    first, second = (f"model-0000{place}-of-00002.safetensors" for place in (1, 2))
    safetensors(folder / first, {"a": [500_000]})
    safetensors(folder / second, {"b": [6_000_000]})
    index = {"metadata": {}, "weight_map": {"a": first, "b": second}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def half_fetched(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "hf").rglob("*.incomplete"))


def test_a_hub_model_is_fetched_at_its_commit_and_the_second_go_does_the_rest(
    queue: Queue, stub: Stub, tmp_path: Path
) -> None:
    files = files_of(tmp_path)
    offer_model(stub, "org/name", files)
    first, second = (f"/org/name/resolve/{COMMIT}/model-0000{place}-of-00002.safetensors" for place in (1, 2))
    stub.hanging[second] = 12_000_000
    offer = offer_of("org/name")
    assert (offer.size, offer.terms) == ("of unknown size", "https://huggingface.co/org/name")
    job = submit_fetch(queue, offer, accepted=True)
    cancel_later = threading.Thread(target=cancel_when_half_there, args=(job.id,))
    cancel_later.start()
    assert carried_out(queue, job).state == "cancelled"
    cancel_later.join()
    assert not is_here("org/name")
    assert half_fetched(tmp_path) == []
    stub.hanging.clear()
    done = carried_out(queue, queue.retry(job.id))
    assert (done.state, done.error) == ("done", None)
    assert done.result == {"said": f"org/name is installed, at the revision {COMMIT}."}
    assert done.total == sum(map(len, files.values()))
    assert is_here("org/name")
    assert (stub.times(first), stub.times(second)) == (1, 2)


def test_a_connection_that_breaks_is_taken_up_again_where_it_broke(
    queue: Queue, stub: Stub, tmp_path: Path
) -> None:
    offer_model(stub, "org/name", files_of(tmp_path))
    weights = f"/org/name/resolve/{COMMIT}/model-00002-of-00002.safetensors"
    stub.broken[weights] = 12_000_000
    assert carried_out(queue, submit_fetch(queue, offer_of("org/name"), accepted=True)).state == "done"
    ranges = [wanted for path, wanted in stub.asked if path == weights]
    assert len(ranges) == 2
    assert ranges[0] == ""
    assert ranges[1].startswith("bytes=1")


def cancel_when_half_there(job_id: int) -> None:
    """Cancel a job once it has told of the bytes of a whole shard, and of some of the other."""
    own = Queue.open(settings().catalogue)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and own.get(job_id).done < 10_000_000:
        time.sleep(0.1)
    own.cancel(job_id)


def test_without_a_network_it_is_one_sentence(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    failed = carried_out(queue, submit_fetch(queue, offer_of("org/name"), accepted=True))
    assert failed.state == "failed"
    assert failed.error == (
        "The model org/name is not in the local cache, and the hub cannot be reached: check the network, "
        "or give a model directory."
    )


def test_who_may_not_ask_and_what_is_not_allowed(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    offer = offer_of("org/name")
    monkeypatch.setenv("PCF_AUDITORS", '["auditor@example.org"]')
    settings.cache_clear()
    with pytest.raises(RightsError):
        submit_fetch(queue.acting_for(Person(address="viewer@example.org")), offer, accepted=True)
    monkeypatch.delenv("PCF_AUDITORS")
    monkeypatch.setenv("PCF_ALLOWED_MODELS", '["mini-*"]')
    settings.cache_clear()
    with pytest.raises(ModelError, match="may not be used here"):
        submit_fetch(queue, offer, accepted=True)
    monkeypatch.delenv("PCF_ALLOWED_MODELS")
    monkeypatch.setenv("PCF_ALLOW_HUB", "0")
    settings.cache_clear()
    with pytest.raises(ModelError, match=r"downloads are off: switch PCF_ALLOW_HUB on"):
        submit_fetch(queue, offer, accepted=True)
    with pytest.raises(
        ModelError, match="cannot be downloaded: choose a public model of the list, or a hub id"
    ):
        offer_of("mini-gpt")
    assert queue.list() == ()


def test_a_disk_that_cannot_hold_it_is_said_before_anything_is_fetched(
    queue: Queue, stub: Stub, tmp_path: Path
) -> None:
    files = files_of(tmp_path)
    offer_model(stub, "org/name", files)
    weights = f"/org/name/resolve/{COMMIT}/model-00002-of-00002.safetensors"
    stub.said[weights] = 10**17
    failed = carried_out(queue, submit_fetch(queue, offer_of("org/name"), accepted=True))
    assert failed.error is not None
    assert "GB more in" in failed.error
    assert stub.times(weights) == 0
