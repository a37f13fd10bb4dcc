"""How a user's files are understood: open questions, their answers, and what was read.

A reader that cannot decide asks (:func:`ask`), and refuses the file if there is no answer.  In the command
line, options answer, and the refusal names them; a page draws the same questions.
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
    """Answers to the questions that a file can leave open."""

    columns: tuple[str, ...] = option(
        (),
        flag="--column",
        usage="which column of a table of yours has what, such as text=description; may be repeated",
    )
    read_as: tuple[Literal["pairs", "groups", "columns", "lines", "heading", "table"], ...] = option(
        (),
        flag="--as",
        usage="how a file without column names is read: pairs (a line has a word of every group), groups (a "
        "line is a group), columns (a column is a group, named in the first line), lines (a line is an "
        "entry), heading (lines below a heading) or table (its first line names the columns); may be "
        "repeated, for several files",
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

    ``name``: the subject, such as a column; empty if the option says it.  ``offered``: the answers;
    ``free``: others are allowed.  ``guess``: the likeliest answer, which pages propose.
    """

    option: Question
    name: str
    text: str
    offered: tuple[str, ...]
    guess: str = ""
    free: bool = False

    def as_option(self, answer: str) -> str:
        """Write an answer as an option of the command line; one that nobody can type as NAME."""
        can_be_typed = answer.isprintable() and len(answer) <= LONGEST_QUOTE
        written = answer if can_be_typed else "NAME"
        value = f"{self.name}={written}" if self.name else written
        value = "".join(one if one.isprintable() else "?" for one in value)
        return f"{declared(ReadingOptions)[self.option].flag} {shlex.quote(value)}"


@dataclass(frozen=True)
class FileRead:
    """A user's file as it was understood: the number of entries, and the first of them by column."""

    name: str
    entries: int
    first: tuple[Mapping[str, str], ...]


Answers = Mapping[tuple[Question, str], str]


@dataclass
class Reading:
    """Files that are read together, with the answers to their questions.

    ``dry_run``: nothing is done with the files.  ``guesses``: an unanswered question takes its guess, as on
    pages, which show it.  ``table``: the rows of the table read last, by our names of its columns.
    """

    answers: Answers = field(default_factory=dict)
    guesses: bool = False
    dry_run: bool = False
    choices: list[Choice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: list[FileRead] = field(default_factory=list)
    table: Sequence[Mapping[str, str]] = ()
    _used: set[tuple[Question, str]] = field(default_factory=set)

    def ask(self, question: Choice) -> str:
        """Record a question, and return its answer; "" if there is none."""
        key = question.option, question.name
        if all((one.option, one.name) != key for one in self.choices):
            self.choices.append(question)
        given = self._given(question)
        self._used.add((question.option, given if question.option == "read_as" else question.name))
        return given or (question.guess if self.guesses else "")

    def _given(self, question: Choice) -> str:
        """Return the answer that was given; of several ways to read a file, the first that is offered."""
        given = self.answers.get((question.option, question.name), "")
        if question.option == "read_as":
            return next((one for one in given.split() if one in question.offered), "")
        return given

    @property
    def is_open(self) -> bool:
        """Whether a question has no answer."""
        return not all(self._given(one) or (self.guesses and one.guess) for one in self.choices)

    def check_used(self) -> None:
        """Refuse an answer to a question that no file leaves open.

        Raises
        ------
        InputError
            The first such answer, as an option.
        """
        several = [
            (option_name, name, one)
            for (option_name, name), answer in self.answers.items()
            for one in (answer.split() if option_name == "read_as" else [answer])
        ]
        for option_name, name, answer in several:
            if (option_name, answer if option_name == "read_as" else name) not in self._used:
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
        answers["read_as", ""] = " ".join(options.read_as)
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
    """Return the answer to a question; "" if there is none, or outside :func:`read_with`."""
    reading = _reading.get()
    return reading.ask(question) if reading else ""


def answered(option_name: Question, name: str = "") -> str:
    """Return an answer that was given in advance, such as an option; "" if there is none."""
    reading = _reading.get()
    return reading.answers.get((option_name, name), "") if reading else ""


def use_answer(option_name: Question, name: str) -> None:
    """Note that an answer that was given in advance fits the file that is read."""
    if reading := _reading.get():
        reading._used.add((option_name, name))


def is_read_as(way: str) -> bool:
    """Tell whether somebody said in advance to read a file this way; the answer then counts as used."""
    reading = _reading.get()
    if reading is None or way not in reading.answers.get(("read_as", ""), "").split():
        return False
    reading._used.add(("read_as", way))
    return True


def show_entries(name: str, number: int, entry: Callable[[int], Mapping[str, object]]) -> None:
    """Record the number of entries of a user's file, and the first ones; ``entry`` returns one by column."""
    reading = _reading.get()
    if reading and all(one.name != name for one in reading.files):
        shown = map(entry, range(min(number, MOST_ROWS_SHOWN)))
        first = [{key: _cell(value) for key, value in one.items()} for one in shown]
        filled = [key for key in (first[0] if first else {}) if any(one.get(key) for one in first)]
        rows = tuple({key: one.get(key, "") for key in filled} for one in first)
        reading.files.append(FileRead(name, number, rows))


def show_table(rows: Sequence[tuple[str, Mapping[str, str]]]) -> None:
    """Record the rows of a user's table."""
    if reading := _reading.get():
        reading.table = [row for _, row in rows]


def _cell(value: object) -> str:
    if isinstance(value, list | tuple):
        more = [f"{len(value) - MOST_ITEMS_SHOWN:,} more"] if len(value) > MOST_ITEMS_SHOWN else []
        return ", ".join([*(_cell(one) for one in value[:MOST_ITEMS_SHOWN]), *more])
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)
