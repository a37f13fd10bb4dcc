"""Which models there are: shipped, the operator's, in a directory, on the hub, behind an endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pcf_core.core.errors import ModelError
from pcf_core.core.families import Family
from pcf_core.core.frame import is_framed
from pcf_core.core.generation import INSPECTED
from pcf_core.core.records import LeftOut
from pcf_core.core.run import IMPORTED, ModelSpec
from pcf_core.core.sampled import Samples
from pcf_core.core.settings import settings
from pcf_core.material.safety.text import shown
from pcf_core.models.adapter import ADAPTER, Adapter, adapter_spec, read_adapter
from pcf_core.models.beginnings import with_opening
from pcf_core.models.facts import PLANTED_FILE
from pcf_core.models.family import context_of, needs_remote_code
from pcf_core.models.folder import (
    describe,
    file_facts,
    read_config,
    weights_present,
)
from pcf_core.models.gguf import SUFFIX, describe_gguf
from pcf_core.models.hub import (
    describe_hub,
    has_whole_weights,
    hub_folder,
    is_cached,
    require_allowed_code,
)
from pcf_core.models.names import (
    ENDPOINT,
    NAME,
    ModelName,
    known_models,
    require_allowed,
    split_name,
)
from pcf_core.models.public import public_model, public_models

MOST_NEAR = 3  # names to suggest


def list_models() -> tuple[ModelSpec, ...]:
    """List public models, shipped ones, the operator's in ``PCF_MODELS``, and those behind the endpoint."""
    return tuple(with_opening(entry) for entry in _survey() if isinstance(entry, ModelSpec))


def left_out_models() -> tuple[LeftOut, ...]:
    """List the models that cannot be used, with the reason."""
    return tuple(entry for entry in _survey() if isinstance(entry, LeftOut))


def adapters_among(names: Iterable[str]) -> tuple[ModelSpec, ...]:
    """Describe those of the models that are adapters, on this computer, and can be used."""
    here = (spec for name in names if (spec := _at_hand(name)) is not None)
    return tuple(spec for spec in here if spec.base)


def _at_hand(name: str) -> ModelSpec | None:
    """Describe a model if it is on this computer and can be used."""
    try:
        named = split_name(name)
        here = _place_of(named) is not None or (named.is_hub_id and is_cached(name))
        return resolve(name) if here and not is_framed(name) else None
    except ModelError:
        return None


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
    if (folder_and_name := _place_of(named)) is not None:
        return _describe_at(*folder_and_name, named.family)
    if named.is_hub_id:
        folder = hub_folder(named)
        if is_adapter(folder, named.pinned, has_whole_weights(named.model, folder.name)):
            spec = _describe_adapter(folder, named.pinned, named.family)
        else:
            spec = describe_hub(named, folder)
        return spec.model_copy(update={"kind": "public"})
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
    for used in filter(None, (spec.name, spec.base)):
        require_allowed(used)
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


def listed_tokens(name: str, sampling: Samples) -> int:
    """Return how many likeliest first tokens an endpoint lists in place of draws, 0 if it must be sampled.

    The probabilities are those at temperature 1, so other temperatures are sampled.
    """
    if not (name.startswith(ENDPOINT) and sampling.chat and sampling.temperature == 1):
        return 0
    from pcf_core.models.endpoint import known_listed

    require_allowed(name)
    return known_listed(name)


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


def _place_of(named: ModelName) -> tuple[Path, str] | None:
    """Return where the model of a listed name or of a path is, and its name."""
    if NAME.fullmatch(named.model):
        for root in _roots():
            for path in (root / named.model, root / f"{named.model}{SUFFIX}"):
                if (model := _model_at(path)) is not None:
                    return model, named.model
    given = _as_path(named.pinned)
    return None if given is None else (given, str(given))


def _model_at(path: Path) -> Path | None:
    """Return a directory of a model or an adapter, a GGUF file, or the only one in a directory, if any."""
    if (path / "config.json").is_file():
        return path
    files = [path] if path.suffix == SUFFIX else sorted(path.glob(f"*{SUFFIX}"))
    if len(files) == 1 and files[0].is_file():
        return files[0]
    return path if (path / ADAPTER).is_file() else None


def _describe_at(path: Path, name: str, requested: Family | None) -> ModelSpec:
    """Describe a directory, GGUF file or adapter; models of the assets are teaching models.

    The path of a file says what of its folder is meant, an adapter or whole weights.
    """
    if path.suffix == SUFFIX and path.is_file():
        spec = _read_as(describe_gguf(path, name), requested)
        shipped = settings().assets / "models" in path.parents
        return spec.model_copy(update={"kind": "teaching"}) if shipped else spec
    if path.name == ADAPTER or (path.is_dir() and is_adapter(path, name)):
        return _describe_adapter(path, name, requested)
    path = path.parent if path.name == CONFIG else path
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
        given = Path(text).expanduser().resolve()
        path = given if given.name in (ADAPTER, CONFIG) and given.is_file() else _model_at(given)
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"The name of {text!r} is not valid UTF-8: rename it.") from error
    except (OSError, RuntimeError):  # too long, or an unknown ~user
        return None
    return path


# Adapters, and the models that they change.


CONFIG = "config.json"


def is_adapter(folder: Path, name: str, listed: bool | None = None) -> bool:
    """Tell whether a folder has an adapter and no whole weights; ModelError if it has both.

    ``listed``: whether a hub model has weights, perhaps not downloaded.
    """
    if not (folder / ADAPTER).is_file():
        return False
    if not (folder / CONFIG).is_file() or not (listed or weights_present(folder, name)):
        return True
    raise ModelError(
        f"The folder {folder} of the model {name} has whole weights and an adapter ({ADAPTER}): give "
        f"{folder / CONFIG} if the weights alone are meant, or {folder / ADAPTER} for the adapter on the "
        "model that it changes."
    )


def _describe_adapter(path: Path, name: str, requested: Family | None) -> ModelSpec:
    """Describe the model that an adapter makes of its base; ``path``: its folder, or its file."""
    folder = path if path.is_dir() else path.parent
    adapter = read_adapter(folder, name, alone=path == folder)
    return adapter_spec(adapter, name, _base_of(adapter, name, requested))


def _base_of(adapter: Adapter, name: str, requested: Family | None) -> ModelSpec:
    """Describe the model that an adapter changes; ModelError unless it is on this computer, and whole."""
    named = split_name(adapter.base)
    here, public = _place_of(named), public_model(named.model)
    cached = here is None and named.is_hub_id and is_cached(named.pinned)
    if here is None and public is None and not cached:
        raise ModelError(_absent(adapter, name))
    folder, model = here or (hub_folder(named) if cached else None, named.pinned)
    if folder and (folder.name == ADAPTER or (folder.is_dir() and is_adapter(folder, adapter.base))):
        raise ModelError(
            f"The adapter {name} changes {adapter.base}, which is an adapter itself: merge that one into its "
            "model, save the result with its tokenizer, and write its folder as base_model_name_or_path into "
            f"{adapter.folder / ADAPTER}."
        )
    if folder and any(folder.parent == root.resolve() for root in _roots()):
        model = folder.name.removesuffix(SUFFIX)
    family = requested or named.family
    base = resolve(f"{family}:{model}" if family else model)
    if not base.path:
        raise ModelError(_absent(adapter, name))
    return base


def _absent(adapter: Adapter, name: str) -> str:
    get = f"download it (python -m pcf_core models get {adapter.base})"
    known = public_model(adapter.base) is not None or split_name(adapter.base).is_hub_id
    return (
        f"The adapter {name} changes the model {shown(adapter.base)}, which is not on this computer: "
        f"{get if known else 'copy its folder there'}, or write the folder where you have it as "
        f"base_model_name_or_path into {adapter.folder / ADAPTER}."
    )


# NLI models, described without loading them.


CLASSIFIER = "ForSequenceClassification"
ENTAILS = "entail"  # beginning of the class's name, in any case


def resolve_entailment(name_or_path: str) -> ModelSpec:
    """Find an NLI model in a directory or on the hub (``org/name``, optionally ``@revision``).

    As for :func:`resolve`, weights are downloaded on loading.  ``family`` has no meaning here.  Raises
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
