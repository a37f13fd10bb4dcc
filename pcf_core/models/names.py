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
from typing import Literal, Self, cast

from pydantic import Field, ValidationError, model_validator

from pcf_core.core.errors import ModelError
from pcf_core.core.families import LOCAL_FAMILIES, Family
from pcf_core.core.records import Record, first_problem
from pcf_core.core.settings import settings

FIRST, OTHERS, LONGEST_NAME = "[A-Za-z0-9]", r"[\w.\-]", 96  # characters of a name
NAME = re.compile(f"{FIRST}{OTHERS}{{0,{LONGEST_NAME - 1}}}")
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
OPEN_SOURCE = ("Apache-2.0", "MIT")
Group = Literal[
    "Papers", "GPT-2/Neo/NeoX", "Llama 2", "Chinese", "Llama 3", "Qwen", "Gemma", "SmolLM2", "Current"
]


class KnownModel(Record):
    """A model of the registry, as its ``source`` describes it.

    ``name`` is its hub id, ``architecture`` the class that its configuration names, ``parameters`` the number
    of weights as stated (often rounded), ``context`` the tokens it takes (0: no limit), ``language`` a code,
    or ``multi``.  ``gated``: the hub asks to accept terms first.  ``remote_code``: it needs code of its own
    repository.  ``license``: its name, empty where it was not read; ``terms``: address of one that is not
    open source.  ``verified``: ``twin`` where the exactness tests hold a tiny model of the architecture
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
    license: str = ""
    terms: str = ""
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

    @model_validator(mode="after")
    def _terms_are_told(self) -> Self:
        if bool(self.terms) != bool(self.license and self.license not in OPEN_SOURCE):
            raise ValueError(
                f"{self.name}: terms must be the address of a license other than "
                f"{' and '.join(OPEN_SOURCE)}, and of no other; got license {self.license!r} and terms "
                f"{self.terms!r}"
            )
        return self


class AlignedPair(Record):
    """A base checkpoint and the one that its makers aligned from it, by hub id."""

    base: str
    aligned: str


class Series(Record):
    """Checkpoints that were published at one or more sizes, each as base and aligned, the smallest first."""

    name: str = Field(pattern=r"^[a-z][a-z0-9.-]*$")
    title: str = Field(min_length=1)
    pair: tuple[AlignedPair, ...] = Field(min_length=1)

    @property
    def models(self) -> tuple[str, ...]:
        """The hub ids, each base before its aligned one."""
        return tuple(name for pair in self.pair for name in (pair.base, pair.aligned))


class Registry(Record):
    """What ``assets/models.toml`` says."""

    model: tuple[KnownModel, ...]
    series: tuple[Series, ...] = ()

    @model_validator(mode="after")
    def _pairs_are_of_its_models(self) -> Self:
        sizes = {model.name: model.parameters for model in self.model}
        if len(sizes) < len(self.model):
            raise ValueError("a model is listed twice")
        if len({series.name for series in self.series}) < len(self.series):
            raise ValueError("two series have one name")
        paired = [name for series in self.series for name in series.models]
        for name in paired:
            if name not in sizes:
                raise ValueError(f"a series names {name}, which is no model of this file")
            if paired.count(name) > 1:
                raise ValueError(f"{name} is in two pairs")
        for series in self.series:
            for pair in series.pair:
                if sizes[pair.base] != sizes[pair.aligned]:
                    raise ValueError(
                        f"the series {series.name} pairs {pair.base} and {pair.aligned}, which must have "
                        f"as many parameters; got {sizes[pair.base]:,} and {sizes[pair.aligned]:,}"
                    )
            found = [sizes[pair.base] for pair in series.pair]
            if sorted(set(found)) != found:
                raise ValueError(f"the series {series.name} must have each size once, the smallest first")
        return self


def known_models() -> tuple[KnownModel, ...]:
    """Load the registry ``assets/models.toml``, group after group; empty where the assets hold none.

    Raises
    ------
    ModelError
        The file is not what is shipped.
    """
    return _read(settings().assets / KNOWN_FILE).model


def known_model(name: str) -> KnownModel | None:
    """Return the entry of a hub id."""
    return next((model for model in known_models() if model.name == name), None)


def all_series() -> tuple[Series, ...]:
    """List the series of base and aligned checkpoints, in the registry's order; raises as known_models."""
    return _read(settings().assets / KNOWN_FILE).series


@lru_cache(maxsize=4)
def _read(path: Path) -> Registry:
    if not path.is_file():
        return Registry(model=())
    try:
        return Registry.model_validate(tomllib.loads(path.read_text(encoding="utf8")))
    except (OSError, ValueError) as error:
        reason = _reason(error)
        raise ModelError(
            f"The registry {path} cannot be read ({reason}): restore the shipped file."
        ) from error


def _reason(error: OSError | ValueError) -> str:
    """Say in one line what is wrong with the registry, the first mistake of several."""
    if not isinstance(error, ValidationError):
        return shorten(str(error), 200, placeholder=" …")
    found = first_problem(error)
    said = found.said.removeprefix("Value error, ")
    return f"{found.where}: {said}" if found.where else said


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
