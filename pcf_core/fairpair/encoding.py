"""Which model makes vectors of texts, and from its key to the encoder.  Torch comes only with opening one."""

from __future__ import annotations

from collections.abc import Callable

from pcf_core.errors import FairPairError, ModelError
from pcf_core.fairpair.dissimilarity import Encode
from pcf_core.models import resolve_to_score
from pcf_core.models.names import split_name
from pcf_core.records import ModelSpec
from pcf_core.records.fairpair_run import EMBEDDING, EncoderKey

USUAL_ENCODER = "mini-bert"
OpenEncoder = Callable[[EncoderKey], Encode]


def encoder_key(choice: str) -> EncoderKey:
    """The encoder of ``embedding:MODEL``; ``embedding`` alone is that of the shipped one.

    A checkpoint without a language-model head is read as masked: only its body is used.

    Raises:
        FairPairError: the model does not read in both directions.
        ModelError: there is no such model, or it may not run here.
    """
    model = choice.removeprefix(EMBEDDING).removeprefix(":") or USUAL_ENCODER
    family = split_name(model).family
    if model.startswith("endpoint:") or family not in (None, "masked"):
        raise FairPairError(_no_encoder(model, family or "an endpoint's"))
    spec = _resolved(model)
    if spec.family != "masked":
        raise FairPairError(_no_encoder(model, spec.family))
    return EncoderKey(model=spec.name, identity=spec.identity, tokenizer=spec.tokenizer)


def _resolved(model: str) -> ModelSpec:
    """As masked, where the configuration leaves open which family it is."""
    try:
        return resolve_to_score(model)
    except ModelError as first:
        try:
            return resolve_to_score(f"masked:{model}")
        except ModelError:
            raise first from None


def open_encoder(key: EncoderKey) -> Encode:
    """Load the model of a key.

    Raises:
        ModelError: it cannot be loaded, or is another one now.
    """
    spec = resolve_to_score(key.model)
    if (spec.identity, spec.tokenizer) != (key.identity, key.tokenizer):
        raise ModelError(
            f"The encoder {key.model} is not the one that was asked for ({key.identity} then, "
            f"{spec.identity} now): it has changed; ask again."
        )
    from pcf_core.fairpair.mean_pooling import MeanPooling
    from pcf_core.models.loading import load_body

    return MeanPooling(load_body(spec), key.model, context=spec.context)


def _no_encoder(model: str, kind: str) -> str:
    return (
        f"The model {model} is {kind}: an encoder reads a text in both directions; choose a masked model, "
        f"such as {EMBEDDING}:{USUAL_ENCODER}."
    )
