"""How the weights of a checkpoint are compressed, as its configuration says, and how titles say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pcf_core.core.errors import ModelError

# Methods by their name in a quantization_config; others are shown as they are.
METHODS = {
    **dict.fromkeys(("bitsandbytes_4bit", "bitsandbytes_8bit"), "bitsandbytes"),
    **{
        name: name.upper()
        for name in ("aqlm", "awq", "eetq", "fp8", "gptq", "higgs", "hqq", "mxfp4", "mxfp8")
    },
    **{name: name.upper() for name in ("nvfp4", "vptq")},
    "fbgemm_fp8": "FP8",
    "spqr": "SpQR",
}
BITS = ("bits", "nbits", "w_bit", "num_bits")
MOST_BITS = 16
LONGEST = 40  # characters of a method


def copy_note(quantization: str) -> str:
    """Say for a title that weights are a copy, compressed if below 16 bits."""
    kind = "copy" if quantization in ("F32", "F16", "BF16") else "compressed copy"
    return f"{kind} of the weights, {quantization}"


def compression(config: Mapping[str, Any], name: str) -> str:
    """Return how weights are compressed, such as "4-bit GPTQ"; empty if the configuration does not say so.

    Raises ModelError for a ``quantization_config`` that is damaged.
    """
    said = dict.fromkeys(_said(packing, name) for packing in quantizations(config))
    return " and ".join(said)


def quantizations(config: Mapping[str, Any]) -> list[Any]:
    """List what a configuration and its text part say of compression, as it stands there."""
    parts = [part for part in (config, config.get("text_config")) if isinstance(part, Mapping)]
    return [part["quantization_config"] for part in parts if part.get("quantization_config") is not None]


def _said(packing: Any, name: str) -> str:
    damaged = f"The quantization_config in the config.json of the model {name}"
    if not isinstance(packing, Mapping):
        raise ModelError(f"{damaged} must hold a JSON object: download config.json again.")
    loaded = [bits for bits in (4, 8) if packing.get(f"load_in_{bits}bit") is True]
    method = packing.get("quant_method") or ("bitsandbytes" if loaded else None)
    if not isinstance(method, str):
        raise ModelError(
            f"{damaged} does not say how the weights are compressed (quant_method): download config.json "
            "again."
        )
    stated = [*loaded[:1], *_bits(packing)]
    if any(type(bits) is not int or not 0 < bits <= MOST_BITS for bits in stated):
        raise ModelError(
            f"{damaged} states a number of bits that is not one from 1 to {MOST_BITS}: download config.json "
            "again."
        )
    shown = METHODS.get(method.lower(), method[:LONGEST])
    bits = " and ".join(str(bits) for bits in sorted(set(stated)))
    return f"{bits}-bit {shown}" if bits and not shown.endswith(bits) else shown


def _bits(packing: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the numbers of bits of weights, also of groups of layers (compressed-tensors)."""
    yield from (packing[field] for field in BITS if packing.get(field) is not None)
    groups = packing.get("config_groups")
    for group in groups.values() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if isinstance(weights, Mapping):
            yield weights.get("num_bits")
