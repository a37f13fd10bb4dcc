"""Data sets of the Hugging Face hub, with files downloaded when they are needed.

    hf:OWNER/NAME[:CONFIG][:SPLIT]

The hub's Parquet copy is used, ``CONFIG/SPLIT/0000.parquet`` on ``refs/convert/parquet``, otherwise the data
set's own Parquet and JSON lines files; code of a data set is never run.  Downloads stay in the hub's cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcf_core.core.errors import CorpusError, reason_of
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import listed

PREFIX = "hf:"
PARQUET = "refs/convert/parquet"
PATIENCE = 10.0  # seconds to wait for the hub
PART = r"[A-Za-z0-9][\w.\-]{0,95}"
NAME = re.compile(rf"hf:(?P<id>{PART}/{PART})(:(?P<config>[\w.\- ]*))?(:(?P<split>[\w.\- ]*))?")
READABLE = (".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.bz2")


@dataclass(frozen=True)
class HubFile:
    """A file of a data set at a commit; ``size`` in bytes, if known."""

    repository: str
    revision: str
    path: str
    size: int | None

    def fetch(self) -> Path:
        """Return the file's path in the hub's cache, after downloading it if needed."""
        from huggingface_hub import hf_hub_download

        _require_hub(self.repository)
        try:
            return Path(
                hf_hub_download(
                    self.repository,
                    self.path,
                    repo_type="dataset",
                    revision=self.revision,
                    etag_timeout=PATIENCE,
                )
            )
        except Exception as problem:  # three libraries may fail
            raise _sentence(self.repository, problem) from problem


@dataclass(frozen=True)
class HubCorpus:
    """A data set of the Hugging Face hub; ``licence``: from its card, or empty."""

    files: tuple[HubFile, ...]
    licence: str


def find(name: str) -> HubCorpus:
    """List the files of a data set by name."""
    parts = NAME.fullmatch(name)
    if parts is None:
        raise CorpusError(
            f"{name[:80]!r} is not the name of a data set: write hf:OWNER/NAME, hf:OWNER/NAME:CONFIG or "
            "hf:OWNER/NAME:CONFIG:SPLIT."
        )
    repository, config, split = parts["id"], parts["config"] or "", parts["split"] or ""
    _require_hub(repository)
    info = _info(repository, None)
    converted = _info(repository, PARQUET, optional=True)
    if converted is not None and (files := _files(repository, converted)):
        chosen = _converted(repository, files, config, split)
    else:
        chosen = _own(repository, _files(repository, info), config, split)
    card = info.card_data.to_dict() if info.card_data else {}
    licence = card.get("license") or ""
    return HubCorpus(tuple(chosen), licence if isinstance(licence, str) else "; ".join(map(str, licence)))


def _require_hub(repository: str) -> None:
    if not settings().allow_hub:
        raise CorpusError(
            f"The data set {repository} is on the hub, but downloads are off: switch PCF_ALLOW_HUB on, or "
            "give a file."
        )


def _info(repository: str, revision: str | None, optional: bool = False) -> Any:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionNotFoundError

    try:
        return HfApi().dataset_info(repository, revision=revision, files_metadata=True, timeout=PATIENCE)
    except RevisionNotFoundError as problem:
        if optional:
            return None
        raise _sentence(repository, problem) from problem
    except Exception as problem:  # as in fetch
        raise _sentence(repository, problem) from problem


def _files(repository: str, info: Any) -> list[HubFile]:
    return sorted(
        (
            HubFile(repository, info.sha, file.rfilename, file.size)
            for file in info.siblings or ()
            if file.rfilename.lower().endswith(READABLE)
        ),
        key=lambda file: file.path,
    )


def _converted(repository: str, files: Iterable[HubFile], config: str, split: str) -> list[HubFile]:
    """Find files like ``CONFIG/SPLIT/0000.parquet``; partly converted splits are ``partial-SPLIT``."""
    tree: dict[str, dict[str, list[HubFile]]] = {}
    for file in files:
        folders = file.path.split("/")
        if len(folders) == 3:
            splits = tree.setdefault(folders[0], {})
            splits.setdefault(folders[1].removeprefix("partial-"), []).append(file)
    if config and not split and config not in tree and any(config in splits for splits in tree.values()):
        config, split = "", config
    splits = tree[_one(repository, "config", config, tree, "default")]
    return splits[_one(repository, "split", split, splits, "train")]


def _one(repository: str, what: str, given: str, names: Iterable[str], usual: str) -> str:
    choices = sorted(names)
    if given in choices:
        return given
    if not given and usual in choices:
        return usual
    if not given and len(choices) == 1:
        return choices[0]
    begun = f"has no {what} {given!r}" if given else f"has several {what}s"
    raise CorpusError(
        f"The data set {repository} {begun}: choose one of {listed(choices[:12])} and write "
        "hf:OWNER/NAME:CONFIG:SPLIT."
    )


def _own(repository: str, files: list[HubFile], config: str, split: str) -> list[HubFile]:
    """Find files with the config among their folders and the split in their name."""
    parts = [file for file in files if not config or config in file.path.split("/")[:-1]]
    wanted = split or "train"
    chosen = [file for file in parts if wanted in re.split(r"[^A-Za-z0-9]+", file.path)]
    if not split and not chosen:
        chosen = parts
    if not chosen:
        which = "".join(
            f" of the {what} {name!r}" for what, name in (("config", config), ("split", split)) if name
        )
        raise CorpusError(
            f"The data set {repository} has no readable file{which} ({', '.join(READABLE[:3])}): choose "
            "another, or download it and give a file."
        )
    return chosen


def _sentence(repository: str, problem: Exception) -> CorpusError:
    import httpx2
    from huggingface_hub.errors import (
        GatedRepoError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    if isinstance(problem, GatedRepoError):
        return CorpusError(
            f"The data set {repository} is gated: accept its terms on the hub and set HF_TOKEN to a token "
            "for it."
        )
    if isinstance(problem, RepositoryNotFoundError):
        return CorpusError(
            f"The hub has no data set named {repository}, or it is private: check the name, or set HF_TOKEN."
        )
    if isinstance(problem, (LocalEntryNotFoundError, OfflineModeIsEnabled, httpx2.TransportError)):
        return CorpusError(
            f"The data set {repository} cannot be downloaded, because the hub cannot be reached: check the "
            "network, or give a file."
        )
    return CorpusError(
        f"The data set {repository} could not be downloaded from the hub ({reason_of(problem)}): try again."
    )
