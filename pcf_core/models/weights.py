"""The weights in a model directory: safetensors alone, whole, and how many there are."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from math import prod
from pathlib import Path

from pcf_core.errors import ModelError
from pcf_core.models.small_files import read_small

INDEX = "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
HEADER_LIMIT = 2**24  # bytes, 100,000 tensors; the format allows six times as much, which nothing needs
MOST_DIMENSIONS = 8
MOST_A_BYTE = 2  # weights: its narrowest number type has four bits


def weights_present(folder: Path, name: str) -> bool:
    """Whether the weights are here whole: of a model of the hub the index comes before its shards.

    Raises:
        ModelError: the index cannot be read.
    """
    index = folder / INDEX
    if index.is_file():
        return all((folder / shard).is_file() for shard in _shards(index, name))
    return (folder / "model.safetensors").is_file()


def weight_files(folder: Path, name: str) -> list[Path]:
    """The safetensors file, or all shards that the index names.

    Raises:
        ModelError: none there (pickles are never read), or a shard is missing.
    """
    index = folder / INDEX
    if index.is_file():
        names = _shards(index, name)
        missing = [shard for shard in names if not (folder / shard).is_file()]
        if missing:
            raise ModelError(
                f"The model {name} lacks {', '.join(missing)}, named in {index.name}; download it again."
            )
        return [folder / shard for shard in names]
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    came = f"only {', '.join(pickles)}" if pickles else "no weights"
    raise ModelError(
        f"The model {name} has {came} in {folder}: only safetensors are read, because other formats can run "
        "code; save it again with save_pretrained(…) as model.safetensors."
    )


def _shards(index: Path, name: str) -> Sequence[str]:
    try:
        names = sorted({str(shard) for shard in json.loads(read_small(index))["weight_map"].values()})
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise ModelError(
            f"The file {index.name} of the model {name} is not a safetensors index; download it again."
        ) from error
    odd = [shard for shard in names if not re.fullmatch(r"[\w.\-]+\.safetensors", shard)]
    if odd or not names:
        raise ModelError(
            f"The file {index.name} of the model {name} names {odd or 'no shards'}; "
            "only files beside it may be named."
        )
    return names


def count_parameters(path: Path, name: str) -> int:
    """Number of weights, from the header of a safetensors file (8 bytes of length, then JSON).

    Raises:
        ModelError: the header cannot be read, or the file is shorter or longer than the header says.
    """
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else HEADER_LIMIT + 1
        try:
            if length > HEADER_LIMIT:
                raise ValueError("the header is too long")
            header = json.loads(file.read(length))
            tensors = [tensor for key, tensor in header.items() if key != "__metadata__"]
            end = 8 + length + max((tensor["data_offsets"][1] for tensor in tensors), default=0)
            if end != path.stat().st_size:
                raise ValueError(f"{path.stat().st_size:,} bytes where its header says {end:,}")
            shapes = [tensor["shape"] for tensor in tensors]
            if any(len(shape) > MOST_DIMENSIONS for shape in shapes):
                raise ValueError(f"a tensor of over {MOST_DIMENSIONS} dimensions")
            if any(type(length) is not int or not 0 <= length <= end for shape in shapes for length in shape):
                raise ValueError("a shape holds what is no length")
            count = sum(map(prod, shapes))
            if count > MOST_A_BYTE * (end - 8 - length):
                raise ValueError(f"more weights than {end:,} bytes can hold")
            return count
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(
                f"The weights {path.name} of the model {name} are damaged ({error}); copy them again."
            ) from error
