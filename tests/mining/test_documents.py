"""Corpora by name: folders, cards, identities, samples, and memory that does not grow."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from pcf_core.core.errors import CorpusError
from pcf_core.core.settings import settings
from pcf_core.mining import documents
from pcf_core.mining.documents import drawn, offered_corpora, open_corpus
from tests.mining.corpora.writing import write

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "corpora"
FORMS = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.jsonl.bz2", "a.parquet", "a.xml", "a.xml.bz2"]
TEXTS = [f"She said that it was number {n} of many." for n in range(40)]


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The operator's folder."""
    folder = tmp_path / "corpora"
    folder.mkdir()
    monkeypatch.setenv("PCF_CORPORA", str(folder))
    settings.cache_clear()
    yield folder
    settings.cache_clear()


def texts(name: str | Path, sample: int | None = None, seed: int = 0) -> list[str]:
    return [document.text for document in open_corpus(name, sample=sample, seed=seed).documents()]


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_documents_again_and_again(name: str, tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path / name, TEXTS))
    first = list(corpus.documents())
    assert [document.text for document in first] == TEXTS
    assert [document.id for document in first] == [str(n) for n in range(1, 41)]
    assert {document.source for document in first} == {"a"}
    assert corpus.read == corpus.size == (tmp_path / name).stat().st_size
    next(corpus.documents())
    assert list(corpus.documents()) == first
    assert corpus.read == corpus.size


@pytest.mark.parametrize("name", FORMS)
def test_a_sample_is_the_same_in_every_form(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, TEXTS)
    expected = [TEXTS[n] for n in brute_force(40, 11, 5)]
    corpus = open_corpus(path, sample=11, seed=5)
    for _ in range(2):
        assert [document.text for document in corpus.documents()] == expected
        assert corpus.read == corpus.size == 2 * path.stat().st_size


def test_a_sample_of_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("\n\n".join(TEXTS).encode()))
    monkeypatch.setattr("pcf_core.mining.corpora.files.SIZE", 50)
    assert texts(path, 11, 5) == [TEXTS[n] for n in brute_force(40, 11, 5)]


def brute_force(count: int, sample: int, seed: int) -> list[int]:
    """SplitMix64 with the integers of Python: its generator, run from its beginning."""
    mask = 2**64 - 1

    def mixed(value: int) -> int:
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return value ^ (value >> 31)

    state, marks = mixed(seed & mask), []
    for ordinal in range(count):
        marks.append((mixed(state), ordinal))
        state = (state + 0x9E3779B97F4A7C15) & mask
    return sorted(ordinal for _, ordinal in sorted(marks)[:sample])


@given(st.integers(0, 300), st.integers(1, 350), st.integers(-(2**65), 2**65), st.integers(1, 50))
def test_drawn_as_by_sorting_everything(count: int, sample: int, seed: int, block: int) -> None:
    """Whatever is drawn from at once; a larger sample holds a smaller one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "BLOCK", block)
        found = drawn(count, sample, seed).tolist()
    assert found == brute_force(count, sample, seed)
    assert len(set(found)) == len(found) == min(count, sample)
    assert set(drawn(count, sample - 1, seed).tolist() if sample > 1 else []) <= set(found)


def test_all_documents_are_alike_in_chance() -> None:
    """Over 3000 seeds: each document, and each pair of documents, as often as any other."""
    draws = [drawn(12, 4, seed).tolist() for seed in range(3000)]
    single = Counter(itertools.chain.from_iterable(draws))
    pairs = Counter(pair for draw in draws for pair in itertools.combinations(draw, 2))
    assert chisquare([single[n] for n in range(12)]).pvalue > 0.001
    assert len(pairs) == 66
    assert chisquare(list(pairs.values())).pvalue > 0.001


def test_a_large_draw_is_quick_and_exact() -> None:
    found = drawn(3_000_000, 100_000, 1)
    assert len(set(found.tolist())) == 100_000
    halves = [int((found < 1_500_000).sum()), int((found >= 1_500_000).sum())]
    assert chisquare(halves).pvalue > 0.001


def test_a_sample_as_large_as_the_corpus_is_the_corpus(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", TEXTS)
    assert texts(path, 40) == texts(path, 1000) == TEXTS


@pytest.mark.parametrize("sample", [0, -5])
def test_a_sample_below_one(sample: int, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=f"at least 1 document; {sample} were requested"):
        open_corpus(write(tmp_path / "a.jsonl", TEXTS), sample=sample)


def test_a_sample_makes_only_what_is_drawn(tmp_path: Path) -> None:
    """What a line holds is looked at only where it is drawn: finding documents is cheap."""
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(["no JSON"] * 5 + ['{"text": "She"}'] + ["no JSON"] * 5))
    seed = next(seed for seed in range(1000) if brute_force(11, 1, seed) == [5])
    assert texts(path, 1, seed) == ["She"]


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    for name, text in [("b.jsonl", "2"), ("a.parquet", "1"), ("c.jsonl.gz", "3")]:
        write(tmp_path / name, [text])
    for name in ("MANIFEST.md", ".hidden.jsonl", "d.csv", "e.parquet.gz", "f.gz", "g"):
        (tmp_path / name).write_text("no corpus")
    (tmp_path / "inner.jsonl").mkdir()
    (tmp_path / "a.toml").write_text('licence = "CC0"')
    (tmp_path / "b.toml").write_text('licence = "CC  BY"\ntitle = "B"')
    (tmp_path / "c.toml").write_text('licence = "CC0"')
    corpus = open_corpus(tmp_path)
    assert [document.text for document in corpus.documents()] == ["1", "2", "3"]
    assert corpus.licence == "CC0; CC BY"
    assert corpus.name == tmp_path.name
    sizes = [
        path.stat().st_size
        for path in tmp_path.iterdir()
        if path.name in ("a.parquet", "b.jsonl", "c.jsonl.gz")
    ]
    assert corpus.read == corpus.size == sum(sizes)
    assert sorted(texts(tmp_path, 2, 3)) == texts(tmp_path, 2, 3)


@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        ("licence = 5", r"a\.toml: the licence is a number; write it in quotation marks"),
        ("licence = ", r"a\.toml is not valid TOML"),
        ('license = "MIT"', r"a\.toml has the unknown key 'license': use only .*licence"),
    ],
)
def test_a_card_that_is_broken(card: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(card)
    with pytest.raises(CorpusError, match=sentence):
        open_corpus(write(tmp_path / "a.jsonl.gz", TEXTS))


def test_identity_changes_with_what_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", TEXTS)
    identities = [open_corpus(path).identity, open_corpus(path, sample=5).identity]
    identities += [open_corpus(path, sample=5, seed=1).identity, open_corpus(path, sample=6).identity]
    identities.append(open_corpus(path.rename(tmp_path / "b.jsonl")).identity)
    write(path, [*TEXTS, "more"])
    identities.append(open_corpus(path).identity)
    identities.append(open_corpus(tmp_path).identity)
    os.utime(path, ns=(1, 1))
    identities.append(open_corpus(path).identity)
    assert len(set(identities)) == 8
    assert open_corpus(path, seed=7).identity == open_corpus(str(path)).identity == identities[-1]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "nowhere.jsonl",
            "is neither a file nor a folder: give the path of a corpus, or hf:OWNER/NAME for one on the hub",
        ),
        ("a.csv", r"a\.csv is not in a supported format; files must end in \.txt, \.jsonl, \.xml"),
        ("a.parquet.gz", r"a\.parquet\.gz is not in a supported format"),
        ("a.gz", r"a\.gz is not in a supported format"),
        ("noending", "noending is not in a supported format"),
        ("folder", "The folder folder has no corpus: add files that end in"),
    ],
)
def test_no_corpus(name: str, sentence: str, tmp_path: Path) -> None:
    for present in ("a.csv", "a.parquet.gz", "a.gz", "noending"):
        (tmp_path / present).write_text("She came.")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CorpusError, match=sentence) as caught:
        open_corpus(tmp_path / name)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b.txt", "", " ", "two\nlines.txt", "~nobody-here/a"])
def test_no_path_at_all(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        CorpusError, match="is neither a file nor a folder: give the path of a corpus"
    ) as caught:
        open_corpus(name)
    assert len(str(caught.value).splitlines()) == 1


def test_no_pipe_is_opened(tmp_path: Path) -> None:
    """It would wait for someone to write."""
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(CorpusError, match=r"a\.txt is not in a supported format"):
        open_corpus(tmp_path / "a.txt")


def test_an_empty_file_in_a_folder_is_passed_over_and_an_empty_corpus_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n")
    with pytest.raises(CorpusError, match="has no documents: give one with texts"):
        list(open_corpus(tmp_path, sample=3).documents())
    write(tmp_path / "b.jsonl", ["She"])
    assert texts(tmp_path) == ["She"]


def test_names_of_the_operators_folder(
    corpora: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(corpora / "wiki.jsonl", TEXTS)
    (corpora / "notes.md").write_text("none")
    (corpora / "books").mkdir()
    (corpora / "empty").mkdir()
    write(corpora / "books" / "a.jsonl.gz", ["She"])
    assert offered_corpora() == ("books", "wiki.jsonl")
    assert (texts("books"), texts("wiki.jsonl")) == (["She"], TEXTS)
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "wiki.jsonl", ["mine"])
    assert texts("wiki.jsonl") == ["mine"]


def test_no_folder_of_the_operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PCF_CORPORA", str(tmp_path / "gone"))
    settings.cache_clear()
    assert offered_corpora() == ()
    monkeypatch.delenv("PCF_CORPORA")
    settings.cache_clear()
    assert offered_corpora() == ()
    settings.cache_clear()


PEAK = """
import resource, sys
from pcf_core.mining.documents import open_corpus
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = sum(1 for _ in open_corpus(sys.argv[1], sample=int(sys.argv[2]) or None).documents())
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("sample", [0, 1000])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.txt.gz", "a.parquet", "a.jsonl.zst"])
def test_memory_does_not_grow_with_the_corpus(name: str, sample: int, tmp_path: Path) -> None:
    """120 MB of text in a process of its own: its largest resident set grows by less than 60 MB."""
    path = tmp_path / name
    text = "She said that it was hers. " * 150
    if name == "a.txt.gz":
        with gzip.open(path, "wt", compresslevel=1) as file:
            file.writelines(itertools.repeat(text + "\n\n", 30_000))
    else:
        write(path, [f"{n} {text}" for n in range(30_000)])
    command = [sys.executable, "-c", PEAK, str(path), str(sample)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    count, grown = map(int, answer.stdout.split())
    assert count == (sample or (1875 if name == "a.txt.gz" else 30_000))
    assert grown * (1 if sys.platform == "darwin" else 1024) < 60e6


@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpora of ../shared are not here")
def test_corpora_of_the_project() -> None:
    corpus = open_corpus(SHARED / "us_speeches.jsonl.gz")
    read = list(corpus.documents())
    with gzip.open(SHARED / "us_speeches.jsonl.gz", "rt", encoding="utf8") as file:
        assert [document.text for document in read] == [json.loads(line)["text"] for line in file]
    assert {document.source for document in read} == {"nltk-inaugural", "nltk-state_union"}
    assert len(list(open_corpus(SHARED / "wikitext2-valid.txt.gz").documents())) == 18
