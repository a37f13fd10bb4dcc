"""From a directory to the scorer of its family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pcf_core.core.errors import ModelError
from pcf_core.material.evidence import load_evidence
from pcf_core.material.topics import load_topic
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.masked import MaskedScorer
from pcf_core.models.scoring.opening import open_scorer


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
    assert scorer.parameters == spec.parameters > 0
    np.testing.assert_allclose(
        scorer.score(prompts, words), open_tiny(name).score(prompts, words), atol=1e-5, rtol=0
    )
    assert open_scorer(spec, "single-token").key == scorer.key


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["gpt2", "roberta"])
def test_narrow_dtypes_give_nearly_the_same_under_another_key(
    name: str,
    dtype: str,
    tiny: Callable[[str], Loaded],
    prompts: tuple[str, ...],
    words: tuple[str, ...],
    tmp_path: Path,
) -> None:
    """Two or three digits are left of each logit; values here reach −90 nats."""
    wide = resolve(saved(tiny(name), tmp_path))
    narrow = open_scorer(wide.model_copy(update={"dtype": dtype}))
    exact = open_scorer(wide)
    assert narrow.key.hash != exact.key.hash
    difference = np.abs(narrow.score(prompts, words) - exact.score(prompts, words))
    assert 0 < difference.max() < (1.0 if dtype == "bfloat16" else 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("template", ["[Y] saw the {}", "The {} told the customer that [Y] was late."])
def test_the_bound_of_a_cell_alone_and_in_a_batch(template: str) -> None:
    """That of the docstring of ``Scorer``, where text stands right of the word of a causal model."""
    topic = load_topic("gender")
    scorer = open_scorer(resolve("mini-gpt"))
    words = [word for word in topic.words if word not in scorer.check(topic.words).refused]
    prompts = [template.format(term) for term in load_evidence(topic.evidence).terms * 3][:256]
    together = scorer.score(prompts, words).astype(float)
    for row in range(0, 100, 7):
        apart = np.abs(scorer.score([prompts[row]], words)[0] - together[row])
        assert np.all(apart <= np.maximum(1e-5, 5e-7 * np.abs(together[row])))


def test_protocols_that_do_not_exist_or_fit_are_refused(
    tiny: Callable[[str], Loaded], tmp_path: Path
) -> None:
    spec = resolve(saved(tiny("bert"), tmp_path))
    with pytest.raises(ModelError, match="no protocol 'fast'; choose one of exact"):
        open_scorer(spec, "fast")
    with pytest.raises(ModelError, match="exact-boundary is for causal models"):
        open_scorer(spec, "exact-boundary")
