"""The number type that a model computes with: chosen by name, or by the model's own and this machine's GPUs.

A precision is part of every key, so it is chosen before anything is queued, by processes that never load
torch.  For ``auto`` the program that comes with the GPUs' driver says what they can do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.models.names import BYTES_A_WEIGHT

AUTO = "auto"
DTYPES = tuple(BYTES_A_WEIGHT)
PRECISIONS = (AUTO, *DTYPES)
# The least compute capability of NVIDIA's hardware that computes with a type.
LEAST_CAPABILITY = {"float32": 0.0, "float16": 5.3, "bfloat16": 8.0}
PROBE = ("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
PATIENCE = 20  # seconds; a driver that was asleep takes a few


def in_precision(spec: ModelSpec, precision: str) -> ModelSpec:
    """Return a model in a precision; one behind an endpoint stays as it is.  Raises as precisions_of."""
    return precisions_of(spec, precision)[0]


def precisions_of(spec: ModelSpec, precision: str) -> tuple[ModelSpec, ...]:
    """Return a model in the precisions that ``precision`` may mean; it would be scored in the first.

    ``auto`` means any precision when results are looked up: those that come with the app, or from a machine
    with another GPU, are shown on every machine.

    Raises
    ------
    KeyError
        ``precision`` is none of ``PRECISIONS``.
    """
    if precision not in PRECISIONS:
        raise KeyError(precision)
    first = automatic(spec.own_dtype, capability(settings())) if precision == AUTO else precision
    dtypes = (first, *DTYPES) if precision == AUTO else (first,)
    return tuple(dict.fromkeys(spec.with_dtype(dtype) for dtype in dtypes))


def named(dtype: str) -> str:
    """Return the precision that leads to a key's dtype: ``auto`` if the server alone decides."""
    return dtype if dtype in DTYPES else AUTO


def automatic(own: str, capability: float | None) -> str:
    """Return the precision of ``auto``: the model's own on a GPU that has it, else float32.

    ``own``: by the configuration; ``capability``: the least compute capability of the GPUs, if there are any.
    """
    able = capability is not None and capability >= LEAST_CAPABILITY.get(own, float("inf"))
    return own if able else "float32"


def capability(chosen: Settings) -> float | None:
    """Return the least compute capability of the GPUs that a worker of this machine uses, ``None`` for none.

    NVIDIA's alone are known: on Apple's, and where PCF_ENGINE scores on a cluster, ``auto`` is float32.
    """
    if chosen.engine == "ray" or chosen.device in ("cpu", "mps"):
        return None
    return _capability()


@cache
def _capability() -> float | None:
    try:
        if version("torch").endswith("+cpu"):
            return None
        answer = subprocess.run(PROBE, capture_output=True, text=True, timeout=PATIENCE, check=True)
        return min(float(line) for line in answer.stdout.split())
    except (PackageNotFoundError, OSError, subprocess.SubprocessError, ValueError):  # no driver, or no answer
        return None


def free_memory(device: str) -> float:
    """Return the bytes free on a CUDA device, or in the machine; 0 where the system does not say."""
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return float(torch.cuda.mem_get_info(device)[0])
    if "SC_AVPHYS_PAGES" not in os.sysconf_names:
        return 0.0
    return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
