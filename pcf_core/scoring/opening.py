"""Open the scorer of a model's family.  No torch until then."""

from __future__ import annotations

from pcf_core.errors import ModelError
from pcf_core.models.allowed import require_allowed
from pcf_core.records import ModelSpec, ScoringKey
from pcf_core.scoring.base import Scorer

PROTOCOLS = ("exact", "exact-boundary", "single-token")


def check_protocol(name: str, family: str, protocol: str) -> None:
    """Refuse what a model of this family cannot be scored with, before anything is loaded.

    Raises:
        ModelError: an unknown protocol, or one that the family does not have.
    """
    if protocol not in PROTOCOLS:
        raise ModelError(f"There is no protocol {protocol!r}; choose one of {', '.join(PROTOCOLS)}.")
    if protocol != "exact-boundary":
        return
    if family in ("masked", "permutation"):
        raise ModelError(
            "The protocol exact-boundary is for causal models and those with sentinels (T5), and "
            f"{name} is a {family} model; use exact."
        )
    if family == "endpoint":
        raise ModelError(
            f"The protocol exact-boundary needs whole distributions, and the server of {name} gives "
            "none; use exact."
        )


def open_scorer(spec: ModelSpec, protocol: str = "exact") -> Scorer:
    """Load the model and return its scorer; ``single-token`` selects from the rows of ``exact``.

    Raises:
        ModelError: an unknown protocol, or one that the family does not have; a model that may not be asked,
            or cannot be loaded.
    """
    require_allowed(spec.name)
    check_protocol(spec.name, spec.family, protocol)
    if spec.family == "endpoint":
        from pcf_core.models.endpoint import open_endpoint
        from pcf_core.scoring.endpoint import EndpointScorer

        return EndpointScorer(open_endpoint(spec), ScoringKey.of(spec, protocol))
    from pcf_core.models.loading import load

    loaded = load(spec)
    key = ScoringKey.of(spec, protocol)
    if spec.family == "masked":
        from pcf_core.scoring.masked import MaskedScorer

        return MaskedScorer(loaded, key, context=spec.context)
    if spec.family == "permutation":
        from pcf_core.scoring.permutation import PermutationScorer

        return PermutationScorer(loaded, key, context=spec.context)
    if spec.family == "seq2seq":
        from pcf_core.scoring.seq2seq import Seq2SeqScorer

        return Seq2SeqScorer(loaded, key, context=spec.context)
    from pcf_core.scoring.causal import CausalScorer

    return CausalScorer(loaded, key, context=spec.context)
