"""Which models there are: shipped, the operator's, in a directory, on the hub, behind an endpoint.

Also facts in a shipped model's folder: the truth of calibration models (``planted.json``), results with other
training seeds (``seeds.json``), and the training text (``training.json``).  Models are recognised by the hash
of weights and configuration, whatever their name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from pcf_core.core.errors import ModelError
from pcf_core.core.families import Family
from pcf_core.core.frame import is_framed
from pcf_core.core.generation import INSPECTED
from pcf_core.core.records import LeftOut, Record
from pcf_core.core.run import IMPORTED, ModelSpec
from pcf_core.core.sensitivity import Planted, Seeds
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import shown
from pcf_core.models.beginnings import with_opening
from pcf_core.models.family import context_of, needs_remote_code
from pcf_core.models.folder import (
    ADAPTER,
    describe,
    file_facts,
    model_hash,
    read_config,
    weight_files,
    weights_hash,
    weights_present,
)
from pcf_core.models.gguf import SUFFIX, describe_gguf
from pcf_core.models.hub import hub_folder, require_allowed_code, resolve_hub
from pcf_core.models.names import ENDPOINT, NAME, known_models, read_shipped, require_allowed, split_name
from pcf_core.models.public import public_model, public_models

if TYPE_CHECKING:
    from pcf_core.core.factors import TrainingText

MOST_NEAR = 3  # names to suggest


def list_models() -> tuple[ModelSpec, ...]:
    """List public models, shipped ones, the operator's in ``PCF_MODELS``, and those behind the endpoint."""
    return tuple(with_opening(entry) for entry in _survey() if isinstance(entry, ModelSpec))


def left_out_models() -> tuple[LeftOut, ...]:
    """List the models that cannot be used, with the reason."""
    return tuple(entry for entry in _survey() if isinstance(entry, LeftOut))


def resolve(name_or_path: str) -> ModelSpec:
    """Find a model: ``endpoint:NAME``, a listed name, a directory or GGUF file, or a hub id.

    All but the first may have a family in front, a hub id a revision after it: ``masked:org/name@revision``.
    Raises ModelError if there is none, it is unsafe or unsupported, or its family has to be chosen.
    """
    return with_opening(_resolved(name_or_path))


def _resolved(name_or_path: str) -> ModelSpec:
    if name_or_path.startswith(ENDPOINT):
        from pcf_core.models.endpoint import resolve_endpoint

        return resolve_endpoint(name_or_path)
    if name_or_path.startswith(IMPORTED):
        raise ModelError(
            f"The model {shown(name_or_path)} is not installed, only its imported results: add the model "
            "itself to score it."
        )
    if is_framed(name_or_path):
        raise ModelError(
            f"{shown(name_or_path)} is the name of results in a frame: give the model's name without the "
            "part in brackets, with --frame."
        )
    if name_or_path.startswith(INSPECTED):
        raise ModelError(f"The model {shown(name_or_path)} has only imported texts, no scores.")
    named = split_name(name_or_path)
    public = public_model(named.model)
    if public is not None:
        return _read_as(public.spec, named.family)
    if NAME.fullmatch(named.model):
        for root in _roots():
            for path in (root / named.model, root / f"{named.model}{SUFFIX}"):
                if (model := _model_at(path)) is not None:
                    return _describe_at(model, named.model, named.family)
    model = _as_path(named.pinned)
    if model is not None:
        return _describe_at(model, str(model), named.family)
    if named.is_hub_id:
        return resolve_hub(named).model_copy(update={"kind": "public"})
    meant = [model.name for model in known_models() if model.name.split("/")[1] == named.model]
    if meant:
        raise ModelError(f"There is no model named {name_or_path!r}: use its name on the hub, {meant[0]}.")
    names = [spec.name for spec in list_models()]
    near = get_close_matches(name_or_path, names, MOST_NEAR) or names[:MOST_NEAR]
    more = f" and {len(names) - len(near):,} more" if len(names) > len(near) else ""
    choose = f"choose one of {', '.join(near)}{more}, or " if near else ""
    raise ModelError(
        f"There is no model named {name_or_path!r}: {choose}give a directory with a config.json, "
        "a GGUF file, or a hub id such as openai-community/gpt2."
    )


def resolve_to_score(name_or_path: str) -> ModelSpec:
    """Find a model for scoring; ModelError also if it, or its own code, is not allowed."""
    spec = resolve(name_or_path)
    require_allowed(spec.name)
    require_allowed_code(spec)
    return spec


def resolve_writer(name_or_path: str, chat: bool = False) -> ModelSpec:
    """Find a model to write texts; raises as :func:`resolve_to_score`.

    ``chat``: prompts are messages to an endpoint; for local models the tokenizer decides.  Models whose texts
    came in an Inspect log are found by name.
    """
    if name_or_path.startswith(ENDPOINT):
        from pcf_core.models.endpoint import resolve_writer_endpoint

        require_allowed(name_or_path)
        return resolve_writer_endpoint(name_or_path, chat)
    if name_or_path.startswith(INSPECTED):
        from pcf_core.models.endpoint import resolve_inspected

        return resolve_inspected(name_or_path)
    return resolve_to_score(name_or_path)


def _roots() -> tuple[Path, ...]:
    shipped = settings().assets / "models"
    own = settings().models
    return (shipped,) if own is None else (shipped, own)


def _survey() -> Iterator[ModelSpec | LeftOut]:
    seen = {model.name for model in public_models()}
    yield from (model.spec for model in public_models())
    for root in _roots():
        if root == settings().models and not root.is_dir():
            yield LeftOut(name=str(root), reason="There is no such folder: correct PCF_MODELS.")
        for path in sorted(root.glob("*")):
            model = _model_at(path)
            if model is None:
                continue
            name = path.stem if path == model else path.name
            if not NAME.fullmatch(name):
                yield LeftOut(
                    name=name,
                    reason="A model's name may have only letters, digits, '.', '_' and '-': "
                    "rename the folder.",
                )
            elif name in seen:
                yield LeftOut(name=name, reason=f"Another model has the name {name}: rename {path}.")
            else:
                seen.add(name)
                try:
                    yield _describe_at(model, name, None)
                except ModelError as error:
                    yield LeftOut(name=name, reason=str(error))
    if settings().endpoint_url is not None:
        from pcf_core.models.endpoint import survey_endpoint  # imports HTTP code

        yield from survey_endpoint()


def _model_at(path: Path) -> Path | None:
    """Return a model directory, a GGUF file, or the only GGUF file in a directory, if any.

    A directory with only an adapter counts, so that it is refused as one.
    """
    if (path / "config.json").is_file():
        return path
    files = [path] if path.suffix == SUFFIX else sorted(path.glob(f"*{SUFFIX}"))
    if len(files) == 1 and files[0].is_file():
        return files[0]
    return path if (path / ADAPTER).is_file() else None


def _describe_at(path: Path, name: str, requested: Family | None) -> ModelSpec:
    """Describe a directory or GGUF file; models of the assets are teaching models."""
    if path.suffix == SUFFIX and path.is_file():
        return _read_as(describe_gguf(path, name), requested)
    spec = describe(path, name, requested=requested)
    if path.parent != settings().assets / "models":
        return spec
    planted = (path / PLANTED_FILE).is_file()
    return spec.model_copy(update={"kind": "planted" if planted else "teaching"})


def _read_as(spec: ModelSpec, requested: Family | None) -> ModelSpec:
    if requested not in (None, spec.family):
        raise ModelError(
            f"The model {spec.name} cannot be read as {requested}, because its file says that it is "
            f"{spec.family}."
        )
    return spec


def _as_path(text: str) -> Path | None:
    if not text.strip() or "\0" in text:
        return None
    try:
        path = _model_at(Path(text).expanduser().resolve())
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"The name of {text!r} is not valid UTF-8: rename it.") from error
    except (OSError, RuntimeError):  # too long, or an unknown ~user
        return None
    return path


# NLI models, described without loading them.


CLASSIFIER = "ForSequenceClassification"
ENTAILS = "entail"  # beginning of the class's name, in any case


def resolve_entailment(name_or_path: str) -> ModelSpec:
    """Find an NLI model in a directory or on the hub (``org/name``, optionally ``@revision``).

    As for :func:`resolve_hub`, weights are downloaded on loading.  ``family`` has no meaning here.  Raises
    ModelError if there is none, it is not allowed, has no safetensors or tokenizer, needs its own code, or is
    no classifier with one class for entailment.
    """
    revision = ""
    try:
        folder = Path(name_or_path).expanduser().resolve()
        local = (folder / "config.json").is_file()
    except (OSError, ValueError, RuntimeError):  # too long, a null byte, or an unknown ~user
        local = False
    # An existing folder is never a hub id.
    require_allowed(str(folder) if local else name_or_path)
    if not local:
        named = split_name(name_or_path)
        if not named.is_hub_id:
            raise ModelError(
                f"There is no NLI model {name_or_path!r}: give a directory with a config.json, or a hub id "
                "such as MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli."
            )
        folder = hub_folder(named)
        revision = folder.name
    config = read_config(folder, name_or_path)
    entailment_class(config, name_or_path)
    if needs_remote_code(config):
        raise ModelError(
            f"The NLI model {name_or_path} needs code of its own, which is not allowed: choose another."
        )
    return ModelSpec(
        name=name_or_path,
        family="masked",
        **file_facts(folder, name_or_path, revision),
        context=context_of(config),
    )


def entailment_class(config: Mapping[str, Any], name: str) -> int:
    """Return the index of the class for entailment, or raise ModelError."""
    architectures = config.get("architectures") or []
    if not any(str(one).endswith(CLASSIFIER) for one in architectures):
        raise ModelError(
            f"The model {name} is not an NLI model: its config.json names "
            f"{architectures or 'no architecture'}, but one that ends in {CLASSIFIER} is needed."
        )
    classes = config.get("id2label") or {}
    entailing = [int(number) for number, name in classes.items() if str(name).lower().startswith(ENTAILS)]
    if len(entailing) != 1:
        named = ", ".join(map(str, classes.values())) or "not named"
        raise ModelError(
            f"The classes of {name} are {named}, but an NLI model must have one called "
            "entailment: choose another model."
        )
    return entailing[0]


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
