"""Models of the Hugging Face hub, cached or downloaded; never pickles.

A model may run the code in its repository only if the operator has listed its hub id.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pcf_core.core.errors import ModelError, reason_of
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.adapter import ADAPTER
from pcf_core.models.adapter import WEIGHTS as ADAPTER_WEIGHTS
from pcf_core.models.folder import describe, read_small, weights_present
from pcf_core.models.names import ModelName, known_model, split_name


def is_allowed(name: str) -> bool:
    """Tell whether the operator allows the code of a hub model; never of a directory."""
    named = split_name(name)
    return named.is_hub_id and named.model in settings().remote_code


def require_allowed_code(spec: ModelSpec) -> None:
    """Raise ModelError if a model needs code of its own and is not listed in ``PCF_REMOTE_CODE``."""
    if not spec.remote_code or is_allowed(spec.name):
        return
    named = split_name(spec.name)
    if named.is_hub_id:
        raise ModelError(
            f"The model {spec.name} runs code from its own repository, which is not allowed: ask the "
            f"operator to check the code and add {named.model} to PCF_REMOTE_CODE, or serve the model "
            "elsewhere and connect it as an endpoint."
        )
    raise ModelError(
        f"The model {spec.name} runs code from its own directory, which is never allowed: serve it elsewhere "
        "and connect it as an endpoint."
    )


def require_own_code(folder: Path, name: str) -> None:
    """Raise ModelError for a model with code from another repository, whose revision is not pinned."""
    for file in ("config.json", "tokenizer_config.json"):
        path = folder / file
        try:
            mapped = json.loads(read_small(path)).get("auto_map") if path.is_file() else None
        except (ValueError, AttributeError, RecursionError) as error:
            raise ModelError(f"The file {file} of the model {name} is damaged: download it again.") from error
        if "--" in json.dumps(mapped):
            raise ModelError(
                f"The model {name} runs code from another repository (auto_map in {file}) without a fixed "
                "revision, which is not allowed: serve the model elsewhere and connect it as an endpoint."
            )


SMALL_FILES = ["*.json", "*.txt", "*.model", "chat_template.jinja"]
WEIGHTS = ["model.safetensors", "model-*.safetensors"]
CODE = ["*.py"]
SUBFOLDERS = ["*/*"]
PATIENCE = 10.0  # seconds to wait for the hub, as snapshot_download would wait for ever


def describe_hub(named: ModelName, folder: Path) -> ModelSpec:
    """Describe a hub model by its folder; ``identity`` is the commit of the requested revision.

    Only small files are downloaded, so that unsupported models are refused before; ``path`` is empty until
    :func:`download`.  Until then the number of parameters comes from the registry.
    """
    listed = known_model(named.model)
    spec = describe(folder, named.pinned, folder.name, named.family, listed.family if listed else None)
    if listed and not spec.parameters:
        return spec.model_copy(update={"parameters": listed.parameters})
    return spec


def download(spec: ModelSpec) -> Path:
    """Download the weights of a hub model at its revision, and its code if allowed; return the folder."""
    if not settings().allow_hub:
        raise ModelError(
            f"The weights of {spec.name} are not on this computer, and downloads are off: switch "
            "PCF_ALLOW_HUB on."
        )
    code = CODE if spec.remote_code and is_allowed(spec.name) else []
    return _snapshot(replace(split_name(spec.name), revision=spec.identity), SMALL_FILES + WEIGHTS + code)


def download_bytes(spec: ModelSpec) -> int:
    """Ask the hub how many bytes :func:`download` needs, including cached ones; raises as it does."""
    named = split_name(spec.name)
    with _hub_errors(named):
        files = _request(replace(named, revision=spec.identity), SMALL_FILES + WEIGHTS, dry_run=True)
    return sum(int(file.file_size or 0) for file in files)


def bytes_here(name: str) -> int:
    """Count the bytes of a hub model in the local cache, including incomplete files."""
    return size_of_files(_blobs(name))


def half_fetched(name: str) -> list[Path]:
    """List the incomplete files of a hub model in the local cache."""
    return list(_blobs(name).glob("*.incomplete"))


def _blobs(name: str) -> Path:
    from huggingface_hub.file_download import repo_folder_name

    folder = repo_folder_name(repo_id=split_name(name).model, repo_type="model")
    return cache_folder() / folder / "blobs"


def cache_folder() -> Path:
    """Return the folder of the hub's local cache."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def size_of_files(folder: Path) -> int:
    """Sum the bytes of the files directly in a folder, if it exists."""
    total = 0
    for path in folder.glob("*"):
        with suppress(OSError):  # just renamed
            total += path.stat().st_size if path.is_file() else 0
    return total


def hub_folder(named: ModelName) -> Path:
    """Return the folder of a hub model at its revision, with small files but possibly without weights."""
    folder = _cached(named)
    if folder is None:
        if not settings().allow_hub:
            raise ModelError(
                f"The model {named.pinned} is not in the hub's local cache, and downloads are off: switch "
                "PCF_ALLOW_HUB on, or give a model directory."
            )
        folder = _snapshot(named, SMALL_FILES)
    if (folder / ADAPTER).is_file() and not has_whole_weights(named.model, folder.name):
        if not (folder / ADAPTER_WEIGHTS).is_file():  # these are small too
            if not settings().allow_hub:
                raise ModelError(
                    f"The weights of the adapter {named.pinned} are not on this computer, and downloads are "
                    "off: switch PCF_ALLOW_HUB on."
                )
            return _snapshot(replace(named, revision=folder.name), [*SMALL_FILES, ADAPTER_WEIGHTS])
    elif not weights_present(folder, named.model):
        _require_safetensors(named.model, folder.name)
    return folder


def is_cached(name: str) -> bool:
    """Tell whether the small files of a hub model are in the local cache."""
    return _cached(split_name(name)) is not None


def _cached(named: ModelName) -> Path | None:
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(_request(named, SMALL_FILES, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    except HFValidationError as error:
        raise ModelError(
            f"{named.model!r} is not a valid hub id ({str(error).splitlines()[0]}): check the name."
        ) from error
    return folder if any((folder / file).is_file() for file in ("config.json", ADAPTER)) else None


def _snapshot(named: ModelName, patterns: list[str]) -> Path:
    from huggingface_hub import HfApi

    with _hub_errors(named):
        HfApi().model_info(named.model, revision=named.revision or None, timeout=PATIENCE)
        return Path(_request(named, patterns))


def _request(named: ModelName, patterns: list[str], **options: Any) -> Any:
    """Ask the hub's library for files of these patterns, without subfolders, which have other formats."""
    from huggingface_hub import snapshot_download

    return snapshot_download(
        named.model,
        revision=named.revision or None,
        allow_patterns=patterns,
        ignore_patterns=SUBFOLDERS,
        **options,
    )


@contextmanager
def _hub_errors(named: ModelName) -> Iterator[None]:
    import httpx2
    from huggingface_hub.errors import (
        GatedRepoError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    name = named.model
    try:
        yield
    except GatedRepoError as error:
        raise ModelError(
            f"The model {name} is gated: accept its terms on the hub and set HF_TOKEN to a token for it."
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(
            f"The hub has no revision {named.revision!r} of {name}: write an existing branch, tag or commit "
            "after the @, or leave the @ out to score the newest."
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"The hub has no model named {name}, or it is private: check the name, or set HF_TOKEN."
        ) from error
    except (LocalEntryNotFoundError, OfflineModeIsEnabled, httpx2.TransportError) as error:
        raise ModelError(
            f"The model {named.pinned} is not in the local cache, and the hub cannot be reached: check the "
            "network, or give a model directory."
        ) from error
    except Exception as error:  # hub, HTTP or file system
        raise ModelError(
            f"The model {named.pinned} could not be downloaded from the hub ({reason_of(error)}): try again."
        ) from error


def _require_safetensors(name: str, revision: str) -> None:
    if has_whole_weights(name, revision) is False:
        raise ModelError(
            f"The hub model {name} has no safetensors weights, and other formats can run code: choose a "
            f"revision that has them (for example a pull request on the hub: {name}@refs/pr/<number>), or "
            "convert the weights and give the directory."
        )


def has_whole_weights(name: str, revision: str) -> bool | None:
    """Tell whether a hub model has safetensors of its own at a commit, here or not; ``None`` if unknown."""
    from huggingface_hub import get_cached_repo_tree
    from huggingface_hub.errors import CachedRepoTreeNotFoundError

    try:
        files = [file.path for file in get_cached_repo_tree(name, revision=revision)]
    except CachedRepoTreeNotFoundError:
        return None
    return any(path.startswith("model") and path.endswith(".safetensors") for path in files)
