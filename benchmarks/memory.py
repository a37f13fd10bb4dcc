"""Measure peak memory and time of a large run: scoring (without a model), reading, reporting.

Scores are made up, in a temporary store.  Each stage runs in its own process, whose peak resident set is
printed; the first column is what interpreter and libraries take before. Limit: 2.5 GB for 120 × 32,000 cells
of a topic with two groups, without the model.

    python -m benchmarks.memory --templates 32000 --words two
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.fakes import FakeScorer
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.records import FloatArray
from pcf_core.core.run import ModelSpec, RunSpec
from pcf_core.core.topics import Template, TemplateSet, Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Batch, Scorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run

STAGES = ("score_run", "load_result", "load_result again", "report")
PAIR = ("he", "she")
Words = Literal["two", "all"]


class MadeUpScorer(FakeScorer):
    """The fake, with a block of prompts at a time."""

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        yield Batch(np.arange(len(prompts)), np.log(made_up(marks(prompts)[:, np.newaxis], marks(words))))


def marks(texts: Sequence[str]) -> NDArray[np.uint64]:
    return np.array([zlib.crc32(text.encode()) for text in texts], dtype=np.uint64)


def made_up(prompt: NDArray[np.uint64], word: NDArray[np.uint64]) -> FloatArray:
    """Return probabilities from 1e-5 to 1e-2."""
    return np.asarray((1 + (prompt ^ word) % np.uint64(997)) / 100_000)


def big_run(templates: int, words: Words) -> RunSpec:
    """Return a run of gender (all words, or he and she): 120 occupations, made-up templates."""
    topic = load_topic("gender")
    if words == "two":
        groups = tuple(
            group.model_copy(update={"words": tuple(word for word in group.words if word in PAIR)})
            for group in topic.groups
        )
        topic = Topic(name="pair", title="Pair", groups=groups, evidence=topic.evidence)
    texts = TemplateSet(
        name="large",
        title="Large",
        templates=tuple(
            Template(text=f"When the [X] came into the room for the {i}th time, we heard that [Y]", count=i)
            for i in range(1, templates + 1)
        ),
    )
    return build_run(resolve("mini-gpt"), topic, load_evidence(topic.evidence), texts)


def measure(stage: str, cache: Path, templates: int, words: Words) -> dict[str, float]:
    """Run one stage here; return seconds (wall and processor) and megabytes before and at the peak."""
    run, store = big_run(templates, words), Store.open(cache)

    def open_made_up(spec: ModelSpec, protocol: str) -> Scorer:
        return MadeUpScorer(lambda prompt, word: float(made_up(*marks([prompt, word]))), key=run.scoring)

    before, begun, spent = peak(), time.perf_counter(), time.process_time()
    if stage == "score_run":
        score_run(run, store, open_made_up)
    else:
        result = load_result(store, run)
        if stage == "report":
            report(result, run, ViewOptions())
    return {
        "before": before,
        "peak": peak(),
        "seconds": time.perf_counter() - begun,
        "processor": time.process_time() - spent,
    }


def peak() -> float:
    """Return this process's peak resident set in megabytes."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1e6 if sys.platform == "darwin" else size * 1024 / 1e6


def main(
    templates: Annotated[list[int], typer.Option(help="templates; may be repeated")] = [2000, 8000, 32000],  # noqa: B006
    words: Annotated[list[str], typer.Option(help="two (he, she) or all (78); may be repeated")] = ["two"],  # noqa: B006
    stage: Annotated[str, typer.Option(help="one stage, in the store at --cache; prints JSON")] = "",
    cache: Annotated[Path | None, typer.Option(help="the store of --stage")] = None,
) -> None:
    """Print the table."""
    kinds: list[Words] = ["all" if kind == "all" else "two" for kind in words]
    if cache is not None:
        typer.echo(json.dumps(measure(stage, cache, templates[0], kinds[0])))
        return
    typer.echo(
        f"{'cells':<16}{'words':>6}  {'stage':<20}{'before MB':>10}{'peak MB':>10}{'seconds':>10}{'CPU s':>8}"
    )
    for kind in kinds:
        for count in templates:
            with tempfile.TemporaryDirectory() as folder:
                for name in STAGES:
                    options = ["--templates", str(count), "--words", kind, "--stage", name, "--cache", folder]
                    answer = subprocess.run(
                        [sys.executable, "-m", "benchmarks.memory", *options],
                        stdout=subprocess.PIPE,  # stderr is shown
                        text=True,
                        check=True,
                    )
                    found = json.loads(answer.stdout)
                    typer.echo(
                        f"{f'120 × {count:,}':<16}{2 if kind == 'two' else 78:>6}  {name:<20}"
                        f"{found['before']:>10,.0f}{found['peak']:>10,.0f}{found['seconds']:>10.1f}{found['processor']:>8.1f}"
                    )


if __name__ == "__main__":
    typer.run(main)
