"""GGUF files: what their header says, what becomes of them, and what is refused."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen2Tokenizer,
)

from pcf_core.core.errors import ModelError
from pcf_core.core.records import digest
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import settings
from pcf_core.models import conversion
from pcf_core.models.conversion import _fewest, converted, require_merges
from pcf_core.models.gguf import Header, architectures, describe_gguf, read_header
from pcf_core.models.loading import Loaded, load
from pcf_core.models.registry import left_out_models, list_models, resolve
from pcf_core.models.scoring.base import open_scorer
from tests.models.conftest import use
from tests.models.gguf_files import TEMPLATE, tiny_llama, write_gguf
from tests.models.scoring.conftest import GROUPED, HEADS, brute_force, build
from tests.models.scoring.tiny_tokenizers import (
    PROMPTS,
    WORDS,
    byte_bpe,
    gpt2_tokenizer,
    llama_tokenizer,
    roberta_tokenizer,
    t5_tokenizer,
)


@pytest.fixture(scope="module")
def llama() -> Loaded:
    return tiny_llama()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, llama: Loaded) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", llama)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, llama: Loaded) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny-q8_0.gguf", llama, quantized=True)


def _conversions() -> list[str]:
    """Names of what the cache holds of conversions, but for the lock."""
    return sorted(path.name for path in (settings().cache / "gguf").glob("*") if path.suffix != ".lock")


@pytest.mark.parametrize("file", ["plain", "small"])
def test_the_header_says_what_the_package_reads(file: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(file)
    header, theirs = read_header(path, "tiny"), gguf.GGUFReader(path)
    assert header.tensors == {tensor.name: tuple(map(int, tensor.shape)) for tensor in theirs.tensors}
    for key, field in theirs.fields.items():
        if key.startswith("GGUF."):
            continue
        value = field.contents()
        assert header.metadata[key] == (len(value) if isinstance(value, list) else pytest.approx(value)), key


def test_a_file_is_described_without_its_weights_being_read(
    small: Path, llama: Loaded, tmp_path: Path
) -> None:
    spec, context = describe_gguf(small, "tiny"), llama.model.config.max_position_embeddings
    assert (spec.family, spec.quantization, spec.context) == ("causal", "Q8_0", context)
    assert spec.parameters == sum(tensor.numel() for tensor in llama.model.parameters())
    assert spec.chat_template == digest(TEMPLATE)
    assert spec.title == "Tiny Llama (compressed copy of the weights, Q8_0)"
    elsewhere = tmp_path / "renamed.gguf"
    elsewhere.write_bytes(small.read_bytes())
    other = describe_gguf(elsewhere, "other")
    assert (other.identity, other.tokenizer) == (spec.identity, spec.tokenizer)


def test_what_was_not_quantized_computes_as_before(plain: Path, llama: Loaded) -> None:
    loaded = load(describe_gguf(plain, "tiny"), "cpu")
    ids = torch.arange(12)[None] * 7 % llama.model.config.vocab_size
    with torch.inference_mode():
        assert torch.allclose(loaded.model(ids).logits, llama.model(ids).logits, atol=1e-5)
    for text in PROMPTS:
        assert loaded.tokenizer(text)["input_ids"] == llama.tokenizer(text)["input_ids"]
    assert loaded.tokenizer.chat_template == TEMPLATE


def test_scores_are_those_of_transformers_and_of_one_word_at_a_time(small: Path) -> None:
    spec = describe_gguf(small, "tiny")
    prompts = [prompt for prompt in PROMPTS if prompt.endswith("[Y]")]
    scores = open_scorer(spec, "exact").score(prompts, list(WORDS))
    theirs = Loaded(
        AutoModelForCausalLM.from_pretrained(small.parent, gguf_file=small.name, dtype=torch.float32).eval(),
        AutoTokenizer.from_pretrained(small.parent, gguf_file=small.name),
        "cpu",
    )
    with torch.inference_mode():
        alone = [[brute_force(theirs, "llama", prompt, word) for word in WORDS] for prompt in prompts]
    assert np.allclose(scores, alone, atol=1e-4)


def test_a_file_is_converted_once(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = describe_gguf(plain, "tiny")
    folder = converted(spec, [plain])
    assert _conversions() == [folder.name]
    monkeypatch.setattr(conversion, "_convert", lambda *_: pytest.fail("it was converted before"))
    assert converted(spec.model_copy(update={"name": "a copy"}), [plain]) == folder
    monkeypatch.setattr(conversion, "CONVERTER", "another")
    with pytest.raises(pytest.fail.Exception):
        converted(spec, [plain])


def test_files_in_parts_are_joined_in_their_order(plain: Path, tmp_path: Path) -> None:
    data, spec = plain.read_bytes(), describe_gguf(plain, "tiny")
    parts = [tmp_path / "part00", tmp_path / "part01"]
    parts[0].write_bytes(data[:1000])
    parts[1].write_bytes(data[1000:])
    assert (converted(spec, parts) / "model.safetensors").is_file()
    other = spec.model_copy(update={"identity": "0" * 64})
    with pytest.raises(ModelError, match="its hash is no longer 000000000000…"):
        converted(other, parts)
    assert len(_conversions()) == 1


def test_the_list_holds_files_and_folders_with_one(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    for file in ("deployed.gguf", "folder/any.gguf", "two/a.gguf", "two/b.gguf"):
        (own / file).parent.mkdir(parents=True, exist_ok=True)
        (own / file).write_bytes(plain.read_bytes())
    (own / "broken.gguf").write_bytes(b"GGUF")
    use(monkeypatch, PCF_MODELS=str(own))
    listed = {spec.name: spec for spec in list_models() if spec.kind == "own"}
    assert sorted(listed) == ["deployed", "folder"]
    assert [item.name for item in left_out_models()] == ["broken"]
    assert resolve("deployed") == listed["deployed"]
    assert resolve("causal:deployed") == listed["deployed"]
    assert resolve(str(own / "deployed.gguf")).identity == listed["deployed"].identity
    assert ScoringKey.of(resolve(str(own / "folder"))).identity == listed["folder"].identity
    with pytest.raises(ModelError, match="cannot be read as masked, because its file says that it is causal"):
        resolve("masked:deployed")


def _number(value: int) -> bytes:
    return struct.pack("<Q", value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: b"GGML" + data[4:], "does not begin with GGUF, so it is not a GGUF file"),
        (lambda data: b"", "is not a GGUF file"),
        (lambda data: b"GGUF", "is damaged or cut off"),
        (lambda data: data[:4] + struct.pack("<I", 1) + data[8:], r"version 1, but only 2 and 3 can be read"),
        (lambda data: data[:100], "is damaged or cut off"),
        (lambda data: data[:-64], r"bytes, but [\d,]+ according to its header\): copy it again"),
        (lambda data: data[:8] + _number(2**60) + data[16:], "tensors in"),
        (lambda data: data[:16] + _number(2**60) + data[24:], "entries and"),
        (lambda data: data[:24] + _number(2**62) + data[32:], "a text of"),
    ],
)
def test_damaged_files_are_refused(
    plain: Path, tmp_path: Path, change: Callable[[bytes], bytes], sentence: str
) -> None:
    (tmp_path / "odd.gguf").write_bytes(change(plain.read_bytes()))
    with pytest.raises(ModelError, match=sentence):
        describe_gguf(tmp_path / "odd.gguf", "odd")


def test_every_flipped_byte_of_the_header_gives_a_description_or_a_sentence(
    plain: Path, tmp_path: Path
) -> None:
    data, path = plain.read_bytes(), tmp_path / "odd.gguf"
    for at in np.random.default_rng(5).integers(0, 12_000, 300):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            answer = describe_gguf(path, "odd").name
        except ModelError as error:
            answer = str(error)
        assert answer
        assert "\n" not in answer


def factors(*values: float, kind: Any = np.float32) -> dict[str, Any]:
    return {"tensors": {"rope_freqs.weight": np.array(values, kind)}}


def entry(name: str, value: object) -> dict[str, Any]:
    return {"extra": {f"llama.{name}": value}}


ROPE_LOST = r"sets rope_freqs\.weight, which would be lost"
# A file that would be read as another model, and the sentence that refuses it when it is described.
OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"architecture": "clip"}, r"'clip', which is not supported \(supported are bloom,"),
    ({"architecture": "t5"}, "the architecture 't5'"),
    ({"merges": 0}, r"without its merges \(tokenizer\.ggml\.merges\)"),
    ({"extra": {"split.count": 3}}, "one of 3 parts: join them with llama-gguf-split --merge"),
    *((factors(*np.linspace(1, 2, 8)), ROPE_LOST), (factors(*[8] * 9), ROPE_LOST)),
    *((factors(*[np.nan] * 8), ROPE_LOST), (factors(*[8] * 8, kind=np.float16), ROPE_LOST)),
    *(
        (entry(name, value), rf"sets llama\.{name}, which would be lost")
        for name, value in (
            ("rope.scaling.type", "yarn"),
            ("attention.causal", False),
            ("rope.scale_linear", 4.0),
            ("attention.scale", 1.0),
            ("unheard_of", 3),
        )
    ),
    ({"pre": "unheard"}, r"splits texts by 'unheard'"),
    (entry("block_count", 10**8), "states 100,000,000 layers but holds"),
]
# The same when it is converted.
UNCONVERTED: list[tuple[dict[str, Any], str]] = [
    ({"tensors": {"blk.0.attn_q.bias": np.ones(32, np.float32)}}, "holds [0-9,]+ weights, but transformers"),
    (entry("feed_forward_length", 2**28), "describes"),
    ({"extra": {"tokenizer.ggml.model": "unheard"}}, "cannot be read"),
    (entry("attention.layer_norm_epsilon", 1e-3), r"layer_norm_epsilon = 0\.001, where 1e-06 would be used"),
    (
        entry("attention.sliding_window", 6),
        r"would not use \(attention\.sliding_window\), so the scores would be wrong",
    ),
]


@pytest.mark.parametrize(("options", "sentence"), OTHERS)
def test_what_would_be_another_model_is_refused(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    path = write_gguf(tmp_path / "odd.gguf", **options)
    with pytest.raises(ModelError, match=sentence):
        describe_gguf(path, "odd")


@pytest.mark.parametrize(("options", "sentence"), UNCONVERTED)
def test_a_conversion_that_fails_leaves_nothing_behind(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    path = write_gguf(tmp_path / "odd.gguf", **options)
    with pytest.raises(ModelError, match=sentence):
        load(describe_gguf(path, "odd"), "cpu")
    assert _conversions() == []


@pytest.mark.parametrize(
    "extra",
    [
        {"llama.attention.causal": True, "llama.rope.scaling.type": "none", "llama.logit_scale": 1.0},
        {"llama.rope.scaling.original_context_length": 4096, "llama.tensor_data_layout": "Meta original pth"},
        {"llama.expert_count": 0, "llama.attention.layer_norm_epsilon": 1e-6},
    ],
)
def test_entries_that_change_nothing_are_taken(tmp_path: Path, extra: dict[str, object]) -> None:
    path = write_gguf(tmp_path / "plain.gguf", extra=extra)
    assert load(describe_gguf(path, "plain"), "cpu").model.config.rms_norm_eps == pytest.approx(1e-6)


def test_as_many_heads_of_keys_as_of_queries_lose_nothing() -> None:
    """A BLOOM file says both numbers, and its configuration has one field for them."""
    sizes = {"attention.head_count": 16, "attention.head_count_kv": 16, "block_count": 24}
    entries = {"general.architecture": "bloom", **{f"bloom.{key}": value for key, value in sizes.items()}}
    assert Header(entries, {}).unread == []
    assert Header(entries | {"bloom.attention.head_count_kv": 4}, {}).unread == [
        "bloom.attention.head_count_kv"
    ]


def test_the_base_of_windowed_layers_is_compared(tmp_path: Path) -> None:
    """Newer files of Gemma 3 state it."""
    original = build("Gemma3ForCausalLM", gpt2_tokenizer, **HEADS, **GEMMA3)
    for base in (10_000.0, 20_000.0):
        extra = {"gemma3.rope.freq_base_swa": base}
        path = write_gguf(tmp_path / f"{base:g}.gguf", original, architecture="gemma3", extra=extra)
        spec = describe_gguf(path, "gemma")
        if base == 10_000.0:
            assert load(spec, "cpu").model.config.rope_parameters["sliding_attention"]["rope_theta"] == base
        else:
            with pytest.raises(ModelError, match=r"freq_base_swa = 20000, where 10000 would be used"):
                load(spec, "cpu")


GEMMA2 = {"query_pre_attn_scalar": 16, "sliding_window": 8}
GEMMA3 = GEMMA2 | {"layer_types": ["sliding_attention"] * 2}
CAPS = {"attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0}
# By architecture: what the original says, and what the file adds.  The largest has 46 layers, and heads whose
# width is not what divides the queries.
GEMMAS = {
    "gemma2": ("Gemma2ForCausalLM", GEMMA2, {}),
    "gemma3": ("Gemma3ForCausalLM", GEMMA3, {}),
    "gemma2 caps": ("Gemma2ForCausalLM", GEMMA2 | CAPS, {f"gemma2.{key}": CAPS[key] for key in CAPS}),
    "gemma2 27B": (
        "Gemma2ForCausalLM",
        GEMMA2 | {"query_pre_attn_scalar": 8, "num_hidden_layers": 46, "num_attention_heads": 4},
        {},
    ),
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if "27B" in case else case for case in sorted(GEMMAS)]
)
def test_the_queries_of_gemma_are_divided_as_by_llama_cpp(tmp_path: Path, case: str) -> None:
    model, config, extra = GEMMAS[case]
    shape = HEADS | {"initializer_range": 0.1 if "27B" in case else 0.4}
    original = build(model, gpt2_tokenizer, **(shape | config))
    path = write_gguf(tmp_path / "gemma.gguf", original, architecture=case.split()[0], extra=extra)
    spec = describe_gguf(path, "gemma")
    loaded = load(spec, "cpu")
    assert loaded.model.config.query_pre_attn_scalar == config["query_pre_attn_scalar"]
    ids = torch.arange(12)[None] * 7 % original.model.config.vocab_size
    with torch.inference_mode():
        got, wanted = loaded.model(ids).logits, original.model(ids).logits
        original.model.config.query_pre_attn_scalar = 256
        for layer in original.model.model.layers:
            layer.self_attn.scaling = 256**-0.5
        before = original.model(ids).logits
    torch.testing.assert_close(got, wanted, atol=1e-4, rtol=1e-4)
    assert (before - wanted).abs().max() > 1e-3, "the test could not tell"
    assert spec.tokenizer != digest(["gguf", spec.identity]), "what was scored otherwise is another key"


@pytest.mark.parametrize(
    ("kind", "layers", "hidden", "heads", "width", "scalar"),
    [
        ("gemma2", 26, 2304, 8, 256, 256),  # as the published configurations of 2B, 9B and 27B say
        ("gemma2", 42, 3584, 16, 256, 256),
        ("gemma2", 46, 4608, 32, 128, 144),
        ("gemma3", 18, 640, 4, 256, 256),
        ("gemma3", 62, 5376, 32, 128, 168),
        ("llama", 32, 4096, 32, 128, None),
    ],
)
def test_what_divides_the_queries_is_what_published_configurations_say(
    kind: str, layers: int, hidden: int, heads: int, width: int, scalar: int | None
) -> None:
    sizes = {"block_count": layers, "embedding_length": hidden, "attention.head_count": heads}
    entries = {f"{kind}.{key}": value for key, value in (sizes | {"attention.key_length": width}).items()}
    header = Header({"general.architecture": kind, **entries}, {})
    assert header.query_scalar == scalar
    assert bool(header.corrections) == (scalar not in (None, 256))


TEXTS = ("It's 2024: 12,345 of  77 nurses said\n\n12 things", "I'M here, don't", "x   12")


def test_texts_are_split_as_the_file_says(tmp_path: Path) -> None:
    """Each pattern against the one of its source: tokenizers of SmolLM2, Llama 3 and Qwen 2, and of GPT-2.

    Only what is read otherwise than by transformers has another key; SmolLM's merges hold no digit, so that
    its tokens are those of GPT-2's pattern.
    """
    digits = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    qwen = Qwen2Tokenizer().backend_tokenizer.pre_tokenizer
    sources = {"gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False)}
    sources |= {"smollm": digits, "starcoder": digits, "stablelm2": qwen, "qwen2": qwen}
    split = {}
    for pre in (*sources, "llama-bpe"):
        spec = describe_gguf(write_gguf(tmp_path / f"{pre}.gguf", pre=pre), pre)
        assert (spec.tokenizer == digest(["gguf", spec.identity])) == (pre in ("gpt-2", "smollm", "qwen2"))
        tokenizer = load(spec, "cpu").tokenizer.backend_tokenizer
        split[pre] = [[part for part, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text)] for text in TEXTS]
        assert tokenizer.model.ignore_merges == (pre == "llama-bpe")
    for pre, source in sources.items():
        assert split[pre] == [[part for part, _ in source.pre_tokenize_str(text)] for text in TEXTS], pre
    assert len({str(parts) for parts in split.values()}) == 4


@pytest.mark.parametrize(("pre", "marked"), [("", True), ("default", True), ("gpt-2", False)])
def test_a_file_that_does_not_say_how_texts_are_split_is_marked(
    tmp_path: Path, pre: str, marked: bool
) -> None:
    spec = describe_gguf(write_gguf(tmp_path / "old.gguf", pre=pre), "old")
    assert ("GPT-2's way is used" in spec.notes) == marked
    assert spec.tokenizer == digest(["gguf", spec.identity])


@pytest.mark.parametrize(
    ("pre", "stated", "opens"),
    [("llama-bpe", None, True), ("llama-bpe", False, False), ("tekken", None, True), ("gpt-2", None, False)],
)
def test_a_text_opens_as_by_llama_cpp_where_the_file_does_not_say(
    tmp_path: Path, pre: str, stated: bool | None, opens: bool
) -> None:
    path = write_gguf(tmp_path / "open.gguf", pre=pre, opens=stated)
    tokenizer = load(describe_gguf(path, "open"), "cpu").tokenizer
    assert (tokenizer("a nurse")["input_ids"][0] == tokenizer.bos_token_id) == opens


@pytest.mark.parametrize(("stated", "first"), [(None, "▁ab"), (True, "▁ab"), (False, "ab")])
def test_a_space_before_a_text_is_the_files(tmp_path: Path, stated: bool | None, first: str) -> None:
    path = write_gguf(tmp_path / "spaced.gguf", sentencepiece=True, spaced=stated)
    spec = describe_gguf(path, "spaced")
    tokenizer = load(spec, "cpu").tokenizer
    assert tokenizer.tokenize("ab a") == [first, "▁a"]
    assert (spec.tokenizer == digest(["gguf", spec.identity])) == (stated is not False)


ROPE = {"rope_type": "llama3", "rope_theta": 500_000.0, "factor": 8.0, "low_freq_factor": 1.0} | {
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def rope_factors(factor: float = 8.0, base: float = 500_000.0, size: int = 16) -> np.ndarray:
    """What llama.cpp's converter writes for Llama 3.1: by what each frequency is divided."""
    wave = 2 * np.pi * base ** (np.arange(0, size, 2) / size)
    smooth = (8192 / wave - 1) / 3
    slow = np.where(wave > 8192, factor, 1 / ((1 - smooth) / factor + smooth))
    return np.where(wave < 8192 / 4, 1.0, slow).astype(np.float32)


def test_the_positions_of_llama_3_are_scaled_as_the_file_says(tmp_path: Path) -> None:
    """The factors become transformers' own scaling: the same frequencies, and scores as by the original."""
    original = build("LlamaForCausalLM", gpt2_tokenizer, **GROUPED, rope_parameters=ROPE)
    path = write_gguf(tmp_path / "scaled.gguf", original, tensors={"rope_freqs.weight": rope_factors()})
    assert 1 < rope_factors()[4] < 8, "one frequency is between the two"
    spec = describe_gguf(path, "scaled")
    assert spec.parameters == sum(weight.numel() for weight in original.model.state_dict().values())
    loaded = load(spec, "cpu")
    assert loaded.model.config.rope_parameters == ROPE
    torch.testing.assert_close(
        loaded.model.model.rotary_emb.inv_freq, original.model.model.rotary_emb.inv_freq, rtol=1e-6, atol=0
    )
    with torch.inference_mode():
        wanted = [[brute_force(original, "llama", prompt, word) for word in WORDS] for prompt in PROMPTS]
    np.testing.assert_allclose(open_scorer(spec, "exact").score(PROMPTS, WORDS), wanted, atol=1e-4)


def test_factors_of_1_scale_nothing(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "even.gguf", **factors(*[1] * 8))
    assert load(describe_gguf(path, "even"), "cpu").model.config.rope_parameters["rope_type"] == "default"


def test_a_file_that_changes_while_it_is_converted_is_not_kept(
    tmp_path: Path, llama: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", llama)
    spec, save = describe_gguf(path, "tiny"), conversion._save

    def replaced(*arguments: Any) -> None:
        save(*arguments)
        path.write_bytes(path.read_bytes() + b" ")

    monkeypatch.setattr(conversion, "_save", replaced)
    with pytest.raises(ModelError, match="changed while it was being read"):
        load(spec, "cpu")
    assert _conversions() == []


def sparse(path: Path, beginning: bytes, size: int = 2**30) -> Path:
    """A file with a hole, in which every count finds as many bytes as it says."""
    path.write_bytes(beginning)
    with path.open("r+b") as file:
        file.truncate(size)
    return path


@pytest.mark.parametrize(
    ("beginning", "sentence"),
    [
        (struct.pack("<4sIQQ", b"GGUF", 3, 2**24, 0), "16,777,216 tensors, but at most 4,096 and 100,000"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 0, 2**24), "16,777,216 entries and 0 tensors, but at most"),
        (struct.pack("<4sIQQQIIQ", b"GGUF", 3, 0, 1, 0, 9, 8, 2**26), "lists of more than 2,097,152 texts"),
        (struct.pack("<4sIQQQIIQ", b"GGUF", 3, 0, 1, 0, 9, 0, 2**28), "a header of more than 64 MiB"),
    ],
)
def test_a_header_is_bounded_whatever_the_file_holds(tmp_path: Path, beginning: bytes, sentence: str) -> None:
    path = sparse(tmp_path / "sparse.gguf", beginning)
    begin = time.monotonic()
    with pytest.raises(ModelError, match=sentence):
        read_header(path, "sparse")
    assert time.monotonic() - begin < 5


def test_a_title_is_one_short_line(tmp_path: Path, llama: Loaded) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", llama, name="A\nname \u202e\x1b[31m" + "x" * 10_000)
    title = describe_gguf(path, "tiny").title
    assert title.isprintable()
    assert title.startswith("A name ??[31mxxx")
    assert len(title) < 170


def test_the_usual_architectures_are_read() -> None:
    assert {"llama", "qwen2", "qwen3", "gemma2", "gemma3", "mistral", "phi3"} <= architectures()
    assert not {"t5", "general", "tokenizer"} & architectures()


def words_tokenizer() -> PreTrainedTokenizerFast:
    """Enough merges that most words are one token."""
    end = "<|endoftext|>"
    raw = byte_bpe([end], merges=150)
    return PreTrainedTokenizerFast(tokenizer_object=raw, bos_token=end, eos_token=end, unk_token=end)


def test_a_tokenizer_that_lost_its_merges_is_refused(tmp_path: Path) -> None:
    """As in llama.cpp#7476: letters, although the vocabulary has the words."""
    loaded = build("LlamaForCausalLM", words_tokenizer, **GROUPED)
    whole = load(describe_gguf(write_gguf(tmp_path / "whole.gguf", loaded), "whole"), "cpu")
    assert whole.tokenizer.tokenize("the nurse") == loaded.tokenizer.tokenize("the nurse")
    path = write_gguf(tmp_path / "lost.gguf", loaded, merges=1)
    with pytest.raises(ModelError, match=r"tokenizer in the GGUF file of lost splits .* single letters"):
        load(describe_gguf(path, "lost"), "cpu")


@pytest.mark.parametrize("tokenizer", [gpt2_tokenizer, llama_tokenizer, roberta_tokenizer, t5_tokenizer])
def test_a_small_vocabulary_is_measured_by_what_it_has(
    tokenizer: Callable[[], PreTrainedTokenizerBase],
) -> None:
    """Most of a plain sentence are letters here, and no vocabulary this small can do better."""
    require_merges(tokenizer(), "tiny")


@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=6), st.text("abc", max_size=7))
def test_the_fewest_pieces_are_found(vocabulary: list[str], word: str) -> None:
    pieces = _fewest(word, vocabulary)
    assert "".join(pieces) == word
    entries = {*vocabulary, *"abc"}
    ways = [
        cuts
        for number in range(len(word) + 1)
        for cuts in combinations(range(1, len(word)), max(0, number - 1))
        if all(word[a:b] in entries for a, b in pairwise([0, *cuts, len(word)]))
    ]
    assert len(pieces) == (min(len(cuts) for cuts in ways) + 1 if word else 0)
