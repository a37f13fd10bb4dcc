"""From a model to its generator.  Torch is imported only when a local model is opened."""

from __future__ import annotations

from pcf_core.generation.base import Generator
from pcf_core.generation.endpoint import EndpointGenerator
from pcf_core.models.allowed import require_allowed
from pcf_core.records import ModelSpec
from pcf_core.records.generation import Decoding, GenerationKey


def open_generator(spec: ModelSpec, decoding: Decoding) -> Generator:
    """Load the model and return its generator.

    Raises:
        GenerationError: a family that cannot write.
        ModelError: a model that may not be asked, or cannot be loaded; an endpoint that does not draw its
            tokens.
        ScoringError: the endpoint cannot be reached, or refuses.
    """
    require_allowed(spec.name)
    key = GenerationKey.of(spec, decoding)
    if spec.family == "endpoint":
        return EndpointGenerator(key)
    from pcf_core.models.loading import load

    loaded = load(spec)
    if spec.family == "seq2seq":
        from pcf_core.generation.seq2seq import Seq2SeqGenerator

        return Seq2SeqGenerator(loaded, key, context=spec.context)
    from pcf_core.generation.local import CausalGenerator

    return CausalGenerator(loaded, key, context=spec.context)
