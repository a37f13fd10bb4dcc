"""What a local scorer leaves out: logits that are not read, and what stands behind the last attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pcf_core.models.scoring import local
from pcf_core.models.scoring.base import Scorer
from tests.models.scoring.conftest import build, open_loaded
from tests.models.scoring.tiny_tokenizers import roberta_tokenizer

Open = Callable[..., Scorer]


def test_the_head_gives_the_same_in_slices(
    any_name: str,
    open_tiny: Open,
    prompts: tuple[str, ...],
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A product of fewer rows may round in another order; what runs before the head runs once."""
    scorer: Any = open_tiny(any_name)
    expected, runs = scorer.score(prompts, words), []
    hook = scorer.model.get_input_embeddings().register_forward_hook(lambda *given: runs.append(1))
    once = scorer.score(prompts, words)
    whole = len(runs)
    monkeypatch.setattr(local, "FEWEST_PLACES", 1)
    for number, places in enumerate((2, 5), start=2):
        monkeypatch.setattr(local, "SLICE", places * scorer.vocabulary)
        sliced = scorer.score(prompts, words)
        assert len(runs) == number * whole
        np.testing.assert_allclose(sliced, expected, atol=1e-5, rtol=0)
    hook.remove()
    np.testing.assert_array_equal(once, expected)


@pytest.mark.parametrize("name", ["bert", "mini-bert", "roberta", "albert", "distilbert"])
def test_only_the_place_that_is_read_runs_behind_the_last_attention(
    name: str,
    open_tiny: Open,
    prompts: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    """Where a layer has a module there; ALBERT's layers are all one."""
    scorer: Any = open_tiny(name)
    assert (scorer.last is not None) == (name in ("bert", "mini-bert", "roberta"))
    trimmed = scorer.score(prompts, words)
    scorer.last = None
    np.testing.assert_allclose(scorer.score(prompts, words), trimmed, atol=1e-5, rtol=0)


def test_a_layer_that_asks_which_text_a_row_is_runs_whole(prompts: tuple[str, ...]) -> None:
    """X-MOD's adapters stand behind the last attention, one for each text's language."""
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    languages = {"languages": ["en_XX"], "default_language": "en_XX"}
    scorer: Any = open_loaded(build("XmodForMaskedLM", roberta_tokenizer, **shape, **languages), "xmod")
    assert scorer.last is None
    together = scorer.score(prompts, ("he", "she"))
    alone = [[scorer.alone(prompt, word) for word in ("he", "she")] for prompt in prompts]
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)
