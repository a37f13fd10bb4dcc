"""Which models there are: shipped, the operator's, in a directory, on the hub, behind an endpoint.

Also the truth of calibration models (``planted.json`` in a model's folder) and what is known of a model
trained again with other seeds (``seeds.json``).

**What a shipped model was trained on, where its folder says so and its weights are those that it says.**  A
model is known by the hash of its weights and configuration, so a copy under another name is found too, and
another model under a shipped name is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten

from pydantic import ConfigDict, Field, ValidationError

from pcf_core.core.errors import ModelError
from pcf_core.core.factors import TrainingText
from pcf_core.core.families import Family
from pcf_core.core.generation import INSPECTED
from pcf_core.core.records import LeftOut, Record
from pcf_core.core.run import IMPORTED, ModelSpec
from pcf_core.core.sensitivity import Planted, Seeds
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import shown
from pcf_core.models.endpoint import PREFIX, resolve_endpoint, resolve_writer_endpoint, survey_endpoint
from pcf_core.models.folder import ADAPTER, describe, model_hash, weight_files, weights_hash, weights_present
from pcf_core.models.gguf import SUFFIX, describe_gguf
from pcf_core.models.hub import require_allowed_code, resolve_hub
from pcf_core.models.inspected import resolve_inspected
from pcf_core.models.names import NAME, known_models, require_allowed, split_name
from pcf_core.models.public import public_model, public_models

MOST_NEAR = 3  # names that a refusal suggests


def list_models() -> tuple[ModelSpec, ...]:
    """List the public models, the shipped ones, the operator's in ``PCF_MODELS``, those behind the endpoint.

    Each part but the first is in the order of names.
    """
    return tuple(entry for entry in _survey() if isinstance(entry, ModelSpec))


def left_out_models() -> tuple[LeftOut, ...]:
    """List the models that cannot be used, with the reason."""
    return tuple(entry for entry in _survey() if isinstance(entry, LeftOut))


def resolve(name_or_path: str) -> ModelSpec:
    """Find the model that a user means: ``endpoint:NAME``, a listed name, a directory or GGUF file, a hub id.

    Each but the first may carry a family in front, a hub id a revision behind: ``masked:org/name@revision``.

    Raises
    ------
    ModelError
        There is none, it is unsafe or unsupported, or its family has to be chosen.
    """
    if name_or_path.startswith(PREFIX):
        return resolve_endpoint(name_or_path)
    if name_or_path.startswith(IMPORTED):
        raise ModelError(
            f"Of {shown(name_or_path)} there are imported results alone: only what came in its pack is read "
            "here."
        )
    if name_or_path.startswith(INSPECTED):
        raise ModelError(f"Of {shown(name_or_path)} there are texts alone, and no scores.")
    named = split_name(name_or_path)
    public = public_model(named.model)
    if public is not None:
        return _read_as(public.spec, named.family)
    if NAME.fullmatch(named.model):
        for root in _roots():
            for place in (root / named.model, root / f"{named.model}{SUFFIX}"):
                if (found := _model_at(place)) is not None:
                    return _describe_at(found, named.model, named.family)
    found = _as_path(named.pinned)
    if found is not None:
        return _describe_at(found, str(found), named.family)
    if named.is_hub_id:
        return resolve_hub(named).model_copy(update={"kind": "public"})
    meant = [model.name for model in known_models() if model.name.split("/")[1] == named.model]
    if meant:
        raise ModelError(f"There is no model named {name_or_path!r} here: its name on the hub is {meant[0]}.")
    names = [spec.name for spec in list_models()]
    near = get_close_matches(name_or_path, names, MOST_NEAR) or names[:MOST_NEAR]
    known = ", ".join(near) or "none"
    more = f" and {len(names) - len(near):,} more" if len(names) > len(near) else ""
    raise ModelError(
        f"There is no model named {name_or_path!r}: known are {known}{more}; or give a directory with a "
        "config.json, a GGUF file, or a hub id such as openai-community/gpt2."
    )


def resolve_to_score(name_or_path: str) -> ModelSpec:
    """Find a model as :func:`resolve`, to be scored: what loading would refuse is refused now.

    Raises
    ------
    ModelError
        As ``resolve``; a model that may not be asked, or whose own code may not run here.
    """
    spec = resolve(name_or_path)
    require_allowed(spec.name)
    require_allowed_code(spec)
    return spec


def resolve_writer(name_or_path: str, chat: bool = False) -> ModelSpec:
    """Find a model as :func:`resolve`, to write texts.

    Behind an endpoint, whose server need not tell log-probabilities then, ``chat`` makes a user's message of
    a prompt; a local model does so if its tokenizer has a template, whatever is asked for.  A model of which
    a log of Inspect brought texts is found by its name, so that they can be read.

    Raises
    ------
    ModelError
        As ``resolve_to_score``.
    """
    if name_or_path.startswith(PREFIX):
        require_allowed(name_or_path)
        return resolve_writer_endpoint(name_or_path, chat)
    if name_or_path.startswith(INSPECTED):
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
            yield LeftOut(name=str(root), reason="There is no such folder: PCF_MODELS names it.")
        for place in sorted(root.glob("*")):
            found = _model_at(place)
            if found is None:
                continue
            name = place.stem if place == found else place.name
            if not NAME.fullmatch(name):
                yield LeftOut(
                    name=name, reason="A model's name may hold letters, digits, '.', '_' and '-' only."
                )
            elif name in seen:
                yield LeftOut(name=name, reason=f"Another model is named {name}; rename {place}.")
            else:
                seen.add(name)
                try:
                    yield _describe_at(found, name, None)
                except ModelError as error:
                    yield LeftOut(name=name, reason=str(error))
    yield from survey_endpoint()


def _model_at(place: Path) -> Path | None:
    """Return a model directory, a GGUF file, or the only GGUF file in a directory; ``None`` for all else.

    A directory with an adapter alone counts, so that it is refused by what it is.
    """
    if (place / "config.json").is_file():
        return place
    files = [place] if place.suffix == SUFFIX else sorted(place.glob(f"*{SUFFIX}"))
    if len(files) == 1 and files[0].is_file():
        return files[0]
    return place if (place / ADAPTER).is_file() else None


def _describe_at(found: Path, name: str, asked: Family | None) -> ModelSpec:
    """Describe what :func:`_model_at` has found; a model of the assets is one that teaches something."""
    if found.suffix == SUFFIX and found.is_file():
        return _read_as(describe_gguf(found, name), asked)
    spec = describe(found, name, asked=asked)
    if found.parent != settings().assets / "models":
        return spec
    planted = (found / PLANTED_FILE).is_file()
    return spec.model_copy(update={"kind": "planted" if planted else "teaching"})


def _read_as(spec: ModelSpec, asked: Family | None) -> ModelSpec:
    """Return a model whose family nobody has to choose.

    Raises
    ------
    ModelError
        Another family was asked for.
    """
    if asked not in (None, spec.family):
        raise ModelError(f"The model {spec.name} cannot be read as {asked}: by its file it is {spec.family}.")
    return spec


def _as_path(text: str) -> Path | None:
    """Return the model directory or GGUF file that a text names, absolute; ``None`` where it names none.

    Raises
    ------
    ModelError
        Its name is no text.
    """
    if not text.strip() or "\0" in text:
        return None
    try:
        found = _model_at(Path(text).expanduser().resolve())
        str(found).encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"The name of {text!r} is not UTF-8, which keys are made of; rename it.") from error
    except (OSError, RuntimeError):  # a name too long for a path, an unknown ~user
        return None
    return found


# The shipped models whose truth is known: ``planted.json`` in a model's folder.


PLANTED_FILE = "planted.json"


def planted_models() -> tuple[Planted, ...]:
    """Load the truth of every calibration model in the assets, by name.

    Raises
    ------
    ModelError
        A file is not what is shipped.
    """
    found = []
    for path in sorted((settings().assets / "models").glob(f"*/{PLANTED_FILE}")):
        try:
            planted = Planted.model_validate_json(path.read_bytes())
            if planted.model != path.parent.name:
                raise ValueError(f"it speaks of {planted.model}")
        except (OSError, ValueError) as error:
            reason = shorten(str(error), 200, placeholder=" …")
            raise ModelError(
                f"The truth of the model {path.parent.name} in {path} cannot be read ({reason}): restore the "
                "shipped file."
            ) from error
        found.append(planted)
    return tuple(found)


# What is known of a model trained again with other seeds: ``seeds.json`` in its folder.


SEEDS_FILE = "seeds.json"


def seeds_of(spec: ModelSpec) -> Seeds | None:
    """Return the measured risks of the model's seeds; ``None`` if trained once only, or not at hand.

    Raises
    ------
    ModelError
        The file is not what is shipped, or was measured for other weights.
    """
    path = Path(spec.path) / SEEDS_FILE
    if not spec.path or not path.is_file():
        return None
    try:
        found = Seeds.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        reason = shorten(str(error), 200, placeholder=" …")
        raise ModelError(
            f"The file {SEEDS_FILE} of the model {spec.name} cannot be read ({reason}): restore the shipped "
            "file, or remove it."
        ) from error
    if found.identity != spec.identity:
        raise ModelError(
            f"The file {SEEDS_FILE} of the model {spec.name} was measured for {found.model} with other "
            f"weights or another configuration ({found.identity[:12]}, not {spec.identity[:12]}): remove it, "
            "or measure again with python -m tools.measure_seeds."
        )
    return found


# What a shipped model was trained on, where its folder says so and its weights are those that it says.


TRAINING_FILE = "training.json"


class _Recipe(Record):
    """Tokens drawn in the two phases of a training from the beginning; a fine-tuning states none."""

    model_config = ConfigDict(extra="ignore")

    tokens: int = Field(0, ge=0)
    last_tokens: int = Field(0, ge=0)


class _Facts(Record):
    """What is used of a ``training.json``.

    ``base_identity``: of the model that a fine-tuned one goes on from, see
    :class:`pcf_core.core.run.ModelSpec`.
    """

    model_config = ConfigDict(extra="ignore")

    weights_sha256: str = ""
    files: tuple[str, ...] = ()
    recipe: _Recipe = _Recipe()
    base: str = ""
    base_identity: str = ""


def training_of(identity: str) -> TrainingText | None:
    """Describe the training text of the model with this identity (see :class:`pcf_core.core.run.ModelSpec`).

    ``None`` where it is no shipped model whose training is told.  Of a fine-tuned model, the training that it
    goes on from; ``None`` where that is not a shipped model's own, known by its identity too.

    Raises
    ------
    ModelError
        A ``training.json`` of the assets is damaged.
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
    """Return name and facts of the shipped model with this identity; ``None`` if its weights differ."""
    for path in sorted((settings().assets / "models").glob(f"*/{TRAINING_FILE}")):
        folder = path.parent
        if not (weights_present(folder, folder.name) and (folder / "config.json").is_file()):
            continue  # the list of models names it among those that cannot be used
        weights = weight_files(folder, folder.name)
        if model_hash(weights, folder / "config.json") == identity:
            facts = _facts(path)
            return (folder.name, facts) if facts.weights_sha256 == weights_hash(weights) else None
    return None


def _text(model: str, facts: _Facts, base: str = "") -> TrainingText | None:
    """Describe the text of these facts; ``None`` where nothing was read, as in a planted model."""
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
