"""Compare our scorer on SmolLM2 and *gender* with what a user would otherwise use: same words, same nats.

- *loop*: a plain loop over transformers.  Distinct texts before a word's last token, padded, 16 at a time in
  the given order, softmax at all positions; words of one token share the prompt's text.
- *minicons*: in its own environment, 32 scores at a time.
- *harness* (lm-evaluation-harness' ``loglikelihood``): in its own environment, 16 texts at a time or its
  automatic number, which it tries at the start of each call.  It sorts texts by length and also shares texts
  of one-token words.

*Tokens* are those that run through the layers, with padding (we run a common beginning once); *places* are
positions that run through the head and softmax (we only run those where a word is read).

All score the same prompts in float32, slow peers an evenly spread sample.  Sides alternate; cells per second
and the ratio are medians over rounds; *nats* is the largest difference.

    python -m benchmarks.against --processor --threads 1
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np
import torch
import typer

from benchmarks.peer import CLOCKS, Work, counted, say
from benchmarks.scoring import in_shards
from benchmarks.sides import BATCH, MINICONS, encoded, word_ids
from benchmarks.zoo import prompts_of
from pcf_core.core.records import FloatArray
from pcf_core.core.settings import ROOT, settings
from pcf_core.material.topics import load_topic
from pcf_core.models.conversion import converted
from pcf_core.models.loading import Loaded
from pcf_core.models.public import gguf_files
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer

MODEL = "SmolLM2-135M-Instruct-Q4_1"
HARNESS = ROOT / ".venv-harness" / "bin" / "python"
ROUNDS = 3
Round = tuple[FloatArray, float, Work]  # nats [prompt, word], seconds, what the model had to do
Side = Callable[[], Round]


@dataclass(frozen=True)
class Peer:
    """A side beside ours: ``python`` of its environment (``None``: this one) and ``cells`` of its sample."""

    title: str
    name: str
    python: Path | None
    batch: int | str
    cells: int
    goal: float


PEERS = (
    Peer("minicons", "minicons", MINICONS, 2 * BATCH, 4, goal=10),
    Peer("loop, 16 texts", "loop", None, BATCH, 16, goal=3),
    Peer("harness, 16 texts", "harness", HARNESS, BATCH, 16, goal=3),
    Peer("harness, automatic", "harness", HARNESS, "auto", 32, goal=3),
)


@dataclass(frozen=True)
class Compared:
    """Medians over rounds: cells per second of both sides and their ratio; largest difference in nats.

    ``tokens`` and ``places``: of the peer, per cell.
    """

    ours: float
    theirs: float
    ratio: float
    difference: float
    tokens: float
    places: float


@torch.inference_mode()
def loop(loaded: Loaded, prompts: Sequence[str], words: Sequence[str], size: int = BATCH) -> FloatArray:
    """Return [prompt, word] nats of words of any length after prompts that end in ``[Y]``."""
    ids = [word_ids(loaded, word) for word in words]
    decode = loaded.tokenizer.decode
    texts: dict[str, list[tuple[int, int]]] = {}  # text -> the (prompt, word) that are read in it
    for row, prompt in enumerate(prompts):
        left = prompt.replace(" [Y]", "")
        for column, word in enumerate(ids):
            texts.setdefault(left + decode(word[:-1]), []).append((row, column))
    values = np.zeros((len(prompts), len(words)))
    read = iter(texts.values())
    for inputs in encoded(loaded, "causal", list(texts), size):
        nats = loaded.model(**inputs).logits.float().log_softmax(-1)
        for line in nats:
            for row, column in next(read):
                places = range(-len(ids[column]), 0)
                values[row, column] = sum(
                    line[place, token].item() for place, token in zip(places, ids[column], strict=True)
                )
    return values


@contextmanager
def peer_side(peer: Peer, task: dict[str, Any]) -> Iterator[Side]:
    """Start a peer's process and yield its side; raise ``RuntimeError`` if the process ends early."""
    assert peer.python is not None
    asked = json.dumps(task | {"peer": peer.name, "batch": peer.batch})
    command = [str(peer.python), str(Path(__file__).with_name("peer.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said, answers = process.stdin, process.stdout

        def ask(question: str) -> str:
            say(said, question)
            if not (answer := answers.readline()):
                raise RuntimeError(f"{peer.title} ended with the status {process.wait()}.")
            return answer

        def side() -> Round:
            answer = json.loads(ask(""))
            return np.array(answer["nats"]), answer["seconds"], Work(**answer["work"])

        ask(asked)
        yield side


def lay_files(source: Path, folder: Path) -> None:
    """Link a model's files into a folder, with ``rope_theta`` where transformers 4 expects it."""
    for path in source.iterdir():
        if path.name != "config.json":
            (folder / path.name).symlink_to(path.resolve())
    config = json.loads((source / "config.json").read_text(encoding="utf8"))
    config |= {key: value for key, value in config.get("rope_parameters", {}).items() if key == "rope_theta"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf8")


def timed(side: Callable[[], FloatArray], model: Any, clock: str) -> Round:
    with counted(model) as work:
        begun = CLOCKS[clock]()
        values = side()
        seconds = CLOCKS[clock]() - begun
    return values, seconds, work


def compare(
    model: str, peers: Sequence[Peer], cells: int, rounds: int, clock: str, words: Sequence[str] = ()
) -> tuple[dict[str, Compared], Work]:
    """Let our scorer and the peers take turns; return :class:`Compared` by title, and our work per round.

    - ``model``: a causal model with local files.
    - ``peers``: those whose environments exist.
    - ``cells``: prompts of one occupation that we score per round.
    - ``clock``: ``wall``, or ``processor`` on a machine that does other work.
    - ``words``: scored instead of the words of *gender*.
    """
    chosen = tuple(words) or load_topic("gender").words
    prompts = [prompt for prompt in prompts_of(1)[0] if prompt.endswith(" [Y]")][:cells]
    samples = {peer.title: slice(None, None, -(-len(prompts) // peer.cells)) for peer in peers}
    spec = resolve(model)
    scorer: Any = open_scorer(spec)
    loaded = Loaded(scorer.model, scorer.seam.tokenizer, scorer.device)
    with tempfile.TemporaryDirectory() as name, ExitStack() as running:
        lay_files(converted(spec, files) if (files := gguf_files(spec)) else Path(spec.path), Path(name))
        task = {
            "folder": name,
            "family": "causal",
            "boundary": False,
            "words": chosen,
            "clock": clock,
            "threads": torch.get_num_threads(),
            "specials": dict(loaded.tokenizer.special_tokens_map),
        }
        sides: dict[str, Side] = {}
        for peer in peers:
            sample = prompts[samples[peer.title]]
            if peer.python is None:
                looped = partial(loop, loaded, sample, chosen, int(peer.batch))
                sides[peer.title] = partial(timed, looped, loaded.model, clock)
            else:
                sides[peer.title] = running.enter_context(peer_side(peer, task | {"prompts": sample}))
        scorer.score(prompts[:8], chosen)
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(timed(partial(in_shards, scorer, prompts, chosen), loaded.model, clock))
            theirs.append({title: side() for title, side in sides.items()})
    values, _, work = ours[0]
    own = [len(prompts) / seconds for _, seconds, _ in ours]
    found = {}
    for title, sample_of in samples.items():
        count = len(prompts[sample_of])
        rates = [count / found_round[title][1] for found_round in theirs]
        nats, _, did = theirs[0][title]
        found[title] = Compared(
            median(own),
            median(rates),
            median(mine / other for mine, other in zip(own, rates, strict=True)),
            float(np.abs(values[sample_of] - nats).max()),
            did.tokens / count,
            did.places / count,
        )
    return found, work


def line(peer: Peer, found: Compared) -> str:
    return (
        f"{peer.title:<20}{found.theirs:>9.2f}{found.ours:>9.2f}{found.ratio:>8.1f}{peer.goal:>6.0f}"
        f"{found.tokens:>9.0f}{found.places:>9.0f}{found.difference:>9.0e}"
    )


def main(
    cells: Annotated[int, typer.Option(help="prompts that we score in a round")] = 128,
    rounds: Annotated[int, typer.Option(help="rounds, of which the medians are printed")] = ROUNDS,
    threads: Annotated[int, typer.Option(help="CPU threads of every side, 0 for all cores")] = 0,
    processor: Annotated[bool, typer.Option(help="count processor time, on a busy machine")] = False,
) -> None:
    """Print the table."""
    if threads or settings().threads:
        torch.set_num_threads(threads or settings().threads)
    peers = []
    for peer in PEERS:
        if peer.python is None or peer.python.exists():
            peers.append(peer)
        else:
            typer.echo(f"{peer.title}: not there; make {peer.python.parent.parent.name}/ready")
    clock = "processor" if processor else "wall"
    found, work = compare(MODEL, peers, cells, rounds, clock)
    per_cell = f"{work.tokens / cells:.0f} tokens and {work.places / cells:.0f} places a cell"
    typer.echo(
        f"{MODEL}, float32, {len(load_topic('gender').words)} words a cell\n"
        f"{clock} time, {torch.get_num_threads()} threads, medians of {rounds} rounds\n"
        f"ours: {cells} cells, {per_cell}"
    )
    typer.echo(
        f"{'against':<20}{'cells/s':>9}{'ours':>9}{'ratio':>8}{'goal':>6}{'tokens':>9}{'places':>9}{'nats':>9}"
    )
    for peer in peers:
        typer.echo(line(peer, found[peer.title]))


if __name__ == "__main__":
    typer.run(main)
