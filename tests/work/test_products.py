"""Terms of several words in the shipped models: each is scored whole, over all its tokens."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.work.probing import word_check

TEXT = "The nurse, who came, is [Y]"


def brute_force(model: str, words: tuple[str, ...]) -> dict[str, float]:
    """Log-probabilities of words at the end of the text, straight from transformers, one token at a time."""
    path = resolve(model).path
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    masked = resolve(model).family == "masked"
    kind = transformers.AutoModelForMaskedLM if masked else transformers.AutoModelForCausalLM
    network = kind.from_pretrained(path, dtype=torch.float32).eval()
    begun = tokenizer(TEXT.replace(" [Y]", ""))["input_ids"]
    found = {}
    for word in words:
        ids = tokenizer(TEXT.replace("[Y]", word))["input_ids"]
        end = len(ids) - masked  # a masked model's text is closed by one token
        start = len(begun) - masked
        assert ids[:start] == begun[:start]
        total = 0.0
        for place in range(start, end):
            shown = torch.tensor([ids])
            if masked:
                shown[0, place:end] = tokenizer.mask_token_id
            with torch.no_grad():
                logits = network(shown).logits[0, place if masked else place - 1]
            total += float(logits.double().log_softmax(-1)[ids[place]])
        found[word] = total
    return found


@pytest.mark.parametrize("model", ["mini-bert", "mini-gpt"])
def test_a_term_counts_with_all_its_tokens(model: str) -> None:
    topic = load_topic("race-gender")
    answer = word_check(model, topic, TEXT)
    assert answer["left_out"] == []
    scored = {row["word"]: row for row in answer["words"]}
    expected = brute_force(model, topic.words)
    assert list(scored) == list(expected)
    for word, row in scored.items():
        assert row["tokens"] >= 3
        assert row["log_probability"] == pytest.approx(expected[word], abs=1e-4)
    odds = np.exp([expected[word] for word in topic.words])
    assert list(answer["preferences"].values()) == pytest.approx(list(odds / odds.sum()), abs=1e-4)
    assert list(answer["preferences"]) == list(topic.group_names)
