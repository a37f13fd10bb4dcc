"""The ready comparisons of the shipped models: ``assets/presets.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from textwrap import shorten

from pcf_core.errors import SettingsError
from pcf_core.records.presets import Preset
from pcf_core.settings import settings

FILE_NAME = "presets.toml"


def presets() -> tuple[Preset, ...]:
    """All of them, in the order of the file; empty where the assets hold none.

    Raises:
        SettingsError: the file is not what is shipped.
    """
    return _read(settings().assets / FILE_NAME)


def preset_of(models: Collection[str]) -> Preset | None:
    """The one that has just these models, in any order."""
    return next((preset for preset in presets() if set(preset.models) == set(models)), None)


@lru_cache(maxsize=4)
def _read(path: Path) -> tuple[Preset, ...]:
    if not path.is_file():
        return ()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf8"))["preset"]
        found = tuple(Preset.model_validate(table) for table in tables)
        if len({preset.name for preset in found}) < len(found):
            raise ValueError("two presets have one name")
        if len({frozenset(preset.models) for preset in found}) < len(found):
            raise ValueError("two presets have the same models")
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = shorten(str(error), 200, placeholder=" …")
        raise SettingsError(
            f"The ready comparisons {path} cannot be read ({reason}): restore the shipped file."
        ) from error
    return found
