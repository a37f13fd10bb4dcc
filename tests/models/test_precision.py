"""Which number type a model computes with: by name, and what ``auto`` is on which machine."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pcf_core.core.run import ModelSpec, model_label, split_label
from pcf_core.core.settings import Settings
from pcf_core.models import names
from pcf_core.models.folder import describe
from pcf_core.models.loading import TYPES
from pcf_core.models.names import DTYPES, PRECISIONS, automatic, capability, in_precision, precisions_of
from tests.models.conftest import edit, use, write_model

OWN = ModelSpec(name="m", family="causal", path="", identity="i", tokenizer="t", own_dtype="bfloat16")


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Let the driver's program be a script of these lines."""
    monkeypatch.setattr(names, "version", lambda name: "2.9.0")  # a torch for GPUs

    def answers(script: str) -> None:
        program = tmp_path / "nvidia-smi"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(names, "PROBE", (str(program), *names.PROBE[1:]))
        names._capability.cache_clear()

    yield answers
    names._capability.cache_clear()


@pytest.mark.parametrize(
    ("own", "capable", "expected"),
    [
        ("bfloat16", None, "float32"),
        ("bfloat16", 9.0, "bfloat16"),
        ("bfloat16", 8.0, "bfloat16"),
        ("bfloat16", 7.5, "float32"),
        ("float16", 7.5, "float16"),
        ("float16", 5.0, "float32"),
        ("float32", 9.0, "float32"),
    ],
)
def test_auto_is_the_models_own_on_a_gpu_that_has_it(own: str, capable: float | None, expected: str) -> None:
    assert automatic(own, capable) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo 9.0", 9.0),
        ("echo 8.9; echo 7.5", 7.5),  # the worker may take either
        ("echo 'NVIDIA-SMI has failed'; exit 9", None),
        ("echo '[N/A]'", None),
        ("true", None),
    ],
)
def test_the_driver_says_what_its_gpus_can_do(probe, script: str, expected: float | None) -> None:
    probe(script)
    assert capability(Settings(device="auto")) == expected


def test_without_a_driver_or_with_a_torch_that_cannot_use_it_there_is_no_gpu(
    probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe("echo 9.0")
    with monkeypatch.context() as patch:
        patch.setattr(names, "version", lambda name: "2.9.0+cpu")
        assert capability(Settings(device="auto")) is None
    monkeypatch.setattr(names, "PROBE", ("no-such-program",))
    names._capability.cache_clear()
    assert capability(Settings(device="auto")) is None


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"device": "cpu"}, None),
        ({"device": "mps"}, None),
        ({"engine": "ray"}, None),
        ({"device": "cuda:1"}, 9.0),
    ],
)
def test_the_settings_say_what_a_worker_uses(probe, chosen: dict[str, str], expected: float | None) -> None:
    probe("echo 9.0")
    assert capability(Settings.model_validate(chosen)) == expected


def test_a_name_is_taken_and_auto_stands_for_any_result(
    probe, own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe("echo 9.0")
    assert in_precision(OWN, "auto").dtype == "bfloat16"
    assert in_precision(OWN, "float16") == OWN.with_dtype("float16")
    assert [one.dtype for one in precisions_of(OWN, "auto")] == ["bfloat16", "float32", "float16"]
    assert [one.dtype for one in precisions_of(OWN, "float32")] == ["float32"]
    use(monkeypatch, PCF_DEVICE="cpu")
    assert [one.dtype for one in precisions_of(OWN, "auto")] == ["float32", "bfloat16", "float16"]
    with pytest.raises(KeyError):
        in_precision(OWN, "int8")


def test_a_server_alone_decides_its_precision(own_settings: Settings) -> None:
    served = OWN.model_copy(update={"family": "endpoint", "dtype": "server"})
    assert [precisions_of(served, precision_) for precision_ in PRECISIONS] == [(served,)] * len(PRECISIONS)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"torch_dtype": "bfloat16"}, "bfloat16"),
        ({"dtype": "float16", "torch_dtype": "bfloat16"}, "float16"),
        ({"text_config": {"dtype": "bfloat16"}}, "bfloat16"),
        ({"dtype": "float64"}, "float32"),
        ({"dtype": ["bfloat16"], "text_config": 3}, "float32"),
        ({}, "float32"),
    ],
)
def test_the_own_precision_is_that_of_the_configuration(
    tmp_path: Path, config: dict[str, object], expected: str
) -> None:
    spec = describe(edit(write_model(tmp_path / "m"), **config), "m")
    assert (spec.own_dtype, spec.dtype) == (expected, "float32")


def test_every_precision_is_one_that_weights_are_loaded_in() -> None:
    assert set(TYPES) == set(DTYPES)


def test_a_label_says_the_precision_where_it_is_not_float32() -> None:
    labels = [model_label("m", dtype) for dtype in ("float32", "auto", "server", "bfloat16")]
    assert labels == ["m", "m", "m", "m (bfloat16)"]
    assert [split_label(label) for label in ("m", "m (bfloat16)", "/models/m (2)")] == [
        ("m", "float32"),
        ("m", "bfloat16"),
        ("/models/m (2)", "float32"),
    ]
