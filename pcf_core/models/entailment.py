"""Models that say whether a text entails a sentence (NLI): found and described without loading them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcf_core.core.errors import ModelError
from pcf_core.core.run import ModelSpec
from pcf_core.models.family import context_of, needs_remote_code
from pcf_core.models.folder import (
    count_parameters,
    model_hash,
    read_config,
    tokenizer_files,
    tokenizer_hash,
    weight_files,
    weights_present,
)
from pcf_core.models.hub import hub_folder
from pcf_core.models.names import require_allowed, split_name

HEAD = "ForSequenceClassification"
ENTAILS = "entail"  # with which the name of the class begins, in any case


def resolve_entailment(name_or_path: str) -> ModelSpec:
    """Find the NLI model in a directory, or of the hub: ``org/name``, with ``@revision`` if wanted.

    ``identity`` is the hash of weights and configuration, of a hub model the commit of its revision: its
    weights are fetched by who loads it, and ``path`` is empty until then.  Its ``family`` says nothing: it is
    loaded by :func:`pcf_core.models.loading.load_classifier`.

    Raises
    ------
    ModelError
        There is none, the operator does not allow it, it has no safetensors or tokenizer, needs code of its
        own, is no sequence classifier, or has not one class for entailment.
    """
    revision = ""
    try:
        folder = Path(name_or_path).expanduser().resolve()
        local = (folder / "config.json").is_file()
    except (OSError, ValueError, RuntimeError):  # too long for a path, a null byte, an unknown ~user
        local = False
    # A folder is what it is, however it is named: home/m is no hub id then.
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
            f"The NLI model {name_or_path} needs code of its own, which may not run: take another."
        )
    weights = (
        weight_files(folder, name_or_path) if weights_present(folder, name_or_path) or not revision else []
    )
    return ModelSpec(
        name=name_or_path,
        family="masked",
        path=str(folder.resolve()) if weights else "",
        identity=revision or model_hash(weights, folder / "config.json"),
        tokenizer=tokenizer_hash(tokenizer_files(folder, name_or_path)),
        parameters=sum(count_parameters(path, name_or_path) for path in weights),
        context=context_of(config),
    )


def entailment_class(config: Mapping[str, Any], name: str) -> int:
    """Return the number of the class that says a text entails a sentence.

    Raises
    ------
    ModelError
        It is no sequence classifier, or has not one such class.
    """
    architectures = config.get("architectures") or []
    if not any(str(one).endswith(HEAD) for one in architectures):
        raise ModelError(
            f"The model {name} is no NLI model: its config.json names {architectures or 'no architecture'}, "
            f"and one that ends in {HEAD} is needed."
        )
    classes = config.get("id2label") or {}
    found = [int(place) for place, title in classes.items() if str(title).lower().startswith(ENTAILS)]
    if len(found) != 1:
        named = ", ".join(map(str, classes.values())) or "not named"
        raise ModelError(f"The classes of {name} are {named}: an NLI model has one called entailment.")
    return found[0]
