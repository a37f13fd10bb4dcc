"""What a shipped model was trained on, where its folder says so and its weights are those that it says.

A model is known by the hash of its weights and configuration, so a copy under another name is found too, and
another model under a shipped name is not.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

from pydantic import ConfigDict, Field

from pcf_core.errors import ModelError
from pcf_core.models.identity import model_hash, weights_hash
from pcf_core.models.weights import weight_files, weights_present
from pcf_core.records.base import Record
from pcf_core.records.read import TrainingText
from pcf_core.settings import settings

FILE_NAME = "training.json"


class _Recipe(Record):
    """Tokens drawn in the two phases of a training from the beginning; a fine-tuning states none."""

    model_config = ConfigDict(extra="ignore")

    tokens: int = Field(0, ge=0)
    last_tokens: int = Field(0, ge=0)


class _Facts(Record):
    """What is used of a ``training.json``.

    ``base_identity``: of the model that a fine-tuned one goes on from, see
    :class:`pcf_core.records.ModelSpec`.
    """

    model_config = ConfigDict(extra="ignore")

    weights_sha256: str = ""
    files: tuple[str, ...] = ()
    recipe: _Recipe = _Recipe()
    base: str = ""
    base_identity: str = ""


def training_of(identity: str) -> TrainingText | None:
    """What the model with this identity (see :class:`pcf_core.records.ModelSpec`) read.

    ``None`` where it is no shipped model whose training is told.  Of a fine-tuned model, the training that it
    goes on from; ``None`` where that is not a shipped model's own, known by its identity too.

    Raises:
        ModelError: a ``training.json`` of the assets is damaged.
    """
    shipped = _shipped(identity)
    if shipped is None:
        return None
    model, facts = shipped
    if not facts.base:
        return _text(model, facts)
    base = _shipped(facts.base_identity)
    return None if base is None or base[1].base else _text(model, base[1], base[0])


def _shipped(identity: str) -> tuple[str, _Facts] | None:
    """Name and facts of the shipped model with this identity; ``None`` for none, or of other weights."""
    for path in sorted((settings().assets / "models").glob(f"*/{FILE_NAME}")):
        folder = path.parent
        if not (weights_present(folder, folder.name) and (folder / "config.json").is_file()):
            continue  # the list of models names it among those that cannot be used
        weights = weight_files(folder, folder.name)
        if model_hash(weights, folder / "config.json") == identity:
            facts = _facts(path)
            return (folder.name, facts) if facts.weights_sha256 == weights_hash(weights) else None
    return None


def _text(model: str, facts: _Facts, base: str = "") -> TrainingText | None:
    """The text of these facts; ``None`` where nothing was read, as in a planted model."""
    tokens = facts.recipe.tokens + facts.recipe.last_tokens
    return TrainingText(model, facts.files, tokens, base) if facts.files and tokens else None


def _facts(path: Path) -> _Facts:
    try:
        return _Facts.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as problem:
        reason = shorten(str(problem), 200, placeholder=" …")
        raise ModelError(
            f"The facts of the model {path.parent.name} in {path} cannot be read ({reason}): restore the "
            "shipped file from the repository."
        ) from problem
