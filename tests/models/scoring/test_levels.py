"""Trees level by level: the worked example, and scores as from each text alone, however levels are split."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.models.scoring import levels
from pcf_core.models.scoring.levels import size
from pcf_core.models.scoring.trees import Continuations, chains, pack
from tests.models.scoring.conftest import changed, load_tiny, open_loaded, scorer_of
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS
from tests.quick import quick

# A state; a state and a window's keys; states, keys and experts; a bias by slots; a short window.
KINDS = ("mamba2", "falcon-h1", "qwen3-next", "bloom", "mistral")
THE, NURSE, SAID, S, H, E = range(10, 16)


def passes_of(scorer: Any, work: Any) -> list[list[int]]:
    """The tokens of every forward pass of some work, each a row of one token."""
    seen: list[list[int]] = []

    def note(module: Any, arguments: Any, inputs: dict[str, Any]) -> None:
        assert inputs["input_ids"].shape[1] == 1
        seen.append(inputs["input_ids"][:, 0].tolist())

    hook = scorer.model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        work()
    finally:
        hook.remove()
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_worked_example_of_the_docstring(kind: str) -> None:
    scorer = scorer_of(kind)
    starts = [(THE, NURSE), (THE, NURSE, SAID)]
    behind = [Continuations.of([(S, H)]), Continuations.of([(H, E), (S, H)])]
    ((_, tree),) = pack(starts, behind, range(2), 100, 100)
    expected = [[THE], [NURSE], [S, SAID], [H, S]]
    assert passes_of(scorer, lambda: scorer.levels.nats(scorer._nats, tree, 9)) == expected
    # two rows of the third level are too many: each is followed to its end
    expected = [[THE], [NURSE], [S], [SAID], [H], [S]]
    assert passes_of(scorer, lambda: scorer.levels.nats(scorer._nats, tree, 1)) == expected


texts = st.lists(st.lists(st.integers(20, 22), min_size=1, max_size=6).map(tuple), min_size=1, max_size=5)
words = st.lists(st.lists(st.integers(20, 22), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5)


@pytest.mark.parametrize("kind", KINDS)
@given(starts=texts, ids=words, rows=st.integers(1, 8), boundary=st.booleans())
@settings(max_examples=15)
def test_levels_give_what_each_text_alone_gives(
    kind: str, starts: list[tuple[int, ...]], ids: list[tuple[int, ...]], rows: int, boundary: bool
) -> None:
    scorer = scorer_of(kind, "exact-boundary" if boundary else "exact")
    behind = Continuations.of(ids, boundary)
    ((_, tree),) = pack(starts, [behind] * len(starts), range(len(starts)), 10_000, 10_000)
    shape = (len(starts), len(ids))
    values, expected = np.zeros(shape), np.zeros(shape)
    np.add.at(values, tuple(tree.reads[:, :2].T), scorer.levels.nats(scorer._nats, tree, rows))
    for row, start in enumerate(starts):
        for chain in chains(start, behind, row):
            np.add.at(expected, tuple(chain.reads[:, :2].T), scorer._read([chain]))
    np.testing.assert_allclose(values, expected, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_memory_limits_the_rows_of_a_pass_and_changes_no_score(kind: str) -> None:
    """A cache has a row's bytes at any length; a batch of few tokens leaves room for few rows."""
    scorer = changed(kind)
    values = scorer.score(PROMPTS, WORDS)
    first, more = scorer.levels._bytes
    with torch.inference_mode():
        ids = torch.full((3, 5), 20)
        cache = scorer.model(input_ids=ids, use_cache=True)[scorer.levels.name]
        assert size(cache) == pytest.approx(3 * (first + 4 * more), rel=0.01)
    scorer.batch_tokens = 4
    shapes = passes_of(
        scorer, lambda: np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), values, atol=1e-5)
    )
    assert max(map(len, shapes)) <= 4


@pytest.mark.parametrize("kind", quick(KINDS, {"mamba2", "bloom"}.__contains__))
def test_a_model_whose_cache_cannot_be_followed_reads_each_text_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, values = levels.chosen, scorer_of(kind).score(PROMPTS, WORDS)
    monkeypatch.setattr(levels, "chosen", lambda cache, rows, last: real(cache, np.roll(rows, 1), last=last))
    unknown = replace(load_tiny(kind), identity="nothing is noted of it")
    scorer = open_loaded(unknown, kind)
    assert (scorer.largest_tree, scorer.deepest) == (0, 0)
    rounding = 1e-4 if kind == "qwen3-next" else 1e-5  # its delta rule runs in chunks over a whole text
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), values, atol=rounding)


def test_a_longer_text_runs_alone_beside_shorter_ones() -> None:
    scorer = changed("mamba2", deepest=8)
    whole = scorer_of("mamba2").score(PROMPTS, WORDS)
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), whole, atol=1e-5)
