"""Describe a model directory in the hub's layout by its small files and the safetensors headers.

Also hashes of a model's files, independent of their location, and the chat template, read without the
tokenizer so that every process can calculate a text's key.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import lru_cache
from importlib.util import find_spec
from math import inf, prod
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from pydantic_core import from_json

from pcf_core.core.errors import ModelError
from pcf_core.core.families import Family
from pcf_core.core.files import noted
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.models.compression import compression, copy_note
from pcf_core.models.family import (
    choose_family,
    context_of,
    needs_remote_code,
    read_family,
    text_fields,
    text_part_of,
)
from pcf_core.models.names import DTYPES
from pcf_core.models.tokenizer_faults import CORRECTED_NOTE, needs_correction

# Small files, possibly hostile.


LARGEST = 2**26  # bytes, twice that of the largest tokenizers


def read_small(path: Path) -> str:
    """Read a small UTF-8 file; ValueError for large files and devices, which may never end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    if status.st_size > LARGEST:
        raise ValueError(f"it has more than {LARGEST // 2**20} MiB")
    return path.read_text(encoding="utf8")


def read_object(path: Path) -> Mapping[str, Any]:
    """Read the JSON object in a small file; empty if there is none."""
    try:
        value = from_json(read_small(path))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


# Weights: complete safetensors.


INDEX = "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
HEADER_LIMIT = 2**24  # bytes, enough for 100,000 tensors
MOST_DIMENSIONS = 8
MOST_A_BYTE = 2  # weights: the narrowest number type has four bits


def weights_present(folder: Path, name: str) -> bool:
    """Tell whether the weights are complete: a hub model's index is downloaded before its shards."""
    index = folder / INDEX
    if index.is_file():
        return all((folder / shard).is_file() for shard in _shards(index, name))
    return (folder / "model.safetensors").is_file()


def weight_files(folder: Path, name: str) -> list[Path]:
    """List the safetensors file, or all shards of the index; ModelError if any is missing."""
    index = folder / INDEX
    if index.is_file():
        names = _shards(index, name)
        missing = [shard for shard in names if not (folder / shard).is_file()]
        if missing:
            raise ModelError(
                f"The model {name} lacks {first(missing)}, which {index.name} names: download it again."
            )
        return [folder / shard for shard in names]
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    came = f"only {first(pickles)}" if pickles else "no weights"
    raise ModelError(
        f"The model {name} has {came} in {folder}, but only safetensors can be read, because other formats "
        "can run code: save it again with save_pretrained(…) as model.safetensors."
    )


def _shards(index: Path, name: str) -> Sequence[str]:
    try:
        names = sorted({str(shard) for shard in json.loads(read_small(index))["weight_map"].values()})
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise ModelError(
            f"The file {index.name} of the model {name} is not a safetensors index: download it again."
        ) from error
    odd = [shard for shard in names if not re.fullmatch(r"[\w.\-]+\.safetensors", shard)]
    if odd or not names:
        raise ModelError(
            f"The file {index.name} of the model {name} names {first(list(map(repr, odd))) or 'no shards'}, "
            "but it may only name files in the same folder: download it again."
        )
    return names


def first(names: Sequence[str]) -> str:
    """List the first three names from a foreign file, shortened."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(f"{name[:100]} …" if len(name) > 100 else name for name in names[:3]) + more


def read_shapes(path: Path, name: str) -> list[list[int]]:
    """Read the shapes of the tensors in a safetensors file."""
    return [tensor["shape"] for tensor in read_tensors(path, name).values()]


def read_tensors(path: Path, name: str) -> Mapping[str, Mapping[str, Any]]:
    """Read ``dtype`` and ``shape`` of each tensor in a safetensors file: 8 bytes of length, then JSON."""
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else HEADER_LIMIT + 1
        try:
            if length > HEADER_LIMIT:
                raise ValueError("its header is too long")
            header = json.loads(file.read(length))
            tensors = {key: tensor for key, tensor in header.items() if key != "__metadata__"}
            end = 8 + length + max((tensor["data_offsets"][1] for tensor in tensors.values()), default=0)
            if end != path.stat().st_size:
                raise ValueError(f"it has {path.stat().st_size:,} bytes, but according to its header {end:,}")
            shapes = [tensor["shape"] for tensor in tensors.values()]
            if any(len(shape) > MOST_DIMENSIONS for shape in shapes):
                raise ValueError(f"a tensor of over {MOST_DIMENSIONS} dimensions")
            if any(type(length) is not int or not 0 <= length <= end for shape in shapes for length in shape):
                raise ValueError("a shape has a value that is not a length")
            if sum(map(prod, shapes)) > MOST_A_BYTE * (end - 8 - length):
                raise ValueError(f"it has more weights than fit into {end:,} bytes")
            return tensors
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(
                f"The weights {path.name} of the model {name} are damaged ({error}); copy them again."
            ) from error


# Hashes of a model's files.


def model_hash(weights: Sequence[Path], config: Path) -> str:
    """Hash weights and ``config.json`` (SHA-256): another configuration computes something else."""
    return hashlib.sha256(weights_hash(weights).encode() + config.read_bytes()).hexdigest()


def weights_hash(files: Sequence[Path]) -> str:
    """Hash the bytes of all shards (SHA-256), in the order of their names."""
    if len(files) == 1:
        return file_hash(files[0])
    parts = "".join(file_hash(path) for path in sorted(files, key=lambda path: path.name))
    return hashlib.sha256(parts.encode()).hexdigest()


def tokenizer_identity(folder: Path, name: str, base: Path | None = None) -> str:
    """Hash the tokenizer's files, and that it is read with a correction if so; raises as tokenizer_files.

    ``base``: see :func:`is_corrected`.
    """
    plain = tokenizer_hash(tokenizer_files(folder, name))
    return digest([plain, "fix_mistral_regex"]) if is_corrected(folder, base) else plain


def is_corrected(folder: Path, base: Path | None = None) -> bool:
    """Return whether the tokenizer is read with transformers' correction for Mistral's vocabularies.

    ``base``: the folder with ``config.json``, if the tokenizer is an adapter's own.
    """
    return needs_correction(
        lambda file: read_object((base if base and file == "config.json" else folder) / file)
    )


def tokenizer_hash(files: Sequence[Path]) -> str:
    """Hash names and bytes of the tokenizer's files (SHA-256)."""
    total = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        total.update(f"{path.name}\0{file_hash(path)}\0".encode())
    return total.hexdigest()


State = tuple[int, int, int, int]


def state_of(status: os.stat_result) -> State:
    """Return numbers that change when a file is written or replaced: size, time, inode, inode's time.

    Copying and unpacking may set size and time to those of another file.
    """
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns


def file_hash(path: Path) -> str:
    """Hash the bytes of a file (SHA-256); ModelError while a page would have to wait for a large one."""
    return _remembered(str(path.resolve()), state_of(path.stat()))


@lru_cache(maxsize=4096)
def _remembered(path: str, state: State) -> str:
    """Hash a file once; the hash of a large one is stored in the cache folder."""
    if state[0] < LARGE:
        return _read_hash(path)
    entry = "|".join((path, *map(str, state)))
    return noted("weights.json", entry, "[0-9a-f]{64}", lambda: _hashed(path, state))


def _read_hash(path: str, until: float = inf) -> str:
    total = hashlib.sha256()
    with Path(path).open("rb") as file:
        while piece := file.read(PIECE):
            total.update(piece)
            if monotonic() > until:
                raise ModelError(
                    f"Reading the file {path} takes more than {LONGEST_READING / 60:.0f} minutes: copy it to "
                    "a faster disk, or read it once with python -m pcf_core models."
                )
    return total.hexdigest()


# Pages do not wait for the hash of a large file; their process hashes it in a thread.

LARGE = 2**26  # bytes; smaller files take a fraction of a second
PIECE = 2**22  # bytes read at a time
LONGEST_READING = 1800.0  # seconds per file in a page's process
_patience: list[float] = []  # seconds; empty to wait always
_lock, _one_at_a_time = threading.Lock(), threading.Lock()
_hashing: dict[tuple[str, State], Future[str]] = {}


def wait_for_hashes(seconds: float) -> None:
    """Let this process wait this long for the hash of a large file, and continue in the background."""
    _patience[:] = [seconds]


def _hashed(path: str, state: State) -> str:
    if not _patience:
        return _read_hash(path)
    with _lock:
        alone, started = not _hashing, (path, state) in _hashing
        future = _hashing.setdefault((path, state), Future())
    if not started:
        Thread(target=_hash_into, args=(future, path), name="hash", daemon=True).start()
    try:  # wait only for the first of several
        value = future.result(_patience[0] if alone else 0)
    except TimeoutError as error:
        raise ModelError(
            f"The file {path} ({state[0] / 1e9:,.1f} GB) is being read for the first time, because a model "
            "is identified by its contents: open the page again in a few minutes."
        ) from error
    except OSError:
        _hashing.pop((path, state), None)  # it may be readable next time
        raise
    _hashing.pop((path, state), None)
    return value


def _hash_into(future: Future[str], path: str) -> None:
    try:
        with _one_at_a_time:
            future.set_result(_read_hash(path, monotonic() + LONGEST_READING))
    except (ModelError, OSError) as error:
        future.set_exception(error)


def require_unchanged(spec: ModelSpec, folder: Path) -> None:
    """Raise ModelError if weights, configuration or tokenizer changed since the directory was described."""
    weights = weight_files(folder, spec.name)
    now = model_hash(weights, folder / "config.json"), tokenizer_identity(folder, spec.name)
    if now != (spec.identity, spec.tokenizer):
        raise ModelError(
            f"The files of the model {spec.name} in {folder} changed while it was being loaded, for example "
            "because a training run saved a checkpoint, so its scores would belong to another model: try "
            "again when no program is writing to them."
        )


# Chat templates.


def chat_template_hash(folder: Path) -> str:
    """Return the hash of the chat template; empty if there is none."""
    text = _template(folder)
    return digest(text) if text else ""


def _template(folder: Path) -> str:
    try:
        return read_small(folder / "chat_template.jinja")
    except FileNotFoundError:
        pass
    except ValueError:
        return ""  # refused when the model is loaded
    held = read_object(folder / "tokenizer_config.json").get("chat_template")
    if isinstance(held, list):
        entries = [entry for entry in held if isinstance(entry, dict) and entry.get("name") == "default"]
        held = entries[-1].get("template") if entries else None
    return held if isinstance(held, str) else ""


TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
# Used only if none of the above exists, so that other models keep their hashes.
FURTHER_VOCABULARIES = ("spm.model", "sentencepiece.model", "tiktoken.model")
# Tokenizers of bytes or characters, without a file.
WITHOUT_VOCABULARY = ("ByT5Tokenizer", "PerceiverTokenizer", "CanineTokenizer")
TOKENIZER_SETTINGS = ("tokenizer_config.json", "config.json")
LONGEST_LINE = 2**10  # bytes, of a token and its rank
LONGEST_CARD = 2**18  # bytes of a model card to read
LONGEST_NOTE = 2_000  # characters
LONGEST_TITLE = 120
VOCABULARIES = tuple(name for name in TOKENIZER_FILES if name not in TOKENIZER_FILES[1:4])


def describe(
    folder: Path,
    name: str,
    revision: str = "",
    requested: Family | None = None,
    registered: Family | None = None,
) -> ModelSpec:
    """Describe a model directory.

    ``identity`` is ``revision`` if given (a hub model, possibly without weights and then without ``path``),
    otherwise the hash of weights and configuration.  If the configuration leaves the family open, the
    ``requested`` one is used and becomes part of the name, else the ``registered`` one.

    Raises ModelError without a readable config, a clear family, safetensors or tokenizer.
    """
    try:
        return _describe(folder, name, revision, requested, registered, _stamp(folder))
    except OSError as error:
        raise ModelError(
            f"The files of the model {name} in {folder} cannot be read ({error.strerror or error}): allow "
            "the user who runs this app to read them, and check the disk."
        ) from error


def _stamp(folder: Path) -> frozenset[tuple[str, State]]:
    if not folder.is_dir():
        return frozenset()
    with os.scandir(folder) as entries:
        states = [(entry.name, entry.stat()) for entry in entries if entry.is_file()]
    return frozenset((name, state_of(state)) for name, state in states)


@lru_cache(maxsize=256)
def _describe(
    folder: Path,
    name: str,
    revision: str,
    requested: Family | None,
    registered: Family | None,
    stamp: frozenset[tuple[str, State]],
) -> ModelSpec:
    """Describe a folder once for each state of its files, since every page lists all models."""
    config = read_config(folder, name)
    options = read_family(config, name)
    family = choose_family(options, name, requested or (registered if options.doubt else None))
    files = file_facts(folder, name, revision)
    title, notes = read_card(folder)
    quantization = compression(config, name)
    return ModelSpec(
        name=f"{family}:{name}" if options.doubt and family != registered else name,
        family=family,
        **files,
        own_dtype=own_dtype(config),
        context=context_of(text_fields(config)),
        text_part_of=text_part_of(config),
        remote_code=needs_remote_code(config),
        chat_template=chat_template_hash(folder),
        quantization=quantization,
        title=f"{title or name} ({copy_note(quantization)})" if quantization else title or name,
        notes=" ".join(filter(None, [notes, CORRECTED_NOTE if is_corrected(folder) else ""])),
    )


def file_facts(folder: Path, name: str, revision: str) -> dict[str, Any]:
    """Return the fields of a specification that depend on the files; a revision may lack weights."""
    tokenizer = tokenizer_identity(folder, name)
    weights = weight_files(folder, name) if weights_present(folder, name) or not revision else []
    return {
        "path": str(folder.resolve()) if weights else "",
        "identity": revision or model_hash(weights, folder / "config.json"),
        "tokenizer": tokenizer,
        "parameters": sum(prod(shape) for path in weights for shape in read_shapes(path, name)),
    }


def read_config(folder: Path, name: str) -> Mapping[str, Any]:
    """Read the configuration in a model's folder, or raise ModelError."""
    path = folder / "config.json"
    try:
        config = from_json(read_small(path))
    except FileNotFoundError as error:
        raise ModelError(
            f"The model {name} has no config.json in {folder}: give a directory in the hub's layout."
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(
            f"The file {path} of the model {name} cannot be read as JSON ({error}): download it again."
        ) from error
    if not isinstance(config, dict):
        raise ModelError(f"The file {path} of the model {name} must hold a JSON object: download it again.")
    return config


def own_dtype(config: Mapping[str, Any]) -> str:
    """Return the number type of the weights by the configuration or its text part, else float32."""
    for part in (config, config.get("text_config")):
        if isinstance(part, dict):
            for name in ("dtype", "torch_dtype"):
                if (dtype := part.get(name)) in DTYPES:
                    return str(dtype)
    return "float32"


def tokenizer_files(folder: Path, name: str) -> Sequence[Path]:
    """List the tokenizer's files; ModelError if there are none, or their library is missing."""
    files = [folder / file for file in TOKENIZER_FILES if (folder / file).is_file()]
    vocabularies = [path.name for path in files if path.name in VOCABULARIES]
    if not vocabularies:
        further = [folder / file for file in FURTHER_VOCABULARIES if (folder / file).is_file()]
        vocabularies = [path.name for path in further]
        files += further
    if not vocabularies and _tokenizer_class(folder) not in WITHOUT_VOCABULARY:
        names = ", ".join((*VOCABULARIES, *FURTHER_VOCABULARIES))
        raise ModelError(
            f"The model {name} has no tokenizer: save one of {names} in {folder}, for example with "
            "AutoTokenizer.from_pretrained(…).save_pretrained(…) from the model that it was made of."
        )
    if vocabularies and all(file.endswith(".model") for file in vocabularies):
        library = "tiktoken" if _is_tiktoken(folder / vocabularies[0]) else "sentencepiece"
        if find_spec(library) is None:
            raise ModelError(
                f"The only tokenizer of {name} is {vocabularies[0]}, which needs the library {library}: "
                f"install it (pip install {library}), or give a directory that also has tokenizer.json."
            )
    return files


def _is_tiktoken(path: Path) -> bool:
    """Tell tiktoken's lines (a token in base64, its rank) from SentencePiece's bytes; both end in .model."""
    if path.name == "tiktoken.model":
        return True
    with path.open("rb") as file:
        return re.match(rb"[A-Za-z0-9+/]+=* [0-9]+\r?\n", file.read(LONGEST_LINE)) is not None


def _tokenizer_class(folder: Path) -> str:
    named = (read_object(folder / file).get("tokenizer_class") for file in TOKENIZER_SETTINGS)
    return next((name for name in named if isinstance(name, str)), "")


def read_card(folder: Path) -> tuple[str, str]:
    """Return the first heading of the model card and the paragraph under it, if any."""
    path = folder / "README.md"
    if not path.is_file():
        return "", ""
    with path.open("rb") as file:
        beginning = file.read(LONGEST_CARD).decode(errors="replace")
    text = re.sub(r"\A---\n.*?\n---\n", "", beginning, flags=re.DOTALL)
    heading = re.search(r"^# +(.+)$", text, flags=re.MULTILINE)
    if heading is None:
        return "", ""
    blocks = [block.strip() for block in text[heading.end() :].split("\n\n")]
    notes = next((block for block in blocks if block and not block.startswith(("#", "|", "```"))), "")
    return shortened(heading[1], LONGEST_TITLE), shortened(notes)


def shortened(text: str, longest: int = LONGEST_NOTE) -> str:
    """Put a text on one printable line of at most ``longest`` characters."""
    line = " ".join(text.split())
    printed = line if line.isprintable() else "".join(one if one.isprintable() else "?" for one in line)
    return printed if len(printed) <= longest else f"{printed[:longest]} …"
