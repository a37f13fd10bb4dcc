"""Safetensors alone, whole and counted."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.models.folder import count_parameters, describe, weight_files
from tests.models.conftest import safetensors, write_model

DEEP = (100_000).to_bytes(8, "little") + b"[" * 100_000  # a safetensors header that no parser can follow


def test_shards_are_those_of_the_index(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", weights=False)
    names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    index = {"weight_map": {"a": names[0], "b": names[1], "c": names[0]}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    safetensors(folder / names[0], {"a": [2, 3], "c": [7]})
    with pytest.raises(ModelError, match=f"lacks {names[1]}"):
        describe(folder, "m")
    safetensors(folder / names[1], {"b": [4]})
    safetensors(folder / "consolidated.safetensors", {"a": [100]})
    assert [path.name for path in weight_files(folder, "m")] == names
    assert describe(folder, "m").parameters == 6 + 7 + 4


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"weight_map": {}}', '{"weight_map": {"a": "../x.safetensors"}}', "[" * 100_000]
)
def test_odd_index_is_refused(text: str, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", weights=False)
    (folder / "model.safetensors.index.json").write_text(text)
    with pytest.raises(ModelError, match=r"model\.safetensors\.index\.json"):
        describe(folder, "m")


def test_pickles_are_never_read(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", weights=False)
    with pytest.raises(ModelError, match=r"has no weights.*only safetensors"):
        describe(folder, "m")
    (folder / "pytorch_model.bin").write_bytes(b"\x80")
    with pytest.raises(ModelError, match=r"only pytorch_model\.bin.*save_pretrained"):
        describe(folder, "m")


@pytest.mark.parametrize(
    "data", [b"", b"\xff" * 8, b"\x02" + bytes(7) + b"{", b"\x04" + bytes(7) + b"[[]]", DEEP]
)
def test_damaged_weights(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    with pytest.raises(ModelError, match="damaged"):
        count_parameters(path, "m")


@pytest.mark.parametrize(
    "shape", ["[0.5, 2]", "[-1]", "[true]", "[Infinity]", "[1e3]", "[9, 9]", "[1" + "0" * 400 + "]"]
)
def test_shapes_that_are_none(shape: str, tmp_path: Path) -> None:
    """The number of weights stands on a page and is multiplied into bytes."""
    header = f'{{"a": {{"dtype": "F32", "shape": {shape}, "data_offsets": [0, 4]}}}}'.encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
    with pytest.raises(ModelError, match=r"damaged \((a shape holds|more weights than)"):
        count_parameters(path, "m")


@pytest.mark.parametrize("change", [-1, 1])
def test_weights_shorter_or_longer_than_their_header_says(change: int, tmp_path: Path) -> None:
    """A download that was cut off is found before it is loaded."""
    path = tmp_path / "model.safetensors"
    safetensors(path, {"a": [3, 4], "b": [5]})
    assert count_parameters(path, "m") == 17
    data = path.read_bytes()
    path.write_bytes(data[:change] if change < 0 else data + bytes(change))
    with pytest.raises(ModelError, match=r"damaged \([\d,]+ bytes where its header says"):
        count_parameters(path, "m")


def test_an_index_of_very_many_shards_is_refused_in_one_short_sentence(tmp_path: Path) -> None:
    names = {f"t{place}": f"model-{place:06}.safetensors" for place in range(200_000)}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    with pytest.raises(ModelError, match=r"lacks model-000000.* and 199,997 more, named in") as caught:
        weight_files(tmp_path, "m")
    assert len(str(caught.value)) < 400
    odd = {f"t{place}": "../" + "x" * 5000 + str(place) for place in range(1000)}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": odd}))
    with pytest.raises(ModelError, match=r"names .* and 997 more; only files beside it") as caught:
        weight_files(tmp_path, "m")
    assert len(str(caught.value)) < 600
