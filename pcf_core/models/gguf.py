"""Describe a GGUF file by its header: llama.cpp's and Ollama's format, weights and tokenizer in one file.

The package ``gguf`` is not used for the header, because it takes tens of seconds for large vocabularies.
This file follows versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md);
``tests/models/test_gguf.py`` compares it with the package, from which number types and sizes come.  Counts
are compared with the file's length and the largest models, as files may be hostile.
"""

from __future__ import annotations

import ast
import mmap
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isclose, pi, prod
from pathlib import Path
from typing import Any

from pcf_core.core.errors import ModelError
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.models.compression import copy_note
from pcf_core.models.family import causal_types, library_table
from pcf_core.models.folder import LONGEST_TITLE, State, file_hash, shortened, state_of

MAGIC = b"GGUF"
SUFFIX = ".gguf"
VERSIONS = (2, 3)
LEAST_LAYERS = 64  # always allowed, however few tensors there are
MOST_DIMENSIONS = 8
MOST_ENTRIES = 2**12  # headers have up to a hundred
MOST_TENSORS = 10**5  # as in safetensors; the largest models have 2,000
MOST_TEXTS = 2**21  # in lists; three times the largest vocabulary and its merges
LARGEST = 2**26  # bytes of a header, three times that of the largest vocabulary
LONGEST_TEXT = 2**20  # bytes of a text; chat templates have up to 20 KiB
ALIGNMENT = "general.alignment"
MERGES = "tokenizer.ggml.merges"

# Formats of numbers by the code of their type; two codes are texts and lists.
NUMBERS = dict(enumerate(["<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"])) | {10: "<Q", 11: "<q", 12: "<d"}
TEXT, LIST = 8, 9

# Entries about the architecture change the scores.  Allowed are those that transformers reads, by its table,
# and the following; a file with others is refused.
SHAPED = (  # repeated by the shapes of the tensors, and the longest text
    "vocab_size",
    "context_length",
    "feed_forward_length",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
    "attention.key_length",
    "attention.value_length",
)
COMPARED = (  # compared with the converted model
    "rope.dimension_count",
    "rope.freq_base",
    "rope.freq_base_swa",
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
)
CARRIED = {  # added to the configuration by the conversion, under this name
    "attention.sliding_window": "sliding_window",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
}
WITHOUT_EFFECT = (  # remarks, and facts that the tensors decide
    "tensor_data_layout",
    "rope.scaling.original_context_length",
    "rope.scaling.finetuned",
    "use_parallel_residual",
)
NOTHING = {  # values without effect; 0 and "none" for entries not listed
    "attention.causal": (True,),
    "rope.scaling.factor": (0, 1),
    "rope.scale_linear": (0, 1),
    "logit_scale": (0, 1),
    "residual_scale": (0, 1),
    "embedding_scale": (0, 1),
}
LOST_TENSORS = ("rope_factors_long.weight", "rope_factors_short.weight")
# The queries of Gemma 2 and 3 are divided by the square root of an unstated number.  transformers uses 256;
# llama.cpp the width of a head or, for the largest model (known by its layers), hidden size by heads.
LAYERS_OF_27B = {"gemma2": 46, "gemma3": 62}
USUAL_SCALAR = 256
USUAL_CAPS = {"gemma2": {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}}
# How byte-level vocabularies split texts, by ``tokenizer.ggml.pre``, where transformers' table does not say
# it (from llama.cpp): by GPT-2's pattern, the same with each digit alone, or Qwen 2's.
GPT2_SPLITS = frozenset(
    {"gpt-2", "phi-2", "gigachat", "a.x-4.0", "mellum", "exaone4", "mpt", "olmo", "jais", "trillion"}
)
DIGIT_SPLITS = frozenset({"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"})
UNSTATED = frozenset({"", "default"})  # files before 2024-05: GPT-2's pattern, with a note
QWEN2_SPLITS = frozenset({"stablelm2", "hunyuan"})
UNSTATED_NOTE = (
    "The file does not say how its tokenizer splits texts (tokenizer.ggml.pre), so GPT-2's way is used. If "
    "the model's own tokenizer splits them in another way, scores of some sentences are wrong, those with "
    "digits among them. Newer GGUF files say it."
)
# With these, every entry is one token whatever the merges, and a text opens with the first token unless the
# file says otherwise.
LLAMA3_SPLITS = frozenset(
    {
        "llama3",
        "llama-v3",
        "llama-bpe",
        "falcon3",
        "falcon-h1",
        "pixtral",
        "midm-2.0",
        "lfm2",
        "jina-v5-nano",
        "tekken",
    }
)
# Divisors of the frequencies of positions, which transformers ignores; those of Llama 3.1 and later follow
# from its scaling parameters.
ROPE_FACTORS = "rope_freqs.weight"
LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
SCALED = ("llama",)  # architectures whose factors are read
ROPE_BASE = 10_000.0  # if not stated
SAME_FACTOR = 1e-5  # relative: rounding to float32
MOST_FACTORS = 4096
# Encoder–decoders, some of which transformers reads wrongly, and tables that are no architecture.
NOT_CAUSAL = ("t5", "umt5", "general", "tokenizer")


@dataclass(frozen=True)
class Header:
    """The header of a GGUF file.

    ``metadata``: numbers, texts and the lengths of lists, by key.  ``tensors``: shape by name.
    ``rope_factors``: the divisors of the frequencies of positions, the highest first; empty for none.
    """

    metadata: Mapping[str, Any]
    tensors: Mapping[str, tuple[int, ...]]
    rope_factors: tuple[float, ...] = ()

    @property
    def architecture(self) -> str:
        """llama.cpp's name of the architecture, such as ``llama``."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def weights(self) -> int:
        """The number of weights in all tensors."""
        return sum(prod(shape) for name, shape in self.tensors.items() if name != ROPE_FACTORS)

    def number(self, field: str) -> int:
        """Return a number about the architecture, 0 if not stated."""
        value = self.metadata.get(f"{self.architecture}.{field}", 0)
        return value if type(value) is int else 0

    @property
    def unread(self) -> list[str]:
        """The entries and tensors with an effect that transformers would ignore."""
        prefix = f"{self.architecture}."
        read = {*read_entries(self.architecture), *SHAPED, *COMPARED, *CARRIED, *WITHOUT_EFFECT}
        if self.number("attention.head_count_kv") == self.number("attention.head_count"):
            read.add("attention.head_count_kv")  # as in BLOOM's files
        entries = {
            key.removeprefix(prefix): value for key, value in self.metadata.items() if key.startswith(prefix)
        }
        lost = [
            f"{prefix}{field}"
            for field, value in entries.items()
            if field not in read and value not in NOTHING.get(field, (0, "none"))
        ]
        lost += [tensor for tensor in LOST_TENSORS if tensor in self.tensors]
        if ROPE_FACTORS in self.tensors and self.rope_scaling is None:
            lost.append(ROPE_FACTORS)
        return lost

    @property
    def query_scalar(self) -> int | None:
        """The number whose square root divides the queries of Gemma 2 and 3, as in llama.cpp."""
        if self.architecture not in LAYERS_OF_27B:
            return None
        width = self.number("embedding_length") // max(self.number("attention.head_count"), 1)
        if self.number("block_count") == LAYERS_OF_27B[self.architecture]:
            return width
        return self.number("attention.key_length") or width

    @property
    def split(self) -> str:
        """The name of the pattern that splits texts; empty without a byte-level vocabulary."""
        byte_level = self.metadata.get("tokenizer.ggml.model") == "gpt2"
        return str(self.metadata.get("tokenizer.ggml.pre", "")) if byte_level else ""

    @property
    def is_split_unstated(self) -> bool:
        """Whether it has a byte-level vocabulary but no pattern."""
        return self.metadata.get("tokenizer.ggml.model") == "gpt2" and self.split in UNSTATED

    @property
    def opens(self) -> bool:
        """Whether texts open with the first token although the file does not say so."""
        return self.split in LLAMA3_SPLITS and "tokenizer.ggml.add_bos_token" not in self.metadata

    @property
    def prefixed(self) -> bool:
        """Whether transformers puts a space before texts although the file forbids it."""
        plain = self.metadata.get("tokenizer.ggml.add_space_prefix") is False
        sentencepiece = self.metadata.get("tokenizer.ggml.model") == "llama"
        return plain and sentencepiece and not self.architecture.startswith("gemma")

    @property
    def corrections(self) -> list[str]:
        """What is read beyond transformers, for keys; usually nothing."""
        notes = []
        if self.query_scalar not in (None, USUAL_SCALAR):
            notes.append(f"query_pre_attn_scalar={self.query_scalar}")
        for field, usual in USUAL_CAPS.get(self.architecture, {}).items():
            if (stated := self.metadata.get(f"{self.architecture}.{field}", usual)) != usual:
                notes.append(f"{field}={stated}")
        # SmolLM's merges have no digit, so its tokens are those of GPT-2's pattern.
        if self.split in (DIGIT_SPLITS - {"smollm"}) | QWEN2_SPLITS | LLAMA3_SPLITS:
            notes.append(f"pre={self.split}")
        return notes + ["opens"] * self.opens + ["no space before a text"] * self.prefixed

    @property
    def rope_scaling(self) -> dict[str, Any] | None:
        """The scaling of positions as transformers states it; empty for none, ``None`` if it cannot."""
        if self.rope_factors and all(factor == 1 for factor in self.rope_factors):
            return {}
        heads = max(self.number("attention.head_count"), 1)
        size = self.number("rope.dimension_count") or self.number("embedding_length") // heads
        base = self.metadata.get(f"{self.architecture}.rope.freq_base", ROPE_BASE)
        factor = max(self.rope_factors, default=0.0)
        usual = self.architecture in SCALED and type(base) is float and 1 < base < inf and 1 < factor < inf
        if not usual or size != 2 * len(self.rope_factors):
            return None
        expected = llama3_factors(factor, base, size)
        for one, other in zip(expected, self.rope_factors, strict=True):
            if not isclose(one, other, rel_tol=SAME_FACTOR):
                return None
        return {"rope_type": "llama3", "factor": factor, **LLAMA3}

    @property
    def quantization(self) -> str:
        """How the weights are stored, such as ``Q4_1``; empty if not stated."""
        from gguf.constants import LlamaFileType

        stated = self.metadata.get("general.file_type")
        names = {member.value: member.name for member in LlamaFileType}
        return names[stated].removeprefix("MOSTLY_").removeprefix("ALL_") if stated in names else ""


def llama3_factors(factor: float, base: float, size: int) -> list[float]:
    """Compute the divisors of the frequencies of a Llama 3.1 head of ``size`` numbers, the highest first.

    Source: the model code of Llama 3.1; llama.cpp's converter writes the same.
    """
    low, high = LLAMA3["low_freq_factor"], LLAMA3["high_freq_factor"]
    factors = []
    for index in range(size // 2):
        turns = LLAMA3["original_max_position_embeddings"] * base ** (-2 * index / size) / (2 * pi)
        smooth = min(max((turns - low) / (high - low), 0.0), 1.0)
        factors.append(1 / ((1 - smooth) / factor + smooth))
    return factors


def describe_gguf(path: Path, name: str) -> ModelSpec:
    """Describe a GGUF file; its ``identity`` is its hash (SHA-256), which covers the tokenizer too."""
    try:
        identity = file_hash(path)
        header = read_header(path, name)
    except OSError as error:
        raise ModelError(
            f"The GGUF file {path} of the model {name} cannot be read ({error.strerror or error}): allow the "
            "user who runs this app to read it, and check the disk."
        ) from error
    require_readable(header, name)
    template = header.metadata.get("tokenizer.chat_template")
    quantization = header.quantization or "GGUF"
    return ModelSpec(
        name=name,
        family="causal",
        path=str(path.resolve()),
        identity=identity,
        tokenizer=tokenizer_of(identity, header.corrections),
        parameters=header.weights,
        context=header.number("context_length"),
        chat_template=digest(template) if isinstance(template, str) and template else "",
        quantization=quantization,
        notes=UNSTATED_NOTE if header.is_split_unstated else "",
        title=f"{shortened(str(header.metadata.get('general.name') or name), LONGEST_TITLE)} "
        f"({copy_note(quantization)})",
    )


def tokenizer_of(identity: str, corrections: Sequence[str] = ()) -> str:
    """Return the hash of a GGUF file's tokenizer, with its corrections."""
    return digest(["gguf", identity, *corrections])


def require_readable(header: Header, name: str) -> None:
    """Raise ModelError for a file that transformers would not read correctly."""
    kind, supported = header.architecture, architectures()
    if _plain(kind) not in map(_plain, supported):
        raise ModelError(
            f"The GGUF file of the model {name} has the architecture {kind[:80]!r}, which is not supported "
            f"(supported are {', '.join(sorted(supported))}): serve the model and connect it as an endpoint."
        )
    if type(parts := header.metadata.get("split.count", 1)) is int and parts > 1:
        raise ModelError(
            f"The GGUF file of the model {name} is one of {parts} parts: join them with llama-gguf-split "
            "--merge."
        )
    if lost := header.unread:
        raise ModelError(
            f"The GGUF file of the model {name} sets {', '.join(lost[:3])[:300]}, which would be lost here, "
            "so the scores would be wrong: give a directory with the model's safetensors, or serve the "
            "model and connect it as an endpoint."
        )
    splits = GPT2_SPLITS | DIGIT_SPLITS | QWEN2_SPLITS | UNSTATED | _library_splits()
    if header.metadata.get("tokenizer.ggml.model") == "gpt2" and header.split not in splits:
        raise ModelError(
            f"The GGUF file of the model {name} splits texts by {header.split[:80]!r} (tokenizer.ggml.pre), "
            "which is not supported, so its tokens might be wrong: give a directory with its safetensors "
            "and tokenizer, or serve the model and connect it as an endpoint."
        )
    if header.metadata.get("tokenizer.ggml.model") == "gpt2" and not header.metadata.get(MERGES):
        raise ModelError(
            f"The GGUF file of the model {name} has a byte-level vocabulary without its merges ({MERGES}), "
            "so words would become single letters: use a file of the model that was converted again."
        )
    layers = header.number("block_count")
    if layers > max(len(header.tensors), LEAST_LAYERS):
        raise ModelError(
            f"The GGUF file of the model {name} states {layers:,} layers but holds only "
            f"{len(header.tensors):,} tensors: copy it again."
        )


def _plain(architecture: str) -> str:
    """Remove the signs that llama.cpp and transformers use differently (qwen2_moe)."""
    return architecture.replace("_", "").replace("-", "")


@lru_cache(maxsize=1)
def architectures() -> frozenset[str]:
    """List the causal architectures that transformers reads from GGUF, by llama.cpp's names."""
    names = frozenset(_config_table()) - set(NOT_CAUSAL)
    return frozenset(name for name in names if {name, f"{name}_text"} & causal_types())


def read_entries(architecture: str) -> frozenset[str]:
    """List the entries of an architecture that the installed transformers reads."""
    tables = (table for name, table in _config_table().items() if _plain(name) == _plain(architecture))
    return frozenset(field for table in tables for field, read in table.items() if read is not None)


@lru_cache(maxsize=1)
def _config_table() -> Mapping[str, Mapping[str, str | None]]:
    table: Mapping[str, Mapping[str, str | None]] = ast.literal_eval(
        library_table("integrations/ggml.py", "GGUF_CONFIG_MAPPING")
    )
    return table


@lru_cache(maxsize=1)
def _library_splits() -> frozenset[str]:
    table = library_table("integrations/gguf/gguf_tokenizer_mapping.py", "GGUF_PRE_TOKENIZER_SPLITS")
    assert isinstance(table, ast.Dict)
    return frozenset(str(key.value) for key in table.keys if isinstance(key, ast.Constant))


def read_header(path: Path, name: str) -> Header:
    """Read the header of a GGUF file."""
    return _read(path, state_of(path.stat()), name)


@lru_cache(maxsize=64)
def _read(path: Path, state: State, name: str) -> Header:
    damaged = f"The GGUF file {path.name} of the model {name} is damaged or cut off"
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise ModelError(
                    f"The file {path.name} of the model {name} does not begin with GGUF, so it is not a "
                    "GGUF file: give another."
                )
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data, 4).header()
    except (struct.error, LookupError, ValueError) as error:
        raise ModelError(f"{damaged} ({error}): copy it again.") from error


class _Reader:
    """Reads a header; ValueError, struct.error or IndexError for invalid bytes."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data = data
        self.at = at
        self.texts = 0  # in lists

    def header(self) -> Header:
        version = self.number("<I")
        if version not in VERSIONS:
            raise ValueError(f"version {version}, but only {' and '.join(map(str, VERSIONS))} can be read")
        tensors, entries = self.number("<Q"), self.number("<Q")
        # An entry takes at least 13 bytes, a tensor 24.
        if 13 * entries + 24 * tensors > len(self.data):
            raise ValueError(f"{entries:,} entries and {tensors:,} tensors in {len(self.data):,} bytes")
        if entries > MOST_ENTRIES or tensors > MOST_TENSORS:
            raise ValueError(
                f"{entries:,} entries and {tensors:,} tensors, but at most {MOST_ENTRIES:,} and "
                f"{MOST_TENSORS:,} are allowed"
            )
        metadata = {self.text(): self.value(self.number("<I")) for _ in range(entries)}
        return self.tensors(tensors, metadata)

    def tensors(self, count: int, metadata: Mapping[str, Any]) -> Header:
        """Read names and shapes, and compare the end of the data with the file's length."""
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        sizes = {kind.value: GGML_QUANT_SIZES[kind] for kind in GGMLQuantizationType}
        shapes: dict[str, tuple[int, ...]] = {}
        factors: tuple[int, int] | None = None  # offset and number of those of the frequencies
        end = 0
        for _ in range(count):
            name = self.text()
            dimensions = self.number("<I")
            if dimensions > MOST_DIMENSIONS:
                raise ValueError(f"a tensor of {dimensions:,} dimensions")
            shape = tuple(self.number("<Q") for _ in range(dimensions))
            kind, offset = self.number("<I"), self.number("<Q")
            if kind not in sizes:
                raise ValueError(f"a tensor of the unknown type {kind}")
            block, taken = sizes[kind]
            shapes[name] = shape
            if name == ROPE_FACTORS and kind == GGMLQuantizationType.F32 and prod(shape) <= MOST_FACTORS:
                factors = offset, prod(shape)
            end = max(end, offset + -(-prod(shape) // block) * taken)
        alignment = metadata.get(ALIGNMENT, 32)
        if type(alignment) is not int or not 0 < alignment <= 2**16:
            raise ValueError(f"{ALIGNMENT} is not a valid alignment")
        begins = -(-self.at // alignment) * alignment
        if begins + end > len(self.data):
            raise ValueError(f"{len(self.data):,} bytes, but {begins + end:,} according to its header")
        if factors is None:
            return Header(metadata, shapes)
        offset, length = factors
        return Header(metadata, shapes, struct.unpack_from(f"<{length}f", self.data, begins + offset))

    def value(self, kind: int) -> Any:
        """Read a number or a text, or skip a list and return its length."""
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind == TEXT:
            return self.text()
        if kind != LIST:
            raise ValueError(f"an entry of the unknown type {kind}")
        of, length = self.number("<I"), self.number("<Q")
        if of in NUMBERS:
            self.pass_over(length * struct.calcsize(NUMBERS[of]))
        elif of == TEXT and 8 * length <= len(self.data) - self.at:
            self.texts += length
            if self.texts > MOST_TEXTS:
                raise ValueError(f"lists of more than {MOST_TEXTS:,} texts")
            for _ in range(length):
                self.pass_over(self.number("<Q"))
        else:
            raise ValueError(f"a list of {length:,} entries of type {of}")
        return length

    def number(self, form: str) -> Any:
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def text(self) -> str:
        start, length = self.at + 8, self.number("<Q")
        if length > LONGEST_TEXT:
            raise ValueError(f"a text of {length:,} bytes")
        self.pass_over(length)
        return self.data[start : self.at].decode(errors="replace")

    def pass_over(self, length: int) -> None:
        if length > len(self.data) - self.at:
            raise ValueError(f"it ends {length - len(self.data) + self.at:,} bytes too early")
        self.at += length
        if self.at > LARGEST:
            raise ValueError(f"a header of more than {LARGEST // 2**20} MiB")
