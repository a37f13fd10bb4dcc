"""The peer's side of :mod:`benchmarks.against`, run by the interpreter of the peer's own environment.

Reads one task as a line of JSON, opens the model and writes ``ready``; each further line requests a pass over
all words of all prompts and is answered with a line: ``{"nats": [prompt][word], "seconds": …, "work": …}``.
The process keeps its model open, so that both sides can alternate.  From this project it imports only the
second opinion of the scoring tests.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, Any

import torch

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
OPINION = Path(__file__).resolve().parent.parent / "tests" / "models" / "scoring"
Nats = list[list[float]]


@dataclass
class Work:
    """The model's work in a pass: ``tokens`` through its layers, ``places`` through its head."""

    tokens: int = 0
    places: int = 0


@contextmanager
def counted(model: Any) -> Iterator[Work]:
    """Count a causal model's work, padding included."""
    work = Work()

    def at_head(module: Any, arguments: Any) -> None:
        work.places += arguments[0].shape[:-1].numel()

    def at_table(module: Any, arguments: Any) -> None:
        work.tokens += arguments[0].numel()

    hooks = [
        model.get_output_embeddings().register_forward_pre_hook(at_head),
        model.get_input_embeddings().register_forward_pre_hook(at_table),
    ]
    try:
        yield work
    finally:
        for hook in hooks:
            hook.remove()


def open_minicons(task: dict[str, Any]) -> tuple[Any, Callable[[], Nats]]:
    """Open minicons' scorer; return its model and a pass."""
    sys.path.insert(0, str(OPINION))
    scorer, scores = resolve_name("minicons_scores:open_scorer")(task), resolve_name("minicons_scores:scores")
    width = len(task["words"])

    def once() -> Nats:
        nats = scores(scorer, task)
        return [nats[start : start + width] for start in range(0, len(nats), width)]

    return scorer.model, once


def open_harness(task: dict[str, Any]) -> tuple[Any, Callable[[], Nats]]:
    """Open lm-evaluation-harness' model of a folder; return its model and a pass."""
    make_request = resolve_name("lm_eval.api.instance:Instance")
    opened = resolve_name("lm_eval.models.huggingface:HFLM")(
        pretrained=task["folder"], device="cpu", dtype="float32", batch_size=task["batch"]
    )
    lefts = [prompt.replace(" [Y]", "") for prompt in task["prompts"]]
    asked = [
        make_request("loglikelihood", {}, (left, f" {word}"), number)
        for number, (left, word) in enumerate((left, word) for left in lefts for word in task["words"])
    ]
    width = len(task["words"])

    def once() -> Nats:
        nats = [value for value, _ in opened.loglikelihood(asked, disable_tqdm=True)]
        return [nats[start : start + width] for start in range(0, len(nats), width)]

    return opened.model, once


PEERS = {"minicons": open_minicons, "harness": open_harness}


def say(answers: IO[str], line: str) -> None:
    """Write a line and flush."""
    answers.write(f"{line}\n")
    answers.flush()


def serve() -> None:
    task = json.loads(sys.stdin.readline())
    torch.set_num_threads(task["threads"])
    clock = CLOCKS[task["clock"]]
    answers = sys.stdout
    with redirect_stdout(sys.stderr):  # keep a peer's prints out of the answers
        model, once = PEERS[task["peer"]](task)
    say(answers, "ready")
    for _ in sys.stdin:
        with redirect_stdout(sys.stderr), counted(model) as work:
            begun = clock()
            nats = once()
            seconds = clock() - begun
        say(answers, json.dumps({"nats": nats, "seconds": seconds, "work": vars(work)}))


if __name__ == "__main__":
    serve()
