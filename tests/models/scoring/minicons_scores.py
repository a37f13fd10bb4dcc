"""Word scores by minicons (https://github.com/kanishkamisra/minicons), a second opinion on ours.

Run by the interpreter of an environment that holds requirements-minicons.txt; imports nothing of
this project.
Reads a list of tasks as JSON from the standard input, writes for each ``{"nats": [prompt][word], "seconds"}``
to the standard output; ``seconds`` is the fastest of ``rounds`` passes over all words of all prompts.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import torch
from minicons.scorer import IncrementalLMScorer, MaskedLMScorer
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedTokenizerFast


def open_scorer(task: dict[str, Any]) -> Any:
    """The scorer of minicons for a folder with ``tokenizer.json`` and a model of one of two families."""
    masked = task["family"] == "masked"
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=f"{task['folder']}/tokenizer.json", **task["specials"])
    model = (AutoModelForMaskedLM if masked else AutoModelForCausalLM).from_pretrained(task["folder"])
    return (MaskedLMScorer if masked else IncrementalLMScorer)(model.eval(), "cpu", tokenizer=tokenizer)


def sides(task: dict[str, Any], prompt: str, word: str) -> tuple[str, str, str | None]:
    """Prefix, stimulus and suffix of one word; a causal model's stimulus runs on over the right text."""
    left, right = (side.strip() for side in prompt.split("[Y]"))
    if task["family"] == "causal":
        return left, f"{word} {right}".strip(), None
    return left, word, right or None


def scores(scorer: Any, task: dict[str, Any]) -> list[float]:
    """Nats of every word in every prompt, ``batch`` at a time."""
    requests = [sides(task, prompt, word) for prompt in task["prompts"] for word in task["words"]]
    found: list[float] = []
    for start in range(0, len(requests), task["batch"]):
        prefix, stimuli, suffix = map(list, zip(*requests[start : start + task["batch"]], strict=True))
        options: dict[str, Any] = {"reduction": lambda nats: nats.sum(0).item()}
        if task["family"] == "masked":
            options |= {"PLL_metric": "within_word_l2r", "suffix": suffix if suffix[0] else None}
        else:
            options |= {"bow_correction": task["boundary"]}
        found += scorer.conditional_score(prefix, stimuli, **options)
    return found


def answer(task: dict[str, Any]) -> dict[str, Any]:
    torch.set_num_threads(task["threads"])
    scorer = open_scorer(task)
    seconds = []
    for _ in range(task["rounds"]):
        begun = time.perf_counter()
        nats = scores(scorer, task)
        seconds.append(time.perf_counter() - begun)
    width = len(task["words"])
    rows = [nats[start : start + width] for start in range(0, len(nats), width)]
    return {"nats": rows, "seconds": min(seconds)}


if __name__ == "__main__":
    json.dump([answer(task) for task in json.load(sys.stdin)], sys.stdout)
