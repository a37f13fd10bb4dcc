"""The operator's settings: the only place that reads the environment (``PCF_*``) or a settings file."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from pcf_core.errors import SettingsError

ROOT = Path(__file__).resolve().parent.parent
FILE_NAME = "pcf.toml"


class Settings(BaseSettings):
    """Every setting and its default: ``PCF_CACHE=/data``, or ``cache = "/data"`` in pcf.toml."""

    model_config = SettingsConfigDict(
        env_prefix="PCF_", toml_file=ROOT / FILE_NAME, frozen=True, extra="forbid"
    )

    cache: Path = Field(ROOT / "cache", description="where scores, runs and the queue are kept")
    assets: Path = Field(ROOT / "assets", description="shipped topics, templates, models and results")
    shipped_results: bool = Field(True, description="whether the results that come with the app are shown")
    models: Path | None = Field(None, description="a folder of further model directories")
    allow_hub: bool = Field(True, description="whether models may be downloaded from the hub")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="device of the worker")
    threads: int = Field(0, ge=0, le=1024, description="CPU threads of the worker, 0 for all cores")
    shard_prompts: int = Field(512, ge=1, le=65536, description="prompts a shard")
    batch_tokens: int = Field(8192, ge=128, description="tokens a batch, padding included")
    start_worker: bool = Field(True, description="whether the app starts a worker when none is alive")
    worker_idle_seconds: float = Field(1800, gt=0, description="an idle worker ends after this time")
    worker_models: int = Field(2, ge=1, description="models a worker keeps in memory")

    @field_validator("cache", "assets", "models", mode="before")
    @classmethod
    def _names_a_folder(cls, value: Any) -> Any:
        """An empty text would be the working directory."""
        if isinstance(value, str) and not value.strip():
            raise PydanticCustomError("folder", "it must name a folder")
        return value

    @property
    def results(self) -> Path | None:
        """The folder of the results that come with the app, read only; None where they are not wanted."""
        return self.assets / "cache" if self.shipped_results else None

    @property
    def catalogue(self) -> Path:
        """The SQLite file of the catalogue and the queue."""
        return self.cache / "catalogue.sqlite"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment goes before the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once.

    Raises:
        SettingsError: a value that is not allowed, with its name; a settings file that is not TOML.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "PCF_" + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingsError(
            f"The setting {name} cannot be used: {first['msg']} (got {first['input']!r})."
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(
            f"The settings file {FILE_NAME} cannot be read ({error}): write it as TOML in UTF-8."
        ) from error
