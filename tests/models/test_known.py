"""The registry of known models: what it must hold, and that nothing in it is more than its source says."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
import transformers

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import ROOT
from pcf_core.models.family import context_of, read_family
from pcf_core.models.names import KnownModel, all_series, known_model, known_models, split_name
from tests.models.conftest import use

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
def _shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ASSETS=str(ROOT / "assets"))


def test_the_papers_twelve_with_the_sizes_that_they_state() -> None:
    """BVF 4.1, in its order; a more exact number of a model's maker may differ by 3 %."""
    papers = [model for model in known_models() if model.group == "Papers"]
    for model, (title, millions, tolerance) in zip(papers, PAPERS, strict=True):
        assert model.title.startswith(title)
        assert model.parameters == pytest.approx(millions * 1e6, rel=tolerance)


def test_base_and_aligned_are_declared_size_by_size() -> None:
    """BVF Figure 8, and the series that people ask for: each pair of one size, under one license."""
    series = {one.name: one for one in all_series()}
    assert series["llama-2"].models == tuple(
        f"meta-llama/Llama-2-{size}{kind}-hf" for size in ("7b", "13b", "70b") for kind in ("", "-chat")
    )
    for pair in (pair for one in series.values() for pair in one.pair):
        base, aligned = known_model(pair.base), known_model(pair.aligned)
        assert base is not None
        assert aligned is not None
        assert base.license
        assert [getattr(base, fact) for fact in SHARED] == [getattr(aligned, fact) for fact in SHARED]


SHARED = ("license", "gated", "architecture")  # by a base and an aligned checkpoint
ENTRY = """[[model]]
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


@pytest.mark.parametrize(
    ("series", "said"),
    [
        (
            SERIES.format(name="s", base="a", aligned="d"),
            "a series names org/d, which is no model of this file",
        ),
        (
            SERIES.format(name="s", base="a", aligned="c"),
            "pairs org/a and org/c, which must have as many parameters; got 7 and 9",
        ),
        (SERIES.format(name="s", base="a", aligned="a"), "org/a is in two pairs"),
        (SERIES.format(name="s", base="a", aligned="b") * 2, "two series have one name"),
        (SERIES.format(name="S", base="a", aligned="b"), "series.0.name: String should match pattern"),
        ('[[series]]\nname = "s"\ntitle = "S"\npair = []\n', "at least 1 item"),
        ('[[series]]\nname = "s"\ntitle = "S"\n', "series.0.pair: Field required"),
        (ENTRY.format(name="a", parameters=7), "a model is listed twice"),
        (ENTRY.format(name="e", parameters=7) + 'license = "Own"\n', "org/e: terms must be the address"),
        (
            ENTRY.format(name="e", parameters=7) + 'license = "MIT"\nterms = "https://x.y"\n',
            "and of no other",
        ),
    ],
)
def test_what_no_series_can_be_is_one_clear_sentence(
    series: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"a": 7, "b": 7, "c": 9}
    models = "".join(ENTRY.format(name=name, parameters=size) for name, size in sizes.items())
    (tmp_path / "models.toml").write_text(models + series)
    use(monkeypatch, PCF_ASSETS=str(tmp_path))
    with pytest.raises(ModelError, match=r"registry .* cannot be read") as caught:
        all_series()
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def twins(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The classes of the tiny models that the exactness tests hold against a brute force."""
    path = ROOT / "tests" / "models" / "scoring" / "conftest.py"
    spec = importlib.util.spec_from_file_location("twins", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "twins", module)  # where its dataclass looks for itself
    spec.loader.exec_module(module)
    tables = [table for table in vars(module).values() if isinstance(table, dict)]
    return {twin.model for table in tables for twin in table.values() if isinstance(twin, module.Tiny)}


def test_verified_by_a_twin_is_what_the_tests_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    have = twins(monkeypatch)
    for model in known_models():
        assert (model.verified == "twin") == (model.architecture in have), model.name


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


def test_other_assets_may_hold_no_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ASSETS=str(tmp_path))
    assert known_models() == ()


@pytest.mark.parametrize("text", ["model = [", "[[model]]\nname = 'x'", "[other]", "model = 5", "\udcff"])
def test_a_damaged_registry_is_one_sentence(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models.toml").write_bytes(text.encode("utf8", "surrogateescape"))
    use(monkeypatch, PCF_ASSETS=str(tmp_path))
    with pytest.raises(ModelError, match=r"registry .* cannot be read") as caught:
        known_models()
    assert len(str(caught.value).splitlines()) == 1
