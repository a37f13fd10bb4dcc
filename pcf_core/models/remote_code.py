"""May a model run the code in its repository?  Only where the operator has named its hub id."""

from __future__ import annotations

import json
from pathlib import Path

from pcf_core.errors import ModelError
from pcf_core.models.names import split_name
from pcf_core.models.small_files import read_small
from pcf_core.records import ModelSpec
from pcf_core.settings import settings


def is_allowed(name: str) -> bool:
    """Whether the operator lists the hub id in a model's name; no directory ever is."""
    named = split_name(name)
    return named.is_hub_id and named.model in settings().remote_code


def require_allowed_code(spec: ModelSpec) -> None:
    """Refuse a model that needs code of its own, unless its hub id is listed in ``PCF_REMOTE_CODE``.

    Raises:
        ModelError: it is not listed, or it is a directory, whose code nobody has published.
    """
    if not spec.remote_code or is_allowed(spec.name):
        return
    named = split_name(spec.name)
    if named.is_hub_id:
        raise ModelError(
            f"The model {spec.name} runs code of its own repository, which is refused: let the operator read "
            f"it and add {named.model} to PCF_REMOTE_CODE, or serve the model elsewhere and score it as an "
            "endpoint."
        )
    raise ModelError(
        f"The model {spec.name} runs code of its own directory, which is never allowed: serve it elsewhere "
        "and score it as an endpoint."
    )


def require_own_code(folder: Path, name: str) -> None:
    """Refuse a model that takes its code from another repository, of which no revision is pinned.

    Raises:
        ModelError: an entry of ``auto_map`` names another repository (``other/repository--module.Class``), or
            the file that holds it cannot be read.
    """
    for file in ("config.json", "tokenizer_config.json"):
        path = folder / file
        try:
            mapped = json.loads(read_small(path)).get("auto_map") if path.is_file() else None
        except (ValueError, AttributeError, RecursionError) as error:
            raise ModelError(f"The file {file} of the model {name} is damaged; download it again.") from error
        if "--" in json.dumps(mapped):
            raise ModelError(
                f"The model {name} takes code from another repository (auto_map in {file}), of which no "
                "revision is pinned: serve the model elsewhere and score it as an endpoint."
            )
