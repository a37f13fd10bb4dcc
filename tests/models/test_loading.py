"""Loading: float32 in evaluation mode, safetensors only, and no code but our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    BartConfig,
    BartForConditionalGeneration,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    XLNetConfig,
    XLNetLMHeadModel,
)

from pcf_core.core.errors import ModelError
from pcf_core.models.loading import TYPES, choose_device, load, load_body
from pcf_core.models.registry import resolve
from tests.models.conftest import edit, use, write_gpt2, write_model
from tests.models.scoring.conftest import BART as BIG_BART
from tests.models.scoring.conftest import SMALL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny GPT-2 saved in float16, as the shipped models are."""
    folder = write_gpt2(tmp_path / "tiny")
    GPT2LMHeadModel.from_pretrained(folder).half().save_pretrained(folder)
    return folder


def test_float16_on_disk_is_float32_in_memory(folder: Path) -> None:
    loaded = load(resolve(str(folder)), "cpu")
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.float32}
    assert not loaded.model.training
    assert loaded.model.config._attn_implementation == "sdpa"
    assert loaded.device == "cpu"
    assert loaded.tokenizer("he she")["input_ids"] == [1, 2]


def test_threads_are_the_operators(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    use(monkeypatch, PCF_THREADS="1")
    load(resolve(str(folder)))
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)


def test_a_model_that_does_not_fit_is_told_where_else_it_may(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: GPT2LMHeadModel, device: str) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate")

    monkeypatch.setattr(GPT2LMHeadModel, "to", full)
    with pytest.raises(
        ModelError, match="does not fit into the free memory of cpu as float32: use a narrower"
    ):
        load(resolve(str(folder)), "cpu")


def test_dtype_is_the_specifications_and_another_is_refused(folder: Path) -> None:
    spec = resolve(str(folder))
    for dtype, kind in TYPES.items():
        loaded = load(spec.model_copy(update={"dtype": dtype}), "cpu")
        assert {parameter.dtype for parameter in loaded.model.parameters()} == {kind}
        assert loaded.model(input_ids=torch.tensor([[1, 2]])).logits.dtype == kind
    for dtype in ("int8", "float64", "nn", ""):
        with pytest.raises(ModelError, match=f"dtype '{dtype}' of .*one of float32, bfloat16, float16"):
            load(spec.model_copy(update={"dtype": dtype}))


def test_code_in_the_folder_never_runs(tmp_path: Path) -> None:
    config = {
        "architectures": ["OwnForCausalLM"],
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"},
    }
    folder = write_model(tmp_path / "own-code", config)
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    spec = resolve(str(folder))
    with pytest.raises(ModelError, match="code from its own directory, which is never allowed"):
        load(spec)
    with pytest.raises(ModelError, match="cannot be loaded"):  # nor if a specification keeps quiet about it
        load(spec.model_copy(update={"remote_code": False}))
    assert not (tmp_path / "ran").exists()


SIZES = {"vocab_size": 40, "d_model": 16}
T5 = {**SIZES, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
BART = {**BIG_BART, **SIZES, "max_position_embeddings": 64}
FAMILIES = {
    "t5": (T5ForConditionalGeneration, T5Config(**T5), "seq2seq", "sdpa"),
    "bart": (BartForConditionalGeneration, BartConfig(**BART), "seq2seq", "sdpa"),
    "xlnet": (
        XLNetLMHeadModel,
        XLNetConfig(**SIZES, n_layer=2, n_head=2, d_inner=32),
        "permutation",
        "eager",  # the architecture has no other
    ),
}


@pytest.fixture(params=sorted(FAMILIES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def saved(kind: str, folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> Any:
    """A tiny model of a family in ``folder``, with its tensors changed on disk."""
    model_class, config, _, _ = FAMILIES[kind]
    torch.manual_seed(0)
    model = model_class(config).eval()
    model.save_pretrained(folder)
    tensors = {name: tensor.clone().contiguous() for name, tensor in model.state_dict().items()}
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return model


def drop(*endings: str) -> Callable[[dict[str, torch.Tensor]], object]:
    def dropped(tensors: dict[str, torch.Tensor]) -> None:
        for name in [name for name in tensors if name.endswith(endings)]:
            del tensors[name]

    return dropped


@pytest.mark.parametrize("left_out", [(), ("lm_head.weight", "lm_loss.weight", "embed_tokens.weight")])
def test_tied_weights_may_be_saved_once_or_often(
    kind: str, left_out: tuple[str, ...], tmp_path: Path
) -> None:
    """Checkpoints of all ages: tied copies are written out, or only the table that they share."""
    folder = write_model(tmp_path / kind, weights=False)
    model = saved(kind, folder, drop(*left_out) if left_out else dict)
    loaded = load(resolve(str(folder)), "cpu")
    family, attention = FAMILIES[kind][2:]
    assert resolve(str(folder)).family == family
    assert type(loaded.model) is type(model)
    assert loaded.model.config._attn_implementation == attention
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, loaded.model.state_dict()[name]), name


def test_a_head_of_its_own_stays_its_own(tmp_path: Path) -> None:
    """T5 v1.1 and its kin: ``tie_word_embeddings`` is false and the head is another table."""
    folder = write_model(tmp_path / "t5", weights=False)
    head = torch.randn(40, 16)
    saved("t5", folder, lambda tensors: tensors.update({"lm_head.weight": head}))
    edit(folder, tie_word_embeddings=False)
    loaded = load(resolve(str(folder)), "cpu")
    assert torch.equal(loaded.model.lm_head.weight, head)
    assert not torch.equal(loaded.model.shared.weight, head)


def test_a_bias_that_old_checkpoints_lack_is_zero(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "bart", weights=False)
    saved("bart", folder, drop("final_logits_bias"))
    assert not load(resolve(str(folder)), "cpu").model.final_logits_bias.any()


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_what_was_replaced_since_it_was_described_is_not_scored_under_its_name(
    file: str, when: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A training that saves a checkpoint while the model loads."""

    def replace() -> None:
        if file == "model.safetensors":
            tensors = {name: 2 * tensor for name, tensor in load_file(folder / file).items()}
            save_file(tensors, folder / file, metadata={"format": "pt"})
        else:
            (folder / file).write_text((folder / file).read_text() + " ")

    spec = resolve(str(folder))
    assert load(spec, "cpu").identity == spec.identity
    if when == "before":
        replace()
    else:
        to = GPT2LMHeadModel.to
        monkeypatch.setattr(GPT2LMHeadModel, "to", lambda self, place: (replace(), to(self, place))[1])
    with pytest.raises(ModelError, match="changed while it was being loaded, for example because a training"):
        load(spec, "cpu")
    monkeypatch.undo()
    assert load(resolve(str(folder)), "cpu").identity == resolve(str(folder)).identity


LLAMA = LlamaConfig(
    vocab_size=40, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2
)


def saved_with(folder: Path, change: Callable[[dict[str, torch.Tensor]], object], **config: Any) -> Path:
    """A tiny Llama in ``folder``, its tensors changed on disk and its configuration as given."""
    torch.manual_seed(0)
    LlamaForCausalLM(LLAMA).save_pretrained(folder)
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return edit(folder, **config)


def packed(kind: torch.dtype, name: str) -> Callable[[dict[str, torch.Tensor]], object]:
    """Projections in a narrow number type, each beside its scale."""

    def pack(tensors: dict[str, torch.Tensor]) -> None:
        for key in [key for key in tensors if key.endswith("proj.weight")]:
            largest = torch.finfo(kind).max if kind.is_floating_point else torch.iinfo(kind).max
            scale = tensors[key].abs().max() / largest
            tensors[key] = (tensors[key] / scale).to(kind)
            tensors[key.removesuffix("weight") + name] = scale.reshape(1)

    return pack


Make = Callable[[Path], object]


def gpt2(file: str = "config.json", **entries: Any) -> Make:
    return lambda folder: edit(write_gpt2(folder), file, **entries)


def gpt2_with(file: str, change: Callable[[bytes], bytes]) -> Make:
    def make(folder: Path) -> None:
        write_gpt2(folder)
        (folder / file).write_bytes(change((folder / file).read_bytes()))

    return make


def gpt2_without_a_layer(folder: Path) -> None:
    """A body, whose configuration says that it has a head and one layer more."""
    GPT2LMHeadModel.from_pretrained(write_gpt2(folder)).transformer.save_pretrained(folder)
    edit(folder, n_layer=2, architectures=["GPT2LMHeadModel"])


def llama(change: Callable[[dict[str, torch.Tensor]], object] = dict, **config: Any) -> Make:
    return lambda folder: saved_with(folder, change, **config)


def lacking(kind: str, *endings: str) -> Make:
    return lambda folder: saved(kind, folder, drop(*endings))


def adding(name: str, size: int) -> Callable[[dict[str, torch.Tensor]], object]:
    return lambda tensors: tensors.update({name: torch.ones(size)})


def without_scales(tensors: dict[str, torch.Tensor]) -> None:
    """Scales may lie in a file that nobody opens."""
    packed(torch.int8, "scale")(tensors)
    drop("_proj.scale")(tensors)


FP8 = torch.float8_e4m3fn
MODELOPT = {"quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8"}}
RANDOM, ODD = r"lack \d+ tensors.*random", r"cannot be loaded \(.*check its config\.json"
UNREAD = r"hold \d+ tensors .*LlamaForCausalLM does not use.*"
WHOLE = r"hold whole numbers \(I8\) for 'model\.layers\.0\..*proj\.weight'"
# How a checkpoint is made, and the sentence that refuses it.
REFUSED: list[tuple[Make, str]] = [
    (gpt2_without_a_layer, r"lack 12 tensors.*random"),
    (lacking("t5", "shared.weight", "embed_tokens.weight", "lm_head.weight"), RANDOM),
    (lacking("bart", "decoder.embed_positions.weight"), RANDOM),
    (lacking("xlnet", "lm_loss.bias"), RANDOM),
    (gpt2_with("model.safetensors", lambda data: data[:-100]), "are damaged .* copy them again"),
    (gpt2_with("tokenizer.json", lambda data: b"[]"), "cannot be loaded"),
    (gpt2(file="tokenizer_config.json", model_max_length="x"), "cannot be loaded"),
    (gpt2(vocab_size=99), r"not have the shapes stated in its config.json \(.*wte\.weight"),
    (gpt2(n_embd="abc"), ODD),
    (gpt2(vocab_size=None), ODD),
    (gpt2(n_head=0), ODD),
    (gpt2(id2label=5), ODD),
    (gpt2(n_positions=True), ODD),
    (llama(packed(FP8, "weight_scale")), UNREAD + r"model\.layers\.0\.mlp\.down_proj\.weight_scale"),
    (llama(packed(FP8, "weight_scale_inv")), UNREAD + r"down_proj\.weight_scale_inv"),
    (llama(adding("model.layers.0.self_attn.q_proj.bias", 16)), UNREAD + "bias"),
    (llama(adding("model.layers.1.mlp.down_proj.lora_A.weight", 2)), UNREAD + "lora_A"),
    (llama(packed(torch.int8, "weight_scale")), WHOLE),
    (llama(without_scales), WHOLE),
    (llama(num_hidden_layers=1), r"hold 9 tensors .*for example '.*layers\.1\."),
    (llama(**MODELOPT), "quantized by the method 'modelopt', which transformers"),
    (llama(text_config=MODELOPT), "quantized by the method 'modelopt', which transformers"),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
def test_a_checkpoint_is_refused_in_one_sentence(make: Make, sentence: str, tmp_path: Path) -> None:
    """transformers would draw random numbers, pass over unknown tensors, or raise errors of its own."""
    make(write_model(tmp_path / "m", weights=False))
    with pytest.raises(ModelError, match=sentence) as caught:
        load(resolve(str(tmp_path / "m")), "cpu")
    assert len(str(caught.value).splitlines()) == 1


def test_a_body_is_refused_likewise(tmp_path: Path) -> None:
    folder = saved_with(write_model(tmp_path / "half", weights=False), dict, num_hidden_layers=1)
    with pytest.raises(ModelError, match="hold 9 tensors"):
        load_body(resolve(str(folder)), "cpu")


# What public checkpoints hold beside what is read; of each family the names that they really have.
BESIDE = {
    "llama": [
        "model.layers.0.self_attn.rotary_emb.inv_freq",
        "model.layers.1.self_attn.k_scale",
        "model.layers.1.self_attn.v_proj.output_scale",
        "model.layers.2.embed_tokens.weight",  # of the layer that guesses further ahead
        "mtp.layers.0.self_attn.q_proj.weight",
        "model.visual.blocks.0.attn.qkv.weight",
        "vision_tower.vision_model.embeddings.position_embedding.weight",
        "v_head.summary.weight",
    ],
    "gpt2": ["transformer.h.0.attn.bias", "transformer.h.0.attn.masked_bias"],
    "gpt_neox": ["gpt_neox.layers.0.attention.bias", "gpt_neox.layers.0.attention.rotary_emb.inv_freq"],
    "bert": ["bert.embeddings.position_ids", "bert.pooler.dense.weight", "cls.seq_relationship.weight"],
    "roberta": ["roberta.embeddings.position_ids", "roberta.pooler.dense.weight"],
    "albert": ["albert.pooler.weight", "sop_classifier.classifier.weight"],
    "t5": ["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"],
    "bart": ["model.encoder.version", "model.decoder.version"],
}


@pytest.mark.parametrize("kind", sorted(BESIDE))
def test_what_no_score_depends_on_may_lie_beside(kind: str, tmp_path: Path) -> None:
    small = SMALL | {"hidden_size": 16}
    gpt2 = {"n_embd": 8, "n_layer": 1, "n_head": 1, "bos_token_id": 0, "eos_token_id": 0}
    own = {"gpt2": gpt2, "t5": T5, "bart": BART, "albert": small | {"embedding_size": 8}}
    auto = dict.fromkeys(("bert", "roberta", "albert"), AutoModelForMaskedLM)
    auto |= dict.fromkeys(("t5", "bart"), AutoModelForSeq2SeqLM)
    config = AutoConfig.for_model(kind, **{**own.get(kind, small), "vocab_size": 40})
    folder = write_model(tmp_path / kind, weights=False)
    auto.get(kind, AutoModelForCausalLM).from_config(config).save_pretrained(folder)
    tensors = load_file(folder / "model.safetensors")
    tensors |= {name: torch.ones(16, 16) if "pooler" in name else torch.ones(2) for name in BESIDE[kind]}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    if kind == "llama":
        edit(folder, num_nextn_predict_layers=1)
    spec = resolve(str(folder))
    assert load(spec, "cpu").model.base_model_prefix
    assert load_body(spec, "cpu").model is not None, "the head is not read, and need not be"


def test_a_model_over_several_devices_computes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One layer in memory and two read from disk when it is their turn: all that a CPU alone allows."""
    spec = resolve(str(write_gpt2(tmp_path / "deep", n_layer=3)))
    whole = load(spec, "cpu")
    use(monkeypatch, PCF_DEVICE="split")
    plain = load(spec)
    monkeypatch.setattr("transformers.integrations.accelerate.get_max_memory", lambda *_: {"cpu": 8000})
    split = load(spec)
    devices = split.model.hf_device_map
    assert (devices["transformer.h.0"], devices["transformer.h.2"]) == ("cpu", "disk")
    assert plain.device == split.device == "cpu"
    assert (whole.identity, plain.identity, split.identity) == (spec.identity, "", "")
    ids = torch.tensor([[1, 2, 3]])
    expected = whole.model(input_ids=ids).logits
    for loaded in (plain, split):
        assert torch.equal(loaded.model(input_ids=ids).logits, expected)


def test_device(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_device("cpu") == "cpu"
    assert choose_device("split") == "split"
    assert choose_device("auto") in {"cpu", "cuda", "mps"}
    with pytest.raises(ModelError, match=r"'tpu' is not available: choose one of .*cpu"):
        choose_device("tpu")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert [choose_device(name) for name in ("auto", "cuda", "cuda:1")] == ["cuda", "cuda", "cuda:1"]
    with pytest.raises(ModelError, match=r"'cuda:2' is not available: choose one of cuda:0, cuda:1, .*cpu"):
        choose_device("cuda:2")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    with pytest.raises(ModelError, match="'cuda' is not available"):
        choose_device("cuda")
