"""The journal: only ever added to, in one order by many processes, and what was altered is noticed."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import StoreError
from pcf_core.store.journal import BEGINNING, FILE_NAME, LONGEST, Journal
from tests.quick import scaled

WRITERS, EACH = 4, 25


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


def filled(journal: Journal, entries: int = 5) -> list[bytes]:
    """The lines of a journal with some entries."""
    for number in range(entries):
        journal.add("ann@example.org", "queued", "score", f"job {number}")
    return journal.path.read_bytes().splitlines(keepends=True)


def write_some(root: Path, writer: int) -> None:
    for number in range(EACH):
        Journal(root).add(f"writer {writer}", "queued", "score", str(number))


def test_entries_come_back_in_order_with_who_and_when(journal: Journal) -> None:
    assert journal.read().entries == ()
    assert journal.read().last == BEGINNING
    filled(journal, 3)
    found = journal.read()
    assert not found.damage
    assert [entry.number for entry in found.entries] == [1, 2, 3]
    assert [entry.name for entry in found.entries] == ["job 0", "job 1", "job 2"]
    assert {entry.who for entry in found.entries} == {"ann@example.org"}
    assert all(one.at <= other.at for one, other in zip(found.entries, found.entries[1:], strict=False))


def test_the_chain_is_the_digests_of_the_lines(journal: Journal) -> None:
    """Second opinion: worked out from the file by the standard library alone."""
    lines = filled(journal)
    digests = [BEGINNING, *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [json.loads(line)["previous"] for line in lines] == digests[:-1]
    assert journal.read().last == digests[-1]


def test_many_processes_write_one_chain(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_some, args=(tmp_path, writer)) for writer in range(WRITERS)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
        assert process.exitcode == 0
    found = Journal(tmp_path).read()
    assert not found.damage
    assert len(found.entries) == WRITERS * EACH
    for writer in range(WRITERS):
        own = [int(entry.name) for entry in found.entries if entry.who == f"writer {writer}"]
        assert own == list(range(EACH)), "none lost, each in its order"


@pytest.mark.parametrize("place", [0, 2, 3])
def test_a_line_that_was_taken_out_is_noticed(journal: Journal, place: int) -> None:
    lines = filled(journal)
    journal.path.write_bytes(b"".join(lines[:place] + lines[place + 1 :]))
    assert "does not follow from the line before it" in journal.read().damage


def test_lines_that_change_places_and_a_second_copy_are_noticed(journal: Journal) -> None:
    first, second, *rest = filled(journal)
    for lines in ([second, first, *rest], [first, first, second, *rest]):
        journal.path.write_bytes(b"".join(lines))
        assert journal.read().damage


@given(st.data())
@settings(max_examples=scaled(60), deadline=None)
def test_any_byte_that_is_altered_before_the_last_line_is_noticed(data: st.DataObject) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        lines = filled(journal, 3)
        whole = bytearray(b"".join(lines))
        place = data.draw(st.integers(0, len(whole) - len(lines[-1]) - 1))
        other = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[place]))
        whole[place] = other
        journal.path.write_bytes(bytes(whole))
        assert journal.read().damage


def test_a_line_that_was_cut_is_closed_and_told_and_writing_goes_on(journal: Journal) -> None:
    whole = b"".join(filled(journal, 3))
    journal.path.write_bytes(whole[:-20])
    journal.add("bob", "deleted", "run", "0123456789abcdef")
    found = journal.read()
    assert found.damage == f"Line 3 of {FILE_NAME} is not a valid entry: it was changed or cut off."
    assert [entry.did for entry in found.entries] == ["queued", "queued", "deleted"]
    assert found.entries[-1].number == 4


@given(st.text(max_size=2 * LONGEST), st.text(max_size=50))
@settings(max_examples=scaled(60), deadline=None)
def test_any_text_is_one_line_and_no_entry_of_its_own(who: str, name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        journal.add(who, "changed", "topic", name)
        journal.add("ann", "changed", "topic", "pets")
        found = journal.read()
        assert not found.damage
        assert len(found.entries) == 2
        assert found.entries[0].who.isprintable()
        assert len(found.entries[0].who) <= LONGEST
        assert journal.path.read_bytes().count(b"\n") == 2


@pytest.mark.parametrize("data", [b"\x00" * 100, b"[]\n", b"{}\n", b"\xff\xfe\n", b"x" * 40_000, b"\n\n"])
def test_what_is_no_journal_is_told_in_a_sentence_and_added_to(journal: Journal, data: bytes) -> None:
    journal.path.write_bytes(data)
    assert "is not a valid entry" in journal.read().damage
    journal.add("ann", "queued", "score", "a")
    found = journal.read()
    assert found.entries[-1].who == "ann"
    assert found.damage


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", "2026-01-01T00:00:00"),
        ("at", "2026-01-01T00:00:00+05:00"),
        ("at", "9999-12-31T23:59:59-12:00"),
        ("number", 10**30),
    ],
)
def test_values_that_no_entry_has_are_damage(journal: Journal, field: str, value: object) -> None:
    """Tables could not hold a number of thirty digits, nor sort times with and without a zone."""
    body = json.loads(filled(journal, 1)[0])
    journal.path.write_text(json.dumps(body | {field: value}) + "\n", encoding="utf8")
    found = journal.read()
    assert found.entries == ()
    assert found.damage == f"Line 1 of {FILE_NAME} is not a valid entry: it was changed or cut off."


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            Journal(tmp_path).add("ann", "queued", "score", "a")
    finally:
        tmp_path.chmod(0o700)


def test_a_journal_that_is_a_folder_is_refused(journal: Journal) -> None:
    journal.path.mkdir()
    for attempt in (journal.read, journal.check_writable):
        with pytest.raises(StoreError) as refused:
            attempt()
        assert "\n" not in str(refused.value)


def test_a_full_disk_leaves_no_half_of_a_line(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(journal, 2)
    before = journal.path.read_bytes()
    monkeypatch.setattr("pcf_core.store.journal._line", lambda entry: Half(b"half a line"))
    with pytest.raises(StoreError, match="is full"):
        journal.add("ann", "queued", "score", "a")
    assert journal.path.read_bytes() == before


class Half(bytes):
    """A line that seems longer than what the disk takes of it."""

    def __len__(self) -> int:
        return super().__len__() + 1
