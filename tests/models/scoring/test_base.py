"""What all scorers share, without torch: prompts, plans, refusals, prefix trees, and the shipped fake."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from benchmarks.fakes import FakeScorer
from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.models.scoring.base import (
    LOGITS,
    Batch,
    Scorer,
    TokenNats,
    check_context,
    has_right_text,
    log_normaliser,
    plan,
    quoted,
    refused_words,
    row_cost,
    split_prompt,
)
from pcf_core.models.scoring.seam import Ids
from pcf_core.models.scoring.trees import ENDS, LEFT, Continuations, Tree, chains, pack
from tests.models.scoring.conftest import FIRST_CAUSAL, FIRST_MASKED, changed, load_tiny
from tests.models.scoring.tiny_tokenizers import PROMPTS

KEY = ScoringKey(model="m", identity="i", tokenizer="t", family="fake", rules="1")


def test_a_prompt_is_split_at_its_only_place() -> None:
    """The space on the left stays, the one at the end does not."""
    assert split_prompt("The nurse said that [Y]") == ("The nurse said that ", "")
    assert split_prompt("Then [Y] was old. ") == ("Then ", " was old.")
    assert has_right_text("He met a [Y].")
    assert not has_right_text("He met a [Y] ")
    for prompt in ("no place", "[Y] and [Y]", "[X] said"):
        with pytest.raises(TemplateError, match="exactly one") as caught:
            split_prompt(prompt)
        assert prompt in str(caught.value)


lengths = st.lists(st.integers(1, 30), max_size=60)


@given(lengths, st.integers(1, 200))
def test_plan_takes_every_row_once_in_blocks_of_one_length_within_the_budget(
    lengths: list[int], budget: int
) -> None:
    blocks = plan(lengths, lengths, budget)
    assert sorted(row for block in blocks for row in block) == list(range(len(lengths)))
    for block in blocks:
        assert len({lengths[row] for row in block}) == 1
        assert len(block) == 1 or sum(lengths[row] for row in block) <= budget
    heads = [lengths[block[0]] for block in blocks]
    assert heads == sorted(heads, reverse=True)


def test_plan_fills_blocks() -> None:
    assert plan([3, 5, 3, 3, 5], [3, 5, 3, 3, 5], 6) == [[1], [4], [0, 2], [3]]


@given(st.integers(1, 500), st.integers(1, 20), st.integers(100, 300_000), st.integers(128, 20_000))
def test_row_cost_keeps_tokens_and_logits_in_bounds(
    tokens: int, positions: int, vocabulary: int, budget: int
) -> None:
    rows = budget // row_cost(tokens, positions, vocabulary, budget)
    assert rows * tokens <= budget
    assert rows * positions * vocabulary <= LOGITS


WORSE = {"bad": np.nan, "sure": 2e-6, "garbage": 9.9e9, "endless": np.inf, "never": -np.inf, "rounded": 5e-7}


class Halves(Scorer):
    """Yields two batches, the second first; in ``WORSE`` what words give that are no log-probability."""

    def check(self, words: Sequence[str]) -> TokenTable:
        refused = {word: "unk" for word in words if word == "жена"}
        return TokenTable({word: 1 for word in words if word not in refused}, refused)

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        middle = len(prompts) // 2
        for rows in (np.arange(middle, len(prompts)), np.arange(middle)):
            values = [[WORSE.get(word, -float(row)) for word in words] for row in rows]
            yield Batch(rows, np.array(values))


def test_score_puts_rows_back_in_order() -> None:
    values = Halves(KEY).score(["a [Y]", "b [Y]", "c [Y]"], ["he", "she"])
    assert values.dtype == np.float32
    assert values.tolist() == [[0, 0], [-1, -1], [-2, -2]]


def test_refusals_name_the_word_and_come_before_the_first_batch() -> None:
    with pytest.raises(ModelError, match=r"'жена': unk.*leave them out"):
        Halves(KEY).batches(["a [Y]"], ["he", "жена"])
    with pytest.raises(ModelError, match="at least one"):
        Halves(KEY).batches(["a [Y]"], [])
    with pytest.raises(TemplateError):
        Halves(KEY).batches(["a [Y]", "b"], ["he"])


def test_a_refusal_names_a_handful_of_words() -> None:
    assert refused_words({"she": "unk", "queen": "empty"}) == "'she': unk; 'queen': empty"
    assert refused_words({"a": "unk", "b": "empty", "c": "unk"}) == "'a' and 'c': unk; 'b': empty"
    assert refused_words(dict.fromkeys("abcdefg", "unk")) == "'a', 'b', 'c', 'd' and 'e': unk; and 2 more"
    assert "more" not in refused_words(dict.fromkeys("abcde", "unk"))


@pytest.mark.parametrize("word", ["bad", "sure", "garbage", "endless"])
def test_what_is_no_log_probability_is_an_error_that_names_word_and_prompt(word: str) -> None:
    reason = "NaN for 'bad'" if word == "bad" else f"nats for '{word}'"
    cause = "its weights" if word == "bad" else "a log-probability cannot be above 0"
    with pytest.raises(ScoringError, match=rf"{reason} in 'b \[Y\]': {cause}"):
        Halves(KEY).score(["a [Y]", "b [Y]"], ["he", word])
    values = Halves(KEY).score(["a [Y]", "b [Y]"], ["never", "rounded"])
    assert values.tolist() == [[-np.inf, np.float32(5e-7)]] * 2


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_float32_is_advised_only_in_half_precision(dtype: str) -> None:
    with pytest.raises(ScoringError) as caught:
        Halves(KEY.model_copy(update={"dtype": dtype})).score(["a [Y]"], ["bad"])
    assert ("use float32" in str(caught.value)) == (dtype != "float32")


def test_tokens_of_a_sentence_are_checked_too() -> None:
    class Sentences(Halves):
        def _token_nats(self, texts: Sequence[str]) -> list[TokenNats]:
            return [TokenNats((1, 2), np.array([-1.0, 3.0 * len(text)])) for text in texts]

    with pytest.raises(ScoringError, match=r"returned 15 nats for token 2 of 'He is': a log-probability"):
        Sentences(KEY).token_nats(["He is"])


def test_too_long_a_prompt_is_named() -> None:
    check_context(KEY, 0, [10**6], ["any"])
    check_context(KEY, 8, [8], ["fits"])
    with pytest.raises(TemplateError, match=r"'long \[Y\]' needs 9 tokens.*can only take 8"):
        check_context(KEY, 8, [3, 9], ["short [Y]", "long [Y]"])


def test_long_prompts_are_quoted_without_their_middle() -> None:
    """In every message that names a prompt."""
    prompt = f"The nurse {'very ' * 10_000}said that [Y]"
    assert quoted("The nurse said that [Y]") == "'The nurse said that [Y]'"
    assert quoted(prompt).startswith("'The nurse very")
    assert quoted(prompt).endswith("said that [Y]'")
    with pytest.raises(TemplateError) as too_long:
        check_context(KEY, 8, [10_003], [prompt])
    with pytest.raises(TemplateError) as two_places:
        split_prompt(prompt * 2)
    with pytest.raises(ScoringError) as damaged:
        Halves(KEY).score([prompt], ["bad"])
    assert all(len(str(caught.value)) < 400 for caught in (too_long, two_places, damaged))


@given(st.lists(st.floats(-60, 60, width=32), min_size=1, max_size=50), st.sampled_from([0, 100, 10_000]))
def test_normaliser_is_that_of_float64(logits: list[float], offset: float) -> None:
    given = torch.tensor([logits, logits[::-1]]) + offset
    expected = logsumexp(given.double().numpy(), axis=-1)
    np.testing.assert_allclose(log_normaliser(given).numpy(), expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("places", [1, 2, 7, 201])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_normaliser_is_the_same_in_slices(
    places: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, and what it is given stays as it was; one sum alone is long enough for two threads."""
    logits = torch.randn(places, 70_000, generator=torch.Generator().manual_seed(places)).mul(9).to(dtype)
    before = logits.clone()
    highest = logits.float().amax(dim=-1, keepdim=True)
    whole = highest[:, 0].double() + (logits.float() - highest).exp().sum(dim=-1).double().log()
    for size in (1, 500_000, logits.numel()):
        monkeypatch.setattr("pcf_core.models.scoring.base.SUMMED", size)
        assert torch.equal(log_normaliser(logits), whole)
    assert torch.equal(logits, before)


@pytest.mark.parametrize("name", sorted(FIRST_CAUSAL | FIRST_MASKED))
def test_an_offset_of_all_logits_cancels(name: str) -> None:
    """Nothing is rounded at the size of the logits: 5e-4 nats a token would be lost here."""
    scorer = changed(name)
    values = []
    for offset in (0, 2**13):

        def shift(module: Any, inputs: Any, output: Any, offset: int = offset) -> Any:
            output.logits = (output.logits * 2**8).round() / 2**8 + offset  # exact in float32
            return output

        hook = load_tiny(name).model.register_forward_hook(shift)
        values.append(scorer.score(PROMPTS, ["he", "stepmother"]))
        hook.remove()
    np.testing.assert_allclose(*values, atol=1e-5, rtol=0)


def test_describing_a_model_imports_no_torch() -> None:
    """Nor does what scorers share, or what is read of transformers' own tables."""
    code = (
        "import sys; from pcf_core.models import hub; "
        "from pcf_core.models.family import causal_types, native_types; "
        "from pcf_core.models.registry import resolve; "
        "from pcf_core.models.scoring import base, seam; "
        "assert 'gpt2' in native_types() & causal_types(); "
        "assert resolve('mini-gpt').family == 'causal'; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The shipped fake gives exactly the probabilities that it was given.


def test_values_are_the_logarithms_of_the_given_probabilities() -> None:
    table = {("a [Y]", "he"): 0.5, ("a [Y]", "she"): 0.0, ("b [Y]", "he"): 0.25, ("b [Y]", "she"): 1.0}
    values = FakeScorer(table).score(["a [Y]", "b [Y]"], ["he", "she"])
    np.testing.assert_array_equal(np.exp(values), [[0.5, 0.0], [0.25, 1.0]])


def test_function_tokens_and_refused_words() -> None:
    scorer = FakeScorer(
        lambda prompt, word: len(word) / 10, tokens={"widower": 3}, refused={"ж": "unk"}, name="given"
    )
    table = scorer.check(["he", "widower", "ж"])
    assert dict(table.tokens) == {"he": 1, "widower": 3}
    assert dict(table.refused) == {"ж": "unk"}
    assert scorer.key.model == "given"
    assert scorer.key.family == "fake"
    with pytest.raises(ModelError, match="'ж': unk"):
        scorer.score(["a [Y]"], ["ж"])


def test_batches_can_be_watched_and_stopped() -> None:
    scorer = FakeScorer(lambda prompt, word: 0.5, batch_size=2, delay=0.02)
    started = time.monotonic()
    batches = scorer.batches([f"{number} [Y]" for number in range(5)], ["he"])
    assert next(batches).rows.tolist() == [0, 1]
    assert scorer.scored == 2
    assert [batch.rows.tolist() for batch in batches] == [[2, 3], [4]]
    assert time.monotonic() - started >= 0.06


# Prefix trees: by hand, and against the plain sequences they hold.


sequences = st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple)
request = st.lists(st.tuples(sequences, st.lists(sequences, min_size=1, max_size=5)), min_size=1, max_size=6)
Read = tuple[int, int, Ids, int]  # row, word, the sequence that the model has seen, token


def read_by(tree: Tree) -> list[Read]:
    """What is read, with each node's sequence found by walking up to the root."""

    def sequence(node: int) -> Ids:
        return (*sequence(int(tree.parents[node])), int(tree.ids[node])) if node >= 0 else ()

    return [(row, word, sequence(node), token) for row, word, node, token in tree.reads.tolist()]


def expected(texts: list[tuple[Ids, list[Ids]]], boundary: bool) -> list[Read]:
    """Every token of every word behind its left text and the tokens before it."""
    reads = []
    for row, (left, words) in enumerate(texts):
        for word, tokens in enumerate(words):
            ends = [ENDS] if boundary else []
            for n, token in enumerate([*tokens, *ends]):
                reads.append((row, word, left + tokens[:n], token))
    return reads


def behind(texts: list[tuple[Ids, list[Ids]]], boundary: bool) -> list[Continuations]:
    return [Continuations.of(words, boundary) for _, words in texts]


def test_continuations_by_hand() -> None:
    """Words 5 6 7, 5 8 and 9: behind the left text stand 5 and 5 6, and nothing is run behind 9."""
    tree = Continuations.of([(5, 6, 7), (5, 8), (9,)])
    assert tree.ids.tolist() == [5, 6]
    assert tree.parents.tolist() == [LEFT, 0]
    assert tree.depths.tolist() == [0, 1]
    assert tree.reads.tolist() == [[0, LEFT, 5], [0, 0, 6], [0, 1, 7], [1, LEFT, 5], [1, 0, 8], [2, LEFT, 9]]
    assert (tree.longest, tree.read_nodes) == (2, 3)


def test_a_tree_by_hand() -> None:
    """Left texts 1 2 3 and 1 2 4, with 7 behind each: 1 and 2 stand in the tree once."""
    one = Continuations.of([(7, 8)])
    ((rows, tree),) = pack([(1, 2, 4), (1, 2, 3)], [one, one], [0, 1], 100, 100)
    assert rows == [1, 0]
    assert tree.ids.tolist() == [1, 2, 3, 7, 4, 7]
    assert tree.parents.tolist() == [-1, 0, 1, 2, 1, 4]
    assert tree.depths.tolist() == [0, 1, 2, 3, 2, 3]
    assert tree.visible(7).astype(int).tolist() == [
        [1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0, 0],
        [1, 1, 1, 1, 0, 0, 0],
        [1, 1, 0, 0, 1, 0, 0],
        [1, 1, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0, 0, 1],
    ]


@given(request, st.booleans(), st.integers(1, 12), st.integers(1, 6))
def test_trees_read_every_token_once_behind_its_own_beginning(
    texts: list[tuple[Ids, list[Ids]]], boundary: bool, limit: int, reads: int
) -> None:
    trees = list(pack([left for left, _ in texts], behind(texts, boundary), range(len(texts)), limit, reads))
    assert Counter(read for _, tree in trees for read in read_by(tree)) == Counter(expected(texts, boundary))
    assert sorted(row for rows, _ in trees for row in rows) == list(range(len(texts)))
    for rows, tree in trees:
        assert len(rows) == 1 or (len(tree.ids) <= limit and tree.read_nodes <= reads)


@given(request, st.booleans())
def test_chains_read_the_same_as_trees(texts: list[tuple[Ids, list[Ids]]], boundary: bool) -> None:
    read = []
    for row, (left, _) in enumerate(texts):
        for chain in chains(left, behind(texts, boundary)[row], row):
            assert chain.is_chain
            assert tuple(chain.ids[: len(left)].tolist()) == left
            read += read_by(chain)
    assert Counter(read) == Counter(expected(texts, boundary))


@given(request)
def test_depths_and_masks_count_ancestors(texts: list[tuple[Ids, list[Ids]]]) -> None:
    ((_, tree),) = pack([left for left, _ in texts], behind(texts, False), range(len(texts)), 10**6, 10**6)
    seen = tree.visible(len(tree.ids))
    np.testing.assert_array_equal(seen.sum(axis=1) - 1, tree.depths)
    assert not np.triu(seen, 1).any()


@given(st.lists(sequences, min_size=1, max_size=8))
def test_no_beginning_of_a_left_text_stands_in_a_tree_twice(lefts: list[Ids]) -> None:
    one = Continuations.of([(9,)])
    ((_, tree),) = pack(lefts, [one] * len(lefts), range(len(lefts)), 10**6, 10**6)
    assert len(tree.ids) == len({left[:n] for left in lefts for n in range(1, len(left) + 1)})
