"""The bytes of a corpus: packed, cut off, damaged, not text, in lines without end."""

from __future__ import annotations

import errno
import gzip
import random
import re
import tracemalloc
from pathlib import Path

import pytest

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import BUFFER, _Counted
from pcf_core.mining.documents import open_corpus
from tests.mining.corpora.writing import PACKING

TEXT = "".join(f"Line {n} of this text says that she knew.\n\n" for n in range(9000)).encode()
NOISE = random.Random(0).randbytes(30_000).hex().encode()


def read(path: Path) -> str:
    return "\n".join(document.text for document in open_corpus(path).documents())


@pytest.mark.parametrize("packing", PACKING)
def test_packed_in_any_way(packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{packing}"
    path.write_bytes(PACKING[packing](TEXT))
    assert read(path).split("\n") == TEXT.decode().strip().split("\n\n")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".zst"])
def test_packed_in_two_pieces(packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.TXT{packing.upper()}"
    path.write_bytes(PACKING[packing](TEXT) + PACKING[packing](b"The end.\n"))
    assert read(path).endswith("8999 of this text says that she knew.\nThe end.")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("share", [0.0001, 0.5, 0.999])
def test_cut_off(packing: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{packing}"
    data = PACKING[packing](NOISE)
    path.write_bytes(data[: max(1, int(share * len(data)))])
    with pytest.raises(
        CorpusError, match=rf"a\.txt\{packing} ends unexpectedly after .* bytes, so it was cut off"
    ):
        read(path)


@pytest.mark.parametrize(
    ("packing", "begin", "end"),
    [
        (".gz", 0, 9),
        (".gz", -8, -4),
        (".bz2", 0, 9),
        (".bz2", 9_000, 9_050),
        (".zst", 0, 9),
        (".zst", 9_000, None),
    ],
)
def test_damaged(packing: str, begin: int, end: int | None, tmp_path: Path) -> None:
    """zstd need not have a sum of its content, so that only what breaks its blocks is seen."""
    path = tmp_path / f"a.txt{packing}"
    data = bytearray(PACKING[packing](NOISE))
    data[begin:end] = b"\xff" * len(data[begin:end])
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=rf"a\.txt\{packing} is damaged, or its ending is wrong") as caught:
        read(path)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".zst"])
def test_not_packed_at_all(packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{packing}"
    path.write_bytes(TEXT)
    with pytest.raises(CorpusError, match="is damaged, or its ending is wrong"):
        read(path)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            "Fine.\nÄgypten\n".encode("latin-1"),
            r"a\.txt, line 2 is not UTF-8 text \(byte 1 of the line\): save it",
        ),
        ("She\n".encode("utf-16"), r"a\.txt is UTF-16: save it with the encoding UTF-8"),
        ("She\n".encode("utf-16-le"), r"a\.txt, line 1 has a null byte, so it is not a text"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", r"a\.txt, line 2 is not UTF-8 text"),
        (b"\x7fELF\x02\x01\x01\0\0", r"a\.txt, line 1 has a null byte"),
        (gzip.compress(TEXT, mtime=0), r"a\.txt, line 1 is not UTF-8 text"),
        (b"", r"The corpus a\.txt has no documents: give one with texts"),
        (b" \n\n\t\n", r"The corpus a\.txt has no document"),
    ],
)
def test_no_text(data: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=sentence):
        read(path)


def test_mark_of_utf8_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("She came.", encoding="utf-8-sig")
    assert read(path) == "She came."


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz"])
def test_one_line_of_200_megabytes(name: str, tmp_path: Path) -> None:
    """Refused after 16 MiB, which are all that is held: twice, while a line is put together."""
    path = tmp_path / name
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(b"she " * 250_000)
    tracemalloc.start()
    with pytest.raises(CorpusError, match=r"line 1 is longer than 16 MiB: give a text file"):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.parametrize("packing", PACKING)
def test_a_file_that_cannot_be_read(packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not opened, or lost in the middle: not the fault of what is in it."""
    path = tmp_path / f"a.txt{packing}"
    path.write_bytes(PACKING[packing](NOISE * 20))

    def lost(self: object, buffer: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def denied(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    corpus = open_corpus(path)
    monkeypatch.setattr(_Counted, "readinto", lost)
    with pytest.raises(CorpusError, match=r"cannot be read \(Input/output error\): check that"):
        list(corpus.documents())
    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(
        CorpusError, match=rf"a\.txt{re.escape(packing)} cannot be read \(Permission denied\): check that"
    ):
        read(path)


def test_a_file_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    corpus = open_corpus(path)
    path.unlink()
    with pytest.raises(CorpusError, match=r"a\.txt cannot be read \(No such file or directory\): check that"):
        list(corpus.documents())


def test_how_far_it_was_read(tmp_path: Path) -> None:
    """``read`` rises to the file's size, ahead of the documents by what is read at once."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "%s"}\n' % (b"she " * 250) * 6000)
    corpus = open_corpus(path)
    seen = [corpus.read for _ in corpus.documents()]
    assert corpus.size == corpus.read == path.stat().st_size
    assert seen == sorted(seen)
    assert len(set(seen)) >= 40
    assert seen[0] <= 2 * BUFFER
