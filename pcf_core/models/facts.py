"""Facts in a shipped model's folder, beside its weights.

The truth of calibration models (``planted.json``), results with other training seeds (``seeds.json``), and
the training text (``training.json``).  Models are recognised by the hash of weights and configuration,
whatever their name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ConfigDict, Field

from pcf_core.core.errors import ModelError
from pcf_core.core.records import Record
from pcf_core.core.run import ModelSpec
from pcf_core.core.sensitivity import Planted, Seeds
from pcf_core.core.settings import settings
from pcf_core.models.folder import model_hash, weight_files, weights_hash, weights_present
from pcf_core.models.names import read_shipped

if TYPE_CHECKING:
    from pcf_core.core.factors import TrainingText

# The true results of calibration models.


PLANTED_FILE = "planted.json"


def planted_models() -> tuple[Planted, ...]:
    """Load the truth of the calibration models in the assets; ModelError if a file is damaged."""
    paths = sorted((settings().assets / "models").glob(f"*/{PLANTED_FILE}"))
    return tuple(_planted(path, path.parent.name) for path in paths)


def _planted(path: Path, name: str) -> Planted:
    def parse(data: bytes) -> Planted:
        planted = Planted.model_validate_json(data)
        if planted.model != name:
            raise ValueError(f"it belongs to the model {planted.model}")
        return planted

    return read_shipped(path, parse, f"The planted truth of the model {name} in {path}")


# Results with other training seeds.


SEEDS_FILE = "seeds.json"


def seeds_of(spec: ModelSpec) -> Seeds | None:
    """Return the measured risks of a model's seeds; ModelError if damaged, or of other weights."""
    path = Path(spec.path) / SEEDS_FILE
    if not spec.path or not path.is_file():
        return None
    subject = f"The file {SEEDS_FILE} of the model {spec.name}"
    remedy = "restore the shipped file, or remove it"
    seeds = read_shipped(path, Seeds.model_validate_json, subject, remedy=remedy)
    if seeds.identity != spec.identity:
        raise ModelError(
            f"{subject} was measured for {seeds.model} with other weights or another configuration "
            f"({seeds.identity[:12]}, not {spec.identity[:12]}): remove it, or measure again with python -m "
            "tools.measure_seeds."
        )
    return seeds


# The training text of shipped models.


TRAINING_FILE = "training.json"


class _Recipe(Record):
    """Tokens drawn in the two phases of a training from scratch."""

    model_config = ConfigDict(extra="ignore")

    tokens: int = Field(0, ge=0)
    last_tokens: int = Field(0, ge=0)


class _Facts(Record):
    """The entries of a ``training.json`` that are used; ``base_identity``: of a fine-tuned model's base."""

    model_config = ConfigDict(extra="ignore")

    weights_sha256: str = ""
    files: tuple[str, ...] = ()
    recipe: _Recipe = _Recipe()
    base: str = ""
    base_identity: str = ""


def training_of(identity: str) -> TrainingText | None:
    """Describe the training text of a shipped model by its identity; ``None`` for others.

    A fine-tuned model has the training text of its base.  Raises ModelError for a damaged ``training.json``.
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
    """Return name and facts of the shipped model with this identity, if its weights are those described."""
    for path in sorted((settings().assets / "models").glob(f"*/{TRAINING_FILE}")):
        folder = path.parent
        if not (weights_present(folder, folder.name) and (folder / "config.json").is_file()):
            continue  # listed as unusable
        weights = weight_files(folder, folder.name)
        if model_hash(weights, folder / "config.json") == identity:
            facts = read_shipped(
                path,
                _Facts.model_validate_json,
                f"The facts of the model {folder.name} in {path}",
                remedy="restore the shipped file from the repository",
            )
            return (folder.name, facts) if facts.weights_sha256 == weights_hash(weights) else None
    return None


def _text(model: str, facts: _Facts, base: str = "") -> TrainingText | None:
    from pcf_core.core.factors import TrainingText

    tokens = facts.recipe.tokens + facts.recipe.last_tokens
    return TrainingText(model, facts.files, tokens, base) if facts.files and tokens else None
