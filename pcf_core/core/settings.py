"""The operator's settings: the only reader of the environment (``PCF_*``) and of the settings file."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from ipaddress import IPv6Address
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import first_problem

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "shipped"  # only in a wheel, with app.py, pages/, assets/ and docs/
INSTALLED = SHIPPED.is_dir()
ROOT = SHIPPED if INSTALLED else PACKAGE.parent
FILE_NAME = "pcf.toml"


def own_folder(variable: str, usual: str) -> Path:
    """Return the folder of a user's own files: the checkout, or the XDG one once installed."""
    return Path(os.environ.get(variable) or usual) / "pcf-audit" if INSTALLED else ROOT


HOST = r"[\w\-]{1,63}(\.[\w\-]{1,63})*"
BASE_URL = re.compile(rf"https?://(\[(?P<ip>[0-9a-fA-F:.]+)\]|{HOST})(:\d{{1,5}})?(/[\w.~%\-]+)*", re.ASCII)
AUDITORS = re.compile(r"[^@\s,*]+@[^@\s,*]+|\*@[^@\s,*]+")  # an address, or a whole domain
# A family, a revision after a hub id, a relative folder: never part of a model's name.
NEVER_FITS = re.compile(
    r"(masked|causal|seq2seq|permutation):|[^/@:]+/[^/@]+@|[~.]|(?!/|endpoint:|[*?\[])[^/]*/[^/]*/"
)
# These do not affect a worker's answer.
NOT_THE_WORKERS = (
    "PCF_CACHE",
    "PCF_CORPORA",
    "PCF_START_WORKER",
    "PCF_WORKER_IDLE_SECONDS",
    "PCF_LARGEST_UPLOAD",
    "PCF_SIGNERS",
    "PCF_POLICIES",
    "PCF_MOST_QUEUED",
    "PCF_MOST_CELLS",
)
Engine = Literal["local", "ray"]
USUAL_SHARD = 512  # prompts
# Values that may contain a secret are never quoted.
SECRETIVE = ("PCF_ENDPOINT_URL", "PCF_ENDPOINT_KEY", "PCF_SCORES")


class Settings(BaseSettings):
    """Every setting and its default: ``PCF_CACHE=/data``, or ``cache = "/data"`` in pcf.toml."""

    model_config = SettingsConfigDict(
        env_prefix="PCF_",
        toml_file=own_folder("XDG_CONFIG_HOME", "~/.config") / FILE_NAME,
        frozen=True,
        extra="forbid",
    )

    cache: Path = Field(
        own_folder("XDG_DATA_HOME", "~/.local/share") / "cache",
        description="folder for scores, runs and the queue",
    )
    scores: str = Field(
        "",
        description="shared place for the shards of several caches, instead of `scores/` in each: a folder, "
        "or a URL of fsspec's",
    )
    assets: Path = Field(
        ROOT / "assets", description="folder of shipped topics, templates, models and results"
    )
    shipped_results: bool = Field(True, description="whether the results shipped with the app are shown")
    models: Path | None = Field(None, description="a folder with more model directories")
    allow_hub: bool = Field(True, description="whether models may be downloaded from the hub")
    remote_code: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="hub ids of models that may run code of their own, separated by commas"
    )
    allowed_models: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="patterns of the models that may be used, separated by commas; empty allows all"
    )
    read_only: bool = Field(
        False, description="whether everybody can only read: no queue, no edits, no uploads"
    )
    auditors: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="e-mail addresses, or `*@domain`, of people who may also change things, separated "
        "by commas",
    )
    most_queued: int = Field(
        0, ge=0, description="how many jobs one person may have waiting or running, 0 for no limit"
    )
    most_cells: int = Field(
        0, ge=0, description="how many test sentences or texts one job may have, 0 for no limit"
    )
    signers: Path | None = Field(
        None,
        description="a file of allowed signers (`man ssh-keygen`), whose names are shown on packs",
    )
    policies: Path | None = Field(
        None, description="a folder of policies (`docs/gate.md`) that *Risk* and *Report* offer to everybody"
    )
    largest_upload: int = Field(
        500, ge=1, le=2000, description="largest file that can be uploaded, in megabytes"
    )
    device: str = Field(
        "auto", description="`auto`, `cpu`, `mps`, `cuda`, `cuda:1`, or `split`: all GPUs for one model"
    )
    engine: Engine = Field(
        "local", description="the engine that scores a run: `local`, the worker itself, or `ray`, a cluster"
    )
    threads: int = Field(0, ge=0, le=1024, description="CPU threads of the worker, 0 for all cores")
    shard_prompts: int | None = Field(
        None,
        ge=1,
        le=65536,
        description="prompts per shard; by default 512, and fewer for a large model on a CPU",
    )
    batch_tokens: int = Field(8192, ge=128, description="tokens per batch, including padding")
    pipeline: str = Field(
        "en-mini", description="the parser for mining: the shipped `en-mini`, or an installed spaCy package"
    )
    corpora: Path | None = Field(None, description="a folder of corpora that the page Templates offers")
    mine_workers: int = Field(0, ge=0, le=256, description="number of mining processes, 0 for one per core")
    start_worker: bool = Field(True, description="whether the app starts a worker when none is running")
    worker_idle_seconds: float = Field(1800, gt=0, description="an idle worker ends after this time")
    stall_seconds: float = Field(1800, gt=0, description="a job without progress for this time fails")
    worker_models: int = Field(
        2, ge=1, description="models that a worker keeps in memory; small ones do not count"
    )
    endpoint_url: str | None = Field(
        None, description="base URL of an OpenAI-compatible completions server, such as vLLM's"
    )
    endpoint_key: SecretStr | None = Field(None, description="the key that the endpoint requires")
    endpoint_timeout: float = Field(
        120, gt=0, le=86400, description="seconds to wait for an answer of the endpoint"
    )
    endpoint_concurrency: int = Field(8, ge=1, le=256, description="simultaneous requests to the endpoint")
    endpoint_per_minute: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="completions per minute, 0 for no limit; each process, worker or command, counts its own",
    )
    endpoint_price_in: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="price per million tokens that the endpoint reads"
    )
    endpoint_price_out: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="price per million tokens that the endpoint writes"
    )

    @field_validator("cache", "assets", "models", "corpora", "signers", "policies", mode="before")
    @classmethod
    def _names_a_folder(cls, value: Any) -> Any:
        """Refuse an empty text, which would mean the working directory."""
        if isinstance(value, str) and not value.strip():
            raise PydanticCustomError("folder", "it must name a folder")
        return value

    @field_validator("cache", "assets", "models", "corpora", "signers", "policies")
    @classmethod
    def _means_the_same_everywhere(cls, value: Path | None) -> Path | None:
        """Make a path absolute: a worker has another working directory than the app."""
        try:
            return value and value.expanduser().absolute()
        except RuntimeError:  # which pydantic lets through
            raise PydanticCustomError(
                "home", "it begins with the home of an unknown user; write the whole path"
            ) from None

    @field_validator("scores")
    @classmethod
    def _is_a_url_or_means_the_same_everywhere(cls, value: str) -> str:
        return value if not value or "://" in value else str(cls._means_the_same_everywhere(Path(value)))

    @field_validator("endpoint_url")
    @classmethod
    def _is_a_base_url(cls, value: str | None) -> str | None:
        """Check the URL, which is shown and part of keys, so must not contain a secret."""
        url = (value or "").strip().rstrip("/")
        parts = BASE_URL.fullmatch(url)
        if url and (parts is None or (parts["ip"] and not _is_address(parts["ip"]))):
            raise PydanticCustomError(
                "url",
                "it must be the base URL of a server, such as http://localhost:8000/v1, without user name, "
                "password or query; write the key to PCF_ENDPOINT_KEY",
            )
        return url or None

    @field_validator("endpoint_key")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        """Refuse other characters, which would fail in each request, with the key in the message."""
        secret = value.get_secret_value().strip() if value else ""
        if not secret.isascii() or not secret.isprintable():
            raise PydanticCustomError("key", "it must be printable ASCII characters on one line")
        return SecretStr(secret) if secret else None

    @property
    def environment(self) -> dict[str, str]:
        """The settings as variables for a child process; includes the endpoint's key, so never for a file."""
        values = self.model_dump(mode="json", exclude_none=True)
        if self.endpoint_key:
            values["endpoint_key"] = self.endpoint_key.get_secret_value()
        values |= {name: ",".join(values[name]) for name in ("remote_code", "allowed_models", "auditors")}
        return {f"PCF_{name.upper()}": str(value) for name, value in values.items()}

    @property
    def fingerprint(self) -> str:
        """A digest of what decides a worker's answers, with its device after an ``@``."""
        own = {name: value for name, value in self.environment.items() if name not in NOT_THE_WORKERS}
        del own["PCF_DEVICE"]
        digest = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()
        return f"{digest[:16]}@{self.device}"

    @field_validator("remote_code", "allowed_models", "auditors", mode="before")
    @classmethod
    def _between_commas(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if value.strip() and not parts:  # an empty list would allow everything
            raise PydanticCustomError("names", "it must be a list of names separated by commas, or empty")
        return parts

    @field_validator("remote_code")
    @classmethod
    def _are_hub_ids(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Check hub ids; directories are refused, as their code has no known author."""
        if not all(re.fullmatch(r"[A-Za-z0-9][\w.\-]*/[A-Za-z0-9][\w.\-]*", name) for name in value):
            raise PydanticCustomError(
                "hub_ids", "it must be a list of hub ids such as org/name, separated by commas"
            )
        return value

    @field_validator("allowed_models")
    @classmethod
    def _can_fit(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse a pattern that no name matches, which would silently allow nothing."""
        if any(NEVER_FITS.match(pattern) for pattern in value):
            raise PydanticCustomError(
                "patterns",
                "it must be a list of names without family and revision, separated by commas, such as "
                "mini-*, org/*, endpoint:* or /data/models/*",
            )
        return value

    @field_validator("auditors")
    @classmethod
    def _are_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Check addresses, so that a typo does not admit more people."""
        if not all(AUDITORS.fullmatch(entry) for entry in value):
            raise PydanticCustomError(
                "auditors", "it must be a list of e-mail addresses or *@domain, separated by commas"
            )
        return tuple(entry.casefold() for entry in value)

    @field_validator("device")
    @classmethod
    def _is_a_device(cls, value: str) -> str:
        if not re.fullmatch(r"auto|cpu|mps|split|cuda(:\d{1,3})?", value):
            raise PydanticCustomError("device", "it must be auto, cpu, mps, cuda, cuda:<number> or split")
        return value

    @property
    def most_prompts(self) -> int:
        """The most prompts per shard."""
        return self.shard_prompts or USUAL_SHARD

    @property
    def results(self) -> tuple[Path, ...]:
        """The read-only folders of shipped results, if wanted."""
        return (self.assets / "cache", self.assets / "audits") if self.shipped_results else ()

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
        """Read the environment before the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def _is_address(text: str) -> bool:
    try:
        return bool(IPv6Address(text))
    except ValueError:
        return False


def adopt(variables: Mapping[str, str]) -> None:
    """Set variables such as PCF_DEVICE for this process and its children; raise SettingsError if refused."""
    os.environ.update(variables)
    settings.cache_clear()
    settings()


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    """Refuse a misspelt variable, which would silently leave a limit unset."""
    names = [f"PCF_{name.upper()}" for name in Settings.model_fields]
    for name in sorted(environment):
        if name.upper().startswith("PCF_") and name.upper() not in names:
            near = get_close_matches(name.upper(), names, n=1)
            meant = f"write {near[0]}, or remove it" if near else "remove it"
            raise SettingsError(
                f"The environment variable {name} is not a setting of PCF Audit (docs/operating.md lists "
                f"them): {meant}."
            )


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process, read once.

    Raises SettingsError for a value that is not allowed, an unknown variable, or a settings file that is not
    TOML.
    """
    _refuse_unknown(os.environ)
    try:
        return Settings()
    except ValidationError as error:
        problem = first_problem(error)
        name = f"PCF_{problem.where.replace('.', '_').upper()}"
        got = f" (got {problem.got})" if problem.got and name not in SECRETIVE else ""
        raise SettingsError(f"The setting {name} cannot be used: {problem.said}{got}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(
            f"The settings file {FILE_NAME} cannot be read ({error}): write it as TOML in UTF-8."
        ) from error
