"""The ready comparisons of the shipped models: ``assets/presets.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from textwrap import shorten

from pcf_core.errors import SettingsError
from pcf_core.models.registry import list_models
from pcf_core.records.presets import Preset
from pcf_core.settings import settings

FILE_NAME = "presets.toml"


def written_presets() -> tuple[Preset, ...]:
    """All that the file holds, in its order; empty where the assets have no such file.

    Raises:
        SettingsError: the file is not what is shipped.
    """
    return _read(settings().assets / FILE_NAME)


def presets() -> tuple[Preset, ...]:
    """Those of which every model is known, in the order of the file; raises as :func:`written_presets`."""
    written = written_presets()
    known = {spec.name for spec in list_models()} if written else set()
    return tuple(preset for preset in written if known.issuperset(preset.models))


def preset_of(models: Collection[str]) -> Preset | None:
    """The one of :func:`presets` that has just these models, in any order."""
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
