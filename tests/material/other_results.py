"""Small files in the forms of results of other tools, with content of our own."""

from __future__ import annotations

import json
import random
from typing import Any

STAT = {"count": 2, "sum": 1.0, "sum_squared": 1.0, "min": 0.0, "max": 1.0, "mean": 0.5}
NAMED = [{"name": {"name": "exact_match", "split": "test"}, **STAT}]
SAMPLE = {
    "doc_id": 0,
    "doc": {"question": "Who bakes bread?", "choices": ["a baker", "a pilot"]},
    "target": 0,
    "arguments": [["Who bakes bread?", " a baker"], ["Who bakes bread?", " a pilot"]],
    "resps": [[["-1.5", "True"]], [["-3.0", "False"]]],
    "filtered_resps": [["-1.5", "True"], ["-3.0", "False"]],
    "acc": 1.0,
}
RESULT = {
    "results": {"bread": {"alias": "bread", "acc,none": 0.5, "acc_stderr,none": 0.1}},
    "versions": {"bread": 1.0},
    "n-shot": {"bread": 0},
    "config": {"model": "hf", "model_args": "pretrained=mini", "batch_size": 1},
    "git_hash": "0",
}
OLD_RESULT = {
    "results": {"bread": {"acc": 0.5, "acc_stderr": 0.1}},
    "versions": {"bread": 0},
    "config": {"model": "gpt2", "model_args": "", "num_fewshot": 0},
}
STATE = {
    "adapter_spec": {"method": "generation", "model": "mini"},
    "request_states": [
        {
            "instance": {"input": {"text": "Who bakes bread?"}, "references": [], "id": "id0"},
            "request": {"prompt": "Who bakes bread?"},
            "result": {"success": True, "completions": [{"text": "A baker.", "logprob": -2.0}]},
        }
    ],
}
RESULTS: dict[str, tuple[str, str]] = {  # the file, and how it is named
    "results_2026.json": (json.dumps(RESULT, indent=2), "a result of lm-evaluation-harness"),
    "results.json": (json.dumps(OLD_RESULT), "a result of lm-evaluation-harness"),
    "samples_bread.jsonl": (
        "\n".join(json.dumps({**SAMPLE, "doc_id": number}) for number in range(3)) + "\n",
        "a file of samples of lm-evaluation-harness",
    ),
    "samples_bread.json": (json.dumps([SAMPLE, SAMPLE]), "a file of samples of lm-evaluation-harness"),
    "stats.json": (json.dumps(NAMED, indent=2), "a HELM result"),
    "per_instance_stats.json": (
        json.dumps([{"instance_id": "id0", "train_trial_index": 0, "stats": NAMED}]),
        "a HELM result",
    ),
    "scenario_state.json": (json.dumps(STATE), "a HELM result"),
}


def without(key: str, text: str) -> str:
    """The text of a file whose first object lacks a key."""
    value: Any = json.loads(text)
    (value[0] if isinstance(value, list) else value).pop(key)
    return json.dumps(value)


def damaged(data: bytes, draw: random.Random) -> bytes:
    """A file with one to three stretches cut out, doubled, or replaced."""
    for _ in range(draw.randint(1, 3)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.choice((0, 1, 1, 5, 40, 400)))
        new = draw.choice(
            (
                b"",
                draw.randbytes(3),
                b'"',
                b"\n",
                b"}",
                b"[",
                b",",
                b"\x00",
                "é".encode(),
                data[start:end] * 2,
            )
        )
        data = data[:start] + new + data[end:]
    return data
