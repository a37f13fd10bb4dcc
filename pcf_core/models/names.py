"""Names of models, ``[family:]model[@revision]``, the registry of known models, and number types.

``model`` is a listed name, a directory, or a hub id ``org/name``.  ``family:`` says how to read a model whose
configuration does not, and ``@revision`` (branch, tag or commit) pins a hub model, so that resolving the name
in a :class:`~pcf_core.core.run.ModelSpec` gives the same model, read in the same way.  ``endpoint:NAME`` is a
model behind the operator's endpoint, ``inspect:openai/gpt-4o@2026-11-23`` one whose texts came in an Inspect
log.

A precision is part of every key, so it is chosen before anything is queued, in processes without torch; for
``auto`` the GPU driver's own program is asked.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import shorten
from typing import Literal, Self, TypeVar, cast

from pydantic import Field, ValidationError, model_validator

from pcf_core.core.errors import AuditError, ModelError
from pcf_core.core.families import LOCAL_FAMILIES, Family
from pcf_core.core.generation import INSPECTED
from pcf_core.core.records import Record, first_problem
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.material.safety.text import shown

T = TypeVar("T")

FIRST, OTHERS, LONGEST_NAME = "[A-Za-z0-9]", r"[\w.\-]", 96  # characters of a name
NAME = re.compile(f"{FIRST}{OTHERS}{{0,{LONGEST_NAME - 1}}}")
HUB_ID = re.compile(rf"{NAME.pattern}/{NAME.pattern}")
ENDPOINT = "endpoint:"  # before the name of a served model
REVISION = re.compile(r"\w[\w.\-]*(/\w[\w.\-]*)*")


@dataclass(frozen=True)
class ModelName:
    """The parts of a name."""

    model: str
    family: Family | None = None
    revision: str = ""

    @property
    def is_hub_id(self) -> bool:
        """Whether the name has the form ``org/name``."""
        return HUB_ID.fullmatch(self.model) is not None and ".." not in self.model

    @property
    def pinned(self) -> str:
        """The name without its family."""
        return f"{self.model}@{self.revision}" if self.revision else self.model


def split_name(text: str) -> ModelName:
    """Split a name; ``@`` begins a revision only after a hub id.  ModelError for an impossible one."""
    prefix, colon, rest = text.partition(":")
    family = cast(Family, prefix) if colon and prefix in LOCAL_FAMILIES else None
    model = rest if family else text
    hub_id, at, revision = model.partition("@")
    if not at or not HUB_ID.fullmatch(hub_id):
        return ModelName(model, family)
    if len(revision) > 128 or ".." in revision or not REVISION.fullmatch(revision):
        raise ModelError(f"{revision!r} after {hub_id}@ is not a revision: give a branch, a tag or a commit.")
    return ModelName(hub_id, family, revision)


# Models whose texts came in Inspect logs, named by the provider's name and the day, since the weights behind
# a name may change.  Texts of one model, day and decoding are one request, whatever their log.


PROVIDED = re.compile(r"[\w.:+~-]+(/[\w.@:+~-]+){1,8}", re.ASCII)  # nothing that could be markup
LONGEST = 200  # characters of a provider's model name
DATED = re.compile(r"(.+)@(\d{4}-\d\d-\d\d)", re.ASCII)


def is_provided(model: str) -> bool:
    """Tell whether a text may be a provider's name of a model, as in Inspect."""
    return len(model) <= LONGEST and PROVIDED.fullmatch(model) is not None


def inspected_name(model: str, day: str) -> str:
    """Return the name of a provider's model on a day, such as 2026-11-23."""
    return f"{INSPECTED}{model}@{day}"


def split_inspected(name: str) -> tuple[str, str]:
    """Split such a name into the provider's name of the model and the day."""
    parts = DATED.fullmatch(name.removeprefix(INSPECTED))
    if parts is None or not is_provided(parts[1]):
        raise ModelError(
            f"{shown(name)} is not a model of an Inspect log: write {INSPECTED}provider/model@day, as import "
            "shows it."
        )
    return parts[1], parts[2]


def refuse_asking(name: str) -> None:
    """Raise ModelError for a model whose texts came in a log."""
    if name.startswith(INSPECTED):
        raise ModelError(
            f"The texts of {shown(name)} were imported from an Inspect log, which does not have the texts of "
            "this request: run the task with these settings, and import its log."
        )


# The models that an auditor is likely to name: a list, not a limit.


KNOWN_FILE = "models.toml"
BYTES_A_WEIGHT = {"float32": 4, "bfloat16": 2, "float16": 2}
OPEN_SOURCE = ("Apache-2.0", "MIT")
Group = Literal[
    "Papers", "GPT-2/Neo/NeoX", "Llama 2", "Chinese", "Llama 3", "Qwen", "Gemma", "SmolLM2", "Current"
]


class KnownModel(Record):
    """A model of the registry, as its ``source`` describes it.

    ``name``: its hub id; ``architecture``: the class in its configuration; ``parameters``: as stated (often
    rounded); ``context``: tokens, 0 for no limit; ``language``: a code, or ``multi``.  ``license``: empty if
    unknown; ``terms``: address of one that is not open source.  ``verified``: ``twin`` if exactness tests
    compare a tiny model of the architecture with a brute force.
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
        """Return the bytes of the weights alone."""
        return self.parameters * BYTES_A_WEIGHT[dtype]

    @model_validator(mode="after")
    def _has_terms(self) -> Self:
        if bool(self.terms) != bool(self.license and self.license not in OPEN_SOURCE):
            raise ValueError(
                f"{self.name}: terms must be the address of a license if the license is not "
                f"{' or '.join(OPEN_SOURCE)}, and empty if it is; got license {self.license!r} and terms "
                f"{self.terms!r}"
            )
        return self


class AlignedPair(Record):
    """A base checkpoint and the one aligned from it, by hub id."""

    base: str
    aligned: str


class Series(Record):
    """Checkpoints of one or more sizes, smallest first, each as base and aligned."""

    name: str = Field(pattern=r"^[a-z][a-z0-9.-]*$")
    title: str = Field(min_length=1)
    pair: tuple[AlignedPair, ...] = Field(min_length=1)

    @property
    def models(self) -> tuple[str, ...]:
        """The hub ids, each base before its aligned one."""
        return tuple(name for pair in self.pair for name in (pair.base, pair.aligned))


class Registry(Record):
    """The contents of ``assets/models.toml``."""

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
                raise ValueError(f"a series has {name}, which is not a model of this file")
            if paired.count(name) > 1:
                raise ValueError(f"{name} is in two pairs")
        for series in self.series:
            for pair in series.pair:
                if sizes[pair.base] != sizes[pair.aligned]:
                    raise ValueError(
                        f"the series {series.name} pairs {pair.base} and {pair.aligned}, which must have the "
                        f"same number of parameters; got {sizes[pair.base]:,} and {sizes[pair.aligned]:,}"
                    )
            given = [sizes[pair.base] for pair in series.pair]
            if sorted(set(given)) != given:
                raise ValueError(f"the series {series.name} must have each size once, smallest first")
        return self


def known_models() -> tuple[KnownModel, ...]:
    """Load the registry ``assets/models.toml``, empty without it; ModelError if it is damaged."""
    return _read(settings().assets / KNOWN_FILE).model


def known_model(name: str) -> KnownModel | None:
    """Return the entry of a hub id."""
    return next((model for model in known_models() if model.name == name), None)


def all_series() -> tuple[Series, ...]:
    """List the series of base and aligned checkpoints; raises as known_models."""
    return _read(settings().assets / KNOWN_FILE).series


@lru_cache(maxsize=4)
def _read(path: Path) -> Registry:
    def parse(data: bytes) -> Registry:
        try:
            return Registry.model_validate(tomllib.loads(data.decode()))
        except ValidationError as error:
            problem = first_problem(error)
            mistake = problem.said.removeprefix("Value error, ")
            raise ValueError(f"{problem.where}: {mistake}" if problem.where else mistake) from error

    return read_shipped(path, parse, f"The registry {path}") if path.is_file() else Registry(model=())


def read_shipped(
    path: Path,
    parse: Callable[[bytes], T],
    subject: str,
    error: type[AuditError] = ModelError,
    remedy: str = "restore the shipped file",
) -> T:
    """Read a file of the assets; an error has ``subject``, reason and ``remedy``."""
    try:
        return parse(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError) as problem:
        reason = shorten(str(problem), 200, placeholder=" …")
        raise error(f"{subject} cannot be read ({reason}): {remedy}.") from problem


# The operator's patterns of allowed models.


def is_model_allowed(name: str) -> bool:
    """Tell whether a model may be used.

    A pattern (``mini-*``, ``org/*``, ``endpoint:*``, ``/data/models/*``) must fit the name without family and
    revision.
    """
    patterns, model = settings().allowed_models, split_name(name).model
    return not patterns or any(_fits(model, pattern) for pattern in patterns)


def _fits(model: str, pattern: str) -> bool:
    """Tell whether a name fits a pattern, whose star stands for no ``/`` (except in served names).

    Otherwise ``mini-*`` would allow an organisation named mini-x.
    """
    served = model.startswith(ENDPOINT) and pattern.startswith(ENDPOINT)
    return (
        ".." not in model.split("/")
        and (served or model.count("/") == pattern.count("/"))
        and fnmatchcase(model, pattern)
    )


def require_allowed(name: str) -> None:
    """Raise ModelError for a model that the operator's patterns do not allow."""
    if not is_model_allowed(name):
        raise ModelError(
            f"The model {name} may not be used here: choose one that is allowed "
            f"({', '.join(settings().allowed_models)}, set by PCF_ALLOWED_MODELS)."
        )


AUTO = "auto"
DTYPES = tuple(BYTES_A_WEIGHT)
PRECISIONS = (AUTO, *DTYPES)
# The least compute capability of NVIDIA's hardware for a type.
LEAST_CAPABILITY = {"float32": 0.0, "float16": 5.3, "bfloat16": 8.0}
PROBE = ("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
PATIENCE = 20  # seconds; a sleeping driver takes a few


def in_precision(spec: ModelSpec, precision: str) -> ModelSpec:
    """Return a model in a precision; one behind an endpoint is unchanged.  Raises as precisions_of."""
    return precisions_of(spec, precision)[0]


def precisions_of(spec: ModelSpec, precision: str) -> tuple[ModelSpec, ...]:
    """Return a model in the precisions that ``precision`` may mean, first the one to score in.

    ``auto`` means any precision when results are looked up, so that those from other machines are shown.
    Raises KeyError for one that is not in ``PRECISIONS``.
    """
    if precision not in PRECISIONS:
        raise KeyError(precision)
    first = automatic(spec.own_dtype, capability(settings())) if precision == AUTO else precision
    dtypes = (first, *DTYPES) if precision == AUTO else (first,)
    return tuple(dict.fromkeys(spec.with_dtype(dtype) for dtype in dtypes))


def named(dtype: str) -> str:
    """Return the precision of a key's dtype: ``auto`` if the server decides."""
    return dtype if dtype in DTYPES else AUTO


def automatic(own: str, capability: float | None) -> str:
    """Return the precision of ``auto``: the model's ``own`` if the GPUs support it, else float32."""
    able = capability is not None and capability >= LEAST_CAPABILITY.get(own, float("inf"))
    return own if able else "float32"


def capability(chosen: Settings) -> float | None:
    """Return the least compute capability of the GPUs that a worker here uses, ``None`` for none.

    Only NVIDIA's are known: on Apple's, and on a cluster (PCF_ENGINE), ``auto`` is float32.
    """
    if chosen.engine == "ray" or chosen.device in ("cpu", "mps"):
        return None
    return _capability()


@cache
def _capability() -> float | None:
    try:
        if version("torch").endswith("+cpu"):
            return None
        answer = subprocess.run(PROBE, capture_output=True, text=True, timeout=PATIENCE, check=True)
        return min(float(line) for line in answer.stdout.split())
    except (PackageNotFoundError, OSError, subprocess.SubprocessError, ValueError):  # no driver, no answer
        return None


def free_memory(device: str) -> float:
    """Return the bytes free on a CUDA device, or in the machine; 0 if unknown."""
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return float(torch.cuda.mem_get_info(device)[0])
    if "SC_AVPHYS_PAGES" not in os.sysconf_names:
        return 0.0
    return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
