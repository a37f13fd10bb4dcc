"""The sides that the scorers are compared with, each computing the same quantity: loops, and minicons.

The naive loops follow the published scripts, but with correct tokens, mask and position: batches of 16
prompts in the given order, padding, logits at every position, softmax over the whole vocabulary,
probabilities fetched word by word in Python.
"""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pcf_core.core.families import Family
from pcf_core.core.records import FloatArray
from pcf_core.core.settings import ROOT
from pcf_core.models.loading import Loaded

BATCH = 16
GAPS = {"masked": "<mask>", "causal": "", "seq2seq": "<extra_id_0>"}
MINICONS = ROOT / ".venv-minicons" / "bin" / "python"
SCRIPT = ROOT / "tests" / "models" / "scoring" / "minicons_scores.py"
Texts = Sequence[str]


def encoded(
    loaded: Loaded, family: Family, prompts: Texts, size: int = BATCH
) -> Iterator[dict[str, torch.Tensor]]:
    """Yield padded batches; a causal model's are padded on the left, so that the last position is a token."""
    tokenizer = loaded.tokenizer
    tokenizer.padding_side = "left" if family == "causal" else "right"
    for start in range(0, len(prompts), size):
        texts = [prompt.replace("[Y]", GAPS[family]).rstrip() for prompt in prompts[start : start + size]]
        batch = tokenizer(texts, padding=True, return_tensors="pt").to(loaded.device)
        inputs = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
        if family == "causal":
            inputs["position_ids"] = (batch["attention_mask"].cumsum(-1) - 1).clamp(min=0)
        yield inputs


def word_ids(loaded: Loaded, word: str) -> list[int]:
    """Return the tokens of a word after a space."""
    ids: list[int] = loaded.tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
    return ids


@torch.inference_mode()
def naive(loaded: Loaded, family: Family, prompts: Texts, words: Texts, size: int = BATCH) -> FloatArray:
    """Return [prompt, word] nats of words of one token, ``size`` prompts at a time."""
    tokenizer, answer = loaded.tokenizer, []
    ids = [word_ids(loaded, word)[0] for word in words]
    for inputs in encoded(loaded, family, prompts, size):
        rows = len(inputs["input_ids"])
        if family == "seq2seq":
            inputs["decoder_input_ids"] = beginning(loaded, rows)
        probabilities = loaded.model(**inputs).logits.softmax(-1, dtype=torch.float32)
        for row in range(rows):
            where = -1
            if family == "masked":
                where = int((inputs["input_ids"][row] == tokenizer.mask_token_id).nonzero())
            answer.append([math.log(probabilities[row, where, token].item()) for token in ids])
    return np.array(answer)


def beginning(loaded: Loaded, rows: int) -> torch.Tensor:
    """Return [row, 2] what T5's decoder reads before the word."""
    first = [loaded.model.config.decoder_start_token_id, *word_ids(loaded, "<extra_id_0>")[-1:]]
    return torch.tensor([first] * rows, device=loaded.device)


@torch.inference_mode()
def word_loop(loaded: Loaded, family: Family, prompts: Texts, words: Texts) -> FloatArray:
    """Return [prompt, word] nats of T5, the whole model once per word of any length, 16 prompts at a time."""
    if family != "seq2seq":
        raise ValueError(f"The loop over the words is for seq2seq models; this one is {family}.")
    answer = []
    for inputs in encoded(loaded, family, prompts):
        rows = len(inputs["input_ids"])
        columns = []
        for word in words:
            ids = torch.tensor([word_ids(loaded, word)] * rows, device=loaded.device)
            inputs["decoder_input_ids"] = torch.cat([beginning(loaded, rows), ids[:, :-1]], dim=1)
            probabilities = loaded.model(**inputs).logits.softmax(-1, dtype=torch.float32)
            columns.append(probabilities[:, 1:].gather(2, ids[..., None]).log().sum((1, 2)).cpu().numpy())
        answer.append(np.stack(columns, axis=1))
    return np.concatenate(answer)


def minicons(
    loaded: Loaded, family: Family, prompts: Texts, words: Texts, rounds: int
) -> tuple[float, FloatArray]:
    """Return seconds and [prompt, word] nats of minicons in its own environment, 32 scores at a time."""
    with tempfile.TemporaryDirectory() as folder:
        loaded.model.save_pretrained(folder)
        loaded.tokenizer.backend_tokenizer.save(str(Path(folder) / "tokenizer.json"))
        task: dict[str, Any] = {"folder": folder, "family": family, "boundary": False, "batch": 2 * BATCH}
        task |= {"specials": dict(loaded.tokenizer.special_tokens_map), "threads": torch.get_num_threads()}
        task |= {"prompts": list(prompts), "words": list(words), "rounds": rounds}
        done = subprocess.run(
            [MINICONS, SCRIPT], input=json.dumps([task]), stdout=subprocess.PIPE, text=True, check=True
        )
    (found,) = json.loads(done.stdout)
    return float(found["seconds"]), np.array(found["nats"])
