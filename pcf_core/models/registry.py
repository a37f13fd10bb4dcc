"""Which models there are: shipped, the operator's, in a directory, on the hub, behind an endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pcf_core.errors import ModelError
from pcf_core.models.allowed import require_allowed
from pcf_core.models.endpoint import (
    PREFIX,
    resolve_endpoint,
    resolve_writer_endpoint,
    survey_endpoint,
)
from pcf_core.models.folder import describe
from pcf_core.models.hub import resolve_hub
from pcf_core.models.known import known_models
from pcf_core.models.names import NAME, split_name
from pcf_core.models.remote_code import require_allowed_code
from pcf_core.records import LeftOut, ModelSpec
from pcf_core.settings import settings


def list_models() -> tuple[ModelSpec, ...]:
    """The shipped models, those in the operator's folder ``PCF_MODELS``, then those behind the endpoint, each
    in the order of names.
    """
    return tuple(entry for entry in _survey() if isinstance(entry, ModelSpec))


def left_out_models() -> tuple[LeftOut, ...]:
    """Those among them that cannot be used, with the reason."""
    return tuple(entry for entry in _survey() if isinstance(entry, LeftOut))


def resolve(name_or_path: str) -> ModelSpec:
    """The model that a user means: ``endpoint:SERVED-NAME``, else a listed name, a directory, a hub id.

    Each but the first may carry a family in front, a hub id a revision behind: ``masked:org/name@revision``.

    Raises:
        ModelError: there is none, it is unsafe or unsupported, or its family has to be chosen.
    """
    if name_or_path.startswith(PREFIX):
        return resolve_endpoint(name_or_path)
    named = split_name(name_or_path)
    for root in _roots():
        if NAME.fullmatch(named.model) and (root / named.model / "config.json").is_file():
            return describe(root / named.model, named.model, asked=named.family)
    folder = _as_folder(named.pinned)
    if folder is not None:
        return describe(folder, str(folder), asked=named.family)
    if named.is_hub_id:
        return resolve_hub(named)
    meant = [model.name for model in known_models() if model.name.split("/")[1] == named.model]
    if meant:
        raise ModelError(f"There is no model named {name_or_path!r} here: its name on the hub is {meant[0]}.")
    known = ", ".join(spec.name for spec in list_models()) or "none"
    raise ModelError(
        f"There is no model named {name_or_path!r}: known are {known}; or give a directory with a "
        "config.json, or a hub id such as openai-community/gpt2."
    )


def resolve_to_score(name_or_path: str) -> ModelSpec:
    """As :func:`resolve`, for a model that is about to be scored: what loading would refuse is refused now.

    Raises:
        ModelError: as ``resolve``; a model that may not be asked, or whose own code may not run here.
    """
    spec = resolve(name_or_path)
    require_allowed(spec.name)
    require_allowed_code(spec)
    return spec


def resolve_writer(name_or_path: str, chat: bool = False) -> ModelSpec:
    """As :func:`resolve`, for a model that is to write texts.

    Behind an endpoint, whose server need not tell log-probabilities then, ``chat`` makes a user's message of
    a prompt; a local model does so if its tokenizer has a template, whatever is asked for.

    Raises:
        ModelError: as ``resolve_to_score``.
    """
    if name_or_path.startswith(PREFIX):
        require_allowed(name_or_path)
        return resolve_writer_endpoint(name_or_path, chat)
    return resolve_to_score(name_or_path)


def _roots() -> tuple[Path, ...]:
    shipped = settings().assets / "models"
    own = settings().models
    return (shipped,) if own is None else (shipped, own)


def _survey() -> Iterator[ModelSpec | LeftOut]:
    seen: set[str] = set()
    for root in _roots():
        if root == settings().models and not root.is_dir():
            yield LeftOut(name=str(root), reason="There is no such folder: PCF_MODELS names it.")
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
    yield from survey_endpoint()


def _as_folder(text: str) -> Path | None:
    """The directory with a config.json that a text names, absolute; ``None`` where it names none.

    Raises:
        ModelError: its name is no text.
    """
    if not text.strip() or "\0" in text:
        return None
    try:
        folder = Path(text).expanduser().resolve()
        if not (folder / "config.json").is_file():
            return None
        str(folder).encode()
    except UnicodeEncodeError as error:
        raise ModelError(
            f"The name of the folder {str(folder)!r} is not UTF-8, which keys are made of; rename it."
        ) from error
    except (OSError, RuntimeError):  # a name too long for a path, an unknown ~user
        return None
    return folder
