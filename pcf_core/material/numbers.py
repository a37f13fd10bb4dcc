"""What each number can and cannot support, and how often its interval holds: ``assets/numbers.toml``.

The figures are stored there once, each with the command that gave it; the page *Method* has them in a table.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Annotated

from pydantic import Field, model_validator

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record
from pcf_core.core.settings import settings

Share = Annotated[int, Field(ge=0, le=100)]
Shares = Annotated[tuple[Share, ...], Field(max_length=2)]


class Source(Record):
    """Where figures come from: a ``file`` of this project, and the ``command`` that prints or checks them."""

    file: str
    command: str


class Check(Record):
    """How often something held in simulations, of 100.

    ``of``: what was simulated, the end of a sentence.  ``held``: 95 % intervals that held the truth, from the
    fewest to the most; one number alone is the fewest that the source allows.  ``wrong``: verdicts that were
    wrong, in the same way, one number alone the most that it allows.  Either is given.
    """

    of: str
    held: Shares = ()
    wrong: Shares = ()
    source: str

    @model_validator(mode="after")
    def _is_one(self) -> Check:
        shares = self.held or self.wrong
        if bool(self.held) == bool(self.wrong) or list(shares) != sorted(shares):
            raise ValueError(f"held {self.held}, wrong {self.wrong} of {self.of}")
        return self


class Supported(Record):
    """One number: what it ``supports``, what it ``cannot``, and the ``checks`` of its interval or verdict."""

    name: str
    supports: str
    cannot: str
    checks: tuple[Check, ...]


class Numbers(Record):
    """All of them; ``source``: by the name that checks give."""

    source: dict[str, Source]
    number: tuple[Supported, ...]

    @model_validator(mode="after")
    def _are_known(self) -> Numbers:
        named = {check.source for one in self.number for check in one.checks}
        if named != {*self.source} or len({one.name for one in self.number}) < len(self.number):
            raise ValueError(f"sources {sorted(named)} are named, {sorted(self.source)} given")
        return self


def load_numbers() -> Numbers:
    """Load the shipped table.

    Raises
    ------
    SettingsError
        The shipped file is damaged.
    """
    return _loaded(settings().assets / "numbers.toml")


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Numbers:
    try:
        return Numbers.model_validate(tomllib.loads(path.read_text(encoding="utf8")))
    except (OSError, ValueError) as error:
        reason = shorten(str(error), 200, placeholder=" …")
        raise SettingsError(
            f"The table of numbers {path} cannot be read ({reason}): restore the shipped file."
        ) from error
