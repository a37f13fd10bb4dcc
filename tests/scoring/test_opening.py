"""From a directory to the scorer of its family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pcf_core.errors import ModelError
from pcf_core.models import resolve
from pcf_core.models.loading import Loaded
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.causal import CausalScorer
from pcf_core.scoring.masked import MaskedScorer
from pcf_core.scoring.opening import open_scorer


def saved(loaded: Loaded, folder: Path) -> str:
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize(("name", "kind"), [("gpt2", CausalScorer), ("roberta", MaskedScorer)])
def test_a_saved_model_scores_as_the_one_in_memory(
    name: str,
    kind: type[Scorer],
    tiny: Callable[[str], Loaded],
    open_tiny: Callable[..., Scorer],
    prompts: tuple[str, ...],
    words: tuple[str, ...],
    tmp_path: Path,
) -> None:
    spec = resolve(saved(tiny(name), tmp_path))
    scorer = open_scorer(spec)
    assert type(scorer) is kind
    assert scorer.key.identity == spec.identity
    np.testing.assert_allclose(
        scorer.score(prompts, words), open_tiny(name).score(prompts, words), atol=1e-5, rtol=0
    )
    assert open_scorer(spec, "single-token").key == scorer.key


def test_protocols_that_do_not_exist_or_fit_are_refused(
    tiny: Callable[[str], Loaded], tmp_path: Path
) -> None:
    spec = resolve(saved(tiny("bert"), tmp_path))
    with pytest.raises(ModelError, match="no protocol 'fast'; choose one of exact"):
        open_scorer(spec, "fast")
    with pytest.raises(ModelError, match="exact-boundary is for causal models"):
        open_scorer(spec, "exact-boundary")
