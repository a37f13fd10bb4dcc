"""Records of ready comparisons: which models, of which two the difference is told, what a paper shows."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, Self

from pydantic import Field, model_validator

from pcf_core.records.base import Record

Direction = Literal["up", "down"]


class Claim(Record):
    """What a figure of a paper shows of prejudice and caprice; it prints no numbers.

    ``change`` ends "prejudice rising …", ``topic`` is what it was measured on.
    """

    paper: Literal["PCF", "BVF"]
    figure: int = Field(gt=0)
    topic: str = "gender"
    change: str
    prejudice: Direction
    caprice: Direction

    @property
    def directions(self) -> dict[str, Direction]:
        """The same by quantity."""
        return {"prejudice_risk": self.prejudice, "caprice_risk": self.caprice}


class PresetPair(Record):
    """Two models whose difference, ``first`` − ``second``, is told; ``change`` ends "R rises …"."""

    first: str
    second: str
    change: str
    claim: Claim | None = None


class Preset(Record):
    """Models that are opened together on the page Compare, along ``axis``.

    Without a ``pair`` the models are ranked, and every two are compared.  ``caution`` is what has to be known
    before a difference is believed, ``help`` what the button says of itself.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str = Field(min_length=1)
    models: tuple[str, ...] = Field(min_length=2)
    axis: Literal["models", "size"]
    pair: tuple[PresetPair, ...] = ()
    help: str
    caution: str

    @property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """The (first, second) that are compared, in the order in which they are told."""
        if not self.pair:
            return tuple(combinations(self.models, 2))
        return tuple((pair.first, pair.second) for pair in self.pair)

    @model_validator(mode="after")
    def _pairs_are_of_its_models(self) -> Self:
        if len(set(self.models)) < len(self.models):
            raise ValueError(f"{self.name} names a model twice")
        for pair in self.pair:
            if pair.first == pair.second or not {pair.first, pair.second} <= set(self.models):
                raise ValueError(f"{self.name} pairs {pair.first} and {pair.second}, not two of its models")
        if len(set(self.compared)) < len(self.compared):
            raise ValueError(f"{self.name} has a pair twice")
        return self
