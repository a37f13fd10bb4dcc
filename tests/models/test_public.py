"""Public models that come in packages: listed without their weights, found, joined, refused."""

from __future__ import annotations

import hashlib
import sys
from importlib import invalidate_caches
from pathlib import Path

import numpy as np
import pytest
import torch

from pcf_core.audit.preferences import preferences_of
from pcf_core.audit.results import load_result
from pcf_core.core.errors import ModelError
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import ROOT, settings
from pcf_core.models.gguf import describe_gguf, tokenizer_of
from pcf_core.models.loading import load
from pcf_core.models.public import PublicModel, gguf_files, public_model, public_models
from pcf_core.models.registry import list_models, resolve
from pcf_core.models.scoring.opening import open_scorer
from pcf_core.store.store import Store
from pcf_core.work.requests import require_at_hand
from tests.models.conftest import use
from tests.models.gguf_files import write_gguf
from tests.models.scoring.conftest import brute_force
from tools.ship_results import RUNS

SMOLLM2 = "SmolLM2-135M-Instruct-Q4_1"


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PublicModel:
    """A public model in two packages, neither of which is installed; the assets list it alone."""
    data = write_gguf(tmp_path / "tiny.gguf").read_bytes()
    spec = describe_gguf(tmp_path / "tiny.gguf", "tiny")
    assets = tmp_path / "assets"
    assets.mkdir()
    (assets / "public.toml").write_text(
        f"""[[model]]
name = "Tiny-F32"
title = "Tiny"
packages = ["tiny-a==1", "tiny-b==1"]
files = ["tiny_public_a/data/part00", "tiny_public_b/part01"]
sha256 = "{hashlib.sha256(data).hexdigest()}"
bytes = {len(data)}
family = "causal"
parameters = {spec.parameters}
context = {spec.context}
quantization = "F32"
chat_template = "{spec.chat_template}"
license = "MIT"
source = "made here"
"""
    )
    monkeypatch.setenv("PCF_ASSETS", str(assets))
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    (tmp_path / "site").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    settings.cache_clear()
    (model,) = public_models()
    return model


def _install(tmp_path: Path, *, turned: bool = False) -> None:
    """Both packages, whose code says that it ran."""
    data = (tmp_path / "tiny.gguf").read_bytes()
    parts = [data[:5000], data[5000:]][:: -1 if turned else 1]
    for folder, name, part in zip(("a/data", "b"), ("part00", "part01"), parts, strict=True):
        place = tmp_path / "site" / f"tiny_public_{folder}"
        place.mkdir(parents=True)
        (place / name).write_bytes(part)
        (tmp_path / "site" / f"tiny_public_{folder[0]}" / "__init__.py").write_text("raise SystemExit")
    invalidate_caches()


def test_a_model_is_known_without_its_package(tiny: PublicModel) -> None:
    (spec,) = list_models()
    assert resolve("Tiny-F32") == spec
    assert (spec.kind, spec.path, spec.title) == ("public", "", "Tiny (copy of the weights, F32)")
    for attempt in (lambda: load(spec, "cpu"), lambda: gguf_files(spec)):
        with pytest.raises(ModelError, match=r"not on this machine; fetch them with: .* models get Tiny-F32"):
            attempt()
    with pytest.raises(ModelError, match="not on this machine"):
        require_at_hand(spec, "exact")


def test_an_installed_package_is_read_and_not_run(tiny: PublicModel, tmp_path: Path) -> None:
    before = tiny.spec
    _install(tmp_path)
    spec = resolve("Tiny-F32")
    assert ScoringKey.of(spec) == ScoringKey.of(before)
    described = describe_gguf(tmp_path / "tiny.gguf", "Tiny-F32")
    assert described.model_copy(update={"path": spec.path, "kind": "public", "title": spec.title}) == spec
    assert load(spec, "cpu").model.config.model_type == "llama"
    assert not {"tiny_public_a", "tiny_public_b"} & set(sys.modules)


def test_other_bytes_than_those_of_the_list_are_refused(tiny: PublicModel, tmp_path: Path) -> None:
    _install(tmp_path, turned=True)
    with pytest.raises(ModelError, match="is not the one that was described"):
        load(tiny.spec, "cpu")


def test_a_damaged_list_is_refused(
    tiny: PublicModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "public.toml").write_text("[[model]]\nname = '../x'\n")
    use(monkeypatch, PCF_ASSETS=str(other))
    with pytest.raises(ModelError, match=r"list of public models .* cannot be read"):
        public_models()


def test_the_shipped_list(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ASSETS=str(ROOT / "assets"))
    models = public_models()
    assert [model.name for model in models][:1] == [SMOLLM2]
    pinned = (ROOT / "requirements-models.txt").read_text(encoding="utf8")
    for model in models:
        assert model.spec.tokenizer == tokenizer_of(model.sha256)
        assert bool(model.terms) == (model.license != "Apache-2.0")
        assert (model.packages[0] in pinned) != bool(model.terms), "nothing with terms comes unasked"


@pytest.mark.slow
@pytest.mark.parametrize("model", public_models(), ids=lambda model: model.name)
def test_an_installed_public_model(
    model: PublicModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its header says what the list says; its scores are those of one word at a time, and what is shipped."""
    if not model.located:
        pytest.skip(f"{model.name} is not installed: python -m pcf_core models get {model.name}")
    use(monkeypatch, PCF_ASSETS=str(ROOT / "assets"), PCF_CACHE=str(tmp_path))
    spec = model.spec
    scorer = open_scorer(spec, "exact")
    whole = tmp_path / "whole.gguf"
    whole.write_bytes(b"".join(path.read_bytes() for path in model.located))
    described = describe_gguf(whole, model.name)
    same = {"path": spec.path, "kind": "public", "title": spec.title, "notes": spec.notes}
    assert described.model_copy(update=same) == spec
    words, prompts = ["he", "she", "granddaughter"], ["The nurse said that [Y]", "[Y]", "A [Y] came."]
    loaded = load(spec, "cpu")
    with torch.inference_mode():
        alone = [[brute_force(loaded, "llama", prompt, word) for word in words] for prompt in prompts[:1]]
    assert np.allclose(scorer.score(prompts[:1], words), alone, atol=1e-4)
    store = Store.open(tmp_path / "store", [ROOT / "assets" / "cache"])
    for item in RUNS:
        if item.model == model.name:
            run, shipped = item.run, load_result(store, item.run)
            cells = np.random.default_rng(0).choice(run.cells, 2, replace=False)
            nats = scorer.score([run.prompts[cell] for cell in cells], shipped.words)
            again = preferences_of(nats, run.topic, shipped.words)
            found = shipped.preferences.values.reshape(run.cells, -1)[cells]
            assert np.abs(found - again).max() < 1e-4, item
    assert public_model(model.name) == model
