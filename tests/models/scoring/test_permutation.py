"""XLNet: exact against a brute force; what is not filled yet is seen by nobody."""

from __future__ import annotations

import copy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import XLNetTokenizer

from pcf_core.core.errors import ModelError
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ScoringKey
from pcf_core.models.loading import Loaded
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.masked import Query
from pcf_core.models.scoring.opening import open_scorer
from pcf_core.models.scoring.permutation import PermutationScorer
from tests.models.scoring.seq2seq_models import brute_permutation, tiny_xlnet
from tests.models.scoring.tiny_tokenizers import PROMPTS, WORDS

PROMPTS = (*PROMPTS, "[Y] was old.")
PROMPT = "The nurse said that [Y] was old."
KEY = ScoringKey(model="xlnet", identity="tiny", tokenizer="tiny", family="permutation", rules="1")


def scorer_of(loaded: Loaded, **options: Any) -> PermutationScorer:
    return PermutationScorer(loaded, KEY, **options)


def test_every_cell_equals_the_brute_force() -> None:
    """Words of 1–4 tokens and more, with and without text on the right."""
    loaded, scorer = tiny_xlnet(), scorer_of(tiny_xlnet())
    assert {1, 2, 3, 4} <= set(scorer.check(WORDS).tokens.values())
    expected = np.array([[brute_permutation(loaded, prompt, word) for word in WORDS] for prompt in PROMPTS])
    assert np.ptp(expected, axis=0).min() > 0.5  # nats: every word feels the text
    np.testing.assert_allclose(scorer.score(PROMPTS, WORDS), expected, atol=1e-4, rtol=0)
    assert scorer.alone(PROMPT, "woman") == pytest.approx(
        brute_permutation(loaded, PROMPT, "woman"), abs=1e-4
    )


@pytest.mark.slow
def test_a_cell_does_not_depend_on_its_batch() -> None:
    many = [prompt.replace("The", f"The {'very ' * (n % 5)}old") for n in range(20) for prompt in PROMPTS]
    together = scorer_of(tiny_xlnet()).score(many, WORDS)
    alone = scorer_of(tiny_xlnet(), batch_tokens=128)
    np.testing.assert_allclose(alone.score(many, WORDS), together, atol=1e-5, rtol=0)
    for row in range(0, len(many), 17):
        np.testing.assert_allclose(alone.score([many[row]], WORDS[2:4])[0], together[row, 2:4], atol=1e-5)


def next_tokens(scorer: PermutationScorer, prompt: str, word: tuple[int, ...], k: int) -> FloatArray:
    """[vocabulary] nats of every token at the place behind ``word``, of ``k`` places in all."""
    (pieces,) = scorer.seam.cut([prompt], ["he"])
    open_places = (scorer.mask,) * (k - len(word))
    ids = pieces.left + word + open_places + pieces.rights[0] + scorer.seam.closing
    query = Query(ids, len(pieces.left) + len(word))
    tokens = np.arange(scorer.vocabulary)
    return scorer._log_probabilities([query], np.zeros_like(tokens), tokens)


NAMES = ("the", "nurse", "said", "that", "old", "doctor", "engineer", "a", "to")
texts = st.lists(st.sampled_from(NAMES), min_size=1).map(" ".join)


@given(
    text=texts,
    right=st.sampled_from(["", ".", " was old"]),
    word=st.lists(st.integers(9, 40), max_size=2).map(tuple),
    k=st.integers(3, 4),
)
def test_probabilities_of_all_tokens_at_a_place_sum_to_one(
    text: str, right: str, word: tuple[int, ...], k: int
) -> None:
    found = next_tokens(scorer_of(tiny_xlnet()), f"{text} [Y]{right}", word, k)
    assert np.logaddexp.reduce(found) == pytest.approx(0, abs=1e-5)


def test_what_stands_at_an_open_place_is_never_read() -> None:
    """Any token there gives the same numbers; the token before the place does not."""
    scorer = scorer_of(tiny_xlnet())
    place = 2
    inputs = scorer._inputs([Query((9, 10, scorer.mask, scorer.mask, 12, 4, 3), place)])
    with torch.inference_mode():
        first = scorer.model(**inputs).logits
        inputs["input_ids"] = torch.tensor([[9, 10, 20, 21, 12, 4, 3]])
        torch.testing.assert_close(scorer.model(**inputs).logits, first)
        inputs["input_ids"] = torch.tensor([[9, 11, 20, 21, 12, 4, 3]])
        assert not torch.allclose(scorer.model(**inputs).logits, first, atol=0.01)


def test_one_place_a_row_goes_through_the_head() -> None:
    loaded, seen = tiny_xlnet(), []
    scorer = scorer_of(loaded)
    hook = loaded.model.get_output_embeddings().register_forward_hook(
        lambda module, inputs, output: seen.append(inputs[0].shape[1])
    )
    scorer.score(PROMPTS, WORDS)
    hook.remove()
    assert set(seen) == {1}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_dtypes_give_nearly_the_same(dtype: torch.dtype) -> None:
    wide = tiny_xlnet()
    narrow = Loaded(copy.deepcopy(wide.model).to(dtype), wide.tokenizer, "cpu")
    difference = np.abs(scorer_of(narrow).score(PROMPTS, WORDS) - scorer_of(wide).score(PROMPTS, WORDS))
    assert 0 < difference.max() < (2 if dtype == torch.bfloat16 else 0.2)


def test_a_saved_model_scores_as_the_one_in_memory(tmp_path: Path) -> None:
    loaded = tiny_xlnet()
    loaded.model.save_pretrained(tmp_path)
    loaded.tokenizer.save_pretrained(tmp_path)
    spec = resolve(str(tmp_path))
    assert spec.family == "permutation"
    scorer = open_scorer(spec)
    assert type(scorer) is PermutationScorer
    np.testing.assert_allclose(
        scorer.score(PROMPTS, WORDS), scorer_of(loaded).score(PROMPTS, WORDS), atol=1e-5, rtol=0
    )
    with pytest.raises(ModelError, match=r"exact-boundary is for causal models and those with sentinels"):
        open_scorer(spec, "exact-boundary")


# ------------------------------------------------------------------------------------------ worked example


class Table(torch.nn.Module):
    """Probabilities given per text, with hidden tokens as ``None``, and place."""

    def __init__(
        self, vocabulary: int, rows: dict[tuple[tuple[int | None, ...], int], dict[int, float]]
    ) -> None:
        super().__init__()
        self.head = torch.nn.Linear(1, vocabulary)
        self.vocabulary, self.rows = vocabulary, rows
        self.base_model, self.dtype = self, torch.float32

    def get_output_embeddings(self) -> torch.nn.Linear:
        return self.head

    def get_decoder(self) -> None:
        return None

    def forward(
        self,
        input_ids: torch.Tensor,
        perm_mask: torch.Tensor,
        target_mapping: torch.Tensor,
        use_mems: bool,
    ) -> Any:
        logits = torch.zeros(len(input_ids), 1, self.vocabulary)
        for row, ids in enumerate(input_ids.tolist()):
            assert (perm_mask[row] == perm_mask[row, :1]).all()  # hidden from every token alike
            seen = tuple(
                None if hidden else token
                for token, hidden in zip(ids, perm_mask[row, 0].tolist(), strict=True)
            )
            (place,) = target_mapping[row, 0].nonzero().flatten().tolist()
            given = self.rows.get((seen, place), {})
            rest = (1 - sum(given.values())) / (self.vocabulary - len(given))
            logits[row, 0] = torch.full((self.vocabulary,), rest).log()
            for token, probability in given.items():
                logits[row, 0, token] = np.log(probability)
        return SimpleNamespace(logits=logits)


def test_worked_example_of_the_docstring() -> None:
    names = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    tokenizer = XLNetTokenizer(vocab=[(name, -1.0) for name in [*names, "▁that", "▁sh", "e", ".", "a", "▁"]])
    end, sep, that, sh, e, stop = 3, 4, 9, 10, 11, 12
    table = Table(
        15,
        {
            ((that, None, None, stop, sep, end), 1): {sh: 0.2},
            ((that, sh, None, stop, sep, end), 2): {e: 0.5},
        },
    )
    scorer = scorer_of(Loaded(table, tokenizer, "cpu"))
    assert np.exp(scorer.score(["that [Y]."], ["she"])[0, 0]) == pytest.approx(0.1, rel=1e-5)
