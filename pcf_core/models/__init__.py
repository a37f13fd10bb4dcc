"""Known models and how they are loaded.

Layer: may import ``records``, ``errors`` and ``settings``.  All files but ``loading`` only read files or, for
models behind an endpoint, ask its server, and never import torch; only a process that scores imports
``loading``.
"""

from pcf_core.models.known import KnownModel, known_model, known_models
from pcf_core.models.registry import left_out_models, list_models, resolve, resolve_to_score, resolve_writer

__all__ = [
    "KnownModel",
    "known_model",
    "known_models",
    "left_out_models",
    "list_models",
    "resolve",
    "resolve_to_score",
    "resolve_writer",
]
