"""Files of a person in commands: what ``--dry-run`` shows is what a page reads, and nothing is run."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from pcf_core.core.settings import Settings
from tests.command_line import answer_to, run_here
from tests.material.formats import FOLDER, FORMATS, Format

TOPIC = ("words", "--model", "mini-gpt", "--text", "The nurse said that [Y]", "--topic")


@pytest.mark.parametrize(
    "one", [one for one in FORMATS if one.reader.command], ids=lambda one: f"{one.file} {one.options}".strip()
)
def test_a_command_reads_the_same_as_a_page(one: Format, own_settings: Settings) -> None:
    reading = one.reading()
    one.read(reading)
    options = (str(FOLDER / one.file), *shlex.split(one.options), "--dry-run")
    answer = answer_to("files", *one.reader.command, *options)
    assert answer["files"] == [
        {"file": file.name, "entries": file.entries, "first": [*map(dict, file.first)]}
        for file in reading.files
    ]
    assert answer["notes"] == reading.notes
    assert not list(own_settings.cache.glob("**/*.parquet"))


def test_on_a_terminal_the_first_entries_are_listed(tmp_path: Path, own_settings: Settings) -> None:
    path = tmp_path / "long.txt"
    path.write_text("".join(f"trade {number}\n" for number in range(8)))
    done = run_here("score", "--model", "mini-gpt", "--evidence", str(path), "--dry-run", terminal=True)
    assert done.stdout.splitlines() == [
        "long.txt: 8 entries",
        *(f"  term: trade {number}" for number in range(5)),
        "  … and 3 more",
        "Nothing is run or saved.",
    ]
    none = run_here("score", "--model", "mini-gpt", "--topic", "gender", "--dry-run", terminal=True)
    assert "No list or set of yours was given" in none.stdout


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ("", "give --as pairs if each line has a word of every group"),
        ("--as neither", "--as must be one of"),
        ("--as pairs --column text=a", "--column text=a fits none of the files"),
        ("--as pairs --column text", "--column must have two parts"),
    ],
)
def test_pairs_or_groups_is_not_guessed(options: str, part: str, own_settings: Settings) -> None:
    done = run_here(*TOPIC, str(FOLDER / "topic-pairs.txt"), *shlex.split(options))
    assert done.returncode == 2
    assert part in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_answers_are_used_without_a_dry_run(own_settings: Settings) -> None:
    path = str(FOLDER / "topic-pairs.txt")
    answer = answer_to("words", *TOPIC, path, "--as", "pairs")
    assert sorted(answer["preferences"]) == ["aunt", "uncle"]
