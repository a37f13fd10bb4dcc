"""The models that an auditor is likely to name, with what their sources say of them.  A list, not a limit."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Literal

from pydantic import Field

from pcf_core.errors import ModelError
from pcf_core.records import Family, Record
from pcf_core.settings import settings

FILE_NAME = "models.toml"
BYTES_A_WEIGHT = {"float32": 4, "bfloat16": 2, "float16": 2}
Group = Literal["Papers", "GPT-2/Neo/NeoX", "Llama 2", "Chinese", "Current"]


class KnownModel(Record):
    """A model of the registry, as its ``source`` describes it.

    ``name`` is its hub id, ``architecture`` the class that its configuration names, ``parameters`` the number
    of weights as stated (often rounded), ``context`` the tokens it takes (0: no limit), ``language`` a code,
    or ``multi``.  ``gated``: the hub asks to accept terms first.  ``remote_code``: it needs code of its own
    repository.  ``verified``: ``twin`` where the exactness tests hold a tiny model of the architecture
    against a brute force, ``sources`` where the facts were only read.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.\-]*/[A-Za-z0-9][\w.\-]*$")
    title: str
    group: Group
    family: Family
    architecture: str
    parameters: int = Field(gt=0)
    context: int = Field(ge=0)
    language: str
    gated: bool = False
    remote_code: bool = False
    verified: Literal["twin", "sources"]
    source: str
    advice: str = ""

    def memory(self, dtype: str) -> int:
        """Bytes of the weights alone; activations and one batch come on top.

        Raises:
            KeyError: a dtype that models are not loaded in.
        """
        return self.parameters * BYTES_A_WEIGHT[dtype]


def known_models() -> tuple[KnownModel, ...]:
    """The registry ``assets/models.toml``, group after group; empty where the assets hold none.

    Raises:
        ModelError: the file is not what is shipped.
    """
    return _read(settings().assets / FILE_NAME)


def known_model(name: str) -> KnownModel | None:
    """The entry of a hub id."""
    return next((model for model in known_models() if model.name == name), None)


@lru_cache(maxsize=4)
def _read(path: Path) -> tuple[KnownModel, ...]:
    if not path.is_file():
        return ()
    try:
        tables = tomllib.loads(path.read_text(encoding="utf8"))["model"]
        return tuple(KnownModel.model_validate(table) for table in tables)
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = shorten(str(error), 200, placeholder=" …")
        raise ModelError(
            f"The registry {path} cannot be read ({reason}): restore the shipped file."
        ) from error
