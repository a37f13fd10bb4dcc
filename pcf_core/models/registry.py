"""Which models there are: shipped, in the operator's folder, in a directory, on the hub.  No torch here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pcf_core.errors import ModelError
from pcf_core.models.folder import describe
from pcf_core.models.hub import resolve_hub
from pcf_core.records import LeftOut, ModelSpec
from pcf_core.settings import settings

NAME = re.compile(r"[A-Za-z0-9][\w.\-]{0,95}")
HUB_ID = re.compile(rf"{NAME.pattern}/{NAME.pattern}")


def list_models() -> tuple[ModelSpec, ...]:
    """The shipped models, then those in the operator's folder ``PCF_MODELS``, each in the order of names."""
    return tuple(entry for entry in _survey() if isinstance(entry, ModelSpec))


def left_out_models() -> tuple[LeftOut, ...]:
    """Directories among them that cannot be used, with the reason."""
    return tuple(entry for entry in _survey() if isinstance(entry, LeftOut))


def resolve(name_or_path: str) -> ModelSpec:
    """The model that a user means: a listed name, else a model directory, else a hub id ``org/name``.

    Raises:
        ModelError: there is none, or it is unsafe or unsupported.
    """
    for root in _roots():
        if NAME.fullmatch(name_or_path) and (root / name_or_path / "config.json").is_file():
            return describe(root / name_or_path, name_or_path)
    folder = _as_folder(name_or_path)
    if folder is not None:
        return describe(folder, str(folder))
    if HUB_ID.fullmatch(name_or_path) and ".." not in name_or_path:
        return resolve_hub(name_or_path)
    known = ", ".join(spec.name for spec in list_models()) or "none"
    raise ModelError(
        f"There is no model named {name_or_path!r}: known are {known}; or give a directory with a "
        "config.json, or a hub id such as openai-community/gpt2."
    )


def _roots() -> tuple[Path, ...]:
    shipped = settings().assets / "models"
    own = settings().models
    return (shipped,) if own is None else (shipped, own)


def _survey() -> Iterator[ModelSpec | LeftOut]:
    seen: set[str] = set()
    for root in _roots():
        for config in sorted(root.glob("*/config.json")):
            name = config.parent.name
            if not NAME.fullmatch(name):
                yield LeftOut(
                    name=name, reason="A model's name may hold letters, digits, '.', '_' and '-' only."
                )
            elif name in seen:
                yield LeftOut(
                    name=name, reason=f"Another model is named {name}; rename the folder {config.parent}."
                )
            else:
                seen.add(name)
                try:
                    yield describe(config.parent, name)
                except ModelError as error:
                    yield LeftOut(name=name, reason=str(error))


def _as_folder(text: str) -> Path | None:
    """The directory with a config.json that a text names, absolute; ``None`` where it names none."""
    if not text.strip() or "\0" in text:
        return None
    try:
        folder = Path(text).expanduser().resolve()
        return folder if (folder / "config.json").is_file() else None
    except (OSError, RuntimeError):  # a name too long for a path, an unknown ~user
        return None
