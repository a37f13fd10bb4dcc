"""The content of a file: text, TOML, JSON; ``error`` is the class of a refusal.  Tables: see ``tables``.

Text is UTF-8, UTF-16 or UTF-32 with a byte order mark, or Windows-1252.  Whatever is not as usual is told
to the ``listener`` of :func:`heard`: nothing is changed or left out in silence.

Nothing is cached: a file is a few kilobytes, and what was changed or repaired on disk must show at once.

Files of the user that are there completely or not at all, and uploads that are read and not kept.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NoReturn

from pcf_core.core.errors import InputError, StoreError
from pcf_core.material.safety.other_tools import refuse_results
from pcf_core.material.safety.text import LOST, first_duplicate, listed, shown

MAX_BYTES = 32 * 2**20
MAX_TOML = 8 * 2**20  # its reader is slow; a list of the most and longest words has 4
MAX_ROWS = 1_000_000
# What a key of TOML is not: in texts and comments dots are free.
ASIDE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\[^\n])*+"'
    r"|'[^'\n]*+'|#[^\n]*+",
    re.DOTALL,
)
# A key of nine parts and more; ours have one.  The time and memory that the standard library takes for a key
# grow with the square of its parts: 8,000 of them, 16 kB, take 3 s and 250 MB.
LONG_KEY = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){8}[\w-]")
FORMS = {  # how files of other programs begin, whatever their ending
    b"{\\rtf": "RTF",
    b"%PDF": "PDF",
    b"PK\x03\x04": "a file of Word, Excel or another program that packs its files",
    b"\xd0\xcf\x11\xe0": "a file of an old Word or Excel",
}
MARKS = "'' “” „“ „” ”” ‘’ ‚‘ ‚’ ’’ «» »« »» ‹› ›‹ 「」 『』 ``"  # of several languages
CELL = re.compile(r'"(?:[^"]|"")+"')  # as CSV quotes one
QUOTED = re.compile(  # between two letters, a mark is an apostrophe
    "|".join([CELL.pattern, *(rf"{p[0]}(?:[^{p}]|(?<=\w)[{p}](?=\w))+{p[1]}" for p in MARKS.split())])
)
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
UTF_32 = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
STATED = re.compile(r'\A"?sep=."?[ \t]*(?=\r?\n)')  # Excel's own way to say what separates the columns
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")  # in no text that somebody wrote
_listener: ContextVar[Callable[[str], None] | None] = ContextVar("_listener", default=None)


@contextmanager
def heard(listener: Callable[[str], None]) -> Iterator[None]:
    """Tell the listener, a sentence each and once, how files are read within the block if not as usual.

    Whoever listens outside of the block is told as well.
    """
    sentences: set[str] = set()
    outside = _listener.get()

    def once(sentence: str) -> None:
        if sentence not in sentences:
            sentences.add(sentence)
            listener(sentence)
            if outside:
                outside(sentence)

    token = _listener.set(once)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(sentence: str) -> None:
    """Tell whoever listens how a file is read."""
    if listener := _listener.get():
        listener(sentence)


def label(path: Path) -> str:
    """Return a file's name as sentences show it: what cannot be printed is a question mark."""
    return "".join(character if character.isprintable() else "?" for character in path.name or str(path))


def title_of(path: Path) -> str:
    """Derive the title of a file that names none: its name without the ending."""
    return Path(label(path)).stem


def read_data(path: Path, error: type[InputError]) -> bytes:
    """Read the bytes of a file; one with the results of another tool is refused by name."""
    try:
        state = path.stat()
        if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):  # a pipe or device may never end
            raise OSError(errno.EINVAL, "it is not a regular file")
        if (size := state.st_size) > MAX_BYTES:
            raise error(f"{label(path)} has {size:,} bytes; at most {MAX_BYTES:,} are allowed.")
        data = path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or "input/output error"
        raise error(
            f"{label(path)} cannot be read ({reason}): check that the file exists and that you may read it."
        ) from problem
    refuse_results(data, label(path), error)
    return data


def read_text(path: Path, error: type[InputError]) -> str:
    """Read the text of a file, without its byte order mark and what Excel states of it."""
    return STATED.sub("", _decoded(path, error))


def _decoded(path: Path, error: type[InputError]) -> str:
    data = read_data(path, error)
    for beginning, form in FORMS.items():
        if data.startswith(beginning):
            raise error(f"{label(path)} is {form}: save it as plain text or CSV, with the encoding UTF-8.")
    if data.startswith((*UTF_16, *UTF_32)):
        encoding = "UTF-32" if data.startswith(UTF_32) else "UTF-16"
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as problem:
            raise error(
                f"{label(path)} is damaged {encoding} text: save it with the encoding UTF-8."
            ) from problem
        tell(f"{label(path)} is {encoding} text.")
        return text
    if len(data) > 3 and b"\0" in data[:2] + data[-2:] and data.count(b"\0") * 3 > len(data):
        raise error(
            f"{label(path)} is UTF-16 or UTF-32 text that does not say so: save it with the encoding UTF-8."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        written = _windows_text(data)
        if written is None:
            raise _not_utf_8(path, problem, error) from problem
        tell(f"{label(path)} is not UTF-8 and was read as Windows-1252: check letters such as é and ü.")
        return written
    if LOST in text:
        line = text[: text.index(LOST)].count("\n") + 1
        tell(f"{label(path)}, line {line:,} has U+FFFD in place of a letter that was lost: check it.")
    return text


def _not_utf_8(path: Path, problem: UnicodeDecodeError, error: type[InputError]) -> InputError:
    return error(
        f"{label(path)} is not UTF-8 text (byte {problem.start + 1:,}): save it with the encoding UTF-8."
    )


def _windows_text(data: bytes) -> str | None:
    """Decode Windows-1252; ``None`` where the bytes are rather damaged UTF-8, or no text at all."""
    if any(ord(character) > 127 for character in data.decode("utf-8", errors="ignore")):
        return None
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return None if CONTROLS.search(text) else text


def unquoted(words: Sequence[str], where: str, quoted: re.Pattern[str] = QUOTED) -> list[str]:
    """Take off quotation marks around words or lines, and say so."""
    bare = ((word, word.strip()[1:-1].replace('""', '"')) for word in words)
    plain = [within if quoted.fullmatch(word.strip()) else word for word, within in bare]
    if plain != [*words]:
        tell(f"Quotation marks around words of {where} were removed.")
    return plain


def read_toml(
    path: Path, allowed: Collection[str], error: type[InputError], *, foreign: Collection[str] = ()
) -> dict[str, Any]:
    """Read the top-level table of a TOML file.

    A file with a ``foreign`` key is one of another kind that may lie there: its table is empty.
    """
    try:
        text = read_data(path, error).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise _not_utf_8(path, problem, error) from problem
    if len(text) > MAX_TOML:
        raise error(
            f"{label(path)} has {len(text):,} characters, and a TOML file may have at most {MAX_TOML:,}: "
            "shorten it, or write it as JSON or CSV where these are accepted."
        )
    if LONG_KEY.search(ASIDE.sub("s", text)):
        raise error(f"{label(path)} has a key with more than eight parts separated by dots: remove it.")
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise error(f"{label(path)} is not valid TOML ({_reason(problem)}): correct it there.") from problem
    if set(table) & set(foreign):
        return {}
    refuse_unknown(table, label(path), allowed, error)
    return table


def checked_object(value: object, path: Path, error: type[InputError]) -> dict[str, Any]:
    """Return what a JSON file holds if it is an object."""
    if not isinstance(value, dict):
        raise error(f"{label(path)} holds {shown(value)}: write an object, with the keys in braces.")
    return value


def read_json(path: Path, error: type[InputError]) -> object:
    """Read the value that a JSON file holds, of whatever kind, or the list of those that stand one a line."""
    text = read_text(path, error)
    lines = text.split("\n")  # not splitlines: within a text of JSON other line ends may stand as they are
    first = next(filter(str.strip, lines), "")
    is_jsonl = path.suffix.lower() == ".jsonl" or (first.strip() != text.strip() and _is_json(first))
    is_one = not is_jsonl or _is_json(text)
    parts = (
        {1: text} if is_one else {number: line for number, line in enumerate(lines, start=1) if line.strip()}
    )
    values = []
    for number, part in parts.items():
        try:
            values.append(json.loads(part, object_pairs_hook=_keys_once, parse_constant=_no_number))
        except (ValueError, RecursionError) as problem:
            where = label(path) if is_one else f"{label(path)}, line {number:,}"
            raise error(f"{where} is not valid JSON ({_reason(problem)}): correct it there.") from problem
    return values[0] if is_one else values


def holds_json(text: str) -> bool:
    """Tell whether a text is a list or an object of JSON, or has one in each line."""
    return _is_json(text) or all(_is_json(line) for line in text.split("\n") if line.strip())


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def _reason(problem: Exception) -> str:
    """Return what a parser says, in one line; long numbers and bad dates raise errors of other kinds."""
    return " ".join(str(problem).split()).rstrip(".")[:200]


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = first_duplicate(key for key, _ in pairs)
    if twice is not None:  # the standard library would keep the last and drop the others silently
        raise ValueError(f"the key {shown(twice)} appears twice")
    return dict(pairs)


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def refuse_unknown(
    table: Mapping[str, Any], where: str, allowed: Collection[str], error: type[InputError], also: str = ""
) -> None:
    """Refuse a key that is not allowed; ``also``: what else may be done."""
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        known = listed(sorted(allowed))
        raise error(f"{where} has the unknown key {shown(unknown[0])}: use only {known}{also}.")


LONGEST_FILE_NAME = 60  # characters, of up to four bytes


def write_whole(path: Path, data: bytes, *, replace: bool) -> bool:
    """Write a file that is there completely or not at all; ``False``: there is one, and it stays.

    Raises
    ------
    OSError
        The disk is full, or the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f"{path.stem}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        if replace:
            Path(draft).replace(path)
            return True
        return _named(Path(draft), path)
    finally:
        Path(draft).unlink(missing_ok=True)


def upload_label(file_name: str) -> str:
    """Return the name of an uploaded file for sentences and for a temporary folder."""
    return label(Path(file_name.replace("/", "-").replace("\\", "-")))[-LONGEST_FILE_NAME:]


def check_ending(
    name: str, endings: Collection[str], kind: str, error: type[InputError], *, bare: bool = False
) -> None:
    """Refuse an upload whose name says that it is of another form; ``bare``: it need not have an ending."""
    ending = Path(name).suffix.lower()
    if ending not in endings and not (bare and ending == "" and name.strip(".")):
        raise error(f"{shown(name)} is not a {' or '.join(endings)} file: save the {kind} as one.")


@contextmanager
def uploaded(name: str, data: bytes) -> Iterator[Path]:
    """Open an upload as a temporary file; ``name`` as :func:`upload_label` gives it.

    Raises
    ------
    StoreError
        There is no room for temporary files.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            yield path
    except OSError as problem:
        raise StoreError(
            f"{name} cannot be written to the folder for temporary files ({problem.strerror}): free some "
            "space there."
        ) from problem


def _named(draft: Path, path: Path) -> bool:
    """Give a draft its name unless another file has it."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        draft.replace(path)
    return True
