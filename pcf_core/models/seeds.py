"""What is known of a model trained again with other seeds: ``seeds.json`` in its folder."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

from pydantic import ValidationError

from pcf_core.errors import ModelError
from pcf_core.records import ModelSpec
from pcf_core.records.seeds import Seeds

FILE_NAME = "seeds.json"


def seeds_of(spec: ModelSpec) -> Seeds | None:
    """The measured risks of the model's seeds; ``None`` where it was trained once, or is not at hand.

    Raises:
        ModelError: the file is not what is shipped, or was measured for other weights.
    """
    path = Path(spec.path) / FILE_NAME
    if not spec.path or not path.is_file():
        return None
    try:
        found = Seeds.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        reason = shorten(str(error), 200, placeholder=" …")
        raise ModelError(
            f"The file {FILE_NAME} of the model {spec.name} cannot be read ({reason}): restore the shipped "
            "file, or remove it."
        ) from error
    if found.identity != spec.identity:
        raise ModelError(
            f"The file {FILE_NAME} of the model {spec.name} was measured for {found.model} with other "
            f"weights or another configuration ({found.identity[:12]}, not {spec.identity[:12]}): remove it, "
            "or measure again with python -m tools.measure_seeds."
        )
    return found
