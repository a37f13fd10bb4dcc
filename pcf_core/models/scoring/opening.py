"""Open the scorer of a model's family.  No torch until then."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import get_args

from pcf_core.core.errors import ModelError
from pcf_core.core.families import FAMILIES, facts_of
from pcf_core.core.run import ModelSpec, Protocol, ScoringKey
from pcf_core.models.names import require_allowed
from pcf_core.models.scoring.base import Scorer

PROTOCOLS = get_args(Protocol)


def check_protocol(name: str, family: str, protocol: str) -> None:
    """Refuse a protocol that a model of this family cannot be scored with, before anything is loaded.

    Raises
    ------
    ModelError
        An unknown protocol, or one that the family does not have.
    """
    if protocol not in PROTOCOLS:
        raise ModelError(f"There is no protocol {protocol!r}: choose one of {', '.join(PROTOCOLS)}.")
    refusal = facts_of(family).without_boundary
    if refusal and protocol == "exact-boundary":
        reason = refusal.format(name=name, family=family)
        raise ModelError(f"The protocol exact-boundary {reason}: use exact.")


def open_scorer(spec: ModelSpec, protocol: str = "exact") -> Scorer:
    """Load the model and return its scorer; a selection takes from the rows of ``exact``.

    Raises
    ------
    ModelError
        An unknown protocol, or one that the family does not have; a model that may not be used, or cannot be
        loaded.
    """
    require_allowed(spec.name)
    check_protocol(spec.name, spec.family, protocol)
    make: Callable[..., Scorer] = resolve_name(FAMILIES[spec.family].scorer)
    key = ScoringKey.of(spec, protocol)
    if spec.family == "endpoint":
        from pcf_core.models.endpoint import open_endpoint

        return make(open_endpoint(spec), key)
    from pcf_core.models.loading import load

    return make(load(spec), key, context=spec.context)
