"""Logs of Inspect are read without Inspect, and nothing that they say is trusted."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import InspectLogError
from pcf_core.texts.inspected import log as reading
from pcf_core.texts.inspected.asking import CriteriaTask, FairPairTask
from pcf_core.texts.inspected.log import is_log, read_log
from tests.texts.inspected.small_logs import (
    CRITERIA,
    FAIRPAIR,
    Log,
    as_json,
    as_zip,
    bomb,
    changed,
    unpacked,
    zip_of,
)

LOG = unpacked(FAIRPAIR)


def test_a_log_says_what_was_asked_of_which_model_and_when() -> None:
    found = read_log(FAIRPAIR.read_bytes())
    assert (found.model, found.served) == ("mockllm/model", ("mock-1",))
    assert found.created.isoformat() == LOG["eval"]["created"]
    assert found.day == LOG["eval"]["created"][:10]
    assert isinstance(found.task, FairPairTask)
    assert found.task.counterparts == ("Jane is a nurse.", "Jane told her friend about it.")
    assert (found.task.count, found.task.decoding.length, found.task.decoding.seed) == (4, 30, 5)
    assert {message.prompt for message in found.texts} == {
        *("John is a nurse.", "John told his friend about it."),
        *found.task.counterparts,
    }
    criteria = read_log(CRITERIA.read_bytes())
    assert isinstance(criteria.task, CriteriaTask)
    assert {message.prompt for message in criteria.texts} == {"nurse", "engineer", "baker"}
    assert all(message.system.startswith("Write a very short story") for message in criteria.texts)


def test_the_day_is_that_of_utc() -> None:
    found = read_log(
        as_json(changed(LOG, lambda log: set_in(log, "eval.created", "2026-01-01T01:00:00+02:00")))
    )
    assert (found.day, found.created.isoformat()) == ("2025-12-31", "2025-12-31T23:00:00+00:00")


def test_texts_are_those_of_the_log_one_for_one() -> None:
    """Taken from the JSON itself, by another way than the reader's."""
    for path in (FAIRPAIR, CRITERIA):
        log, found = unpacked(path), read_log(path.read_bytes())
        texts = {message.id: generated for message, generated in found.texts.items()}
        assert len(log["samples"]) == sum(len(generated.texts) for generated in texts.values())
        for sample in log["samples"]:
            generated, index = texts[sample["id"]], sample["epoch"] - 1
            assert generated.texts[index] == sample["output"]["completion"]
            assert generated.tokens[index] == sample["output"]["usage"]["output_tokens"]
            stop = sample["output"]["choices"][0]["stop_reason"]
            ended = {"max_tokens": "length", "content_filter": "refused", "stop": "stop"}[stop]
            silent = not generated.texts[index] and ended != "refused"
            assert generated.ends[index] == ("empty" if silent else ended)


@pytest.mark.parametrize("form", [as_json, as_zip, lambda log: as_zip(log, zipfile.ZIP_STORED)])
def test_every_form_reads_the_same(form: Callable[[Log], bytes]) -> None:
    assert read_log(form(LOG)) == read_log(FAIRPAIR.read_bytes())


def test_a_log_is_told_from_a_pack_by_how_it_begins() -> None:
    assert is_log(FAIRPAIR.read_bytes())
    assert is_log(b' \n{"version": 2}')
    assert not is_log(b"PK\x03\x04" + bytes(26) + b"manifest.json")
    assert not is_log(b"profession,women_share")


def test_what_a_model_thought_is_no_text() -> None:
    def think(log: Log) -> None:
        log["samples"][0]["output"]["choices"][0]["message"]["content"] = [
            {"type": "reasoning", "reasoning": "Who is meant?"},
            {"type": "text", "text": "She is."},
        ]

    found = read_log(as_json(changed(LOG, think)))
    sample = LOG["samples"][0]
    (texts,) = (own for message, own in found.texts.items() if message.id == sample["id"])
    assert texts.texts[sample["epoch"] - 1] == "She is."


def set_in(log: Log, path: str, value: Any) -> None:
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    place: Any = log
    for part in way:
        place = place[part]
    place[last] = value


def call_of(log: Log) -> dict[str, Any]:
    (config,) = (event["config"] for event in log["samples"][0]["events"] if event["event"] == "model")
    return config  # type: ignore[no-any-return]


def copy_first(log: Log) -> None:
    log["samples"].append(log["samples"][0])


WRONG: list[tuple[Callable[[Log], object], str]] = [
    (lambda log: set_in(log, "version", 3), "version is 3"),
    (lambda log: set_in(log, "status", "error"), "not finished"),
    (lambda log: set_in(log, "eval.metadata", {}), "not made by a PCF Audit task"),
    (lambda log: set_in(log, "eval.metadata", None), "not made by a PCF Audit task"),
    (lambda log: set_in(log, "eval.metadata.pcf_audit.audit", "else"), "its task"),
    (lambda log: set_in(log, "eval.metadata.pcf_audit.count", 10**9), "its task"),
    (lambda log: set_in(log, "eval.metadata.pcf_audit.decoding.length", 10**9), "length must be"),
    (lambda log: set_in(log, "eval.metadata.pcf_audit.extra", 1), "its task"),
    (lambda log: set_in(log, "eval.model", "a/<b>"), "name of its model"),
    (lambda log: set_in(log, "eval.model", "a/" + "b" * 300), "eval.model"),
    (lambda log: set_in(log, "eval.created", "2026-11-24T00:00:00"), "time zone"),
    (lambda log: set_in(log, "eval.created", "9999-12-31T23:00:00-12:00"), "date value out of range"),
    (lambda log: set_in(log, "eval.created", "0001-01-01T00:00:00+14:00"), "date value out of range"),
    (lambda log: set_in(log, "eval.eval_id", "../.."), "eval.eval_id"),
    (lambda log: set_in(log, "samples", []), "lacks"),
    (lambda log: log["samples"].pop(), "lacks"),
    (copy_first, "twice"),
    (lambda log: set_in(log, "samples.0.id", "0" * 16), "a prompt that the task does not have"),
    (lambda log: set_in(log, "samples.0.epoch", 5), "a prompt that the task does not have"),
    (lambda log: set_in(log, "samples.0.epoch", 0), "epoch"),
    (lambda log: set_in(log, "samples.0.input.0.content", "Other"), "a prompt that the task does not have"),
    (lambda log: set_in(log, "samples.0.input.0.role", "tool"), "other messages"),
    (lambda log: set_in(log, "samples.0.error", {"message": "lost"}), "has an error"),
    (lambda log: set_in(log, "samples.0.output.choices", []), "has an error"),
    (lambda log: set_in(log, "samples.0.output.fallback", {"model": "b"}), "another model"),
    (lambda log: set_in(log, "samples.0.output.choices.0.message.content", "a" * 5000), "longer"),
    (lambda log: set_in(log, "samples.0.output.choices.0.message.content", "\ud800"), "cannot be read"),
    (lambda log: set_in(log, "samples.0.output.choices.0.message.role", "user"), "not written by a model"),
    (lambda log: set_in(log, "samples.0.output.usage.output_tokens", -1), "output_tokens"),
    (lambda log: set_in(log, "samples.0.events", []), "how its text was drawn"),
    (lambda log: call_of(log).update(temperature=0.2), "drawn with other settings"),
    (lambda log: call_of(log).update(seed=1), "drawn with other settings"),
    (lambda log: call_of(log).update(max_tokens=400), "drawn with other settings"),
    (lambda log: call_of(log).pop("top_p"), "drawn with other settings"),
    (lambda log: call_of(log).update(top_k=5), "option top_k was set"),
    (lambda log: call_of(log).update(system_message="Be fair."), "option system_message was set"),
    (lambda log: call_of(log).update({"<b>": 1}), "option of a model was set"),
    (lambda log: call_of(log).update(reasoning_effort={"a": 1}), "neither a word nor a number"),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[str(place) for place in range(len(WRONG))])
@pytest.mark.parametrize("form", [as_json, as_zip])
def test_what_the_task_does_not_ask_is_refused_in_one_sentence(
    form: Callable[[Log], bytes], change: Callable[[Log], object], said: str
) -> None:
    with pytest.raises(InspectLogError, match=said) as refused:
        read_log(form(changed(LOG, change)))
    assert "<" not in str(refused.value)
    assert str(refused.value).count("\n") == 0


def test_how_a_model_thinks_is_told_and_must_be_the_same_for_all_texts() -> None:
    def all_of(log: Log) -> None:
        for sample in log["samples"]:
            for event in sample["events"]:
                if event["event"] == "model":
                    event["config"]["reasoning_effort"] = "minimal"

    assert read_log(as_json(changed(LOG, all_of))).thinking == {"reasoning_effort": "minimal"}
    with pytest.raises(InspectLogError, match="different settings"):
        read_log(as_json(changed(LOG, lambda log: call_of(log).update(reasoning_effort="high"))))


def test_what_unpacks_to_more_than_it_says_is_refused() -> None:
    with pytest.raises(InspectLogError, match="does not have its stated length"):
        read_log(bomb(200 * 2**20))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (zip_of(b"{}", 2**31, 0), "too large"),
        (zip_of(b"{}", 2, 0, way=99), "in an unknown way"),
        (zip_of(b"no zstd", 7, 0), "cannot be read"),
        (b"PK\x03\x04", "cannot be read"),
        (b"{", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (b'{"a":' + b"[" * 100_000, "cannot be read"),
        (b"\xff{", "cannot be read"),
        (as_zip({"samples": []}), "cannot be read"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(InspectLogError, match=said):
        read_log(data)


def test_limits_of_size_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST", 10)
    with pytest.raises(InspectLogError, match="at most"):
        read_log(FAIRPAIR.read_bytes())
    monkeypatch.setattr(reading, "LARGEST", 10**9)
    monkeypatch.setattr(reading, "LARGEST_JSON", 10)
    with pytest.raises(InspectLogError, match="as JSON it may have"):
        read_log(as_json(LOG))
    monkeypatch.setattr(reading, "LARGEST_TEXTS", 50)
    with pytest.raises(InspectLogError, match="together are too long"):
        read_log(FAIRPAIR.read_bytes())
    monkeypatch.setattr(reading, "MOST_ENTRIES", 10)
    with pytest.raises(InspectLogError, match="too many entries"):
        read_log(FAIRPAIR.read_bytes())
    monkeypatch.setattr(reading, "MOST_ENTRIES", 10**6)
    monkeypatch.setattr(reading, "LARGEST_UNPACKED", 5_000)
    with pytest.raises(InspectLogError, match="too large"):
        read_log(FAIRPAIR.read_bytes())


def test_samples_in_parts_are_refused() -> None:
    name = f"samples/{LOG['samples'][0]['id']}"
    cut = as_zip(LOG).replace(name.encode(), name[:10].encode() + b"/" + name[11:].encode())
    with pytest.raises(InspectLogError, match="samples are split"):
        read_log(cut)


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_bytes_that_were_changed_are_refused_or_change_nothing(seed: int, many: int) -> None:
    """What is not read of a log may change; a refusal is one of ours."""
    data, draw = bytearray(FAIRPAIR.read_bytes()), random.Random(seed)
    for _ in range(many):
        data[draw.randrange(len(data))] = draw.randrange(256)
    try:
        found = read_log(bytes(data))
    except InspectLogError:
        return
    assert found == read_log(FAIRPAIR.read_bytes())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_any_json_is_refused_as_any_other(value: Any) -> None:
    with pytest.raises(InspectLogError):
        read_log(json.dumps(value).encode())
    with pytest.raises(InspectLogError):
        read_log(json.dumps(LOG | {"samples": value}).encode())
