"""What a model's name says: ``[family:]model[@revision]``.

``model`` is a listed name, a directory, or a hub id ``org/name``.  ``family:`` answers how a model is to be
read whose configuration leaves it open, and ``@revision`` (a branch, a tag or a commit) pins a hub model.  A
name in a :class:`~pcf_core.core.run.ModelSpec` keeps what cannot be found out from the model again: resolving
it gives the same model, and a scoring key holds one model read in one way.

Also the models that an auditor is likely to name, with what their sources say of them (a list, not a limit),
and which models may be asked anything, where the operator lists patterns.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Literal, cast

from pydantic import Field

from pcf_core.core.errors import ModelError
from pcf_core.core.families import LOCAL_FAMILIES, Family
from pcf_core.core.records import Record
from pcf_core.core.settings import settings

NAME = re.compile(r"[A-Za-z0-9][\w.\-]{0,95}")
HUB_ID = re.compile(rf"{NAME.pattern}/{NAME.pattern}")
REVISION = re.compile(r"\w[\w.\-]*(/\w[\w.\-]*)*")


@dataclass(frozen=True)
class ModelName:
    """A name in its parts: ``family`` is ``None`` and ``revision`` empty where the name says nothing."""

    model: str
    family: Family | None = None
    revision: str = ""

    @property
    def is_hub_id(self) -> bool:
        """Whether the name has the form of a hub id, ``org/name``."""
        return HUB_ID.fullmatch(self.model) is not None and ".." not in self.model

    @property
    def pinned(self) -> str:
        """The name without its family."""
        return f"{self.model}@{self.revision}" if self.revision else self.model


def split_name(text: str) -> ModelName:
    """Split a name into its parts; an ``@`` belongs to a revision only behind a hub id.

    Raises
    ------
    ModelError
        A revision of a hub id that cannot be one.
    """
    prefix, colon, rest = text.partition(":")
    family = cast(Family, prefix) if colon and prefix in LOCAL_FAMILIES else None
    model = rest if family else text
    hub_id, at, revision = model.partition("@")
    if not at or not HUB_ID.fullmatch(hub_id):
        return ModelName(model, family)
    if len(revision) > 128 or ".." in revision or not REVISION.fullmatch(revision):
        raise ModelError(
            f"{revision!r} behind {hub_id}@ cannot be a revision: give a branch, a tag or a commit."
        )
    return ModelName(hub_id, family, revision)


# The models that an auditor is likely to name, with what their sources say of them.  A list, not a limit.


KNOWN_FILE = "models.toml"
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
        """Return the bytes of the weights alone; activations and one batch come on top.

        Raises
        ------
        KeyError
            A dtype that models are not loaded in.
        """
        return self.parameters * BYTES_A_WEIGHT[dtype]


def known_models() -> tuple[KnownModel, ...]:
    """Load the registry ``assets/models.toml``, group after group; empty where the assets hold none.

    Raises
    ------
    ModelError
        The file is not what is shipped.
    """
    return _read(settings().assets / KNOWN_FILE)


def known_model(name: str) -> KnownModel | None:
    """Return the entry of a hub id."""
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


# Which models may be asked anything: where the operator lists patterns, those that one of them fits.


ENDPOINT = "endpoint:"


def is_model_allowed(name: str) -> bool:
    """Tell whether a model may be asked.

    A pattern (``mini-*``, ``org/*``, ``endpoint:*``, ``/data/models/*``) has to fit the whole name without
    family and revision.
    """
    patterns, model = settings().allowed_models, split_name(name).model
    return not patterns or any(_fits(model, pattern) for pattern in patterns)


def _fits(model: str, pattern: str) -> bool:
    """Tell whether a name fits a pattern, whose star stands for no ``/``.

    An organisation named mini-x would else be on the list of ``mini-*``.

    The names that an endpoint serves are the operator's own, whatever is in them.
    """
    served = model.startswith(ENDPOINT) and pattern.startswith(ENDPOINT)
    return (
        ".." not in model.split("/")
        and (served or model.count("/") == pattern.count("/"))
        and fnmatchcase(model, pattern)
    )


def require_allowed(name: str) -> None:
    """Refuse a model that is not on the operator's list.

    Raises
    ------
    ModelError
        It is not.
    """
    if not is_model_allowed(name):
        raise ModelError(
            f"The model {name} may not be asked here: allowed are {', '.join(settings().allowed_models)} "
            "(PCF_ALLOWED_MODELS)."
        )
