"""Which models may be asked anything: where the operator lists patterns, those that one of them fits."""

from __future__ import annotations

from fnmatch import fnmatchcase

from pcf_core.errors import ModelError
from pcf_core.models.names import split_name
from pcf_core.settings import settings

ENDPOINT = "endpoint:"


def is_model_allowed(name: str) -> bool:
    """Whether a model may be asked.

    A pattern (``mini-*``, ``org/*``, ``endpoint:*``, ``/data/models/*``) has to fit the whole name without
    family and revision.
    """
    patterns, model = settings().allowed_models, split_name(name).model
    return not patterns or any(_fits(model, pattern) for pattern in patterns)


def _fits(model: str, pattern: str) -> bool:
    """A star stands for no ``/``: an organisation named mini-x would else be on the list of ``mini-*``.

    The names that an endpoint serves are the operator's own, whatever is in them.
    """
    served = model.startswith(ENDPOINT) and pattern.startswith(ENDPOINT)
    return (
        ".." not in model.split("/")
        and (served or model.count("/") == pattern.count("/"))
        and fnmatchcase(model, pattern)
    )


def require_allowed(name: str) -> None:
    """Refuse a model that is not on the operator's list.

    Raises:
        ModelError: it is not.
    """
    if not is_model_allowed(name):
        raise ModelError(
            f"The model {name} may not be asked here: allowed are {', '.join(settings().allowed_models)} "
            "(PCF_ALLOWED_MODELS)."
        )
