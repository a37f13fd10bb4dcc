"""A toy run of 24 cells on the shipped fake, and, as a program, a worker that serves it.

    python toy.py CACHE DELAY [--until-idle]

Each prompt that is scored is written to ``CACHE/scored.log``, one a line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fakes import FakeGenerator, FakeScorer
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec, Progress, RunSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.models.scoring.base import Batch
from pcf_core.store.store import Store
from pcf_core.work import probing as words
from pcf_core.work import scoring
from pcf_core.work.jobs import Stopped

WORDS = ("he", "king", "she", "queen")
TOPIC = Topic(
    name="toy",
    title="Toy",
    groups=(Group(name="male", words=WORDS[:2]), Group(name="female", words=WORDS[2:])),
)


def spec_of(name: str = "toy", identity: str = "weights") -> ModelSpec:
    return ModelSpec(name=name, family="masked", path="", identity=identity, tokenizer="tokens")


WRITER = ModelSpec(
    name="toy", family="causal", path="", identity="weights", tokenizer="tokens", parameters=100
)
WRITING = GenerationKey.of(WRITER, Decoding(length=10))
Said = Callable[[str], Mapping[str, float]] | Mapping[str, float]


def writer_of(name: str = "toy", chat: bool = False) -> ModelSpec:
    """A toy that writes texts; ``big`` has ten times the parameters."""
    return WRITER.model_copy(update={"name": name, "parameters": 1000 if name == "big" else 100})


def writing(said: Said, **options: Any) -> Callable[[ModelSpec, Decoding], FakeGenerator]:
    """Opens a generator that draws from these texts."""
    return lambda spec, decoding: FakeGenerator(said, key=GenerationKey.of(spec, decoding), **options)


def unopenable(spec: ModelSpec, how: Any) -> Any:
    raise AssertionError("the model is opened for nothing")


def run_of(
    terms: int = 8, templates: int = 3, topic: Topic = TOPIC, spec: ModelSpec | None = None
) -> RunSpec:
    """``terms`` × ``templates`` cells."""
    return RunSpec(
        scoring=ScoringKey.of(spec or spec_of()),
        topic=topic,
        evidence=Evidence(name="terms", title="Terms", terms=tuple(f"term{i}" for i in range(terms))),
        templates=TemplateSet(
            name="texts",
            title="Texts",
            templates=tuple(Template(text=f"The [X] of text {i} is [Y]") for i in range(templates)),
        ),
    )


def probability(prompt: str, word: str) -> float:
    """The same in every process."""
    return (sum(f"{prompt}|{word}".encode()) % 89 + 1) / 1000


def open_toy(spec: ModelSpec, protocol: str, **options: object) -> FakeScorer:
    """The fake as the scorer of a model; two prompts a batch."""
    return FakeScorer(probability, key=ScoringKey.of(spec, protocol), **{"batch_size": 2, **options})


def opening(**options: object) -> Callable[[ModelSpec, str], FakeScorer]:
    """Opens the toy with these options."""
    return lambda spec, protocol: open_toy(spec, protocol, **options)


def shards(root: Path) -> dict[str, bytes]:
    """The files of scores in a cache."""
    return {path.name: path.read_bytes() for path in (root / "scores").rglob("*.parquet")}


def until(happened: Callable[[], object], seconds: float = 120) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def counts_to(seen: list[tuple[int, int]]) -> Callable[[Progress], None]:
    """Tells ``seen`` the cells that are scored, saved or not, and how many there are."""

    def on_progress(at: Progress) -> None:
        if at.stage == "scoring":
            seen.append((at.done + at.unsaved, at.total))

    return on_progress


def cells_to(seen: list[int]) -> Callable[[Progress], None]:
    """Tells ``seen`` the cells that are scored, saved or not."""

    def on_progress(at: Progress) -> None:
        if at.stage == "scoring":
            seen.append(at.done + at.unsaved)

    return on_progress


def stop_if(asked: Callable[[], bool]) -> Callable[[], None]:
    """A pause in which work is stopped once that is asked for."""

    def pause() -> None:
        if asked():
            raise Stopped

    return pause


def main(cache: Path, delay: float, until_idle: bool) -> None:
    from pcf_core.work.queue import Queue
    from pcf_core.work.worker import Worker

    log = (cache / "scored.log").open("a", buffering=1)

    class Logged(FakeScorer):
        def _score_batches(
            self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
        ) -> Iterator[Batch]:
            for batch in super()._score_batches(prompts, words, pause):
                log.writelines(f"{prompts[row]}\n" for row in batch.rows)
                yield batch

    def open_logged(spec: ModelSpec, protocol: str) -> FakeScorer:
        return Logged(probability, key=ScoringKey.of(spec, protocol), batch_size=2, delay=delay)

    scoring.resolve = words.resolve = spec_of
    settings = Settings(cache=cache, shard_prompts=4, worker_idle_seconds=30)
    store = Store.open(cache)
    Worker(store, Queue.open(cache / "catalogue.sqlite"), settings, open_logged).run(until_idle=until_idle)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), "--until-idle" in sys.argv)
