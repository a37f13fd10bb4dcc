"""Models named ``endpoint:…``: found by a probe, remembered, listed without blocking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError, ScoringError
from pcf_core.core.settings import settings
from pcf_core.models import endpoint as endpoints
from pcf_core.models.endpoint import open_endpoint
from pcf_core.models.registry import left_out_models, list_models, resolve
from tests.models.conftest import use
from tests.models.fake_servers import CompletionsServer, always, failing, serving, slowly
from tests.models.scoring.conftest import load_tiny

NAME = "endpoint:org/tiny"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[CompletionsServer]:
    monkeypatch.setattr(endpoints, "PAUSES", ())
    with serving(load_tiny("llama"), name="org/tiny") as running:
        use(monkeypatch, PCF_ENDPOINT_URL=running.url)
        yield running


def forget() -> None:
    """As another process would start."""
    endpoints._answers.clear()


def test_what_a_specification_says(server: CompletionsServer) -> None:
    spec = resolve(NAME)
    assert (spec.name, spec.family, spec.path, spec.dtype) == (NAME, "endpoint", server.url, "server")
    assert spec.identity.startswith("unpinned:")
    assert spec.tokenizer.startswith("unpinned:")
    assert (spec.parameters, spec.context) == (0, 160)
    assert "Unpinned" in spec.notes
    assert spec.with_dtype("bfloat16") == spec


def test_it_is_probed_once_in_a_while(server: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = resolve(NAME)
    asked = len(server.requests)
    assert resolve(NAME) == spec
    assert len(server.requests) == asked
    monkeypatch.setattr(endpoints.time, "monotonic", lambda: 1e12)
    assert resolve(NAME) == spec
    assert len(server.requests) > asked


def test_another_model_is_another_identity(server: CompletionsServer) -> None:
    first = resolve(NAME)
    server.loaded = load_tiny("opt")
    forget()
    second = resolve(NAME)
    assert second.identity != first.identity
    assert second.tokenizer != first.tokenizer
    with pytest.raises(
        ModelError, match=r"is not the one that was asked for \(unpinned:.*ask for the run again"
    ):
        open_endpoint(first)
    assert open_endpoint(second).spec == second


def test_another_address_is_another_identity(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = resolve(NAME)
    with serving(load_tiny("llama"), name="org/tiny") as other:
        use(monkeypatch, PCF_ENDPOINT_URL=other.url)
        assert resolve(NAME).identity != first.identity


def test_what_was_found_outlives_the_server(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = resolve(NAME)
    server.fault = always(500, {})
    forget()
    assert resolve(NAME) == spec
    with pytest.raises(ScoringError, match="does not answer"):
        open_endpoint(spec)
    monkeypatch.delenv("PCF_ENDPOINT_URL")
    settings.cache_clear()
    assert resolve(NAME) == spec
    use(monkeypatch, PCF_ENDPOINT_URL="http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match="does not answer"):
        resolve(NAME)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"endpoint:org/tiny": 3}', '{"endpoint:org/tiny": {"a": 1}}']
)
def test_a_damaged_memory_is_no_memory(server: CompletionsServer, text: str) -> None:
    settings().cache.mkdir(parents=True)
    (settings().cache / "endpoints.json").write_text(text)
    spec = resolve(NAME)
    forget()
    server.fault = failing(500)
    assert resolve(NAME) == spec


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    use(monkeypatch, PCF_CACHE=str(tmp_path / "file"))
    assert resolve(NAME).name == NAME


def test_a_page_does_not_wait_as_long_as_a_run(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "FIRST_PATIENCE", 0.2)
    server.fault = slowly(1)
    with pytest.raises(ModelError, match=r"no answer within 0\.2 s"):
        resolve(NAME)


def test_none_is_set() -> None:
    with pytest.raises(ModelError, match="none is set: set PCF_ENDPOINT_URL"):
        resolve(NAME)
    assert list_models() == ()


@pytest.mark.parametrize("name", ["endpoint:", "endpoint:other", "endpoint:org/tin y\n"])
def test_a_model_that_is_not_served(server: CompletionsServer, name: str) -> None:
    with pytest.raises(ModelError, match="it serves: org/tiny"):
        resolve(name)


def test_the_list_asks_for_names_alone(server: CompletionsServer) -> None:
    (listed,) = list_models()
    assert (listed.name, listed.identity) == (NAME, "unpinned")
    assert {path for path, _ in server.requests} == {"/v1/models"}
    spec = resolve(NAME)
    asked = len(server.requests)
    assert list_models() == (spec,)
    assert left_out_models() == ()
    assert len(server.requests) == asked


def test_a_model_that_cannot_be_scored_is_left_out_with_the_reason(server: CompletionsServer) -> None:
    server.shape = "none"
    with pytest.raises(ModelError, match="no usable log-probabilities"):
        resolve(NAME)
    assert list_models() == ()
    (left_out,) = left_out_models()
    assert left_out.name == NAME
    assert "no usable log-probabilities" in left_out.reason


def test_a_server_that_is_down_is_left_out_and_not_asked_again(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fault = always(500, {})
    assert list_models() == ()
    asked = len(server.requests)
    (left_out,) = left_out_models()
    assert "does not answer (500" in left_out.reason
    assert len(server.requests) == asked


def test_a_gateway_with_many_models_is_cut_short(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "MOST_LISTED", 2)
    cards = {"data": [{"id": f"m{number}"} for number in range(5)]}
    server.fault = always(200, cards)
    assert [spec.name for spec in list_models()] == ["endpoint:m0", "endpoint:m1"]
    assert "serves 3 more models" in left_out_models()[0].reason


def test_a_model_that_is_not_allowed_is_not_asked(
    server: CompletionsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = resolve(NAME)
    forget()
    asked = len(server.requests)
    use(monkeypatch, PCF_ALLOWED_MODELS="mini-*")
    assert resolve(NAME) == spec  # its results can be read
    with pytest.raises(ModelError, match="endpoint:org/other may not be asked"):
        resolve("endpoint:org/other")
    with pytest.raises(ModelError, match="endpoint:org/other may not be asked"):
        endpoints.known_chat("endpoint:org/other")
    assert len(server.requests) == asked
