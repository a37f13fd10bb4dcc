"""Known models and how they are loaded.

Layer: may import ``records``, ``errors`` and ``settings``.  ``registry``, ``folder``, ``identity`` and
``hub`` read files only and never import torch; ``loading`` is the one file here that does, and only a process
that scores imports it.
"""

from pcf_core.models.registry import left_out_models, list_models, resolve

__all__ = ["left_out_models", "list_models", "resolve"]
