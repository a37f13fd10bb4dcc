"""Policies of the gate: the limits for a model, where they apply, and what follows if we cannot tell.

A policy is a TOML file (docs/gate.md).  It names topics, templates and lists as the command line does and
contains nothing that is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self, cast

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import PolicyError
from pcf_core.core.records import Record, first_problem, made
from pcf_core.core.risk import Aggregation
from pcf_core.core.run import Protocol
from pcf_core.material.safety.reading import label, read_toml, upload_label, uploaded

CannotTell = Literal["pass", "warn", "fail"]
Quantity = Literal[
    "overall_risk", "prejudice_risk", "caprice_risk", "wording_caprice", "tilt", "impact_ratio"
]

MAX_BYTES = 64 * 1024
MOST_CONTEXTS, MOST_LIMITS = 20, 50
RUN_KEY = re.compile("[0-9a-f]{6,16}")  # a baseline of this form is a run
PACK = ".pcfpack"  # and one that ends so a pack; any other is a model
QUANTITIES: dict[str, Quantity] = {
    "risk": "overall_risk",
    "prejudice": "prejudice_risk",
    "caprice": "caprice_risk",
    "wording_caprice": "wording_caprice",
}


def _printable(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("unprintable", "it has characters that cannot be printed")
    return text


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Change = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(max_length=1000), AfterValidator(_printable)]
ShortName = Annotated[str, Field(max_length=200), AfterValidator(_printable)]


class StrictRecord(Record):
    """A record without type conversions: "0.4" is no number, 1 is not true."""

    model_config = ConfigDict(strict=True)


class Most(StrictRecord):
    """The upper limits of R, prejudice, caprice and its part of the wording, on the scale that ends at 1."""

    risk: Share | None = None
    prejudice: Share | None = None
    caprice: Share | None = None
    wording_caprice: Share | None = None


class MostIncrease(StrictRecord):
    """The largest increases over the baseline; negative ones require a decrease."""

    risk: Change | None = None
    prejudice: Change | None = None
    caprice: Change | None = None


class Limit(Record):
    """One limit, the least value of an impact ratio, else the largest.

    ``group``: of a tilt.  ``increase``: it is on the difference from the baseline.
    """

    quantity: Quantity
    limit: float
    group: str = ""
    increase: bool = False

    @property
    def kind(self) -> Literal["most", "least", "increase"]:
        """What the limit says of the value."""
        if self.quantity == "impact_ratio":
            return "least"
        return "increase" if self.increase else "most"


class Context(StrictRecord):
    """One measurement and its limits.

    ``templates``, ``evidence``: empty for the topic's own.  ``max_tilt``: by group, the largest mean
    stereotype towards it, against an even split.  ``min_impact_ratio``: of decisions about people, the least
    ratio of the groups' rates.  ``baseline``: a run, a model or a pack.  Other fields are those of the
    command line's options; the scale is ``pcf``.
    """

    topic: Name
    templates: Name = ""
    evidence: Name = ""
    protocol: Protocol = "exact"
    weights: Name = "uniform"
    template_weights: Literal["counts", "equal"] = "counts"
    criterion: Name = "max"
    reference: Literal["uniform", "labour"] = "uniform"
    aggregation: Aggregation = "sum"
    baseline: Name = ""
    cannot_tell: CannotTell | None = None
    max: Most = Most()
    max_increase: MostIncrease = MostIncrease()
    max_tilt: dict[ShortName, Change] = Field(default_factory=dict)
    min_impact_ratio: Share | None = Field(None, exclude_if=lambda ratio: ratio is None)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits, in the order shown."""
        return tuple(self._limits())

    def _limits(self) -> Iterator[Limit]:
        for increase, given in ((False, self.max), (True, self.max_increase)):
            for name, quantity in QUANTITIES.items():
                limit = cast(float | None, getattr(given, name, None))
                if limit is not None:
                    yield Limit(quantity=quantity, limit=limit, increase=increase)
        for group, limit in self.max_tilt.items():
            yield Limit(quantity="tilt", limit=limit, group=group)
        if self.min_impact_ratio is not None:
            yield Limit(quantity="impact_ratio", limit=self.min_impact_ratio)

    @property
    def compares(self) -> bool:
        """Whether a limit is on the difference from a baseline."""
        return any(limit.increase for limit in self.limits)

    @property
    def options(self) -> ViewOptions:
        """The view options, with whole templates resampled; PolicyError for an unknown criterion."""
        given = {"criterion": self.criterion, "reference": self.reference, "aggregation": self.aggregation}
        try:
            return ViewOptions.model_validate(
                given
                | {
                    "protocol": self.protocol,
                    "occupation_weights": self.weights,
                    "template_weighting": self.template_weights,
                }
            )
        except ValidationError as error:
            raise PolicyError(f"This part of the policy cannot be used: {first_problem(error)}.") from error

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if not self.limits:
            raise PydanticCustomError(
                "no_limit",
                "it sets no limit: write max, max_increase, max_tilt or min_impact_ratio "
                "with at least one figure",
            )
        if self.baseline and not self.compares:
            raise PydanticCustomError(
                "idle_baseline",
                "it names a baseline but no limit that uses it: add max_increase, or remove the baseline",
            )
        return self


class Policy(StrictRecord):
    """The limits that a model has to be within.

    ``error``: the target probability of any wrong verdict, shared by all its limits.  ``cannot_tell``: the
    default outcome of such a verdict.  ``stop_early``: score no more templates than the verdicts need.
    """

    title: ShortName = ""
    error: Annotated[float, Field(ge=0.001, le=0.2, allow_inf_nan=False)] = 0.05
    cannot_tell: CannotTell = "warn"
    stop_early: bool = False
    contexts: Annotated[tuple[Context, ...], Field(strict=False, min_length=1, max_length=MOST_CONTEXTS)]

    @property
    def error_each(self) -> float:
        """The part of the error that each limit gets."""
        return self.error / sum(len(context.limits) for context in self.contexts)

    @property
    def compares(self) -> bool:
        """Whether a limit is on the difference from a baseline."""
        return any(context.compares for context in self.contexts)

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        limits = sum(len(context.limits) for context in self.contexts)
        if limits > MOST_LIMITS:
            raise PydanticCustomError(
                "many_limits",
                "{limits} limits share one error, and at most {most} can: split the policy into two",
                {"limits": limits, "most": MOST_LIMITS},
            )
        return self


def read_policy(path: Path) -> Policy:
    """Read a policy from a TOML file.

    Raises PolicyError for a file over 64 kB or unreadable, for a field that is unknown, missing or not
    allowed, and for no limit or too many.
    """
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # the reader says why
    if size > MAX_BYTES:
        raise PolicyError(
            f"{label(path)} has {size:,} bytes, and a policy may have at most {MAX_BYTES:,}: shorten it, "
            "for example by naming files."
        )
    table = read_toml(path, Policy.model_fields, PolicyError)
    return made(Policy, table, label(path), PolicyError)


def policies_in(folder: Path | None) -> dict[str, Path]:
    """Return the TOML files of an operator's folder, by name without ending."""
    if folder is None:
        return {}
    return {path.stem: path for path in sorted(folder.glob("*.toml")) if path.stem.isprintable()}


def uploaded_policy(name: str, data: bytes) -> Policy:
    """Read a policy from an upload, without storing it; raises as :func:`read_policy`."""
    with uploaded(upload_label(name), data) as path:
        return read_policy(path)
