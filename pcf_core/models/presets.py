"""Ready comparisons: which models, which two are subtracted, and what a paper shows of the difference.

Those of shipped models are in ``assets/presets.toml``; those of base and aligned checkpoints follow from
:func:`pcf_core.models.names.all_series`, those of adapters from the models that they change.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record, digest
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.names import Series, all_series, known_model, read_shipped
from pcf_core.models.registry import adapters_among, list_models

Direction = Literal["up", "down"]


class Claim(Record):
    """The directions of prejudice and caprice in a figure of a paper, which prints no numbers.

    ``change`` ends "prejudice rising …"; ``topic``: on which it was measured.
    """

    paper: Literal["PCF", "BVF"]
    figure: int = Field(gt=0)
    topic: str = "gender"
    change: str
    prejudice: Direction
    caprice: Direction

    @property
    def directions(self) -> dict[str, Direction]:
        """The directions by quantity."""
        return {"prejudice_risk": self.prejudice, "caprice_risk": self.caprice}


class PresetPair(Record):
    """Two models whose difference, ``first`` − ``second``, is shown; ``change`` ends "R rises …"."""

    first: str
    second: str
    change: str
    claim: Claim | None = None


ALIGNMENT = Claim(
    paper="BVF", figure=8, change="after alignment by human feedback", prejudice="down", caprice="up"
)


class Preset(Record):
    """Models opened together on the page Compare, along ``axis``.

    Without a ``pair`` the models are ranked, and every two compared.  ``help``: of the button.  ``topic`` and
    ``templates``: what it chooses too, if results are shipped for them alone.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str = Field(min_length=1)
    models: tuple[str, ...] = Field(min_length=2)
    axis: Literal["models", "size", "base and aligned"]
    pair: tuple[PresetPair, ...] = ()
    help: str
    caution: str
    topic: str = ""
    templates: str = ""

    @property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """The (first, second) that are compared, in order."""
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


# The comparisons of shipped models.


FILE_NAME = "presets.toml"


def written_presets() -> tuple[Preset, ...]:
    """Load the comparisons of the file; empty without it."""
    return _read(settings().assets / FILE_NAME)


def presets(scored: Collection[str] = ()) -> tuple[Preset, ...]:
    """Load the comparisons whose models are all known, then base against aligned for each series.

    A series has the sizes of which both checkpoints are listed or ``scored``.  Last are adapters that are
    ``scored``, and their bases too.  Raises ModelError if the registry is damaged, SettingsError if the file
    is.
    """
    written, series = written_presets(), all_series()
    listed = {spec.name for spec in list_models()} if written or series else set()
    ready = [preset for preset in written if listed.issuperset(preset.models)]
    aligned = (_aligned_preset(one, listed.union(scored)) for one in series)
    adapted = (_adapter_preset(spec) for spec in adapters_among(scored) if spec.base in scored)
    return (*ready, *(preset for preset in aligned if preset is not None), *adapted)


def preset_of(models: Collection[str]) -> Preset | None:
    """Return the comparison with exactly these models, in any order."""
    return next((preset for preset in presets(models) if set(preset.models) == set(models)), None)


def _aligned_preset(series: Series, available: Collection[str]) -> Preset | None:
    pairs = [pair for pair in series.pair if pair.base in available and pair.aligned in available]
    if not pairs:
        return None
    sizes = [known_model(pair.base) for pair in pairs]
    return Preset(
        name=f"aligned-{series.name.replace('.', '-')}",
        title=f"{series.title}: base and aligned",
        models=tuple(name for pair in pairs for name in (pair.base, pair.aligned)),
        axis="base and aligned",
        pair=tuple(
            PresetPair(
                first=pair.aligned,
                second=pair.base,
                change=f"after alignment, at {size.parameters:,} parameters",
                claim=ALIGNMENT,
            )
            for pair, size in zip(pairs, sizes, strict=True)
            if size is not None
        ),
        help=f"Base and aligned checkpoints of {series.title}, size by size: how does alignment change "
        "the risk?",
        caution="Each is a single checkpoint. Between base and aligned its makers changed more than one "
        "thing. Both are scored as plain text, without a chat format.",
    )


def _adapter_preset(spec: ModelSpec) -> Preset:
    return Preset(
        name=f"adapter-{digest(spec.name)}",
        title=f"{spec.title}: with and without the adapter",
        models=(spec.base, spec.name),
        axis="models",
        pair=(PresetPair(first=spec.name, second=spec.base, change="with the adapter"),),
        help="A model before and after an adapter was trained on it: how does the risk change?",
        caution="Adapter and base are one training each, and another training may give another difference.",
    )


@lru_cache(maxsize=4)
def _read(path: Path) -> tuple[Preset, ...]:
    subject = f"The ready comparisons {path}"
    return read_shipped(path, _parse, subject, SettingsError) if path.is_file() else ()


def _parse(data: bytes) -> tuple[Preset, ...]:
    listed = tuple(Preset.model_validate(table) for table in tomllib.loads(data.decode())["preset"])
    if len({preset.name for preset in listed}) < len(listed):
        raise ValueError("two presets have one name")
    if len({frozenset(preset.models) for preset in listed}) < len(listed):
        raise ValueError("two presets have the same models")
    return listed
