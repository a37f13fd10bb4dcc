"""The shipped models whose truth is known: ``planted.json`` in a model's folder."""

from __future__ import annotations

from textwrap import shorten

from pcf_core.errors import ModelError
from pcf_core.records.calibration import Planted
from pcf_core.settings import settings

FILE_NAME = "planted.json"


def planted_models() -> tuple[Planted, ...]:
    """The truth of every calibration model in the assets, by name.

    Raises:
        ModelError: a file is not what is shipped.
    """
    found = []
    for path in sorted((settings().assets / "models").glob(f"*/{FILE_NAME}")):
        try:
            planted = Planted.model_validate_json(path.read_bytes())
            if planted.model != path.parent.name:
                raise ValueError(f"it speaks of {planted.model}")
        except (OSError, ValueError) as error:
            reason = shorten(str(error), 200, placeholder=" …")
            raise ModelError(
                f"The truth of the model {path.parent.name} in {path} cannot be read ({reason}): restore the "
                "shipped file."
            ) from error
        found.append(planted)
    return tuple(found)
