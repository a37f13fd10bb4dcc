"""Adapters: what their files say, what becomes of their weights, and what is refused."""

from __future__ import annotations

import copy
import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pcf_core.core.errors import ModelError
from pcf_core.core.frame import Frame
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.adapter import ADAPTER, WEIGHTS
from pcf_core.models.conversion import merged
from pcf_core.models.frames import framed
from pcf_core.models.loading import Loaded, load, load_body, load_tokenizer
from pcf_core.models.presets import preset_of, presets
from pcf_core.models.registry import left_out_models, list_models, resolve, resolve_to_score
from pcf_core.models.scoring.base import open_scorer
from tests.models.adapter_files import LAYERS, merged_by_hand, write_adapter
from tests.models.conftest import edit, use, write_gpt2, write_model
from tests.models.gguf_files import TEMPLATE, tiny_llama, write_gguf
from tests.models.scoring.conftest import brute_force, load_tiny, save
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS

peft = pytest.importorskip("peft", reason="adapters need requirements-peft.txt")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A tiny Llama among the operator's models."""
    save(load_tiny("llama"), tmp_path / "own" / "base-model")
    return tmp_path / "own" / "base-model"


@pytest.fixture
def adapter(tmp_path: Path, base: Path) -> Path:
    return write_adapter(tmp_path / "own" / "lora", str(base), load_tiny("llama"), LAYERS["llama"])


def merges() -> list[str]:
    """Names of what the cache holds of merged adapters, but for the lock."""
    return sorted(path.name for path in (settings().cache / "adapters").glob("*") if path.suffix != ".lock")


def refused(model: object, match: str) -> None:
    """The model is refused, and nothing is left half made."""
    with pytest.raises(ModelError, match=match) as caught:
        load(resolve(str(model)), "cpu")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
    assert merges() == []


# The weights.


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_scores_are_those_of_the_weights_merged_by_hand(name: str, tmp_path: Path) -> None:
    """Each against a forward pass of its own, within 1e-4 nats; the base's are others by whole nats."""
    twin = load_tiny(name)
    model = f"{'masked:' * (name == 'bert')}{save(twin, tmp_path / 'base')}"
    folder = write_adapter(tmp_path / "lora", model, twin, LAYERS[name])
    by_hand = merged_by_hand(twin, folder)
    prompts, words = PROMPTS[:2], WORDS[:4]
    with torch.inference_mode():
        expected = [[brute_force(by_hand, name, prompt, word) for word in words] for prompt in prompts]
    spec = resolve(str(folder))
    np.testing.assert_allclose(open_scorer(spec).score(prompts, words), expected, atol=1e-4)
    before = open_scorer(resolve(model)).score(prompts, words)
    assert np.abs(before - expected).max() > 1


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_merged_in_float32_then_in_the_precision_of_the_run(
    dtype: str, adapter: Path, tmp_path: Path
) -> None:
    by_hand = save(merged_by_hand(load_tiny("llama"), adapter), tmp_path / "by-hand")
    loaded, expected = (load(resolve(str(model)).with_dtype(dtype), "cpu") for model in (adapter, by_hand))
    theirs = expected.model.state_dict()
    for key, tensor in loaded.model.state_dict().items():
        torch.testing.assert_close(tensor, theirs[key], msg=key)


OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "a head and an embedding that were tied": ("gpt2", {"modules_to_save": ["wte", "lm_head"]}),
    "a tied embedding alone": ("gpt2", {"modules_to_save": ["wte"]}),
    "biases": ("bert", {"bias": "all"}),
    "biases of its layers": ("bert", {"bias": "lora_only"}),
    "bias of the change": ("gpt2", {"lora_bias": True}),
    "every layer": ("bert", {"target_modules": "all-linear"}),
    "layers by number": ("llama", {"layers_to_transform": [1]}),
    "layers by pattern": ("llama", {"target_modules": r".*\.1\..*(q|k)_proj"}),
    "magnitudes (DoRA)": ("llama", {"use_dora": True}),
    "ranks of their own": ("llama", {"rank_pattern": {"q_proj": 5}, "alpha_pattern": {"q_proj": 7}}),
    "the embedding": ("gpt2", {"target_modules": ["c_attn", "wte"]}),
    "the root of the rank": ("llama", {"use_rslora": True}),
}


@pytest.mark.parametrize("kind", sorted(OTHERS))
def test_as_peft_computes_it_beside_the_base(kind: str, tmp_path: Path) -> None:
    """Saved by PEFT, and compared with its own computation before anything is merged."""
    name, config = OTHERS[kind]
    twin = load_tiny(name)
    model = copy.deepcopy(twin.model)
    config = {"target_modules": list(LAYERS[name]), "fan_in_fan_out": name == "gpt2"} | config
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peft.get_peft_model(model, peft.LoraConfig(r=2, init_lora_weights=False, **config)).eval()
        for key, parameter in theirs.named_parameters():
            if parameter.requires_grad and ".lora_" not in key:
                torch.nn.init.normal_(parameter.data, std=0.3)
        theirs.peft_config["default"].base_model_name_or_path = save(twin, tmp_path / "base")
        theirs.save_pretrained(tmp_path / "lora")
    loaded = load(resolve(str(tmp_path / "lora")), "cpu")
    ids = torch.tensor([[3, 9, 4, 27, 5]])
    with torch.inference_mode():
        ours, expected, before = (one(input_ids=ids).logits for one in (loaded.model, theirs, twin.model))
    assert type(loaded.model) is type(twin.model)
    torch.testing.assert_close(ours, expected, atol=1e-4, rtol=1e-4)
    assert (expected - before).abs().max() > 0.1


def test_the_body_alone_and_a_second_time(adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder without its head comes from the same directory, which is merged once."""
    spec = resolve(str(adapter))
    assert load(spec, "cpu").identity == spec.identity
    (made,) = merges()
    monkeypatch.setattr("pcf_core.models.conversion._merge", None)
    body = load_body(spec, "cpu").model
    layer = body.layers[0].self_attn.q_proj.weight
    expected = merged_by_hand(load_tiny("llama"), adapter).model.model.layers[0].self_attn.q_proj.weight
    torch.testing.assert_close(layer, expected)
    assert merges() == [made]


def test_settings_of_generation_do_not_hinder_it(adapter: Path, base: Path) -> None:
    """Llama 2's are refused by transformers when they are saved; where a text stops is kept."""
    (base / "generation_config.json").write_text(
        '{"temperature": 0.9, "do_sample": false, "eos_token_id": [2, 5]}'
    )
    edit(base, temperature=0.9, max_length=50)
    assert load(resolve("lora"), "cpu").model.generation_config.eos_token_id == [2, 5]


def test_a_gguf_file_may_be_the_base(tmp_path: Path) -> None:
    """Its title says of the whole that the base is a compressed copy."""
    twin = tiny_llama()
    write_gguf(tmp_path / "own" / "small.gguf", twin, quantized=True)
    small = load(resolve("small"), "cpu")
    folder = write_adapter(tmp_path / "lora", "small", small, LAYERS["llama"])
    spec = resolve(str(folder))
    assert spec.title == "Tiny Llama (compressed copy of the weights, Q8_0) + lora"
    assert (spec.quantization, spec.base) == ("Q8_0", "small")
    ids = torch.tensor([[1, 2, 3]])
    with torch.inference_mode():
        expected = merged_by_hand(small, folder).model(input_ids=ids).logits
        torch.testing.assert_close(load(spec, "cpu").model(input_ids=ids).logits, expected, atol=1e-4, rtol=0)


# Which model it is.


def test_it_is_listed_as_base_and_adapter(adapter: Path, base: Path) -> None:
    spec, alone = resolve("lora"), resolve("base-model")
    assert {one.name: one for one in list_models()} == {"lora": spec, "base-model": alone}
    assert (spec.title, spec.base, spec.path) == ("base-model + lora", "base-model", str(adapter.resolve()))
    assert (spec.tokenizer, spec.parameters, spec.family) == (alone.tokenizer, alone.parameters, "causal")
    assert len(spec.identity) == 64
    assert spec.identity != alone.identity
    assert alone.base == ""
    assert "base" not in alone.model_dump(), "keeps what was stored of models"
    assert ModelSpec(**spec.model_dump()) == spec


def test_its_identity_is_of_base_weights_and_settings_wherever_they_are(
    adapter: Path, base: Path, tmp_path: Path
) -> None:
    known = {resolve("lora").identity}

    def is_new() -> bool:
        now = resolve(str(other)).identity
        new = now not in known
        known.add(now)
        return new

    other = shutil.copytree(adapter, tmp_path / "elsewhere")
    moved = shutil.copytree(base, tmp_path / "moved")
    edit(other, ADAPTER, base_model_name_or_path=str(moved), peft_version="0.99", lora_dropout=0.0)
    assert not is_new()
    edit(other, ADAPTER, lora_alpha=4)
    assert is_new()
    tensors = {key: 2 * tensor for key, tensor in load_file(other / WEIGHTS).items()}
    save_file(tensors, other / WEIGHTS, metadata={"format": "pt"})
    assert is_new()
    edit(moved, rms_norm_eps=1e-3)
    assert is_new()


def test_a_tokenizer_and_a_chat_of_its_own_take_the_place_of_the_bases(adapter: Path, base: Path) -> None:
    assert not resolve("lora").chats
    assert load_tokenizer(resolve("lora")).vocab_size == load_tiny("llama").tokenizer.vocab_size
    shutil.copyfile(base / "tokenizer.json", adapter / "tokenizer.json")
    config = json.loads((base / "tokenizer_config.json").read_text())
    (adapter / "tokenizer_config.json").write_text(json.dumps(config | {"padding_side": "left"}))
    (adapter / "chat_template.jinja").write_text(TEMPLATE)
    spec = resolve("lora")
    assert spec.chats
    assert spec.tokenizer != resolve("base-model").tokenizer
    asked = Frame(kind="chat", instruction="Complete the sentence.")
    assert "Complete the sentence." in framed(spec, asked).frame.text  # type: ignore[union-attr]
    assert merges() == [], "a tokenizer is read without merging"
    assert load(spec, "cpu").tokenizer.get_chat_template() == TEMPLATE


def test_a_tokenizer_that_comes_later_is_not_taken_for_the_one_that_was_merged(
    adapter: Path, base: Path
) -> None:
    earlier = resolve("lora")
    assert load(earlier, "cpu").tokenizer.padding_side == "right"
    shutil.copyfile(base / "tokenizer.json", adapter / "tokenizer.json")
    config = json.loads((base / "tokenizer_config.json").read_text())
    (adapter / "tokenizer_config.json").write_text(json.dumps(config | {"padding_side": "left"}))
    later = resolve("lora")
    assert later.identity == earlier.identity
    assert later.tokenizer != earlier.tokenizer
    assert load(later, "cpu").tokenizer.padding_side == "left"


def test_the_family_of_an_unclear_base_is_chosen_as_for_the_base(tmp_path: Path) -> None:
    """By the adapter's own name, or by the name of the base."""
    twin = load_tiny("bert")
    folder = save(twin, tmp_path / "base")
    edit(tmp_path / "base", architectures=["BertModel"])
    lora = write_adapter(tmp_path / "lora", folder, twin, LAYERS["bert"])
    with pytest.raises(ModelError, match="base is not clear"):
        resolve(str(lora))
    spec = resolve(f"masked:{lora}")
    assert (spec.name, spec.base, spec.family) == (f"masked:{lora}", f"masked:{folder}", "masked")
    edit(lora, ADAPTER, base_model_name_or_path=f"masked:{folder}")
    assert resolve(str(lora)) == spec
    assert resolve(spec.name).identity == load(spec, "cpu").identity


# Adapters beside whole weights, and beside others.


def test_beside_whole_weights_the_user_says_which_is_meant(adapter: Path, base: Path) -> None:
    """PEFT is installed: transformers would add the adapter to the weights, in silence."""
    both = shutil.copytree(base, base.parent / "both")
    for file in (ADAPTER, WEIGHTS):
        shutil.copyfile(adapter / file, both / file)
    refused("both", r"whole weights and an adapter .*: give .*both/config.json if the weights alone")
    assert [left.name for left in left_out_models()] == ["both"]
    assert resolve(str(both / ADAPTER)).identity == resolve("lora").identity
    whole = resolve(str(both / "config.json"))
    assert (whole.identity, whole.base, whole.path) == (resolve("base-model").identity, "", str(both))
    ids = torch.tensor([[1, 2, 3]])
    with torch.inference_mode():
        expected = load_tiny("llama").model(input_ids=ids).logits
        torch.testing.assert_close(load(whole, "cpu").model(input_ids=ids).logits, expected)
    (both / "model.safetensors").unlink()  # some trainings save the base's configuration too
    assert resolve("both").identity == resolve("lora").identity


def test_of_several_in_one_folder_one_has_to_be_named(adapter: Path) -> None:
    shutil.copytree(adapter, adapter / "checkpoint-500")
    assert resolve("lora").base == "base-model"
    (adapter / "german").mkdir()
    shutil.copyfile(adapter / ADAPTER, adapter / "german" / ADAPTER)
    refused(
        "lora", r"several adapters \(adapter_model.safetensors, german/\): give .*lora/adapter_config.json"
    )
    assert resolve(str(adapter / ADAPTER)).title == "base-model + lora"
    shutil.rmtree(adapter / "german")
    shutil.copyfile(adapter / WEIGHTS, adapter / "adapter_model-2.safetensors")
    refused("lora", r"several adapters \(adapter_model.safetensors, adapter_model-2.safetensors\)")


# The base.


@pytest.mark.parametrize(
    ("named", "match"),
    [
        (
            "org/absent",
            r"changes the model 'org/absent', which is not on this computer: download it \(python -m",
        ),
        ("/home/somebody/model", r"'/home/somebody/model', which is not on this computer: copy its folder"),
        ("endpoint:gpt", r"'endpoint:gpt', which is not on this computer"),
        ("", "does not say which model it changes: write the model's name or folder as base_model_name_or"),
        (None, "does not say which model it changes"),
    ],
)
@pytest.mark.parametrize("online", ["0", "1"])
def test_a_base_that_is_not_here_is_named_with_what_to_do(
    named: str | None, match: str, online: str, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is downloaded to describe a model, which every page of the app does."""
    use(monkeypatch, PCF_ALLOW_HUB=online)
    monkeypatch.setattr("pcf_core.models.hub._snapshot", None)
    edit(adapter, ADAPTER, base_model_name_or_path=named)
    refused("lora", match)
    (left,) = left_out_models()
    assert left.name == "lora"


def test_a_base_on_the_hub_has_to_be_in_its_cache(adapter: Path, base: Path, snapshot: Path) -> None:
    edit(adapter, ADAPTER, base_model_name_or_path="org/name", revision="main")
    shutil.copytree(base, snapshot)
    spec = resolve("lora")
    assert (spec.base, spec.title) == ("org/name", "org/name + lora")
    assert load(spec, "cpu").identity == spec.identity
    (snapshot / "model.safetensors").unlink()
    refused_by = r"'org/name', which is not on this computer: download it \(python -m pcf_core models "
    with pytest.raises(ModelError, match=refused_by):
        resolve("lora")


def test_an_adapter_of_an_adapter_is_refused(adapter: Path) -> None:
    """Of itself too, which would have no end."""
    for named in ("lora", str(adapter), str(adapter / ADAPTER)):
        edit(adapter, ADAPTER, base_model_name_or_path=named)
        refused("lora", "is an adapter itself: merge that one into its model")


def test_what_cannot_be_changed_is_no_base(adapter: Path, base: Path) -> None:
    original = (base / "config.json").read_text()
    edit(base, quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True})
    refused("lora", r"weights are compressed \(4-bit bitsandbytes\).*: write the model before compression")
    (base / "config.json").write_text(original)
    edit(base, model_type="own", architectures=["OwnForCausalLM"], auto_map={"AutoConfig": "own.Config"})
    refused("lora", "needs code of its own")


def test_the_operators_list_holds_for_the_base_too(adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ALLOWED_MODELS="lora")
    with pytest.raises(ModelError, match="base-model may not be used here"):
        resolve_to_score("lora")
    use(monkeypatch, PCF_ALLOWED_MODELS="lora,base-*")
    assert resolve_to_score("lora").base == "base-model"


# Bad files: one sentence each, and nothing half made.


def rewrite(change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]) -> Callable[[Path], None]:
    """Change the tensors of an adapter."""

    def written(folder: Path) -> None:
        save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS, metadata={"format": "pt"})

    return written


def config(**values: Any) -> Callable[[Path], None]:
    return lambda folder: (edit(folder, ADAPTER, **values), None)[1]


BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "not JSON": (
        lambda folder: (folder / ADAPTER).write_text("{"),
        "is damaged, or not one of PEFT .*: copy",
    ),
    "not UTF-8": (lambda folder: (folder / ADAPTER).write_bytes(b"\xff"), "cannot be read .*: copy it again"),
    "a list": (lambda folder: (folder / ADAPTER).write_text("[]"), r"not one of PEFT \(it must be"),
    "of another library": (
        lambda folder: (folder / ADAPTER).write_text('{"config": {}, "model_type": "llama"}'),
        r"not one of PEFT \(peft_type is missing\)",
    ),
    "a rank of text": (config(r="8"), r"\(r must be a whole number; got '8'\)"),
    "a rank of nothing": (config(r=0), r"\(r must be above 0"),
    "a rank beyond any memory": (config(r=10**6), "states the rank 1,000,000, but no side of a tensor"),
    "a rank of a layer": (config(rank_pattern={"q_proj": 1001}), "states the rank 1,001,"),
    "a rank without end": (config(r=10**4000), r"\(r must be at most 1,048,576"),
    "a key on two lines": (config(**{"a\nb" * 400: 1}), "settings that are not merged here"),
    "a scale that is no number": (config(lora_alpha=float("nan")), r"\(lora_alpha must be a finite number"),
    "an expression that takes forever": (
        config(alpha_pattern={"(a+)+$": 2}),
        "is damaged, or not one of PEFT",
    ),
    "of another kind": (
        config(peft_type="LOHA"),
        "is of the kind 'LOHA', and only LoRA is merged here: merge",
    ),
    "of prompts": (config(peft_type="PROMPT_TUNING"), "is of the kind 'PROMPT_TUNING'"),
    "beside another copy": (config(init_lora_weights="pissa"), "trained beside a changed copy of its model"),
    "awake after some tokens": (config(alora_invocation_tokens=[1]), r"not merged here \(alora_invocation_t"),
    "with layers more than once": (
        config(layer_replication=[[0, 2]]),
        r"not merged here \(layer_replication",
    ),
    "of times to come": (config(use_new_idea=True), r"settings that are not merged here \(use_new_idea\)"),
    "pickled": (
        lambda folder: (folder / WEIGHTS).rename(folder / "adapter_model.bin"),
        r"has only adapter_model.bin in .*, but only adapter_model.safetensors can be read, because other",
    ),
    "without weights": (lambda folder: (folder / WEIGHTS).unlink(), "has no weights in"),
    "cut off": (
        lambda folder: (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-8]),
        r"weights adapter_model.safetensors of the model lora are damaged",
    ),
    "of wider layers": (
        rewrite(lambda read: {key: torch.cat([one, one], -1) for key, one in read.items()}),
        r"does not fit the model base-model, which adapter_config.json names as its base \(.*size mismatch",
    ),
    "of other names": (
        rewrite(lambda read: {key.replace("q_proj", "query"): one for key, one in read.items()}),
        r"does not fit the model base-model.*\(8 tensors that its model does not have, for example 'base_mod",
    ),
    "half of its tensors": (
        rewrite(lambda read: {key: one for key, one in read.items() if "lora_B" not in key}),
        r"does not fit .*4 tensors not in its weights",
    ),
    "without one layer": (
        rewrite(lambda read: {key: one for key, one in read.items() if "layers.1" not in key}),
        r"does not fit .*4 tensors not in its weights",
    ),
    "not numbers": (
        rewrite(lambda read: {key: one * float("nan") for key, one in read.items()}),
        r"cannot be merged into base-model exactly \(log-probabilities change by up to nan nats\)",
    ),
}


@pytest.mark.parametrize("how", sorted(BAD))
def test_bad_files_are_refused_in_a_sentence(how: str, adapter: Path) -> None:
    change, match = BAD[how]
    change(adapter)
    refused("lora", match)


def test_an_adapter_of_another_architecture_does_not_fit(adapter: Path, tmp_path: Path) -> None:
    write_gpt2(tmp_path / "own" / "other")
    edit(adapter, ADAPTER, base_model_name_or_path="other")
    refused("lora", r"does not fit the model other, .*\(Target modules")


def test_weights_that_are_not_merged_exactly_are_refused(tmp_path: Path) -> None:
    """A bias in a layer that has none would be lost."""
    twin = load_tiny("llama")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = peft.get_peft_model(
            copy.deepcopy(twin.model), peft.LoraConfig(target_modules=["q_proj"], lora_bias=True)
        )
        made.peft_config["default"].base_model_name_or_path = save(twin, tmp_path / "base")
        made.save_pretrained(tmp_path / "lora")
    refused(tmp_path / "lora", "cannot be merged into .* exactly .*: serve the model with its adapter")


def test_without_the_library_the_sentence_says_what_to_install(
    adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.models.adapter.find_spec", lambda name: None)
    refused("lora", "needs the library peft: run pip install -r requirements-peft.txt, or merge it")
    assert [spec.name for spec in list_models()] == ["base-model"]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_what_was_replaced_since_it_was_described_is_not_merged_under_its_name(
    when: str, adapter: Path, base: Path
) -> None:
    spec = resolve("lora")
    whole = (load(resolve("base-model"), "cpu").model, base)

    def replaced(of: ModelSpec) -> tuple[Any, Path]:
        edit(adapter, ADAPTER, lora_alpha=5)
        return whole

    if when == "before":
        replaced(spec)
    with pytest.raises(ModelError, match="lora or its base base-model changed while they were being merged"):
        merged(spec, replaced)
    assert merges() == []


def test_a_full_disk_is_said(adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("transformers.LlamaForCausalLM.save_pretrained", full)
    refused("lora", "cannot be converted in the cache folder .* .No space left on device.: it needs")


# On the hub.


def test_an_adapter_of_the_hub(adapter: Path, base: Path, snapshot: Path) -> None:
    shutil.copytree(adapter, snapshot)
    spec = resolve("org/name")
    assert (spec.name, spec.title, spec.kind) == ("org/name", "base-model + org/name", "public")
    assert spec.identity == resolve("lora").identity
    assert load(spec, "cpu").identity == spec.identity
    edit(adapter, ADAPTER, base_model_name_or_path="org/name")
    with pytest.raises(ModelError, match="changes org/name, which is an adapter itself"):
        resolve("lora")


def test_the_weights_of_an_adapter_of_the_hub_come_with_its_small_files(
    adapter: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, PCF_ALLOW_HUB="1")
    asked: list[tuple[str, list[str]]] = []

    def fetched(named: Any, patterns: list[str]) -> Path:
        asked.append((named.revision, patterns))
        shutil.copytree(adapter, snapshot, dirs_exist_ok=True)
        if WEIGHTS not in patterns:
            (snapshot / WEIGHTS).unlink()
        return snapshot

    monkeypatch.setattr("pcf_core.models.hub._snapshot", fetched)
    assert resolve("org/name").base == "base-model"
    assert [revision for revision, _ in asked] == ["", snapshot.name]
    assert asked[1][1] == [*asked[0][1], WEIGHTS]
    assert resolve("org/name").base == "base-model"
    assert len(asked) == 2, "now it is here"


def test_a_hub_model_with_both_is_refused_before_its_weights_are_here(
    adapter: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import RepoFile

    write_model(snapshot, weights=False)
    for file in (ADAPTER, WEIGHTS):
        shutil.copyfile(adapter / file, snapshot / file)
    assert resolve("org/name").base == "base-model", "the base's configuration lies beside some adapters"
    listed = [RepoFile(path="model.safetensors", size=1, oid="0" * 40)]
    monkeypatch.setattr("huggingface_hub.get_cached_repo_tree", lambda name, revision: listed)
    with pytest.raises(ModelError, match="org/name has whole weights and an adapter"):
        resolve("org/name")


def test_the_files_are_valid_for_peft_itself(adapter: Path) -> None:
    """The helper writes what PEFT reads."""
    assert peft.LoraConfig.from_pretrained(str(adapter)).target_modules == set(LAYERS["llama"])
    assert json.loads((adapter / ADAPTER).read_text())["peft_type"] == "LORA"
    assert isinstance(load_tiny("llama"), Loaded)


# Before and after.


def test_base_and_adapter_are_a_ready_comparison_once_both_have_results(
    adapter: Path, base: Path, tmp_path: Path
) -> None:
    """An adapter that is listed, or one given by its folder."""
    elsewhere = str(shutil.copytree(adapter, tmp_path / "given"))
    assert (
        presets() == presets(["lora", elsewhere]) == presets(["base-model", "endpoint:x", "org/name"]) == ()
    )
    (ready,) = presets(["base-model", "lora", "lora [chat]", "imported:lora@12345678"])
    assert ready.models == ("base-model", "lora")
    assert ready.compared == (("lora", "base-model"),)
    assert ready.title == "base-model + lora: with and without the adapter"
    assert preset_of(["lora", "base-model"]) == ready
    assert preset_of(["lora", elsewhere]) is None
    two = presets(["lora", elsewhere, "base-model"])
    assert [preset.models for preset in two] == [("base-model", "lora"), ("base-model", elsewhere)]
    assert len({preset.name for preset in two}) == 2
