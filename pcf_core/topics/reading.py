"""From a name or a path to the content of a file: shipped folders, the user's own, TOML, CSV, plain lines.

Nothing is cached: a file is a few kilobytes, and what was changed or repaired on disk must show at once.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import re
import stat
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pcf_core.errors import InputError
from pcf_core.records import LeftOut
from pcf_core.records.marks import normal
from pcf_core.settings import settings
from pcf_core.topics.text import MAX_NAME, NAME, first_duplicate, listed, shown

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
MOST_NAMED = 12  # names in a sentence
LAST = "calibration"  # nobody's subject: behind the others in every list
TERM_ALIASES: Mapping[str, str] = {"occupation": "term"}


@dataclass(frozen=True)
class Shelf:
    """A folder of shipped files of one kind, and which files a user may give instead.

    ``suffixes``: endings of the shipped files; ``accepts``: endings of the user's.  ``keeps_own``: the cache
    has a folder of the same name, in which the app keeps what users made.
    """

    kind: str
    folder: str
    suffixes: tuple[str, ...]
    accepts: tuple[str, ...]
    error: type[InputError]
    keeps_own: bool = False

    def names(self) -> tuple[str, ...]:
        """Names of the shipped files, sorted, then those of the user's own, sorted."""
        return (*self.shipped(), *self.own())

    def shipped(self) -> dict[str, Path]:
        """Name -> shipped file."""
        return self._files(settings().assets / self.folder)

    def own(self) -> dict[str, Path]:
        """Name -> file of the user's own; a shipped name hides one of the same name: :meth:`hidden`."""
        if not self.keeps_own:
            return {}
        shipped = self.shipped()
        return {name: path for name, path in self._files(self.own_folder).items() if name not in shipped}

    def hidden(self) -> tuple[LeftOut, ...]:
        """The user's own that :meth:`own` leaves out, for the app ships one of the name by now."""
        if not self.keeps_own:
            return ()
        shipped = self.shipped()
        return tuple(
            LeftOut(
                name=name,
                reason=f"the app now comes with its own {self.kind} of this name, and yours is hidden: it is "
                f"there again once its file {path} has another name",
            )
            for name, path in self._files(self.own_folder).items()
            if name in shipped
        )

    @property
    def own_folder(self) -> Path:
        """Where the app keeps the user's own; the folder need not be there."""
        return settings().cache / self.folder

    def find(self, name_or_path: str | Path) -> Path:
        """The shipped file of that name, else the user's own, else the file at that path.

        A name goes first; a file of the same name is reached with ``./name``.

        Raises:
            InputError: (the shelf's own kind) neither a name nor a readable kind of file.
        """
        if isinstance(name_or_path, str):
            for files in (self.shipped(), self.own()):
                if name_or_path in files:
                    return files[name_or_path]
        path = given_file(name_or_path, self.accepts)
        if path is None:
            names = self.names()
            more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
            yours = ", one of yours," if self.keeps_own else ""
            raise self.error(
                f"{shown(name_or_path)} is neither a shipped {self.kind}{yours} nor an existing "
                f"{' or '.join(self.accepts)} file: use {listed([*names[:MOST_NAMED], *more])}, or the path "
                "of such a file."
            )
        return path

    def require(self, name: str) -> str:
        """A name that a link gave, where the app ships a file of that name or the user has one.

        :meth:`find` takes paths, which a link must not: who opens it would read the files of the server.

        Raises:
            InputError: (the shelf's own kind) there is none of that name.
        """
        names = self.names()
        if name not in names:
            raise self.error(
                f"There is no {self.kind} named {shown(name)}: choose {listed(names[:MOST_NAMED])}."
            )
        return name

    def is_shipped(self, path: Path) -> bool:
        """Whether a path that :meth:`find` returned belongs to the shelf."""
        return path.parent == settings().assets / self.folder

    def _files(self, folder: Path) -> dict[str, Path]:
        """Name -> file, sorted by name, the calibration last; unsafe names are none of the app's."""
        found = [path for suffix in self.suffixes for path in folder.glob(f"*{suffix}")]
        found.sort(key=lambda path: (path.stem == LAST, path.stem, path.suffix))
        return {path.stem: path for path in found if NAME.fullmatch(path.stem)}


def given_file(path: str | Path, accepts: Collection[str]) -> Path | None:
    """The path if it is a file with one of these endings, else ``None``."""
    found = Path(path)
    try:
        return found if found.suffix.lower() in accepts and found.is_file() else None
    except (OSError, ValueError):  # a name too long for the file system, or one with a null byte
        return None


def name_of(path: Path) -> str:
    """A safe name made from a file's name: "Meine Liste.csv" gives "meine-liste"."""
    return safe_name(path.stem)


def safe_name(text: str) -> str:
    """A name for files and links made from a text: what is not a letter or digit of ASCII is a hyphen."""
    ascii_only = normal("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MAX_NAME].rstrip("-") or "own"


def label(path: Path) -> str:
    """A file's name as it stands in a sentence: what cannot be printed is a question mark."""
    return "".join(character if character.isprintable() else "?" for character in path.name)


def title_of(path: Path) -> str:
    """The title of a file that names none: its name without the ending."""
    return Path(label(path)).stem


def read_data(path: Path, error: type[InputError]) -> bytes:
    """The bytes of a file.

    Raises:
        error: over 32 MiB, or not readable.
    """
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):  # a pipe or device may never end
            raise OSError(errno.EINVAL, "it is not a file")
        if (size := found.st_size) > MAX_BYTES:
            raise error(f"{label(path)} has {size / 2**20:,.0f} MiB; at most {MAX_BYTES // 2**20} are read.")
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or "input/output error"
        raise error(
            f"{label(path)} cannot be read ({reason}): check that it is there and may be read."
        ) from problem


def read_text(path: Path, error: type[InputError]) -> str:
    """The text of a file, its byte order mark removed.

    Raises:
        error: over 32 MiB, not UTF-8, or not readable.
    """
    try:
        return read_data(path, error).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            f"{label(path)} is not UTF-8 text (byte {problem.start + 1:,}): save it with the encoding UTF-8."
        ) from problem


def read_toml(
    path: Path, allowed: Collection[str], error: type[InputError], *, foreign: Collection[str] = ()
) -> dict[str, Any]:
    """The top-level table of a TOML file.

    A file with a ``foreign`` key is one of another kind that may lie there: its table is empty.

    Raises:
        error: over 8 MiB, malformed, or with a key that is not ``allowed`` or has over eight parts.
    """
    text = read_text(path, error)
    if len(text) > MAX_TOML:
        raise error(
            f"{label(path)} has {len(text):,} characters; at most {MAX_TOML:,} are read of TOML: "
            "shorten it, or write it as JSON or CSV where they are taken."
        )
    if LONG_KEY.search(ASIDE.sub("s", text)):
        raise error(f"{label(path)} has a key of over eight parts with dots between: no key here has them.")
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # TOMLDecodeError is a ValueError; bad dates raise others
        reason = " ".join(str(problem).split()).rstrip(".")[:200]
        raise error(f"{label(path)} is not valid TOML ({reason}): correct it there.") from problem
    if set(table) & set(foreign):
        return {}
    _refuse_unknown(table, path, allowed, error)
    return table


def read_json(path: Path, allowed: Collection[str], error: type[InputError]) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises:
        error: malformed, a key twice in one object, no object, or with a key that is not ``allowed``.
    """
    table = read_json_value(path, error)
    if not isinstance(table, dict):
        raise error(f"{label(path)} holds {shown(table)}: write an object, with the keys in braces.")
    _refuse_unknown(table, path, allowed, error)
    return table


def read_json_value(path: Path, error: type[InputError]) -> object:
    """What a JSON file holds, of whatever kind.

    Raises:
        error: malformed, or a key twice in one object.
    """
    text = read_text(path, error)
    try:
        return json.loads(text, object_pairs_hook=_keys_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        # JSONDecodeError is a ValueError; long numbers raise others
        reason = " ".join(str(problem).split()).rstrip(".")[:200]
        raise error(f"{label(path)} is not valid JSON ({reason}): correct it there.") from problem


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = first_duplicate(key for key, _ in pairs)
    if twice is not None:  # the standard library would keep the last and drop the others silently
        raise ValueError(f"the key {shown(twice)} stands twice")
    return dict(pairs)


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _refuse_unknown(
    table: Mapping[str, Any], path: Path, allowed: Collection[str], error: type[InputError]
) -> None:
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        raise error(
            f"{label(path)} has the unknown key {shown(unknown[0])}: use only {listed(sorted(allowed))}."
        )


def read_table(
    path: Path,
    columns: Collection[str],
    optional: Collection[str],
    error: type[InputError],
    aliases: Mapping[str, str] = TERM_ALIASES,
) -> list[tuple[str, dict[str, str]]]:
    """The rows of a CSV file with a header line: (where, row), where naming file and line.

    ``columns`` must be there, ``optional`` may, in any order; empty lines are skipped.  ``aliases``: other
    names under which a column is read.

    Raises:
        error: other columns, a row of another length, a broken quotation mark, over 1,000,000 rows.
    """
    reader = csv.reader(io.StringIO(read_text(path, error), newline=""), strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    header: list[str] = []
    name = label(path)
    try:
        for cells in reader:
            where = f"{name}, line {reader.line_num}"
            if not cells:
                continue
            if not header:
                header = column_names(cells, path, columns, optional, error, aliases)
            elif len(cells) != len(header):
                raise error(
                    f"{where} has {len(cells)} cells where the header has {len(header)}: "
                    f"put a text that has a comma in quotation marks."
                )
            elif len(rows) == MAX_ROWS:
                raise error(f"{name} has over {MAX_ROWS:,} rows, the most that are read: cut it.")
            else:
                rows.append((where, dict(zip(header, cells, strict=True))))
    except csv.Error as problem:
        if "field larger than field limit" in str(problem):
            raise error(
                f"{name}, line {reader.line_num} has a cell of over {csv.field_size_limit():,} characters: "
                "shorten it, or close a quotation mark that was left open."
            ) from problem
        raise error(f"{name}, line {reader.line_num} is not valid CSV ({problem}).") from problem
    if not header:
        raise error(f"{name} is empty: its first line names the columns {listed(columns)}.")
    return rows


def column_names(
    cells: Collection[str],
    path: Path,
    columns: Collection[str],
    optional: Collection[str],
    error: type[InputError],
    aliases: Mapping[str, str],
) -> list[str]:
    """The columns of a table under the names the app knows, in their order.

    Raises:
        error: one of ``columns`` is missing, one is unknown, or one stands twice.
    """
    written = [cell.strip().lower() for cell in cells]
    header = [aliases.get(name, name) for name in written]
    names = set(header)
    if len(names) < len(header) or not set(columns) <= names <= {*columns, *optional}:
        also = f" and, if wanted, {listed(optional)}" if optional else ""
        raise error(
            f"{label(path)} has the columns {shown(', '.join(written))}: "
            f"its first line must name {listed(columns)}{also}, separated by commas."
        )
    return header
