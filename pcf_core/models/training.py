"""What a shipped model was trained on, where its folder says so and its weights are those that it says.

A model is known by the hash of its weights and configuration, so a copy under another name is found too, and
another model under a shipped name is not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pcf_core.errors import ModelError
from pcf_core.models.identity import model_hash, weights_hash
from pcf_core.models.weights import weight_files, weights_present
from pcf_core.records.read import TrainingText
from pcf_core.settings import settings

FILE_NAME = "training.json"


def training_of(identity: str) -> TrainingText | None:
    """What the model with this identity (see :class:`pcf_core.records.ModelSpec`) read.

    ``None`` where it is no shipped model whose training is told.  Of a fine-tuned model, the training that it
    goes on from.

    Raises:
        ModelError: a ``training.json`` of the assets is damaged.
    """
    root = settings().assets / "models"
    for path in sorted(root.glob(f"*/{FILE_NAME}")):
        folder = path.parent
        if not (weights_present(folder) and (folder / "config.json").is_file()):
            continue  # the list of models names it among those that cannot be used
        weights = weight_files(folder, folder.name)
        if model_hash(weights, folder / "config.json") != identity:
            continue
        facts = _facts(path)
        if facts.get("weights_sha256") != weights_hash(weights):
            return None
        base = str(facts.get("base", ""))
        return _text(folder.name, _facts(root / base / FILE_NAME) if base else facts, base)
    return None


def _text(model: str, facts: dict[str, Any], base: str) -> TrainingText | None:
    """The text of these facts; ``None`` where they tell of another kind of training."""
    files, recipe = facts.get("files"), facts.get("recipe")
    if not isinstance(files, list) or not isinstance(recipe, dict):
        return None
    tokens = int(recipe.get("tokens", 0)) + int(recipe.get("last_tokens", 0))
    return TrainingText(model, tuple(map(str, files)), tokens, base)


def _facts(path: Path) -> dict[str, Any]:
    try:
        table = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ModelError(
            f"The shipped file {path} cannot be read ({problem}): restore it from the repository."
        ) from problem
    return table if isinstance(table, dict) else {}
