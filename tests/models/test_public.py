"""What the assets say of public models: those of the hub, ready comparisons, and those in packages."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from importlib import invalidate_caches
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from pydantic import ValidationError

from pcf_core.audit.preferences import preferences_of
from pcf_core.audit.results import load_result
from pcf_core.core.errors import ModelError, SettingsError
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import ROOT
from pcf_core.models.family import context_of, read_family
from pcf_core.models.frames import framed
from pcf_core.models.gguf import describe_gguf, tokenizer_of
from pcf_core.models.loading import load
from pcf_core.models.names import NAME, KnownModel, all_series, known_model, known_models, split_name
from pcf_core.models.presets import Preset, preset_of, presets, written_presets
from pcf_core.models.public import PublicModel, gguf_files, public_model, public_models
from pcf_core.models.registry import list_models, resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.store.store import Store
from pcf_core.work.requests import require_at_hand
from tests.models.conftest import use
from tests.models.gguf_files import write_gguf
from tests.models.scoring.conftest import TWINS, brute_force
from tools.ship_results import PUBLIC, RUNS

PAPERS = (
    ("OPT-IML", 30_000, 0.02),
    ("Baichuan", 13_000, 0.03),
    ("Llama 2", 7_000, 0.0),
    ("ChatGLM2", 6_000, 0.0),
    ("T5", 220, 0.0),
    ("BART", 139, 0.0),
    ("GPT-2", 137, 0.0),
    ("RoBERTa", 125, 0.0),
    ("XLNet", 117, 0.0),
    ("BERT", 110, 0.0),
    ("DistilBERT", 67, 0.0),
    ("ALBERT", 11.8, 0.0),
)


@pytest.fixture(autouse=True)
def _shipped_assets(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ASSETS=str(ROOT / "assets"))


def test_the_papers_twelve_with_the_sizes_that_they_state() -> None:
    """BVF 4.1, in its order; a more exact number of a model's maker may differ by 3 %."""
    papers = [model for model in known_models() if model.group == "Papers"]
    for model, (title, millions, tolerance) in zip(papers, PAPERS, strict=True):
        assert model.title.startswith(title)
        assert model.parameters == pytest.approx(millions * 1e6, rel=tolerance)


def test_base_and_aligned_are_declared_size_by_size() -> None:
    """BVF Figure 8, and the series that people ask for: each pair of one size, under one license."""
    by_name = {one.name: one for one in all_series()}
    assert by_name["llama-2"].models == tuple(
        f"meta-llama/Llama-2-{size}{kind}-hf" for size in ("7b", "13b", "70b") for kind in ("", "-chat")
    )
    for pair in (pair for one in by_name.values() for pair in one.pair):
        base, aligned = known_model(pair.base), known_model(pair.aligned)
        assert base is not None
        assert aligned is not None
        assert base.license
        assert [getattr(base, fact) for fact in SHARED] == [getattr(aligned, fact) for fact in SHARED]


SHARED = ("license", "gated", "architecture")  # by a base and an aligned checkpoint
KNOWN_ENTRY = """[[model]]
name = "org/{name}"
title = "T"
group = "Current"
family = "causal"
architecture = "LlamaForCausalLM"
parameters = {parameters}
context = 8
language = "en"
verified = "twin"
source = "https://example.org/card"
"""
SERIES = """[[series]]
name = "{name}"
title = "S"
[[series.pair]]
base = "org/{base}"
aligned = "org/{aligned}"
"""


def series(name: str, base: str, aligned: str) -> str:
    return SERIES.format(name=name, base=base, aligned=aligned)


def entry(name: str, more: str = "") -> str:
    return KNOWN_ENTRY.format(name=name, parameters=7) + more


UNKNOWN_MODEL = "a series has org/d, which is not a model of this file"
UNEQUAL_SIZES = "pairs org/a and org/c, which must have the same number of parameters; got 7 and 9"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (series("s", "a", "d"), UNKNOWN_MODEL),
        (series("s", "a", "c"), UNEQUAL_SIZES),
        (series("s", "a", "a"), "org/a is in two pairs"),
        (series("s", "a", "b") * 2, "two series have one name"),
        (series("S", "a", "b"), "series.0.name: String should match pattern"),
        ('[[series]]\nname = "s"\ntitle = "S"\npair = []\n', "at least 1 item"),
        ('[[series]]\nname = "s"\ntitle = "S"\n', "series.0.pair: Field required"),
        (entry("a"), "a model is listed twice"),
        (entry("e", 'license = "Own"\n'), "org/e: terms must be the address"),
        (entry("e", 'license = "MIT"\nterms = "https://x.y"\n'), "and empty if it is"),
    ],
)
def test_what_no_registry_can_hold_is_one_clear_sentence(
    more: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"a": 7, "b": 7, "c": 9}
    models = "".join(KNOWN_ENTRY.format(name=name, parameters=size) for name, size in sizes.items())
    (tmp_path / "models.toml").write_text(models + more)
    use(monkeypatch, PCF_ASSETS=str(tmp_path))
    with pytest.raises(ModelError, match=r"registry .* cannot be read") as caught:
        all_series()
    assert reason in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_verified_by_a_twin_is_what_the_tests_hold() -> None:
    """Of each class a tiny model is held against a brute force."""
    classes = {twin.model for twin in TWINS.values()}
    for model in known_models():
        assert (model.verified == "twin") == (model.architecture in classes), model.name


@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)
def test_each_entry_agrees_with_the_library_and_names_its_source(model: KnownModel) -> None:
    assert re.search(r"https://\S+/\S+", model.source)
    assert split_name(model.name).is_hub_id
    assert not split_name(model.name).revision
    assert not re.search(r"[0-9a-f]{40}|refs/pr", model.source + model.advice)
    if model.remote_code:
        assert not hasattr(transformers, model.architecture)
        assert "unproven" in model.advice
        assert "endpoint" in model.advice
    else:
        assert hasattr(transformers, model.architecture)
        assert read_family({"architectures": [model.architecture]}, model.name).families == (model.family,)


@pytest.mark.parametrize("name", ["bert-base-uncased", "distilbert-base-uncased", "albert-base-v2", "gpt2"])
def test_contexts_are_those_of_the_default_configurations(name: str) -> None:
    """Second opinion: the library's defaults are the configurations of these checkpoints."""
    model = next(model for model in known_models() if model.name.endswith(f"/{name}"))
    config = getattr(transformers, model.architecture).config_class()
    assert context_of(config.to_dict()) == model.context


def test_memory_is_parameters_times_bytes() -> None:
    model = known_model("openai-community/gpt2-xl")
    assert model is not None
    assert [model.memory(dtype) for dtype in ("float32", "bfloat16", "float16")] == [6e9, 3e9, 3e9]
    assert known_model("nobody/nothing") is None


# The ready comparisons: what is shipped, and what one of them must be.


PAIR = {"first": "a", "second": "b", "change": "from b to a"}
GOOD = {"name": "two", "title": "Two", "models": ("a", "b"), "axis": "models", "help": "h", "caution": "c"}


def everything() -> list[SimpleNamespace]:
    """A registry that knows every model of every ready comparison."""
    return [SimpleNamespace(name=model) for preset in written_presets() for model in preset.models]


def test_the_shipped_comparisons() -> None:
    """The public models, and three of the papers' questions with the claims of BVF Figures 6, 7 and 8."""
    shipped = {preset.name: preset for preset in written_presets()}
    assert shipped["public"].models == PUBLIC
    assert [pair.claim is None for pair in shipped["size"].pair] == [False, True, True]  # an overall trend
    claims = {
        pair.claim.figure: (pair.first, pair.claim.prejudice, pair.claim.caprice)
        for preset in shipped.values()
        for pair in preset.pair
        if pair.claim
    }
    assert claims == {
        6: ("mini-gpt-skewed", "up", "down"),
        7: ("mini-gpt-l", "up", "down"),
        8: ("mini-gpt-balanced", "down", "up"),
    }
    assert all(NAME.fullmatch(model) for preset in shipped.values() for model in preset.models)


def test_one_of_which_a_model_is_not_known_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [SimpleNamespace(name=f"mini-gpt{end}") for end in ("", "-s", "-skewed", "-balanced")]
    monkeypatch.setattr("pcf_core.models.presets.list_models", lambda: listed)
    assert [preset.name for preset in presets()] == ["skewed-balanced"]
    assert preset_of(["mini-gpt-l", "mini-gpt-s", "mini-gpt"]) is None
    listed.append(SimpleNamespace(name="mini-gpt-l"))
    assert [preset.name for preset in presets()] == ["size", "skewed-balanced"]


def test_a_choice_is_known_in_any_order_and_only_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.models.presets.list_models", everything)
    size = preset_of(["mini-gpt-l", "mini-gpt-s", "mini-gpt"])
    assert size is not None
    assert size.name == "size"
    assert preset_of(["mini-gpt-l", "mini-gpt-s"]) is None
    assert preset_of(["mini-gpt-l", "mini-gpt-s", "mini-gpt", "mini-bert"]) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"models": ("a", "a")}, "names a model twice"),
        ({"models": ("a",)}, "at least 2"),
        ({"pair": (PAIR | {"second": "c"},)}, "not two of its models"),
        ({"pair": (PAIR | {"second": "a"},)}, "not two of its models"),
        ({"pair": (PAIR, PAIR)}, "has a pair twice"),
        ({"axis": "topic"}, "'models', 'size' or 'base and aligned'"),
        ({"surprise": 1}, "Extra inputs"),
    ],
)
def test_what_no_comparison_can_be(change: dict[str, object], reason: str) -> None:
    assert Preset.model_validate(GOOD | {"pair": (PAIR,)}).compared == (("a", "b"),)
    with pytest.raises(ValidationError, match=reason):
        Preset.model_validate(GOOD | change)


# Public models that come in packages: listed without their weights, found, joined, refused.


SMOLLM2 = "SmolLM2-135M-Instruct-Q4_1"


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PublicModel:
    """A public model in two packages, neither of which is installed; the assets list it alone."""
    data = write_gguf(tmp_path / "tiny.gguf").read_bytes()
    spec = describe_gguf(tmp_path / "tiny.gguf", "tiny")
    facts: dict[str, Any] = {
        "name": "Tiny-F32",
        "title": "Tiny",
        "packages": ["tiny-a==1", "tiny-b==1"],
        "files": ["tiny_public_a/data/part00", "tiny_public_b/part01"],
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "family": "causal",
        "quantization": "F32",
        "license": "MIT",
        "source": "made here",
        **{name: getattr(spec, name) for name in ("parameters", "context", "chat_template")},
    }
    (tmp_path / "site").mkdir()
    (tmp_path / "listed").mkdir()
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in facts.items()]
    (tmp_path / "listed" / "public.toml").write_text("[[model]]\n" + "".join(lines))
    use(monkeypatch, PCF_ASSETS=str(tmp_path / "listed"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    (model,) = public_models()
    return model


def _install(tmp_path: Path, *, turned: bool = False) -> None:
    """Both packages, whose code says that it ran."""
    data = (tmp_path / "tiny.gguf").read_bytes()
    parts = [data[:5000], data[5000:]][:: -1 if turned else 1]
    for folder, name, part in zip(("a/data", "b"), ("part00", "part01"), parts, strict=True):
        target = tmp_path / "site" / f"tiny_public_{folder}"
        target.mkdir(parents=True)
        (target / name).write_bytes(part)
        (tmp_path / "site" / f"tiny_public_{folder[0]}" / "__init__.py").write_text("raise SystemExit")
    invalidate_caches()


def test_a_model_is_known_without_its_package(tiny: PublicModel) -> None:
    (spec,) = list_models()
    assert resolve("Tiny-F32") == spec
    assert (spec.kind, spec.path, spec.title) == ("public", "", "Tiny (copy of the weights, F32)")
    for attempt in (lambda: load(spec, "cpu"), lambda: gguf_files(spec)):
        with pytest.raises(
            ModelError, match=r"not on this computer; download them with: .* models get Tiny-F32"
        ):
            attempt()
    with pytest.raises(ModelError, match="not on this computer"):
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
    with pytest.raises(ModelError, match="has changed"):
        load(tiny.spec, "cpu")


def test_the_shipped_list() -> None:
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
    assert scorer.key == ScoringKey.of(spec), "the key of what is shipped"
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
            scored_run = run.as_scored  # of decisions, each person and answer in turn
            cells = np.random.default_rng(0).choice(scored_run.cells, 2, replace=False)
            scored = scorer
            if item.frame is not None:
                rendered = framed(spec, item.frame.model_copy(update={"text": ""}))
                assert rendered.frame == item.frame
                scored = open_scorer(rendered, "exact")
            nats = scored.score([scored_run.prompts[cell] for cell in cells], shipped.words)
            again = preferences_of(nats, scored_run.topic, shipped.words)
            people = shipped.preferences.people
            if people is not None:
                recorded, again = people.reshape(scored_run.cells)[cells], again[:, 0]
            else:
                recorded = shipped.preferences.values.reshape(scored_run.cells, -1)[cells]
            assert np.abs(recorded - again).max() < 1e-4, item
    assert public_model(model.name) == model


PRESET_ENTRY = (
    '[[preset]]\nname = "{name}"\ntitle = "T"\nmodels = ["a", "b"]\naxis = "size"\nhelp = ""\ncaution = ""\n'
)
# A file of the assets, what reads it, texts that it cannot be, and how the sentence begins.
DAMAGED: list[tuple[str, Callable[[], object], list[str], str]] = [
    (
        "models.toml",
        known_models,
        ["model = [", "[[model]]\nname = 'x'", "[other]", "model = 5", "\udcff"],
        "The registry",
    ),
    ("public.toml", public_models, ["[[model]]\nname = '../x'\n"], "The list of public models"),
    (
        "presets.toml",
        presets,
        [
            *("not toml", "[other]", '[[preset]]\nname = "x"', "preset = 3"),
            PRESET_ENTRY.format(name="x") * 2,
            PRESET_ENTRY.format(name="x") + PRESET_ENTRY.format(name="y"),
        ],
        "The ready comparisons",
    ),
]


@pytest.mark.parametrize(("file", "read", "texts", "beginning"), DAMAGED)
def test_a_damaged_file_of_the_assets_is_one_sentence(
    file: str,
    read: Callable[[], object],
    texts: list[str],
    beginning: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(monkeypatch, PCF_ASSETS=str(tmp_path / "none"))
    assert read() == (), "assets without the file have none"
    for number, text in enumerate(texts):
        assets = tmp_path / str(number)
        assets.mkdir()
        (assets / file).write_bytes(text.encode("utf8", "surrogateescape"))
        use(monkeypatch, PCF_ASSETS=str(assets))
        with pytest.raises(
            (ModelError, SettingsError), match=rf"^{beginning} .*: restore the shipped file"
        ) as caught:
            read()
        assert len(str(caught.value).splitlines()) == 1
