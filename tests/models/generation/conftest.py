"""Tiny models that write, opened without a registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.models.generation.local import CausalGenerator
from pcf_core.models.loading import Loaded


def key_of(family: str = "causal", chat_template: str = "", **decoding: float) -> GenerationKey:
    return GenerationKey(
        model="tiny",
        identity="tiny",
        tokenizer="tiny",
        family=family,
        rules="1",
        chat_template=chat_template,
        decoding=Decoding.model_validate({"length": 8, **decoding}),
    )


def nothing() -> None:
    """A pause in which nothing happens."""


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def open_causal(loaded: Loaded, context: int = 0, **options: Any) -> CausalGenerator:
    return CausalGenerator(loaded, key_of(**options), context=context)


@pytest.fixture
def _own_folders() -> None:
    """The shipped models, where the tests of what finds models have an empty folder of them."""
