"""The text part of a multimodal model: its own class, without the towers for pictures and sound.

A class such as ``Gemma3ForConditionalGeneration`` gives its logits for a text alone if it gets no picture,
and transformers knows the names of its weights in published checkpoints.  So that class is opened, but each
tower (a model with a configuration of its own, beside that of the text) is replaced by an empty module when
it is attached to its parent.  It is built without memory then, and its weights are never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import torch
from torch.nn.modules.module import register_module_module_registration_hook
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMultimodalLM, PreTrainedModel

# Their towers need a library that is not installed (timm), and transformers finds the text part's weights in
# the whole checkpoint.
OPENED_ALONE = ("gemma3n",)


class TextPart:
    """The interface of transformers' auto class ``kind``, for the text parts of multimodal models."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def from_config(self, config: Any) -> Any:
        """Build the text part of a configuration."""
        kind, own = self._choose(config)
        with _without_towers(own):
            return kind.from_config(own)

    def from_pretrained(
        self, folder: Path, *, use_safetensors: Literal[True], local_files_only: Literal[True], **options: Any
    ) -> Any:
        """Load the text part of a checkpoint; returns what ``kind`` does."""
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        kind, own = self._choose(config)
        with _without_towers(own):
            return kind.from_pretrained(
                folder, config=own, use_safetensors=True, local_files_only=True, **options
            )

    def _choose(self, config: Any) -> tuple[Any, Any]:
        if config.model_type in OPENED_ALONE:
            return self.kind, config.get_text_config()
        whole = self.kind is AutoModelForCausalLM
        return AutoModelForMultimodalLM if whole else self.kind, config


class Tower(torch.nn.Module):
    """Stands for a part that a text does not go through, with what parents ask of it."""

    nothing: torch.Tensor

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.register_buffer("nothing", torch.empty(0), persistent=False)

    @property
    def device(self) -> torch.device:
        """The device of the model, for Qwen2-Audio."""
        return self.nothing.device

    def make_preprocessor_external(self) -> None:
        """Do nothing, for Nemotron."""


def towers_of(model: Any) -> tuple[str, ...]:
    """Return the beginnings of the names of weights that were not read."""
    return tuple(f"{name}." for name, part in model.named_modules() if isinstance(part, Tower))


@contextmanager
def _without_towers(config: Any) -> Iterator[None]:
    """Attach an empty module wherever a model is built from another part of ``config`` than its text."""
    text = config.get_text_config(decoder=True)
    parts = {type(part) for name in config.sub_configs if (part := getattr(config, name)) is not None}
    others = parts - {type(config), type(text)}

    def replaced(module: Any, name: str, part: Any) -> Any:
        leave_out = isinstance(part, PreTrainedModel) and type(part.config) in others
        return Tower(part.config) if leave_out else None

    hook = register_module_module_registration_hook(replaced)
    try:
        yield
    finally:
        hook.remove()
