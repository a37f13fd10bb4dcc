"""What words get given the text on the left alone: against the prompt cut behind the word, and no more.

The brute force has one prompt, one word and a full softmax of transformers' own class; it is asked for the
prompt without its right text.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from pcf_core.models.scoring.base import has_right_text
from pcf_core.models.scoring.causal import CausalScorer
from pcf_core.models.scoring.seam import Ids
from pcf_core.models.scoring.trees import ENDS, Continuations
from tests.models.scoring.conftest import (
    CAUSAL,
    FIRST_CAUSAL,
    GPT2,
    brute_table,
    build,
    changed,
    key_of,
    scorer_of,
)
from tests.models.scoring.test_base import sequences
from tests.models.scoring.tiny_tokenizers import CORPUS, PROMPTS, WORDS, byte_bpe
from tests.quick import quick

BOUND = 1e-4  # nats
CUT = tuple(prompt.partition("[Y]")[0] + "[Y]" for prompt in PROMPTS)
quick_causal = quick(sorted(CAUSAL), {*FIRST_CAUSAL, "gemma3"}.__contains__)


@pytest.mark.parametrize("name", quick_causal)
def test_it_is_the_brute_force_of_the_prompt_cut_behind_the_word(name: str) -> None:
    values, left = scorer_of(name).score_with_left(PROMPTS, WORDS)
    assert left is not None
    np.testing.assert_allclose(left, brute_table(name, CUT), atol=BOUND, rtol=0)
    right = np.array([has_right_text(prompt) for prompt in PROMPTS])
    assert 0 < right.sum() < len(PROMPTS)
    np.testing.assert_array_equal(left[~right], values[~right])
    assert (left[right] - values[right]).min() > 0.1, "the text on the right was not certain"


@pytest.mark.parametrize("name", ["gpt2", "llama"])
@pytest.mark.parametrize("largest", [0, None])
def test_it_counts_the_end_of_a_word_where_the_protocol_does(name: str, largest: int | None) -> None:
    """In trees and in plain sequences."""
    options = {} if largest is None else {"largest_tree": largest}
    scorer = changed(name, "exact-boundary", **options)
    _, left = scorer.score_with_left(PROMPTS, WORDS)
    np.testing.assert_allclose(left, scorer.score(CUT, WORDS), atol=BOUND, rtol=0)


@pytest.mark.parametrize("name", ["gpt2", "bert", "t5", "bart", "xlnet"])
def test_there_is_none_where_nothing_is_scored_with_the_word(name: str) -> None:
    prompts = PROMPTS if name != "gpt2" else CUT
    assert scorer_of(name).score_with_left(prompts, WORDS)[1] is None


@pytest.mark.parametrize("name", sorted(FIRST_CAUSAL))
def test_coverage_is_at_most_one_whatever_stands_on_the_right(name: str) -> None:
    """Of all words of one token, none of which begins another."""
    scorer = scorer_of(name)
    tokenizer = scorer.seam.tokenizer
    pieces = {tokenizer.decode([token]).strip() for token in range(len(tokenizer))}
    counts = scorer.check(sorted(piece for piece in pieces if piece.isalnum())).tokens
    words = [word for word, count in counts.items() if count == 1]
    assert len(words) > 5
    _, left = scorer.score_with_left(PROMPTS, words)
    coverage, cut = np.exp(left.astype(float)).sum(axis=1), np.exp(scorer.score(CUT, words).astype(float))
    assert coverage.max() <= 1 + 1e-5
    np.testing.assert_allclose(coverage, cut.sum(axis=1), rtol=1e-3)


def joining() -> PreTrainedTokenizerFast:
    """ "他累" is one token, and so are 他 and 她."""
    end = "<|endoftext|>"
    raw = byte_bpe([end], merges=60, corpus=[*CORPUS, *["他累", "他", "她"] * 400])
    return PreTrainedTokenizerFast(tokenizer_object=raw, bos_token=end, eos_token=end, unk_token=end)


@pytest.mark.parametrize("protocol", ["exact", "exact-boundary"])
def test_it_is_not_known_where_a_token_is_part_of_word_and_right_text(protocol: str) -> None:
    scorer = CausalScorer(build("GPT2LMHeadModel", joining, **GPT2), key_of("gpt2", protocol))
    prompts, words = ["The nurse said [Y]累", "The nurse said [Y]!"], ["他", "她"]
    values, left = scorer.score_with_left(prompts, words)
    assert left is not None
    assert np.isnan(left).tolist() == [[True, False], [False, False]]
    assert np.isfinite(values).all()
    cut = scorer.score(["The nurse said [Y]"], words)[0]
    np.testing.assert_allclose(left[1], cut, atol=BOUND, rtol=0)
    assert left[0, 1] == pytest.approx(cut[1], abs=BOUND)


def test_batches_of_letters_that_touch_the_word_keep_their_rows() -> None:
    """Prompts are scored together by these letters, in another order than they come."""
    prompts = ["The nurse s[Y]s was old.", "The nurse [Y] was old.", "The captain s[Y]s", "The doctor s[Y]s!"]
    scorer = scorer_of("gpt2")
    values, left = scorer.score_with_left(prompts, ["he", "man"])
    for row, prompt in enumerate(prompts):
        alone, alone_left = scorer.score_with_left([prompt], ["he", "man"])
        np.testing.assert_allclose(values[row], alone[0], atol=1e-5)
        np.testing.assert_allclose(left[row], alone[0] if alone_left is None else alone_left[0], atol=1e-5)


@given(st.lists(st.tuples(sequences, sequences), min_size=1, max_size=5), st.booleans())
def test_reading_it_runs_no_other_token_through_the_model(
    parts: list[tuple[Ids, Ids]], boundary: bool
) -> None:
    """So scores keep every bit: the same nodes are run, and the same ones are read."""
    whole, heads = [word + right for word, right in parts], [word for word, _ in parts]
    bare, both = Continuations.of(whole), Continuations.of(whole, boundary, heads)
    for name in ("ids", "parents", "depths"):
        np.testing.assert_array_equal(getattr(bare, name), getattr(both, name))
    assert bare.read_nodes == both.read_nodes
    assert [len(path) for path in bare.paths] == [len(path) for path in both.paths]
    words = len(parts)
    np.testing.assert_array_equal(both.reads[both.reads[:, 0] < words], bare.reads)
    own = both.reads[both.reads[:, 0] >= words] - [words, 0, 0]
    ended = Continuations.of(heads, boundary)
    assert sorted(own[:, [0, 2]].tolist()) == sorted(ended.reads[:, [0, 2]].tolist())
    assert (own[:, 2] == ENDS).sum() == boundary * words
