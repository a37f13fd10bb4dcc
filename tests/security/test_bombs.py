"""Small files that would take all memory or time: refused in a sentence, before they do."""

from __future__ import annotations

import bz2
import gzip
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pcf_core.app.templates.mine import keep_upload
from pcf_core.core.errors import CorpusError, EvidenceError, InputError, TemplateError, TopicError
from pcf_core.core.settings import ROOT, Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.safety.reading import read_toml
from pcf_core.material.safety.tables import read_table
from pcf_core.material.safety.text import MOST_MARKS, check_text, is_heaped, normal, normalise
from pcf_core.material.templates import load_upload
from pcf_core.material.topics import load_topic_upload
from pcf_core.mining.corpora import FORMS
from pcf_core.mining.corpora.source import Source, suffixes
from pcf_core.mining.documents import open_corpus
from tests.security.lying_parquet import lying

SECONDS = 3.0  # what took minutes takes milliseconds
TEXT = "The [X] said that [Y]."


@pytest.fixture
def quickly() -> object:
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin < SECONDS


def test_a_footer_that_lies_is_found_out(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """As 20 kB that unpack to 600 MB, whose footer admits 100 bytes, took 1.9 GB of memory."""
    monkeypatch.setattr("pcf_core.material.template_files.MAX_UNPACKED", 2**22)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_, **__: pytest.fail("it is unpacked"))
    data = lying(pa.table({"template": [TEXT + " " * 2**23], "count": [1.0]}))
    assert len(data) < 2**12
    assert pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0).total_byte_size == 100
    with pytest.raises(TemplateError, match="8 MiB of data"):
        load_upload("bomb.parquet", data)


def test_a_page_of_a_corpus_is_no_larger_than_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.mining.corpora.files.MAX_PAGE", 2**20)
    path = tmp_path / "corpus.parquet"
    path.write_bytes(lying(pa.table({"text": [" " * 2**21]})))
    with pytest.raises(CorpusError, match="a page of 2 MiB unpacked"):
        list(open_corpus(path).documents())


def test_a_row_of_a_corpus_is_no_larger_than_the_memory(tmp_path: Path) -> None:
    """One row of a column of lists may hold a billion values: only short names are read beside the text."""
    path = tmp_path / "corpus.parquet"
    pq.write_table(pa.table({"text": ["She said no."], "id": [[1, 2, 3]], "title": ["A"]}), path)
    (document,) = open_corpus(path).documents()
    assert (document.id, document.title) == ("corpus:1", "A")


def test_texts_that_unpack_by_their_encoding_are_refused(own_settings: Settings, tmp_path: Path) -> None:
    """DELTA_BYTE_ARRAY repeats the beginning of the last value for a few bits."""
    path = tmp_path / "set.parquet"
    table = pa.table({"template": [f"{TEXT} {i}" for i in range(9)], "count": [1.0] * 9})
    pq.write_table(table, path, use_dictionary=False, column_encoding={"template": "DELTA_BYTE_ARRAY"})
    with pytest.raises(TemplateError, match="DELTA_BYTE_ARRAY"):
        load_upload("set.parquet", path.read_bytes())


@pytest.mark.parametrize("packing", ["gz", "bz2", "zst"])
def test_a_packed_corpus_that_is_all_air(
    packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.mining.corpora.source.FREE", 2**16)
    air = b"\n" * 2**22
    data = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "zst": lambda text: pa.compress(text, codec="zstd", asbytes=True),
    }[packing](air)
    path = tmp_path / f"air.txt.{packing}"
    path.write_bytes(data)
    source = Source(path)
    with pytest.raises(CorpusError, match="unpacks to more than 200 times its size"):
        list(FORMS[suffixes(path)[0]](source))


def test_a_packed_text_is_no_air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.mining.corpora.source.FREE", 2**10)
    path = tmp_path / "prose.txt.gz"
    path.write_bytes(gzip.compress((ROOT / "README.md").read_bytes()))
    assert list(open_corpus(path).documents())


@pytest.mark.parametrize("name", ["a.zip", "a.txt.xz", "a.txt.zip", "a.tar.gz", "a.7z", "a.jsonl.lzma"])
def test_archives_are_not_taken(name: str, own_settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(CorpusError):
        list(open_corpus(path).documents())
    with path.open("rb") as file, pytest.raises(CorpusError, match="A corpus file ends in"):
        keep_upload(name, file)
    assert not (own_settings.cache / "uploads").exists()


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 20_000) + " = 1",
        "[" + " . ".join(["'a'"] * 20_000) + "]",
        'x = """a"""" #\\\n' + ".".join(["a"] * 20_000) + '=1 #"',  # a quotation mark that closes nothing
    ],
    ids=["key", "table", "behind a text"],
)
def test_a_key_of_toml_has_few_parts(text: str, tmp_path: Path, quickly: object) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(TopicError, match="a key with more than eight parts"):
        read_toml(path, ("a",), TopicError)


def test_dots_in_texts_are_free(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        'a = "x.x.x.x.x.x.x.x.x.x.x"\nb = """\ny.y.y.y.y.y.y.y.y.y.y\n""""\n'
        "c = [1.5, 1.5, 1.5]  # z.z.z.z.z.z.z.z.z.z\n"
    )
    assert set(read_toml(path, ("a", "b", "c"), TopicError)) == {"a", "b", "c"}


def test_toml_has_a_size(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("#\n" * (2**22 + 1))
    with pytest.raises(EvidenceError, match="characters, and a TOML file may have at most 8,388,608"):
        load_evidence(path)


def test_a_table_has_a_number_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.material.safety.tables.MAX_ROWS", 3)
    path = tmp_path / "a.csv"
    path.write_text("term\n" + "a\n" * 3)
    assert len(read_table(path, ("term",), (), EvidenceError)) == 3
    path.write_text("term\n" + "a\n" * 4)
    with pytest.raises(EvidenceError, match="more than 3 rows"):
        read_table(path, ("term",), (), EvidenceError)


HEAP = "a" + "\u0300" * 400_000 + "\u0316" * 400_000  # to put them in order took an hour


def test_heaped_marks_are_not_put_in_order(own_settings: Settings, quickly: object) -> None:
    with pytest.raises(TopicError):
        check_text(HEAP, "a word", "The topic", TopicError)
    assert normalise(f"  {HEAP} ") == HEAP == normal("NFKC", HEAP)
    with pytest.raises(InputError):
        load_topic_upload([("topic.txt", f"{HEAP},a\nb,c,d".encode())])


def test_as_many_marks_as_a_letter_may_have() -> None:
    """Thai, Hebrew with all its points, Vietnamese and Zulu phonetics have at most five."""
    most = "a" + "\u0316\u0300" * (MOST_MARKS // 2)
    assert not is_heaped(most + "b" + most)
    assert is_heaped(most + "\u0300")
    assert normalise("e\u0302\u0301") == "ế"
    with pytest.raises(TopicError, match="more than 30 combining marks on one letter"):
        check_text(most + "\u0300", "a word", "The topic", TopicError)


def test_reading_a_bomb_takes_no_memory_in_a_process_of_its_own(tmp_path: Path) -> None:
    """As the app would meet it: 150 MB of address space beyond what the libraries take are enough."""
    path = tmp_path / "a.toml"
    path.write_text(".".join(["a"] * 100_000) + " = 1")
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from pcf_core.core.errors import TopicError\n"
        "from pcf_core.material.topics import load_topic\n"
        "held = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (held + 150 * 2**20,) * 2)\n"
        "try: load_topic(Path(sys.argv[1]))\n"
        "except TopicError as error: print(error)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "a key with more than eight parts" in answer.stdout
