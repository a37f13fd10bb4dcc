"""The text audits' pages with a real server on loopback that only writes: in a chat, or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pcf_core.core.settings import Settings, settings
from pcf_core.models.endpoint import known_chat
from pcf_core.models.generation.opening import open_generator
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.worker import Worker
from tests.models.generation.text_server import TextServer, serving_texts
from tests.models.scoring.completions_server import failing
from tests.pages.opened import open_app, own_queue, own_store

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
ASKED: dict[str, str | list[str]] = {"cr_model": "endpoint:tiny", "cr_view": "tasks", "cr_repeats": "1"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    """It answers at both addresses and tells no log-probabilities."""
    with serving_texts() as running:
        monkeypatch.setenv("PCF_ENDPOINT_URL", running.url)
        monkeypatch.setenv("PCF_ENDPOINT_CONCURRENCY", "8")
        monkeypatch.setattr("pcf_core.models.endpoint.PAUSES", (0.01,))
        settings.cache_clear()
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "caption", "wording"),
    [
        (CHAT, "answers messages: it is given an instruction", "instruction"),
        (COMPLETIONS, "answers no messages: it goes on from the beginning of a text", "continuation"),
    ],
)
def test_an_endpoint_that_only_writes_is_asked_as_it_can_be(
    server: TextServer, own_settings: Settings, path: str, caption: str, wording: str
) -> None:
    server.paths = {path}
    server.says = lambda prompt, seed: f"The nurse did it, the {seed % 7}th time."
    app = open_app("criteria", **ASKED)
    assert not app.error
    assert caption in app.captions.replace("*", "")
    app.press("criteria_button")
    store, queue = own_store(), own_queue()
    Worker(store, queue, own_settings, open_generator=open_generator).run(until_idle=True)
    [request] = CRITERIA_AUDIT.kept(store)
    assert request.wording == wording
    assert len(open_app("criteria", **ASKED).metric) == 4
    assert path in {body_path for body_path, _ in server.requests}


def test_an_instruction_that_no_server_takes_has_a_remedy(server: TextServer) -> None:
    server.paths = {COMPLETIONS}
    app = open_app("criteria", **ASKED, cr_wording="instruction")
    remedy = "its server answers none: choose the wording “given a beginning”"
    assert remedy in app.captions.replace("*", "")


def test_a_server_that_is_down_is_said_and_asked_again_later(
    server: TextServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    works, server.fault = server.fault, failing(503)
    app = open_app("criteria", **ASKED)
    assert not app.error
    assert "did not say whether it answers them" in app.captions.replace("*", "")
    server.fault = works
    assert known_chat("endpoint:tiny") is None  # remembered for a while
    monkeypatch.setattr("pcf_core.models.endpoint._chats", {})
    assert known_chat("endpoint:tiny") is True
    number = len(server.requests)
    assert known_chat("endpoint:tiny") is True
    assert len(server.requests) == number


@pytest.mark.parametrize("chat", ["true", "false"])
def test_fairpair_asks_it_too(server: TextServer, chat: str) -> None:
    app = open_app("fairpair", fp_model="endpoint:tiny", fp_chat=chat)
    assert not app.error
    assert "endpoint:tiny" in app.texts
    assert app.button(key="fairpair_button").label
