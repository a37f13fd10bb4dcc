"""What a GGUF file is, by its header: the format of llama.cpp and Ollama, weights and tokenizer in one.

The header is read here and not by the package ``gguf``, whose reader makes an array of every token: of
262,144 tokens it takes tens of seconds, and the list of models is read by every page.  What is here is the
layout of versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), held against what
``gguf`` writes and reads by ``tests/models/test_gguf.py``.  Which types there are and how many bytes they
take is asked of the package.

A file that somebody else made is held against its own length: no count in it is believed before as many bytes
are there.
"""

from __future__ import annotations

import ast
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from math import inf, isclose, pi, prod
from pathlib import Path
from typing import Any

from pcf_core.core.errors import ModelError
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.models.family import causal_types
from pcf_core.models.folder import file_hash

MAGIC = b"GGUF"
SUFFIX = ".gguf"
VERSIONS = (2, 3)
LEAST_LAYERS = 64  # so many are never too many, however few tensors there are
MOST_DIMENSIONS = 8
LONGEST_TEXT = 2**20  # bytes of a text that is kept; the longest chat templates have a fiftieth of it
ALIGNMENT = "general.alignment"

# How the numbers of the header are written, by the code of their type; two codes are texts and lists.
NUMBERS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
TEXT, LIST = 8, 9

# What moves every number and is lost on the way to transformers: a file that says one of these is refused.
LOST = ("rope.scaling.", "attention.scale", "logit_scale", "residual_scale", "embedding_scale", "clamp_kqv")
LOST_TENSORS = ("rope_factors_long.weight", "rope_factors_short.weight")
# By what llama.cpp divides each frequency of the positions.  transformers passes over it; the factors of
# Llama 3.1 and later are those of its own scaling, which states them in few numbers.
ROPE_FACTORS = "rope_freqs.weight"
LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
SCALED = ("llama",)  # architectures whose factors are read
ROPE_BASE = 10_000.0  # where a file does not state it
SAME_FACTOR = 1e-5  # relative: of rounding to float32 alone
MOST_FACTORS = 4096
# Encoder–decoders, of which transformers reads some wrongly, and tables that name no architecture.
NOT_CAUSAL = ("t5", "umt5", "general", "tokenizer")


@dataclass(frozen=True)
class Header:
    """The beginning of a GGUF file.

    ``metadata``: numbers and texts by key; of a list its length.  ``tensors``: shape by name.
    ``rope_factors``: by what each frequency of the positions is divided, from the highest; empty for none.
    """

    metadata: Mapping[str, Any]
    tensors: Mapping[str, tuple[int, ...]]
    rope_factors: tuple[float, ...] = ()

    @property
    def architecture(self) -> str:
        """What llama.cpp calls the architecture, such as ``llama``."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def weights(self) -> int:
        """The number of weights in all tensors; factors of frequencies are none."""
        return sum(prod(shape) for name, shape in self.tensors.items() if name != ROPE_FACTORS)

    def number(self, field: str) -> int:
        """Return a number that the architecture states, 0 where it does not."""
        value = self.metadata.get(f"{self.architecture}.{field}", 0)
        return value if type(value) is int else 0

    @property
    def rope_scaling(self) -> dict[str, Any] | None:
        """The factors of the frequencies as transformers states them; ``None`` where they cannot be.

        Empty where nothing is scaled.
        """
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
        """How the weights are stored, as llama.cpp names it: ``Q4_1``; empty where the file does not say."""
        from gguf.constants import LlamaFileType

        stated = self.metadata.get("general.file_type")
        names = {member.value: member.name for member in LlamaFileType}
        return names[stated].removeprefix("MOSTLY_").removeprefix("ALL_") if stated in names else ""


def llama3_factors(factor: float, base: float, size: int) -> list[float]:
    """Compute by what Llama 3.1 divides the frequencies of a head of ``size`` numbers, from the highest.

    Source: the model code of Llama 3.1; llama.cpp's converter writes the same.
    """
    low, high = LLAMA3["low_freq_factor"], LLAMA3["high_freq_factor"]
    found = []
    for place in range(size // 2):
        turns = LLAMA3["original_max_position_embeddings"] * base ** (-2 * place / size) / (2 * pi)
        smooth = min(max((turns - low) / (high - low), 0.0), 1.0)
        found.append(1 / ((1 - smooth) / factor + smooth))
    return found


def describe_gguf(path: Path, name: str) -> ModelSpec:
    """Describe a GGUF file: return its specification.

    ``identity`` is the hash of the file (SHA-256), which holds the tokenizer too.

    Raises
    ------
    ModelError
        It is no GGUF file, is cut off or damaged, comes in several parts, or transformers cannot read it as
        it was meant.
    """
    try:
        identity = file_hash(path)
        header = read_header(path, name)
    except OSError as error:
        raise ModelError(
            f"The GGUF file {path} of the model {name} cannot be read ({error.strerror or error}): let the "
            f"user "
            "that runs this app read it, and check the disk."
        ) from error
    require_readable(header, name)
    template = header.metadata.get("tokenizer.chat_template")
    quantization = header.quantization or "GGUF"
    return ModelSpec(
        name=name,
        family="causal",
        path=str(path.resolve()),
        identity=identity,
        tokenizer=tokenizer_of(identity),
        parameters=header.weights,
        context=header.number("context_length"),
        chat_template=digest(template) if isinstance(template, str) and template else "",
        quantization=quantization,
        title=f"{header.metadata.get('general.name') or name} ({copy_note(quantization)})",
    )


def tokenizer_of(identity: str) -> str:
    """Hash of the tokenizer of a GGUF file, which lies in the file."""
    return digest(["gguf", identity])


def copy_note(quantization: str) -> str:
    """Say that weights were stored anew, for a title; floats of 16 bits or more are not compressed."""
    kind = "copy" if quantization in ("F32", "F16", "BF16") else "compressed copy"
    return f"{kind} of the weights, {quantization}"


def require_readable(header: Header, name: str) -> None:
    """Refuse what transformers would not read, or would read as another model.

    Raises
    ------
    ModelError
        An unknown architecture, several parts, a setting or a tensor that is lost on the way, more layers
        than tensors.
    """
    kind, known = header.architecture, architectures()
    if _plain(kind) not in map(_plain, known):
        raise ModelError(
            f"The GGUF file of the model {name} has the architecture {kind[:80]!r}, which cannot be read "
            f"here: "
            f"supported are {', '.join(sorted(known))}; serve it and score it as an endpoint."
        )
    if type(parts := header.metadata.get("split.count", 1)) is int and parts > 1:
        raise ModelError(
            f"The GGUF file of the model {name} is one of {parts} parts: join them with llama-gguf-split "
            f"--merge."
        )
    lost = [
        key
        for key, value in header.metadata.items()
        if any(key.startswith(f"{kind}.{field}") for field in LOST) and value not in ("none", 0, 1)
    ] + [tensor for tensor in LOST_TENSORS if tensor in header.tensors]
    if ROPE_FACTORS in header.tensors and header.rope_scaling is None:
        lost.append(ROPE_FACTORS)
    if lost:
        raise ModelError(
            f"The GGUF file of the model {name} sets {', '.join(lost[:3])}, which is lost when it is read "
            f"here, so "
            "that its scores would be another model's: give a directory with its safetensors, or serve it "
            "and "
            "score it as an endpoint."
        )
    layers = header.number("block_count")
    if layers > max(len(header.tensors), LEAST_LAYERS):
        raise ModelError(
            f"The GGUF file of the model {name} asks for {layers:,} layers, where it holds "
            f"{len(header.tensors):,} tensors in all: copy it again."
        )


def _plain(architecture: str) -> str:
    """Return a name without what llama.cpp and transformers write differently: qwen2moe, qwen2_moe."""
    return architecture.replace("_", "").replace("-", "")


@lru_cache(maxsize=1)
def architectures() -> frozenset[str]:
    """List the causal architectures that the installed transformers reads from GGUF, as llama.cpp names them.

    Read from the text of its table, as it must not be imported by the app's process.
    """
    package = find_spec("transformers")
    assert package is not None
    assert package.origin is not None
    text = (Path(package.origin).parent / "integrations" / "ggml.py").read_text(encoding="utf8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GGUF_CONFIG_MAPPING":
            names = frozenset(ast.literal_eval(node.value)) - set(NOT_CAUSAL)
            return frozenset(name for name in names if {name, f"{name}_text"} & causal_types())
    raise AssertionError("transformers has no GGUF_CONFIG_MAPPING in integrations/ggml.py")


def read_header(path: Path, name: str) -> Header:
    """Read what a GGUF file says of itself.

    Raises
    ------
    ModelError
        It is no GGUF file, of a version that is not read, cut off or damaged.
    OSError
        It cannot be read.
    """
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns, name)


@lru_cache(maxsize=64)
def _read(path: Path, size: int, modified: int, name: str) -> Header:
    damaged = f"The GGUF file {path.name} of the model {name} is damaged or cut off"
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise ModelError(
                    f"The file {path.name} of the model {name} is no GGUF file: it does not begin with GGUF."
                )
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data, 4).header()
    except (struct.error, LookupError, ValueError) as error:
        raise ModelError(f"{damaged} ({error}); copy it again.") from error


class _Reader:
    """Reads a header from its beginning; ``at`` is where it is.

    Raises ``ValueError``, ``struct.error`` or ``IndexError`` where the bytes are not what they should be.
    """

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data = data
        self.at = at

    def header(self) -> Header:
        version = self.number("<I")
        if version not in VERSIONS:
            raise ValueError(f"version {version}, where {' and '.join(map(str, VERSIONS))} are read")
        tensors, entries = self.number("<Q"), self.number("<Q")
        # An entry takes 13 bytes at the least, a tensor 24: more cannot be there.
        if 13 * entries + 24 * tensors > len(self.data):
            raise ValueError(f"{entries:,} entries and {tensors:,} tensors in {len(self.data):,} bytes")
        metadata = {self.text(): self.value(self.number("<I")) for _ in range(entries)}
        return self.tensors(tensors, metadata)

    def tensors(self, count: int, metadata: Mapping[str, Any]) -> Header:
        """Read names and shapes, and hold the last byte of the data against the file's length."""
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        sizes = {kind.value: GGML_QUANT_SIZES[kind] for kind in GGMLQuantizationType}
        shapes: dict[str, tuple[int, ...]] = {}
        factors: tuple[int, int] | None = None  # where those of the frequencies begin, and how many they are
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
            raise ValueError(f"{ALIGNMENT} is no alignment")
        begins = -(-self.at // alignment) * alignment
        if begins + end > len(self.data):
            raise ValueError(f"{len(self.data):,} bytes where its header says {begins + end:,}")
        if factors is None:
            return Header(metadata, shapes)
        offset, length = factors
        return Header(metadata, shapes, struct.unpack_from(f"<{length}f", self.data, begins + offset))

    def value(self, kind: int) -> Any:
        """Read a number or a text, or pass over a list and return its length."""
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
