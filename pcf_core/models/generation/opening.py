"""Open the generator of a model.  Torch is imported only when a local model is opened."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name

from pcf_core.core.families import FAMILIES
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.models.generation.base import Generator
from pcf_core.models.names import refuse_asking, require_allowed


def open_generator(spec: ModelSpec, decoding: Decoding) -> Generator:
    """Load the model and return its generator.

    Raises
    ------
    GenerationError
        A family that cannot write.
    ModelError
        A model that may not be used, cannot be reached or loaded; an endpoint that does not draw its tokens.
    ScoringError
        The endpoint cannot be reached, or refuses.
    """
    refuse_asking(spec.name)
    require_allowed(spec.name)
    key = GenerationKey.of(spec, decoding)
    make: Callable[..., Generator] = resolve_name(FAMILIES[spec.family].generator)
    if spec.family == "endpoint":
        return make(key)
    from pcf_core.models.loading import load

    return make(load(spec), key, context=spec.context)
