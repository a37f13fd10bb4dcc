"""Models of the Hugging Face hub: from its local cache, else downloaded; never code, never pickles."""

from __future__ import annotations

from pathlib import Path

from pcf_core.errors import ModelError
from pcf_core.models.folder import describe, weights_present
from pcf_core.records import ModelSpec
from pcf_core.settings import settings

SMALL_FILES = ["*.json", "*.txt", "*.model"]
WEIGHTS = ["model.safetensors", "model-*.safetensors"]
SUBFOLDERS = ["*/*"]


def resolve_hub(name: str) -> ModelSpec:
    """The specification of the hub model ``org/name``; ``identity`` is the resolved revision.

    Only small files are fetched here, so that an unsupported model is refused before gigabytes are; ``path``
    stays empty until :func:`download` has fetched the weights.

    Raises:
        ModelError: not in the local cache and downloads are off, the hub cannot be reached, the model is not
            found or gated, has no safetensors or an unsupported architecture.
    """
    folder = _cached(name)
    if folder is None:
        if not settings().allow_hub:
            raise ModelError(
                f"The model {name} is not in the hub's local cache and downloads are off (PCF_ALLOW_HUB); "
                "allow them or give a model directory."
            )
        folder = _snapshot(name, None, SMALL_FILES)
    if not weights_present(folder):
        _require_safetensors(name, folder.name)
    return describe(folder, name, revision=folder.name)


def download(spec: ModelSpec) -> Path:
    """Fetch the weights of a hub model at its revision; the folder."""
    if not settings().allow_hub:
        raise ModelError(
            f"The weights of {spec.name} are not here and downloads are off (PCF_ALLOW_HUB); allow them."
        )
    return _snapshot(spec.name, spec.identity, SMALL_FILES + WEIGHTS)


def _cached(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(
            snapshot_download(
                name, local_files_only=True, allow_patterns=SMALL_FILES, ignore_patterns=SUBFOLDERS
            )
        )
    except LocalEntryNotFoundError:
        return None
    return folder if (folder / "config.json").is_file() else None


def _snapshot(name: str, revision: str | None, patterns: list[str]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        return Path(
            snapshot_download(name, revision=revision, allow_patterns=patterns, ignore_patterns=SUBFOLDERS)
        )
    except GatedRepoError as error:
        raise ModelError(
            f"The model {name} is gated: accept its terms on the hub and set HF_TOKEN to a token for it."
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(
            f"The hub no longer has the revision {revision} of {name}; score it anew."
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"The hub has no model named {name}, or it is private: check the name, or set HF_TOKEN."
        ) from error
    except LocalEntryNotFoundError as error:
        raise ModelError(
            f"The model {name} is not in the local cache and the hub cannot be reached: check the network, "
            "or give a model directory."
        ) from error
    except (HfHubHTTPError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(
            f"The model {name} could not be downloaded from the hub ({reason}); try again."
        ) from error


def _require_safetensors(name: str, revision: str) -> None:
    """Refuse a model whose file list is known and holds no safetensors."""
    from huggingface_hub import get_cached_repo_tree
    from huggingface_hub.errors import CachedRepoTreeNotFoundError

    try:
        files = [file.path for file in get_cached_repo_tree(name, revision=revision)]
    except CachedRepoTreeNotFoundError:
        return
    if not any(path.startswith("model") and path.endswith(".safetensors") for path in files):
        raise ModelError(
            f"The hub model {name} has no safetensors weights, and other formats can run code; choose a "
            "model that has them, or convert it and give the directory."
        )
