"""Public models inside packages of the package index, so that no hub is needed.

``assets/public.toml`` describes each, so that shipped results open without the package.  Only GGUF files of a
package are read, one or several joined; its code is never imported.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from pydantic import Field

from pcf_core.core.errors import ModelError
from pcf_core.core.families import Family
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.compression import copy_note
from pcf_core.models.gguf import SUFFIX, tokenizer_of
from pcf_core.models.names import FIRST, LONGEST_NAME, OTHERS, read_shipped

FILE_NAME = "public.toml"


class PublicModel(Record):
    """A public model and its packages.

    ``packages``: as pip takes them, with versions.  ``files``: module and path in it, to be joined in order;
    ``sha256`` and ``bytes`` are of the whole.  ``terms``: address to accept first, empty for an open licence.
    """

    # Like names.NAME, without its counted repetition, which pydantic would expand to 10 MB.
    name: str = Field(pattern=f"^{FIRST}{OTHERS}*$", max_length=LONGEST_NAME)
    title: str = Field(min_length=1)
    packages: tuple[str, ...] = Field(min_length=1)
    files: tuple[str, ...] = Field(min_length=1)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bytes: int = Field(gt=0)
    family: Family
    parameters: int = Field(gt=0)
    context: int = Field(gt=0)
    quantization: str = Field(min_length=1)
    chat_template: str = ""
    license: str = Field(min_length=1)
    terms: str = ""
    source: str = Field(min_length=1)
    notes: str = ""

    @property
    def spec(self) -> ModelSpec:
        """Its specification; ``path`` is its first file, or empty."""
        files = self.located
        return ModelSpec(
            name=self.name,
            family=self.family,
            path=str(files[0]) if files else "",
            identity=self.sha256,
            tokenizer=tokenizer_of(self.sha256),
            parameters=self.parameters,
            context=self.context,
            chat_template=self.chat_template,
            quantization=self.quantization,
            kind="public",
            title=f"{self.title} ({copy_note(self.quantization)})",
            notes=self.notes,
        )

    @property
    def located(self) -> tuple[Path, ...]:
        """Its files on this machine; empty if one is missing."""
        files = tuple(_located(file) for file in self.files)
        return tuple(path for path in files if path) if all(files) else ()


def public_models() -> tuple[PublicModel, ...]:
    """Load ``assets/public.toml``, empty without the file; ModelError if it is damaged."""
    return _read(settings().assets / FILE_NAME)


def public_model(name: str) -> PublicModel | None:
    """Return the public model of this name."""
    return next((model for model in public_models() if model.name == name), None)


def absent_among(names: Iterable[str]) -> list[str]:
    """Return the names of public models without weights on this machine."""
    absent = {model.name for model in public_models() if not model.located}
    return [name for name in names if name in absent]


def gguf_files(spec: ModelSpec) -> tuple[Path, ...]:
    """List the files that make up the GGUF file of a model; empty for other layouts.

    Raises ModelError for a public model whose package is not installed.
    """
    model = public_model(spec.name)
    if model is not None and model.sha256 == spec.identity:
        return tuple(_present(model))
    return (Path(spec.path),) if spec.path.endswith(SUFFIX) else ()


def how_to_get(model: PublicModel) -> str:
    """Return how to download a public model, as the end of a sentence."""
    return f"download them with: python -m pcf_core models get {model.name}"


def _present(model: PublicModel) -> Iterator[Path]:
    files = model.located
    if not files:
        raise ModelError(
            f"The weights of {model.name} are not on this computer; {how_to_get(model)} "
            f"({model.bytes / 1e6:,.0f} MB, {model.license})."
        )
    yield from files


def _located(file: str) -> Path | None:
    """Find a file of an installed package without running its code."""
    module, _, path = file.partition("/")
    package = find_spec(module)
    for folder in (package and package.submodule_search_locations) or ():
        if (Path(folder) / path).is_file():
            return Path(folder) / path
    return None


@lru_cache(maxsize=4)
def _read(path: Path) -> tuple[PublicModel, ...]:
    def parse(data: bytes) -> tuple[PublicModel, ...]:
        return tuple(PublicModel.model_validate(table) for table in tomllib.loads(data.decode())["model"])

    return read_shipped(path, parse, f"The list of public models {path}") if path.is_file() else ()
