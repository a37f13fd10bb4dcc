"""How the files of a person are understood: what they leave open, what was answered, and what was read.

A reader that cannot decide asks (:func:`ask`), and refuses the file if nobody has answered.  The command line
answers with options and refuses in a sentence that names them; a page draws the same questions.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from pcf_core.core.errors import InputError
from pcf_core.core.options import declared, option
from pcf_core.core.records import LONGEST_QUOTE, Record
from pcf_core.material.safety.reading import heard

MOST_ROWS_SHOWN = 5
MOST_ITEMS_SHOWN = 12  # of a list in a cell


class ReadingOptions(Record):
    """What can be said of files with which more than one thing could be meant."""

    columns: tuple[str, ...] = option(
        (),
        flag="--column",
        usage="which column of a table of yours has what, such as text=description; may be repeated",
    )
    read_as: Literal["", "pairs", "groups", "table"] = option(
        "",
        flag="--as",
        usage="how a topic's file is read: pairs (a line has a word of every group), groups (a line is a "
        "group) or table (with a line that names the columns)",
    )
    placeholders: tuple[str, ...] = option(
        (),
        flag="--placeholder",
        usage="what a placeholder in sentences of yours stands for, such as '[MASK]=[Y]'; may be repeated",
    )
    dry_run: bool = option(
        False, flag="--dry-run", usage="only show how the files are read: first rows, and what is changed"
    )


Question = Literal["columns", "read_as", "placeholders"]  # the option that answers it


@dataclass(frozen=True)
class Choice:
    """A question that a file leaves open.

    ``name``: what is asked about, such as a column; empty where the option says it.  ``offered``: the
    answers; ``free``: others are allowed.  ``guess``: the likeliest answer, which pages propose.
    """

    option: Question
    name: str
    text: str
    offered: tuple[str, ...]
    guess: str = ""
    free: bool = False

    def as_option(self, answer: str) -> str:
        """Write an answer as an option of the command line, for a sentence: cut, and printable."""
        said = f"{self.name}={answer}" if self.name else answer
        said = "".join(c if c.isprintable() else "?" for c in said[:LONGEST_QUOTE])
        return f"{declared(ReadingOptions)[self.option].flag} {shlex.quote(said)}"


@dataclass(frozen=True)
class FileRead:
    """A file of a person as it was understood: how many entries, and the first of them by column."""

    name: str
    entries: int
    first: tuple[Mapping[str, str], ...]


Answers = Mapping[tuple[Question, str], str]


@dataclass
class Reading:
    """Files that are read together: the answers that were given, and what was understood.

    ``dry_run``: nothing is done with the files.  ``guesses``: whether a guess is taken where nothing was
    answered, as on pages, which show it.  ``table``: the rows of the table that was read last, by our names
    of its columns.
    """

    answers: Answers = field(default_factory=dict)
    guesses: bool = False
    dry_run: bool = False
    choices: list[Choice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: list[FileRead] = field(default_factory=list)
    table: Sequence[Mapping[str, str]] = ()
    _used: set[tuple[Question, str]] = field(default_factory=set)

    def answer(self, question: Choice) -> str:
        """Return what was answered; empty where nothing was."""
        key = question.option, question.name
        if all((one.option, one.name) != key for one in self.choices):
            self.choices.append(question)
        self._used.add(key)
        return self.answers.get(key) or (question.guess if self.guesses else "")

    @property
    def is_open(self) -> bool:
        """Whether a question has no answer."""
        return not all(
            self.answers.get((one.option, one.name)) or (self.guesses and one.guess) for one in self.choices
        )

    def check_used(self) -> None:
        """Refuse an answer to a question that no file left open or could be asked.

        Raises
        ------
        InputError
            The first such answer, as an option.
        """
        for (option_name, name), answer in self.answers.items():
            if (option_name, name) not in self._used:
                given = Choice(option_name, name, "", ()).as_option(answer)
                raise InputError(
                    f"{given} fits none of the files that were read: correct it or leave it out."
                )


def answers_of(options: ReadingOptions) -> Answers:
    """Return the answers that the options of a command give.

    Raises
    ------
    InputError
        An option without an equals sign, or two answers to one question.
    """
    answers: dict[tuple[Question, str], str] = {}
    if options.read_as:
        answers["read_as", ""] = options.read_as
    pairs: tuple[tuple[Question, Collection[str], str], ...] = (
        ("columns", options.columns, "text=description"),
        ("placeholders", options.placeholders, "'[MASK]=[Y]'"),
    )
    for option_name, given, example in pairs:
        flag = declared(ReadingOptions)[option_name].flag
        for text in given:
            name, _, answer = (part.strip() for part in text.partition("="))
            if not (name and answer):
                raise InputError(f"{flag} must have two parts, such as {example}; got {text!r}.")
            if (option_name, name) in answers:
                raise InputError(f"{flag} is given twice for {name}: give it once.")
            answers[option_name, name] = answer
    return answers


_reading: ContextVar[Reading | None] = ContextVar("_reading", default=None)


@contextmanager
def read_with(reading: Reading) -> Iterator[Reading]:
    """Read files in the block with some answers, and note how they are understood."""
    token = _reading.set(reading)
    try:
        with heard(reading.notes.append):
            yield reading
    finally:
        _reading.reset(token)


def ask(question: Choice) -> str:
    """Return the answer to a question; empty where nobody was asked, or nobody answered."""
    reading = _reading.get()
    return reading.answer(question) if reading else ""


def answered(option_name: Question, name: str = "") -> str:
    """Return what was said without being asked; empty where nothing was."""
    reading = _reading.get()
    if reading is None or (option_name, name) not in reading.answers:
        return ""
    reading._used.add((option_name, name))
    return reading.answers[option_name, name]


def show_entries(name: str, number: int, entry: Callable[[int], Mapping[str, object]]) -> None:
    """Note how many entries a file of a person has, and the first of them; ``entry`` gives one by column."""
    reading = _reading.get()
    if reading and all(one.name != name for one in reading.files):
        shown = map(entry, range(min(number, MOST_ROWS_SHOWN)))
        first = [{key: _cell(value) for key, value in one.items()} for one in shown]
        filled = [key for key in (first[0] if first else {}) if any(one.get(key) for one in first)]
        rows = tuple({key: one.get(key, "") for key in filled} for one in first)
        reading.files.append(FileRead(name, number, rows))


def show_table(rows: Sequence[tuple[str, Mapping[str, str]]]) -> None:
    """Note the rows of a table of a person."""
    if reading := _reading.get():
        reading.table = [row for _, row in rows]


def _cell(value: object) -> str:
    if isinstance(value, list | tuple):
        more = [f"{len(value) - MOST_ITEMS_SHOWN:,} more"] if len(value) > MOST_ITEMS_SHOWN else []
        return ", ".join([*(_cell(one) for one in value[:MOST_ITEMS_SHOWN]), *more])
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
