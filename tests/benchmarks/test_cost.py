"""The cost that docs/machines.md promises, against the benchmark's floor and what the scorer really runs."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.cost import flops, hours, main, needed_tokens
from benchmarks.floor import needed_flops, weights
from benchmarks.sizes import build, mined_templates, open_scorer, tokenizer_for
from pcf_core.models.scoring.seam import Pieces, Seam

WORDS = ("he", "she", "grandson", "granddaughter", "man")
PROMPTS = [text.replace("[X]", term) for term in ("nurse", "judge") for text in mined_templates()[:60]]


@pytest.fixture(scope="module")
def loaded() -> Any:
    """A small GPT-2 whose tokenizer writes two of the five words with several tokens."""
    tokenizer = tokenizer_for("causal", PROMPTS, [word for word in WORDS if "grand" not in word], ())
    return build("GPT-2 small", tokenizer, "float32", "cpu", small=True)


def pieces_of(loaded: Any) -> tuple[Seam, list[Pieces]]:
    seam = Seam(loaded.tokenizer, "small")
    return seam, seam.cut(PROMPTS, WORDS)


def test_a_worked_example() -> None:
    """Two prompts that share two tokens of three, words of one, two and three tokens; then a shard each."""
    words = ((7,), (8, 9), (8, 5, 6))
    prompts = [Pieces((1, 2, 3), words, ((), (), ())), Pieces((1, 2, 4), words, ((), (), ()))]
    assert needed_tokens((0,), prompts, 512) == 5 + 2 * 2
    assert needed_tokens((0,), prompts, 1) == 4 + 2 + 4 + 2
    assert flops(70e9, 9) == 1.26e12
    assert hours(1.44e18, 4, 1e15, 0.1) == pytest.approx(1.0)


def test_in_one_shard_it_is_the_floor_of_the_benchmark(loaded: Any) -> None:
    """Layers at each token, and the head wherever a distribution is read."""
    seam, prompts = pieces_of(loaded)
    assert any(len(ids) > 1 for ids in prompts[0].words)
    behind = {ids[:length] for ids in prompts[0].words for length in range(len(ids))}
    reads = len({pieces.left for pieces in prompts}) * len(behind)
    head = loaded.model.get_output_embeddings().weight.numel()
    layers = flops(weights(loaded.model.base_model), needed_tokens(seam.opening, prompts, len(prompts)))
    assert layers + 2.0 * head * reads == needed_flops(loaded, "causal", PROMPTS, WORDS)


def test_the_scorer_runs_as_many_tokens(loaded: Any) -> None:
    """Counted where they enter the model, padding of the packs included: within a tenth of the promise."""
    seam, prompts = pieces_of(loaded)
    scorer = open_scorer("GPT-2 small", loaded, "float32")
    seen: list[int] = []
    table = loaded.model.get_input_embeddings()
    hook = table.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0].numel()))
    try:
        scorer.score(PROMPTS, WORDS)
    finally:
        hook.remove()
    promised = needed_tokens(seam.opening, prompts, len(prompts))
    assert promised <= sum(seen) <= 1.1 * promised


def test_the_command_says_cells_flops_and_hours(capsys: pytest.CaptureFixture[str]) -> None:
    main("mini-gpt", templates="gender-reporting", evidence="occupations-bvf", processes=4, gpus=2)
    line = capsys.readouterr().out
    assert line.startswith("1,200 cells, ")
    assert " FLOPs: " in line
    assert "h on 8 GPUs" in line
