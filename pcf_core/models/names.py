"""Names of models: ``[family:]model[@revision]``.

``model`` is a listed name, a directory, or a hub id ``org/name``.  ``family:`` says how to read a model whose
configuration leaves it open, and ``@revision`` (a branch, a tag or a commit) pins a hub model.  A name in a
:class:`~pcf_core.core.run.ModelSpec` keeps everything that the model's files do not say: resolving it gives
the same model, read in the same way.

``endpoint:NAME`` is a model behind the operator's endpoint, and ``inspect:openai/gpt-4o@2026-11-23`` one
whose texts came in a log of Inspect.

Also the models that an auditor is likely to name, with what their sources say of them (a list, not a limit),
and which models may be used at all, where the operator lists patterns.

The number type that a model computes with: chosen by name, or by the model's own and this machine's GPUs.

A precision is part of every key, so it is chosen before anything is queued, by processes that never load
torch.  For ``auto`` the program that comes with the GPUs' driver says what they can do.
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
ENDPOINT = "endpoint:"  # before the name that the operator's endpoint serves a model under
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
        raise ModelError(f"{revision!r} after {hub_id}@ is not a revision: give a branch, a tag or a commit.")
    return ModelName(hub_id, family, revision)


# Models whose texts came in logs of Inspect.  The name holds all that is known of one: the provider's name of
# the model, and the day on which it was asked, since the weights behind a provider's name may change.  Texts
# of one model, day and decoding are one request, whichever log they came in.


PROVIDED = re.compile(r"[\w.:+~-]+(/[\w.@:+~-]+){1,8}", re.ASCII)  # no sign that could be taken for markup
LONGEST = 200  # characters of a provider's name of a model
DATED = re.compile(r"(.+)@(\d{4}-\d\d-\d\d)", re.ASCII)


def is_provided(model: str) -> bool:
    """Tell whether a text may be a provider's name of a model, as Inspect writes it."""
    return len(model) <= LONGEST and PROVIDED.fullmatch(model) is not None


def inspected_name(model: str, day: str) -> str:
    """Return the name of a provider's model as it was on a day, such as 2026-11-23."""
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
    """Raise ModelError for a model whose texts came in a log: nobody here can reach it."""
    if name.startswith(INSPECTED):
        raise ModelError(
            f"The texts of {shown(name)} were imported from an Inspect log, which does not have the texts of "
            "this request: run the task with these settings, and import its log."
        )


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
        """Return the bytes of the weights alone; activations and one batch come on top."""
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
    """Load the registry ``assets/models.toml``, group after group; empty where the assets hold none.

    Raises
    ------
    ModelError
        The file is damaged.
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
    """Read a file of the assets; one that cannot be read is refused by ``subject``, reason and ``remedy``."""
    try:
        return parse(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError) as problem:
        reason = shorten(str(problem), 200, placeholder=" …")
        raise error(f"{subject} cannot be read ({reason}): {remedy}.") from problem


# Which models may be used: if the operator lists patterns, those that fit one of them.


ENDPOINT = "endpoint:"


def is_model_allowed(name: str) -> bool:
    """Tell whether a model may be used.

    A pattern (``mini-*``, ``org/*``, ``endpoint:*``, ``/data/models/*``) has to fit the whole name without
    family and revision.
    """
    patterns, model = settings().allowed_models, split_name(name).model
    return not patterns or any(_fits(model, pattern) for pattern in patterns)


def _fits(model: str, pattern: str) -> bool:
    """Tell whether a name fits a pattern, whose star stands for no ``/``.

    Otherwise ``mini-*`` would allow an organisation named mini-x.  The names that an endpoint serves are the
    operator's own, so they may hold any sign.
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
# The least compute capability of NVIDIA's hardware that computes with a type.
LEAST_CAPABILITY = {"float32": 0.0, "float16": 5.3, "bfloat16": 8.0}
PROBE = ("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
PATIENCE = 20  # seconds; a driver that was asleep takes a few


def in_precision(spec: ModelSpec, precision: str) -> ModelSpec:
    """Return a model in a precision; one behind an endpoint stays as it is.  Raises as precisions_of."""
    return precisions_of(spec, precision)[0]


def precisions_of(spec: ModelSpec, precision: str) -> tuple[ModelSpec, ...]:
    """Return a model in the precisions that ``precision`` may mean; it would be scored in the first.

    ``auto`` means any precision when results are looked up: those that come with the app, or from a machine
    with another GPU, are shown on every machine.

    Raises
    ------
    KeyError
        ``precision`` is none of ``PRECISIONS``.
    """
    if precision not in PRECISIONS:
        raise KeyError(precision)
    first = automatic(spec.own_dtype, capability(settings())) if precision == AUTO else precision
    dtypes = (first, *DTYPES) if precision == AUTO else (first,)
    return tuple(dict.fromkeys(spec.with_dtype(dtype) for dtype in dtypes))


def named(dtype: str) -> str:
    """Return the precision that leads to a key's dtype: ``auto`` if the server alone decides."""
    return dtype if dtype in DTYPES else AUTO


def automatic(own: str, capability: float | None) -> str:
    """Return the precision of ``auto``: the model's own on a GPU that has it, else float32.

    ``own``: by the configuration; ``capability``: the least compute capability of the GPUs, if there are any.
    """
    able = capability is not None and capability >= LEAST_CAPABILITY.get(own, float("inf"))
    return own if able else "float32"


def capability(chosen: Settings) -> float | None:
    """Return the least compute capability of the GPUs that a worker of this machine uses, ``None`` for none.

    NVIDIA's alone are known: on Apple's, and where PCF_ENGINE scores on a cluster, ``auto`` is float32.
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
    except (PackageNotFoundError, OSError, subprocess.SubprocessError, ValueError):  # no driver, or no answer
        return None


def free_memory(device: str) -> float:
    """Return the bytes free on a CUDA device, or in the machine; 0 where the system does not say."""
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return float(torch.cuda.mem_get_info(device)[0])
    if "SC_AVPHYS_PAGES" not in os.sysconf_names:
        return 0.0
    return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
