"""The ledger: each block once, whatever happens; damage and a full disk in one sentence."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import StoreError
from pcf_core.mining.counting import Counts, Tally
from pcf_core.mining.ledger import MOST_SOURCES, OTHERS, Ledger, open_ledger


def counts_of(texts: dict[str, int], source: str = "s", example: str = "d@0") -> Counts:
    return Counts(
        templates={
            text: Tally(count, 1, Counter({source: count}), (example,)) for text, count in texts.items()
        },
        dropped=Counter({"a number": 1}),
        documents=2,
        words=30,
        sentences=5,
        matches=sum(texts.values()),
    )


def open_quietly(path: Path) -> Ledger:
    said: list[str] = []
    ledger = open_ledger(path, said.append)
    assert not said
    return ledger


def test_counts_of_blocks_add_up(tmp_path: Path) -> None:
    ledger = open_quietly(tmp_path / "a.sqlite")
    ledger.add(0, counts_of({"said": 2, "knew": 1}, "s", "d@7"), 1.5)
    ledger.add(1, counts_of({"said": 1, "felt": 1}, "t", "c@1"), 0.5)
    ledger.finish()
    ledger.close()
    again = open_quietly(tmp_path / "a.sqlite")
    assert again.finished
    assert again.done() == {0, 1}
    said, *others = again.templates()
    assert (said.text, said.count, said.documents) == ("said", 3, 2)
    assert said.sources == {"s": 2, "t": 1}
    assert said.examples == ("c@1", "d@7")
    assert [other.text for other in others] == ["felt", "knew"]
    assert [template.text for template in again.templates(cut=2)] == ["said"]
    facts = again.facts()
    assert (facts.documents, facts.words, facts.sentences, facts.matches) == (4, 60, 10, 5)
    assert (facts.templates, facts.count, facts.dropped, facts.seconds) == (3, 5, {"a number": 2}, 2.0)


def test_a_block_counts_once_also_for_two_at_a_time(tmp_path: Path) -> None:
    first, second = (open_quietly(tmp_path / "a.sqlite") for _ in range(2))
    assert first.add(3, counts_of({"said": 2}), 1)
    assert second.has(3)
    assert not second.add(3, counts_of({"said": 2}), 1)
    assert second.facts().count == 2
    assert (first.done(), first.finished) == ({3}, False)


def test_many_sources_are_counted_apart_and_given_together(tmp_path: Path) -> None:
    """A corpus may name a source a document: a template is given with the heaviest of its sources."""
    ledger = open_quietly(tmp_path / "a.sqlite")
    for block in range(3):
        sources = Counter({f"page{number:03}": 1 for number in range(50 * block, 50 * block + 150)})
        ledger.add(block, Counts(templates={"said": Tally(150, 150, sources, ())}), 1)
    (said,) = ledger.templates()
    assert len(said.sources) == MOST_SOURCES + 1
    assert sum(said.sources.values()) == said.count == 450
    assert [said.sources[name] for name in ("page100", "page149", "page050", OTHERS)] == [3, 3, 2, 200]


@given(st.permutations(range(5)), st.lists(st.integers(0, 4), max_size=4))
def test_order_and_repetition_change_nothing(order: list[int], repeated: list[int]) -> None:
    blocks = [counts_of({"said": n + 1, f"verb{n % 2}": 1}, f"s{n % 3}", f"d@{7 * n % 5}") for n in range(5)]

    def after(numbers: list[int]) -> list[object]:
        ledger = Ledger(Path(":memory:"))
        for number in numbers:
            ledger.add(number, blocks[number], 0)
        return [*ledger.templates(), ledger.facts()]

    assert after([*order, *repeated]) == after([0, 1, 2, 3, 4])


def test_an_error_inside_a_block_leaves_no_part_of_it(tmp_path: Path) -> None:
    ledger = open_quietly(tmp_path / "a.sqlite")
    bad = counts_of({"said": 1})
    bad.templates["broken"] = Tally(count="many", documents=object())  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="cannot be used"):
        ledger.add(0, bad, 1)
    assert (ledger.done(), ledger.facts().documents, list(ledger.templates())) == (set(), 0, [])
    ledger.add(0, counts_of({"said": 1}), 1)
    assert ledger.facts().count == 1


@pytest.mark.parametrize("where", ["head", "middle", "cut", "text"])
def test_a_damaged_ledger_is_set_aside_and_said(tmp_path: Path, where: str) -> None:
    path = tmp_path / "a.sqlite"
    ledger = open_quietly(path)
    ledger.add(0, counts_of({f"verb{n} " * 20: 1 for n in range(500)}), 1)
    ledger.close()
    data = bytearray(path.read_bytes())
    if where == "head":
        data[:100] = bytes(100)
    elif where == "middle":
        for page in range(4096 * 8, len(data), 4096):
            data[page : page + 64] = b"\xa5" * 64
    elif where == "cut":
        del data[len(data) // 2 :]
    else:
        data = bytearray(b"no database " * 1000)
    path.write_bytes(data)
    said: list[str] = []
    new = open_ledger(path, said.append)
    assert len(said) == 1
    assert "was damaged. It was saved as a.sqlite.damaged" in said[0]
    assert new.done() == set()
    assert path.with_name("a.sqlite.damaged").read_bytes() == bytes(data)
    new.add(0, counts_of({"said": 1}), 1)
    assert new.facts().count == 1


def test_a_full_disk_is_a_sentence_and_the_counts_so_far_are_kept(tmp_path: Path) -> None:
    ledger = open_quietly(tmp_path / "a.sqlite")
    ledger.add(0, counts_of({"said": 1}), 1)
    pages = ledger._connection.execute("PRAGMA page_count").fetchone()[0]
    ledger._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(StoreError, match=r"is full: free some space .* The counts so far are kept"):
        ledger.add(1, counts_of({f"verb{n} " * 40: 1 for n in range(500)}), 1)
    ledger.close()
    again = open_quietly(tmp_path / "a.sqlite")
    assert (again.done(), again.facts().count) == ({0}, 1)


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match=r"cannot be written .* set PCF_CACHE"):
        open_ledger(tmp_path / "file" / "a.sqlite", lambda sentence: None)


def test_a_file_system_that_is_read_only_is_a_sentence(tmp_path: Path) -> None:
    ledger = open_quietly(tmp_path / "a.sqlite")
    ledger._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written"):
        ledger.add(0, counts_of({"said": 1}), 1)


def test_a_ledger_that_another_process_holds_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.mining.ledger.BUSY_SECONDS", 0.05)
    ledger = open_quietly(tmp_path / "a.sqlite")
    other = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="being used by another process: try again"):
        ledger.add(0, counts_of({"said": 1}), 1)
    other.execute("ROLLBACK")
    ledger.add(0, counts_of({"said": 1}), 1)
    assert ledger.done() == {0}
    other.close()
